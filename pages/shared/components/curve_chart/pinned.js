// The rows of a pinned setting: the boundaries of both settings, those of one alone marked.

/** Half the length of a stroke in a row, on the axis of the rows. */
export const ROW_HALF = 0.42;

const PINNED_ROW = 0;
const SHOWN_ROW = 1;

/**
 * Boundaries of one kind in the rows, as chunking.figures.pinned has them.
 *
 * @typedef {object} RowMarks
 * @property {string} uid of their entry in the legend
 * @property {string} role
 * @property {number} row
 * @property {number[]} gaps
 */

/**
 * The marks of both rows.
 *
 * @param {ArrayLike<number>} shown gaps that are cut, ascending
 * @param {ArrayLike<number>} pinned the same of the pinned setting
 * @returns {RowMarks[]}
 */
export function rowMarks(shown, pinned) {
  return [...marksOf(shown, pinned, SHOWN_ROW), ...marksOf(pinned, shown, PINNED_ROW)];
}

/** @param {ArrayLike<number>} own @param {ArrayLike<number>} others @param {number} row @returns {RowMarks[]} */
function marksOf(own, others, row) {
  const known = new Set(Array.from(others));
  const gaps = Array.from(own);
  return [
    { uid: "pinned-row-same", role: "muted", row, gaps: gaps.filter((gap) => known.has(gap)) },
    { uid: "pinned-row-only", role: "both", row, gaps: gaps.filter((gap) => !known.has(gap)) },
  ];
}
