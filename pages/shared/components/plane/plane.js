// The plane of settings: one value for each α and percentile, with outlines of the plateau, the best and its equals.

/** @import { PlaneBody, PlaneField } from "../messages.js" */
/** @import { Cell } from "../raster/raster.js" */
import { element, mounted } from "../base/dom.js";
import { tipHead, tipLine } from "../plotly_js/plot_view.js";
import { canvasOf, pixelsOf } from "../raster/pixels.js";
import { RasterChart } from "../raster/raster.js";
import { outline } from "./outline.js";

/** @extends {RasterChart<PlaneBody, PlaneField>} */
class Plane extends RasterChart {
  outlined = { field: "", path: "" };

  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "plane");
  }

  get name() {
    return "settings";
  }

  get columns() {
    return this.data.percentiles;
  }

  get first() {
    return this.data.first;
  }

  get step() {
    return this.data.step;
  }

  get map() {
    return this.field.maps[this.data.map];
  }

  get scaleTitle() {
    return this.map.title;
  }

  get scaleTicks() {
    return this.map.ticks;
  }

  scalePixels() {
    return pixelsOf(this.data.scales[this.theme].strong);
  }

  /** @param {number} first @param {number} last @param {number} width */
  paint(first, last, width) {
    const ramp = this.scalePixels();
    const packed = new Uint32Array(width * this.rows);
    const { shades } = this.map;
    for (let row = 0; row < this.rows; row++) {
      const top = (this.rows - 1 - row) * width;
      for (let x = 0; x < width; x++) {
        const column = first + Math.floor((x * (last - first)) / width);
        packed[top + x] = ramp[shades[row * this.columns + column]];
      }
    }
    return canvasOf(packed, width, this.rows);
  }

  shapes() {
    const { alpha, percentile, plateau, best } = this.data;
    const path = (/** @type {string} */ drawn) => ({ type: "path", path: drawn, xref: "x", yref: "y" });
    const shapes = [];
    const region = this.regionPath();
    if (region) shapes.push(...this.lined(path(region), "gold", 1.5, "solid"));
    const [left, right] = plateau.percentile;
    const [low, high] = plateau.alpha;
    shapes.push(...this.lined(path(`M${left},${low}H${right}V${high}H${left}Z`), "threshold", 1.2, "solid"));
    const { x, y } = this.reach(9);
    const cross = `M${percentile - x},${alpha}H${percentile + x}M${percentile},${alpha - y}V${alpha + y}`;
    shapes.push(...this.lined(path(cross), "threshold", 2, "solid"));
    if (best) {
      const arm = this.reach(6);
      const [a, p] = best;
      const diamond = `M${p},${a - arm.y}L${p + arm.x},${a}L${p},${a + arm.y}L${p - arm.x},${a}Z`;
      shapes.push(...this.lined(path(diamond), "gold", 2, "solid"));
    }
    return shapes;
  }

  /** The outline of what does not differ significantly from the best; found once for a field. */
  regionPath() {
    const { region } = this.field;
    if (!region) return "";
    if (this.outlined.field !== this.data.field) {
      const x = (/** @type {number} */ column) => (this.first + (column - 0.5) * this.step).toFixed(3);
      const y = (/** @type {number} */ row) => ((row - 0.5) * this.rowStep).toFixed(5);
      this.outlined = { field: this.data.field, path: outline(region, this.rows, this.columns, x, y) };
    }
    return this.outlined.path;
  }

  /** So many pixels along both axes. @param {number} size */
  reach(size) {
    const [from, to] = this.range;
    const [bottom, top] = this.data.figure.layout.yaxis.range;
    const { width, height } = this.area;
    return { x: (size * (to - from)) / (width || 500), y: (size * (top - bottom)) / (height || 300) };
  }

  description() {
    const { alpha, percentile } = this.data;
    return (
      `${this.scaleTitle} for each α and percentile; now α ${alpha} and percentile ${percentile}. ` +
      "Arrow keys move over the settings, with shift ten steps; Enter takes one; Escape: clear the selection."
    );
  }

  reportView() {} // the visible part is of no concern to Python

  start() {
    return {
      column: Math.round((this.data.percentile - this.first) / this.step),
      row: Math.round(this.data.alpha * (this.rows - 1)),
    };
  }

  /** @param {Cell} cell @param {[number, number]} step @param {boolean} far */
  stepped({ column, row }, [across, up], far) {
    const size = far ? 10 : 1;
    return { column: column + across * size, row: row + up * size };
  }

  /** @param {Cell} cell */
  about({ column, row }) {
    const head = tipHead(`α ${(row / (this.rows - 1)).toFixed(2)}`);
    head.append(element("b", "", `percentile ${this.xOf(column).toFixed(1)}`));
    const lines = this.field.maps.map(({ title, values, digits }) => {
      const value = values[row * this.columns + column];
      const form = { maximumFractionDigits: digits, minimumFractionDigits: digits };
      return tipLine(`${title} `, element("b", "", Number.isFinite(value) ? value.toLocaleString("en", form) : "none"));
    });
    return [head, ...lines];
  }

  /** @param {Cell} cell */
  take({ column, row }) {
    const setting = { alpha: row / (this.rows - 1), percentile: this.xOf(column) };
    this.component.setTriggerValue("take", { document: this.document, ...setting });
  }
}

export default mounted(Plane);
