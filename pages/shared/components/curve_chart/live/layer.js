// A canvas over the plot: fused curve, threshold and marks of a setting that Plotly has not drawn.

/** @import { Box } from "../../live/canvas.js" */
/** @import { Cuts } from "../../../../../chunking/web/engine/cuts.js" */
/** @import { Range } from "../../plotly_js/views.js" */
/** @import { RowMarks } from "../pinned.js" */
import { LiveCanvas } from "../../live/canvas.js";
import { ROW_HALF } from "../pinned.js";
import { STROKE_HALF, STROKE_WIDTH, THINNED_OPACITY, columnStretches, countIn, mergedStrokes } from "../thinning.js";

const PALE = 0.28; // opacity of the last setting
const MARK_ROOM = 8; // pixels above and below the axes that a mark may reach into
const RADIUS = 4.5;
const LOWEST_FIRST = ["muted", "semantic", "structural", "both", "limit"]; // marks, as Plotly lays them over one another

/**
 * Where and how to draw.
 *
 * @typedef {object} Frame
 * @property {any} axes Plotly's layout
 * @property {Box} area of the axes
 * @property {Range} range
 * @property {number} thinAbove visible gaps above which a pixel shows the highest and lowest
 * @property {number} glyphsAbove marks above which they are strokes
 * @property {(role: string) => string} color
 * @property {string} font
 * @property {boolean} fusedApart whether the fused curve is another than the semantic one
 * @property {Set<string>} hidden uids that the user has hidden
 */

export class LiveLayer extends LiveCanvas {
  /** @param {Cuts} cuts @param {Frame} frame @param {RowMarks[]} rows of a pinned setting */
  draw(cuts, frame, rows) {
    const { area, axes, color, font, fusedApart, hidden } = frame;
    const line = Number.isFinite(cuts.value);
    const y = axes.yaxis.c2p(cuts.value);
    this.start(axes);
    this.inside(area, MARK_ROOM, () => {
      if (fusedApart && !hidden.has("fused")) this.curve(cuts.fused, "fused", frame);
      if (cuts.score !== cuts.fused && !hidden.has("slope")) this.curve(cuts.score, "threshold", frame);
      const threshold = () => line && !hidden.has("threshold") && this.dashed(y, area.width, color("threshold"));
      const many = markCount(cuts, frame) > frame.glyphsAbove;
      if (!many) threshold();
      this.marks(cuts, frame, many);
      if (many) threshold(); // it would not be seen below strokes
      rows.forEach((marks) => this.row(marks, frame));
    });
    if (line) this.label(cuts.value, y, area, color("threshold"), font);
  }

  /** The curve of the last setting, pale. @param {ArrayLike<number>} fused @param {Frame} frame */
  drawGhost(fused, frame) {
    if (!frame.fusedApart || frame.hidden.has("fused")) return;
    this.start(frame.axes);
    this.inside(frame.area, 0, () => this.curve(fused, "fused", frame, PALE));
  }

  /** @param {ArrayLike<number>} values @param {string} role @param {Frame} frame @param {number} opacity */
  curve(values, role, frame, opacity = 1) {
    const { range, thinAbove, color } = frame;
    const { context } = this;
    const first = Math.max(0, Math.floor(range[0]) - 2);
    const last = Math.min(values.length, Math.ceil(range[1]) + 1);
    context.lineWidth = (role === "fused" && values.length <= 500 ? 2 : 1.2) * this.scale;
    context.fillStyle = context.strokeStyle = color(role);
    if (last - first > thinAbove) this.columns(values, frame, THINNED_OPACITY * opacity);
    else this.line(values, first, last, frame, opacity);
    context.globalAlpha = 1;
  }

  /** @param {ArrayLike<number>} values @param {number} first @param {number} last @param {Frame} frame @param {number} opacity */
  line(values, first, last, { axes: { xaxis, yaxis } }, opacity) {
    const { context } = this;
    context.beginPath();
    for (let gap = first; gap < last; gap++) context.lineTo(xaxis.c2p(gap + 1), yaxis.c2p(values[gap]));
    context.globalAlpha = opacity;
    context.lineJoin = "round";
    context.stroke();
  }

  /**
   * A line that is an area of noise, as one box for each column of pixels: a browser takes twenty times as long for a path.
   * Boxes begin on whole pixels of the screen, or their shared edges would show.
   *
   * @param {ArrayLike<number>} values @param {Frame} frame @param {number} opacity
   */
  columns(values, { axes: { yaxis }, area, range }, opacity) {
    const { context } = this;
    const ratio = window.devicePixelRatio || 1;
    const columns = Math.max(1, Math.round(area.width));
    const { low, high } = columnStretches(values, range, columns);
    const edge = (/** @type {number} */ column) => Math.round((area.left + (column * area.width) / columns) * ratio) / ratio - area.left;
    context.globalAlpha = opacity;
    for (let column = 0; column < columns; column++) {
      const [left, top] = [edge(column), yaxis.c2p(high[column]) - context.lineWidth / 2];
      context.fillRect(left, top, edge(column + 1) - left, yaxis.c2p(low[column]) + context.lineWidth / 2 - top);
    }
  }

  /** @param {Cuts} cuts @param {Frame} frame @param {boolean} many */
  marks({ boundaries, drivers, suppressed, fused }, { axes: { xaxis, yaxis }, range, color, hidden }, many) {
    /** @type {Record<string, {x: number[], y: number[]}>} */
    const places = Object.fromEntries(LOWEST_FIRST.map((role) => [role, { x: [], y: [] }]));
    const add = (/** @type {string} */ role, /** @type {number} */ gap) => {
      if (gap + 1 < range[0] || gap + 1 > range[1]) return;
      const { x, y } = places[role];
      x.push(xaxis.c2p(gap + 1));
      y.push(yaxis.c2p(fused[gap]));
    };
    boundaries.forEach((gap, place) => hidden.has(`cut-${drivers[place]}`) || add(drivers[place], gap));
    if (!hidden.has("suppressed")) suppressed.forEach((gap) => add("muted", gap));
    const size = { width: STROKE_WIDTH, height: yaxis.c2p(0) - yaxis.c2p(2 * STROKE_HALF) };
    for (const [role, { x, y }] of Object.entries(places)) {
      if (many) this.strokes(x, y, size, color(role));
      else this.glyphs(x, y, role, color);
    }
  }

  /** @param {number[]} x @param {number[]} y @param {{width: number, height: number}} size @param {string} color */
  strokes(x, y, size, color) {
    const { context } = this;
    context.fillStyle = color;
    mergedStrokes(x, Float64Array.from(y), size, (left, top, width, height) => context.fillRect(left, top, width, height));
  }

  /** @param {RowMarks} marks @param {Frame} frame */
  row({ uid, role, row, gaps }, { axes: { xaxis, yaxis, yaxis3 }, range, color, hidden }) {
    if (hidden.has(uid)) return;
    const { context } = this;
    const above = yaxis3._offset - yaxis._offset; // the box begins with the axis of the curves
    const [top, bottom] = [above + yaxis3.c2p(row + ROW_HALF), above + yaxis3.c2p(row - ROW_HALF)];
    context.fillStyle = color(role);
    for (const gap of gaps) {
      if (gap + 1 < range[0] || gap + 1 > range[1]) continue;
      context.fillRect(xaxis.c2p(gap + 1) - this.scale, top, 2 * this.scale, bottom - top);
    }
  }

  /** @param {number[]} x @param {number[]} y @param {string} role @param {(role: string) => string} color */
  glyphs(x, y, role, color) {
    const { context } = this;
    const path = new Path2D();
    x.forEach((place, at) => drawGlyph(path, role, place, y[at], RADIUS * this.scale));
    const open = role === "muted";
    context.fillStyle = color(role);
    if (!open) context.fill(path);
    context.strokeStyle = color(open ? role : "surface");
    context.lineWidth = open ? 1.6 : 1;
    context.stroke(path);
  }
}

/** How many marks lie in the visible range and half its width to either side, which Plotly draws. @param {Cuts} cuts @param {Frame} frame */
function markCount({ boundaries, suppressed }, { range: [from, to] }) {
  const margin = (to - from) / 2;
  const [first, last] = [Math.floor(from - margin) - 2, Math.ceil(to + margin)];
  return countIn(boundaries, first, last) + countIn(suppressed, first, last);
}

/** @param {Path2D} path @param {string} role @param {number} x @param {number} y @param {number} radius */
function drawGlyph(path, role, x, y, radius) {
  if (role === "structural") {
    path.moveTo(x, y - radius * 1.3);
    path.lineTo(x + radius * 1.3, y);
    path.lineTo(x, y + radius * 1.3);
    path.lineTo(x - radius * 1.3, y);
    path.closePath();
  } else if (role === "limit") {
    path.moveTo(x, y - radius);
    path.lineTo(x + radius, y + radius * 0.8);
    path.lineTo(x - radius, y + radius * 0.8);
    path.closePath();
  } else if (role === "both") path.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  else {
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI);
  }
}
