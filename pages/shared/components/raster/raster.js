// The basis of the pictures of the Tune page: a raster under Plotly's axes, α upwards, with a cursor for the keys, and
// clicks that tell Python which cell was taken.

/** @import { RasterBody, RasterHead } from "../messages.js" */
import { colored, element, termed } from "../base/dom.js";
import { DOUBLE_CLICK_MS, PlotView } from "../plotly_js/plot_view.js";
import { FIELD_KEPT, fields } from "./fields.js";
import { canvasOf, enlarged } from "./pixels.js";

/** @typedef {{column: number, row: number}} Cell */

/**
 * @template {RasterBody} Body
 * @template Field
 * @extends {PlotView<RasterHead, Body, Cell>}
 */
export class RasterChart extends PlotView {
  /** @type {Cell | null} */ at = null; // the cell under the pointer or the keys
  missing = false; // whether the field has not come yet
  shownLegend = "";
  /** @type {HTMLCanvasElement} */ painted;
  paintedColumns = { first: 0, last: 0, width: 0 };
  paintedPlace = { x: 0, sizex: 0, y: 0, sizey: 0 }; // on the axes, from the upper left

  /** @param {HTMLElement} parent @param {string} kind */
  constructor(parent, kind) {
    const mark = element("div", "cs-cell");
    super(parent, `cs-raster cs-${kind}`, mark);
    this.mark = mark;
    const redraw = (/** @type {Event} */ event) => {
      if (this.missing && /** @type {CustomEvent} */ (event).detail.field === this.data?.field) this.draw();
    };
    window.addEventListener(FIELD_KEPT, redraw, { signal: this.abort.signal });
  }

  // ---- what a picture defines

  /** Columns of cells. @returns {number} */
  get columns() {
    return 0;
  }

  /** The axis place of the first column. */
  get first() {
    return 1;
  }

  get scaleTitle() {
    return "";
  }

  /** @returns {{at: number, label: string}[]} */
  get scaleTicks() {
    return [];
  }

  /** The columns [first, last) as a canvas of some width. @param {number} _first @param {number} _last @param {number} _width */
  paint(_first, _last, _width) {
    return element("canvas");
  }

  /** @returns {Uint32Array<ArrayBuffer>} */
  scalePixels() {
    return new Uint32Array(0);
  }

  /** Where the keys begin. @returns {Cell} */
  start() {
    return { column: 0, row: 0 };
  }

  /** The cell that a key leads to. @param {Cell} cell @param {[number, number]} _step @param {boolean} _far @returns {Cell} */
  stepped(cell, _step, _far) {
    return cell;
  }

  /** The tooltip of a cell. @param {Cell} _cell @returns {Node[]} */
  about(_cell) {
    return [];
  }

  /** A cell was taken. @param {Cell} _cell */
  take(_cell) {}

  dropSelection() {}

  // ---- drawing

  /** @returns {Field} */
  get field() {
    return fields().get(this.data.field);
  }

  get least() {
    return 4 * this.step;
  }

  get rows() {
    return this.data.rows;
  }

  get rowStep() {
    return 1 / (this.rows - 1);
  }

  /** @param {RasterHead} head */
  moved(head) {
    super.moved(head);
    this.point(null);
  }

  draw() {
    this.missing = !this.data || !this.field; // drawn when the field comes
    if (!this.missing) super.draw();
  }

  layout() {
    return colored(this.data.figure.layout, this.palette);
  }

  /** @param {any} layout @param {number} width */
  traces(layout, width) {
    layout.images = [this.raster(width)];
    return [];
  }

  /** The raster of the visible part and half its width to either side, as an image of Plotly's layout. @param {number} width */
  raster(width) {
    const [from, to] = this.range;
    const margin = (to - from) / 2;
    const first = Math.max(0, Math.floor((from - margin - this.first) / this.step));
    const last = Math.min(this.columns, Math.ceil((to + margin - this.first) / this.step) + 1);
    const room = Math.max(1, Math.round((width * window.devicePixelRatio * (last - first) * this.step) / (to - from)));
    this.paintedColumns = { first, last, width: Math.min(last - first, room) };
    this.painted = this.paint(first, last, this.paintedColumns.width);
    const half = this.rowStep / 2;
    this.paintedPlace = {
      x: this.first + (first - 0.5) * this.step,
      sizex: (last - first) * this.step,
      y: 1 + half,
      sizey: 1 + 2 * half,
    };
    return {
      source: this.painted.toDataURL(),
      xref: "x", yref: "y", layer: "below", sizing: "stretch", xanchor: "left", yanchor: "top",
      ...this.paintedPlace,
    };
  }

  placed() {
    this.fillLegend();
    this.placeCell();
  }

  /** A line along x or α, coloured by role, with the surface behind it so that it shows on any cell.
   *
   * @param {{x?: number, y?: number, role: string, width?: number, dash?: string}} line
   */
  line({ x, y, role, width = 1.5, dash = "solid" }) {
    const place = x === undefined
      ? { xref: "paper", x0: 0, x1: 1, yref: "y", y0: y, y1: y }
      : { xref: "x", x0: x, x1: x, yref: "y", y0: -this.rowStep / 2, y1: 1 + this.rowStep / 2 };
    return this.lined({ type: "line", ...place }, role, width, dash);
  }

  /** A shape drawn with the surface behind its line. @param {object} shape @param {string} role @param {number} width @param {string} dash */
  lined(shape, role, width, dash) {
    return [
      { ...shape, line: { color: this.palette("surface"), width: width + 2.5, dash: "solid" } },
      { ...shape, line: { color: this.palette(role), width, dash } },
    ];
  }

  image() {
    const { width, height } = this.axes;
    const source = enlarged(this.painted, 2 * width, 2 * height).toDataURL();
    const { layout } = /** @type {any} */ (this.plot);
    return { data: [], layout: { images: layout.images.map((/** @type {object} */ each) => ({ ...each, source })) }, height };
  }

  /** The colour scale with its ticks, then what each mark means. */
  fillLegend() {
    const shown = JSON.stringify([this.theme, this.content]);
    if (shown === this.shownLegend) return;
    this.shownLegend = shown;
    const scale = element("span", "cs-scalebar");
    const bar = element("span", "cs-rampbox");
    bar.append(rampOf(this.scalePixels()));
    for (const { at, label } of this.scaleTicks) {
      const tick = element("small", "cs-ramptick", label);
      tick.style.left = `${100 * at}%`;
      bar.append(tick);
    }
    scale.append(element("span", "cs-rampname", this.scaleTitle), bar);
    const marks = this.data.marks.map(({ role, form, label, term }) => {
      const entry = termed(element("span", "cs-mark"), term);
      const sign = element("i", `cs-sign cs-${form}`);
      sign.style.color = `var(--cs-${role})`;
      entry.append(sign, element("span", "", label));
      return entry;
    });
    this.legend.replaceChildren(scale, ...marks);
  }

  /** Paints the scale in the legend anew. @param {Uint32Array<ArrayBuffer>} pixels */
  paintScale(pixels) {
    this.legend.querySelector(".cs-ramp")?.replaceWith(rampOf(pixels));
  }

  // ---- pointer and keys

  /** The cell under a pointer event. @param {PointerEvent} event */
  under(event) {
    const place = this.columns ? this.placeUnder(event) : null;
    if (place === null) return null;
    const { yaxis } = this.axes;
    const y = event.clientY - this.plot.getBoundingClientRect().top - yaxis._offset;
    return this.inside({
      column: Math.round((place - this.first) / this.step),
      row: Math.round(yaxis.p2c(y) / this.rowStep),
    });
  }

  /** @param {Cell} cell */
  inside({ column, row }) {
    return {
      column: Math.max(0, Math.min(this.columns - 1, column)),
      row: Math.max(0, Math.min(this.rows - 1, row)),
    };
  }

  /** @param {Cell | null} cell @param {PointerEvent} event */
  pointed(cell, event) {
    this.point(cell, this.heightOf(event));
  }

  left() {
    this.point(null);
  }

  /** A click waits until it is sure not to be the first of two, which show all and must set nothing. @param {Cell} cell */
  clicked(cell) {
    this.timers.set("take", this.view ? DOUBLE_CLICK_MS : 0, () => this.take(cell));
    return () => this.timers.cancel("take");
  }

  /** @param {KeyboardEvent} event */
  key({ key, shiftKey }) {
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (key in steps) {
      const cell = this.inside(this.at ? this.stepped(this.at, steps[key], shiftKey) : this.start());
      this.point(cell);
      this.bring(this.xOf(cell.column));
      this.live.textContent = this.tip.textContent;
    } else if (key === "Enter" && this.at) this.take(this.at);
    else if (key === "Escape") {
      if (this.at) this.point(null);
      else this.dropSelection();
    } else return false;
    return true;
  }

  /** @param {number} column */
  xOf(column) {
    return this.first + column * this.step;
  }

  /** Shows a cell with what is known of it; null for none. @param {Cell | null} cell @param {number | null} [height] of the tooltip's middle */
  point(cell, height = null) {
    const same = cell && this.at && cell.column === this.at.column && cell.row === this.at.row;
    this.at = cell;
    if (!cell || !this.drawn) return this.hide();
    if (!same || this.tip.hidden) {
      this.tip.replaceChildren(...this.about(cell));
      this.tip.hidden = false;
    }
    this.placeCell();
    this.placeTip(this.xOf(cell.column), height ?? this.heightOfRow(cell.row));
  }

  hide() {
    this.mark.hidden = this.tip.hidden = true;
  }

  /** @param {number} row */
  heightOfRow(row) {
    const { yaxis } = this.axes;
    return yaxis._offset + yaxis.c2p(row * this.rowStep);
  }

  placeCell() {
    if (!this.at || this.tip.hidden) return this.hide();
    const x = this.xOf(this.at.column);
    if (!this.isVisible(x)) return this.hide();
    const { xaxis, yaxis } = this.axes;
    const wide = Math.max(5, Math.abs(xaxis.c2p(this.first + this.step) - xaxis.c2p(this.first)));
    const high = Math.max(5, Math.abs(yaxis.c2p(this.rowStep) - yaxis.c2p(0)));
    this.mark.hidden = false;
    const left = this.pixelOf(x) - wide / 2 - 1;
    const top = this.heightOfRow(this.at.row) - high / 2 - 1;
    this.mark.style.width = `${wide + 2}px`;
    this.mark.style.height = `${high + 2}px`;
    this.mark.style.transform = `translate(${left}px, ${top}px)`;
  }
}

/** The colour scale of a legend. @param {Uint32Array<ArrayBuffer>} pixels */
function rampOf(pixels) {
  const canvas = canvasOf(pixels, pixels.length, 1);
  canvas.className = "cs-ramp";
  return canvas;
}
