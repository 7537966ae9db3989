// Visible ranges along an axis, as [from, to]; null for all of it.

/** @typedef {[number, number]} Range */

/**
 * A range inside the full one; null where it shows everything, or nothing.
 *
 * @param {Range | null} view
 * @param {Range} full
 * @param {number} tolerance what may be missing from everything
 * @returns {Range | null}
 */
export function clampedView(view, [first, last], tolerance) {
  if (!view) return null;
  const from = Math.max(first, Math.min(...view));
  const to = Math.min(last, Math.max(...view));
  const everything = from - first < tolerance && last - to < tolerance;
  return everything || !(to - from > 0) ? null : [from, to];
}

/**
 * A range of the same width that begins at `start`, or as near to it as the full range allows.
 *
 * @param {Range} range
 * @param {Range} full
 * @param {number} start
 * @returns {Range}
 */
export function movedTo([from, to], [first, last], start) {
  const kept = Math.max(first, Math.min(last - (to - from), start));
  return [kept, kept + (to - from)];
}

/**
 * A range `factor` times as wide, in which `at` keeps its place.
 *
 * @param {Range} range
 * @param {number} at
 * @param {number} factor
 * @param {number} least the smallest width
 * @returns {Range}
 */
export function zoomedAt([from, to], at, factor, least) {
  const width = Math.max(least, (to - from) * factor);
  const share = (at - from) / (to - from);
  return [at - width * share, at + width * (1 - share)];
}

/**
 * The range panned, if necessary, so that it shows `at` in its middle.
 *
 * @param {Range} range
 * @param {Range} full
 * @param {number} at
 * @returns {Range}
 */
export function revealing(range, full, at) {
  const [from, to] = range;
  return at >= from && at <= to ? range : movedTo(range, full, at - (to - from) / 2);
}

/**
 * The range in which two places lie under two fingers.
 *
 * @param {[number, number]} places on the axis, where the fingers began
 * @param {[number, number]} shares of the axis' width, where the fingers are now
 * @param {number} least the smallest width
 * @returns {Range | null} null where the fingers are above each other, or have changed sides
 */
export function pinchedTo([one, other], [oneShare, otherShare], least) {
  const width = (other - one) / (otherShare - oneShare);
  if (!(width > 0) || !Number.isFinite(width)) return null;
  const middle = (one + other) / 2;
  const share = (oneShare + otherShare) / 2;
  const kept = Math.max(least, width);
  return [middle - kept * share, middle + kept * (1 - share)];
}
