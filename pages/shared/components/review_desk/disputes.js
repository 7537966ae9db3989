// The list of places on which reviewers disagree.

/** @import { StoredDocument } from "../base/stored_document.js" */
/** @import { ReviewDispute } from "../messages.js" */
/** @import { Action } from "./events.js" */
/** @import { Press } from "./toolbar.js" */
import { element } from "../base/dom.js";
import { plural } from "../../../../chunking/web/engine/numbers.js";
import { clip, visible } from "../../../../chunking/web/base/text.js";
import { tail } from "./passage.js";

/** The words on either side of a place. @param {string} text @param {number} at */
function excerpt(text, at) {
  const box = element("div", "cs-excerpt");
  box.dir = "auto";
  const mark = element("i", "", "┃");
  mark.setAttribute("aria-label", "place");
  box.append(`…${tail(text.slice(Math.max(0, at - 160), at), 90)}`, mark, clip(text.slice(at, at + 160), 90));
  return box;
}

export class DisputeList {
  root = element("div", "cs-disputes");

  /** @param {Press} press @param {(action: Action, offset: number, words: string) => void} decided called with a decision */
  constructor(press, decided) {
    this.press = press;
    this.decided = decided;
  }

  /**
   * Shows disagreements: those to decide, those that are settled and, on request alone, those on places that this
   * reviewer has not judged, since the verdicts of others would sway her own.
   *
   * @param {ReviewDispute[]} disputes
   * @param {StoredDocument | undefined} stored
   */
  show(disputes, stored) {
    const open = disputes.filter(({ judged, decided }) => judged && !decided);
    /** @type {HTMLElement[]} */
    const parts = open.length ? [element("h4", "", plural(open.length, "disagreement")), this.rows(open, stored)] : [];
    const settled = disputes.filter(({ judged, decided }) => judged && decided);
    const unjudged = disputes.filter(({ judged }) => !judged);
    /** @type {[string, ReviewDispute[], string][]} */
    const folded = [
      ["settled", settled, "settled"],
      ["unjudged", unjudged, "on places that you have not judged; opening shows the verdicts of others"],
    ];
    for (const [name, rows, words] of folded) {
      if (!rows.length) continue;
      const box = element("details", `cs-${name}`);
      box.open = this.root.querySelector(`.cs-${name}`)?.hasAttribute("open") ?? false;
      box.append(element("summary", "", `${plural(rows.length, "disagreement")} ${words}`), this.rows(rows, stored));
      parts.push(box);
    }
    this.root.replaceChildren(...parts);
  }

  /** @param {ReviewDispute[]} disputes @param {StoredDocument | undefined} stored */
  rows(disputes, stored) {
    const box = element("div", "cs-rows");
    box.append(...disputes.map((dispute) => this.row(dispute, stored)));
    return box;
  }

  /** @param {ReviewDispute} dispute @param {StoredDocument | undefined} stored */
  row({ offset, choices, votes, decided }, stored) {
    const row = element("div", "cs-dispute");
    row.dataset.offset = String(offset);
    if (stored) row.append(excerpt(stored.text, stored.utf16(Int32Array.of(offset))[0]));
    for (const { reviewer, says, note } of votes) {
      const vote = element("div", "cs-vote");
      vote.append(element("b", "", visible(reviewer)), element("span", "", says));
      if (note) vote.append(element("q", "", visible(note)));
      row.append(vote);
    }
    const line = element("div", "cs-set");
    const outcome = element("span", "cs-decided", decided);
    for (const [title, action, place] of choices) {
      line.append(
        this.press(title, `${title}: decide for all reviewers`, () => {
          outcome.textContent = `decided: ${action === "accept" ? "boundary" : "no boundary"}`;
          this.decided(action, place, outcome.textContent);
        }),
      );
    }
    line.append(outcome);
    row.append(line);
    return row;
  }
}
