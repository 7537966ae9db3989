// The plane of settings: one value for each α and percentile, with outlines of the plateau, the best and its equals.

/** @import { LiveSetting, PlaneBody, PlaneField } from "../messages.js" */
/** @import { Cell } from "../raster/raster.js" */
import { element, mounted } from "../base/dom.js";
import { LiveCanvas } from "../live/canvas.js";
import { PREVIEWED, PREVIEW_OVER } from "../live/preview.js";
import { tipHead, tipLine } from "../plotly_js/plot_view.js";
import { canvasOf, pixelsOf } from "../raster/pixels.js";
import { RasterChart } from "../raster/raster.js";
import { outline } from "./outline.js";

const CURRENT = "current"; // name of the shapes that a preview replaces
const ARM = 9; // pixels of the cross of the setting

/** @extends {RasterChart<PlaneBody, PlaneField>} */
class Plane extends RasterChart {
  outlined = { field: "", path: "" };
  layer = new LiveCanvas();
  /** The setting that the landscape previews. @type {LiveSetting | null} */ previewed = null;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "plane");
    this.plot.after(this.layer.canvas);
    const { signal } = this.abort;
    const preview = (/** @type {Event} */ event) => this.follow(/** @type {CustomEvent} */ (event).detail.setting);
    window.addEventListener(PREVIEWED, preview, { signal });
    window.addEventListener(PREVIEW_OVER, () => this.follow(null), { signal });
  }

  /** Shows the setting of the controls while one is moved. @param {LiveSetting | null} setting */
  follow(setting) {
    if (!setting && !this.previewed) return;
    this.previewed = setting;
    if (this.drawn) this.placeCurrent();
  }

  placed() {
    super.placed();
    this.placeCurrent();
  }

  placeCurrent() {
    const { axes, area, layer, previewed } = this;
    this.showShapes(({ name }) => name === CURRENT, !previewed);
    if (!previewed) return layer.clear();
    const [x, y] = [axes.xaxis.c2p(previewed.amount), axes.yaxis.c2p(previewed.alpha)];
    layer.start(axes);
    layer.inside(area, 0, () => this.drawCross(x, y));
  }

  /** @param {number} x @param {number} y */
  drawCross(x, y) {
    const { context } = this.layer;
    context.beginPath();
    context.moveTo(x - ARM, y);
    context.lineTo(x + ARM, y);
    context.moveTo(x, y - ARM);
    context.lineTo(x, y + ARM);
    for (const [role, width] of /** @type {[string, number][]} */ ([["surface", 4.5], ["threshold", 2]])) {
      context.strokeStyle = this.palette(role);
      context.lineWidth = width;
      context.stroke();
    }
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
    const now = (/** @type {string} */ drawn) => ({ ...path(drawn), name: CURRENT });
    shapes.push(...this.lined(now(`M${left},${low}H${right}V${high}H${left}Z`), "threshold", 1.2, "solid"));
    const { x, y } = this.reach(ARM);
    const cross = `M${percentile - x},${alpha}H${percentile + x}M${percentile},${alpha - y}V${alpha + y}`;
    shapes.push(...this.lined(now(cross), "threshold", 2, "solid"));
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
