// What all parts of the workbench draw: the present segmentation beside the one it is compared with.

/** @import { SourceText } from "../text/source_text.js" */
/** @import { Setting } from "../engine/cuts.js" */
/** @import { EncoderLimit } from "./encoder_limit.js" */
/** @import { Segmentation, StrategyModel } from "./segmentation.js" */
import { firstWhere } from "../engine/numbers.js";
import { MERGED, isCut } from "./segmentation.js";

/** How far a gap stands out from the average of the document: by meaning, by layout, and together. @typedef {{meaning: number, layout: number, total: number}} Excess */

/** What the change of a setting did. @typedef {{segmentation: Segmentation, cutLine: number, since: string}} Before */

/** The present state of the workbench, made anew with each setting and not changed afterwards. */
export class Picture {
  /**
   * @param {SourceText} source
   * @param {StrategyModel} model
   * @param {Setting | null} setting
   * @param {EncoderLimit | null} limit
   * @param {Averages} averages
   */
  constructor(source, model, setting, limit, averages) {
    this.source = source;
    this.model = model;
    this.setting = setting;
    this.averages = averages;
    this.segmentation = model.at(setting);
    this.chunks = this.segmentation.chunks;
    this.status = this.segmentation.status;
    this.curves = this.segmentation.curves;
    this.alpha = this.curves?.structural ? (setting?.alpha ?? 1) : 1;
    this.unreadFrom = limit ? limit.unreadFrom(this.chunks) : new Map();
    this.hasCutLine = Boolean(this.curves && setting?.rule !== "gradient" && Number.isFinite(this.curves.threshold));
    this.cutLine = this.hasCutLine && this.curves ? this.curves.threshold - this.averageAt(this.alpha) : NaN;
    this.tints = tintsOf(this.chunks);
  }

  /** @param {number} alpha */
  averageAt(alpha) {
    return alpha * this.averages.meaning + (1 - alpha) * this.averages.layout;
  }

  /** @param {number} gap @returns {Excess} */
  excessOf(gap) {
    const { curves, alpha, averages } = this;
    if (!curves) return { meaning: 0, layout: 0, total: 0 };
    const meaning = alpha * (curves.semantic[gap] - averages.meaning);
    const layout = curves.structural ? (1 - alpha) * (curves.structural[gap] - averages.layout) : 0;
    return { meaning, layout, total: meaning + layout };
  }

  /** The chunk that an offset lies in. @param {number} offset in code points */
  chunkAt(offset) {
    return Math.max(firstWhere(this.chunks.length, (index) => this.chunks[index].start > offset) - 1, 0);
  }

  /** Whether the limits add a cut or remove one. */
  get isLimited() {
    return this.chunks.some(({ driver }) => driver === "limit") || this.status.includes(MERGED);
  }

  /** @param {number} gap */
  isCut(gap) {
    return gap >= 0 && isCut(this.status[gap]);
  }

  /** The nearest cut after a gap or before it; −1 for none. @param {number} gap @param {1 | -1} step */
  nextCut(gap, step) {
    for (let at = gap + step; at >= 0 && at < this.status.length; at += step) if (isCut(this.status[at])) return at;
    return -1;
  }
}

/** Averages of the two distances, and the largest excess that a bar has room for. @typedef {{meaning: number, layout: number, top: number}} Averages */

/** @param {StrategyModel} model @returns {Averages} */
export function averagesOf({ curves, setting }) {
  if (!curves) return { meaning: 0, layout: 0, top: 1 };
  const { semantic, structural } = curves;
  const [meaning, layout] = [averageOf(semantic), structural ? averageOf(structural) : 0];
  const alpha = structural ? (setting?.alpha ?? 1) : 1;
  let top = 1e-9;
  for (let gap = 0; gap < semantic.length; gap++) {
    const total = alpha * (semantic[gap] - meaning) + (structural ? (1 - alpha) * (structural[gap] - layout) : 0);
    top = Math.max(top, total);
  }
  return { meaning, layout, top: 1.04 * top };
}

/** @param {Float64Array} values */
function averageOf(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length ? sum / values.length : 0;
}

const TINTS = 3;

/**
 * The tint of each chunk. It belongs to the place where the chunk begins, so that a new cut does not recolour what follows;
 * only a chunk that would look like the one before it has the next one.
 *
 * @param {readonly {start: number}[]} chunks
 */
export function tintsOf(chunks) {
  const tints = new Uint8Array(chunks.length);
  chunks.forEach(({ start }, index) => {
    const tint = index ? Math.imul(start + 1, 0x9e3779b1) >>> 0 : 0;
    tints[index] = tint % TINTS;
    if (index && tints[index] === tints[index - 1]) tints[index] = (tints[index] + 1) % TINTS;
  });
  return tints;
}

/** @type {WeakMap<Segmentation, Set<number>>} */
const startsOfSegmentations = new WeakMap();

/** Where the chunks start, made once for each segmentation. @param {Segmentation} segmentation */
function startsOf(segmentation) {
  let starts = startsOfSegmentations.get(segmentation);
  if (!starts) startsOfSegmentations.set(segmentation, (starts = new Set(segmentation.chunks.map(({ start }) => start))));
  return starts;
}

/** How many gaps are cut that were not, and the other way round. @param {Picture} now @param {Segmentation} before */
export function changesBetween(now, before) {
  const earlier = startsOf(before);
  const added = now.chunks.reduce((count, { start }) => count + Number(!earlier.has(start)), 0);
  return { added, removed: earlier.size - (now.chunks.length - added) };
}
