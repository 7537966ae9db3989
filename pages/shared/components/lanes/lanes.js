// The lanes: draws the frame and the marks that Python made, thins them out, and adds hovering, choosing and keys.
//
// On the axis a place is a position in its unit; everywhere else (events, choices, the visible part) it is a character
// offset, so that both outlast a change of the unit.

import { BUS, announce, chooseGap, settleSelection, shared } from "../base/bus.js";
import { applyTheme, colored, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { clip, visible } from "../base/text.js";
import { unpack } from "../base/wire.js";
import { loadPlotly } from "../plotly_js/plotly.js";

const THIN_ABOVE = 4000; // visible gaps
const NEAR_PX = 6;
const CLICK_PX = 4;
const REPORT_VIEW_MS = 350;
const LEAD_MS = 120;
const REPORT_KEY_MS = 180;
const CONTEXT = 80; // characters of text to either side of a boundary in the tooltip
const LABEL_GAP = 8;
const LABEL_SHARE = 0.26; // of the width, at most for the lanes' names
const LABEL_LEAST = 90;
const LABEL_PADDING = 12;
const SPARSE_PX = 8; // pixels a stroke has on average, above which strokes are drawn a pixel wider
const WHOLE_BELOW = 12; // units in view, below which the axis is labelled at each of them
const SHORTEST = { sentences: 2, tokens: 4, characters: 8 }; // the closest view
const KINDS = { strategy: "", gold: "gold", peer: "another library", yours: "yours" };

/** The value at `at` of the line through the points (xs[i], ys[i]), with both ends of the document added. */
function between(xs, ys, at, lastX, lastY) {
  const right = lowerBound(xs, at);
  const x0 = right > 0 ? xs[right - 1] : 0;
  const y0 = right > 0 ? ys[right - 1] : 0;
  const x1 = right < xs.length ? xs[right] : lastX;
  const y1 = right < xs.length ? ys[right] : lastY;
  return x1 > x0 ? y0 + ((at - x0) / (x1 - x0)) * (y1 - y0) : y1;
}

/** First, lowest, highest and last point of each pixel: what a line through all points would cover. */
function thinned(xs, ys, from, to, pixel) {
  const x = [];
  const y = [];
  const put = (index) => {
    x.push(xs[index]);
    y.push(ys[index]);
  };
  for (let start = from; start < to; ) {
    const edge = (Math.floor(xs[start] / pixel) + 1) * pixel;
    let low = start;
    let high = start;
    let next = start + 1;
    for (; next < to && xs[next] < edge; next++) {
      if (ys[next] < ys[low]) low = next;
      if (ys[next] > ys[high]) high = next;
    }
    for (const index of [...new Set([start, Math.min(low, high), Math.max(low, high), next - 1])]) put(index);
    start = next;
  }
  return { x, y };
}

/** Strokes between two positions as one path, each pixel of a row once. */
function strokesPath({ x, row, low, high }, from, to, pixel, digits) {
  const steps = [];
  let drawnRow = -1;
  let drawn = NaN;
  for (let i = 0; i < x.length; i++) {
    if (x[i] < from || x[i] > to) continue;
    const at = Math.floor(x[i] / pixel);
    if (at === drawn && row[i] === drawnRow) continue;
    drawn = at;
    drawnRow = row[i];
    steps.push(`M${x[i].toFixed(digits)},${(drawnRow + low).toFixed(2)}V${(drawnRow + high).toFixed(2)}`);
  }
  return steps.join("");
}

/** Stretches between two positions as one path; those that meet on a pixel are drawn as one. */
function stretchesPath({ x, until, row, low, high }, from, to, pixel, digits) {
  const steps = [];
  for (let i = 0; i < x.length; ) {
    const start = x[i];
    const of = row[i];
    let end = until[i];
    for (i++; i < x.length && row[i] === of && x[i] - end < pixel; i++) end = Math.max(end, until[i]);
    if (end < from || start > to) continue;
    const [top, bottom] = [(of + low).toFixed(2), (of + high).toFixed(2)];
    steps.push(`M${start.toFixed(digits)},${top}V${bottom}H${end.toFixed(digits)}V${top}Z`);
  }
  return steps.join("");
}

class LaneChart {
  constructor(parent) {
    this.root = element("div", "cs-chart cs-lanes");
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "application");
    this.legend = element("div", "cs-legend");
    this.plot = element("div", "cs-plot");
    this.labels = element("div", "cs-labels");
    this.cursor = element("div", "cs-cursor");
    this.line = element("div", "cs-place-line");
    this.dot = element("div", "cs-place-row");
    this.tip = element("div", "cs-tip");
    this.note = element("div", "cs-thinned");
    this.live = element("div", "cs-live");
    this.live.setAttribute("aria-live", "polite");
    for (const part of [this.cursor, this.line, this.dot, this.tip]) part.hidden = true;
    this.stage = element("div", "cs-stage");
    this.stage.append(this.plot, this.labels, this.note, this.line, this.dot, this.cursor, this.tip);
    this.root.append(this.legend, this.stage, this.live);
    parent.append(this.root);

    this.content = null;
    this.document = null;
    this.selected = null; // character offset
    this.lane = null; // the lane whose boundary was chosen, where the keys go on
    this.hovered = null; // position under the pointer
    this.view = null; // [from, to] as character offsets, null for all
    this.hiddenGroups = new Set();
    this.drawn = false;
    this.timers = new Map();
    this.abort = new AbortController();
    this.listen();
  }

  /** Takes a message from Python. */
  update({ data, setTriggerValue, setStateValue }) {
    this.setTriggerValue = setTriggerValue;
    this.setStateValue = setStateValue;
    const { head, body } = unpack(data);
    const theme = applyTheme(this.root);
    const changed = head.content !== this.content || theme !== this.theme;
    if (head.content !== this.content) {
      this.content = head.content;
      Object.assign(this, body());
      this.hide();
    }
    this.theme = theme;
    if (head.document !== this.document) {
      this.document = head.document;
      this.view = head.view;
      this.lane = null;
      this.dropTimers();
    }
    this.view = this.clampView(this.view);
    this.keepPart();
    if (this.lane !== null && this.lane >= this.lanes.length) this.lane = null;
    const before = this.selected;
    this.selected = this.existing(settleSelection(this.choices, head.selected));
    loadPlotly(head.plotly).then(
      (plotly) => {
        this.plotly = plotly;
        this.plot.classList.remove("cs-failed");
        if (changed || !this.drawn) this.draw();
        else this.markPlace();
        if (before !== this.selected) this.reveal(this.selected);
      },
      (error) => this.fail(error),
    );
  }

  /** Under this key the places chosen in the document are kept, beside the gaps chosen in it. */
  get choices() {
    return `${this.document}#place`;
  }

  existing(offset) {
    return Number.isInteger(offset) && offset >= 0 && offset <= this.end ? offset : null;
  }

  fail(error) {
    console.error("Chunkscope:", error);
    this.plot.classList.add("cs-failed");
    this.plot.textContent = "The lanes could not be drawn: the browser did not get Plotly.js. Reload the page.";
  }

  // ---- positions and offsets

  get span() {
    return Math.max(this.length, 1);
  }

  offsetOf(position) {
    return between(this.gaps.x, this.gaps.offset, position, this.length, this.end);
  }

  /** A boundary stands where its lane says; any other place, in proportion between two gaps. */
  positionOf(offset) {
    const lanes = this.lane === null ? this.lanes : [this.lanes[this.lane], ...this.lanes];
    for (const lane of lanes) {
      const at = lowerBound(lane.offset, offset);
      if (lane.offset[at] === offset) return lane.x[at];
    }
    return between(this.gaps.offset, this.gaps.x, offset, this.end, this.length);
  }

  /** The visible part of the axis, in its unit. */
  get range() {
    if (!this.view) return [0, this.span];
    return this.view.map((offset) => between(this.gaps.offset, this.gaps.x, offset, this.end, this.length));
  }

  /** A part of the document, not shorter than the closest view; null where it is all of it. */
  clampView(view) {
    if (!view) return null;
    let [from, to] = view
      .map((offset) => between(this.gaps.offset, this.gaps.x, Math.max(0, Math.min(this.end, offset)), this.end, this.length))
      .sort((one, other) => one - other);
    const missing = Math.min(this.span, SHORTEST[this.unit]) - (to - from);
    if (missing > 0) {
      from = Math.max(0, Math.min(this.span - (to - from) - missing, from - missing / 2));
      to = Math.min(this.span, from + Math.min(this.span, SHORTEST[this.unit]));
      view = [this.offsetOf(from), this.offsetOf(to)];
    }
    const everything = from < this.span / 1e5 && this.span - to < this.span / 1e5;
    const [first, last] = view[0] <= view[1] ? view : [view[1], view[0]];
    return everything || !(last > first) ? null : [Math.max(0, first), Math.min(this.end, last)];
  }

  // ---- drawing

  draw() {
    const width = this.plot.clientWidth;
    if (!this.plotly || !this.figure || !width) return; // hidden, for instance in a closed tab: drawn when it shows
    const style = getComputedStyle(this.root);
    const plain = (role) => style.getPropertyValue(`--cs-${role}`).trim();
    this.palette = (role) => (role.endsWith(this.tint) ? plain(role.slice(0, -this.tint.length)) + this.tint : plain(role));
    const layout = colored(this.figure.layout, this.palette);
    layout.margin.t = 8;
    layout.height -= 26; // the legend above the plot takes less room
    layout.margin.l = this.labelWidth(style.fontFamily, width);
    layout.xaxis.range = [...this.range];
    layout.xaxis.autorange = false;
    if (layout.xaxis.range[1] - layout.xaxis.range[0] < WHOLE_BELOW) layout.xaxis.dtick = 1;
    // Else Plotly keeps an edge that the user dragged wherever the new edge is that of before the drag.
    layout.xaxis.uirevision = this.drawings = (this.drawings ?? 0) + 1;
    layout.yaxis2.showticklabels = layout.yaxis3.showticklabels = false; // labels of ours stand there
    layout.autosize = true;
    layout.showlegend = false;
    layout.paper_bgcolor = "rgba(0,0,0,0)";
    layout.hovermode = false; // hovering is done here
    layout.font.family = style.fontFamily;
    layout.shapes = this.shapes(width - layout.margin.l - layout.margin.r);
    const hidden = this.hiddenGroups.has("threshold") || this.hiddenGroups.has("fused");
    if (hidden) layout.annotations = [];
    this.plotly.react(this.plot, this.traces(width), layout, this.config());
    if (!this.drawn) {
      this.drawn = true;
      this.plot.on("plotly_relayout", (change) => this.relayouted(change));
      this.plot.on("plotly_relayouting", () => this.hide(true));
    }
    this.fillLegend();
    this.measure();
    this.fillLabels();
    this.markPlace();
    this.root.setAttribute("aria-label", this.description());
    this.root.dataset.csContent = this.content;
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  /** The margin that the lanes' names take: what the longest needs, and no more than a share of the window. */
  labelWidth(family, width) {
    const pen = (this.pen ??= window.document.createElement("canvas").getContext("2d"));
    const widths = this.lanes.map(({ title, kind }) => {
      pen.font = `${kind === "gold" ? 600 : 400} 12px ${family}`;
      return pen.measureText(visible(title)).width;
    });
    const wanted = Math.ceil(Math.max(0, ...widths)) + LABEL_GAP + LABEL_PADDING;
    return Math.min(Math.max(LABEL_LEAST, wanted), Math.max(LABEL_LEAST, Math.round(width * LABEL_SHARE)));
  }

  /** The visible part of the axis with half its width to either side, so that panning finds something there. */
  get stretch() {
    const [from, to] = this.range;
    return [from - (to - from) / 2, to + (to - from) / 2];
  }

  traces(width) {
    const [from, to] = this.stretch;
    const pixel = (to - from) / 2 / width;
    return this.figure.data.map((trace) => {
      const shown = { ...colored(trace, this.palette), visible: !this.hiddenGroups.has(trace.uid) };
      if (trace.uid !== "fused") return shown;
      const first = Math.max(0, lowerBound(trace.x, from) - 1);
      const last = Math.min(trace.x.length, lowerBound(trace.x, to) + 1);
      if (last - first <= THIN_ABOVE / 2)
        return { ...shown, x: trace.x.subarray(first, last), y: trace.y.subarray(first, last) };
      return { ...shown, ...thinned(trace.x, trace.y, first, last, pixel) };
    });
  }

  /** The marks: Plotly makes an SVG element for each marker and each piece of a line, but one for a shape. */
  shapes(width) {
    const [from, to] = this.stretch;
    const [left, right] = this.range;
    const pixel = (right - left) / width;
    const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(pixel)) + 1));
    const densest = this.densest(left, right);
    const wider = densest * SPARSE_PX < width ? 1 : 0;
    this.note.textContent =
      densest > width / 2 ? `up to ${number.format(densest)} boundaries in a lane · zoom in for each` : "";
    const shapes = [];
    for (const marks of this.marks) {
      if (this.hiddenGroups.has(marks.group)) continue;
      const path = (marks.until ? stretchesPath : strokesPath)(marks, from, to, pixel, digits);
      if (!path) continue;
      const color = colored(marks.color, this.palette);
      const fill = marks.until ? colored(marks.color + this.tint, this.palette) : "rgba(0,0,0,0)";
      shapes.push({
        type: "path",
        name: marks.uid,
        path,
        xref: "x",
        yref: marks.axis,
        layer: "above",
        opacity: marks.opacity,
        fillcolor: fill,
        line: { color, width: marks.until ? 1 : marks.width + wider, dash: marks.dash },
      });
    }
    return shapes;
  }

  /** Boundaries that the fullest lane shows. */
  densest(from, to) {
    return Math.max(0, ...this.lanes.map(({ x }) => lowerBound(x, to) - lowerBound(x, from)));
  }

  config() {
    return (this.fixedConfig ??= {
      displaylogo: false,
      displayModeBar: "hover",
      doubleClick: false, // done here, where "all" is known
      responsive: false,
      scrollZoom: false,
      showTips: false,
      modeBarButtons: [
        ["zoom2d", "pan2d"],
        [
          "zoomIn2d",
          "zoomOut2d",
          { name: "all", title: "Show the whole document", icon: this.plotly.Icons.home, click: () => this.show(null) },
        ],
        [{ name: "image", title: "Download as an image", icon: this.plotly.Icons.camera, click: () => this.download() }],
      ],
    });
  }

  /** An image of what is seen, with the figure's own labels and legend. */
  download() {
    const seen = this.plot.layout;
    const shapes = [...seen.shapes];
    if (this.selected !== null) {
      const at = this.positionOf(this.selected);
      shapes.push({ ...colored(this.shape, this.palette), x0: at, x1: at });
    }
    const entries = this.entries.filter(({ uid }) => !this.hiddenGroups.has(uid.replace("legend-", "")));
    const { width } = this.plot._fullLayout;
    const layout = {
      ...seen,
      shapes,
      // The page's own font is not at hand where the image is made.
      font: { ...seen.font, family: "Arial, Helvetica, sans-serif" },
      margin: this.figure.layout.margin,
      paper_bgcolor: this.palette("surface"),
      showlegend: true,
      yaxis2: { ...seen.yaxis2, showticklabels: true },
      yaxis3: { ...seen.yaxis3, showticklabels: true },
    };
    this.plotly.downloadImage(
      { data: [...this.plot.data, ...colored(entries, this.palette)], layout },
      { format: "png", filename: "chunkscope-lanes", width, height: this.figure.layout.height, scale: 2 },
    );
  }

  /** One button a group: shows what its mark means, hides and brings back the group. */
  fillLegend() {
    const curves = this.figure.data.filter(({ mode }) => mode === "lines");
    // The ribbon has its name beside it.
    const groups = new Map(this.marks.filter(({ axis }) => axis === "y3").map((marks) => [marks.group, marks]));
    const entries = [
      ...curves.map(({ uid, name, line }) => ({ uid, name, line })),
      ...[...groups].map(([uid, marks]) => ({ uid, name: marks.title, marks })),
    ];
    const says = JSON.stringify(entries.map(({ uid, name }) => [uid, name, this.hiddenGroups.has(uid)]));
    if (says === this.legend.dataset.says) return;
    this.legend.dataset.says = says;
    const focused = this.legend.querySelector(":focus")?.dataset.uid;
    this.legend.replaceChildren(...entries.map((entry) => this.legendEntry(entry)));
    if (focused) this.legend.querySelector(`[data-uid="${CSS.escape(focused)}"]`)?.focus();
  }

  legendEntry({ uid, name, line, marks }) {
    const entry = element("button", "cs-entry");
    entry.type = "button";
    entry.dataset.uid = uid;
    entry.title = "Show or hide";
    entry.setAttribute("aria-pressed", String(!this.hiddenGroups.has(uid)));
    const mark = element("i", line ? "cs-stroke" : "cs-swatch");
    mark.style.color = `var(--cs-${(line ?? marks).color.replace("role:", "")})`;
    if (line) mark.style.borderTop = `${Math.max(1.5, line.width)}px ${line.dash ? "dashed" : "solid"}`;
    else if (marks.until) {
      mark.classList.add("cs-area");
      mark.style.background = "color-mix(in srgb, currentColor 28%, transparent)";
      mark.style.border = "1px solid currentColor";
    } else mark.style.borderLeft = `${marks.width + 1}px ${dashing(marks.dash)}`;
    entry.append(mark, element("span", "", name));
    entry.addEventListener("click", () => {
      if (!this.hiddenGroups.delete(uid)) this.hiddenGroups.add(uid);
      this.draw();
    });
    return entry;
  }

  /** The rows' names, which end in an ellipsis where the margin is too narrow. */
  fillLabels() {
    const { yaxis2, yaxis3 } = this.plot._fullLayout;
    const rows = this.lanes.map((lane, row) => ({ ...lane, row, y: yaxis3._offset + yaxis3.d2p(row) }));
    if (this.consensus.x.length) {
      rows.push({ title: "consensus", kind: "ribbon", row: null, y: yaxis2._offset + yaxis2._length / 2 });
    }
    this.labels.style.width = `${this.area.left - LABEL_GAP}px`;
    this.labels.replaceChildren(
      ...rows.map(({ title, kind, row, y }) => {
        const label = element("div", "cs-label", visible(title).replace(/\s+/g, " ").trim());
        label.dir = "auto";
        label.title = kind === "ribbon" ? "Share of the lanes that cut at a place" : label.textContent;
        label.dataset.kind = kind;
        if (row !== null) label.dataset.row = row;
        label.style.top = `${Math.round(y)}px`;
        return label;
      }),
    );
  }

  measure() {
    const { l, t, w, h } = this.plot._fullLayout._size;
    this.area = { left: l, top: t, width: w, height: h };
  }

  /** The line through the chosen place, and the dot in its lane. */
  markPlace() {
    if (!this.drawn) return;
    for (const label of this.labels.children) {
      label.classList.toggle("cs-chosen", this.lane !== null && label.dataset.row === String(this.lane));
    }
    const x = this.selected === null ? NaN : this.pixelOf(this.positionOf(this.selected));
    this.line.hidden = !(x >= -1 && x <= this.area.width + 1);
    this.dot.hidden = this.line.hidden || this.lane === null;
    if (this.line.hidden) return;
    const left = this.area.left + x;
    this.line.style.transform = `translate(${left}px, ${this.area.top}px)`;
    this.line.style.height = `${this.area.height}px`;
    if (this.dot.hidden) return;
    const { yaxis3 } = this.plot._fullLayout;
    this.dot.style.transform = `translate(${left}px, ${yaxis3._offset + yaxis3.d2p(this.lane)}px)`;
  }

  pixelOf(position) {
    return this.plot._fullLayout.xaxis.c2p(position);
  }

  description() {
    return (
      `${this.lanes.length} lanes on ${number.format(Math.round(this.length))} ${this.unit}. ` +
      "Arrow left and right: previous and next boundary of the lane; up and down: another lane; Escape: none."
    );
  }

  // ---- zoom

  relayouted(change) {
    const touched = Object.keys(change).some((name) => name.startsWith("xaxis.range") || name === "xaxis.autorange");
    if (!touched) return;
    this.view = this.clampView(this.plot._fullLayout.xaxis.range.map((position) => this.offsetOf(position)));
    this.draw();
    this.reportView();
    this.lead();
  }

  /** Shows a part of the axis, given in its unit; null for all. */
  show(range, following = false) {
    this.view = this.clampView(range?.map((position) => this.offsetOf(position)) ?? null);
    this.hide();
    // A wheel tells more often than the screen shows.
    cancelAnimationFrame(this.soon);
    this.soon = requestAnimationFrame(() => this.draw());
    this.reportView();
    if (!following) this.lead();
  }

  /** Takes what shows the text along to the part that is seen now, but for a part that only grew. */
  lead() {
    this.later("lead", LEAD_MS, () => {
      const before = shared.parts.get(this.choices);
      this.keepPart();
      if (!this.view || (before && this.view[0] <= before[0] && this.view[1] >= before[1])) return;
      announce(BUS.view, { document: this.choices, source: this });
    });
  }

  keepPart() {
    if (this.view) shared.parts.set(this.choices, this.view.map(Math.round));
    else shared.parts.delete(this.choices);
  }

  reportView() {
    this.later("view", REPORT_VIEW_MS, () => {
      const range = this.view?.map((edge) => Math.round(edge * 10) / 10) ?? null;
      this.setStateValue("view", { document: this.document, range });
    });
  }

  /** Pans, keeping the width, until a place is visible. */
  reveal(offset) {
    if (offset === null || !this.view || !this.drawn) return;
    const [from, to] = this.range;
    const at = this.positionOf(offset);
    if (at >= from && at <= to) return;
    const start = Math.max(0, Math.min(this.span - (to - from), at - (to - from) / 2));
    this.show([start, start + (to - from)], true);
  }

  // ---- pointer and keys

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler, options) => target.addEventListener(type, handler, { signal, ...options });
    on(this.stage, "pointermove", (event) => this.pointed(event));
    on(this.stage, "pointerleave", () => this.hide());
    on(this.stage, "pointerdown", (event) => this.pressed(event), { capture: true });
    on(window, "pointerup", (event) => this.released(event), { capture: true });
    on(this.root, "keydown", (event) => {
      this.root.classList.remove("cs-by-mouse");
      this.key(event);
    });
    on(this.root, "blur", () => this.hide());
    on(this.stage, "wheel", (event) => this.wheel(event), { passive: false });
    on(window, BUS.select, ({ detail }) => {
      if (detail.document !== this.choices || detail.source === this) return;
      this.selected = this.existing(detail.gap);
      this.lane = null;
      this.markPlace();
      this.reveal(this.selected);
    });
    this.resizes = new ResizeObserver(() => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.resized());
    });
    this.resizes.observe(this.plot);
  }

  resized() {
    const width = this.plot.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.hide();
    this.draw();
    if (!this.drawn) return;
    this.plotly.Plots.resize(this.plot).then(() => {
      if (!this.drawn) return;
      this.measure();
      this.fillLabels();
      this.markPlace();
    });
  }

  /** What is under a pointer: `{position, band, row}`, band "curve", "ribbon" or "lane"; null outside. */
  under(event) {
    if (!this.drawn) return null;
    const box = this.plot.getBoundingClientRect();
    const x = event.clientX - box.left - this.area.left;
    const y = event.clientY - box.top;
    if (x < -6 || x > this.area.width + 6 || y < this.area.top - 4 || y > this.area.top + this.area.height + 4) return null;
    const { yaxis2, yaxis3 } = this.plot._fullLayout;
    const [from, to] = this.range; // which may be ahead of what is drawn
    const share = Math.max(0, Math.min(1, x / this.area.width));
    const position = Math.max(0, Math.min(this.span, from + share * (to - from)));
    const inside = (axis) => axis.visible && y >= axis._offset - 4 && y <= axis._offset + axis._length + 4;
    if (inside(yaxis3) && this.lanes.length) {
      const row = Math.floor(((y - yaxis3._offset) / yaxis3._length) * this.lanes.length);
      return { position, band: "lane", row: Math.max(0, Math.min(this.lanes.length - 1, row)) };
    }
    return { position, band: inside(yaxis2) ? "ribbon" : "curve", row: null };
  }

  /** Index of the value nearest to a position, −1 where none is within reach of the pointer. */
  near(xs, position) {
    const right = lowerBound(xs, position);
    const at = right > 0 && !(xs[right] - position < position - xs[right - 1]) ? right - 1 : right;
    const [from, to] = this.range;
    return at < xs.length && Math.abs(xs[at] - position) <= (NEAR_PX * (to - from)) / this.area.width ? at : -1;
  }

  pointed(event) {
    if (event.buttons) return this.hide();
    const outside = event.target.closest?.(".modebar, .cs-label");
    const under = outside ? null : this.under(event);
    if (!under) return this.hide();
    const told = this.tell(under);
    this.hovered = told.position;
    const left = this.area.left + this.pixelOf(told.position);
    this.cursor.hidden = false;
    this.cursor.style.transform = `translate(${left}px, ${this.area.top}px)`;
    this.cursor.style.height = `${this.area.height}px`;
    this.tip.replaceChildren(...told.parts);
    this.tip.hidden = !told.parts.length;
    this.placeTip(event);
  }

  hide(dragging = false) {
    this.hovered = null;
    this.cursor.hidden = this.tip.hidden = true;
    if (dragging) this.line.hidden = this.dot.hidden = true;
  }

  pressed(event) {
    if (event.button !== 0 || event.target.closest?.(".modebar")) return;
    const label = event.target.closest?.(".cs-label");
    if (label) {
      if (label.dataset.row !== undefined) this.goToLane(Number(label.dataset.row));
    } else {
      const under = this.under(event);
      this.press = under && { under, x: event.clientX, y: event.clientY };
    }
    this.root.classList.add("cs-by-mouse"); // a ring round the whole chart is for who comes by keyboard
    this.root.focus({ preventScroll: true }); // so that the arrow keys go on from a click
  }

  released(event) {
    const press = this.press;
    this.press = null;
    if (!press || Math.hypot(event.clientX - press.x, event.clientY - press.y) > CLICK_PX) return;
    const now = performance.now();
    const twice = this.lastClick && now - this.lastClick.time < 350 && Math.abs(this.lastClick.x - press.x) < CLICK_PX;
    if (twice) {
      const { offset, lane } = this.lastClick.before;
      this.choose(offset, lane, 0); // the first of the two clicks was not meant as a choice
      this.lastClick = null;
      this.show(null);
    } else {
      this.lastClick = { time: now, x: press.x, before: { offset: this.selected, lane: this.lane } };
      const { offset, lane } = this.placeAt(press.under);
      this.choose(offset, lane, 0);
    }
  }

  /** The place meant by a click: a boundary of the lane, a gap of the curve, else the nearest character. */
  placeAt({ position, band, row }) {
    if (band === "lane") {
      const lane = this.lanes[row];
      const at = this.near(lane.x, position);
      if (at >= 0) return { offset: lane.offset[at], lane: row };
    } else {
      const gap = this.near(this.gaps.x, this.snapped(band, position));
      if (gap >= 0) return { offset: this.gaps.offset[gap], lane: null };
    }
    return { offset: Math.max(0, Math.min(this.end, Math.round(this.offsetOf(position)))), lane: null };
  }

  snapped(band, position) {
    const at = band === "ribbon" ? this.near(this.consensus.x, position) : -1;
    return at >= 0 ? this.consensus.x[at] : position;
  }

  /** Pinching, or the wheel with the control key, zooms around the pointer; sideways it pans. */
  wheel(event) {
    const under = this.under(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!under || !(event.ctrlKey || (sideways && this.view))) return;
    event.preventDefault();
    const [from, to] = this.range;
    if (event.ctrlKey) {
      const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005);
      const width = Math.max(SHORTEST[this.unit], (to - from) * factor);
      const share = (under.position - from) / (to - from);
      const start = under.position - width * share;
      this.show([Math.max(0, start), Math.min(this.span, start + width)]);
    } else {
      const shift = ((event.deltaX || event.deltaY) / this.area.width) * (to - from);
      const start = Math.max(0, Math.min(this.span - (to - from), from + shift));
      this.show([start, start + (to - from)]);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.root) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };
    if (event.key === "Escape") {
      this.choose(null, null, 0);
      this.hide();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.goToBoundary(steps[event.key]);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const next = this.lane === null ? 0 : this.lane + steps[event.key];
      if (next >= 0 && next < this.lanes.length) this.goToLane(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The next boundary of the chosen lane, from the chosen place or the edge of what is visible. */
  goToBoundary(step) {
    const row = this.lane ?? 0;
    const offsets = this.lanes[row]?.offset;
    if (!offsets?.length) return;
    const [from, to] = this.range;
    const start = this.selected ?? Math.round(this.offsetOf(step > 0 ? from : to)) - step;
    const at = step > 0 ? lowerBound(offsets, start + 1) : lowerBound(offsets, start) - 1;
    if (at < 0 || at >= offsets.length) return;
    this.choose(offsets[at], row, REPORT_KEY_MS);
    this.reveal(offsets[at]);
  }

  /** Makes a lane the one that the keys move along; the chosen place stays. */
  goToLane(row) {
    this.lane = row;
    this.markPlace();
    const { title, offset, change } = this.lanes[row];
    const gone = change.reduce((sum, code) => sum + (this.changes[code] === "gone" ? 1 : 0), 0);
    this.live.textContent = `${title}: ${plural(offset.length - gone, "boundary", "boundaries")}`;
  }

  choose(offset, lane, delay) {
    const same = offset === this.selected;
    this.selected = offset;
    this.lane = lane ?? (offset === null ? null : this.lane);
    if (lane === null && offset !== null && !this.holds(this.lane, offset)) this.lane = null;
    this.markPlace();
    this.live.textContent = offset === null ? "No place chosen" : this.summary();
    if (same) return;
    chooseGap(this.choices, offset, this);
    this.later("place", delay, () =>
      this.setTriggerValue("place", { document: this.document, offset, lane: this.lane }),
    );
  }

  holds(row, offset) {
    if (row === null) return false;
    const offsets = this.lanes[row].offset;
    return offsets[lowerBound(offsets, offset)] === offset;
  }

  summary() {
    const where = this.where(this.positionOf(this.selected));
    return this.lane === null ? where : `${visible(this.lanes[this.lane].title)}: ${where}`;
  }

  /** Runs `action` after a pause; a newer one of the same name replaces it. */
  later(name, delay, action) {
    clearTimeout(this.timers.get(name));
    if (delay === 0) {
      this.timers.delete(name);
      action();
    } else this.timers.set(name, setTimeout(action, delay));
  }

  dropTimers() {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  // ---- the tooltip

  /** Beside the cursor, on the side with more room, at the pointer's height. */
  placeTip(event) {
    if (this.tip.hidden) return;
    const box = this.stage.getBoundingClientRect();
    const x = this.area.left + this.pixelOf(this.hovered);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = x + 16 + width <= box.width ? x + 16 : Math.max(0, x - 16 - width);
    const y = event.clientY - box.top - height / 2;
    const top = Math.max(-8, Math.min(y, Math.max(this.area.top, box.height - height)));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  /** What to say of a place: `{position, parts}`, the position that of the boundary that is meant. */
  tell(under) {
    if (under.band === "lane") return this.tellLane(this.lanes[under.row], under.position);
    return under.band === "ribbon" ? this.tellRibbon(under.position) : this.tellCurve(under.position);
  }

  tellLane(lane, position) {
    const at = this.near(lane.x, position);
    if (at < 0) return { position, parts: this.aboutChunk(lane, position) };
    const change = this.changes[lane.change[at]];
    const marks = this.marks.find(({ uid }) => uid === (change === "same" ? lane.kind : change));
    const head = this.head(lane.title, change === "same" ? KINDS[lane.kind] : change, marks?.color);
    const parts = [head, this.lineOf(this.where(lane.x[at]))];
    const reason = this.words[lane.reason[at]];
    if (reason) parts.push(element("div", "", visible(reason)));
    if (change !== "gone" && lane.tokens.length) {
      const chunk = this.chunksBefore(lane, at);
      parts.push(this.lineOf(`chunk before ${plural(lane.tokens[chunk], "token")}, after ${plural(lane.tokens[chunk + 1], "token")}`));
    }
    return { position: lane.x[at], parts: [...parts, ...this.context(lane.offset[at])] };
  }

  aboutChunk(lane, position) {
    const parts = [this.head(lane.title, KINDS[lane.kind], null)];
    const edges = Array.from(lane.x).filter((_, at) => this.changes[lane.change[at]] !== "gone");
    const chunk = lowerBound(edges, position);
    const of = `chunk ${number.format(chunk + 1)} of ${number.format(edges.length + 1)}`;
    parts.push(this.lineOf(lane.tokens.length ? `${of} · ${plural(lane.tokens[chunk], "token")}` : of));
    const [from, to] = [edges[chunk - 1] ?? 0, edges[chunk] ?? this.length];
    parts.push(this.lineOf(`${this.unit} ${this.count(from)} to ${this.count(to)}`));
    for (let i = 0; i < lane.lost.length; i += 2) {
      if (position < lane.lost[i] || position > lane.lost[i + 1]) continue;
      const lost = element("div", "cs-tip-fate", "no chunk holds this text");
      lost.style.color = "var(--cs-selected)";
      parts.push(lost);
    }
    return parts;
  }

  chunksBefore(lane, at) {
    let chunk = 0;
    for (let i = 0; i < at; i++) if (this.changes[lane.change[i]] !== "gone") chunk++;
    return chunk;
  }

  tellRibbon(position) {
    const at = this.near(this.consensus.x, position);
    if (at < 0) return { position, parts: [] };
    const x = this.consensus.x[at];
    const cutting = this.lanes.filter((lane) => {
      const place = lowerBound(lane.x, x);
      return lane.kind !== "gold" && lane.x[place] === x && this.changes[lane.change[place]] !== "gone";
    });
    const share = `${Math.round(100 * this.consensus.share[at])} % of the lanes cut here`;
    const parts = [this.head(share, "", null), this.lineOf(this.where(x))];
    for (const lane of cutting) parts.push(element("div", "", visible(lane.title)));
    return { position: x, parts };
  }

  tellCurve(position) {
    const at = this.gaps.fused.length ? this.near(this.gaps.x, position) : -1;
    if (at < 0) return { position, parts: [] };
    const parts = [this.head(this.where(this.gaps.x[at]), "", null)];
    const line = this.lineOf(`fused ${this.gaps.fused[at].toFixed(3)}`);
    if (this.threshold !== null) {
      line.append(
        this.gaps.exceeds[at] ? " > " : " ≤ ",
        element("span", "cs-tip-threshold", this.threshold.toFixed(3)),
        " threshold",
      );
    }
    return { position: this.gaps.x[at], parts: [...parts, line, ...this.context(this.gaps.offset[at])] };
  }

  head(title, tag, role) {
    const head = element("div", "cs-tip-head");
    head.append(element("b", "", visible(title)));
    if (!tag) return head;
    const says = element("span", "cs-tip-fate", tag);
    if (role) says.style.color = `var(--cs-${role.replace("role:", "")})`;
    head.append(says);
    return head;
  }

  lineOf(text) {
    return element("div", "cs-tip-line", text);
  }

  /** The text on both sides of a place, where the page has given it. */
  context(offset) {
    const stored = shared.documents.get(this.document);
    if (!stored) return [];
    const [at] = stored.utf16(Int32Array.of(offset));
    const before = visible(stored.text.slice(Math.max(0, at - 4 * CONTEXT), at)).replace(/\s+/g, " ").trim();
    const sides = [
      [...before].length > CONTEXT ? "…" + [...before].slice(-CONTEXT).join("").trimStart() : before,
      clip(stored.text.slice(at, at + 4 * CONTEXT), CONTEXT),
    ];
    return sides
      .filter((side) => side)
      .map((side) => {
        const quote = element("div", "cs-tip-text", side);
        quote.dir = "auto";
        return quote;
      });
  }

  /** A position in words. In sentences a whole number is a gap, as the Inspect page counts them. */
  where(position) {
    if (this.unit !== "sentences") return `${this.unit.slice(0, -1)} ${this.count(position)}`;
    const whole = Math.round(position);
    if (Math.abs(position - whole) < 1e-3) return `gap ${number.format(whole)}`;
    return `inside sentence ${number.format(Math.ceil(position))}`;
  }

  count(position) {
    return number.format(Math.round(position * 10) / 10);
  }

  destroy() {
    this.abort.abort();
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.soon);
    this.dropTimers();
    if (this.drawn) this.plotly.purge(this.plot);
    this.drawn = false;
    this.root.remove();
  }
}

/** Plotly's dashing in CSS. */
function dashing(dash) {
  if (dash === "solid") return "solid";
  return dash.startsWith("1px") ? "dotted" : "dashed";
}

export default mounted(LaneChart);
