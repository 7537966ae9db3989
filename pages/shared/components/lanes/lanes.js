// The lanes: draws the frame and the marks that Python made, thins them out, and adds hovering, choosing and keys.
//
// On the axis a place is a position in its unit; everywhere else (events, choices, the visible part) it is a character
// offset, so that both survive a change of the unit.

/** @import { Cuts } from "../../../../chunking/web/engine/cuts.js" */
/** @import { LanesBody, LanesHead, LaneMarks, LiveSetting } from "../messages.js" */
/** @import { Range } from "../plotly_js/views.js" */
/** @import { Under } from "./places.js" */
import { BUS, announce, chooseGap, listen, settleSelection, shared } from "../base/bus.js";
import { closest, colored, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { visible } from "../base/text.js";
import { Preview, changeWords } from "../live/preview.js";
import { enlargedMargin } from "../plotly_js/enlarge.js";
import { Legend, PlotView } from "../plotly_js/plot_view.js";
import { movedTo } from "../plotly_js/views.js";
import { aboutCurve, aboutLane, aboutRibbon, positionWords, presentCount } from "./about.js";
import { editedLane } from "./edited.js";
import { LaneLabels } from "./labels.js";
import { LanesLayer } from "./layer.js";
import { legendEntries } from "./legend.js";
import { curveBetween, marksPath, partOf } from "./marks.js";
import { boundaryFrom, holdsOffset, placeMeant } from "./places.js";
import { LaneScale, nearestWithin } from "./scale.js";

const NEAR_PX = 6;
const LEAD_MS = 120;
const REPORT_KEY_MS = 180;
const SPARSE_PX = 8; // pixels a stroke has on average, above which strokes are drawn a pixel wider
/** @extends {PlotView<LanesHead, LanesBody, Under>} */
class LaneChart extends PlotView {
  /** @type {number | null} */ lane = null; // the lane whose boundary was chosen, along which the keys move
  viewDigits = 1;
  soon = 0;
  labels = new LaneLabels();
  layer = new LanesLayer();
  /** Indices of the shapes that are strokes of the lane being edited. @type {number[]} */ ownShapes = [];

  /** @param {HTMLElement} parent */
  constructor(parent) {
    const [line, dot, cursor] = ["cs-place-line", "cs-place-row", "cs-cursor"].map((name) => element("div", name));
    super(parent, "cs-lanes", line, dot, cursor);
    this.line = line;
    this.dot = dot;
    this.cursor = cursor;
    this.note = element("div", "cs-thinned");
    this.plot.after(this.layer.canvas, this.labels.root, this.note);
    this.entries = new Legend(this.legend, () => this.draw());
    listen(BUS.select, this, this.abort.signal, ({ gap }) => {
      this.selected = this.existing(gap);
      this.lane = null;
      this.remark();
      this.reveal(this.selected);
    });
    this.preview = new Preview(this, this.abort.signal);
  }

  get name() {
    return "lanes";
  }

  /** The places chosen in a document are kept beside the gaps chosen in it. */
  get topic() {
    return `${this.document}#place`;
  }

  get least() {
    return this.scale.least;
  }

  taken() {
    this.hide();
    this.preview.answered();
    if (this.lane !== null && this.lane >= this.data.lanes.length) this.lane = null;
  }

  /** @param {LanesHead} head */
  moved(head) {
    super.moved(head);
    this.lane = null;
  }

  /** @param {LanesHead} head */
  settled(head) {
    this.keepPart();
    return this.existing(settleSelection(this.topic, head.selected));
  }

  /** @param {number | null} offset */
  existing(offset) {
    return offset !== null && offset <= this.data.end ? offset : null;
  }

  // ---- positions and offsets

  get scale() {
    return new LaneScale(this.data);
  }

  get full() {
    return this.scale.full;
  }

  /** The position of an offset; a boundary stands where its lane says. @param {number} offset */
  positionOf(offset) {
    return this.scale.positionOf(offset, this.lane);
  }

  /** The visible part of the axis, in its unit. @returns {Range} */
  get range() {
    const { view, scale } = this;
    return view ? [scale.placeOf(view[0]), scale.placeOf(view[1])] : scale.full;
  }

  /** @param {Range | null} view @returns {Range | null} */
  clamped(view) {
    return this.scale.clamped(view);
  }

  // ---- drawing

  get height() {
    return super.height - 26; // the legend above the plot takes less room than Plotly's
  }

  layout() {
    const { tint } = this.data;
    const plain = this.palette;
    this.palette = (role) => (role.endsWith(tint) ? plain(role.slice(0, -tint.length)) + tint : plain(role));
    const layout = colored(this.data.figure.layout, this.palette);
    layout.margin.t = 8;
    layout.height = this.height;
    const family = getComputedStyle(this.root).fontFamily;
    // As for type of the usual size: all margins are enlarged after this.
    layout.margin.l = this.labels.margin(this.data.lanes, this.document, family, this.plot.clientWidth / this.wantedTypeFactor);
    layout.yaxis2.showticklabels = layout.yaxis3.showticklabels = false; // labels of ours replace them
    const { hidden } = this.entries;
    if (hidden.has("threshold") || hidden.has("fused")) layout.annotations = [];
    return layout;
  }

  /** The visible part of the axis with half its width to either side, so that panning finds something there. */
  get stretch() {
    const [from, to] = this.range;
    return [from - (to - from) / 2, to + (to - from) / 2];
  }

  /** Width of a pixel on the axis. */
  get pixel() {
    const [from, to] = this.range;
    return (to - from) / Math.max(1, this.plotWidth);
  }

  plotWidth = 0;

  /** @param {any} layout @param {number} width */
  traces(layout, width) {
    this.plotWidth = width - layout.margin.l - layout.margin.r;
    const [from, to] = this.stretch;
    return this.data.figure.data.map((trace) => {
      const shown = { ...colored(trace, this.palette), visible: !this.entries.hidden.has(trace.uid) };
      return trace.uid === "fused" ? { ...shown, ...curveBetween(trace.x, trace.y, from, to, this.pixel) } : shown;
    });
  }

  /** The marks: Plotly makes an SVG element for each marker and each piece of a line, but one for a shape. */
  shapes() {
    const [from, to] = this.stretch;
    const wider = this.strokeWidening(this.data.lanes.map(({ x }) => x));
    const row = this.followed?.row ?? -1;
    const shapes = [];
    this.ownShapes = [];
    // The strokes of the lane being edited are shapes of their own, which a preview hides.
    for (const marks of this.data.marks) {
      const own = marks.axis === "y3" && !marks.until && marks.row.includes(row);
      for (const part of own ? [partOf(marks, (each) => each !== row), partOf(marks, (each) => each === row)] : [marks]) {
        const path = this.entries.hidden.has(marks.group) ? "" : marksPath(part, from, to, this.pixel);
        if (!path) continue;
        if (own && part.row[0] === row) this.ownShapes.push(shapes.length);
        shapes.push(this.markShape(part, path, wider));
      }
    }
    return shapes;
  }

  /** The most boundaries that are visible in one of some lanes. @param {ArrayLike<number>[]} places */
  densest(places) {
    const [left, right] = this.range;
    return Math.max(0, ...places.map((x) => lowerBound(x, right) - lowerBound(x, left)));
  }

  /** Pixels that strokes are wider where they lie sparse. @param {ArrayLike<number>[]} places of all lanes */
  strokeWidening(places) {
    return this.densest(places) * SPARSE_PX < this.plotWidth ? 1 : 0;
  }

  noteCrowd() {
    const densest = this.densest(this.data.lanes.map(({ x }) => x));
    const crowded = densest > this.plotWidth / 2;
    this.note.textContent = crowded ? `up to ${number.format(densest)} boundaries in a lane · zoom in for each` : "";
  }

  /** @param {LaneMarks} marks @param {string} path @param {number} wider */
  markShape({ uid, axis, opacity, color, until, width, dash }, path, wider) {
    return {
      type: "path", name: uid, path, xref: "x", yref: axis, layer: "above", opacity,
      fillcolor: until ? colored(color + this.data.tint, this.palette) : "rgba(0,0,0,0)",
      line: { color: colored(color, this.palette), width: until ? 1 : width + wider, dash },
    };
  }

  placed() {
    this.entries.fill(legendEntries(this.data));
    this.labels.fill(this.data, this.axes, this.area.left);
    this.remark();
    if (this.preview.setting) this.preview.draw();
    else this.preview.hide();
  }

  // ---- a control of the lane being edited is moved

  get followed() {
    return this.data?.live ?? null;
  }

  /** @param {Cuts} cuts @param {unknown} _source @param {LiveSetting} setting */
  drawPreview(cuts, _source, setting) {
    const live = this.followed;
    if (!live) return;
    const { strokes, ribbon, counts } = editedLane(this.data, live, cuts);
    const all = strokes.flatMap(({ x }) => x).sort((one, other) => one - other);
    const wider = this.strokeWidening(this.data.lanes.map(({ x }, row) => (row === live.row ? all : x)));
    const { axes, area, palette } = this;
    const font = getComputedStyle(this.root).fontFamily;
    this.showOwn(false);
    this.root.classList.toggle("cs-live-curve", live.leads);
    const visibleStrokes = strokes.filter(({ group }) => !this.entries.hidden.has(group));
    const frame = { axes, area, font, wider, color: palette, row: live.row };
    this.layer.draw(visibleStrokes, ribbon, live.leads ? this.previewCurve(cuts, setting) : null, frame);
    this.note.textContent = changeWords(cuts.boundaries.length, counts);
  }

  /** @param {Cuts} cuts @param {LiveSetting} setting */
  previewCurve({ fused, value }, { rule }) {
    const { gaps, figure } = this.data;
    const { hidden } = this.entries;
    const [from, to] = this.range;
    const { x, y } = curveBetween(gaps.x, fused, from, to, this.pixel);
    const width = figure.data.find((/** @type {any} */ { uid }) => uid === "fused")?.line.width ?? 1;
    const threshold = rule === "gradient" ? NaN : value; // the slope has no place on the axis of the curve
    return { x, y, threshold, width, shown: !hidden.has("fused"), lined: !hidden.has("threshold") };
  }

  endPreview() {
    this.layer.clear();
    this.root.classList.remove("cs-live-curve");
    if (!this.drawn) return;
    this.showOwn(true);
    this.noteCrowd();
  }

  /** Shows or hides Plotly's strokes of the lane being edited, and of the ribbon. @param {boolean} shown */
  showOwn(shown) {
    this.showShapes(({ yref }, index) => yref === "y2" || this.ownShapes.includes(index), shown);
  }

  /** An image of what is seen, with the figure's own labels and legend. */
  image() {
    const { data, layout: seen } = /** @type {any} */ (this.plot);
    const shapes = [...seen.shapes];
    if (this.selected !== null) {
      const at = this.positionOf(this.selected);
      shapes.push({ ...colored(this.data.shape, this.palette), x0: at, x1: at });
    }
    const entries = this.data.entries.filter(({ uid }) => !this.entries.hidden.has(uid.replace("legend-", "")));
    const height = this.data.figure.layout.height * this.typeFactor;
    const margin = enlargedMargin(this.data.figure.layout.margin, this.typeFactor);
    const [yaxis2, yaxis3] = [seen.yaxis2, seen.yaxis3].map((axis) => ({ ...axis, showticklabels: true }));
    const layout = { shapes, margin, showlegend: true, yaxis2, yaxis3 };
    return { data: [...data, ...colored(entries, this.palette)], layout, height };
  }

  /** The line through the chosen place, and the dot in its lane. */
  remark() {
    if (!this.drawn) return;
    this.labels.mark(this.lane);
    this.line.hidden = this.dot.hidden = true;
    if (this.selected === null) return;
    const x = this.positionOf(this.selected);
    this.placeLine(this.line, x);
    this.dot.hidden = this.line.hidden || this.lane === null;
    const { yaxis3 } = this.axes;
    this.dot.style.transform = `translate(${this.pixelOf(x)}px, ${yaxis3._offset + yaxis3.d2p(this.lane ?? 0)}px)`;
  }

  description() {
    const { lanes, length, unit } = this.data;
    return (
      `${lanes.length} lanes on ${number.format(Math.round(length))} ${unit}. ` +
      "Arrow left and right: previous and next boundary of the lane; up and down: another lane; Escape: clear the selection."
    );
  }

  // ---- zoom

  /** @param {Range | null} range @param {boolean} [following] another component, which must not be led in turn */
  show(range, following = false) {
    const { scale } = this;
    this.view = scale.clamped(range && [scale.offsetOf(range[0]), scale.offsetOf(range[1])]);
    this.hide();
    // A wheel reports more often than the screen shows.
    cancelAnimationFrame(this.soon);
    this.soon = requestAnimationFrame(() => this.draw());
    this.reportView();
    if (!following) this.lead();
  }

  /** Makes the text follow to the part that is visible now, unless that part only grew. */
  lead() {
    this.timers.set("lead", LEAD_MS, () => {
      const before = shared.parts.get(this.topic);
      this.keepPart();
      if (!this.view || (before && this.view[0] <= before[0] && this.view[1] >= before[1])) return;
      announce(BUS.view, { document: this.topic, source: this });
    });
  }

  keepPart() {
    if (this.view) shared.parts.set(this.topic, this.view.map(Math.round));
    else shared.parts.delete(this.topic);
  }

  /** @param {number | null} offset */
  reveal(offset) {
    if (offset === null || !this.view || !this.drawn) return;
    const { range } = this;
    const at = this.positionOf(offset);
    if (at >= range[0] && at <= range[1]) return;
    const start = at - (range[1] - range[0]) / 2;
    this.show(movedTo(range, this.full, start), true);
  }

  // ---- pointer and keys

  dragged() {
    this.hide();
    this.line.hidden = this.dot.hidden = true;
  }

  /** What is under a pointer. @param {PointerEvent} event @returns {Under | null} */
  under(event) {
    const position = this.placeUnder(event);
    if (position === null) return null;
    const y = event.clientY - this.plot.getBoundingClientRect().top;
    const { yaxis2, yaxis3 } = this.axes;
    const inside = (/** @type {any} */ axis) => axis.visible && y >= axis._offset - 4 && y <= axis._offset + axis._length + 4;
    const count = this.data.lanes.length;
    if (inside(yaxis3) && count) {
      const row = Math.floor(((y - yaxis3._offset) / yaxis3._length) * count);
      return { position, band: "lane", row: Math.max(0, Math.min(count - 1, row)) };
    }
    return { position, band: inside(yaxis2) ? "ribbon" : "curve", row: -1 };
  }

  /** Index of the value nearest to a position, −1 where none is within reach of the pointer.
   *
   * @param {ArrayLike<number>} xs
   * @param {number} position
   */
  near(xs, position) {
    const [from, to] = this.range;
    return nearestWithin(xs, position, (NEAR_PX * (to - from)) / this.area.width);
  }

  /** @param {Under | null} under @param {PointerEvent} event */
  pointed(under, event) {
    if (!under) return this.hide();
    const { position, parts } = this.about(under);
    this.placeLine(this.cursor, position);
    this.tip.replaceChildren(...parts);
    this.tip.hidden = !parts.length;
    this.placeTip(position, this.heightOf(event));
  }

  /** @param {Under} under */
  about({ band, row, position }) {
    const near = this.near.bind(this);
    if (band === "lane") return aboutLane(this.data, this.document, this.data.lanes[row], position, near);
    if (band === "ribbon") return aboutRibbon(this.data, position, near);
    return aboutCurve(this.data, this.document, position, near);
  }

  hide() {
    this.cursor.hidden = this.tip.hidden = true;
  }

  /** A name is clicked to move along its lane. @param {PointerEvent} event */
  pressed(event) {
    super.pressed(event);
    const label = closest(event.target, ".cs-label");
    if (event.button === 0 && label?.dataset.row !== undefined) this.goToLane(Number(label.dataset.row));
  }

  /** @param {Under} under */
  clicked(under) {
    const { selected, lane } = this;
    const place = placeMeant(this.data, under, this.near.bind(this));
    this.choose(place.offset, place.lane, 0);
    return () => this.choose(selected, lane, 0);
  }

  /** @param {KeyboardEvent} event */
  key({ key }) {
    if (key === "Escape") {
      this.choose(null, null, 0);
      this.hide();
    } else if (key === "ArrowLeft" || key === "ArrowRight") this.goToBoundary(key === "ArrowRight" ? 1 : -1);
    else if (key === "ArrowUp" || key === "ArrowDown") {
      const next = this.lane === null ? 0 : this.lane + (key === "ArrowDown" ? 1 : -1);
      if (next >= 0 && next < this.data.lanes.length) this.goToLane(next);
    } else return false;
    return true;
  }

  /** The next boundary of the chosen lane, from the chosen place or the edge of what is visible. @param {number} step */
  goToBoundary(step) {
    const row = this.lane ?? 0;
    const offsets = this.data.lanes[row]?.offset;
    if (!offsets?.length) return;
    const [from, to] = this.range;
    const start = this.selected ?? Math.round(this.scale.offsetOf(step > 0 ? from : to)) - step;
    const offset = boundaryFrom(offsets, start, step);
    if (offset === null) return;
    this.choose(offset, row, REPORT_KEY_MS);
    this.reveal(offset);
  }

  /** Makes a lane the one that the keys move along; the chosen place stays. @param {number} row */
  goToLane(row) {
    this.lane = row;
    this.remark();
    const lane = this.data.lanes[row];
    this.live.textContent = `${lane.title}: ${plural(presentCount(this.data, lane), "boundary", "boundaries")}`;
  }

  /** @param {number | null} offset @param {number | null} lane @param {number} delay */
  choose(offset, lane, delay) {
    const same = offset === this.selected;
    this.selected = offset;
    if (lane !== null || offset === null) this.lane = lane;
    else if (this.lane === null || !holdsOffset(this.data.lanes[this.lane].offset, offset)) this.lane = null;
    this.remark();
    this.live.textContent = offset === null ? "No position selected" : this.summary(offset);
    if (same) return;
    chooseGap(this.topic, offset, this);
    const { document } = this;
    this.timers.set("place", delay, () =>
      this.component.setTriggerValue("place", { document, offset, lane: this.lane }),
    );
  }

  /** @param {number} offset */
  summary(offset) {
    const words = positionWords(this.data, this.positionOf(offset));
    return this.lane === null ? words : `${visible(this.data.lanes[this.lane].title)}: ${words}`;
  }

  destroy() {
    cancelAnimationFrame(this.soon);
    super.destroy();
  }
}

export default mounted(LaneChart);
