// Pixels of a raster as canvases.

import { contextOf, element } from "../base/dom.js";

/** Colours as the pixels of a canvas. @param {ArrayLike<number>} ramp red, green, blue of each step */
export function pixelsOf(ramp) {
  const packed = new Uint32Array(ramp.length / 3);
  const bytes = new Uint8ClampedArray(packed.buffer);
  for (let i = 0; i < packed.length; i++) bytes.set([ramp[3 * i], ramp[3 * i + 1], ramp[3 * i + 2], 255], 4 * i);
  return packed;
}

/** A canvas of the given pixels, row by row from the top. @param {Uint32Array<ArrayBuffer>} packed @param {number} width @param {number} height */
export function canvasOf(packed, width, height) {
  const canvas = element("canvas");
  canvas.width = width;
  canvas.height = height;
  contextOf(canvas).putImageData(new ImageData(new Uint8ClampedArray(packed.buffer), width, height), 0, 0);
  return canvas;
}

/** The same picture with every pixel as a block, for where a browser would smooth it. @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
export function enlarged(canvas, width, height) {
  const large = element("canvas");
  large.width = canvas.width * Math.max(1, Math.round(width / canvas.width));
  large.height = canvas.height * Math.max(1, Math.round(height / canvas.height));
  const context = contextOf(large);
  context.imageSmoothingEnabled = false;
  context.drawImage(canvas, 0, 0, large.width, large.height);
  return large;
}
