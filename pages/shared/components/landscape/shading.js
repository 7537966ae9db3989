// The colours and marks of the landscape as numbers.

export const LOWEST = 50; // the smallest percentile that the slider offers

/** Place of a percentile on the colour scale, 0 to 1: ranks are even, so the few highest get more room. @param {number} percentile */
export function shade(percentile) {
  return percentile <= LOWEST ? 0 : 1 - Math.sqrt((100 - percentile) / (100 - LOWEST));
}

/** The percentile at a place of the colour scale. @param {number} place */
export function percentileAt(place) {
  return 100 - (100 - LOWEST) * (1 - place) ** 2;
}

/**
 * The highest of the counts that fall on each of `width` pixels.
 *
 * @param {ArrayLike<number>} counts
 * @param {number} start
 * @param {number} length not below `width`
 * @param {number} width
 */
export function highestCounts(counts, start, length, width) {
  const highest = new Uint32Array(width);
  for (let i = 0; i < length; i++) {
    const x = Math.floor((i * width) / length);
    if (counts[start + i] > highest[x]) highest[x] = counts[start + i];
  }
  return highest;
}

/**
 * Strokes at ascending places as one path, one a pixel.
 *
 * @param {Iterable<number>} places
 * @param {number} pixel
 * @param {(place: number) => string} stroke
 */
export function strokesOf(places, pixel, stroke) {
  const steps = [];
  let drawn = NaN;
  for (const place of places) {
    const at = Math.floor(place / pixel);
    if (at !== drawn) steps.push(stroke(place));
    drawn = at;
  }
  return steps.join("");
}
