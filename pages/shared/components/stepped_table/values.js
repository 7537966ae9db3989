// Which of some values holds for a number.

/**
 * The place of the last value that is not above a number; the first where all are.
 *
 * @param {readonly number[]} values ascending, one or more
 * @param {number} number
 */
export function placeAt(values, number) {
  const above = values.findIndex((value) => value > number);
  return above < 0 ? values.length - 1 : Math.max(above - 1, 0);
}
