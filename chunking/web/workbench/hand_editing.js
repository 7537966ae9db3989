// Cuts and joins by hand: made here at once, and handed on as the whole of what is decided, so that none is lost on the way.

/** @import { Workbench } from "./workbench.js" */
/** @import { GapEdit } from "./workbench_state.js" */
import { REPEAT_MS, nextReportNumber } from "./rest.js";
import { CUT, JOIN, isByHand } from "./words.js";

/** The edits by hand of a document, and the number of the report. @typedef {{number: number, edits: GapEdit[]}} HandReport */

/** What an earlier workbench knew: the number of its last report, what it decided then, and what before each report. @typedef {{number: number, edits: GapEdit[], earlier: GapEdit[][]}} HandState */

/** What can be done with a gap: its words, what it is for, and what it does. @typedef {{words: string, title: string, act: () => void}} HandAction */

/** Keys that move a cut. @type {Record<string, 1 | -1>} */ const MOVES = { "[": -1, "]": 1 };

const MOST_STEPS = 100; // that can be taken back

export class HandEditing {
  number = 0; // of the last report
  received = 0; // number of the last report that is known to have arrived
  timer = 0; // of its repetition
  /** What was decided before each report. @type {GapEdit[][]} */ earlier = [];

  /** @param {Workbench} workbench @param {(report: HandReport) => void} onReport takes what was cut and joined */
  constructor(workbench, onReport) {
    this.workbench = workbench;
    this.onReport = onReport;
  }

  /** @returns {HandState} */
  get state() {
    return { number: this.number, edits: [...this.workbench.state.edits], earlier: this.earlier };
  }

  /** Goes on with what was decided in an earlier workbench. @param {HandState} state */
  resume({ number, edits, earlier }) {
    this.number = number;
    this.earlier = earlier;
    this.workbench.state.edit(edits);
  }

  /** Does what a key is for; returns whether it is for anything. @param {string} key @param {number} gap that is chosen */
  takes(key, gap) {
    if (key === "c") this.toggle(gap);
    else if (key === "u") this.undo();
    else if (key in MOVES) this.move(gap, MOVES[key]);
    else return false;
    return true;
  }

  /** Whether the last report is not known to have arrived. */
  get isAwaiting() {
    return this.received < this.number;
  }

  /** What was decided of a gap; empty for nothing. @param {number} gap */
  actionAt(gap) {
    return this.workbench.state.edits.get(gap) ?? "";
  }

  /** Cuts a gap that is not cut, and joins the sides of one that is. @param {number} gap */
  toggle(gap) {
    if (gap < 0) return;
    const isCut = this.workbench.picture.isCut(gap);
    if (this.actionAt(gap) === (isCut ? CUT : JOIN)) return this.release(gap);
    this.decide([[gap, isCut ? JOIN : CUT]]);
  }

  /** Leaves a gap to the strategy again. @param {number} gap */
  release(gap) {
    this.decide([[gap, ""]]);
  }

  /** Moves the boundary at a gap to the next gap or to the one before, and chooses it there. @param {number} gap @param {1 | -1} step */
  move(gap, step) {
    const { workbench } = this;
    const to = gap + step;
    if (!workbench.picture.isCut(gap) || to < 0 || to >= workbench.state.source.offsets.length) return;
    this.decide([[gap, this.actionAt(gap) === CUT ? "" : JOIN], [to, this.actionAt(to) === JOIN ? "" : CUT]]);
    workbench.choose(to, true);
  }

  /** Takes the last decision back. */
  undo() {
    const before = this.earlier.pop();
    if (before) this.set(before);
  }

  /** @param {GapEdit[]} decisions an empty action leaves a gap to the strategy */
  decide(decisions) {
    const { edits } = this.workbench.state;
    this.earlier.push([...edits]);
    if (this.earlier.length > MOST_STEPS) this.earlier.shift();
    const after = new Map(edits);
    for (const [gap, action] of decisions) {
      after.delete(gap);
      if (action) after.set(gap, action);
    }
    this.set([...after]);
  }

  /** @param {GapEdit[]} edits */
  set(edits) {
    this.number = nextReportNumber();
    this.show(edits);
    this.onReport({ number: this.number, edits });
  }

  /** Shows what somebody else knows to be decided, unless a later report is on its way: it is repeated if it does not arrive. @param {GapEdit[]} edits @param {number} received number of the last report that has arrived */
  follow(edits, received) {
    this.received = received;
    if (this.isAwaiting) {
      this.timer ||= window.setTimeout(() => this.repeat(), REPEAT_MS);
      return;
    }
    this.stop();
    if (JSON.stringify(edits.toSorted(byGap)) === JSON.stringify([...this.workbench.state.edits].sort(byGap))) return;
    this.show(edits);
  }

  repeat() {
    this.timer = 0;
    this.onReport({ number: this.number, edits: [...this.workbench.state.edits] });
  }

  /** Repeats no report any more. */
  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  /** @param {GapEdit[]} edits */
  show(edits) {
    const { workbench } = this;
    workbench.state.edit(edits);
    workbench.request();
  }

  /** What was decided of a gap that the strategy decides alike, in words; empty for nothing. @param {number} gap */
  confirmedAt(gap) {
    const action = this.actionAt(gap);
    const { picture } = this.workbench;
    if (!action || isByHand(picture, gap)) return "";
    if (action === CUT) return picture.isCut(gap) ? "Cut by hand too: a chunk begins here at every setting." : "";
    return picture.isCut(gap) ? "Joined by hand, but the maximum leaves no other place." : "Joined by hand too: no chunk begins here at any setting.";
  }

  /** What can be done with a gap. @param {number} gap @returns {HandAction[]} */
  actionsAt(gap) {
    if (gap < 0) return [];
    const isCut = this.workbench.picture.isCut(gap);
    const action = this.actionAt(gap);
    /** @type {HandAction[]} */ const actions = [];
    if (action) actions.push({ words: "Undo edit", title: "Undo edit: leave this place to the strategy again", act: () => this.release(gap) });
    if (isCut && action !== CUT) actions.push({ words: "Join", title: "Join: no chunk begins here, at any setting (c)", act: () => this.toggle(gap) });
    if (!isCut && action !== JOIN) actions.push({ words: "Cut here", title: "Cut here: a chunk begins here, at every setting (c)", act: () => this.toggle(gap) });
    if (isCut) {
      actions.push({ words: "↑", title: "Move the cut before the sentence above ([)", act: () => this.move(gap, -1) });
      actions.push({ words: "↓", title: "Move the cut behind the sentence below (])", act: () => this.move(gap, 1) });
    }
    return actions;
  }
}

/** @param {GapEdit} one @param {GapEdit} other */
const byGap = ([one], [other]) => one - other;
