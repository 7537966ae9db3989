// What several strategies cut of one document: how far each agrees with people, and where they differ.

/** @import { Segmentation } from "./segmentation.js" */
/** @import { SourceText } from "../text/source_text.js" */
import { tintsOf } from "./picture.js";

/** A strategy of a comparison; `gaps` are those that it cuts, a cut inside a sentence at the nearest one. @typedef {{segmentation: Segmentation, tints: Uint8Array, gaps: Set<number>}} Lane */

export class Comparison {
  /**
   * @param {SourceText} source
   * @param {Iterable<number>} people the gaps that people cut
   * @param {boolean} isComplete whether people have judged the whole document, so that every other cut is wrong
   */
  constructor(source, people, isComplete) {
    this.source = source;
    /** @type {Set<number>} */ this.people = new Set(people);
    this.isScored = isComplete && this.people.size > 0;
    /** @type {Lane[]} */ this.lanes = [];
    /** How many lanes cut each gap. @type {Uint8Array} */ this.votes = new Uint8Array(source.offsets.length);
  }

  /** Replaces what all lanes cut. @param {Segmentation[]} segmentations */
  open(segmentations) {
    this.lanes = segmentations.map((segmentation) => this.laneOf(segmentation));
    this.votes.fill(0);
    for (const { gaps } of this.lanes) for (const gap of gaps) this.votes[gap]++;
  }

  /** Replaces what one lane cuts. @param {number} lane @param {Segmentation} segmentation */
  update(lane, segmentation) {
    for (const gap of this.lanes[lane].gaps) this.votes[gap]--;
    this.lanes[lane] = this.laneOf(segmentation);
    for (const gap of this.lanes[lane].gaps) this.votes[gap]++;
  }

  /** @param {Segmentation} segmentation @returns {Lane} */
  laneOf(segmentation) {
    const { chunks } = segmentation;
    const gaps = new Set(chunks.filter(({ start }) => start).map(({ gap, start }) => (gap >= 0 ? gap : this.source.nearestGap(start))));
    gaps.delete(-1);
    return { segmentation, tints: tintsOf(chunks), gaps };
  }

  /** Whether people cut where a chunk starts. @param {{gap: number, start: number}} chunk */
  agrees({ gap, start }) {
    return start > 0 && this.people.has(gap >= 0 ? gap : this.source.nearestGap(start));
  }

  /** Agreement with people: F1, the harmonic mean of precision and recall; null without a complete reference. @param {number} lane */
  score(lane) {
    if (!this.isScored) return null;
    const { gaps } = this.lanes[lane];
    return (2 * this.shared(gaps)) / (gaps.size + this.people.size);
  }

  /** @param {Set<number>} gaps */
  shared(gaps) {
    let count = 0;
    for (const gap of gaps) count += Number(this.people.has(gap));
    return count;
  }

  /** The lanes that agree most with people, and how far; null without a complete reference. */
  get best() {
    if (!this.isScored) return null;
    const scores = this.lanes.map((_, lane) => this.score(lane) ?? 0);
    const score = Math.max(...scores);
    return { score, lanes: scores.flatMap((value, lane) => (value === score ? [lane] : [])) };
  }

  /** The lanes that cut a gap. @param {number} gap */
  lanesAt(gap) {
    return this.lanes.flatMap(({ gaps }, lane) => (gaps.has(gap) ? [lane] : []));
  }

  /** Where people cut and a lane does not, and the other way round, in the order of the text. @param {number} lane */
  differences(lane) {
    const { gaps } = this.lanes[lane];
    return {
      missed: inOrder([...this.people].filter((gap) => !gaps.has(gap))),
      added: inOrder([...gaps].filter((gap) => !this.people.has(gap))),
    };
  }

  /** Where a lane alone cuts, and where all others do and it does not. @param {number} lane */
  peculiarities(lane) {
    const { gaps } = this.lanes[lane];
    const others = this.lanes.length - 1;
    const alone = inOrder([...gaps].filter((gap) => this.votes[gap] === 1));
    const without = Array.from(this.votes.keys()).filter((gap) => this.votes[gap] === others && !gaps.has(gap));
    return { alone, without };
  }

  /** The gaps that some of these lanes cut and others do not. @param {number[]} lanes */
  disputed(lanes) {
    const all = new Set(lanes.flatMap((lane) => [...this.lanes[lane].gaps]));
    return inOrder([...all].filter((gap) => !lanes.every((lane) => this.lanes[lane].gaps.has(gap))));
  }
}

/** @param {number[]} numbers */
function inOrder(numbers) {
  return numbers.sort((one, other) => one - other);
}
