// Numbers, beside those that the scripts of the library know.

export { firstWhere, lowerBound, number, plural } from "../../../../chunking/web/engine/numbers.js";

/** Every second value. @param {Int32Array} pairs @param {number} first */
export function everySecond(pairs, first) {
  return Int32Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i + first]);
}
