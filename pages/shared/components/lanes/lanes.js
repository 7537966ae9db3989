// The lanes: draws the frame and the marks that Python made, thins them out, and adds hovering, choosing and keys.
//
// On the axis a place is a position in its unit; everywhere else (events, choices, the visible part) it is a character
// offset, so that both survive a change of the unit.

/** @import { Cuts } from "../live/cuts.js" */
/** @import { LanesBody, LanesHead, LaneMarks, LiveSetting } from "../messages.js" */
/** @import { Range } from "../plotly_js/views.js" */
import { BUS, announce, chooseGap, listen, settleSelection, shared } from "../base/bus.js";
import { closest, colored, contextOf, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { oneLine, visible } from "../base/text.js";
import { Preview, changeWords } from "../live/preview.js";
import { Legend, PlotView, lineMark } from "../plotly_js/plot_view.js";
import { movedTo } from "../plotly_js/views.js";
import { aboutCurve, aboutLane, aboutRibbon, positionWords, presentCount } from "./about.js";
import { cutChanges, nearestGaps, ribbonLevels } from "./changes.js";
import { LanesLayer } from "./layer.js";
import { between, marksPath, partOf, thinned } from "./marks.js";

const THIN_ABOVE = 2000; // visible gaps
const NEAR_PX = 6;
const LEAD_MS = 120;
const REPORT_KEY_MS = 180;
const LABEL_GAP = 8;
const LABEL_SHARE = 0.26; // of the width, at most for the lanes' names
const LABEL_LEAST = 90;
const LABEL_PADDING = 12;
const SPARSE_PX = 8; // pixels a stroke has on average, above which strokes are drawn a pixel wider
/** @type {Record<string, number>} */
const SHORTEST = { sentences: 2, tokens: 4, characters: 8 }; // the closest view

/** @typedef {{position: number, band: "curve" | "ribbon" | "lane", row: number}} Under row of a lane, else -1 */

/** @extends {PlotView<LanesHead, LanesBody, Under>} */
class LaneChart extends PlotView {
  /** @type {number | null} */ lane = null; // the lane whose boundary was chosen, along which the keys move
  viewDigits = 1;
  soon = 0;
  named = { lanes: "", width: 0 }; // which lanes, and what their names have needed
  layer = new LanesLayer();
  /** Indices of the shapes that are strokes of the lane being edited. @type {number[]} */ ownShapes = [];

  /** @param {HTMLElement} parent */
  constructor(parent) {
    const [line, dot, cursor] = ["cs-place-line", "cs-place-row", "cs-cursor"].map((name) => element("div", name));
    super(parent, "cs-lanes", line, dot, cursor);
    this.line = line;
    this.dot = dot;
    this.cursor = cursor;
    this.labels = element("div", "cs-labels");
    this.note = element("div", "cs-thinned");
    this.plot.after(this.layer.canvas, this.labels, this.note);
    this.pen = contextOf(element("canvas"));
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
    return SHORTEST[this.data.unit];
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

  /** @returns {Range} */
  get full() {
    return [0, Math.max(this.data.length, 1)];
  }

  /** @param {number} position */
  offsetOf(position) {
    const { gaps, length, end } = this.data;
    return between(gaps.x, gaps.offset, position, length, end);
  }

  /** The position of any offset, in proportion between two gaps. @param {number} offset */
  placeOf(offset) {
    const { gaps, length, end } = this.data;
    return between(gaps.offset, gaps.x, Math.max(0, Math.min(end, offset)), end, length);
  }

  /** The position of an offset; a boundary stands where its lane says. @param {number} offset */
  positionOf(offset) {
    const { lanes } = this.data;
    for (const lane of this.lane === null ? lanes : [lanes[this.lane], ...lanes]) {
      const at = lowerBound(lane.offset, offset);
      if (lane.offset[at] === offset) return lane.x[at];
    }
    return this.placeOf(offset);
  }

  /** The visible part of the axis, in its unit. @returns {Range} */
  get range() {
    return this.view ? [this.placeOf(this.view[0]), this.placeOf(this.view[1])] : this.full;
  }

  /** A part of the document, not shorter than the closest view; null where it is all of it. @param {Range | null} view @returns {Range | null} */
  clamped(view) {
    if (!view) return null;
    const [, span] = this.full;
    const positions = view.map((offset) => this.placeOf(offset)).sort((one, other) => one - other);
    const least = Math.min(span, this.least);
    if (positions[1] - positions[0] < least) {
      const start = Math.max(0, Math.min(span - least, (positions[0] + positions[1] - least) / 2));
      positions.splice(0, 2, start, start + least);
      view = [this.offsetOf(start), this.offsetOf(start + least)];
    }
    const everything = positions[0] < span / 1e5 && span - positions[1] < span / 1e5;
    const [first, last] = [Math.max(0, Math.min(...view)), Math.min(this.data.end, Math.max(...view))];
    return everything || !(last > first) ? null : [first, last];
  }

  // ---- drawing

  layout() {
    const { tint } = this.data;
    const plain = this.palette;
    this.palette = (role) => (role.endsWith(tint) ? plain(role.slice(0, -tint.length)) + tint : plain(role));
    const layout = colored(this.data.figure.layout, this.palette);
    layout.margin.t = 8;
    layout.height -= 26; // the legend above the plot takes less room
    layout.margin.l = this.labelWidth(getComputedStyle(this.root).fontFamily, this.plot.clientWidth);
    layout.yaxis2.showticklabels = layout.yaxis3.showticklabels = false; // labels of ours replace them
    const { hidden } = this.entries;
    if (hidden.has("threshold") || hidden.has("fused")) layout.annotations = [];
    return layout;
  }

  /** The margin that the lanes' names take: what the longest needs, and no more than a share of the window.
   *
   * A name tells the setting, so it changes with it: the margin does not shrink until there are other lanes.
   *
   * @param {string} family
   * @param {number} width
   */
  labelWidth(family, width) {
    const { pen } = this;
    const widths = this.data.lanes.map(({ title, kind }) => {
      pen.font = `${kind === "gold" ? 600 : 400} 12px ${family}`;
      return pen.measureText(visible(title)).width;
    });
    const lanes = `${this.document}/${this.data.lanes.length}`;
    const before = lanes === this.named.lanes ? this.named.width : 0;
    const wanted = Math.max(before, Math.ceil(Math.max(0, ...widths)) + LABEL_GAP + LABEL_PADDING);
    this.named = { lanes, width: wanted };
    return Math.min(Math.max(LABEL_LEAST, wanted), Math.max(LABEL_LEAST, Math.round(width * LABEL_SHARE)));
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
      if (trace.uid !== "fused") return shown;
      const first = Math.max(0, lowerBound(trace.x, from) - 1);
      const last = Math.min(trace.x.length, lowerBound(trace.x, to) + 1);
      if (last - first > THIN_ABOVE) return { ...shown, ...thinned(trace.x, trace.y, first, last, this.pixel) };
      return { ...shown, x: trace.x.subarray(first, last), y: trace.y.subarray(first, last) };
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
    this.fillLegend();
    this.fillLabels();
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
    const { lanes, gaps } = this.data;
    const lane = lanes[live.row];
    const present = Array.from(lane.change.keys()).filter((at) => this.data.changes[lane.change[at]] !== "gone");
    const before = nearestGaps(present.map((at) => lane.offset[at]), gaps.offset);
    const { moved, appeared, gone } = cutChanges(before, cuts.boundaries, live.tolerance);
    const shown = { gone: present.filter((_, at) => gone.has(before[at])).map((at) => lane.x[at]) };
    const strokes = this.previewStrokes(cuts.boundaries, lane.kind, shown.gone, moved, appeared);
    const all = strokes.flatMap(({ x }) => x).sort((one, other) => one - other);
    const wider = this.strokeWidening(lanes.map(({ x }, row) => (row === live.row ? all : x)));
    const { axes, area, palette } = this;
    const font = getComputedStyle(this.root).fontFamily;
    this.showOwn(false);
    this.root.classList.toggle("cs-live-curve", live.leads);
    const visibleStrokes = strokes.filter(({ group }) => !this.entries.hidden.has(group));
    const frame = { axes, area, font, wider, color: palette, row: live.row };
    const levels = ribbonLevels(live.votes, cuts.boundaries, live.voters, live.levels.length);
    const ribbon = levels.map((of, level) => ({ x: of.map((gap) => gaps.x[gap]), look: live.levels[level] }));
    this.layer.draw(visibleStrokes, ribbon, live.leads ? this.previewCurve(cuts, setting) : null, frame);
    const counts = { moved: moved.size, added: appeared.size, removed: gone.size };
    this.note.textContent = changeWords(cuts.boundaries.length, counts);
  }

  /** The strokes of the lane, as Python will mark them: in the order in which they are drawn.
   *
   * @param {number[]} boundaries
   * @param {string} kind
   * @param {number[]} gone positions
   * @param {Set<number>} moved
   * @param {Set<number>} appeared
   */
  previewStrokes(boundaries, kind, gone, moved, appeared) {
    const { gaps, live } = this.data;
    const looks = live?.looks ?? {};
    const at = (/** @type {number[]} */ of) => of.map((gap) => gaps.x[gap]);
    const groups = {
      [kind]: at(boundaries.filter((gap) => !moved.has(gap) && !appeared.has(gap))),
      gone,
      moved: at(boundaries.filter((gap) => moved.has(gap))),
      appeared: at(boundaries.filter((gap) => appeared.has(gap))),
    };
    return Object.entries(groups).map(([group, x]) => ({ group, x, look: looks[group] }));
  }

  /** @param {Cuts} cuts @param {LiveSetting} setting */
  previewCurve({ fused, value }, { rule }) {
    const { gaps, figure } = this.data;
    const { hidden } = this.entries;
    const [from, to] = this.range;
    const first = Math.max(0, lowerBound(gaps.x, from) - 1);
    const last = Math.min(gaps.x.length, lowerBound(gaps.x, to) + 1);
    const { x, y } =
      last - first > THIN_ABOVE
        ? thinned(gaps.x, fused, first, last, this.pixel)
        : { x: gaps.x.subarray(first, last), y: fused.subarray(first, last) };
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
    const { margin, height } = this.data.figure.layout;
    const [yaxis2, yaxis3] = [seen.yaxis2, seen.yaxis3].map((axis) => ({ ...axis, showticklabels: true }));
    const layout = { shapes, margin, showlegend: true, yaxis2, yaxis3 };
    return { data: [...data, ...colored(entries, this.palette)], layout, height };
  }

  fillLegend() {
    const curves = this.data.figure.data.filter(({ mode }) => mode === "lines");
    // The ribbon has its name beside it.
    const groups = new Map(this.data.marks.filter(({ axis }) => axis === "y3").map((marks) => [marks.group, marks]));
    this.entries.fill([
      ...curves.map(({ uid, name, line }) => ({ uid, name, mark: lineMark(line) })),
      ...[...groups].map(([uid, marks]) => ({ uid, name: marks.title, mark: swatch(marks) })),
    ]);
  }

  /** The rows' names, which end in an ellipsis where the margin is too narrow. */
  fillLabels() {
    const { yaxis2, yaxis3 } = this.axes;
    const rows = this.data.lanes.map(({ title, kind }, row) => ({ title, kind, row, y: yaxis3._offset + yaxis3.d2p(row) }));
    if (this.data.consensus.x.length) {
      rows.push({ title: "consensus", kind: "ribbon", row: -1, y: yaxis2._offset + yaxis2._length / 2 });
    }
    this.labels.style.width = `${this.area.left - LABEL_GAP}px`;
    this.labels.replaceChildren(
      ...rows.map(({ title, kind, row, y }) => {
        const label = element("div", "cs-label", oneLine(title));
        label.dir = "auto";
        label.title = kind === "ribbon" ? "Share of the lanes that cut at a place" : oneLine(title);
        label.dataset.kind = kind;
        if (row >= 0) label.dataset.row = String(row);
        label.style.top = `${Math.round(y)}px`;
        return label;
      }),
    );
  }

  /** The line through the chosen place, and the dot in its lane. */
  remark() {
    if (!this.drawn) return;
    for (const label of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.labels.children)) {
      label.classList.toggle("cs-chosen", this.lane !== null && label.dataset.row === String(this.lane));
    }
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
    this.view = this.clamped(range && [this.offsetOf(range[0]), this.offsetOf(range[1])]);
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
    const right = lowerBound(xs, position);
    const at = right > 0 && !(xs[right] - position < position - xs[right - 1]) ? right - 1 : right;
    const [from, to] = this.range;
    return at < xs.length && Math.abs(xs[at] - position) <= (NEAR_PX * (to - from)) / this.area.width ? at : -1;
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
    const place = this.placeAt(under);
    this.choose(place.offset, place.lane, 0);
    return () => this.choose(selected, lane, 0);
  }

  /** The place meant by a click: a boundary of the lane, a gap of the curve, else the nearest character. @param {Under} under */
  placeAt({ position, band, row }) {
    const { lanes, gaps, end } = this.data;
    if (band === "lane") {
      const at = this.near(lanes[row].x, position);
      if (at >= 0) return { offset: lanes[row].offset[at], lane: row };
    } else {
      const gap = this.near(gaps.x, this.snapped(band, position));
      if (gap >= 0) return { offset: gaps.offset[gap], lane: null };
    }
    return { offset: Math.max(0, Math.min(end, Math.round(this.offsetOf(position)))), lane: null };
  }

  /** @param {string} band @param {number} position */
  snapped(band, position) {
    const { x } = this.data.consensus;
    const at = band === "ribbon" ? this.near(x, position) : -1;
    return at >= 0 ? x[at] : position;
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
    const start = this.selected ?? Math.round(this.offsetOf(step > 0 ? from : to)) - step;
    const at = step > 0 ? lowerBound(offsets, start + 1) : lowerBound(offsets, start) - 1;
    if (at < 0 || at >= offsets.length) return;
    this.choose(offsets[at], row, REPORT_KEY_MS);
    this.reveal(offsets[at]);
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
    else if (!this.holds(this.lane, offset)) this.lane = null;
    this.remark();
    this.live.textContent = offset === null ? "No position selected" : this.summary(offset);
    if (same) return;
    chooseGap(this.topic, offset, this);
    const { document } = this;
    this.timers.set("place", delay, () =>
      this.component.setTriggerValue("place", { document, offset, lane: this.lane }),
    );
  }

  /** @param {number | null} row @param {number} offset */
  holds(row, offset) {
    if (row === null) return false;
    const offsets = this.data.lanes[row].offset;
    return offsets[lowerBound(offsets, offset)] === offset;
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

/** The mark of a group in the legend. @param {LaneMarks} marks */
function swatch({ color, until, width, dash }) {
  const mark = element("i", "cs-swatch");
  mark.style.color = `var(--cs-${color.replace("role:", "")})`;
  if (until) {
    mark.classList.add("cs-area");
    mark.style.background = "color-mix(in srgb, currentColor 28%, transparent)";
    mark.style.border = "1px solid currentColor";
  } else mark.style.borderLeft = `${width + 1}px ${dashing(dash)}`;
  return mark;
}

/** Plotly's dashing in CSS. @param {string} dash */
function dashing(dash) {
  if (dash === "solid") return "solid";
  return dash.startsWith("1px") ? "dotted" : "dashed";
}

export default mounted(LaneChart);
