// A canvas over the plot: fused curve, threshold and marks of a setting that Plotly has not drawn.

/** @import { Box } from "../../live/canvas.js" */
/** @import { Cuts } from "../../live/cuts.js" */
/** @import { Range } from "../../plotly_js/views.js" */
import { LiveCanvas } from "../../live/canvas.js";
import { THINNED_OPACITY, envelope } from "../thinning.js";

const PALE = 0.28; // opacity of the last setting
const MARK_ROOM = 8; // pixels above and below the axes that a mark may reach into
const RADIUS = 4.5;
const STROKE = 5; // half the height of a mark where there are too many for glyphs

/**
 * Where and how to draw.
 *
 * @typedef {object} Frame
 * @property {any} axes Plotly's layout
 * @property {Box} area of the axes
 * @property {Range} range
 * @property {number} thinAbove visible gaps above which a pixel shows the highest and lowest
 * @property {number} glyphsAbove visible marks above which they are strokes
 * @property {(role: string) => string} color
 * @property {string} font
 * @property {boolean} fusedApart whether the fused curve is another than the semantic one
 * @property {Set<string>} hidden uids that the user has hidden
 */

export class LiveLayer extends LiveCanvas {
  /** @param {Cuts} cuts @param {Frame} frame */
  draw(cuts, frame) {
    const { area, axes, color, font, fusedApart, hidden } = frame;
    const line = Number.isFinite(cuts.value);
    const y = axes.yaxis.c2p(cuts.value);
    this.start(axes);
    this.inside(area, MARK_ROOM, () => {
      if (fusedApart && !hidden.has("fused")) this.curve(cuts.fused, "fused", frame);
      if (cuts.score !== cuts.fused && !hidden.has("slope")) this.curve(cuts.score, "threshold", frame);
      if (line && !hidden.has("threshold")) this.dashed(y, area.width, color("threshold"));
      this.marks(cuts, frame);
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
  curve(values, role, { axes: { xaxis, yaxis }, area, range, thinAbove, color }, opacity = 1) {
    const { context } = this;
    const first = Math.max(0, Math.floor(range[0]) - 2);
    const last = Math.min(values.length, Math.ceil(range[1]) + 1);
    context.beginPath();
    if (last - first > thinAbove) {
      const { x, y } = envelope(values, first, last, Math.max(1, Math.round(area.width)));
      for (let i = 0; i < x.length; i++) context.lineTo(xaxis.c2p(x[i]), yaxis.c2p(y[i]));
      context.globalAlpha = THINNED_OPACITY * opacity;
    } else {
      context.globalAlpha = opacity;
      for (let gap = first; gap < last; gap++) context.lineTo(xaxis.c2p(gap + 1), yaxis.c2p(values[gap]));
    }
    context.strokeStyle = color(role);
    context.lineWidth = role === "fused" && values.length <= 500 ? 2 : 1.2;
    context.lineJoin = "round";
    context.stroke();
    context.globalAlpha = 1;
  }

  /** @param {Cuts} cuts @param {Frame} frame */
  marks({ boundaries, drivers, suppressed, fused }, { axes: { xaxis, yaxis }, range, glyphsAbove, color, hidden }) {
    const visible = (/** @type {number} */ gap) => gap + 1 >= range[0] && gap + 1 <= range[1];
    const many = boundaries.reduce((sum, gap) => sum + Number(visible(gap)), 0) > glyphsAbove;
    /** @type {Map<string, Path2D>} */ const paths = new Map();
    const add = (/** @type {string} */ role, /** @type {number} */ gap) => {
      if (!visible(gap)) return;
      const path = paths.get(role) ?? new Path2D();
      paths.set(role, path);
      const [x, y] = [xaxis.c2p(gap + 1), yaxis.c2p(fused[gap])];
      if (many) path.rect(x - 0.75, y - STROKE, 1.5, 2 * STROKE);
      else drawGlyph(path, role, x, y);
    };
    boundaries.forEach((gap, place) => hidden.has(`cut-${drivers[place]}`) || add(drivers[place], gap));
    if (!hidden.has("suppressed")) suppressed.forEach((gap) => add("muted", gap));
    const { context } = this;
    for (const [role, path] of paths) {
      if (role === "muted") {
        context.strokeStyle = color(role);
        context.lineWidth = 1.6;
      } else {
        context.fillStyle = color(role);
        context.fill(path);
        context.strokeStyle = color("surface");
        context.lineWidth = many ? 0 : 1;
      }
      if (!many || role === "muted") context.stroke(path);
    }
  }
}

/** @param {Path2D} path @param {string} role @param {number} x @param {number} y */
function drawGlyph(path, role, x, y) {
  if (role === "structural") {
    path.moveTo(x, y - RADIUS * 1.3);
    path.lineTo(x + RADIUS * 1.3, y);
    path.lineTo(x, y + RADIUS * 1.3);
    path.lineTo(x - RADIUS * 1.3, y);
    path.closePath();
  } else if (role === "limit") {
    path.moveTo(x, y - RADIUS);
    path.lineTo(x + RADIUS, y + RADIUS * 0.8);
    path.lineTo(x - RADIUS, y + RADIUS * 0.8);
    path.closePath();
  } else if (role === "both") path.rect(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS);
  else {
    path.moveTo(x + RADIUS, y);
    path.arc(x, y, RADIUS, 0, 2 * Math.PI);
  }
}
