// One segmentation of the page: what Python sent of it, and what it becomes at another setting.

/** @import { Chunk, Ground } from "../../web/engine/chunks.js" */
/** @import { Setting, Source } from "../../web/engine/cuts.js" */
/** @import { Floats, Packed } from "./numbers.js" */
import { chunksBetween, chunksOf } from "../../web/engine/chunks.js";
import { fuse } from "../../web/engine/thresholds.js";
import { doubles, fixed, realNumbers, wholeNumbers } from "./numbers.js";

/** @typedef {{name: string, key: string, title: string, unit: string, help: string, value: number, low: number, high: number, step: number, reason: string, note: string}} Control */
/** @typedef {{titles: string[], weights: number[], factors: number[], values: (Packed | null)[]}} TableData */
/** @typedef {{head: Packed, tail: Packed, toAfter: Packed, toBefore: Packed}} TokensData */

/**
 * @typedef {object} LaneData
 * @property {string} title
 * @property {Control[]} controls
 * @property {Setting | null} setting
 * @property {{length: number, offsets: Packed, gaps: Packed, tokens: TokensData, words: {starts: Packed, cuts: Packed, tokens: TokensData} | null} | null} ground
 * @property {{semantic: Packed, structural: Packed | null, raw: Packed | null, fused: Packed, score: Packed, threshold: number | null, range: [number, number], ticks: number[], features: TableData | null, scales: TableData | null, probabilities: Packed | null} | null} curves
 * @property {{alpha: number, fineness: number, threshold: number, semantic: Packed, gaps: Packed, drivers: Packed, scores: Packed}[]} steps
 * @property {Record<"start" | "end" | "reach" | "tokens" | "overlapTokens" | "gap" | "driver", Packed> & {reason: string[], notes: string[][]} | null} chunks
 */

/** What measurements add to a distance. @typedef {{titles: string[], weights: number[], factors: number[], values: (Floats | null)[]}} Table */
/** @typedef {{semantic: Floats, structural: Floats | null, fused: Floats, score: Floats, threshold: number}} Curves */
/** @typedef {Curves & {raw: Floats | null, range: [number, number], ticks: number[], features: Table | null, scales: Table | null, probabilities: Floats | null}} KnownCurves */

/** A division that was made in advance. @typedef {{alpha: number, fineness: number, threshold: number, semantic: Packed, gaps: Int32Array, openings: import("../../web/engine/chunks.js").Cut[]}} Step */

/** A chunk as it is shown. @typedef {Omit<Chunk, "cut"> & {gap: number, driver: string, why: string}} ShownChunk */
/** @typedef {{chunks: ShownChunk[], curves: Curves | null, exceeding: Set<number>}} Segmentation */

/** @typedef {{title: string, controls: Control[], setting: Setting | null, source: Source | null, ground: Ground | null, curves: KnownCurves | null, steps: Step[], chunks: ShownChunk[]}} Lane */

const DRIVERS = ["semantic", "structural", "both", "limit"];

/** @param {TokensData} data */
function tokensFrom({ head, tail, toAfter, toBefore }) {
  const [a, b, c, d] = [head, tail, toAfter, toBefore].map(wholeNumbers);
  return { head: a, tail: b, toAfter: c, toBefore: d };
}

/** @param {TableData | null} data @returns {Table | null} */
function tableFrom(data) {
  return data && { ...data, values: data.values.map((column) => column && realNumbers(column)) };
}

/** @param {LaneData} data @returns {Lane} */
export function laneFrom({ title, controls, setting, ground, curves, steps, chunks }) {
  const places = ground && groundFrom(ground);
  const known = curves && curvesFrom(curves);
  return {
    title,
    controls,
    setting,
    curves: known,
    ground: places,
    source: known && places && sourceFrom(known, places),
    steps: steps.map(stepFrom),
    chunks: chunks ? fixedChunks(chunks) : [],
  };
}

/** @param {NonNullable<LaneData["ground"]>} data @returns {Ground} */
function groundFrom({ length, offsets, gaps, tokens, words }) {
  return {
    length,
    offsets: wholeNumbers(offsets),
    gaps: wholeNumbers(gaps),
    tokens: tokensFrom(tokens),
    words: words && { starts: wholeNumbers(words.starts), cuts: wholeNumbers(words.cuts), tokens: tokensFrom(words.tokens) },
  };
}

/** @param {NonNullable<LaneData["curves"]>} data @returns {KnownCurves} */
function curvesFrom({ semantic, structural, raw, fused, score, threshold, range, ticks, features, scales, probabilities }) {
  return {
    semantic: doubles(semantic),
    structural: structural && doubles(structural),
    raw: raw && realNumbers(raw),
    fused: doubles(fused),
    score: doubles(score),
    threshold: threshold ?? NaN,
    range,
    ticks,
    features: tableFrom(features),
    scales: tableFrom(scales),
    probabilities: probabilities && realNumbers(probabilities),
  };
}

/** @param {KnownCurves} curves @param {Ground} ground @returns {Source} */
function sourceFrom({ semantic, structural }, ground) {
  return {
    semantic: Float64Array.from(semantic),
    structural: structural && Float64Array.from(structural),
    tokens: ground.tokens,
    divisions: null,
  };
}

/** @param {LaneData["steps"][number]} data @returns {Step} */
function stepFrom({ alpha, fineness, threshold, semantic, gaps, drivers, scores }) {
  const [at, codes, values] = [wholeNumbers(gaps), wholeNumbers(drivers), realNumbers(scores)];
  const openings = Array.from(at, (gap, place) => {
    return { gap, reason: "distance", driver: DRIVERS[codes[place]], score: values[place], threshold };
  });
  return { alpha, fineness, threshold, semantic, gaps: at, openings };
}

/** @param {NonNullable<LaneData["chunks"]>} data @returns {ShownChunk[]} */
function fixedChunks({ reason, notes, ...columns }) {
  const [start, end, reach, tokens, overlapTokens, gap, driver] = [
    columns.start, columns.end, columns.reach, columns.tokens, columns.overlapTokens, columns.gap, columns.driver,
  ].map(wholeNumbers); // prettier-ignore
  return reason.map((why, at) => ({
    start: start[at],
    end: end[at],
    reach: reach[at],
    tokens: tokens[at],
    overlapTokens: overlapTokens[at],
    gap: gap[at],
    driver: DRIVERS[driver[at]] ?? "",
    why,
    notes: notes[at],
  }));
}

/**
 * What a lane is at a setting.
 *
 * @param {Lane} lane @param {Setting | null} setting @param {Record<string, string>} reasons in words
 * @returns {Segmentation}
 */
export function segmentationOf(lane, setting, reasons) {
  const { curves, source, ground, steps } = lane;
  if (!curves || !setting || !ground || !source) return { chunks: lane.chunks, curves, exceeding: exceedingOf(curves) };
  const shown = (/** @type {Chunk[]} */ chunks) => chunks.map((chunk) => shownChunk(chunk, reasons));
  if (steps.length) {
    const step = stepOf(steps, setting);
    if (!step) throw new Error("No such division was made.");
    return { chunks: shown(chunksBetween(step, ground, setting)), curves: { ...curves, ...dividedCurves(step, curves) }, exceeding: new Set(step.gaps) };
  }
  const { cuts, chunks } = chunksOf(source, ground, setting);
  const now = { ...curves, fused: cuts.fused, score: cuts.score, threshold: cuts.value };
  return { chunks: shown(chunks), curves: now, exceeding: new Set(cuts.exceeding) };
}

/**
 * The setting that is shown after a move. Where the division of its α and its fineness was not made, the one that did not
 * move returns to its first value.
 *
 * @param {Lane} lane @param {Setting} setting @param {string} moved
 * @returns {Setting}
 */
export function shownSetting({ steps, setting: first }, setting, moved) {
  if (!first || !steps.length || stepOf(steps, setting)) return setting;
  return moved === "alpha" ? { ...setting, fineness: first.fineness } : { ...setting, alpha: first.alpha };
}

/** The division of a setting, if it was made. @param {Step[]} steps @param {Setting} setting */
function stepOf(steps, setting) {
  return steps.find(({ alpha, fineness }) => alpha === setting.alpha && fineness === setting.fineness);
}

/**
 * The curves of a division. Scores that equal the penalty, within rounding, are on the side of the decision.
 *
 * @param {Step} step @param {Curves} curves @returns {Curves}
 */
function dividedCurves({ alpha, threshold, gaps, openings, semantic: packed }, { structural }) {
  const semantic = doubles(packed);
  const fused = fuse(semantic, structural && Float64Array.from(structural), alpha).map((value) => Math.min(value, threshold));
  gaps.forEach((gap, at) => (fused[gap] = openings[at].score));
  return { semantic, structural, fused, score: fused, threshold };
}

/** @param {Curves | null} curves */
function exceedingOf(curves) {
  /** @type {Set<number>} */ const found = new Set();
  curves?.score.forEach((score, gap) => score > curves.threshold && found.add(gap));
  return found;
}

/** @param {Chunk} chunk @param {Record<string, string>} reasons @returns {ShownChunk} */
function shownChunk({ cut, ...chunk }, reasons) {
  const compared = cut?.reason === "distance" ? `${fixed(cut.score, 3)} > ${fixed(cut.threshold, 3)}` : null;
  return { ...chunk, gap: cut?.gap ?? -1, driver: cut?.driver ?? "", why: cut ? (compared ?? reasons[cut.reason]) : "" };
}
