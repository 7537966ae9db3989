// How far a review has come, and its end.

/** @import { Press } from "./toolbar.js" */
import { element, termed } from "../base/dom.js";
import { number, plural } from "../../../../chunking/web/engine/numbers.js";
import { visible } from "../../../../chunking/web/base/text.js";
import { VERDICTS } from "./judged.js";

/** Terms of the glossary. @type {Record<string, string>} */
const TERM_OF_VERDICT = { accept: "boundary", reject: "non-boundary", skip: "skipped" };

/** How many candidates have each verdict, and how many have any. @typedef {{counts: Record<string, number>, judged: number, of: number}} Counted */

/** The bar at the top of the desk. */
export class ProgressBar {
  root = element("div", "cs-bar");
  track = element("div", "cs-track");
  words = element("span", "cs-counts");

  constructor() {
    this.track.setAttribute("role", "progressbar");
    this.track.setAttribute("aria-valuemin", "0");
    this.root.append(this.track, this.words);
  }

  /** @param {Counted} counted */
  show({ counts, judged, of }) {
    const shares = ["accept", "move", "reject", "skip"].map((verdict) => {
      const part = element("i");
      part.dataset.verdict = verdict;
      part.style.width = `${of ? (100 * counts[verdict]) / of : 0}%`;
      return part;
    });
    this.track.replaceChildren(...shares);
    this.track.setAttribute("aria-valuemax", String(of));
    this.track.setAttribute("aria-valuenow", String(judged));
    const progress = `${number.format(judged)} of ${number.format(of)} judged`;
    this.track.setAttribute("aria-label", progress);
    const shown = Object.entries({ ...VERDICTS, add: "added" }).filter(([verdict]) => counts[verdict]);
    const words = shown.map(([verdict, word]) => {
      return termed(element("span", "", `${number.format(counts[verdict])} ${word}`), TERM_OF_VERDICT[verdict]);
    });
    this.words.replaceChildren(termed(element("b", "", progress), "candidate"), ...words);
  }
}

/** The end of the review: the declaration that completes the document, and the next one. */
export class DonePanel {
  root = element("div", "cs-done");
  shown = "";

  /** @param {Press} press @param {() => void} complete @param {() => void} goOn */
  constructor(press, complete, goOn) {
    this.press = press;
    this.complete = complete;
    this.goOn = goOn;
    this.root.hidden = true;
  }

  /** @param {Counted} counted @param {boolean} complete whether the document was declared complete @param {string} next title of the next document; empty for none */
  show({ counts, judged, of }, complete, next) {
    const skipped = counts.skip;
    this.root.hidden = !of || judged < of;
    const shown = `${this.root.hidden} ${skipped} ${complete} ${next}`;
    if (shown === this.shown) return; // a button that has the focus stays
    this.shown = shown;
    const left = skipped ? ` ${plural(skipped, "candidate")} skipped: decide ${skipped === 1 ? "it" : "them"} to complete.` : "";
    const parts = [
      element("b", "", complete ? "✓ Review complete." : "✓ Done: all candidates are judged."),
      element(
        "span",
        "",
        complete
          ? "All gaps that you did not call a boundary count as non-boundaries."
          : `Gaps that are no candidates stay unknown, unless you have read the whole text.${left}`,
      ),
    ];
    if (!complete && !skipped) {
      const says = "Declare that there are no boundaries but those that you accepted, added or moved";
      parts.push(this.press("Mark document as complete", says, this.complete, { name: "complete" }));
    }
    if (next) {
      parts.push(this.press("Next document", `Next document: ${next}`, this.goOn, { name: "next" }));
      parts.push(element("span", "", visible(next)));
    }
    this.root.replaceChildren(...parts);
  }
}
