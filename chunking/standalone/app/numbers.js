// Numbers as the page brings them, and as Python writes them.

/** Numbers of an array: their type, their bytes in base64, and whether they are differences. @typedef {{t: string, b: string, d?: number}} Packed */

/** @typedef {Float64Array | Float32Array} Floats */

/** @param {Packed} packed @returns {Floats} */
export function realNumbers({ t, b }) {
  const { buffer } = Uint8Array.from(atob(b), (each) => each.charCodeAt(0));
  return t === "f8" ? new Float64Array(buffer) : new Float32Array(buffer);
}

/** @param {Packed} packed */
export function doubles(packed) {
  return Float64Array.from(realNumbers(packed));
}

/** @param {Packed} packed */
export function wholeNumbers({ t, b, d }) {
  const { buffer } = Uint8Array.from(atob(b), (each) => each.charCodeAt(0));
  const read = t === "i1" ? new Int8Array(buffer) : t === "i2" ? new Int16Array(buffer) : new Int32Array(buffer);
  const found = Int32Array.from(read);
  if (d) for (let i = 1; i < found.length; i++) found[i] += found[i - 1];
  return found;
}

/** A number with some decimals, halves to even as Python rounds them. @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const half = Number.isInteger(size * 2 ** (decimals + 1)) && (size * 10 ** decimals) % 1 === 0.5;
  const below = Math.floor(size * 10 ** decimals);
  return sign + (half ? (below + (below % 2)) / 10 ** decimals : size).toFixed(decimals);
}

/** With its sign. @param {number} value @param {number} decimals */
export function signed(value, decimals) {
  const shown = fixed(value, decimals);
  return shown.startsWith("-") ? `−${shown.slice(1)}` : `+${shown}`;
}
