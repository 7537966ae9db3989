// Where a gap would change sides: the values of α, and of the threshold, at which it is cut. The size limits are left out.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { Curves } from "./segmentation.js" */
import { fuse, gradient, mean, threshold } from "../engine/thresholds.js";

/** A range of a slider in which a gap is cut. @typedef {[number, number]} Band */

const SAMPLES = 101; // values of α that are tried where the ranges cannot be solved
const HALVINGS = 20; // of a step between two of them

/**
 * The ranges of α in which a gap is above the threshold.
 *
 * @param {Curves} curves
 * @param {Setting} setting
 * @param {number} gap
 * @returns {Band[]}
 */
export function alphaBands(curves, setting, gap) {
  if (!curves.structural) return [];
  const { semantic, structural } = curves;
  const { rule, amount } = setting;
  const isLatest = latestFlips?.gap === gap && latestFlips.rule === rule && latestFlips.amount === amount && latestFlips.semantic === semantic && latestFlips.structural === structural;
  if (latestFlips && isLatest) return latestFlips.bands;
  const bands = rule === "percentile" ? solvedBands(curves, amount, gap) : sampledBands(curves, setting, gap);
  latestFlips = { semantic, structural, gap, rule, amount, bands };
  return bands;
}

/** The latest ranges: they do not depend on α. @type {{semantic: Float64Array, structural: Float64Array, gap: number, rule: string, amount: number, bands: Band[]} | null} */
let latestFlips = null;

/**
 * Under a percentile a gap is cut where enough others are below it. Every distance is a line over α, so the number below
 * changes only where two lines cross.
 *
 * @param {Curves} curves @param {number} amount @param {number} gap
 * @returns {Band[]}
 */
function solvedBands({ semantic, structural }, amount, gap) {
  const layout = /** @type {Float64Array} */ (structural);
  const needed = Math.floor(Math.min(semantic.length - 1, (amount / 100) * (semantic.length - 1)));
  const { places, changes, below: first } = crossings(semantic, layout, gap);
  /** @type {Band[]} */ const bands = [];
  let below = first;
  let begin = below > needed ? 0 : NaN;
  for (let index = 0; index < places.length; index++) {
    below += changes[index];
    if (below > needed && Number.isNaN(begin)) begin = places[index];
    else if (below <= needed && !Number.isNaN(begin)) {
      bands.push([begin, places[index]]);
      begin = NaN;
    }
  }
  if (!Number.isNaN(begin)) bands.push([begin, 1]);
  return bands;
}

/** @typedef {{places: Float64Array, changes: Int8Array, below: number}} Crossings */

/** The latest crossings: they stay the same while a slider moves. @type {{semantic: Float64Array, structural: Float64Array, gap: number, crossings: Crossings} | null} */
let latest = null;

/**
 * Where the line of a gap crosses those of the others, and how many more are below it from there on.
 *
 * @param {Float64Array} semantic @param {Float64Array} structural @param {number} gap
 * @returns {Crossings}
 */
function crossings(semantic, structural, gap) {
  if (latest?.gap === gap && latest.semantic === semantic && latest.structural === structural) return latest.crossings;
  let below = 0;
  /** @type {number[]} */ const rising = [];
  /** @type {number[]} */ const falling = [];
  for (let other = 0; other < semantic.length; other++) {
    const atZero = structural[gap] - structural[other];
    const atOne = semantic[gap] - semantic[other];
    if (atZero > 0 || (atZero === 0 && atOne > 0)) below++;
    if (atZero < 0 && atOne > 0) rising.push(atZero / (atZero - atOne));
    else if (atZero > 0 && atOne <= 0) falling.push(atZero / (atZero - atOne));
  }
  const order = [...rising.map((place) => ({ place, change: 1 })), ...falling.map((place) => ({ place, change: -1 }))];
  order.sort((one, other) => one.place - other.place || one.change - other.change);
  const made = {
    places: Float64Array.from(order, ({ place }) => place),
    changes: Int8Array.from(order, ({ change }) => change),
    below,
  };
  latest = { semantic, structural, gap, crossings: made };
  return made;
}

/** @param {Curves} curves @param {Setting} setting @param {number} gap @returns {Band[]} */
function sampledBands(curves, setting, gap) {
  const isAbove = (/** @type {number} */ alpha) => {
    const fused = fuse(curves.semantic, curves.structural, alpha);
    const score = setting.rule === "gradient" ? gradient(fused) : fused;
    return score[gap] > threshold(setting.rule, setting.amount, score);
  };
  const edge = (/** @type {number} */ low, /** @type {number} */ high, /** @type {boolean} */ lowIsAbove) => {
    for (let halving = 0; halving < HALVINGS; halving++) {
      const middle = (low + high) / 2;
      if (isAbove(middle) === lowIsAbove) low = middle;
      else high = middle;
    }
    return high;
  };
  /** @type {Band[]} */ const bands = [];
  let begin = isAbove(0) ? 0 : NaN;
  for (let sample = 1; sample < SAMPLES; sample++) {
    const [before, now] = [(sample - 1) / (SAMPLES - 1), sample / (SAMPLES - 1)];
    const isCut = isAbove(now);
    if (isCut && Number.isNaN(begin)) begin = edge(before, now, false);
    else if (!isCut && !Number.isNaN(begin)) {
      bands.push([begin, edge(before, now, true)]);
      begin = NaN;
    }
  }
  if (!Number.isNaN(begin)) bands.push([begin, 1]);
  return bands;
}

/**
 * The value of the threshold's parameter below which a gap is cut; null where none decides.
 *
 * @param {ArrayLike<number>} score @param {Setting} setting @param {number} gap
 */
export function amountFlip(score, { rule }, gap) {
  if (score.length < 2 || rule === "penalty") return null;
  if (rule === "percentile" || rule === "gradient") {
    let below = 0;
    for (let other = 0; other < score.length; other++) if (score[other] < score[gap]) below++;
    return (100 * below) / (score.length - 1);
  }
  const values = Float64Array.from(score);
  const middle = mean(values);
  const unit = threshold(rule, 1, values) - middle;
  return unit > 0 ? (values[gap] - middle) / unit : null;
}
