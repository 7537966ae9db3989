// Outlines of cells.

/**
 * The edges of the cells that are set, as a path of the longest straight strokes.
 *
 * @param {ArrayLike<number>} inside 1 where a cell is set, row by row
 * @param {number} rows
 * @param {number} columns
 * @param {(column: number) => string} x left edge of a column
 * @param {(row: number) => string} y lower edge of a row
 */
export function outline(inside, rows, columns, x, y) {
  const at = (/** @type {number} */ row, /** @type {number} */ column) =>
    row >= 0 && row < rows && column >= 0 && column < columns && inside[row * columns + column] === 1;
  const steps = [];
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (at(row, column) === at(row - 1, column)) continue;
      const start = column;
      while (column < columns && at(row, column) !== at(row - 1, column)) column++;
      steps.push(`M${x(start)},${y(row)}H${x(column)}`);
    }
  }
  for (let column = 0; column <= columns; column++) {
    for (let row = 0; row < rows; row++) {
      if (at(row, column) === at(row, column - 1)) continue;
      const start = row;
      while (row < rows && at(row, column) !== at(row, column - 1)) row++;
      steps.push(`M${x(column)},${y(start)}V${y(row)}`);
    }
  }
  return steps.join("");
}
