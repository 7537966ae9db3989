// The map of settings as a part of the app: it opens what Python sends, and reports what is at rest.

/** @import { Tuned as Report, TunerHead } from "../messages.js" */
/** @import { StrategyData } from "../../../../chunking/web/workbench/segmentation.js" */
/** @import { WorkbenchData } from "../../../../chunking/web/workbench/workbench_state.js" */
/** @import { ChoiceData, Tuned } from "../../../../chunking/web/tuning/tuner.js" */
import { Tuner } from "../../../../chunking/web/tuning/tuner.js";
import { mounted } from "../base/dom.js";
import { WindowPart } from "../workbench/window_part.js";
import { dataOf } from "../workbench/kept_data.js";

/** What a map is made of. @typedef {{document: Omit<WorkbenchData, "lanes">, lane: StrategyData, choice: ChoiceData | null}} TunerData */

/** @extends {WindowPart<Tuner, TunerHead, TunerData>} */
class TunerPart extends WindowPart {
  /** @returns {Tuned} */
  get tuned() {
    const { setting, selected, judge, target } = this.head;
    return { setting, gap: selected ?? -1, judge: judge === "people" ? "people" : "size", target };
  }

  /** @param {TunerHead} head @returns {TunerData | null} */
  dataFor(head) {
    const [document, lane] = [dataOf(head.source), dataOf(head.lane)];
    const choice = head.choice ? dataOf(head.choice) : null;
    return document && lane && (choice || !head.choice) ? { document, lane, choice } : null;
  }

  /** @param {TunerHead} head */
  namesIn({ source, lane }) {
    return `${source}\n${lane}`;
  }

  /** @param {TunerData} data */
  build({ document, lane }) {
    return new Tuner(this.root, { ...document, lanes: [lane] }, this.tuned, {
      onRest: (tuned, isOpened) => this.report(tuned, isOpened),
      onRelease: () => this.open(),
    });
  }

  /** @param {TunerData} data */
  show({ choice }) {
    if (this.revision === this.head.revision) return;
    this.revision = this.head.revision;
    this.view?.follow(this.tuned, choice);
  }

  /** @param {Tuned} tuned @param {boolean} isOpened */
  report({ setting, gap, judge, target }, isOpened) {
    /** @type {Report} */ const report = { document: this.head.document, setting, gap: gap < 0 ? null : gap, judge, target, is_opened: isOpened };
    this.send("tuned", report);
  }
}

export default mounted(TunerPart);
