// One drawing of the strip above the text: its chunks, the bars or the curves, and what is marked.

/** @import { Palette } from "./canvas.js" */
/** @import { Columns, Marks, OtherCuts } from "./page_painter.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Strip } from "./strip.js" */
/** @import { View } from "./zoom.js" */
import { firstWhere } from "../engine/numbers.js";
import { cleared, strokeLine } from "./canvas.js";
import { FONT, shareOfMeaning } from "./page_painter.js";
import { BY_BOTH, BY_HAND, BY_LAYOUT, BY_LIMIT, BY_MEANING } from "./segmentation.js";

export const CURVES_FROM = 10; // rem of height from which the curves are drawn
const LABELS = 5.2; // rem at the right for labels
const AXIS = 2.4; // rem at the left for the axis of the curves

/** What the strip needs beside the picture. @typedef {{columns: Columns, palette: Palette, marks: Marks, seen: View | null, threshold: string, decimal?: string}} StripState */

export class StripDrawing {
  /** @param {Strip} strip @param {Picture} picture @param {StripState} state @param {number} clientWidth @param {number} height */
  constructor(strip, picture, state, clientWidth, height) {
    const { rem, isPhone } = state.columns;
    this.strip = strip;
    this.picture = picture;
    this.state = state;
    this.rem = rem;
    this.isPhone = isPhone;
    this.height = height;
    this.hasCurves = Boolean(picture.curves) && height >= CURVES_FROM * rem;
    this.left = this.hasCurves ? AXIS * rem : 0;
    this.width = clientWidth - this.left - (isPhone ? 0 : LABELS * rem);
    this.base = height - (isPhone ? 0.7 : 1.15) * rem - 2;
    this.top = 0.35 * rem;
    this.context = cleared(strip.canvas, clientWidth, height);
    const { from: first, to: last } = strip.zoom.view;
    const { positions } = strip;
    this.firstGap = Math.max(firstWhere(positions.length, (gap) => positions[gap] >= first) - 1, 0);
    this.lastGap = Math.min(firstWhere(positions.length, (gap) => positions[gap] > last) + 1, positions.length);
    this.barWidth = Math.max(1, Math.min(7, (this.width / Math.max(this.lastGap - this.firstGap, 1)) * 0.62));
    this.length = Math.max(picture.source.length, 1);
  }

  /** @param {number} share of the document */
  x(share) {
    return this.left + this.strip.zoom.x(share, this.width);
  }

  /** @param {number} excess */
  y(excess) {
    const share = Math.min(Math.max(excess / this.picture.averages.top, 0), 1.04);
    return this.base - share * (this.base - this.top);
  }

  draw() {
    const { context, picture, state } = this;
    context.save();
    context.beginPath();
    context.rect(this.left, 0, this.width, this.height);
    context.clip();
    this.drawChunks();
    if (this.hasCurves) this.drawCurves();
    else if (picture.curves) this.drawBars();
    if (state.marks.before) this.drawChanges(state.marks.before);
    this.drawPeople();
    if (!this.hasCurves) this.drawCutLine();
    if (state.seen) this.drawSeen(state.seen);
    this.drawMarks();
    context.restore();
    if (!this.isPhone) this.drawLabels();
  }

  drawChunks() {
    const { context, picture, state } = this;
    const row = (this.isPhone ? 0.4 : 0.5) * this.rem;
    picture.chunks.forEach(({ start, end }, index) => {
      const [from, to] = [this.x(start / this.length), this.x(end / this.length)];
      if (to < this.left || from > this.left + this.width) return;
      const [fill, rail] = state.palette.tints[picture.tints[index]];
      context.fillStyle = fill;
      context.fillRect(from, 0, to - from, this.base);
      context.fillStyle = rail;
      context.fillRect(from + 0.5, this.base + 2, Math.max(to - from - 1, 0.6), row);
      const unread = picture.unreadFrom.get(index);
      if (unread === undefined) return;
      const begin = this.x(unread / this.length);
      const across = Math.max(to - begin - 0.5, 1.5);
      context.fillStyle = state.palette.text;
      context.fillRect(begin, this.base + 2, across, row);
      context.fillStyle = this.strip.hatches.get(context, state.palette.surface, 6, 1.6);
      context.fillRect(begin, this.base + 2, across, row);
    });
  }

  drawBars() {
    const shown = this.highestBars();
    for (const areCuts of [false, true]) for (const gap of shown[Number(areCuts)]) this.drawBar(gap, areCuts);
  }

  /** The gaps whose bars are seen, those that are cut apart: of several in one column of pixels, the highest. @returns {[Iterable<number>, Iterable<number>]} */
  highestBars() {
    const { picture, firstGap, lastGap } = this;
    const { curves, averages, alpha } = picture;
    if (!curves) return [[], []];
    const { semantic, structural } = curves;
    /** @type {[Map<number, number>, Map<number, number>]} */ const highest = [new Map(), new Map()];
    const totals = [0, 1].map(() => new Float64Array(Math.ceil(this.width) + 1));
    for (let gap = firstGap; gap < lastGap; gap++) {
      const total = alpha * (semantic[gap] - averages.meaning) + (structural ? (1 - alpha) * (structural[gap] - averages.layout) : 0);
      if (total <= 0) continue;
      const column = Math.min(Math.max(Math.round(this.x(this.strip.positions[gap]) - this.left), 0), Math.floor(this.width));
      const kind = Number(picture.isCut(gap));
      if (total <= totals[kind][column]) continue;
      totals[kind][column] = total;
      highest[kind].set(column, gap);
    }
    return [highest[0].values(), highest[1].values()];
  }

  /** @param {number} gap @param {boolean} isCut */
  drawBar(gap, isCut) {
    const { context, picture, state } = this;
    const { meaning, layout, total } = picture.excessOf(gap);
    if (total <= 0) return;
    const across = isCut ? Math.max(this.barWidth, 2) : this.barWidth;
    const left = this.x(this.strip.positions[gap]) - across / 2;
    const height = this.base - this.y(total);
    const blue = height * shareOfMeaning(meaning, layout);
    context.globalAlpha = isCut ? 1 : 0.38;
    context.fillStyle = state.palette.meaning;
    context.fillRect(left, this.base - blue, across, blue);
    context.fillStyle = state.palette.layout;
    context.fillRect(left, this.base - height, across, height - blue);
    context.globalAlpha = 1;
  }

  /** The range of values that the axis of the curves holds. */
  range() {
    const { curves } = this.picture;
    let [low, high] = [0, 1];
    for (const values of [curves?.semantic, curves?.structural, curves?.score]) {
      for (let gap = this.firstGap; values && gap < this.lastGap; gap++) [low, high] = [Math.min(low, values[gap]), Math.max(high, values[gap])];
    }
    return [low, high];
  }

  /** The semantic, the structural and the fused curve with the threshold, on an axis. */
  drawCurves() {
    const { curves, setting } = this.picture;
    if (!curves) return;
    const { palette } = this.state;
    const [low, high] = this.range();
    const y = (/** @type {number} */ value) => this.base - ((value - low) / (high - low)) * (this.base - this.top);
    this.drawAxis(low, high, y);
    if (curves.structural) this.drawCurve(curves.structural, y, palette.layout, 1.3);
    this.drawCurve(curves.semantic, y, palette.meaning, curves.structural ? 1.3 : 2);
    if (curves.structural) this.drawCurve(curves.fused, y, palette.text, 2);
    if (setting?.rule === "gradient") this.drawCurve(curves.score, y, palette.threshold, 1.3);
    const { context } = this;
    if (Number.isFinite(curves.threshold)) {
      context.strokeStyle = palette.threshold;
      context.lineWidth = 1.75;
      context.setLineDash([5, 4]);
      strokeLine(context, this.left, y(curves.threshold), this.left + this.width, y(curves.threshold));
      context.setLineDash([]);
    }
    for (let gap = this.firstGap; gap < this.lastGap; gap++) {
      if (this.picture.isCut(gap)) this.drawMark(this.x(this.strip.positions[gap]), y(curves.score[gap]), this.picture.status[gap]);
    }
  }

  /** @param {number} low @param {number} high @param {(value: number) => number} y */
  drawAxis(low, high, y) {
    const { context, state, rem } = this;
    context.restore();
    context.font = `${0.72 * rem}px ${FONT}`;
    context.textAlign = "right";
    context.lineWidth = 1;
    const step = 0.25 * Math.max(1, Math.round((high - low) / 1.1));
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) {
      context.fillStyle = state.palette.muted;
      context.fillText(String(Number(value.toFixed(2))).replace(".", state.decimal ?? "."), this.left - 0.3 * rem, y(value) + 0.25 * rem);
      context.strokeStyle = state.palette.line;
      strokeLine(context, this.left, y(value), this.left + this.width, y(value));
    }
    context.save();
    context.beginPath();
    context.rect(this.left, 0, this.width, this.height);
    context.clip();
  }

  /** A curve; of several values in one column of pixels, the lowest and the highest. @param {Float64Array} values @param {(value: number) => number} y @param {string} color @param {number} width */
  drawCurve(values, y, color, width) {
    const { context } = this;
    const { positions } = this.strip;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.beginPath();
    let gap = this.firstGap;
    while (gap < this.lastGap) {
      const column = Math.round(this.x(positions[gap]) * 2);
      let [low, high, last] = [values[gap], values[gap], values[gap]];
      const first = gap;
      for (; gap < this.lastGap && Math.round(this.x(positions[gap]) * 2) === column; gap++) {
        [low, high, last] = [Math.min(low, values[gap]), Math.max(high, values[gap]), values[gap]];
      }
      const x = column / 2;
      context.lineTo(x, y(values[first]));
      if (low !== high) {
        context.lineTo(x, y(high));
        context.lineTo(x, y(low));
        context.lineTo(x, y(last));
      }
    }
    context.stroke();
  }

  /** The shape of a driver. @param {number} x @param {number} y @param {number} status */
  drawMark(x, y, status) {
    const { context, state } = this;
    const { palette } = state;
    const size = 0.28 * this.rem;
    context.fillStyle = { [BY_MEANING]: palette.meaning, [BY_LAYOUT]: palette.layout, [BY_BOTH]: palette.both, [BY_HAND]: palette.hand }[status] ?? palette.limit;
    context.beginPath();
    if (status === BY_MEANING) context.arc(x, y, size, 0, 2 * Math.PI);
    else if (status === BY_BOTH) context.rect(x - size, y - size, 2 * size, 2 * size);
    else if (status === BY_HAND) drawPlus(context, x, y, 1.2 * size);
    else {
      context.moveTo(x, y - 1.2 * size);
      context.lineTo(x + 1.2 * size, status === BY_LIMIT ? y + size : y);
      if (status !== BY_LIMIT) context.lineTo(x, y + 1.2 * size);
      context.lineTo(x - 1.2 * size, status === BY_LIMIT ? y + size : y);
    }
    context.fill();
  }

  /** Where cuts have come and gone. @param {OtherCuts} before */
  drawChanges(before) {
    const { context, picture, state } = this;
    for (let gap = this.firstGap; gap < this.lastGap; gap++) {
      const [now, then] = [picture.isCut(gap), before.isCut(gap)];
      if (now === then) continue;
      const x = this.x(this.strip.positions[gap]);
      context.fillStyle = state.palette.added;
      context.strokeStyle = state.palette.gone;
      context.lineWidth = 1.5;
      if (now) triangle(context, x, 8, -7, 4);
      else {
        strokeLine(context, x - 3, 2, x + 3, 8);
        strokeLine(context, x + 3, 2, x - 3, 8);
      }
    }
    if (!before.hasCutLine || this.hasCurves || Math.abs(this.y(before.cutLine) - this.y(picture.cutLine)) <= 1) return;
    context.strokeStyle = state.palette.threshold;
    context.globalAlpha = 0.4;
    context.lineWidth = 1;
    strokeLine(context, 0, this.y(before.cutLine), this.width, this.y(before.cutLine));
    context.globalAlpha = 1;
  }

  drawPeople() {
    const { context, state } = this;
    const size = this.isPhone ? 3 : 4;
    context.fillStyle = state.palette.people;
    for (const offset of state.marks.people) triangle(context, this.x(offset / this.length), this.height - 1 - 1.5 * size, 1.5 * size, size);
  }

  drawCutLine() {
    const { context, picture, state } = this;
    if (!picture.hasCutLine) return;
    context.strokeStyle = state.palette.threshold;
    context.lineWidth = 1.75;
    context.setLineDash([5, 4]);
    strokeLine(context, this.left, this.y(picture.cutLine), this.left + this.width, this.y(picture.cutLine));
    context.setLineDash([]);
  }

  /** @param {View} seen what is in view of the text */
  drawSeen(seen) {
    const { context, state } = this;
    const from = this.x(seen.from);
    const across = Math.max(this.x(seen.to) - from, 6);
    context.fillStyle = state.palette.isDark ? "#ffffff14" : "#1a223010";
    context.fillRect(from, 0, across, this.base + 1);
    context.strokeStyle = state.palette.text;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(from + 0.75, 0.75, across - 1.5, this.base + 0.6 * this.rem, 4);
    context.stroke();
  }

  drawMarks() {
    const { context, picture, state } = this;
    const { selected, hovered } = state.marks;
    context.strokeStyle = context.fillStyle = state.palette.text;
    if (hovered >= 0 && hovered !== selected) {
      context.lineWidth = 1;
      const x = this.x(this.strip.positions[hovered]);
      strokeLine(context, x, 0, x, this.base);
    }
    if (selected < 0) return;
    const x = this.x(this.strip.positions[selected]);
    const y = this.hasCurves || !picture.curves ? this.top + 11 : this.y(picture.excessOf(selected).total);
    triangle(context, x, Math.max(y - 2, 8), -Math.min(9, Math.max(y - 2, 8)), 6);
    context.lineWidth = 1.5;
    if (this.hasCurves || !picture.curves) strokeLine(context, x, this.top + 9, x, this.base);
    else context.strokeRect(x - this.barWidth / 2 - 2, y - 1, this.barWidth + 4, this.base - y + 1);
  }

  drawLabels() {
    const { context, picture, state, rem } = this;
    const x = this.left + this.width + 0.5 * rem;
    context.textAlign = "left";
    if (picture.hasCutLine && !this.hasCurves) {
      const y = Math.min(Math.max(this.y(picture.cutLine), rem), this.base - 1.15 * rem);
      context.fillStyle = state.palette.threshold;
      context.font = `600 ${0.8125 * rem}px ${FONT}`;
      context.fillText("cut line", x, y + 0.1 * rem);
      context.font = `${0.75 * rem}px ${FONT}`;
      context.fillText(state.threshold, x, y + 0.95 * rem);
    }
    if (this.hasCurves) this.drawLegend(x);
    if (state.marks.people.length) {
      context.fillStyle = state.palette.people;
      context.font = `${0.75 * rem}px ${FONT}`;
      context.fillText("▲ by people", x, this.height - 2);
    }
  }

  /** @param {number} x */
  drawLegend(x) {
    const { context, picture, state, rem } = this;
    const { palette } = state;
    const entries = picture.curves?.structural
      ? [["● meaning", palette.meaning], ["◆ layout", palette.layoutWord], ["together", palette.text]] // prettier-ignore
      : [["● meaning", palette.meaning]];
    entries.push([picture.setting?.rule === "gradient" ? "slope, cut line" : "┄ cut line", palette.threshold]);
    if (state.threshold) entries.push([state.threshold, palette.threshold]);
    context.font = `${0.75 * rem}px ${FONT}`;
    entries.forEach(([words, color], index) => {
      context.fillStyle = color;
      context.fillText(words, x, this.top + (4.2 + 1.15 * index) * rem);
    });
  }
}

/** A triangle with its tip at a height. @param {CanvasRenderingContext2D} context @param {number} x @param {number} tip @param {number} height to its other end, negative for one that points down @param {number} half of its base */
function triangle(context, x, tip, height, half) {
  context.beginPath();
  context.moveTo(x - half, tip + height);
  context.lineTo(x + half, tip + height);
  context.lineTo(x, tip);
  context.fill();
}

/** Adds an upright cross to a path. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} arm */
function drawPlus(context, x, y, arm) {
  const thick = 0.8 * arm;
  context.rect(x - arm, y - thick / 2, 2 * arm, thick);
  context.rect(x - thick / 2, y - arm, thick, 2 * arm);
}
