// Offsets of a text in code points, as Python counts them, and in the units of JavaScript strings.

import { lowerBound } from "../base/numbers.js";

/**
 * Converts offsets counted in code points to offsets of a JavaScript string, in place.
 *
 * @param {Int32Array} offsets
 * @param {Int32Array} astral ascending code point offsets of the characters that take two units
 */
export function toUtf16(offsets, astral) {
  if (astral.length) for (let i = 0; i < offsets.length; i++) offsets[i] += lowerBound(astral, offsets[i]);
  return offsets;
}
