// The landscape: at each gap and α, the percentile at which the gap becomes a boundary. The colours part what is cut at
// the present percentile from what is not, so the raster is coloured anew when that moves, and nothing is sent for it.

import { BUS, chooseGap, settleSelection, shared } from "../base/bus.js";
import { element, mounted } from "../base/dom.js";
import { lowerBound, number } from "../base/numbers.js";
import { clip, sentenceText } from "../base/text.js";
import { canvasOf, pixels } from "../raster/pixels.js";
import { RasterChart, tipLine } from "../raster/raster.js";

const CLIPPED = 200; // characters of a sentence in the tooltip
const LOWEST = 50; // what the slider of the percentile begins with
const MARKS = { top: [1.025, 1.075], bottom: [-0.075, -0.025] }; // in α: strips above and below the raster

/** Where a percentile stands on the colour scale: ranks are even, so the scale gives more room to the few on top. */
function shade(percentile) {
  return percentile <= LOWEST ? 0 : 1 - Math.sqrt((100 - percentile) / (100 - LOWEST));
}

class Landscape extends RasterChart {
  constructor(parent) {
    super(parent, "landscape");
    this.name = "landscape";
    this.scaleTitle = "boundary below percentile";
    this.first = 1;
    this.step = 1;
    const signal = this.abort.signal;
    window.addEventListener(
      BUS.select,
      ({ detail }) => {
        if (detail.document !== this.document || detail.source === this) return;
        this.selected = detail.gap;
        this.mark();
        this.reveal(this.selected);
      },
      { signal },
    );
  }

  get columns() {
    return this.gaps;
  }

  /** How many gaps have a smaller distance, `rows × gaps`; the percentile follows from it exactly. */
  get smaller() {
    const { smaller, wide } = this.data;
    return wide ? smaller : new Uint16Array(smaller.buffer, smaller.byteOffset, smaller.length / 2);
  }

  flip(column, row) {
    return (100 * this.smaller[row * this.gaps + column]) / (this.gaps - 1);
  }

  get scaleTicks() {
    return [50, 75, 90, 95, 99, 100].map((value) => ({ at: shade(value), label: String(value) }));
  }

  /** Colour of a percentile, full where the present one cuts it. */
  colour(percentile) {
    const ramp = percentile > this.percentile ? this.strong : this.quiet;
    return ramp[Math.round(shade(percentile) * (ramp.length - 1))];
  }

  ramps() {
    this.strong = pixels(this.scales[this.theme].strong);
    this.quiet = pixels(this.scales[this.theme].quiet);
  }

  scalePixels() {
    const count = this.strong.length;
    return Uint32Array.from({ length: count }, (_, i) => this.colour(100 - (100 - LOWEST) * (1 - i / (count - 1)) ** 2));
  }

  /** Columns of several gaps show the one that is a boundary up to the highest percentile. */
  paint(first, last, width) {
    this.ramps();
    const { smaller, gaps, rows } = this;
    const colours = new Uint32Array(gaps);
    for (let count = 0; count < gaps; count++) colours[count] = this.colour((100 * count) / Math.max(gaps - 1, 1));
    const column = new Uint32Array(last - first);
    for (let i = 0; i < column.length; i++) column[i] = Math.floor((i * width) / column.length);
    const packed = new Uint32Array(width * rows);
    const highest = new Uint32Array(width);
    for (let row = 0; row < rows; row++) {
      highest.fill(0);
      const start = row * gaps + first;
      for (let i = 0; i < column.length; i++) {
        const count = smaller[start + i];
        if (count > highest[column[i]]) highest[column[i]] = count;
      }
      const top = (rows - 1 - row) * width; // α upwards
      for (let x = 0; x < width; x++) packed[top + x] = colours[highest[x]];
    }
    return canvasOf(packed, width, rows);
  }

  shapes() {
    const [from, to] = this.view ?? this.full;
    const pixel = (to - from) / Math.max(this.plot.clientWidth, 1);
    const shapes = [
      this.strokes(this.cuts, MARKS.top, "threshold", pixel),
      this.strokes(this.gold, MARKS.bottom, "gold", pixel),
      ...this.band(),
      ...this.line({ y: this.alpha, role: "threshold", width: 1.5 }),
    ];
    if (Number.isInteger(this.selected) && this.selected < this.gaps) {
      shapes.push(...this.line({ x: this.selected + 1, role: "selected" }));
    }
    return shapes.filter(Boolean);
  }

  /** A stroke at each gap, one a pixel, as one path. */
  strokes(gaps, [low, high], role, pixel) {
    const steps = [];
    let drawn = NaN;
    for (const gap of gaps) {
      const at = Math.floor((gap + 1) / pixel);
      if (at === drawn) continue;
      drawn = at;
      steps.push(`M${gap + 1},${low}V${high}`);
    }
    if (!steps.length) return null;
    const line = { color: this.palette(role), width: pixel < 0.2 ? 2 : 1.2 };
    return { type: "path", name: role, path: steps.join(""), xref: "x", yref: "y", line };
  }

  /** The stretch of α in which no boundary changes, and on the axis every α where one does. */
  band() {
    const [low, high] = this.plateau;
    const shapes = [];
    const ends = { xref: "paper", yref: "y", y0: low, y1: high };
    const frame = { color: this.palette("threshold"), width: 1, dash: "dot" };
    for (const edge of [low, high]) shapes.push(...this.line({ y: edge, role: "threshold", width: 1, dash: "dot" }));
    for (const [x0, x1] of [[-0.007, 0], [1, 1.007]]) {
      shapes.push({ type: "rect", name: "plateau", ...ends, x0, x1, line: { ...frame, width: 0 }, fillcolor: frame.color });
    }
    const high_ = this.area?.height ?? 300;
    const steps = [];
    let drawn = NaN;
    for (const alpha of this.changes) {
      const at = Math.floor(alpha * high_);
      if (at !== drawn) steps.push(`M1.009,${alpha.toFixed(5)}H1.018`);
      drawn = at;
    }
    if (steps.length) {
      const line = { color: this.palette("muted"), width: 1 };
      shapes.push({ type: "path", name: "changes", path: steps.join(""), xref: "paper", yref: "y", line });
    }
    return shapes;
  }

  description() {
    return (
      `The percentile below which each of ${this.gaps} gaps is a boundary, for every α; ${this.cuts.length} are now. ` +
      "Arrow keys move over gaps and α, with shift from boundary to boundary or ten steps of α; Enter takes the " +
      "setting at which the gap is just a boundary; Escape: none."
    );
  }

  settled(head) {
    return settleSelection(head.document, head.selected);
  }

  reveal(gap) {
    if (Number.isInteger(gap)) this.bring(gap + 1);
  }

  /** Where the keys begin: at the chosen gap, else at the left edge, at the present α. */
  start() {
    const column = Number.isInteger(this.selected) ? this.selected : Math.ceil((this.view ?? this.full)[0]) - 1;
    return { column, row: Math.round(this.alpha * (this.rows - 1)) };
  }

  stepped({ column, row }, [across, up], far) {
    if (!far || up) return { column: column + across, row: row + up * (far ? 10 : 1) };
    const at = across > 0 ? lowerBound(this.cuts, column + 1) : lowerBound(this.cuts, column) - 1;
    return { column: this.cuts[at] ?? column, row };
  }

  told({ column, row }) {
    const head = element("div", "cs-tip-head");
    head.append(element("b", "", `Gap ${number.format(column + 1)}`), element("span", "", `α ${(row / (this.rows - 1)).toFixed(2)}`));
    if (this.gold.includes(column)) {
      const gold = element("span", "cs-tip-fate", "gold");
      gold.style.color = "var(--cs-gold)";
      head.append(gold);
    }
    const flip = this.flip(column, row);
    const now = flip > this.percentile;
    const line = Number.isFinite(flip) && flip > LOWEST
      ? tipLine("boundary below percentile ", element("b", "", flip.toFixed(2)), now ? `: cut at ${this.percentile}` : `: not cut at ${this.percentile}`)
      : tipLine(`no boundary at any percentile from ${LOWEST}`);
    const parts = [head, line];
    const stored = shared.documents.get(this.document);
    if (!stored || column + 1 >= stored.sentences) return parts;
    for (const sentence of [column, column + 1]) {
      const quote = element("div", "cs-tip-text", clip(sentenceText(stored, sentence), CLIPPED));
      quote.dir = "auto";
      parts.push(quote);
    }
    return parts;
  }

  take({ column, row }) {
    this.selected = column;
    this.mark();
    chooseGap(this.document, column, this);
    this.setTriggerValue("take", { document: this.document, gap: column, alpha: row / (this.rows - 1) });
  }

  dropSelection() {
    if (this.selected === null) return;
    this.selected = null;
    this.mark();
    chooseGap(this.document, null, this);
    this.setTriggerValue("take", { document: this.document, gap: null, alpha: null });
  }
}

export default mounted(Landscape);
