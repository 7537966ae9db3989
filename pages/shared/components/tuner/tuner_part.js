// The map of settings as a part of the app: it opens what Python sends, and reports what is at rest.

/** @import { TunedReport, TunerHead } from "../messages.js" */
/** @import { ChoiceData, Tuned } from "../../../../chunking/web/tuning/tuner.js" */
import { Tuner } from "../../../../chunking/web/tuning/tuner.js";
import { mounted } from "../base/dom.js";
import { WindowPart } from "../workbench/window_part.js";
import { dataOf } from "../workbench/kept_data.js";

/** @extends {WindowPart<Tuner, TunerHead>} */
class TunerPart extends WindowPart {
  /** @returns {Tuned} */
  get tuned() {
    const { setting, selected, judge, target } = this.head;
    return { setting, gap: selected ?? -1, judge: judge === "people" ? "people" : "size", target };
  }

  /** Opens the data that the head names, once they are there. */
  open() {
    const { head } = this;
    const [document, lane] = head ? [dataOf(head.source), dataOf(head.lane)] : [];
    const choice = head?.choice ? dataOf(head.choice) : null;
    if (!document || !lane || (head.choice && !choice)) return;
    this.showTheme();
    const source = `${head.source}\n${head.lane}`;
    if (this.source !== source) {
      this.begin(source);
      this.view = new Tuner(this.root, { ...document, lanes: [lane] }, this.tuned, {
        onRest: (tuned, isOpened) => this.report(tuned, isOpened),
      });
    }
    if (this.revision === head.revision) return;
    this.revision = head.revision;
    this.view?.follow(this.tuned, /** @type {ChoiceData | null} */ (choice));
  }

  /** @param {Tuned} tuned @param {boolean} isOpened */
  report({ setting, gap, judge, target }, isOpened) {
    /** @type {TunedReport} */ const report = { document: this.head.document, setting, gap: gap < 0 ? null : gap, judge, target, opened: isOpened };
    this.send("tuned", report);
  }
}

export default mounted(TunerPart);
