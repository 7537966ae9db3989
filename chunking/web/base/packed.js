// Arrays of numbers as Python sends them: as text in a file, as bytes in a message.

/** Numbers of an array: their type, their bytes in base64, and whether they are differences. @typedef {{t: string, b: string, d?: number}} Dense */

/** Numbers that are nearly all zeros: how many there are, and where the others are and which. @typedef {{n: number, at: Dense, of: Dense}} Sparse */

/** @typedef {Dense | Sparse} Packed */

/** @typedef {Float64Array | Float32Array} Floats */

/** @param {Dense} packed */
function bytesOf({ b }) {
  return Uint8Array.from(atob(b), (character) => character.charCodeAt(0)).buffer;
}

/** @param {Packed} packed @returns {Floats} */
export function realNumbers(packed) {
  if ("n" in packed) throw new TypeError("Real numbers are not sent as zeros.");
  const buffer = bytesOf(packed);
  return packed.t === "f8" ? new Float64Array(buffer) : new Float32Array(buffer);
}

/** @param {Packed} packed */
export function doubles(packed) {
  return Float64Array.from(realNumbers(packed));
}

/** @param {Packed} packed */
export function wholeNumbers(packed) {
  if (!("n" in packed)) return denseNumbers(packed);
  const numbers = new Int32Array(packed.n);
  const values = denseNumbers(packed.of);
  denseNumbers(packed.at).forEach((place, index) => (numbers[place] = values[index]));
  return numbers;
}

/** @param {Dense} packed */
function denseNumbers(packed) {
  const buffer = bytesOf(packed);
  const { t } = packed;
  const narrow = t === "i1" ? new Int8Array(buffer) : t === "i2" ? new Int16Array(buffer) : new Int32Array(buffer);
  const numbers = Int32Array.from(narrow);
  if (packed.d) for (let i = 1; i < numbers.length; i++) numbers[i] += numbers[i - 1];
  return numbers;
}
