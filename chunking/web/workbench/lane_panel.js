// What a lane of a comparison does: its sizes, how it agrees with people, and the places where it differs.

/** @import { Comparison } from "./comparison.js" */
/** @import { Picture } from "./picture.js" */
import { button, element, setWords } from "../base/dom.js";
import { clip } from "../base/text.js";
import { number, plural } from "../engine/numbers.js";
import { sizesInWords } from "./verdict.js";

const FIRST_SHOWN = 6; // places of a list until all are asked for
const MOST_SHOWN = 200;
const SENTENCE_BEGINNING = 60; // characters of a sentence

/** @typedef {{onPlace: (gap: number) => void, onOpen: (() => void) | null}} LanePanelEvents */

export class LanePanel {
  /** @param {LanePanelEvents} events `onOpen` is null where a lane cannot be opened elsewhere */
  constructor({ onPlace, onOpen }) {
    this.root = element("div", "wb-lane-panel");
    this.title = element("h2");
    this.words = element("p");
    this.first = new PlaceList(onPlace);
    this.second = new PlaceList(onPlace);
    this.root.append(this.title, this.words);
    if (onOpen) {
      const open = button("wb-button", "Open in Inspect");
      open.title = "See why it cuts where it does";
      open.addEventListener("click", onOpen);
      this.root.append(open);
    }
    this.note = element("p", "wb-hint", "A click in the text shows which strategies cut there, and why. Keys: 1–9 choose a lane, n and p go to the next cut and the one before.");
    this.root.append(this.first.root, this.second.root, this.note);
  }

  /** @param {string} title @param {number} lane @param {Picture} picture @param {Comparison} comparison */
  show(title, lane, picture, comparison) {
    setWords(this.title, title);
    const sizes = `${plural(picture.chunks.length, "chunk")}${sizesInWords(picture.chunks.map(({ tokens }) => tokens))}`;
    const votes = (/** @type {number} */ gap) => `${comparison.votes[gap]} of ${comparison.lanes.length}`;
    if (comparison.isScored) {
      const { missed, added } = comparison.differences(lane);
      const { size } = comparison.people;
      const others = `cuts at ${number.format(added.length)} ${added.length === 1 ? "other" : "others"}`;
      setWords(this.words, `${sizes}It finds ${number.format(size - missed.length)} of the ${plural(size, "place")} where people break the text, and ${others}.`);
      this.first.show("Missed", missed, picture, votes);
      this.second.show("Cut where people do not", added, picture, votes);
      return;
    }
    setWords(this.words, sizes.trim());
    const { alone, without } = comparison.peculiarities(lane);
    const isAlone = comparison.lanes.length < 2;
    this.first.show("Cut by this one alone", isAlone ? null : alone, picture, votes);
    this.second.show("Cut by all others, not by this one", isAlone ? null : without, picture, votes);
  }
}

/** A list of places, the first few until all are asked for. */
class PlaceList {
  /** @param {(gap: number) => void} onPlace */
  constructor(onPlace) {
    this.root = element("section", "wb-places");
    this.title = element("h3");
    this.list = element("ul");
    this.more = button("wb-more");
    this.more.addEventListener("click", () => {
      this.isWhole = true;
      this.list.replaceChildren(...this.items());
      this.more.hidden = true;
    });
    this.root.append(this.title, this.list, this.more);
    this.onPlace = onPlace;
    this.isWhole = false;
    this.drawn = "";
    /** @type {number[]} */ this.gaps = [];
  }

  /**
   * @param {string} title
   * @param {number[] | null} gaps null for no list at all
   * @param {Picture} picture
   * @param {(gap: number) => string} votes how many lanes cut a gap, in words
   */
  show(title, gaps, picture, votes) {
    this.root.hidden = !gaps;
    const drawn = `${title}/${gaps?.map((gap) => `${gap} ${votes(gap)}`).join()}`;
    if (!gaps || drawn === this.drawn) return;
    this.drawn = drawn;
    this.gaps = gaps;
    this.picture = picture;
    this.votes = votes;
    setWords(this.title, `${title} (${number.format(gaps.length)})`);
    this.list.replaceChildren(...this.items());
    const rest = gaps.length - FIRST_SHOWN;
    this.more.hidden = this.isWhole || rest <= 0;
    setWords(this.more, `and ${number.format(rest)} more`);
  }

  items() {
    if (!this.gaps.length) return [element("li", "wb-hint", "None.")];
    return this.gaps.slice(0, this.isWhole ? MOST_SHOWN : FIRST_SHOWN).map((gap) => {
      const item = element("li");
      const made = button("wb-place");
      const words = element("span", "", this.picture && clip(this.picture.source.sentence(gap + 1), SENTENCE_BEGINNING));
      words.dir = "auto";
      made.append(words, element("span", "wb-place-votes", this.votes?.(gap)));
      made.addEventListener("click", () => this.onPlace(gap));
      item.append(made);
      return item;
    });
  }
}
