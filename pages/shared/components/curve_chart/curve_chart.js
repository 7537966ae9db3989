// The curve chart: draws the figure that Python made, thins it out, and adds hovering, choosing and keys.

/** @import { Cuts, Source } from "../../../../chunking/web/engine/cuts.js" */
/** @import { Ladder } from "../../../../chunking/web/engine/divisions.js" */
/** @import { CurveChartBody, CurveChartHead } from "../messages.js" */
import { BUS, announce, chooseGap, listen, settleSelection, shared } from "../base/bus.js";
import { colored, element, mounted } from "../base/dom.js";
import { lowerBound, number } from "../base/numbers.js";
import { clip, sentenceText } from "../base/text.js";
import { Preview, changeOf } from "../live/preview.js";
import { SOURCE_KEPT, sourceOf } from "../live/sources.js";
import { enlargedMargin } from "../plotly_js/enlarge.js";
import { Legend, PlotView, lineMark, tipHead, tipQuote } from "../plotly_js/plot_view.js";
import { LiveLayer } from "./live/layer.js";
import { Overview } from "./overview.js";
import { ScaleStrip } from "./scale_strip.js";
import { ROW_HALF, rowMarks } from "./pinned.js";
import { STROKE_HALF, STROKE_WIDTH, THINNED_OPACITY, countIn, envelope, strokePath } from "./thinning.js";

const THIN_ABOVE = 4000; // visible gaps
const OVERVIEW_ABOVE = 1000; // gaps
const GLYPHS_ABOVE = 600; // visible markers, above which they become strokes: shapes would overlap, and each costs 35 µs
const REPORT_KEY_MS = 180;
const CLIPPED = 200; // characters of a sentence in the tooltip
/** @type {Record<string, string>} */
const TERM_OF_TRACE = {
  semantic: "semantic distance", structural: "structural distance", threshold: "threshold", gold: "reference",
  suppressed: "merged", "cut-semantic": "boundary", "cut-structural": "boundary", "cut-both": "boundary",
  "cut-limit": "split",
};
/** @type {Record<string, string>} */
const GLYPHS = { circle: "●", diamond: "◆", square: "■", "triangle-up": "▲", "circle-open": "○", "line-ns-open": "|" };

/** @extends {PlotView<CurveChartHead, CurveChartBody, number>} */
class CurveChart extends PlotView {
  /** @type {number | null} */ hovered = null;
  /** @type {any[]} */ strokes = [];
  layer = new LiveLayer();
  /** Curves and boundaries of the last setting. @type {CurveChartBody["columns"] | null} */ ghost = null;
  thinned = 0;
  /** The latest divisions from coarse to fine, and what they belong to. @type {{subject: string, source: string, ladder: Ladder} | null} */ levels = null;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    const cursor = element("div", "cs-cursor");
    const dot = element("div", "cs-dot");
    super(parent, "", cursor, dot);
    this.cursor = cursor;
    this.dot = dot;
    this.note = element("div", "cs-thinned");
    this.plot.after(this.layer.canvas, this.note);
    this.entries = new Legend(this.legend, () => this.draw());
    const { signal } = this.abort;
    this.overview = new Overview((range) => this.show(range), signal);
    this.scales = new ScaleStrip(
      { preview: (level) => this.previewLevel(level), end: () => this.endLevel(), take: (level) => this.takeLevel(level) },
      signal,
    );
    this.stage.after(this.overview.root, this.scales.root);
    window.addEventListener(SOURCE_KEPT, () => this.sourceKept(), { signal });
    listen(BUS.hover, this, signal, ({ gap }) => this.showHover(gap, false));
    listen(BUS.select, this, signal, ({ gap }) => {
      this.selected = this.existing(gap);
      this.remark();
      this.reveal(this.selected);
    });
    this.preview = new Preview(this, signal);
  }

  get name() {
    return "curves";
  }

  get gaps() {
    return this.data.columns.fused.length;
  }

  /** @returns {[number, number]} */
  get full() {
    return [0.5, Math.max(this.gaps, 1) + 0.5];
  }

  /** @param {CurveChartHead} head */
  moved(head) {
    super.moved(head);
    this.ghost = null;
    this.hover(null, null);
  }

  /** @param {CurveChartHead} head */
  settled(head) {
    return this.existing(settleSelection(this.topic, head.selected));
  }

  /** @param {number | null} gap */
  existing(gap) {
    return gap !== null && gap < this.gaps ? gap : null;
  }

  // ---- a control is moved

  get followed() {
    return this.data?.live ?? null;
  }

  /** @param {Cuts} cuts @param {Source} source */
  drawPreview(cuts, { structural }) {
    this.root.classList.add("cs-live-curve");
    const { pinned } = this.data.columns;
    const rows = pinned ? rowMarks(cuts.boundaries, pinned) : [];
    this.layer.draw(cuts, this.liveFrame(structural !== null), rows);
    this.placeOverview(cuts.boundaries);
    this.note.textContent = (cuts.exact ? "" : "about ") + changeOf(this.data.columns.boundaries, cuts.boundaries);
  }

  /** @param {ArrayLike<number>} boundaries */
  placeOverview(boundaries) {
    const { gaps, range, full, area, palette } = this;
    if (gaps <= OVERVIEW_ABOVE) this.overview.hide();
    else this.overview.draw({ gaps, boundaries, range, full, left: area.left, width: area.width, color: palette });
  }

  /** What a preview needs may come after the control has moved. */
  sourceKept() {
    this.placeScales();
    if (this.drawn && this.preview.setting) this.preview.draw();
  }

  /** Draws the divisions from coarse to fine, where the strategy has them. */
  placeScales() {
    const { followed, drawn } = this;
    if (!drawn || followed?.setting.rule !== "penalty") return this.scales.hide();
    const { subject, setting, source } = followed;
    const ladder = sourceOf(source)?.divisions?.levels;
    if (ladder) this.levels = { subject, source, ladder };
    const { range, area, palette } = this;
    this.scales.draw({
      // Those of the setting before stay until its own are made.
      ladder: this.levels?.subject === subject ? this.levels.ladder : null,
      stale: this.levels?.source !== source,
      level: setting.amount || setting.count ? null : setting.fineness,
      range, left: area.left, width: area.width, color: palette, font: getComputedStyle(this.root).fontFamily,
    });
  }

  /** @param {number} level */
  previewLevel(level) {
    this.preview.held = true;
    this.preview.moved({ fineness: level, amount: 0, count: 0 });
  }

  endLevel() {
    this.preview.held = false;
    this.preview.end();
  }

  /** @param {number} level */
  takeLevel(level) {
    this.preview.held = false;
    const { document } = this;
    this.component.setTriggerValue("level", { document, level });
  }

  /** @param {boolean} fusedApart */
  liveFrame(fusedApart) {
    const { axes, area, range, entries } = this;
    const { hidden } = entries;
    const font = getComputedStyle(this.root).fontFamily;
    return {
      axes, area, range, hidden, font, fusedApart,
      thinAbove: THIN_ABOVE, glyphsAbove: GLYPHS_ABOVE, color: this.palette,
    };
  }

  endPreview() {
    this.layer.clear();
    this.root.classList.remove("cs-live-curve");
    if (!this.drawn) return;
    this.noteThinning();
    this.placeOverview(this.data.columns.boundaries);
  }

  /** @param {CurveChartBody | undefined} before */
  taken(before) {
    this.preview.answered();
    this.ghost = before?.columns.fused.length === this.gaps ? before.columns : null;
  }

  /** The last setting stays pale behind the new one until the chart is used. */
  drawGhost() {
    const { ghost, data } = this;
    if (!ghost) return;
    this.layer.drawGhost(ghost.fused, this.liveFrame(data.columns.structural !== undefined));
    const { boundaries } = data.columns;
    if (String(boundaries) !== String(ghost.boundaries)) this.note.textContent = changeOf(ghost.boundaries, boundaries);
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    super.pressed(event);
    if (!this.ghost) return;
    this.ghost = null;
    this.preview.end();
  }

  // ---- drawing

  get height() {
    return super.height - 26; // the legend above the plot takes less room than Plotly's
  }

  layout() {
    const layout = colored(this.data.figure.layout, this.palette);
    layout.margin.t = 8;
    layout.height = this.height;
    return layout;
  }

  placed() {
    const entries = [...this.data.figure.data].sort((one, other) => one.legendrank - other.legendrank);
    this.entries.fill(entries.map(({ uid, name, mode, line, marker }) => ({
      uid,
      // Names are Plotly labels, which are escaped once.
      name: name.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
      mark: mode === "lines" ? lineMark(line) : this.glyphMark(marker),
      term: TERM_OF_TRACE[uid],
    })));
    this.placeCursor();
    this.placeOverview(this.data.columns.boundaries);
    this.placeScales();
    if (this.preview.setting) return this.preview.draw();
    this.preview.hide();
    this.drawGhost();
  }

  /** @param {{color: string, symbol: string}} marker */
  glyphMark({ color, symbol }) {
    const mark = element("i", "cs-glyph", GLYPHS[symbol]);
    mark.style.color = `var(--cs-${color.replace("role:", "")})`;
    return mark;
  }

  image() {
    const { data, layout } = /** @type {any} */ (this.plot);
    const { height } = this.data.figure.layout;
    const margin = enlargedMargin(this.data.figure.layout.margin, this.typeFactor);
    return { data, layout: { margin, annotations: layout.annotations, showlegend: true }, height: (height + 40) * this.typeFactor };
  }

  /** What to draw for the visible range and half its width to either side, so that panning finds something there.
   *
   * @param {any} _layout
   * @param {number} width
   */
  traces(_layout, width) {
    const [from, to] = this.range;
    const margin = (to - from) / 2;
    const first = Math.max(0, Math.floor(from - margin) - 1);
    const last = Math.min(this.gaps, Math.ceil(to + margin) + 1);
    const shown = Math.min(this.gaps, Math.ceil(to)) - Math.max(0, Math.floor(from) - 1);
    const thin = shown > THIN_ABOVE;
    const buckets = Math.max(1, Math.round((width * (last - first)) / (to - from)));
    this.thinned = thin ? shown : 0;
    const { data } = this.data.figure;
    const marks = data.filter((trace) => trace.mode === "markers" && !trace.yaxis);
    const markers = marks.reduce((sum, trace) => sum + countIn(trace.x, first, last), 0);
    const traces = [];
    this.strokes = [];
    for (const trace of data) {
      if (trace.dx !== undefined) {
        if (!thin) traces.push({ ...trace, x0: first + 1, y: trace.y.subarray(first, last) });
        else {
          // Where a curve is an area of noise, those behind it and the marks must show through.
          const opacity = trace.opacity * THINNED_OPACITY;
          traces.push({ ...trace, x0: undefined, dx: undefined, ...envelope(trace.y, first, last, buckets), opacity });
        }
      } else if (trace.mode === "markers") {
        const start = lowerBound(trace.x, first);
        const end = lowerBound(trace.x, last + 1);
        const part = { ...trace, x: trace.x.subarray(start, end), y: trace.y.subarray(start, end) };
        const many = trace.yaxis ? end - start : markers;
        if (many <= GLYPHS_ABOVE) traces.push(part);
        else if (!this.entries.hidden.has(trace.uid)) this.strokes.push(strokeShape(part, (to - from) / width));
      } else traces.push(trace);
    }
    if (this.strokes.length) this.liftThreshold(traces);
    const { hidden } = this.entries;
    return traces.map((trace) => ({ ...colored(trace, this.palette), visible: !hidden.has(trace.uid) }));
  }

  noteThinning() {
    const { thinned } = this;
    this.note.textContent = thinned ? `highest and lowest of ${number.format(thinned)} gaps per pixel · zoom in for each` : "";
  }

  /** Strokes lie above every trace: the threshold, drawn as a shape, above them. @param {any[]} traces */
  liftThreshold(traces) {
    const at = traces.findIndex((trace) => trace.uid === "threshold");
    if (at < 0) return;
    const [{ uid, x, y, line }] = traces.splice(at, 1);
    if (this.entries.hidden.has(uid)) return;
    this.strokes.push({ type: "line", name: uid, x0: x[0], x1: x[1], y0: y[0], y1: y[1], line, layer: "above" });
  }

  shapes() {
    const shapes = this.strokes.map((shape) => colored(shape, this.palette));
    if (this.selected !== null) {
      const at = this.selected + 1;
      shapes.push({ ...colored(this.data.shape, this.palette), x0: at, x1: at });
    }
    return shapes;
  }

  description() {
    const cuts = this.data.columns.boundaries.length;
    return (
      `Distances at ${this.gaps} gaps with ${cuts} boundaries. ` +
      "Arrow left and right: previous and next gap; with shift: boundary; Escape: clear the selection."
    );
  }

  /** @param {number | null} gap */
  reveal(gap) {
    if (gap !== null) this.bring(gap + 1);
  }

  // ---- pointer and keys

  /** The gap under a pointer event. @param {PointerEvent} event */
  under(event) {
    const place = this.gaps ? this.placeUnder(event) : null;
    return place === null ? null : Math.max(0, Math.min(this.gaps - 1, Math.round(place) - 1));
  }

  /** @param {number | null} gap @param {PointerEvent} event */
  pointed(gap, event) {
    this.hover(gap, event);
  }

  left() {
    this.hover(null, null);
  }

  /** @param {number} gap */
  clicked(gap) {
    const before = this.selected;
    this.choose(gap, 0);
    return () => this.choose(before, 0);
  }

  /** @param {KeyboardEvent} event */
  key({ key, shiftKey }) {
    if (key === "Escape") {
      this.choose(null, 0);
      this.hover(null, null);
      return true;
    }
    if (key !== "ArrowLeft" && key !== "ArrowRight") return false;
    const step = key === "ArrowRight" ? 1 : -1;
    const next = shiftKey ? this.neighbouringBoundary(step) : this.neighbouringGap(step);
    if (next !== null) {
      this.choose(next, REPORT_KEY_MS);
      this.reveal(next);
      this.showHover(next, true);
    }
    return true;
  }

  /** @param {number} step */
  neighbouringGap(step) {
    if (!this.gaps) return null;
    const next = this.selected === null ? this.firstVisible(step) : this.selected + step;
    return Math.max(0, Math.min(this.gaps - 1, next));
  }

  /** Where the keys start when nothing is chosen: at the edge of what is visible. @param {number} step */
  firstVisible(step) {
    const [from, to] = this.range;
    return step > 0 ? Math.ceil(from) - 1 : Math.floor(to) - 1;
  }

  /** @param {number} step */
  neighbouringBoundary(step) {
    const cuts = this.data.columns.boundaries;
    const start = this.selected ?? this.firstVisible(step) - step;
    const at = step > 0 ? lowerBound(cuts, start + 1) : lowerBound(cuts, start) - 1;
    return at >= 0 && at < cuts.length ? cuts[at] : null;
  }

  /** @param {number | null} gap @param {number} delay */
  choose(gap, delay) {
    if (gap === this.selected) return;
    this.selected = gap;
    this.remark();
    chooseGap(this.topic, gap, this);
    this.live.textContent = gap === null ? "No gap selected" : this.summary(gap);
    const { document } = this;
    this.timers.set("gap", delay, () => this.component.setTriggerValue("gap", { document, gap }));
  }

  // ---- hovering

  /** @param {number | null} gap @param {PointerEvent | null} event */
  hover(gap, event) {
    if (gap !== this.hovered) {
      announce(BUS.hover, { document: this.document, gap, source: this });
      this.showHover(gap, true);
    }
    if (gap !== null && event) this.placeTip(gap + 1, this.heightOf(event));
  }

  hide() {
    this.cursor.hidden = this.dot.hidden = this.tip.hidden = true;
  }

  /** Shows a gap without telling anyone; the tooltip with its sentences only where the user looks at the chart.
   *
   * @param {number | null} gap
   * @param {boolean} withSentences
   */
  showHover(gap, withSentences) {
    this.hovered = gap;
    if (gap === null || !this.drawn) return this.hide();
    this.placeCursor();
    this.fillTip(gap, withSentences);
    this.tip.hidden = this.cursor.hidden;
    this.placeTip(gap + 1, null);
  }

  placeCursor() {
    const gap = this.hovered;
    if (gap === null || gap >= this.gaps) return this.hide();
    this.placeLine(this.cursor, gap + 1);
    this.dot.hidden = this.cursor.hidden;
    if (this.cursor.hidden) this.tip.hidden = true;
    const { yaxis } = this.axes;
    const top = yaxis._offset + yaxis.c2p(this.data.columns.fused[gap]);
    this.dot.style.transform = `translate(${this.pixelOf(gap + 1)}px, ${top}px)`;
  }

  /** What happened at a gap. @param {number} gap */
  fate(gap) {
    const { columns, drivers, titles } = this.data;
    const at = lowerBound(columns.boundaries, gap);
    if (columns.boundaries[at] === gap) return drivers[columns.drivers[at]];
    if (columns.suppressed.includes(gap)) return { role: "muted", glyph: "○", title: titles.suppressed };
    return { role: "muted", glyph: "", title: "no cut" };
  }

  /** @param {number} gap */
  summary(gap) {
    return `Gap ${gap + 1}: ${this.fate(gap).title}, ${this.data.titles.fused} ${this.data.columns.fused[gap].toFixed(3)}`;
  }

  /** @param {number} gap @param {boolean} withSentences */
  fillTip(gap, withSentences) {
    const { columns, titles } = this.data;
    const { glyph, title, role } = this.fate(gap);
    /** @type {[string, string][]} */
    const tags = [[`${glyph} ${title}`.trim(), role]];
    if (columns.gold.includes(gap)) tags.push(["▲ reference", "gold"]);
    if (columns.pinned) tags.push([columns.pinned.includes(gap) ? "pinned: cut" : "pinned: no cut", "muted"]);
    const values = element("div", "cs-tip-values");
    values.append(this.value("semantic", "semantic", columns.semantic[gap]));
    if (columns.structural) {
      values.append(this.value("structural", "structural", columns.structural[gap]));
      values.append(this.value("fused", titles.fused, columns.fused[gap]));
    }
    this.tip.replaceChildren(tipHead(`Gap ${number.format(gap + 1)}`, ...tags), values, ...this.margin(gap));
    const stored = shared.documents.get(this.document);
    if (!withSentences || !stored || gap + 1 >= stored.sentences) return;
    for (const sentence of [gap, gap + 1]) this.tip.append(tipQuote(clip(sentenceText(stored, sentence), CLIPPED)));
  }

  /** @param {string} role @param {string} label @param {number} amount */
  value(role, label, amount) {
    const item = element("span", "cs-tip-value");
    const swatch = element("i");
    swatch.style.background = `var(--cs-${role})`;
    item.append(swatch, `${label} `, element("b", "", decimals(amount)));
    return item;
  }

  /** @param {number} gap */
  margin(gap) {
    const { columns, threshold, threshold_label: label, scored_apart: apart, titles } = this.data;
    if (threshold === null) return [];
    const score = columns.score[gap];
    const exceeds = columns.exceeds[gap] === 1;
    const line = element("div", "cs-tip-margin");
    line.append(
      `${apart ? "slope" : titles.fused} ${decimals(score)} ${exceeds ? ">" : "≤"} `,
      element("span", "cs-tip-threshold", decimals(threshold)),
      ` ${label} (${exceeds ? "+" : "−"}${decimals(Math.abs(score - threshold))})`,
    );
    return [line];
  }
}

/** @param {number} value */
function decimals(value) {
  return Number.isFinite(value) ? value.toFixed(3) : "none";
}

/** Markers as a shape; gold has a row of its own, a pinned setting two. @param {any} trace @param {number} pixel gaps a pixel */
function strokeShape({ x, y, marker, uid, yaxis }, pixel) {
  const gold = yaxis === "y2";
  const half = { y2: 0.8, y3: ROW_HALF }[/** @type {"y2" | "y3"} */ (yaxis)] ?? STROKE_HALF;
  const path = strokePath(x, y, half, gold ? pixel : null);
  const line = { color: marker.color, width: gold ? 1 : STROKE_WIDTH };
  return { type: "path", name: uid, path, xref: "x", yref: yaxis ?? "y", line, layer: "above" };
}

export default mounted(CurveChart);
