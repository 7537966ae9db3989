// A canvas over a plot, for what Plotly has not drawn.

import { contextOf, element, sized, typeScale } from "../base/dom.js";

/** @typedef {{left: number, top: number, width: number, height: number}} Box in pixels of the plot */

export class LiveCanvas {
  canvas = element("canvas", "cs-live-layer");
  context = contextOf(this.canvas);
  scale = 1; // of type and marks

  constructor() {
    this.canvas.hidden = true;
  }

  clear() {
    this.canvas.hidden = true;
  }

  /** Empties the canvas and lays it over the plot. @param {{width: number, height: number}} axes Plotly's layout */
  start({ width, height }) {
    sized(this.canvas, width, height);
    this.scale = typeScale();
    this.canvas.hidden = false;
  }

  /** Draws in the coordinates of a box, inside it and `margin` pixels above and below. @param {Box} box @param {number} margin @param {() => void} drawing */
  inside({ left, top, width, height }, margin, drawing) {
    const { context } = this;
    context.save();
    context.translate(left, top);
    context.beginPath();
    context.rect(0, -margin, width, height + 2 * margin);
    context.clip();
    drawing();
    context.restore();
  }

  /** The dashed line of a threshold across a box. @param {number} y @param {number} width @param {string} color */
  dashed(y, width, color) {
    const { context } = this;
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.setLineDash([9 * this.scale, 9 * this.scale]);
    context.strokeStyle = color;
    context.lineWidth = 2 * this.scale;
    context.stroke();
    context.setLineDash([]);
  }

  /** A number to the right of a box, where Plotly has it. @param {number} value @param {number} y @param {Box} box @param {string} color @param {string} font */
  label(value, y, { left, top, width }, color, font) {
    const { context } = this;
    context.fillStyle = color;
    context.font = `${12 * this.scale}px ${font}`;
    context.textBaseline = "middle";
    context.fillText(value.toFixed(3), left + width + 5, top + y);
  }
}
