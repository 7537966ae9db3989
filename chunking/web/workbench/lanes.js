// The lanes of a comparison: a row above the text for each strategy, and a narrow column for each beside it.

/** @import { Geometry } from "./geometry.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Columns } from "./page_painter.js" */
/** @import { Segmentation } from "./segmentation.js" */
/** @import { SourceText } from "../text/source_text.js" */
/** @import { View } from "./strip.js" */
import { button, element } from "../base/dom.js";
import { fixed, lowerBound, number, plural } from "../engine/numbers.js";
import { cleared, strokeLine } from "./canvas.js";
import { FONT } from "./page_painter.js";
import { tintsOf } from "./picture.js";

/** @typedef {{segmentation: Segmentation, tints: Uint8Array, f1: number | null}} Lane */

/** @typedef {{row: HTMLElement, name: HTMLButtonElement | null, canvas: HTMLCanvasElement, count: HTMLElement, bar: HTMLElement, score: HTMLElement}} Row */

export class Lanes {
  /**
   * @param {HTMLElement} section
   * @param {string[]} titles
   * @param {Int32Array} people offsets of reference boundaries
   * @param {(lane: number) => void} onChoose
   */
  constructor(section, titles, people, onChoose) {
    this.section = section;
    this.people = people;
    /** @type {Lane[]} */ this.lanes = [];
    this.hasPeople = people.length > 0;
    section.append(this.headRow());
    this.peopleRow = this.hasPeople ? this.addRow("▲ By people", null) : null;
    this.rows = titles.map((title, lane) => this.addRow(title, () => onChoose(lane)));
  }

  headRow() {
    const row = element("div", "wb-lane wb-lane-head");
    const words = ["Strategy", "start of the document → end", "chunks", this.hasPeople ? "agrees with people" : ""];
    row.append(...words.map((each) => element("span", "", each)));
    return row;
  }

  /** @param {string} title @param {(() => void) | null} onChoose @returns {Row} */
  addRow(title, onChoose) {
    const row = element("div", "wb-lane");
    const name = onChoose && button("wb-lane-name", title);
    if (name && onChoose) {
      name.addEventListener("click", onChoose);
      name.title = title;
    }
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    if (onChoose) canvas.addEventListener("click", onChoose);
    const count = element("span", "wb-lane-count");
    const [bar, score] = [element("i"), element("b")];
    const agreement = element("span", "wb-lane-score");
    agreement.append(bar, score);
    row.append(name ?? element("span", "wb-people", title), canvas, count, agreement);
    this.section.append(row);
    return { row, name, canvas, count, bar, score };
  }

  /** @param {Segmentation[]} segmentations @param {(number | null)[]} scores agreement with people */
  open(segmentations, scores) {
    this.lanes = segmentations.map((segmentation, lane) => ({ segmentation, tints: tintsOf(segmentation.chunks), f1: scores[lane] }));
  }

  /** Replaces what one lane cuts. @param {number} lane @param {Segmentation} segmentation */
  update(lane, segmentation) {
    const { chunks } = segmentation;
    const f1 = this.hasPeople ? boundaryF1(chunks.slice(1).map(({ start }) => start), this.people) : null;
    this.lanes[lane] = { segmentation, tints: tintsOf(chunks), f1 };
  }

  /** @param {number} chosen @param {number} length @param {View} seen @param {Palette} palette */
  draw(chosen, length, seen, palette) {
    if (this.peopleRow) this.drawPeople(this.peopleRow, length, palette);
    this.lanes.forEach((lane, index) => {
      const row = this.rows[index];
      row.row.classList.toggle("wb-on", index === chosen);
      row.name?.setAttribute("aria-pressed", String(index === chosen));
      const { chunks } = lane.segmentation;
      row.count.textContent = number.format(chunks.length);
      if (lane.f1 !== null) {
        row.bar.style.setProperty("--wb-share", `${(100 * lane.f1).toFixed(1)}%`);
        row.score.textContent = fixed(lane.f1, 2);
      }
      row.canvas.setAttribute("aria-label", plural(chunks.length, "chunk"));
      this.drawRow(row.canvas, lane, index === chosen, length, seen, palette);
    });
  }

  /** @param {Row} row @param {number} length @param {Palette} palette */
  drawPeople({ canvas, count }, length, palette) {
    const { clientWidth: width, clientHeight: height } = canvas;
    const context = cleared(canvas, width, height);
    count.textContent = number.format(this.people.length + 1);
    canvas.setAttribute("aria-label", plural(this.people.length, "reference boundary", "reference boundaries"));
    context.strokeStyle = palette.line;
    strokeLine(context, 0, height / 2, width, height / 2);
    context.fillStyle = palette.people;
    for (const offset of this.people) {
      const x = (offset / length) * width;
      context.beginPath();
      context.moveTo(x - 5, height - 3);
      context.lineTo(x + 5, height - 3);
      context.lineTo(x, 4);
      context.fill();
    }
  }

  /** @param {HTMLCanvasElement} canvas @param {Lane} lane @param {boolean} isChosen @param {number} length @param {View} seen @param {Palette} palette */
  drawRow(canvas, { segmentation, tints }, isChosen, length, seen, palette) {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width) return;
    const context = cleared(canvas, width, height);
    context.fillStyle = palette.people;
    context.globalAlpha = 0.16;
    for (const offset of this.people) context.fillRect((offset / length) * width - 3.5, 0, 7, height);
    segmentation.chunks.forEach(({ start, end }, index) => {
      const [from, to] = [(start / length) * width, (end / length) * width];
      context.fillStyle = isChosen ? palette.tints[tints[index]][1] : palette.line;
      context.globalAlpha = isChosen ? 0.55 : 1;
      context.fillRect(from + 1, 5, Math.max(to - from - 2, 1), height - 10);
      context.globalAlpha = 1;
      if (!start) return;
      const agrees = this.agrees(start);
      context.fillStyle = agrees ? palette.people : palette.text;
      context.fillRect(from - 1.25, agrees ? 1 : 4, 2.5, agrees ? height - 2 : height - 8);
    });
    context.globalAlpha = 1;
    context.fillStyle = palette.text;
    for (const share of [seen.from, seen.to]) context.fillRect(share * width - 0.5, 0, 1, height);
  }

  /** @param {number} offset */
  agrees(offset) {
    return this.people[lowerBound(this.people, offset)] === offset;
  }

  /**
   * Draws a column beside the text for each lane.
   *
   * @param {CanvasRenderingContext2D} context of the page
   * @param {SourceText} source @param {Geometry} geometry @param {Columns} columns @param {Palette} palette
   * @param {number} chosen @param {number} from @param {number} to pixels of the page
   */
  drawColumns(context, source, geometry, columns, palette, chosen, from, to) {
    const left = columns.right + 1.2 * columns.rem;
    const across = (columns.width - left - columns.rem) / this.lanes.length;
    const [first, last] = [geometry.offsetAt(from), geometry.offsetAt(to)].map((unit) => source.point(Math.floor(unit)));
    this.lanes.forEach(({ segmentation, tints }, lane) => {
      const { chunks } = segmentation;
      const x = left + lane * across;
      chunks.forEach((chunk, index) => {
        if (chunk.end < first || chunk.start > last) return;
        const top = index ? geometry.position(chunk.gap, source.unit(chunk.start)).y : geometry.first;
        const next = chunks[index + 1];
        const bottom = next ? geometry.position(next.gap, source.unit(next.start)).y : geometry.last;
        context.globalAlpha = lane === chosen ? 0.6 : 1;
        context.fillStyle = lane === chosen ? palette.tints[tints[index]][1] : palette.soft;
        context.fillRect(x + 3, top + 2, across - 6, Math.max(bottom - top - 4, 2));
        context.globalAlpha = 1;
        this.drawEnd(context, columns, palette, { x, across, top, bottom }, chunk, lane === chosen);
      });
    });
  }

  /** @param {CanvasRenderingContext2D} context @param {Columns} columns @param {Palette} palette @param {{x: number, across: number, top: number, bottom: number}} box @param {{start: number, tokens: number}} chunk @param {boolean} isChosen */
  drawEnd(context, { rem }, palette, { x, across, top, bottom }, { start, tokens }, isChosen) {
    if (start) {
      context.fillStyle = this.agrees(start) ? palette.people : palette.limit;
      context.fillRect(x + 3, top - 1.25, across - 6, 2.5);
    }
    if (bottom - top < 1.3 * rem || across < 2 * rem) return;
    context.textAlign = "center";
    context.fillStyle = isChosen ? palette.text : palette.muted;
    context.font = `${isChosen ? "600 " : ""}${0.8125 * rem}px ${FONT}`;
    context.fillText(number.format(tokens), x + across / 2, top + 1.15 * rem);
  }
}

/** Agreement of boundaries at the same offset: the harmonic mean of precision and recall. @param {number[]} starts @param {Int32Array} people */
export function boundaryF1(starts, people) {
  const shared = starts.filter((start) => people[lowerBound(people, start)] === start).length;
  const all = starts.length + people.length;
  return all ? (2 * shared) / all : 1;
}
