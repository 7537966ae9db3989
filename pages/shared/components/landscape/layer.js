// A canvas over the landscape: the raster in the colours of a percentile, the α and the cuts that Plotly has not drawn.

/** @import { Box } from "../live/canvas.js" */
import { LiveCanvas } from "../live/canvas.js";

/**
 * A picture with its place on the axes.
 *
 * @typedef {object} Placed
 * @property {HTMLCanvasElement} canvas
 * @property {number} x
 * @property {number} sizex
 * @property {number} y of its upper edge
 * @property {number} sizey
 */

/**
 * Strokes at gaps, between two values of α.
 *
 * @typedef {object} GapStrokes
 * @property {ArrayLike<number>} gaps ascending
 * @property {number[]} ends
 * @property {string} role
 * @property {number} width
 */

/** @typedef {{axes: any, area: Box, color: (role: string) => string}} RasterFrame */

export class LandscapeLayer extends LiveCanvas {
  /** @param {Placed} raster @param {GapStrokes[]} strokes @param {RasterFrame} frame */
  draw(raster, strokes, frame) {
    this.start(frame.axes);
    this.inside(frame.area, 0, () => {
      this.picture(raster, frame);
      for (const each of strokes) this.strokes(each, frame);
    });
  }

  /** @param {Placed} raster @param {RasterFrame} frame */
  picture({ canvas, x, sizex, y, sizey }, { axes: { xaxis, yaxis } }) {
    const [left, top] = [xaxis.c2p(x), yaxis.c2p(y)];
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(canvas, left, top, xaxis.c2p(x + sizex) - left, yaxis.c2p(y - sizey) - top);
  }

  /** One stroke a pixel. @param {GapStrokes} strokes @param {RasterFrame} frame */
  strokes({ gaps, ends: [low, high], role, width }, { axes: { xaxis, yaxis }, area, color }) {
    const { context } = this;
    const [bottom, top] = [yaxis.c2p(low), yaxis.c2p(high)];
    let drawn = NaN;
    context.beginPath();
    for (const gap of Array.from(gaps)) {
      const at = xaxis.c2p(gap + 1);
      if (Math.floor(at) === drawn || at < 0 || at > area.width) continue;
      drawn = Math.floor(at);
      context.moveTo(at, bottom);
      context.lineTo(at, top);
    }
    context.strokeStyle = color(role);
    context.lineWidth = width;
    context.stroke();
  }

  /** A line with the surface behind it, from one place to another in the coordinates of the area. @param {[number, number, number, number]} ends @param {string} role @param {RasterFrame} frame */
  line([x0, y0, x1, y1], role, { area, color }) {
    const { context } = this;
    this.inside(area, 0, () => {
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      for (const [style, width] of /** @type {[string, number][]} */ ([["surface", 4], [role, 1.5]])) {
        context.strokeStyle = color(style);
        context.lineWidth = width;
        context.stroke();
      }
    });
  }

  /** Notches to the right of the area. @param {Iterable<number>} alphas @param {RasterFrame} frame */
  notches(alphas, { axes: { yaxis }, area: { left, top, width }, color }) {
    const { context } = this;
    context.beginPath();
    for (const alpha of alphas) {
      const y = top + yaxis.c2p(alpha);
      context.moveTo(left + 1.009 * width, y);
      context.lineTo(left + 1.018 * width, y);
    }
    context.strokeStyle = color("muted");
    context.lineWidth = 1;
    context.stroke();
  }
}
