// A canvas over the lanes: the row and the ribbon, and where the lane gives the curve also that, of a setting that Plotly
// has not drawn.

/** @import { Box } from "../live/canvas.js" */
/** @import { LaneLook } from "../messages.js" */
import { LiveCanvas } from "../live/canvas.js";

/**
 * Strokes of one look.
 *
 * @typedef {object} Strokes
 * @property {LaneLook} look
 * @property {number[]} x positions on the axis, ascending
 */

/**
 * A fused curve with its threshold.
 *
 * @typedef {object} Curve
 * @property {ArrayLike<number>} x
 * @property {ArrayLike<number>} y
 * @property {number} threshold NaN for none
 * @property {boolean} shown whether the curve is not hidden
 * @property {boolean} lined whether the threshold is not hidden
 * @property {number} width of the line
 */

/**
 * Where and how to draw.
 *
 * @typedef {object} LaneFrame
 * @property {any} axes Plotly's layout
 * @property {Box} area of all axes
 * @property {(role: string) => string} color
 * @property {string} font
 * @property {number} row
 * @property {number} wider pixels that strokes are wider where there is room
 */

export class LanesLayer extends LiveCanvas {
  /**
   * @param {Strokes[]} strokes of the row; later ones lie above
   * @param {Strokes[]} ribbon
   * @param {Curve | null} curve
   * @param {LaneFrame} frame
   */
  draw(strokes, ribbon, curve, frame) {
    const { axes, area, row } = frame;
    const { yaxis2, yaxis3 } = axes;
    this.start(axes);
    this.inside(bandOf(yaxis3, area), 0, () => strokes.forEach((each) => this.strokes(each, yaxis3, row, frame)));
    this.inside(bandOf(yaxis2, area), 0, () => ribbon.forEach((each) => this.strokes(each, yaxis2, 0, frame)));
    if (curve) this.curve(curve, frame);
  }

  /** The strokes of one look, one a pixel, each on whole pixels as Plotly's. @param {Strokes} strokes @param {any} yaxis @param {number} row @param {LaneFrame} frame */
  strokes({ x, look }, yaxis, row, { axes: { xaxis }, area, color, wider }) {
    const { context } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = look.width + wider;
    const [top, bottom] = [yaxis.c2p(row + look.low), yaxis.c2p(row + look.high)];
    let drawn = NaN;
    context.beginPath();
    for (const place of x) {
      const pixel = Math.round((xaxis.c2p(place) - width / 2) * ratio) / ratio;
      if (pixel === drawn || pixel < -width || pixel > area.width) continue;
      drawn = pixel;
      context.moveTo(pixel + width / 2, top);
      context.lineTo(pixel + width / 2, bottom);
    }
    context.setLineDash(look.dash === "solid" ? [] : look.dash.split(",").map((part) => parseFloat(part)));
    context.strokeStyle = color(look.color.replace("role:", ""));
    context.lineWidth = width;
    context.globalAlpha = look.opacity;
    context.stroke();
    context.globalAlpha = 1;
    context.setLineDash([]);
  }

  /** @param {Curve} curve @param {LaneFrame} frame */
  curve({ x, y, threshold, shown, lined, width }, { axes: { xaxis, yaxis }, area, color, font }) {
    const band = bandOf(yaxis, area);
    const line = lined && Number.isFinite(threshold);
    this.inside(band, 0, () => {
      if (shown) this.line(x, y, xaxis, yaxis, color("fused"), width);
      if (line) this.dashed(yaxis.c2p(threshold), band.width, color("threshold"));
    });
    if (line && shown) this.label(threshold, yaxis.c2p(threshold), band, color("threshold"), font);
  }

  /** @param {ArrayLike<number>} x @param {ArrayLike<number>} y @param {any} xaxis @param {any} yaxis @param {string} color @param {number} width */
  line(x, y, xaxis, yaxis, color, width) {
    const { context } = this;
    context.beginPath();
    for (let i = 0; i < x.length; i++) context.lineTo(xaxis.c2p(x[i]), yaxis.c2p(y[i]));
    context.strokeStyle = color;
    context.lineWidth = width * this.scale;
    context.lineJoin = "round";
    context.stroke();
  }
}

/** The box of one of the vertical axes. @param {any} axis @param {Box} area @returns {Box} */
function bandOf({ _offset: top, _length: height }, { left, width }) {
  return { left, top, width, height };
}
