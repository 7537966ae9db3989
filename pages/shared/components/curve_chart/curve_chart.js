// The curve chart: draws the figure that Python made, thins it out, and adds hovering, choosing and keys.

import { BUS, announce, chooseGap, settleSelection, shared } from "../base/bus.js";
import { applyTheme, colored, element, mounted } from "../base/dom.js";
import { lowerBound, number } from "../base/numbers.js";
import { clip, sentenceText } from "../base/text.js";
import { unpack } from "../base/wire.js";
import { loadPlotly } from "../plotly_js/plotly.js";

const THIN_ABOVE = 4000; // visible gaps
const THINNED_OPACITY = 0.55;
const GLYPHS_ABOVE = 600; // visible markers, above which they become strokes: shapes would overlap, and each costs 35 µs
const REPORT_VIEW_MS = 350;
const REPORT_KEY_MS = 180;
const CLICK_PX = 4;
const CLIPPED = 200; // characters of a sentence in the tooltip
const GLYPHS = {
  circle: "●", diamond: "◆", square: "■", "triangle-up": "▲", "circle-open": "○",
};

/** Lowest and highest value of each of `buckets` stretches of values[from..to), in order: the exact envelope. */
function envelope(values, from, to, buckets) {
  const x = [];
  const y = [];
  const put = (index) => {
    x.push(index + 1);
    y.push(values[index]);
  };
  const size = (to - from) / buckets;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const start = from + Math.floor(bucket * size);
    const end = Math.min(to, from + Math.floor((bucket + 1) * size));
    if (start >= end) continue;
    let lowest = start;
    let highest = start;
    for (let i = start + 1; i < end; i++) {
      if (values[i] < values[lowest]) lowest = i;
      if (values[i] > values[highest]) highest = i;
    }
    put(Math.min(lowest, highest));
    if (lowest !== highest) put(Math.max(lowest, highest));
  }
  return { x, y };
}

class CurveChart {
  constructor(parent) {
    this.root = element("div", "cs-chart");
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "application");
    this.legend = element("div", "cs-legend");
    this.plot = element("div", "cs-plot");
    this.cursor = element("div", "cs-cursor");
    this.dot = element("div", "cs-dot");
    this.tip = element("div", "cs-tip");
    this.note = element("div", "cs-thinned");
    this.live = element("div", "cs-live");
    this.live.setAttribute("aria-live", "polite");
    for (const part of [this.cursor, this.dot, this.tip]) part.hidden = true;
    this.stage = element("div", "cs-stage");
    this.stage.append(this.plot, this.note, this.cursor, this.dot, this.tip);
    this.root.append(this.legend, this.stage, this.live);
    parent.append(this.root);

    this.content = null;
    this.document = null;
    this.selected = null;
    this.hovered = null;
    this.view = null; // [from, to] or null for all
    this.hiddenTraces = new Set(); // uids that the user took out by the legend
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
      const { figure, shape, columns, ...rest } = body();
      Object.assign(this, { figure, shape, columns }, rest, { gaps: columns.fused.length });
    }
    this.theme = theme;
    if (head.document !== this.document) {
      this.document = head.document;
      this.view = this.clampView(head.view);
      this.hover(null, null);
      this.dropTimers();
    }
    this.view = this.clampView(this.view);
    const before = this.selected;
    this.selected = this.existing(settleSelection(head.document, head.selected));
    loadPlotly(head.plotly).then(
      (plotly) => {
        this.plotly = plotly;
        this.plot.classList.remove("cs-failed");
        if (changed || !this.drawn) this.draw();
        else if (before !== this.selected) this.markSelection();
        if (before !== this.selected) this.reveal(this.selected);
      },
      (error) => this.fail(error),
    );
  }

  existing(gap) {
    return Number.isInteger(gap) && gap >= 0 && gap < this.gaps ? gap : null;
  }

  fail(error) {
    console.error("Chunkscope:", error);
    this.plot.classList.add("cs-failed");
    this.plot.textContent = "The chart could not be drawn: the browser did not get Plotly.js. Reload the page.";
  }

  // ---- drawing

  get full() {
    return [0.5, Math.max(this.gaps, 1) + 0.5];
  }

  /** A range inside the full one; null where it shows everything. */
  clampView(view) {
    if (!view) return null;
    const [first, last] = this.full;
    const from = Math.max(first, Math.min(view[0], view[1]));
    const to = Math.min(last, Math.max(view[0], view[1]));
    const everything = from - first < 0.01 && last - to < 0.01;
    return everything || !(to - from > 0) ? null : [from, to];
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!this.plotly || !this.figure || !width) return; // hidden, for instance in a closed tab: drawn when it shows
    const style = getComputedStyle(this.root);
    this.palette = (role) => style.getPropertyValue(`--cs-${role}`).trim();
    const layout = colored(this.figure.layout, this.palette);
    layout.xaxis.range = [...(this.view ?? this.full)];
    layout.xaxis.autorange = false;
    // Else Plotly keeps an edge that the user dragged wherever the new edge is that of before the drag.
    layout.xaxis.uirevision = this.drawings = (this.drawings ?? 0) + 1;
    layout.autosize = true;
    layout.showlegend = false; // the one above the plot takes less room
    layout.margin.t = 8;
    layout.height -= 26;
    layout.paper_bgcolor = "rgba(0,0,0,0)";
    layout.hovermode = false; // hovering is done here: Plotly's would search every point
    layout.font.family = style.fontFamily;
    const traces = this.visibleTraces(width).map((trace) => this.dressed(trace));
    layout.shapes = this.shapes();
    this.plotly.react(this.plot, traces, layout, this.config());
    this.fillLegend();
    this.measure();
    if (!this.drawn) {
      this.drawn = true;
      this.plot.on("plotly_relayout", (change) => this.relayouted(change));
      this.plot.on("plotly_relayouting", () => this.hideCursor());
    }
    this.root.setAttribute("aria-label", this.description());
    this.root.dataset.csContent = this.content;
    this.placeCursor();
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
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
          {
            name: "all",
            title: "Show all gaps",
            icon: this.plotly.Icons.home,
            click: () => this.show(null),
          },
        ],
        [{ name: "image", title: "Download as an image", icon: this.plotly.Icons.camera, click: () => this.download() }],
      ],
    });
  }

  dressed(trace) {
    return { ...colored(trace, this.palette), visible: !this.hiddenTraces.has(trace.uid) };
  }

  /** An image of what is seen, with the figure's own legend. */
  download() {
    // The page's own font is not at hand where the image is made.
    const font = { ...this.plot.layout.font, family: "Arial, Helvetica, sans-serif" };
    const layout = { ...this.plot.layout, font, showlegend: true, paper_bgcolor: this.palette("surface") };
    const margin = { ...this.figure.layout.margin };
    const { width } = this.plot._fullLayout;
    this.plotly.downloadImage(
      { data: this.plot.data, layout: { ...layout, margin, annotations: this.plot.layout.annotations } },
      { format: "png", filename: "chunkscope-curves", width, height: this.figure.layout.height + 40, scale: 2 },
    );
  }

  /** One button a trace: shows what its mark means, hides and brings back the trace. */
  fillLegend() {
    const entries = [...this.figure.data].sort((one, other) => one.legendrank - other.legendrank);
    const says = JSON.stringify(entries.map(({ uid, name }) => [uid, name, this.hiddenTraces.has(uid)]));
    if (says === this.legend.dataset.says) return;
    this.legend.dataset.says = says;
    const focused = this.legend.querySelector(":focus")?.dataset.uid;
    this.legend.replaceChildren(...entries.map((trace) => this.legendEntry(trace)));
    if (focused) this.legend.querySelector(`[data-uid="${CSS.escape(focused)}"]`)?.focus();
  }

  legendEntry({ uid, name, mode, line, marker }) {
    const entry = element("button", "cs-entry");
    entry.type = "button";
    entry.dataset.uid = uid;
    entry.title = "Show or hide";
    entry.setAttribute("aria-pressed", String(!this.hiddenTraces.has(uid)));
    const role = (marker ?? line).color.replace("role:", "");
    const mark = element("i", mode === "lines" ? "cs-stroke" : "cs-glyph", mode === "lines" ? undefined : GLYPHS[marker.symbol]);
    mark.style.color = `var(--cs-${role})`;
    if (mode === "lines") mark.style.borderTop = `${Math.max(1.5, line.width)}px ${line.dash ? "dashed" : "solid"}`;
    const words = element("span");
    // Names are Plotly labels, which are escaped once.
    words.textContent = name.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    entry.append(mark, words);
    entry.addEventListener("click", () => {
      if (!this.hiddenTraces.delete(uid)) this.hiddenTraces.add(uid);
      this.draw();
    });
    return entry;
  }

  /** What to draw for the visible range and half its width to either side, so that panning finds something there. */
  visibleTraces(width) {
    const [from, to] = this.view ?? this.full;
    const margin = (to - from) / 2;
    const first = Math.max(0, Math.floor(from - margin) - 1);
    const last = Math.min(this.gaps, Math.ceil(to + margin) + 1);
    const shown = Math.min(this.gaps, Math.ceil(to)) - Math.max(0, Math.floor(from) - 1);
    const thin = shown > THIN_ABOVE;
    const buckets = Math.max(1, Math.round((width * (last - first)) / (to - from)));
    this.note.textContent = thin ? `highest and lowest of ${number.format(shown)} gaps per pixel · zoom in for each` : "";
    const marks = this.figure.data.filter((trace) => trace.mode === "markers" && trace.yaxis !== "y2");
    const markers = marks.reduce((sum, trace) => sum + countIn(trace.x, first, last), 0);
    const traces = [];
    this.strokes = [];
    for (const trace of this.figure.data) {
      if (trace.dx !== undefined) {
        if (!thin) traces.push({ ...trace, x0: first + 1, y: trace.y.subarray(first, last) });
        // Where a curve is an area of noise, those behind it and the marks must show through.
        else traces.push({ ...trace, x0: undefined, dx: undefined, ...envelope(trace.y, first, last, buckets), opacity: trace.opacity * THINNED_OPACITY });
      } else if (trace.mode === "markers") {
        const start = lowerBound(trace.x, first);
        const end = lowerBound(trace.x, last + 1);
        const part = { ...trace, x: trace.x.subarray(start, end), y: trace.y.subarray(start, end) };
        const many = trace.yaxis === "y2" ? end - start : markers;
        if (many <= GLYPHS_ABOVE) traces.push(part);
        else if (!this.hiddenTraces.has(trace.uid)) this.strokes.push(strokes(part, (to - from) / width));
      } else traces.push(trace);
    }
    if (this.strokes.length) this.liftThreshold(traces);
    return traces;
  }

  /** Strokes lie above every trace: the threshold, drawn as a shape, above them. */
  liftThreshold(traces) {
    const at = traces.findIndex((trace) => trace.uid === "threshold");
    if (at < 0) return;
    const [{ uid, x, y, line }] = traces.splice(at, 1);
    if (this.hiddenTraces.has(uid)) return;
    this.strokes.push({ type: "line", name: uid, x0: x[0], x1: x[1], y0: y[0], y1: y[1], line, layer: "above" });
  }

  shapes() {
    const shapes = this.strokes.map((shape) => colored(shape, this.palette));
    if (this.selected !== null) {
      const at = this.selected + 1;
      shapes.push({ ...colored(this.shape, this.palette), x0: at, x1: at });
    }
    return shapes;
  }

  markSelection() {
    if (this.drawn) this.plotly.relayout(this.plot, { shapes: this.shapes() });
  }

  measure() {
    const { l, t, w, h } = this.plot._fullLayout._size;
    this.area = { left: l, top: t, width: w, height: h };
  }

  description() {
    const cuts = this.columns.boundaries.length;
    return (
      `Distances at ${this.gaps} gaps with ${cuts} boundaries. ` +
      "Arrow left and right: previous and next gap; with shift: boundary; Escape: none."
    );
  }

  // ---- zoom

  relayouted(change) {
    const touched = Object.keys(change).some((name) => name.startsWith("xaxis.range") || name === "xaxis.autorange");
    if (!touched) return;
    const before = this.view;
    this.view = this.clampView([...this.plot._fullLayout.xaxis.range]);
    if (this.gaps > THIN_ABOVE / 2 || String(before) === String(this.view)) this.draw();
    else this.placeCursor();
    this.reportView();
  }

  show(view) {
    this.view = this.clampView(view);
    this.draw();
    this.reportView();
  }

  reportView() {
    this.later("view", REPORT_VIEW_MS, () => {
      const range = this.view?.map((edge) => Math.round(edge * 100) / 100) ?? null;
      this.setStateValue("view", { document: this.document, range });
    });
  }

  /** Pans, keeping the width, until a gap is visible. */
  reveal(gap) {
    if (gap === null || !this.view || !this.drawn) return;
    const [from, to] = this.view;
    if (gap + 1 >= from && gap + 1 <= to) return;
    const width = to - from;
    const [first, last] = this.full;
    const start = Math.max(first, Math.min(last - width, gap + 1 - width / 2));
    this.show([start, start + width]);
  }

  // ---- pointer and keys

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler, options) => target.addEventListener(type, handler, { signal, ...options });
    on(this.stage, "pointermove", (event) => this.pointed(event));
    on(this.stage, "pointerleave", () => this.hover(null, null));
    on(this.stage, "pointerdown", (event) => this.pressed(event), { capture: true });
    on(window, "pointerup", (event) => this.released(event), { capture: true });
    on(this.root, "keydown", (event) => {
      this.root.classList.remove("cs-by-mouse");
      this.key(event);
    });
    on(this.root, "blur", () => this.hover(null, null));
    on(this.stage, "wheel", (event) => this.wheel(event), { passive: false });
    on(window, BUS.hover, ({ detail }) => {
      if (detail.document === this.document && detail.source !== this) this.showHover(detail.gap, false);
    });
    on(window, BUS.select, ({ detail }) => {
      if (detail.document !== this.document || detail.source === this) return;
      this.selected = this.existing(detail.gap);
      this.markSelection();
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
    this.draw();
    if (this.drawn) this.plotly.Plots.resize(this.plot).then(() => this.drawn && this.measure());
  }

  /** The gap under a pointer event, null outside the plot area. */
  gapAt(event) {
    if (!this.drawn || !this.gaps) return null;
    const box = this.plot.getBoundingClientRect();
    const x = event.clientX - box.left - this.area.left;
    const y = event.clientY - box.top - this.area.top;
    if (x < -6 || x > this.area.width + 6 || y < -4 || y > this.area.height + 4) return null;
    const at = Math.round(this.plot._fullLayout.xaxis.p2c(x)) - 1;
    return Math.max(0, Math.min(this.gaps - 1, at));
  }

  pointed(event) {
    if (event.buttons) return this.hideCursor();
    const gap = event.target.closest?.(".modebar") ? null : this.gapAt(event);
    this.hover(gap, gap === null ? null : event);
  }

  pressed(event) {
    const inside = event.button === 0 && !event.target.closest?.(".modebar");
    const gap = inside ? this.gapAt(event) : null;
    this.press = gap === null ? null : { gap, x: event.clientX, y: event.clientY };
    if (!inside) return;
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
      this.choose(this.lastClick.before, 0); // the first of the two clicks was not meant as a choice
      this.lastClick = null;
      this.show(null);
    } else {
      this.lastClick = { time: now, x: press.x, before: this.selected };
      this.choose(press.gap, 0);
    }
  }

  /** Pinching, or the wheel with the control key, zooms around the pointer; sideways it pans. */
  wheel(event) {
    const gap = this.gapAt(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (gap === null || !(event.ctrlKey || (sideways && this.view))) return;
    event.preventDefault();
    const [from, to] = this.view ?? this.full;
    if (event.ctrlKey) {
      const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005);
      const at = gap + 1;
      const width = Math.max(4, (to - from) * factor);
      const share = (at - from) / (to - from);
      this.show([at - width * share, at + width * (1 - share)]);
    } else {
      const [first, last] = this.full;
      const shift = (((event.deltaX || event.deltaY) / this.area.width) * (to - from));
      const start = Math.max(first, Math.min(last - (to - from), from + shift));
      this.show([start, start + (to - from)]);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      this.choose(null, 0);
      this.hover(null, null);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const step = event.key === "ArrowRight" ? 1 : -1;
      const next = event.shiftKey ? this.neighbouringBoundary(step) : this.neighbouringGap(step);
      if (next !== null) {
        this.choose(next, REPORT_KEY_MS);
        this.reveal(next);
        this.showHover(next, true);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  neighbouringGap(step) {
    if (!this.gaps) return null;
    const start = this.selected ?? this.firstVisible(step);
    return Math.max(0, Math.min(this.gaps - 1, this.selected === null ? start : start + step));
  }

  /** Where the keys start when nothing is chosen: at the edge of what is visible. */
  firstVisible(step) {
    const [from, to] = this.view ?? this.full;
    return step > 0 ? Math.ceil(from) - 1 : Math.floor(to) - 1;
  }

  neighbouringBoundary(step) {
    const cuts = this.columns.boundaries;
    const start = this.selected ?? this.firstVisible(step) - step;
    const at = step > 0 ? lowerBound(cuts, start + 1) : lowerBound(cuts, start) - 1;
    return at >= 0 && at < cuts.length ? cuts[at] : null;
  }

  choose(gap, delay) {
    if (gap === this.selected) return;
    this.selected = gap;
    this.markSelection();
    chooseGap(this.document, gap, this);
    this.live.textContent = gap === null ? "No gap chosen" : this.summary(gap);
    this.later("gap", delay, () => this.setTriggerValue("gap", { document: this.document, gap }));
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

  // ---- hovering

  hover(gap, event) {
    if (gap !== this.hovered) {
      announce(BUS.hover, { document: this.document, gap, source: this });
      this.showHover(gap, true);
    }
    if (gap !== null && event) this.placeTip(event);
  }

  hideCursor() {
    this.cursor.hidden = this.dot.hidden = this.tip.hidden = true;
  }

  /** Shows a gap without telling anyone; the tooltip with its sentences only where the user looks at the chart. */
  showHover(gap, withTip) {
    this.hovered = gap;
    if (gap === null || !this.drawn) return this.hideCursor();
    this.placeCursor();
    this.fillTip(gap, withTip);
    this.tip.hidden = this.cursor.hidden;
    this.placeTip(null);
  }

  placeCursor() {
    const gap = this.hovered;
    if (gap === null || gap >= this.gaps) return this.hideCursor();
    const x = this.plot._fullLayout.xaxis.c2p(gap + 1);
    const inside = x >= -1 && x <= this.area.width + 1;
    this.cursor.hidden = this.dot.hidden = !inside;
    if (!inside) this.tip.hidden = true;
    const yaxis = this.plot._fullLayout.yaxis;
    const left = this.area.left + x;
    this.cursor.style.transform = `translate(${left}px, ${this.area.top}px)`;
    this.cursor.style.height = `${this.area.height}px`;
    this.dot.style.transform = `translate(${left}px, ${yaxis._offset + yaxis.c2p(this.columns.fused[gap])}px)`;
  }

  /** Beside the cursor, on the side with more room; at the pointer's height where there is one. */
  placeTip(event) {
    if (this.tip.hidden) return;
    const box = this.stage.getBoundingClientRect();
    const x = this.area.left + this.plot._fullLayout.xaxis.c2p(this.hovered + 1);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = x + 16 + width <= box.width ? x + 16 : Math.max(0, x - 16 - width);
    const y = event ? event.clientY - box.top - height / 2 : this.area.top;
    const top = Math.max(-8, Math.min(y, Math.max(this.area.top, box.height - height)));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  /** What happened at a gap: `{role, glyph, title}`. */
  fate(gap) {
    const at = lowerBound(this.columns.boundaries, gap);
    if (this.columns.boundaries[at] === gap) {
      const { role, glyph, title } = this.drivers[this.columns.drivers[at]];
      return { role, glyph, title };
    }
    if (this.columns.suppressed.includes(gap)) return { role: "muted", glyph: "○", title: this.titles.suppressed };
    return { role: "muted", glyph: "", title: "no cut" };
  }

  summary(gap) {
    return `Gap ${gap + 1}: ${this.fate(gap).title}, ${this.titles.fused} ${this.columns.fused[gap].toFixed(3)}`;
  }

  fillTip(gap, withSentences) {
    const fate = this.fate(gap);
    const head = element("div", "cs-tip-head");
    const outcome = element("span", "cs-tip-fate", `${fate.glyph} ${fate.title}`.trim());
    outcome.style.color = `var(--cs-${fate.role})`;
    head.append(element("b", "", `Gap ${number.format(gap + 1)}`), outcome);
    if (this.columns.gold.includes(gap)) {
      const gold = element("span", "cs-tip-fate", "▲ gold");
      gold.style.color = "var(--cs-gold)";
      head.append(gold);
    }
    const values = element("div", "cs-tip-values");
    const shown = this.columns.structural ? ["semantic", "structural", "fused"] : ["semantic"];
    for (const name of shown) values.append(this.value(name, this.titles[name] ?? name, this.columns[name][gap]));
    this.tip.replaceChildren(head, values);
    const margin = this.margin(gap);
    if (margin) this.tip.append(margin);
    const stored = shared.documents.get(this.document);
    if (!withSentences || !stored || gap + 1 >= stored.sentences) return;
    for (const sentence of [gap, gap + 1]) {
      const quote = element("div", "cs-tip-text", clip(sentenceText(stored, sentence), CLIPPED));
      quote.dir = "auto";
      this.tip.append(quote);
    }
  }

  value(role, label, amount) {
    const item = element("span", "cs-tip-value");
    const swatch = element("i");
    swatch.style.background = `var(--cs-${role})`;
    item.append(swatch, `${label} `, element("b", "", format(amount)));
    return item;
  }

  margin(gap) {
    if (this.threshold === null) return null;
    const score = this.columns.score[gap];
    const difference = score - this.threshold;
    const exceeds = this.columns.exceeds[gap] === 1;
    const line = element("div", "cs-tip-margin");
    line.append(
      `${this.scored_apart ? "slope" : this.titles.fused} ${format(score)} ${exceeds ? ">" : "≤"} `,
      element("span", "cs-tip-threshold", format(this.threshold)),
      ` ${this.threshold_label} (${exceeds ? "+" : "−"}${format(Math.abs(difference))})`,
    );
    return line;
  }

  destroy() {
    this.abort.abort();
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.dropTimers();
    if (this.drawn) this.plotly.purge(this.plot);
    this.root.remove();
  }
}

function format(value) {
  return Number.isFinite(value) ? value.toFixed(3) : "none";
}

function countIn(sorted, from, to) {
  return lowerBound(sorted, to + 1) - lowerBound(sorted, from);
}

/** Thousands of markers as one path of short strokes: Plotly makes an SVG element for each marker and each piece of a
 * line, but one for a shape. Each keeps its place and colour; its form returns on zoom. Those of one height (gold) that
 * fall on one pixel are drawn once. */
function strokes({ x, y, marker, uid, yaxis }, gapsAPixel) {
  const half = yaxis === "y2" ? 0.8 : 0.018;
  const steps = [];
  let drawn = NaN;
  for (let i = 0; i < x.length; i++) {
    const pixel = Math.floor(x[i] / gapsAPixel);
    if (yaxis === "y2" && pixel === drawn) continue;
    drawn = pixel;
    steps.push(`M${x[i]},${(y[i] - half).toFixed(4)}L${x[i]},${(y[i] + half).toFixed(4)}`);
  }
  const line = { color: marker.color, width: yaxis === "y2" ? 1 : 1.5 };
  return { type: "path", name: uid, path: steps.join(""), xref: "x", yref: yaxis ?? "y", line, layer: "above" };
}

export default mounted(CurveChart);
