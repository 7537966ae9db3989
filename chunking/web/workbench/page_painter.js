// The page of the text: what is painted behind it, in its margin and over what the encoder does not read.

/** @import { PageGeometry } from "../pages/page_geometry.js" */
/** @import { Geometry, Position } from "./geometry.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Picture } from "./picture.js" */
import { element } from "../base/dom.js";
import { clip } from "../base/text.js";
import { number } from "../engine/numbers.js";
import { Hatches, cleared, fillPolygon, strokeLine } from "./canvas.js";
import { edgeOf, steps } from "./geometry.js";
import { BY_BOTH, BY_HAND, BY_LAYOUT, BY_LIMIT, BY_MEANING, isCut, isLeftOut } from "./segmentation.js";
import { GLYPHS, wordAt } from "./words.js";

const AHEAD = 500; // pixels painted beyond the view, which scrolling then shows at once
const AHEAD_WHILE_DRAGGING = 80;
const LONGEST_REASON = 48; // characters
const LONGEST_BLANK = 400; // characters after a chunk in which text that is in none is looked for

/**
 * The columns of the page, in pixels.
 *
 * @typedef {object} Columns
 * @property {number} rem
 * @property {number} width of the page
 * @property {number} left of the text's background
 * @property {number} right of it
 * @property {number} base of the bars
 * @property {number} barWidth
 * @property {boolean} isPhone
 */

/**
 * What is marked beside the segmentation. `before` is another one, and `words` tell of a cut that only this one has, and of
 * one that only the other has.
 *
 * @typedef {{selected: number, hovered: number, before: OtherCuts | null, words: [string, string], people: Int32Array}} Marks
 */

/** Another segmentation: what it cuts, and its cut line where it has one. @typedef {Pick<Picture, "isCut" | "hasCutLine" | "cutLine">} OtherCuts */

/** Paints the part of a page that is in view. */
export class PagePainter {
  /**
   * @param {HTMLElement} pane that scrolls
   * @param {HTMLElement} page inside it
   * @param {HTMLElement} gutter of the page
   * @param {HTMLElement} counted which says how many chunks are painted
   */
  constructor(pane, page, gutter, counted = pane) {
    this.pane = pane;
    this.counted = counted;
    this.gutter = gutter;
    this.back = element("canvas", "wb-back");
    this.veil = element("canvas", "wb-veil");
    for (const canvas of [this.back, this.veil]) canvas.setAttribute("aria-hidden", "true");
    page.prepend(this.back);
    page.append(this.veil);
    this.hatches = new Hatches();
    /** What is painted now, in pixels of the page. @type {[number, number] | null} */ this.covered = null;
    this.labels = "";
  }

  /** Whether the view has come near the edge of what is painted. */
  needsPaint() {
    if (!this.covered) return true;
    const { scrollTop, clientHeight, scrollHeight } = this.pane;
    const margin = Math.min(120, AHEAD / 4);
    const [from, to] = this.covered;
    return scrollTop - margin < from && from > 0 ? true : scrollTop + clientHeight + margin > to && to < scrollHeight;
  }

  /**
   * @param {Picture} picture
   * @param {Geometry | PageGeometry} geometry
   * @param {Columns} columns
   * @param {Palette} palette
   * @param {Marks} marks
   * @param {{bars: boolean, words: boolean}} margin whether the gaps have bars beside the text, and the chunks the words of their reasons
   * @returns {CanvasRenderingContext2D} of the canvas, in pixels of the page
   */
  paint(picture, geometry, columns, palette, marks, margin) {
    const ahead = marks.before ? AHEAD_WHILE_DRAGGING : AHEAD;
    const from = Math.max(0, Math.floor(this.pane.scrollTop - ahead));
    const to = Math.ceil(this.pane.scrollTop + this.pane.clientHeight + ahead);
    this.covered = [from, to];
    const pass = new Pass(this, picture, geometry, columns, palette, marks, from, to);
    pass.hasBars = picture.curves !== null && margin.bars;
    pass.hasWords = margin.words;
    pass.paint();
    this.counted.dataset.chunks = String(picture.chunks.length);
    return pass.context;
  }

  /** Puts a canvas over a part of the page. @param {HTMLCanvasElement} canvas @param {number} width @param {number} from @param {number} to */
  place(canvas, width, from, to) {
    canvas.style.top = `${from}px`;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${to - from}px`;
    const context = cleared(canvas, width, to - from);
    context.translate(0, -from);
    return context;
  }
}

/** A chunk on the page: where it begins and where it ends. @typedef {{index: number, start: Position, end: Position}} Shape */

/** One pass over what is in view. */
class Pass {
  /**
   * @param {PagePainter} painter
   * @param {Picture} picture
   * @param {Geometry | PageGeometry} geometry
   * @param {Columns} columns
   * @param {Palette} palette
   * @param {Marks} marks
   * @param {number} from @param {number} to
   */
  constructor(painter, picture, geometry, columns, palette, marks, from, to) {
    this.painter = painter;
    this.picture = picture;
    this.geometry = geometry;
    this.columns = columns;
    this.palette = palette;
    this.paper = geometry.palette ?? palette; // of what is on the text
    this.marks = marks;
    this.from = from;
    this.to = to;
    this.hasBars = true;
    this.hasWords = false;
    this.context = painter.place(painter.back, columns.width, from, to);
  }

  paint() {
    const shapes = this.shapesInView();
    this.paintTints(shapes);
    this.paintOverlaps(shapes);
    this.paintLabels(shapes);
    if (this.hasBars) this.paintAxis();
    this.paintGaps(shapes);
    this.paintVeil(shapes);
  }

  /** @returns {Shape[]} */
  shapesInView() {
    const { picture, geometry, from, to } = this;
    const { source, chunks } = picture;
    const [first, last] = geometry.offsetsBetween(from - 200, to + 40).map((offset) => source.point(Math.floor(offset)));
    /** @type {Shape[]} */ const shapes = [];
    for (let index = picture.chunkAt(first); index < chunks.length && chunks[index].start <= last; index++) {
      shapes.push({ index, start: this.startOf(index), end: this.endOf(index) });
    }
    return shapes;
  }

  /** Where a chunk starts; after the last one, where the text ends. @param {number} index @returns {Position} */
  startOf(index) {
    const { geometry, picture } = this;
    if (index >= picture.chunks.length) return geometry.closing;
    if (!index) return geometry.opening;
    const { gap, start } = picture.chunks[index];
    return geometry.position(gap, picture.source.unit(start));
  }

  /** Where a chunk ends: at the next one, unless text between them is in neither. @param {number} index @returns {Position} */
  endOf(index) {
    const { geometry, picture } = this;
    const { chunks, source } = picture;
    const { end } = chunks[index];
    const next = chunks[index + 1]?.start ?? source.length;
    const isLost = end < next && source.slice(end, Math.min(end + LONGEST_BLANK, next)).trim() !== "";
    return isLost ? geometry.position(source.gapAt(end), source.unit(end)) : this.startOf(index + 1);
  }

  /** @param {Shape[]} shapes */
  paintTints(shapes) {
    const { context, paper, picture, columns, geometry } = this;
    const rail = columns.isPhone ? 4 : 5;
    for (const { index, start, end } of shapes) {
      const [fill, rails] = paper.tints[picture.tints[index]];
      context.fillStyle = fill;
      this.fill(start, end);
      context.fillStyle = rails;
      for (const [x, top, bottom] of geometry.edges(start, end, this)) context.fillRect(x - rail, top, rail, Math.max(bottom - top, 1));
    }
  }

  /** Fills the text between two places. @param {Position} start @param {Position} end @param {CanvasRenderingContext2D} context */
  fill(start, end, context = this.context) {
    for (const area of this.geometry.areas(start, end, this)) fillPolygon(context, area);
  }

  get left() {
    return this.columns.left;
  }

  get right() {
    return this.columns.right;
  }

  /** Hatches what belongs to two chunks. @param {Shape[]} shapes */
  paintOverlaps(shapes) {
    const { context, paper, picture, geometry } = this;
    for (const { index, start } of shapes) {
      const { reach, start: own } = picture.chunks[index];
      if (reach >= own) continue;
      const gap = picture.source.gapAt(reach);
      const begin = reach ? geometry.position(gap, picture.source.unit(reach)) : geometry.opening;
      context.globalAlpha = 0.38;
      context.fillStyle = this.painter.hatches.get(context, paper.tints[picture.tints[index]][1]);
      this.fill(begin, start);
      context.globalAlpha = 1;
    }
  }

  /** Numbers and tokens of the chunks. @param {Shape[]} shapes */
  paintLabels(shapes) {
    const { picture, columns, painter, geometry } = this;
    const html = shapes.map(({ index, start, end }) => {
      const top = edgeOf(start, "left");
      const left = geometry.labelAt(start);
      const place = `top:${top.toFixed(1)}px${left === null ? "" : `;right:auto;left:${left}px`}`;
      const { tokens } = picture.chunks[index];
      const isLow = edgeOf(end, "left") - top < 2.3 * columns.rem;
      const isOver = picture.unreadFrom.has(index);
      const size = `<span class="${isOver ? "wb-over" : ""}">${isOver && !columns.isPhone ? "⚠ " : ""}${number.format(tokens)}</span>`;
      const shown = columns.isPhone && isLow ? "" : size;
      return `<div data-chunk="${index + 1}" style="${place}"><b>${number.format(index + 1)}</b>${shown}</div>`;
    }).join("");
    if (html === painter.labels) return;
    painter.gutter.innerHTML = painter.labels = html;
    if (this.hasWords) this.writeReasons(shapes);
  }

  /** Why each chunk begins, below its number where there is room. @param {Shape[]} shapes */
  writeReasons(shapes) {
    const { picture, columns, painter } = this;
    shapes.forEach(({ index, start, end }, label) => {
      const { gap, why } = picture.chunks[index];
      const words = (gap >= 0 && wordAt(picture, gap)) || clip(why, LONGEST_REASON);
      if (!words || edgeOf(end, "left") - edgeOf(start, "left") < 4.6 * columns.rem) return;
      const reason = element("i", "", words);
      reason.title = why;
      painter.gutter.children[label].append(reason);
    });
  }

  /** The zero of the bars, and the cut line. */
  paintAxis() {
    const { context, palette, picture, columns, from, to } = this;
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    strokeLine(context, columns.base - 0.5, from, columns.base - 0.5, to);
    if (!picture.hasCutLine) return;
    const x = columns.base + this.lengthOf(picture.cutLine);
    context.strokeStyle = palette.threshold;
    context.lineWidth = 1.5;
    context.setLineDash([4, 4]);
    strokeLine(context, x, from, x, to);
    context.setLineDash([]);
  }

  /** @param {number} excess */
  lengthOf(excess) {
    return Math.min(Math.max(excess / this.picture.averages.top, 0), 1.06) * this.columns.barWidth;
  }

  /** @param {Shape[]} shapes */
  paintGaps(shapes) {
    const { geometry, picture, marks, from, to } = this;
    for (const { index, start } of shapes) {
      if (index && picture.chunks[index].gap < 0) this.paintCut(start, this.colorOf(picture.chunks[index].driver), 1.75);
    }
    let labelled = -Infinity;
    for (const gap of geometry.gapsBetween(from - 30, to + 30)) {
      const position = geometry.position(gap, 0);
      const isMarked = gap === marks.selected || gap === marks.hovered;
      this.paintGap(gap, position, isMarked);
      if (this.hasBars && geometry.isAtMargin(gap)) labelled = this.paintBar(gap, position, isMarked, labelled);
    }
  }

  /** @param {number} gap @param {Position} position @param {boolean} isMarked */
  paintGap(gap, position, isMarked) {
    const { context, paper, picture, marks } = this;
    const status = picture.status[gap];
    const wasCut = marks.before?.isCut(gap) ?? false;
    if (isCut(status)) {
      const isNew = marks.before !== null && !wasCut;
      this.paintCut(position, this.statusColor(status, paper), isMarked ? 3 : isNew ? 2.5 : 1.75);
      if (isNew && marks.words[0]) this.paintBadge(position, marks.words[0], paper.added);
    } else if (wasCut && marks.words[1]) {
      context.setLineDash([2, 5]);
      this.paintCut(position, paper.gone, 1.5);
      context.setLineDash([]);
      this.paintBadge(position, marks.words[1], paper.gone);
    } else if (isMarked) {
      context.globalAlpha = 0.7;
      context.setLineDash([2, 4]);
      this.paintCut(position, paper.muted, 2);
      context.setLineDash([]);
      context.globalAlpha = 1;
    }
  }

  /** A line through the text, stepped inside a paragraph. @param {Position} position @param {string} color @param {number} width */
  paintCut(position, color, width) {
    const { context, columns } = this;
    const { left, right } = position.column ?? { left: columns.left, right: columns.isPhone || !this.hasBars ? columns.right : columns.right + columns.rem / 2 };
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    steps(position, left - 5, right).forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }

  /** @param {Position} position @param {string} words @param {string} color */
  paintBadge(position, words, color) {
    const { context, columns, paper } = this;
    const { rem } = columns;
    context.font = `600 ${0.72 * rem}px ${FONT}`;
    const width = context.measureText(words).width + 0.6 * rem;
    const [x, y] = [Math.min(columns.right - 1.1 * rem, columns.width - width / 2 - 3), edgeOf(position, "right")];
    context.fillStyle = paper.surface;
    context.strokeStyle = color;
    context.lineWidth = 1.25;
    context.beginPath();
    context.roundRect(x - width / 2, y - rem / 2, width, rem, rem / 2);
    context.fill();
    context.stroke();
    context.fillStyle = color;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(words, x, y + 0.5);
    context.textBaseline = "alphabetic";
  }

  /** @param {number} gap @param {Position} position @param {boolean} isMarked @param {number} labelled height of the last word; returns that of the next */
  paintBar(gap, position, isMarked, labelled) {
    const { context, palette, picture, columns, geometry } = this;
    const { meaning, layout, total } = picture.excessOf(gap);
    const status = picture.status[gap];
    const cut = isCut(status);
    const y = position.y + geometry.shift[gap];
    const height = cut ? Math.max(5, 0.34 * columns.rem) : Math.max(3, 0.2 * columns.rem);
    const length = this.lengthOf(total);
    if (total <= 0) {
      context.fillStyle = palette.line;
      context.fillRect(columns.base - 2, y - 1, 4, 2);
    } else {
      const blue = length * shareOfMeaning(meaning, layout);
      context.globalAlpha = cut || isMarked ? 1 : 0.42;
      context.fillStyle = palette.meaning;
      context.fillRect(columns.base, y - height / 2, blue, height);
      context.fillStyle = palette.layout;
      context.fillRect(columns.base + blue, y - height / 2, length - blue, height);
      context.globalAlpha = 1;
    }
    if (isMarked) {
      context.strokeStyle = palette.text;
      context.lineWidth = 1.5;
      context.strokeRect(columns.base - 2, y - height / 2 - 2, Math.max(length, 6) + 4, height + 4);
    }
    if (columns.isPhone || !(cut || isLeftOut(status)) || y - labelled < 0.95 * columns.rem) return labelled;
    this.paintWord(gap, columns.base + length + columns.rem / 2, y, isMarked);
    return y;
  }

  /** @param {number} gap @param {number} x @param {number} y @param {boolean} isMarked */
  paintWord(gap, x, y, isMarked) {
    const { context, picture, columns, palette } = this;
    const status = picture.status[gap];
    const words = wordAt(picture, gap);
    const room = columns.width - x - 4;
    context.font = `${isMarked ? "600 " : ""}${0.8125 * columns.rem}px ${FONT}`;
    context.textAlign = "left";
    context.fillStyle = isLeftOut(status) ? palette.muted : status === BY_LAYOUT ? palette.layoutWord : this.statusColor(status);
    const fits = context.measureText(words).width <= room;
    context.fillText(fits ? words : words.split(" + ")[0], x, y + 0.28 * columns.rem);
  }

  /** Veils what the encoder does not read. @param {Shape[]} shapes */
  paintVeil(shapes) {
    const { painter, picture, columns, palette, paper, geometry } = this;
    const unread = shapes.filter(({ index }) => picture.unreadFrom.has(index));
    painter.veil.hidden = !unread.length;
    if (!unread.length) return;
    const context = painter.place(painter.veil, columns.width, this.from, this.to);
    const rail = columns.isPhone ? 4 : 5;
    for (const { index, end } of unread) {
      const from = picture.unreadFrom.get(index) ?? 0;
      const begin = geometry.position(picture.source.gapAt(from), picture.source.unit(from));
      context.globalAlpha = paper.isDark ? 0.5 : 0.6;
      context.fillStyle = paper.surface;
      this.fill(begin, end, context);
      context.globalAlpha = 1;
      for (const color of [paper.text, painter.hatches.get(context, paper.surface, 6, 1.6)]) {
        context.fillStyle = color;
        for (const [x, top, bottom] of geometry.edges(begin, end, this)) context.fillRect(x - rail, top - 1, rail, bottom - top + 2);
      }
      const y = edgeOf(begin, "left") + 1.05 * columns.rem;
      if (columns.isPhone || y > edgeOf(end, "left")) continue; // where the number of the next chunk stands
      context.fillStyle = palette.warning;
      context.font = `600 ${0.75 * columns.rem}px ${FONT}`;
      context.textAlign = "right";
      context.fillText("not read ↓", columns.left - 0.85 * columns.rem, y);
    }
  }

  /** @param {number} status @param {Palette} palette */
  statusColor(status, palette = this.palette) {
    return { [BY_MEANING]: palette.meaning, [BY_LAYOUT]: palette.layout, [BY_BOTH]: palette.both, [BY_LIMIT]: palette.limit, [BY_HAND]: palette.hand }[status] ?? palette.muted;
  }

  /** @param {string} driver */
  colorOf(driver) {
    return driver in GLYPHS ? this.paper[/** @type {"both"} */ (driver === "semantic" ? "meaning" : driver === "structural" ? "layout" : driver)] : this.paper.muted;
  }
}

export const FONT = '"Source Sans", "Source Sans 3", system-ui, sans-serif';

/** How much of a bar is blue. @param {number} meaning @param {number} layout */
export function shareOfMeaning(meaning, layout) {
  const [one, other] = [Math.max(meaning, 0), Math.max(layout, 0)];
  return one + other ? one / (one + other) : 0.5;
}
