// The page of the text: what is painted behind it, in its margin and over what the encoder does not read.

/** @import { Geometry, Position } from "./geometry.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Picture } from "./picture.js" */
import { element } from "../base/dom.js";
import { clip } from "../base/text.js";
import { number } from "../engine/numbers.js";
import { Hatches, cleared, fillPolygon, strokeLine } from "./canvas.js";
import { BY_BOTH, BY_LAYOUT, BY_LIMIT, BY_MEANING, MERGED, isCut } from "./segmentation.js";
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
 * @typedef {{selected: number, hovered: number, before: Picture | null, words: [string, string], people: Int32Array}} Marks
 */

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
   * @param {Geometry} geometry
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
   * @param {Geometry} geometry
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
    const pointAt = (/** @type {number} */ y) => source.point(Math.floor(geometry.offsetAt(y)));
    /** @type {Shape[]} */ const shapes = [];
    for (let index = picture.chunkAt(pointAt(from - 200)); index < chunks.length; index++) {
      const start = this.startOf(index);
      if (start.y > to + 40) break;
      shapes.push({ index, start, end: this.endOf(index) });
    }
    return shapes;
  }

  /** Where a chunk starts; after the last one, where the text ends. @param {number} index @returns {Position} */
  startOf(index) {
    const { geometry, picture } = this;
    if (index >= picture.chunks.length) return endOfPage(geometry.last);
    if (!index) return endOfPage(geometry.first);
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
    const { context, palette, picture, columns } = this;
    const rail = columns.isPhone ? 4 : 5;
    for (const { index, start, end } of shapes) {
      const [fill, rails] = palette.tints[picture.tints[index]];
      context.fillStyle = fill;
      fillPolygon(context, outline(start, end, columns.left, columns.right, 1));
      context.fillStyle = rails;
      const [top, bottom] = [startsAt(start, "left"), startsAt(end, "left")];
      context.fillRect(columns.left - rail, top + 1, rail, Math.max(bottom - top - 2, 1));
    }
  }

  /** Hatches what belongs to two chunks. @param {Shape[]} shapes */
  paintOverlaps(shapes) {
    const { context, palette, picture, columns, geometry } = this;
    for (const { index, start } of shapes) {
      const { reach, start: own } = picture.chunks[index];
      if (reach >= own) continue;
      const gap = picture.source.gapAt(reach);
      const begin = reach ? geometry.position(gap, picture.source.unit(reach)) : endOfPage(geometry.first);
      context.globalAlpha = 0.38;
      context.fillStyle = this.painter.hatches.get(context, palette.tints[picture.tints[index]][1]);
      fillPolygon(context, outline(begin, start, columns.left, columns.right, 1));
      context.globalAlpha = 1;
    }
  }

  /** Numbers and tokens of the chunks. @param {Shape[]} shapes */
  paintLabels(shapes) {
    const { picture, columns, painter } = this;
    const html = shapes.map(({ index, start, end }) => {
      const top = startsAt(start, "left");
      const { tokens } = picture.chunks[index];
      const isLow = startsAt(end, "left") - top < 2.3 * columns.rem;
      const isOver = picture.unreadFrom.has(index);
      const size = `<span class="${isOver ? "wb-over" : ""}">${isOver && !columns.isPhone ? "⚠ " : ""}${number.format(tokens)}</span>`;
      const shown = columns.isPhone && isLow ? "" : size;
      return `<div data-chunk="${index + 1}" style="top:${top.toFixed(1)}px"><b>${number.format(index + 1)}</b>${shown}</div>`;
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
      if (!words || startsAt(end, "left") - startsAt(start, "left") < 4.6 * columns.rem) return;
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
    const last = geometry.gapBelow(to + 30);
    for (let gap = geometry.gapBelow(from - 30); gap < last; gap++) {
      const position = geometry.position(gap, 0);
      const isMarked = gap === marks.selected || gap === marks.hovered;
      this.paintGap(gap, position, isMarked);
      if (this.hasBars) labelled = this.paintBar(gap, position, isMarked, labelled);
    }
  }

  /** @param {number} gap @param {Position} position @param {boolean} isMarked */
  paintGap(gap, position, isMarked) {
    const { context, palette, picture, marks } = this;
    const status = picture.status[gap];
    const wasCut = marks.before?.isCut(gap) ?? false;
    if (isCut(status)) {
      const isNew = marks.before !== null && !wasCut;
      this.paintCut(position, this.statusColor(status), isMarked ? 3 : isNew ? 2.5 : 1.75);
      if (isNew && marks.words[0]) this.paintBadge(position, marks.words[0], palette.added);
    } else if (wasCut && marks.words[1]) {
      context.setLineDash([2, 5]);
      this.paintCut(position, palette.gone, 1.5);
      context.setLineDash([]);
      this.paintBadge(position, marks.words[1], palette.gone);
    } else if (isMarked) {
      context.globalAlpha = 0.7;
      context.setLineDash([2, 4]);
      this.paintCut(position, palette.muted, 2);
      context.setLineDash([]);
      context.globalAlpha = 1;
    }
  }

  /** A line through the text, stepped inside a paragraph. @param {Position} position @param {string} color @param {number} width */
  paintCut(position, color, width) {
    const { context, columns } = this;
    const right = columns.isPhone || !this.hasBars ? columns.right : columns.right + columns.rem / 2;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    steps(position, columns.left - 5, right).forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }

  /** @param {Position} position @param {string} words @param {string} color */
  paintBadge(position, words, color) {
    const { context, columns, palette } = this;
    const { rem } = columns;
    context.font = `600 ${0.72 * rem}px ${FONT}`;
    const width = context.measureText(words).width + 0.6 * rem;
    const [x, y] = [Math.min(columns.right - 1.1 * rem, columns.width - width / 2 - 3), startsAt(position, "right")];
    context.fillStyle = palette.surface;
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
    if (columns.isPhone || !(cut || status === MERGED) || y - labelled < 0.95 * columns.rem) return labelled;
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
    context.fillStyle = status === MERGED ? palette.muted : status === BY_LAYOUT ? palette.layoutWord : this.statusColor(status);
    const fits = context.measureText(words).width <= room;
    context.fillText(fits ? words : words.split(" + ")[0], x, y + 0.28 * columns.rem);
  }

  /** Veils what the encoder does not read. @param {Shape[]} shapes */
  paintVeil(shapes) {
    const { painter, picture, columns, palette, geometry } = this;
    const unread = shapes.filter(({ index }) => picture.unreadFrom.has(index));
    painter.veil.hidden = !unread.length;
    if (!unread.length) return;
    const context = painter.place(painter.veil, columns.width, this.from, this.to);
    const rail = columns.isPhone ? 4 : 5;
    for (const { index, end } of unread) {
      const from = picture.unreadFrom.get(index) ?? 0;
      const begin = geometry.position(picture.source.gapAt(from), picture.source.unit(from));
      context.globalAlpha = palette.isDark ? 0.5 : 0.6;
      context.fillStyle = palette.surface;
      fillPolygon(context, outline(begin, end, columns.left, columns.right, 1));
      context.globalAlpha = 1;
      const top = startsAt(begin, "left");
      const height = startsAt(end, "left") - top;
      context.fillStyle = palette.text;
      context.fillRect(columns.left - rail, top, rail, height);
      context.fillStyle = painter.hatches.get(context, palette.surface, 6, 1.6);
      context.fillRect(columns.left - rail, top, rail, height);
      if (columns.isPhone) continue;
      context.fillStyle = palette.warning;
      context.font = `600 ${0.75 * columns.rem}px ${FONT}`;
      context.textAlign = "right";
      context.fillText("not read ↓", columns.left - 0.85 * columns.rem, top + 1.05 * columns.rem);
    }
  }

  /** @param {number} status */
  statusColor(status) {
    const { palette } = this;
    return { [BY_MEANING]: palette.meaning, [BY_LAYOUT]: palette.layout, [BY_BOTH]: palette.both, [BY_LIMIT]: palette.limit }[status] ?? palette.muted;
  }

  /** @param {string} driver */
  colorOf(driver) {
    return driver in GLYPHS ? this.palette[/** @type {"both"} */ (driver === "semantic" ? "meaning" : driver === "structural" ? "layout" : driver)] : this.palette.muted;
  }
}

export const FONT = '"Source Sans", "Source Sans 3", system-ui, sans-serif';

/** How much of a bar is blue. @param {number} meaning @param {number} layout */
export function shareOfMeaning(meaning, layout) {
  const [one, other] = [Math.max(meaning, 0), Math.max(layout, 0)];
  return one + other ? one / (one + other) : 0.5;
}

/** @param {number} y @returns {Position} */
function endOfPage(y) {
  return { y, x: 0, top: y, bottom: y, isInline: false, isRightToLeft: false };
}

/** The height of a place at an edge of the text. @param {Position} position @param {"left" | "right"} side */
function startsAt({ y, top, bottom, isInline, isRightToLeft }, side) {
  if (!isInline) return y;
  return (side === "left") === isRightToLeft ? top : bottom;
}

/** The line of a place from the left edge of the text to the right one. @param {Position} position @param {number} left @param {number} right @returns {[number, number][]} */
function steps(position, left, right) {
  const { x, isInline } = position;
  const [onLeft, onRight] = [startsAt(position, "left"), startsAt(position, "right")];
  if (!isInline) return [[left, onLeft], [right, onRight]]; // prettier-ignore
  return [[left, onLeft], [x, onLeft], [x, onRight], [right, onRight]]; // prettier-ignore
}

/** The outline of the text between two places. @param {Position} start @param {Position} end @param {number} left @param {number} right @param {number} inset @returns {[number, number][]} */
function outline(start, end, left, right, inset) {
  if (start.isInline && end.isInline && start.top === end.top && start.isRightToLeft === end.isRightToLeft) {
    const [top, bottom] = [start.top + inset, start.bottom - inset];
    return [[start.x, top], [end.x, top], [end.x, bottom], [start.x, bottom]]; // prettier-ignore
  }
  const above = steps(start, left, right).map(([x, y]) => /** @type {[number, number]} */ ([x, y + inset]));
  const below = steps(end, left, right).map(([x, y]) => /** @type {[number, number]} */ ([x, y - inset]));
  return [...above, ...below.reverse()];
}
