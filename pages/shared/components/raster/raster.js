// What the pictures of the Tune page share, put before each one's own code: a raster under Plotly's axes, α upwards,
// with zoom along the other axis, hovering, a cursor for the keys, and clicks that tell Python which cell was taken.

import { applyTheme, colored, element } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { loadPlotly } from "../plotly_js/plotly.js";
import { FIELD_KEPT, fields } from "./fields.js";
import { canvasOf, enlarged } from "./pixels.js";

const REPORT_VIEW_MS = 350;
const CLICK_PX = 4;
const WHOLE_BELOW = 12;

export class RasterChart {
  constructor(parent, kind) {
    this.root = element("div", `cs-chart cs-raster cs-${kind}`);
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "application");
    this.legend = element("div", "cs-legend");
    this.plot = element("div", "cs-plot");
    this.cell = element("div", "cs-cell");
    this.tip = element("div", "cs-tip");
    this.live = element("div", "cs-live");
    this.live.setAttribute("aria-live", "polite");
    this.cell.hidden = this.tip.hidden = true;
    this.stage = element("div", "cs-stage");
    this.stage.append(this.plot, this.cell, this.tip);
    this.root.append(this.legend, this.stage, this.live);
    parent.append(this.root);

    this.content = null;
    this.document = null;
    this.selected = null;
    this.at = null; // {x, row}: the cell under the pointer or the keys
    this.view = null; // [from, to] along x, or null for all
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
    }
    this.theme = theme;
    if (head.document !== this.document) {
      this.document = head.document;
      this.view = head.view;
      this.point(null);
      this.dropTimers();
    }
    this.view = this.clampView(this.view);
    const before = this.selected;
    this.selected = this.settled(head);
    loadPlotly(head.plotly).then(
      (plotly) => {
        this.plotly = plotly;
        this.plot.classList.remove("cs-failed");
        if (changed || !this.drawn) this.draw();
        else if (before !== this.selected) this.mark();
        if (before !== this.selected) this.reveal(this.selected);
      },
      (error) => this.fail(error),
    );
  }

  /** What is chosen along x after Python spoke; a picture without such a choice has none. */
  settled() {
    return null;
  }

  fail(error) {
    console.error("Chunkscope:", error);
    this.plot.classList.add("cs-failed");
    this.plot.textContent = "The picture could not be drawn: the browser did not get Plotly.js. Reload the page.";
  }

  // ---- drawing

  get data() {
    return fields.get(this.field);
  }

  /** Full range along x; cells have their middle at `first`, `first + step`, … */
  get full() {
    return this.figure.xaxis.range;
  }

  clampView(view) {
    if (!view) return null;
    const [first, last] = this.full;
    const from = Math.max(first, Math.min(view[0], view[1]));
    const to = Math.min(last, Math.max(view[0], view[1]));
    const everything = from - first < 0.01 * this.step && last - to < 0.01 * this.step;
    return everything || !(to - from > 0) ? null : [from, to];
  }

  draw() {
    const width = this.plot.clientWidth;
    // Hidden, for instance in a closed tab: drawn when it shows. Without its field: drawn when that comes.
    this.missing = !this.data;
    if (!this.plotly || !this.figure || !width || this.missing) return;
    const style = getComputedStyle(this.root);
    this.palette = (role) => style.getPropertyValue(`--cs-${role}`).trim();
    const layout = colored(this.figure, this.palette);
    layout.xaxis.range = [...(this.view ?? this.full)];
    layout.xaxis.autorange = false;
    // Else Plotly keeps an edge that the user dragged wherever the new edge is that of before the drag.
    layout.xaxis.uirevision = this.drawings = (this.drawings ?? 0) + 1;
    // Where few cells are seen, a tick at each: between them there is nothing to count.
    if (this.step === 1 && layout.xaxis.range[1] - layout.xaxis.range[0] < WHOLE_BELOW) layout.xaxis.dtick = 1;
    layout.autosize = true;
    layout.hovermode = false; // hovering is done here
    layout.font.family = style.fontFamily;
    layout.images = [this.image(width)];
    layout.shapes = this.shapes();
    this.plotly.react(this.plot, [], layout, this.config());
    const { l, t, w, h } = this.plot._fullLayout._size;
    this.area = { left: l, top: t, width: w, height: h };
    if (!this.drawn) {
      this.drawn = true;
      this.plot.on("plotly_relayout", (change) => this.relayouted(change));
      this.plot.on("plotly_relayouting", () => this.hide());
    }
    this.fillLegend();
    this.root.setAttribute("aria-label", this.description());
    this.root.dataset.csContent = this.content;
    this.placeCell();
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  /** The raster of the visible part and half its width to either side, as an image of Plotly's layout. */
  image(width) {
    const [from, to] = this.view ?? this.full;
    const margin = (to - from) / 2;
    const count = this.columns;
    const first = Math.max(0, Math.floor((from - margin - this.first) / this.step));
    const last = Math.min(count, Math.ceil((to + margin - this.first) / this.step) + 1);
    const room = Math.max(1, Math.round((width * window.devicePixelRatio * (last - first) * this.step) / (to - from)));
    this.painted = this.paint(first, last, Math.min(last - first, room));
    const half = this.rowStep / 2;
    return {
      source: this.painted.toDataURL(),
      xref: "x", yref: "y", layer: "below", sizing: "stretch", xanchor: "left", yanchor: "top",
      x: this.first + (first - 0.5) * this.step,
      sizex: (last - first) * this.step,
      y: 1 + half,
      sizey: 1 + 2 * half,
    };
  }

  get rowStep() {
    return 1 / (this.rows - 1);
  }

  mark() {
    if (this.drawn) this.plotly.relayout(this.plot, { shapes: this.shapes() });
  }

  /** A line along x or α, coloured by role, with the surface behind it so that it shows on any cell. */
  line({ x = null, y = null, role, width = 1.5, dash = "solid" }) {
    const across = x === null;
    const place = across
      ? { xref: "paper", x0: 0, x1: 1, yref: "y", y0: y, y1: y }
      : { xref: "x", x0: x, x1: x, yref: "y", y0: -this.rowStep / 2, y1: 1 + this.rowStep / 2 };
    const stroke = (color, thick, style) => ({ type: "line", ...place, line: { color, width: thick, dash: style } });
    return [stroke(this.palette("surface"), width + 2.5, "solid"), stroke(this.palette(role), width, dash)];
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
          { name: "all", title: "Show all", icon: this.plotly.Icons.home, click: () => this.show(null) },
        ],
        [{ name: "image", title: "Download as an image", icon: this.plotly.Icons.camera, click: () => this.download() }],
      ],
    });
  }

  download() {
    const font = { ...this.plot.layout.font, family: "Arial, Helvetica, sans-serif" };
    const { width, height } = this.plot._fullLayout;
    const source = enlarged(this.painted, 2 * width, 2 * height).toDataURL();
    const images = this.plot.layout.images.map((image) => ({ ...image, source }));
    this.plotly.downloadImage(
      { data: [], layout: { ...this.plot.layout, font, images, paper_bgcolor: this.palette("surface") } },
      { format: "png", filename: `chunkscope-${this.name}`, width, height, scale: 2 },
    );
  }

  /** The colour scale with its ticks, then what each mark means. */
  fillLegend() {
    const says = JSON.stringify([this.theme, this.scaleTicks, this.marks, this.scaleTitle, this.content]);
    if (says === this.legend.dataset.says) return;
    this.legend.dataset.says = says;
    const scale = element("span", "cs-scalebar");
    const canvas = canvasOf(this.scalePixels(), this.scalePixels().length, 1);
    canvas.className = "cs-ramp";
    const bar = element("span", "cs-rampbox");
    bar.append(canvas);
    for (const { at, label } of this.scaleTicks) {
      const tick = element("small", "cs-ramptick", label);
      tick.style.left = `${100 * at}%`;
      bar.append(tick);
    }
    scale.append(element("span", "cs-rampname", this.scaleTitle), bar);
    const marks = this.marks.map(({ role, form, label }) => {
      const entry = element("span", "cs-mark");
      const sign = element("i", `cs-sign cs-${form}`);
      sign.style.color = `var(--cs-${role})`;
      entry.append(sign, element("span", "", label));
      return entry;
    });
    this.legend.replaceChildren(scale, ...marks);
  }

  // ---- zoom

  relayouted(change) {
    const touched = Object.keys(change).some((name) => name.startsWith("xaxis.range") || name === "xaxis.autorange");
    if (!touched) return;
    this.view = this.clampView([...this.plot._fullLayout.xaxis.range]);
    this.draw();
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

  /** Pans, keeping the width, until a place along x is visible. */
  bring(x) {
    if (!this.view || !this.drawn || (x >= this.view[0] && x <= this.view[1])) return;
    const width = this.view[1] - this.view[0];
    const [first, last] = this.full;
    const start = Math.max(first, Math.min(last - width, x - width / 2));
    this.show([start, start + width]);
  }

  // ---- pointer and keys

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler, options) => target.addEventListener(type, handler, { signal, ...options });
    on(this.stage, "pointermove", (event) => {
      if (event.buttons) return this.hide();
      const cell = event.target.closest?.(".modebar") ? null : this.cellAt(event);
      this.point(cell, event);
    });
    on(this.stage, "pointerleave", () => this.point(null));
    on(this.stage, "pointerdown", (event) => this.pressed(event), { capture: true });
    on(window, "pointerup", (event) => this.released(event), { capture: true });
    on(this.root, "keydown", (event) => {
      this.root.classList.remove("cs-by-mouse");
      this.key(event);
    });
    on(this.root, "blur", () => this.point(null));
    on(this.stage, "wheel", (event) => this.wheel(event), { passive: false });
    on(window, FIELD_KEPT, ({ detail }) => {
      if (detail.field === this.field && this.missing) this.draw();
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
    if (!this.drawn) return;
    this.plotly.Plots.resize(this.plot).then(() => {
      if (!this.drawn) return;
      const { l, t, w, h } = this.plot._fullLayout._size;
      this.area = { left: l, top: t, width: w, height: h };
    });
  }

  /** The cell under a pointer event, null outside the picture. */
  cellAt(event) {
    if (!this.drawn || !this.columns) return null;
    const box = this.plot.getBoundingClientRect();
    const x = event.clientX - box.left - this.area.left;
    const y = event.clientY - box.top - this.area.top;
    if (x < -4 || x > this.area.width + 4 || y < -4 || y > this.area.height + 4) return null;
    const { xaxis, yaxis } = this.plot._fullLayout;
    return this.inside({
      column: Math.round((xaxis.p2c(x) - this.first) / this.step),
      row: Math.round(yaxis.p2c(y - (yaxis._offset - this.area.top)) / this.rowStep),
    });
  }

  inside({ column, row }) {
    return {
      column: Math.max(0, Math.min(this.columns - 1, column)),
      row: Math.max(0, Math.min(this.rows - 1, row)),
    };
  }

  pressed(event) {
    const inside = event.button === 0 && !event.target.closest?.(".modebar");
    const cell = inside ? this.cellAt(event) : null;
    this.press = cell === null ? null : { cell, x: event.clientX, y: event.clientY };
    if (!inside) return;
    this.root.classList.add("cs-by-mouse"); // a ring round the whole picture is for who comes by keyboard
    this.root.focus({ preventScroll: true });
  }

  released(event) {
    const press = this.press;
    this.press = null;
    if (!press || Math.hypot(event.clientX - press.x, event.clientY - press.y) > CLICK_PX) return;
    // A click waits until it is sure not to be the first of two, which show all and must set nothing.
    if (this.timers.has("take")) {
      clearTimeout(this.timers.get("take"));
      this.timers.delete("take");
      if (this.view) this.show(null);
    } else this.later("take", this.view ? 260 : 0, () => this.take(press.cell));
  }

  /** Pinching, or the wheel with the control key, zooms around the pointer; sideways it pans. */
  wheel(event) {
    const cell = this.cellAt(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (cell === null || !(event.ctrlKey || (sideways && this.view))) return;
    event.preventDefault();
    const [from, to] = this.view ?? this.full;
    if (event.ctrlKey) {
      const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005);
      const at = this.xOf(cell.column);
      const width = Math.max(4 * this.step, (to - from) * factor);
      const share = (at - from) / (to - from);
      this.show([at - width * share, at + width * (1 - share)]);
    } else {
      const [first, last] = this.full;
      const shift = ((event.deltaX || event.deltaY) / this.area.width) * (to - from);
      const start = Math.max(first, Math.min(last - (to - from), from + shift));
      this.show([start, start + (to - from)]);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.drawn) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) {
      const cell = this.at ? this.stepped(this.at, step, event.shiftKey) : this.start();
      this.point(this.inside(cell));
      this.bring(this.xOf(this.at.column));
      this.live.textContent = this.tip.textContent;
    } else if (event.key === "Enter" && this.at) this.take(this.at);
    else if (event.key === "Escape") {
      if (this.at) this.point(null);
      else this.dropSelection();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  xOf(column) {
    return this.first + column * this.step;
  }

  /** Shows a cell with what is known of it; null for none. */
  point(cell, event = null) {
    const same = cell && this.at && cell.column === this.at.column && cell.row === this.at.row;
    this.at = cell;
    if (!cell || !this.drawn) return this.hide();
    if (!same || this.tip.hidden) {
      this.tip.replaceChildren(...this.told(cell));
      this.tip.hidden = false;
    }
    this.placeCell();
    this.placeTip(event);
  }

  hide() {
    this.cell.hidden = this.tip.hidden = true;
  }

  placeCell() {
    if (!this.at || this.tip.hidden) return this.hide();
    const { xaxis, yaxis } = this.plot._fullLayout;
    const x = xaxis.c2p(this.xOf(this.at.column));
    if (x < -1 || x > this.area.width + 1) return this.hide();
    const wide = Math.max(5, Math.abs(xaxis.c2p(this.first + this.step) - xaxis.c2p(this.first)));
    const high = Math.max(5, Math.abs(yaxis.c2p(this.rowStep) - yaxis.c2p(0)));
    this.cell.hidden = false;
    const top = yaxis._offset + yaxis.c2p(this.at.row * this.rowStep);
    Object.assign(this.cell.style, {
      width: `${wide + 2}px`,
      height: `${high + 2}px`,
      transform: `translate(${this.area.left + x - wide / 2 - 1}px, ${top - high / 2 - 1}px)`,
    });
  }

  /** Beside the cell, on the side with more room. */
  placeTip(event) {
    const box = this.stage.getBoundingClientRect();
    const { xaxis, yaxis } = this.plot._fullLayout;
    const x = this.area.left + xaxis.c2p(this.xOf(this.at.column));
    const middle = event ? event.clientY - box.top : yaxis._offset + yaxis.c2p(this.at.row * this.rowStep);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = x + 18 + width <= box.width ? x + 18 : Math.max(0, x - 18 - width);
    const top = Math.max(-8, Math.min(middle - height / 2, Math.max(this.area.top, box.height - height)));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  /** Runs `action` after a pause; a newer one of the same name replaces it. */
  later(name, delay, action) {
    clearTimeout(this.timers.get(name));
    this.timers.delete(name);
    if (delay === 0) return action();
    const run = () => {
      this.timers.delete(name);
      action();
    };
    this.timers.set(name, setTimeout(run, delay));
  }

  dropTimers() {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  destroy() {
    this.abort.abort();
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.dropTimers();
    if (this.drawn) this.plotly.purge(this.plot);
    this.drawn = false;
    this.root.remove();
  }
}

export function tipLine(...parts) {
  const line = element("div", "cs-tip-line");
  line.append(...parts);
  return line;
}
