// How the keyboard moves between gaps, and what a click makes of the picked ones.

/**
 * The gap that a key leads to, or null for a key that leads nowhere.
 *
 * @param {string} key
 * @param {number} at
 * @param {number} gaps
 */
export function steppedGap(key, at, gaps) {
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: gaps - 1 }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), gaps - 1);
}

/** The picked gaps, ascending, with one more or one less. @param {readonly number[]} picked @param {number} gap */
export function toggledGaps(picked, gap) {
  return picked.includes(gap) ? picked.filter((other) => other !== gap) : [...picked, gap].sort((a, b) => a - b);
}

/** A text with its fields in braces filled in. @param {string} text @param {Record<string, string | number>} fields */
export function filledIn(text, fields) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(fields[name] ?? whole));
}

/** The number of the chunk of each piece. @param {readonly number[]} cuts ascending gaps @param {number} pieces */
export function chunkOfEach(cuts, pieces) {
  const cut = new Set(cuts);
  let chunk = 0;
  return Array.from({ length: pieces }, (_, piece) => (piece && cut.has(piece - 1) ? ++chunk : chunk));
}

/** The characters of each chunk. @param {readonly number[]} chunkOf of each piece @param {readonly string[]} pieces */
export function lengthsOfChunks(chunkOf, pieces) {
  /** @type {number[]} */ const lengths = [];
  pieces.forEach((piece, number) => (lengths[chunkOf[number]] = (lengths[chunkOf[number]] ?? 0) + piece.length));
  return lengths;
}
