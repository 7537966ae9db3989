// One number for every setting of α and of the share of places that are cut: how good it is, by people or by size.

/** @import { Tokens } from "../engine/limits.js" */
import { countTokens } from "../engine/limits.js";
import { firstWhere } from "../engine/numbers.js";
import { fuse, threshold } from "../engine/thresholds.js";

export const ALPHA_STEPS = 100; // α in steps of 0.01
const SHARE_STEP = 0.5; // percent of the places
const NEAR = 1.5; // ratio to the size that is wanted within which a chunk is near it
const CLEARLY = 0.005; // by which a value is better than another
const SLICE_MS = 12; // of work until the page may draw

/** What a map is made of; `kept` is not 0 at gaps that are never cut. @typedef {{semantic: Float64Array, structural: Float64Array | null, tokens: Tokens | null, people: Set<number>, kept: Uint8Array | null}} MapSource */

/** What is good: agreement with people, or chunks near a size. @typedef {{by: "people" | "size", target: number}} Judge */

/** α and percentile. @typedef {{alpha: number, percentile: number}} Place */

export class SettingsMap {
  /** @param {MapSource} source @param {Judge} judge @param {number} highest share of the places that is cut at most, in percent */
  constructor(source, judge, highest) {
    this.source = source;
    this.judge = judge;
    this.highest = highest;
    this.shares = Array.from({ length: Math.round(highest / SHARE_STEP) }, (_, index) => (index + 1) * SHARE_STEP);
    /** Quality of each setting: a row for each α, with a value for each share. @type {Float64Array[]} */ this.rows = [];
    /** Cuts of each setting. @type {Int32Array[]} */ this.counts = [];
  }

  get isComplete() {
    return this.rows.length > ALPHA_STEPS;
  }

  /** Computes for a while; whether there is more to do. */
  work() {
    const end = performance.now() + SLICE_MS;
    while (!this.isComplete && performance.now() < end) this.addRow();
    return !this.isComplete;
  }

  /** Computes all that is left. */
  complete() {
    while (!this.isComplete) this.addRow();
    return this;
  }

  addRow() {
    const { semantic, structural, people, kept } = this.source;
    const fused = fuse(semantic, structural, this.rows.length / ALPHA_STEPS);
    const sorted = Float64Array.from(fused).sort();
    const free = kept ? fused.filter((_, gap) => !kept[gap]).sort() : sorted;
    const wanted = Float64Array.from([...people].filter((gap) => !kept?.[gap]), (gap) => fused[gap]).sort();
    const values = new Float64Array(this.shares.length);
    const counts = new Int32Array(this.shares.length);
    this.shares.forEach((share, index) => {
      const line = threshold("percentile", 100 - share, sorted);
      counts[index] = countAbove(free, line);
      const isSame = index > 0 && counts[index] === counts[index - 1];
      values[index] = isSame ? values[index - 1] : this.judge.by === "people" ? agreement(countAbove(wanted, line), counts[index], people.size) : this.nearShare(fused, line);
    });
    this.rows.push(values);
    this.counts.push(counts);
  }

  /** The share of the text, in tokens, that lies in chunks near the wanted size. @param {Float64Array} fused @param {number} line */
  nearShare(fused, line) {
    const { tokens, kept } = this.source;
    if (!tokens) return 0;
    const { target } = this.judge;
    let [near, all, first] = [0, 0, 0];
    for (let gap = 0; gap <= fused.length; gap++) {
      if (gap < fused.length && (!(fused[gap] > line) || kept?.[gap])) continue;
      const size = countTokens(tokens, first, gap + 1);
      if (isNear(size, target)) near += size;
      all += size;
      first = gap + 1;
    }
    return all ? near / all : 0;
  }

  /** The index of a share; −1 above the highest. @param {number} share in percent */
  indexOf(share) {
    return share > this.highest ? -1 : Math.max(Math.round(share / SHARE_STEP) - 1, 0);
  }

  /** The quality of the setting nearest to a place. @param {Place} place */
  valueAt({ alpha, percentile }) {
    return this.rows[Math.round(alpha * ALPHA_STEPS)]?.[this.indexOf(100 - percentile)] ?? NaN;
  }

  /** At an α, the cuts of the setting that is clearly better than one with so many; −1 where none is. @param {Place} place */
  betterCount({ alpha, percentile }) {
    const row = Math.round(alpha * ALPHA_STEPS);
    const values = this.rows[row] ?? new Float64Array();
    const now = this.valueAt({ alpha, percentile });
    const best = values.indexOf(Math.max(...values));
    return values[best] > now + CLEARLY ? this.counts[row][best] : -1;
  }

  /** The best value, and the middle one of the settings that have it. */
  get best() {
    let value = -1;
    /** @type {Place[]} */ let places = [];
    this.rows.forEach((row, alpha) =>
      row.forEach((quality, index) => {
        if (quality > value + 1e-9) [value, places] = [quality, []];
        if (quality > value - 1e-9) places.push({ alpha: alpha / ALPHA_STEPS, percentile: 100 - this.shares[index] });
      }),
    );
    return { value, place: middleOf(places) };
  }
}

/** Whether a chunk is near a size. @param {number} size @param {number} target */
export function isNear(size, target) {
  return size >= Math.round(target / NEAR) && size <= Math.round(target * NEAR);
}

/** The sizes that are near one. @param {number} target */
export const nearRange = (target) => [Math.round(target / NEAR), Math.round(target * NEAR)];

/** How many ascending values exceed one. @param {Float64Array} sorted @param {number} value */
function countAbove(sorted, value) {
  return sorted.length - firstWhere(sorted.length, (index) => sorted[index] > value);
}

/** F1 of cuts, of which some are those of people. @param {number} shared @param {number} cuts @param {number} people */
function agreement(shared, cuts, people) {
  return cuts + people ? (2 * shared) / (cuts + people) : 1;
}

/** The place that is nearest to the middle of some. @param {Place[]} places */
function middleOf(places) {
  const [alpha, percentile] = [medianOf(places.map((place) => place.alpha)), medianOf(places.map((place) => place.percentile))];
  const apart = (/** @type {Place} */ place) => Math.abs(place.alpha - alpha) + Math.abs(place.percentile - percentile) / 30;
  return places.reduce((nearest, place) => (apart(place) < apart(nearest) ? place : nearest), places[0] ?? { alpha: 0.5, percentile: 85 });
}

/** @param {number[]} values */
function medianOf(values) {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}
