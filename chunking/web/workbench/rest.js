// What the hand has moved, reported once nothing has moved for a while.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { View } from "./zoom.js" */

const REST_MS = 300; // without a move, after which a setting is reported
export const REPEAT_MS = 2000; // after which a report that has not arrived is repeated

/** A lane whose sliders were moved: its setting, and the names of what was moved. @typedef {{lane: number, setting: Setting, moved: string[]}} Change */

/**
 * What is chosen: the lane and the gap (−1 for none), the lanes side by side, and the part of the document that the lanes
 * show, if not all of it; the pages in view, if pages are shown, none before it is known where the text is on them.
 *
 * @typedef {{lane: number, gap: number, columns: number[], view: View | null, pages: number[] | null}} Choice
 */

/** What is at rest: the number of the report, the lanes that were moved since the last one that is known to have arrived, what is chosen, and whether the lane is to be seen by itself elsewhere. @typedef {Choice & {number: number, changes: Change[], isOpened: boolean}} RestState */

/** Whose rest it is. @typedef {{choice: Choice, settings: (Setting | null)[], isDragging: boolean, report: (state: RestState) => void}} Owner */

let lastNumber = 0; // number of the last report of this page

/** A number for a report, above that of every earlier one, whichever workbench made it. */
export function nextReportNumber() {
  lastNumber = Math.max(lastNumber + 1, Date.now());
  return lastNumber;
}

export class Rest {
  /** What was moved of each lane since the last report. @type {Map<number, Partial<Setting>>} */ moved = new Map();
  /** What was reported since the last report that is known to have arrived: another may take its place on the way. @type {Map<number, Partial<Setting>>} */ unconfirmed = new Map();
  number = 0; // of the last report
  received = 0; // number of the last report that is known to have arrived
  told = ""; // what was reported or followed last
  /** The page that was. @type {number | null} */ toldPage = null;
  timer = 0;

  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
  }

  /** Whether a report is due. */
  get isPending() {
    return this.timer !== 0;
  }

  /** Whether the last report is not known to have arrived. */
  get isAwaiting() {
    return this.received < this.number;
  }

  /** @param {number} lane @param {Partial<Setting>} changes */
  note(lane, changes) {
    this.moved.set(lane, { ...this.moved.get(lane), ...changes });
  }

  /** Forgets what was reported, if the last report has arrived; else it is repeated, unless it arrives yet: a run of the whole page may have taken its place. @param {number} number of the last one that has */
  confirm(number) {
    this.received = number;
    if (!this.isAwaiting) {
      this.unconfirmed.clear();
      if (this.isRepeated) this.stop();
    } else if (!this.isPending) this.wait(REPEAT_MS, true);
  }

  /** What was moved of a lane, as far as nobody else may know of it. @param {number} lane @returns {Partial<Setting>} */
  ownOf(lane) {
    return { ...this.unconfirmed.get(lane), ...this.moved.get(lane) };
  }

  /** Takes what is shown for what everybody knows. */
  settle() {
    const { choice } = this.owner;
    this.told = JSON.stringify(choice);
    this.toldPage = choice.pages?.[0] ?? null;
  }

  /** Reports what is shown once nothing has moved for a while. */
  later() {
    this.wait(REST_MS, false);
  }

  /** @param {number} milliseconds @param {boolean} isRepeated whether it is reported though nothing has changed */
  wait(milliseconds, isRepeated) {
    clearTimeout(this.timer);
    this.isRepeated = isRepeated;
    this.timer = window.setTimeout(() => (this.owner.isDragging ? this.wait(REST_MS, isRepeated) : this.now()), milliseconds);
  }

  /** Reports what is shown where that is due and something has changed; returns whether it has. */
  now() {
    const isNews = this.isPending && (this.isRepeated || this.moved.size > 0 || JSON.stringify(this.owner.choice) !== this.told);
    if (isNews) this.report(false);
    else this.stop();
    return isNews;
  }

  /** Reports what is shown. @param {boolean} isOpened whether the lane is to be seen by itself elsewhere */
  report(isOpened) {
    this.stop();
    for (const lane of this.moved.keys()) this.unconfirmed.set(lane, this.ownOf(lane));
    this.moved.clear();
    /** @type {Change[]} */ const changes = [];
    for (const [lane, moved] of this.unconfirmed) {
      const setting = this.owner.settings[lane];
      if (setting) changes.push({ lane, setting, moved: Object.keys(moved) });
    }
    this.number = nextReportNumber();
    this.settle();
    this.owner.report({ number: this.number, changes, isOpened, ...this.owner.choice });
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.isRepeated = false;
  }
}
