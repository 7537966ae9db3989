// What a setting cuts: curve, threshold, boundaries with what moved them, and what the minimum merges.

/** @import { Held, Sizes, Tokens } from "./limits.js" */
import { FREE, keptOf, limited } from "./limits.js";
import { fuse, gradient, mean, threshold } from "./thresholds.js";

const CLEAR_SHARE = 2 / 3; // of the excess over the average, from which one signal alone is the driver

/** Of curves before α. @type {Record<string, WeakMap<Float64Array, [Float64Array, number]>>} */
const scores = { gradient: new WeakMap(), other: new WeakMap() };

/**
 * The curves of a document, before α.
 *
 * @typedef {object} Source
 * @property {Float64Array} semantic
 * @property {Float64Array | null} structural
 * @property {Tokens} tokens
 * @property {Held} held
 */

/** @typedef {Sizes & {rule: string, alpha: number, amount: number, count: number, fineness: number}} Setting */

/**
 * @typedef {object} Cuts
 * @property {Float64Array} fused
 * @property {Float64Array} score
 * @property {number} value of the threshold
 * @property {number[]} exceeding gaps above the threshold, before the size limits
 * @property {number[]} boundaries
 * @property {string[]} drivers of the boundaries
 * @property {(gap: number) => string} drive which signal lifts a gap above the average
 * @property {number[]} own gaps above the threshold, or cut by hand, that part nothing which is kept together
 * @property {number[]} suppressed gaps above the threshold that were merged away
 * @property {number[]} kept gaps above the threshold that were left out to keep something together
 */

/** @param {Source} source @param {Setting} setting @returns {Cuts} */
export function cutsOf(source, setting) {
  const fused = fuse(source.semantic, source.structural, setting.alpha);
  const score = setting.rule === "gradient" ? gradient(fused) : fused;
  const value = threshold(setting.rule, setting.amount, score);
  /** @type {number[]} */ const above = [];
  for (let gap = 0; gap < score.length; gap++) if (score[gap] > value) above.push(gap);
  const { held, tokens } = source;
  const chosen = held.forced.includes(1) ? withForced(above, held.forced) : above;
  const own = chosen.every((gap) => isOwn(gap, setting, held)) ? chosen : chosen.filter((gap) => isOwn(gap, setting, held));
  const isLimited = setting.minimum || setting.softMinimum || setting.maximum;
  const boundaries = isLimited ? limited(own, fused, tokens, setting, held) : own;
  const drive = driverOf(source, setting);
  return {
    fused,
    score,
    value,
    exceeding: above,
    boundaries,
    drivers: boundaries.map((gap) => (score[gap] > value && isOwn(gap, setting, held) ? drive(gap) : held.forced[gap] ? "hand" : "limit")),
    drive,
    own,
    ...leftOut(above, boundaries, setting, held),
  };
}

/** Ascending gaps, with those that were cut by hand. @param {number[]} gaps @param {Uint8Array} forced */
function withForced(gaps, forced) {
  const all = new Set(gaps);
  forced.forEach((isForced, gap) => isForced && all.add(gap));
  return [...all].sort((one, other) => one - other);
}

/** Whether a gap parts nothing that a setting keeps together. @param {number} gap @param {Sizes} setting @param {Held} held */
export function isOwn(gap, { keepTogether }, held) {
  return keptOf(held, keepTogether)[gap] === FREE;
}

/**
 * The gaps above the threshold that are not cut: those that were merged away, and those where something is kept together.
 *
 * @param {number[]} exceeding @param {number[]} boundaries @param {Sizes} setting @param {Held} held
 */
export function leftOut(exceeding, boundaries, setting, held) {
  if (exceeding === boundaries) return { suppressed: [], kept: [] };
  const cut = new Set(boundaries);
  const others = exceeding.filter((gap) => !cut.has(gap));
  return {
    suppressed: others.filter((gap) => isOwn(gap, setting, held)),
    kept: others.filter((gap) => !isOwn(gap, setting, held)),
  };
}

/**
 * Which signal lifts a gap above the average of the document.
 *
 * @param {Source} source @param {Setting} setting
 * @returns {(gap: number) => string}
 */
function driverOf({ semantic, structural }, { rule, alpha }) {
  if (!structural) return () => "semantic";
  const [one, ofOne] = scored(semantic, rule);
  const [other, ofOther] = scored(structural, rule);
  return (gap) => {
    const lift = Math.max(alpha * (one[gap] - ofOne), 0);
    const total = lift + Math.max((1 - alpha) * (other[gap] - ofOther), 0);
    const share = total > 0 ? lift / total : 0.5;
    return share >= CLEAR_SHARE ? "semantic" : share <= 1 - CLEAR_SHARE ? "structural" : "both";
  };
}

/** What a rule compares of a curve before α, and its average; both are the same at every setting. @param {Float64Array} curve @param {string} rule @returns {[Float64Array, number]} */
function scored(curve, rule) {
  const scoresOfRule = rule === "gradient" ? scores.gradient : scores.other;
  const cached = scoresOfRule.get(curve);
  if (cached) return cached;
  const score = rule === "gradient" ? gradient(curve) : curve;
  /** @type {[Float64Array, number]} */ const made = [score, mean(score)];
  scoresOfRule.set(curve, made);
  return made;
}
