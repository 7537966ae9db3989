// Drawing on a canvas in pixels of the page, as sharp as the screen.

import { contextOf, element } from "../base/dom.js";

const SHARPEST = 2; // device pixels of a pixel: more cost time that nobody sees

/** @typedef {Record<"text" | "muted" | "line" | "surface" | "soft" | "warning" | "meaning" | "layout" | "layoutWord" | "both" | "limit" | "hand" | "threshold" | "people" | "added" | "gone" | "focus" | "structural" | "fused", string> & {tints: [string, string][], isDark: boolean}} Palette */

const VARIABLES = /** @type {const} */ ({
  text: "text", muted: "muted", line: "line", surface: "surface", soft: "soft", warning: "warning", meaning: "meaning",
  layout: "layout", layoutWord: "layout-word", both: "both", limit: "limit", hand: "hand", threshold: "threshold", people: "people",
  added: "added", gone: "gone", focus: "focus", structural: "layout", fused: "text",
}); // prettier-ignore
const TINT_NAMES = ["lavender", "mint", "sand"];

/** The colours of an element's theme, from its style sheet. @param {HTMLElement} root @returns {Palette} */
export function paletteOf(root) {
  const style = getComputedStyle(root);
  const read = (/** @type {string} */ name) => style.getPropertyValue(`--wb-${name}`).trim();
  const colors = Object.fromEntries(Object.entries(VARIABLES).map(([role, name]) => [role, read(name)]));
  const tints = TINT_NAMES.map((name) => [read(name), read(`${name}-rail`)]);
  return /** @type {Palette} */ ({ ...colors, tints, isDark: read("dark") === "1" });
}

/**
 * The empty context of a canvas of that size. Its buffer is only made anew where the size has changed.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function cleared(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, SHARPEST);
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const context = contextOf(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Diagonal lines as a fill, made once for each colour and size. */
export class Hatches {
  constructor() {
    /** @type {Map<string, CanvasPattern | null>} */ this.patterns = new Map();
  }

  /** @param {CanvasRenderingContext2D} context @param {string} color @param {number} size @param {number} width @returns {CanvasPattern | string} */
  get(context, color, size = 14, width = 3) {
    const key = `${color} ${size}`;
    let pattern = this.patterns.get(key);
    if (pattern === undefined) {
      const canvas = element("canvas");
      canvas.width = canvas.height = size;
      const tile = contextOf(canvas);
      tile.strokeStyle = color;
      tile.lineWidth = width;
      tile.beginPath();
      for (let offset = -size; offset <= size; offset += size) {
        tile.moveTo(offset - size, 2 * size);
        tile.lineTo(offset + 2 * size, -size);
      }
      tile.stroke();
      pattern = context.createPattern(canvas, "repeat");
      this.patterns.set(key, pattern);
    }
    return pattern ?? color;
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} fromX @param {number} fromY @param {number} toX @param {number} toY */
export function strokeLine(context, fromX, fromY, toX, toY) {
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {[number, number][]} corners */
export function fillPolygon(context, corners) {
  context.beginPath();
  corners.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.fill();
}
