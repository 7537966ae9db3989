// A passage of the text that is edited where it stands.

import { button, element } from "../base/dom.js";
import { edgeOf } from "./geometry.js";

/** @import { PageGeometry } from "../pages/page_geometry.js" */
/** @import { Geometry } from "./geometry.js" */

/** A passage with other words: offsets in the JavaScript string. @typedef {{start: number, end: number, words: string}} Passage */

const LONGEST_PARAGRAPH = 8000; // characters on either side of a place in which the edge of its paragraph is looked for
const BLANK_LINE = /\n[^\S\n]*\n/;
const LAST_BLANK_LINE = /^[\s\S]*\n[^\S\n]*\n/;

/**
 * The paragraphs that end and begin at a place, or the one around it, without the blank lines beside them.
 *
 * @param {string} text
 * @param {number} offset in the JavaScript string
 * @returns {Passage}
 */
export function passageAround(text, offset) {
  const before = text.slice(Math.max(offset - LONGEST_PARAGRAPH, 0), offset).trimEnd();
  const after = text.slice(offset, offset + LONGEST_PARAGRAPH);
  const blank = after.length - after.trimStart().length;
  const skipped = LAST_BLANK_LINE.exec(before)?.[0].length ?? 0;
  const start = Math.max(offset - LONGEST_PARAGRAPH, 0) + skipped;
  const closing = BLANK_LINE.exec(after.slice(blank));
  const end = offset + (closing ? blank + closing.index : after.trimEnd().length);
  return { start, end: Math.max(end, start), words: text.slice(start, Math.max(end, start)) };
}

/** Opens over a passage; `onApply` gets its new words, `onClose` is called when it was closed. */
export class PassageEditor {
  /**
   * @param {HTMLElement} page of the text
   * @param {Passage} passage
   * @param {{onApply: (passage: Passage) => void, onClose: () => void}} events
   */
  constructor(page, passage, events) {
    this.passage = passage;
    this.events = events;
    this.root = element("div", "wb-editor");
    this.field = element("textarea");
    this.field.setAttribute("aria-label", "Passage");
    this.field.dir = "auto";
    this.field.value = passage.words;
    this.field.spellcheck = false;
    const row = element("div", "wb-editor-row");
    const apply = button("wb-button wb-apply", "Apply");
    const cancel = button("wb-button", "Cancel");
    apply.addEventListener("click", () => this.apply());
    cancel.addEventListener("click", () => this.close());
    row.append(apply, cancel, element("span", "wb-hint", "Ctrl + Enter applies, Esc cancels. The document stays as it is: a copy is edited."));
    this.root.append(this.field, row);
    for (const name of ["click", "dblclick", "pointermove"]) this.root.addEventListener(name, (event) => event.stopPropagation());
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("input", () => this.grow());
    page.append(this.root);
  }

  /** The passage with the words of now. @returns {Passage} */
  get edited() {
    return { ...this.passage, words: this.field.value };
  }

  /** Puts it over its passage. @param {Geometry | PageGeometry} geometry @param {{left: number, width: number}} column */
  place(geometry, { left, width }) {
    const top = edgeOf(geometry.positionAt(this.passage.start), "left");
    this.root.style.top = `${Math.max(top, 0)}px`;
    this.root.style.left = `${left}px`;
    this.root.style.width = `${width}px`;
    this.least = edgeOf(geometry.positionAt(this.passage.end), "left") - top;
    this.grow();
  }

  /** Gives the field the height of its words, at least that of the passage that it covers. */
  grow() {
    const { field } = this;
    field.style.height = "0";
    field.style.height = `${Math.max(field.scrollHeight + 2, this.least ?? 0)}px`;
  }

  open() {
    this.field.focus({ preventScroll: true });
    this.root.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation();
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.apply();
    else return;
    event.preventDefault();
  }

  apply() {
    const { edited } = this;
    if (edited.words === this.passage.words) this.close();
    else this.events.onApply(edited);
  }

  close() {
    this.root.remove();
    this.events.onClose();
  }
}
