// The plane of settings: one value for each α and percentile, with what outlines say of them.

import { element, mounted } from "../base/dom.js";
import { canvasOf, pixels } from "../raster/pixels.js";
import { RasterChart, tipLine } from "../raster/raster.js";

class Plane extends RasterChart {
  constructor(parent) {
    super(parent, "plane");
    this.name = "settings";
  }

  get columns() {
    return this.percentiles;
  }

  get shown() {
    return this.data.maps[this.map];
  }

  get scaleTitle() {
    return this.shown.title;
  }

  get scaleTicks() {
    return this.shown.ticks;
  }

  paint(first, last, width) {
    const ramp = pixels(this.scales[this.theme].strong);
    const packed = new Uint32Array(width * this.rows);
    const { shades } = this.shown;
    for (let row = 0; row < this.rows; row++) {
      const top = (this.rows - 1 - row) * width;
      for (let x = 0; x < width; x++) {
        const column = first + Math.floor((x * (last - first)) / width);
        packed[top + x] = ramp[shades[row * this.columns + column]];
      }
    }
    return canvasOf(packed, width, this.rows);
  }

  scalePixels() {
    return pixels(this.scales[this.theme].strong);
  }

  shapes() {
    const shapes = [];
    const outline = (path, role, width, dash = "solid") => {
      if (!path) return;
      const stroke = (color, thick, style) => ({ type: "path", path, xref: "x", yref: "y", line: { color, width: thick, dash: style } });
      shapes.push(stroke(this.palette("surface"), width + 2, "solid"), stroke(this.palette(role), width, dash));
    };
    if (this.data.region) outline(this.regionPath(), "gold", 1.5);
    const [left, right] = this.plateau.percentile;
    const [low, high] = this.plateau.alpha;
    outline(`M${left},${low}H${right}V${high}H${left}Z`, "threshold", 1.2);
    const across = this.reach(9);
    outline(
      `M${this.percentile - across.x},${this.alpha}H${this.percentile + across.x}` +
        `M${this.percentile},${this.alpha - across.y}V${this.alpha + across.y}`,
      "threshold", 2,
    );
    if (this.best) {
      const { x, y } = this.reach(6);
      const [alpha, percentile] = this.best;
      outline(
        `M${percentile},${alpha - y}L${percentile + x},${alpha}L${percentile},${alpha + y}L${percentile - x},${alpha}Z`,
        "gold", 2,
      );
    }
    return shapes;
  }

  /** What gold cannot tell from the best, outlined; found once for a field. */
  regionPath() {
    if (this.outlined?.field !== this.field) this.outlined = { field: this.field, path: this.edges(this.data.region) };
    return this.outlined.path;
  }

  /** So many pixels along both axes. */
  reach(size) {
    const [from, to] = this.view ?? this.full;
    const { width, height } = this.area ?? { width: 500, height: 300 };
    const [bottom, top] = this.figure.yaxis.range;
    return { x: (size * (to - from)) / width, y: (size * (top - bottom)) / height };
  }

  /** The edges of the cells that are set, as a path of the longest straight strokes. */
  edges(inside) {
    const { rows, columns, rowStep } = this;
    const at = (row, column) =>
      row >= 0 && row < rows && column >= 0 && column < columns && inside[row * columns + column] === 1;
    const x = (column) => (this.first + (column - 0.5) * this.step).toFixed(3);
    const y = (row) => ((row - 0.5) * rowStep).toFixed(5);
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

  description() {
    return (
      `${this.scaleTitle} for each α and percentile; now α ${this.alpha} and percentile ${this.percentile}. ` +
      "Arrow keys move over the settings, with shift ten steps; Enter takes one; Escape: none."
    );
  }

  reveal() {}

  reportView() {} // where one looks here is nobody else's concern

  dropSelection() {}

  start() {
    return {
      column: Math.round((this.percentile - this.first) / this.step),
      row: Math.round(this.alpha * (this.rows - 1)),
    };
  }

  stepped({ column, row }, [across, up], far) {
    const size = far ? 10 : 1;
    return { column: column + across * size, row: row + up * size };
  }

  told({ column, row }) {
    const head = element("div", "cs-tip-head");
    head.append(
      element("b", "", `α ${(row / (this.rows - 1)).toFixed(2)}`),
      element("b", "", `percentile ${this.xOf(column).toFixed(1)}`),
    );
    const parts = [head];
    for (const { title, values, digits } of this.data.maps) {
      const value = values[row * this.columns + column];
      const said = Number.isFinite(value) ? value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits }) : "none";
      parts.push(tipLine(`${title} `, element("b", "", said)));
    }
    return parts;
  }

  take({ column, row }) {
    const setting = { alpha: row / (this.rows - 1), percentile: this.xOf(column) };
    this.setTriggerValue("take", { document: this.document, ...setting });
  }
}

export default mounted(Plane);
