// Numbers: searching sorted ones, and writing them.

/** First index whose value is not below `value`; `sorted` ascends. @param {ArrayLike<number>} sorted @param {number} value */
export function lowerBound(sorted, value) {
  return firstWhere(sorted.length, (index) => sorted[index] >= value);
}

/**
 * First number from 0 for which `holds` is true, `count` for none; from there on it must stay true.
 *
 * @param {number} count
 * @param {(index: number) => boolean} holds
 */
export function firstWhere(count, holds) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export const number = new Intl.NumberFormat("en");

/** A count with its noun: "1 token", "2,000 tokens". @param {number} count @param {string} noun */
export function plural(count, noun, nouns = `${noun}s`) {
  return `${number.format(count)} ${count === 1 ? noun : nouns}`;
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
