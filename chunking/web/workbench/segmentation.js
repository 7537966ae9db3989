// One strategy on one document: what Python sent of it, and what it cuts at any setting.

/** @import { Chunk, Cut } from "../engine/chunks.js" */
/** @import { Setting, Source } from "../engine/cuts.js" */
/** @import { Tokens } from "../engine/limits.js" */
/** @import { Stretches } from "../engine/places.js" */
/** @import { Floats, Packed } from "../base/packed.js" */
import { doubles, realNumbers, wholeNumbers } from "../base/packed.js";
import { chunksBetween, chunksOf } from "../engine/chunks.js";
import { fixed } from "../engine/numbers.js";
import { Places } from "../engine/places.js";
import { fuse } from "../engine/thresholds.js";

/** @typedef {{name: string, key: string, title: string, unit: string, help: string, value: number, low: number, high: number, step: number, reason: string, note: string, band: number[], band_words: string}} Control */
/** @typedef {{names: string[], titles: string[], weights: number[], factors: number[], values: (Packed | null)[]}} TableData */
/**
 * Tokens as they are sent; `between` is `toAfter` without `toBefore`, nearly always 0. `seamless` is how many places after
 * each have no seam between them and it, and `counts` are the tokens from it to each of them. `context` is what is embedded
 * before a chunk, by the offset from which on it starts.
 *
 * @typedef {Record<"head" | "tail" | "toAfter" | "between" | "seamless" | "counts", Packed> & {context: Record<"starts" | "tokens", Packed>, readLimit: number}} TokensData
 */
/** @typedef {{offsets: Packed, flags: Packed, tokens: TokensData, stretches: Record<keyof Stretches, Packed>}} PlacesData */

/**
 * @typedef {object} StrategyData
 * @property {string} title
 * @property {Control[]} controls
 * @property {Setting | null} setting
 * @property {boolean} computed whether its chunks are computed here
 * @property {{semantic: Packed, structural: Packed | null, raw: Packed | null, fused: Packed | null, score: Packed | null, threshold: number | null, features: TableData | null, scales: TableData | null, probabilities: Packed | null} | null} curves
 * @property {{alpha: number, fineness: number, threshold: number, semantic: Packed, gaps: Packed, drivers: Packed, scores: Packed, kept: Packed, keptScores: Packed, dropped: Packed, droppedScores: Packed}[]} steps
 * @property {Record<"start" | "end" | "reach" | "tokens" | "overlapTokens" | "gap" | "driver", Packed> & {reason: string[], notes: string[][]} | null} chunks
 * @property {Packed} suppressed gaps above the threshold that are not cut, where the chunks are sent
 * @property {{gaps: Packed, words: string[]}} kept gaps above the threshold that are not cut to keep something together, and what, where the chunks are sent
 */

/** What measurements add to a distance. @typedef {{names: string[], titles: string[], weights: number[], factors: number[], values: (Floats | null)[]}} Table */
/** @typedef {{semantic: Float64Array, structural: Float64Array | null, fused: Float64Array, score: Float64Array, threshold: number}} Curves */
/** @typedef {Curves & {raw: Floats | null, features: Table | null, scales: Table | null, probabilities: Floats | null}} SentCurves */

/**
 * A division that was made in advance, with the gaps above its threshold that are kept together and that are dropped to
 * keep the limits.
 *
 * @typedef {{alpha: number, fineness: number, threshold: number, semantic: Packed, gaps: Int32Array, openings: Cut[], kept: Int32Array, keptScores: Floats, dropped: Int32Array, droppedScores: Floats}} Step
 */

/**
 * A chunk as it is shown. `parts` is what the cut before it parts, in words; empty for nothing.
 *
 * @typedef {Omit<Chunk, "cut"> & {gap: number, driver: string, why: string, parts: string}} ShownChunk
 */

/** How a gap stands: not cut, cut by a driver or by hand, cut by a strategy without curves, or above the threshold and not cut, because a chunk would be too short or something is kept together. */
export const NOT_CUT = 0;
export const BY_MEANING = 1;
export const BY_LAYOUT = 2;
export const BY_BOTH = 3;
export const BY_LIMIT = 4;
export const BY_HAND = 5;
export const BY_STRATEGY = 6;
export const MERGED = 7;
export const KEPT = 8;

const STATUS = /** @type {Record<string, number>} */ ({
  semantic: BY_MEANING,
  structural: BY_LAYOUT,
  both: BY_BOTH,
  limit: BY_LIMIT,
  hand: BY_HAND,
  "": BY_STRATEGY,
});

/** Whether a gap with this status is cut. @param {number} status */
export const isCut = (status) => status > NOT_CUT && status < MERGED;

/** Whether a gap with this status is above the cut line and not cut. @param {number} status */
export const isLeftOut = (status) => status === MERGED || status === KEPT;

/**
 * What a setting makes of the document.
 *
 * @typedef {object} Segmentation
 * @property {ShownChunk[]} chunks
 * @property {Curves | null} curves
 * @property {Uint8Array} status of each gap
 * @property {Map<number, string>} kept what is kept together at gaps above the threshold that are not cut for it
 */

const DRIVERS = ["semantic", "structural", "both", "limit", "hand"];

/** @param {TokensData} data @param {Int32Array} offsets of the cuts @returns {Tokens} */
export function tokensFrom(data, offsets) {
  const [head, tail, toAfter, between] = [data.head, data.tail, data.toAfter, data.between].map(wholeNumbers);
  const toBefore = toAfter.map((tokens, place) => tokens - between[place]);
  const context = contextAt(data.context, offsets);
  return { head, tail, toAfter, toBefore, seamless: seamlessCounts(data), context, readLimit: data.readLimit };
}

/** The tokens that are embedded before a chunk, by the cut at which it starts. @param {TokensData["context"]} data @param {Int32Array} offsets */
function contextAt(data, offsets) {
  const [starts, tokens] = [data.starts, data.tokens].map(wholeNumbers);
  let step = 0;
  return offsets.map((offset) => {
    while (step + 1 < starts.length && starts[step + 1] <= offset) step++;
    return tokens[step];
  });
}

/** @param {TokensData} data @returns {Tokens["seamless"]} */
function seamlessCounts(data) {
  const [sizes, counts] = [data.seamless, data.counts].map(wholeNumbers);
  const ends = new Int32Array(sizes.length); // of the counts from each place
  sizes.forEach((size, place) => (ends[place] = (ends[place - 1] ?? 0) + size));
  return (first, last) => (last > first ? counts[ends[first] - sizes[first] + last - first - 1] : 0);
}

/** @param {PlacesData} data */
export function placesFrom({ offsets, flags, tokens, stretches }) {
  const { starts, ends, codes, aboveStarts, aboveEnds } = stretches;
  const places = wholeNumbers(offsets);
  const [from, to, code, aboveFrom, aboveTo] = [starts, ends, codes, aboveStarts, aboveEnds].map(wholeNumbers);
  return new Places({
    stretches: { starts: from, ends: to, codes: code, aboveStarts: aboveFrom, aboveEnds: aboveTo },
    offsets: places,
    flags: Uint8Array.from(wholeNumbers(flags)),
    tokens: tokensFrom(tokens, places),
  });
}

/** @param {TableData | null} data @returns {Table | null} */
function tableFrom(data) {
  return data && { ...data, values: data.values.map((column) => column && realNumbers(column)) };
}

/** A strategy on a document, at any setting of it that is computed here. */
export class StrategyModel {
  /**
   * @param {StrategyData} data
   * @param {Places | null} places of the document; null where no tokens are known between them
   * @param {number} gaps of the document
   * @param {Record<string, string>} reasons that are no comparison, in words
   * @param {string[]} kinds of what is kept together, in words, by their code from 1
   */
  constructor({ title, controls, setting, computed, curves, steps, chunks, suppressed, kept }, places, gaps, reasons, kinds) {
    this.kinds = kinds;
    this.title = title;
    this.controls = controls;
    this.setting = setting;
    this.reasons = reasons;
    this.gaps = gaps;
    this.curves = curves && curvesFrom(curves);
    this.places = computed ? places : null;
    this.source = this.curves && this.places && sourceFrom(this.curves, this.places);
    this.steps = steps.map((step) => stepFrom(step, places));
    this.sentChunks = chunks ? chunksFrom(chunks) : [];
    this.sentSuppressed = Array.from(wholeNumbers(suppressed));
    this.sentKept = new Map(Array.from(wholeNumbers(kept.gaps), (gap, index) => [gap, kept.words[index]]));
  }

  /** Takes what was decided by hand, which the places have already. */
  edit() {
    this.source = this.curves && this.places && sourceFrom(this.curves, this.places);
  }

  /** @param {Setting | null} setting @returns {Segmentation} */
  at(setting) {
    const { curves, source, places, steps } = this;
    if (!curves || !setting || !places || !source) {
      return this.segmentation(this.sentChunks, curves, this.sentSuppressed, this.sentKept);
    }
    const shown = (/** @type {Chunk[]} */ chunks) => chunks.map((chunk) => this.shownChunk(chunk));
    if (steps.length) {
      const step = stepOf(steps, setting);
      if (!step) throw new Error("No such division was made.");
      const chunks = chunksBetween(step, places.gapGround, setting);
      const divided = { ...curves, ...dividedCurves(step, curves) };
      return this.segmentation(shown(chunks), divided, Array.from(step.dropped), this.keptAt(Array.from(step.kept), places));
    }
    const { cuts, chunks } = chunksOf(source, places.groundFor(setting), setting);
    const { semantic, structural } = curves;
    const now = { semantic, structural, fused: cuts.fused, score: cuts.score, threshold: cuts.value };
    return this.segmentation(shown(chunks), now, cuts.suppressed, this.keptAt(cuts.kept, places));
  }

  /** What is kept together at gaps. @param {number[]} gaps @param {Places} places */
  keptAt(gaps, { gapGround }) {
    return new Map(gaps.map((gap) => [gap, this.kinds[gapGround.held.kept[gap] - 1]]));
  }

  /** @param {ShownChunk[]} chunks @param {Curves | null} curves @param {number[]} suppressed @param {Map<number, string>} kept @returns {Segmentation} */
  segmentation(chunks, curves, suppressed, kept) {
    const status = new Uint8Array(this.gaps);
    for (const { gap, driver } of chunks) if (gap >= 0) status[gap] = STATUS[driver];
    for (const gap of suppressed) status[gap] = MERGED;
    for (const gap of kept.keys()) status[gap] = KEPT;
    return { chunks, curves, status, kept };
  }

  /**
   * The setting that is shown after a move. Where the division of its α and its fineness was not made, the one that did
   * not move returns to its first value.
   *
   * @param {Setting} setting @param {string} moved
   * @returns {Setting}
   */
  shownSetting(setting, moved) {
    const { steps, setting: first } = this;
    if (!first || !steps.length || stepOf(steps, setting)) return setting;
    return moved === "alpha" ? { ...setting, fineness: first.fineness } : { ...setting, alpha: first.alpha };
  }

  /** @param {Chunk} chunk @returns {ShownChunk} */
  shownChunk({ start, end, reach, tokens, overlapTokens, notes, cut }) {
    const { reasons, kinds } = this;
    const parts = cut?.parts ? kinds[cut.parts - 1] : "";
    return {
      ...{ start, end, reach, tokens, overlapTokens, notes, gap: cut?.gap ?? -1, driver: cut?.driver ?? "", parts },
      // A document has thousands of chunks, and hardly one is explained in a frame.
      get why() {
        return cut ? `${whyOf(cut, reasons)}${parts ? `: parts ${parts}` : ""}` : "";
      },
    };
  }
}

/** Why a chunk begins where it does. @param {Cut} cut @param {Record<string, string>} reasons */
function whyOf({ reason, score, threshold }, reasons) {
  return reason === "distance" ? `${fixed(score, 3)} > ${fixed(threshold, 3)}` : reasons[reason];
}

/** @param {NonNullable<StrategyData["curves"]>} data @returns {SentCurves} */
function curvesFrom({ semantic, structural, raw, fused, score, threshold, features, scales, probabilities }) {
  const meaning = doubles(semantic);
  return {
    semantic: meaning,
    structural: structural && doubles(structural),
    raw: raw && realNumbers(raw),
    fused: fused ? doubles(fused) : meaning, // where they are not sent, they are computed at every setting
    score: score ? doubles(score) : meaning,
    threshold: threshold ?? NaN,
    features: tableFrom(features),
    scales: tableFrom(scales),
    probabilities: probabilities && realNumbers(probabilities),
  };
}

/** @param {SentCurves} curves @param {Places} places @returns {Source} */
function sourceFrom({ semantic, structural }, { gapGround: { tokens, held } }) {
  return { semantic, structural, tokens, held };
}

/** @param {StrategyData["steps"][number]} data @param {Places | null} places @returns {Step} */
function stepFrom({ alpha, fineness, threshold, semantic, ...packed }, places) {
  const [gaps, codes, kept, dropped] = [packed.gaps, packed.drivers, packed.kept, packed.dropped].map(wholeNumbers);
  const [scores, keptScores, droppedScores] = [packed.scores, packed.keptScores, packed.droppedScores].map(realNumbers);
  const openings = Array.from(gaps, (gap, index) => {
    const [driver, score] = [DRIVERS[codes[index]], scores[index]];
    if (driver === "hand") return { gap, reason: "hand", driver, score, threshold: NaN, parts: 0 };
    if (driver !== "limit") return { gap, reason: "distance", driver, score, threshold, parts: 0 };
    return { gap, reason: "token_limit", driver, score, threshold: NaN, parts: places?.gapGround.held.kept[gap] ?? 0 };
  });
  return { alpha, fineness, threshold, semantic, gaps, openings, kept, keptScores, dropped, droppedScores };
}

/** @param {NonNullable<StrategyData["chunks"]>} data @returns {ShownChunk[]} */
function chunksFrom({ reason, notes, ...columns }) {
  const [start, end, reach, tokens, overlapTokens, gap, driver] = [
    columns.start, columns.end, columns.reach, columns.tokens, columns.overlapTokens, columns.gap, columns.driver,
  ].map(wholeNumbers); // prettier-ignore
  return reason.map((why, index) => ({
    start: start[index],
    end: end[index],
    reach: reach[index],
    tokens: tokens[index],
    overlapTokens: overlapTokens[index],
    gap: gap[index],
    driver: DRIVERS[driver[index]] ?? "",
    why,
    notes: notes[index],
    parts: "",
  }));
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
function dividedCurves({ alpha, threshold, gaps, openings, kept, keptScores, dropped, droppedScores, semantic: packed }, { structural }) {
  const semantic = doubles(packed);
  const fused = fuse(semantic, structural, alpha).map((value) => Math.min(value, threshold));
  gaps.forEach((gap, index) => (fused[gap] = openings[index].score));
  kept.forEach((gap, index) => (fused[gap] = keptScores[index]));
  dropped.forEach((gap, index) => (fused[gap] = droppedScores[index]));
  return { semantic, structural, fused, score: fused, threshold };
}
