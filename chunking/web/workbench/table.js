// The tables behind the picture: every chunk and every gap, in words and numbers.

/** @import { Picture } from "./picture.js" */
import { button, element } from "../base/dom.js";
import { clip, visible } from "../base/text.js";
import { fixed, number } from "../engine/numbers.js";
import { verdictAt } from "./words.js";

const MOST_ROWS = 5000; // of a table
const BEGINNING = 60; // characters of a sentence

/** A dialog with the tables; they are made when it is opened. */
export class TableDialog {
  /** @param {HTMLElement} root @param {() => Picture} present */
  constructor(root, present) {
    this.dialog = element("dialog", "wb-dialog");
    this.dialog.setAttribute("aria-label", "Chunks and gaps as tables");
    const close = button("wb-button", "Close");
    close.addEventListener("click", () => this.dialog.close());
    this.content = element("div", "wb-tables");
    this.content.tabIndex = 0;
    this.dialog.append(close, this.content);
    this.present = present;
    root.append(this.dialog);
  }

  open() {
    const picture = this.present();
    this.content.replaceChildren(chunkTable(picture), ...(picture.curves ? [gapTable(picture)] : []));
    this.dialog.showModal();
  }
}

/** @param {string} caption @param {string[]} heads @param {Iterable<string[]>} rows */
function tableOf(caption, heads, rows) {
  const table = element("table");
  table.createCaption().textContent = caption;
  const head = table.createTHead().insertRow();
  for (const words of heads) {
    const cell = element("th", "", words);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const cells of rows) body.insertRow().append(...cells.map((words) => element("td", "", words)));
  return table;
}

/** @param {Picture} picture */
function chunkTable({ chunks, source, unreadFrom }) {
  const rows = chunks.slice(0, MOST_ROWS).map(({ start, end, tokens, overlapTokens, why, notes }, index) => [
    number.format(index + 1),
    number.format(start),
    number.format(tokens),
    overlapTokens ? number.format(overlapTokens) : "",
    visible(why),
    [...notes, ...(unreadFrom.has(index) ? ["longer than the encoder reads"] : [])].join("; "),
    clip(source.slice(start, Math.min(end, start + 4 * BEGINNING)), BEGINNING),
  ]);
  return tableOf(countIn("Chunks", chunks.length), ["Chunk", "Start", "Tokens", "Overlap", "Reason", "Notes", "Begins with"], rows);
}

/** @param {Picture} picture */
function gapTable(picture) {
  const { curves, source, status } = picture;
  if (!curves) throw new Error("There are no curves.");
  const gaps = Array.from({ length: Math.min(status.length, MOST_ROWS) }, (_, gap) => gap);
  const rows = gaps.map((gap) => [
    number.format(gap + 1),
    fixed(curves.semantic[gap], 3),
    curves.structural ? fixed(curves.structural[gap], 3) : "",
    fixed(curves.score[gap], 3),
    verdictAt(picture, gap),
    clip(source.sentence(gap + 1), BEGINNING),
  ]);
  return tableOf(countIn("Gaps", status.length), ["Gap", "Meaning", "Layout", "Distance", "Decision", "Sentence after it"], rows);
}

/** @param {string} title @param {number} count */
function countIn(title, count) {
  return count > MOST_ROWS ? `${title}: the first ${number.format(MOST_ROWS)} of ${number.format(count)}` : title;
}
