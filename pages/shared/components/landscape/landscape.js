// The landscape: at each gap and α, the percentile at which the gap becomes a boundary. The colours part what is cut at
// the present percentile from what is not, so the raster is coloured anew when that moves, and nothing is sent for it.

/** @import { Cuts } from "../../../../chunking/web/engine/cuts.js" */
/** @import { LandscapeBody, LandscapeField, LiveSetting, RasterHead } from "../messages.js" */
/** @import { Cell } from "../raster/raster.js" */
import { BUS, chooseGap, listen, settleSelection, shared } from "../base/bus.js";
import { element, mounted } from "../base/dom.js";
import { lowerBound, number } from "../base/numbers.js";
import { clip, sentenceText } from "../base/text.js";
import { Preview, changeOf } from "../live/preview.js";
import { tipHead, tipLine, tipQuote } from "../plotly_js/plot_view.js";
import { canvasOf, pixelsOf } from "../raster/pixels.js";
import { RasterChart } from "../raster/raster.js";
import { LandscapeLayer } from "./layer.js";
import { LOWEST, highestCounts, percentileAt, shade, strokesOf } from "./shading.js";

const CLIPPED = 200; // characters of a sentence in the tooltip
const MARKS = { top: [1.025, 1.075], bottom: [-0.075, -0.025] }; // in α: strips above and below the raster

/** @extends {RasterChart<LandscapeBody, LandscapeField>} */
class Landscape extends RasterChart {
  layer = new LandscapeLayer();
  /** Counts of the painted columns, which no setting changes. @type {{of: unknown[], rows: Uint32Array[]}} */
  counted = { of: [], rows: [] };
  /** The raster in the colours of a percentile that is not Python's. */
  recoloured = { of: /** @type {unknown[]} */ ([]), canvas: element("canvas") };

  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "landscape");
    this.note = element("div", "cs-thinned");
    this.plot.after(this.layer.canvas, this.note);
    listen(BUS.select, this, this.abort.signal, ({ gap }) => {
      this.selected = gap;
      this.remark();
      this.reveal(gap);
    });
    this.preview = new Preview(this, this.abort.signal);
  }

  get name() {
    return "landscape";
  }

  get scaleTitle() {
    return "boundary below percentile";
  }

  get gaps() {
    return this.data.gaps;
  }

  get columns() {
    return this.gaps;
  }

  /** How many gaps have a smaller distance, `rows × gaps`; the percentile follows from it exactly. */
  get smaller() {
    const { smaller, wide } = this.field;
    return wide ? smaller : new Uint16Array(smaller.buffer, smaller.byteOffset, smaller.length / 2);
  }

  /** The percentile at which a gap becomes a boundary. @param {Cell} cell */
  flip({ column, row }) {
    return (100 * this.smaller[row * this.gaps + column]) / (this.gaps - 1);
  }

  get scaleTicks() {
    return [50, 75, 90, 95, 99, 100].map((value) => ({ at: shade(value), label: String(value) }));
  }

  /** Colours of percentiles, full where a percentile cuts them. @param {number[]} percentiles @param {number} cutting */
  coloursOf(percentiles, cutting) {
    const scales = this.data.scales[this.theme];
    const [strong, quiet] = [pixelsOf(scales.strong), pixelsOf(scales.quiet ?? scales.strong)];
    return Uint32Array.from(percentiles, (percentile) => {
      const ramp = percentile > cutting ? strong : quiet;
      return ramp[Math.round(shade(percentile) * (ramp.length - 1))];
    });
  }

  scalePixels(cutting = this.data.percentile) {
    const count = this.data.scales[this.theme].strong.length / 3;
    return this.coloursOf(Array.from({ length: count }, (_, i) => percentileAt(i / (count - 1))), cutting);
  }

  /** Columns of several gaps show the one that is a boundary up to the highest percentile.
   *
   * @param {number} first
   * @param {number} last
   * @param {number} width
   * @param {number} [cutting] the percentile that parts the colours
   */
  paint(first, last, width, cutting = this.data.percentile) {
    const { gaps, rows } = this;
    const percentiles = Array.from({ length: gaps }, (_, count) => (100 * count) / Math.max(gaps - 1, 1));
    const colours = this.coloursOf(percentiles, cutting);
    const packed = new Uint32Array(width * rows);
    this.countsOf(first, last, width).forEach((highest, row) => {
      const top = (rows - 1 - row) * width; // α upwards
      for (let x = 0; x < width; x++) packed[top + x] = colours[highest[x]];
    });
    return canvasOf(packed, width, rows);
  }

  /** The highest count on each pixel, row by row; kept, since only the colours move. @param {number} first @param {number} last @param {number} width */
  countsOf(first, last, width) {
    const of = [this.data.field, first, last, width];
    if (String(of) !== String(this.counted.of)) {
      const { smaller, gaps } = this;
      const row = (/** @type {number} */ each) => highestCounts(smaller, each * gaps + first, last - first, width);
      this.counted = { of, rows: Array.from({ length: this.rows }, (_, each) => row(each)) };
    }
    return this.counted.rows;
  }

  shapes() {
    const [from, to] = this.range;
    const pixel = (to - from) / Math.max(this.plot.clientWidth, 1);
    const { cuts, gold, alpha } = this.data;
    const shapes = [
      ...this.strokes(cuts, MARKS.top, "threshold", pixel),
      ...this.strokes(gold, MARKS.bottom, "gold", pixel),
      ...this.band(),
      ...this.line({ y: alpha, role: "threshold" }),
    ];
    if (this.selected !== null && this.selected < this.gaps) {
      shapes.push(...this.line({ x: this.selected + 1, role: "selected" }));
    }
    return shapes;
  }

  placed() {
    super.placed();
    if (this.preview.setting) this.preview.draw();
    else this.preview.hide();
  }

  // ---- a control is moved

  get followed() {
    return this.data?.live ?? null;
  }

  taken() {
    this.preview.answered();
  }

  /** @param {Cuts} cuts @param {unknown} _source @param {LiveSetting} setting */
  drawPreview(cuts, _source, { alpha, amount, minimum, maximum }) {
    if (this.missing) return;
    const { axes, area, layer, palette, selected } = this;
    const { gold, percentile, changes } = this.data;
    const frame = { axes, area, color: palette };
    const { xaxis, yaxis } = axes;
    const width = Math.abs(xaxis.c2p(2) - xaxis.c2p(1)) > 5 ? 2 : 1.2;
    const strokes = [
      { gaps: cuts.exceeding, ends: MARKS.top, role: "threshold", width },
      { gaps: gold, ends: MARKS.bottom, role: "gold", width },
    ];
    this.root.classList.add("cs-live-curve");
    layer.draw({ ...this.paintedPlace, canvas: this.recolour(amount) }, strokes, frame);
    layer.line([0, yaxis.c2p(alpha), area.width, yaxis.c2p(alpha)], "threshold", frame);
    if (selected !== null && selected < this.gaps) {
      const x = xaxis.c2p(selected + 1);
      layer.line([x, yaxis.c2p(-this.rowStep / 2), x, yaxis.c2p(1 + this.rowStep / 2)], "selected", frame);
    }
    // Where boundaries change along α is known for Python's percentile alone.
    if (amount === percentile) layer.notches(changes, frame);
    const rest = minimum || maximum ? ` · ${number.format(cuts.boundaries.length)} after size limits` : "";
    this.note.textContent = changeOf(this.data.cuts, cuts.exceeding) + rest;
  }

  /** The raster in the colours of a percentile, which the scale shows too. @param {number} percentile */
  recolour(percentile) {
    const { first, last, width } = this.paintedColumns;
    const of = [this.content, this.theme, first, last, width, percentile];
    if (String(of) !== String(this.recoloured.of)) {
      this.recoloured = { of, canvas: this.paint(first, last, width, percentile) };
      this.paintScale(this.scalePixels(percentile));
    }
    return this.recoloured.canvas;
  }

  endPreview() {
    this.root.classList.remove("cs-live-curve");
    this.note.textContent = "";
    // Not before the browser shows Plotly's new image.
    requestAnimationFrame(() => requestAnimationFrame(() => this.preview.setting ?? this.layer.clear()));
    if (!this.recoloured.of.length) return;
    this.recoloured.of = [];
    this.paintScale(this.scalePixels());
  }

  /** A stroke at each gap, one a pixel, as one path. @param {Int32Array} gaps @param {number[]} ends @param {string} role @param {number} pixel */
  strokes(gaps, [low, high], role, pixel) {
    const path = strokesOf(gaps, pixel, (gap) => `M${gap + 1},${low}V${high}`);
    const line = { color: this.palette(role), width: pixel < 0.2 ? 2 : 1.2 };
    return path ? [{ type: "path", name: role, path, xref: "x", yref: "y", line }] : [];
  }

  /** The stretch of α in which no boundary changes, and on the axis every α where one does. */
  band() {
    const [low, high] = this.data.plateau;
    const color = this.palette("threshold");
    /** @type {object[]} */
    const shapes = [];
    for (const edge of [low, high]) shapes.push(...this.line({ y: edge, role: "threshold", width: 1, dash: "dot" }));
    for (const [x0, x1] of [[-0.007, 0], [1, 1.007]]) {
      const ends = { xref: "paper", yref: "y", y0: low, y1: high };
      shapes.push({ type: "rect", name: "plateau", ...ends, x0, x1, line: { color, width: 0, dash: "dot" }, fillcolor: color });
    }
    const pixel = 1 / (this.area.height || 300);
    const path = strokesOf(this.data.changes, pixel, (alpha) => `M1.009,${alpha.toFixed(5)}H1.018`);
    const line = { color: this.palette("muted"), width: 1 };
    if (path) shapes.push({ type: "path", name: "changes", path, xref: "paper", yref: "y", line });
    return shapes;
  }

  description() {
    return (
      `The percentile below which each of ${this.gaps} gaps is a boundary, for every α; ${this.data.cuts.length} are now. ` +
      "Arrow keys move over gaps and α, with shift from boundary to boundary or ten steps of α; Enter takes the " +
      "setting at which the gap is just a boundary; Escape: clear the selection."
    );
  }

  /** @param {RasterHead} head */
  settled(head) {
    return settleSelection(head.document, head.selected);
  }

  /** @param {number | null} gap */
  reveal(gap) {
    if (gap !== null) this.bring(gap + 1);
  }

  /** Where the keys begin: at the chosen gap, else at the left edge, at the present α. */
  start() {
    const column = this.selected ?? Math.ceil(this.range[0]) - 1;
    return { column, row: Math.round(this.data.alpha * (this.rows - 1)) };
  }

  /** @param {Cell} cell @param {[number, number]} step @param {boolean} far */
  stepped({ column, row }, [across, up], far) {
    if (!far || up) return { column: column + across, row: row + up * (far ? 10 : 1) };
    const { cuts } = this.data;
    const at = across > 0 ? lowerBound(cuts, column + 1) : lowerBound(cuts, column) - 1;
    return { column: cuts[at] ?? column, row };
  }

  /** @param {Cell} cell */
  about(cell) {
    const { column, row } = cell;
    const { percentile, gold } = this.data;
    const head = tipHead(`Gap ${number.format(column + 1)}`, ...(gold.includes(column) ? [GOLD] : []));
    head.children[0].after(element("span", "", `α ${(row / (this.rows - 1)).toFixed(2)}`));
    const flip = this.flip(cell);
    const outcome = `: ${flip > percentile ? "cut" : "not cut"} at ${percentile}`;
    const line = Number.isFinite(flip) && flip > LOWEST
      ? tipLine("boundary below percentile ", element("b", "", flip.toFixed(2)), outcome)
      : tipLine(`no boundary at any percentile from ${LOWEST}`);
    const stored = shared.documents.get(this.document);
    const known = stored && column + 1 < stored.sentences;
    const quotes = known ? [column, column + 1].map((each) => tipQuote(clip(sentenceText(stored, each), CLIPPED))) : [];
    return [head, line, ...quotes];
  }

  /** @param {Cell} cell */
  take({ column, row }) {
    this.choose(column, row / (this.rows - 1));
  }

  dropSelection() {
    if (this.selected !== null) this.choose(null, null);
  }

  /** @param {number | null} gap @param {number | null} alpha */
  choose(gap, alpha) {
    this.selected = gap;
    this.remark();
    chooseGap(this.topic, gap, this);
    this.component.setTriggerValue("take", { document: this.document, gap, alpha });
  }
}

/** @type {[string, string]} */
const GOLD = ["gold", "gold"];

export default mounted(Landscape);
