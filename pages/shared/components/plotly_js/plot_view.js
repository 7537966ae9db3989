// The basis of what draws with Plotly: an axis that is zoomed and panned, a pointer, a tooltip and keys.

/** @import { Component, Theme } from "../base/dom.js" */
/** @import { PlotHead } from "../messages.js" */
/** @import { Range } from "./views.js" */
import { applyTheme, element, termed, typeScale } from "../base/dom.js";
import { Timers } from "../base/timers.js";
import { unpack } from "../base/wire.js";
import { enlargeLayout, enlargedTrace } from "./enlarge.js";
import { loadPlotly } from "./plotly.js";
import { clampedView, movedTo, pinchedTo, revealing, zoomedAt } from "./views.js";

const REPORT_VIEW_MS = 350;
const CLICK_PX = 4;
export const DOUBLE_CLICK_MS = 350; // within which a second click makes a double click
const WHOLE_BELOW = 12; // units in view, below which the axis is labelled at each of them
const TIP_PX = 16; // between a place and its tooltip
const FULL_SCREEN_TYPE = 1.4; // how much larger type is at least there
const FULL_SCREEN_MARGIN = 40; // pixels above and below
const FULL_SCREEN_ICON = { width: 24, height: 24, path: "M3 9V3h6v2H5v4zm12-6h6v6h-2V5h-4zM3 15h2v4h4v2H3zm16 0h2v6h-6v-2h4z" };

/**
 * A chart under one axis that can be zoomed. Zoom and choice survive every message about the same document.
 *
 * @template {PlotHead} Head
 * @template {{figure: any}} Body
 * @template At what the pointer is over
 */
export class PlotView {
  /** @type {Component} */ component;
  /** @type {Body} */ data;
  /** @type {any} */ plotly;
  /** @type {any} */ fixedConfig;
  /** @type {Theme} */ theme;
  /** @type {(role: string) => string} */ palette;
  /** @type {string | null} */ content = null;
  /** @type {string | null} */ document = null;
  /** @type {number | null} */ selected = null;
  /** @type {Range | null} */ view = null;
  area = { left: 0, top: 0, width: 0, height: 0 }; // of the axes, in pixels of the plot
  drawn = false;
  drawings = 0;
  width = 0;
  frame = 0;
  viewDigits = 2; // decimals of a reported view
  typeFactor = 1; // how much larger than usual type and marks were drawn last
  /** @type {{at: At, x: number, y: number} | null} */ press = null;
  /** @type {number[]} */ held = []; // places on the axis where the fingers began
  /** @type {{time: number, x: number, undo: () => void} | null} */ lastClick = null;
  timers = new Timers();
  abort = new AbortController();
  legend = element("div", "cs-legend");
  stage = element("div", "cs-stage");
  plot = element("div", "cs-plot"); // Plotly adds _fullLayout, layout, data and on()
  tip = element("div", "cs-tip");
  live = element("div", "cs-live");

  /**
   * @param {HTMLElement} parent
   * @param {string} className
   * @param {HTMLElement[]} marks what lies over the plot, hidden at first
   */
  constructor(parent, className, ...marks) {
    this.root = element("div", `cs-chart ${className}`);
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "application");
    this.live.setAttribute("aria-live", "polite");
    for (const mark of [...marks, this.tip]) mark.hidden = true;
    this.stage.append(this.plot, ...marks, this.tip);
    this.root.append(this.legend, this.stage, this.live);
    parent.append(this.root);
    this.resizes = new ResizeObserver(() => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.resized());
    });
    this.resizes.observe(this.plot);
    this.listen();
  }

  // ---- what a chart defines

  /** The name of downloaded images. */
  get name() {
    return "chart";
  }

  /** The key under which choices in the document are shared. */
  get topic() {
    return this.document;
  }

  /** The full range of the axis. @returns {Range} */
  get full() {
    return this.data.figure.layout.xaxis.range;
  }

  /** Of the plot, in pixels. @returns {number} */
  get height() {
    return this.data.figure.layout.height;
  }

  /** The smallest range that one can zoom to. */
  get least() {
    return 4;
  }

  /** Distance of neighbouring places on the axis; 1 where a label between two of them would mean nothing. */
  get step() {
    return 1;
  }

  /** A message with new content has come. @param {Body | undefined} _before the content that it replaces */
  taken(_before) {}

  /** Another document is shown. @param {Head} head */
  moved(head) {
    this.view = head.view;
  }

  /** The choice, now that Python has sent `head`. @param {Head} _head @returns {number | null} */
  settled(_head) {
    return null;
  }

  /** Pans, keeping the width, until what is chosen is visible. @param {number | null} _selected */
  reveal(_selected) {}

  /** Fills the chart; called after the axis is set. @param {any} _layout @param {number} _width @returns {any[]} */
  traces(_layout, _width) {
    return [];
  }

  /** Marks on the axes. @returns {any[]} */
  shapes() {
    return [];
  }

  /** What has to be done after Plotly has drawn. */
  placed() {}

  /** Whether a message without new content still changes something. */
  remark() {
    if (this.drawn) this.plotly.relayout(this.plot, { shapes: this.shapes() });
  }

  /** Shows or hides some of the shapes that Plotly has drawn. @param {(shape: any, index: number) => boolean} chosen @param {boolean} shown */
  showShapes(chosen, shown) {
    this.axes.shapes.forEach((/** @type {any} */ shape, /** @type {number} */ index) => {
      if (!chosen(shape, index)) return;
      const path = /** @type {SVGElement | null} */ (this.plot.querySelector(`.shapelayer [data-index="${index}"]`));
      if (path) path.style.visibility = shown ? "" : "hidden";
    });
  }

  description() {
    return "";
  }

  /** What a pointer event is over, null for nothing. @param {PointerEvent} _event @returns {At | null} */
  under(_event) {
    return null;
  }

  /** The pointer has moved. @param {At | null} _at @param {PointerEvent} _event */
  pointed(_at, _event) {}

  hide() {}

  /** The axis is being dragged: what lies over the plot no longer fits. */
  dragged() {
    this.hide();
  }

  /** A click; returns how to take it back, for when it was the first of two. @param {At} _at @returns {() => void} */
  clicked(_at) {
    return () => {};
  }

  /** @param {KeyboardEvent} _event @returns {boolean} whether the key did something */
  key(_event) {
    return false;
  }

  // ---- messages from Python

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = /** @type {{head: Head, body: () => Body}} */ (unpack(component.data));
    const theme = applyTheme(this.root);
    const changed = head.content !== this.content || theme !== this.theme;
    this.theme = theme;
    if (head.content !== this.content) {
      this.content = head.content;
      const before = this.data;
      this.data = body();
      this.taken(before);
    }
    if (head.document !== this.document) {
      this.document = head.document;
      this.timers.clear();
      this.moved(head);
    }
    this.view = this.clamped(this.view);
    const before = this.selected;
    this.selected = this.settled(head);
    // Its room from the start, so that what follows does not jump when Plotly.js has come.
    if (!this.drawn) this.plot.style.minHeight = `${this.height}px`;
    loadPlotly(head.plotly).then(
      (plotly) => {
        this.plotly = plotly;
        this.plot.classList.remove("cs-failed");
        if (changed || !this.drawn) this.draw();
        else if (before !== this.selected) this.remark();
        if (before !== this.selected) this.reveal(this.selected);
      },
      (error) => {
        console.error("Chunkscope:", error);
        this.plot.classList.add("cs-failed");
        this.plot.textContent = "The chart could not be drawn because Plotly.js did not load. Reload the page.";
      },
    );
  }

  // ---- drawing

  /** The visible part of the axis. @returns {Range} */
  get range() {
    return this.view ?? this.full;
  }

  /** @param {Range | null} view @returns {Range | null} */
  clamped(view) {
    return clampedView(view, this.full, 0.01 * this.step);
  }

  /** @returns {any} Plotly's computed layout */
  get axes() {
    return /** @type {any} */ (this.plot)._fullLayout;
  }

  /** Pixels from the left edge of the plot to a place on the axis. @param {number} x */
  pixelOf(x) {
    return this.area.left + this.axes.xaxis.c2p(x);
  }

  /** Whether a place on the axis is visible. @param {number} x */
  isVisible(x) {
    const at = this.axes.xaxis.c2p(x);
    return at >= -1 && at <= this.area.width + 1;
  }

  /** The layout with the visible range. @returns {any} */
  layout() {
    return {};
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!this.plotly || !this.data || !width) return; // hidden, for instance in a closed tab: drawn when it shows
    const style = getComputedStyle(this.root);
    this.palette = (role) => style.getPropertyValue(`--cs-${role}`).trim();
    const layout = this.layout();
    layout.xaxis.range = [...this.range];
    layout.xaxis.autorange = false;
    // Otherwise Plotly keeps an edge that the user dragged wherever the new edge equals that of before the drag.
    layout.xaxis.uirevision = ++this.drawings;
    if (this.step === 1 && layout.xaxis.range[1] - layout.xaxis.range[0] < WHOLE_BELOW) layout.xaxis.dtick = 1;
    this.typeFactor = this.wantedTypeFactor;
    enlargeLayout(layout, this.typeFactor);
    if (this.fills) {
      const parts = /** @type {HTMLElement[]} */ ([...this.root.children]).map(({ offsetHeight }) => offsetHeight);
      const rest = parts.reduce((sum, height) => sum + height, FULL_SCREEN_MARGIN) - this.plot.offsetHeight;
      layout.height = window.innerHeight - rest;
    }
    Object.assign(layout, { autosize: true, showlegend: false, hovermode: false, paper_bgcolor: "rgba(0,0,0,0)" });
    layout.font.family = style.fontFamily;
    const traces = this.traces(layout, width).map((trace) => enlargedTrace(trace, this.typeFactor));
    layout.shapes = this.shapes();
    this.plotly.react(this.plot, traces, layout, this.config());
    if (!this.drawn) {
      this.drawn = true;
      this.plot.style.minHeight = "";
      const plot = /** @type {any} */ (this.plot);
      plot.on("plotly_relayout", (/** @type {object} */ change) => this.relayouted(change));
      plot.on("plotly_relayouting", () => this.dragged());
    }
    this.measure();
    this.placed();
    this.root.setAttribute("aria-label", this.description());
    this.root.dataset.csContent = this.content ?? "";
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  measure() {
    const { l, t, w, h } = this.axes._size;
    this.area = { left: l, top: t, width: w, height: h };
  }

  config() {
    const { home, camera } = this.plotly.Icons;
    return (this.fixedConfig ??= {
      displaylogo: false,
      displayModeBar: "hover",
      doubleClick: false, // done here, where "all" is known
      responsive: false,
      scrollZoom: false,
      showTips: false,
      modeBarButtons: [
        ["zoom2d", "pan2d"],
        ["zoomIn2d", "zoomOut2d", { name: "all", title: "Show all", icon: home, click: () => this.show(null) }],
        [
          { name: "full", title: "Full screen", icon: FULL_SCREEN_ICON, click: () => this.fill() },
          { name: "image", title: "Download as an image", icon: camera, click: () => this.download() },
        ],
      ],
    });
  }

  /** How much larger than usual type and marks are to be. */
  get wantedTypeFactor() {
    return Math.max(typeScale(), this.fills ? FULL_SCREEN_TYPE : 1);
  }

  /** Whether the chart has the whole screen. */
  get fills() {
    return this.root.matches(":fullscreen");
  }

  fill() {
    if (this.fills) document.exitFullscreen();
    else this.root.requestFullscreen().catch(() => (this.live.textContent = "This browser does not allow the full screen."));
  }

  /** What an image shows beside what is seen. @returns {{data: any[], layout: any, height: number}} */
  image() {
    return { data: [], layout: {}, height: this.axes.height };
  }

  download() {
    const { layout: seen } = /** @type {any} */ (this.plot);
    const { data, layout, height } = this.image();
    // The page's own font is not available where the image is made.
    const font = { ...seen.font, family: "Arial, Helvetica, sans-serif" };
    this.plotly.downloadImage(
      { data, layout: { ...seen, font, paper_bgcolor: this.palette("surface"), ...layout } },
      { format: "png", filename: `chunkscope-${this.name}`, width: this.axes.width, height, scale: 2 },
    );
  }

  /** @param {boolean} [anew] also where the width is that of before */
  resized(anew = false) {
    const width = this.plot.clientWidth;
    if (!width || (width === this.width && this.typeFactor === this.wantedTypeFactor && !anew)) return;
    this.width = width;
    this.hide();
    this.draw();
    if (!this.drawn) return;
    this.plotly.Plots.resize(this.plot).then(() => {
      if (!this.drawn) return;
      this.measure();
      this.placed();
    });
  }

  // ---- zoom

  /** @param {object} change */
  relayouted(change) {
    if (!Object.keys(change).some((name) => name.startsWith("xaxis.range") || name === "xaxis.autorange")) return;
    this.show(/** @type {Range} */ ([...this.axes.xaxis.range]));
  }

  /** Shows a part of the axis, null for all. @param {Range | null} range */
  show(range) {
    this.view = this.clamped(range);
    this.draw();
    this.reportView();
  }

  reportView() {
    this.timers.set("view", REPORT_VIEW_MS, () => {
      const range = this.view?.map((edge) => Number(edge.toFixed(this.viewDigits))) ?? null;
      this.component.setStateValue("view", { document: this.document, range });
    });
  }

  /** Pans, keeping the width, until a place on the axis is visible. @param {number} x */
  bring(x) {
    if (!this.view || !this.drawn) return;
    const range = revealing(this.range, this.full, x);
    if (range !== this.range && String(range) !== String(this.range)) this.show(range);
  }

  // ---- pointer and keys

  listen() {
    const options = { signal: this.abort.signal };
    const { stage, root } = this;
    stage.addEventListener("pointermove", (event) => this.pointerMoved(event), options);
    stage.addEventListener("pointerleave", (event) => this.pointed(null, event), options);
    stage.addEventListener("pointerdown", (event) => this.pressed(event), { ...options, capture: true });
    window.addEventListener("pointerup", (event) => this.released(event), { ...options, capture: true });
    root.addEventListener("keydown", (event) => this.keyPressed(event), options);
    root.addEventListener("blur", () => this.left(), options);
    root.addEventListener("fullscreenchange", () => this.resized(true), options);
    stage.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    // Before Plotly, whose drag begins with the first finger.
    const first = { ...options, passive: false, capture: true };
    for (const name of /** @type {const} */ (["touchstart", "touchmove", "touchend", "touchcancel"])) {
      stage.addEventListener(name, (event) => this.touched(event), first);
    }
  }

  /** The focus has left the chart. */
  left() {
    this.hide();
  }

  /** @param {PointerEvent} event */
  pointerMoved(event) {
    if (event.buttons) this.hide();
    else this.pointed(this.isOnPlot(event) ? this.under(event) : null, event);
  }

  /** @param {Event} event */
  isOnPlot({ target }) {
    return !(target instanceof Element && target.closest(".modebar, .cs-label"));
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    this.press = null;
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest(".modebar"))) return;
    const at = this.isOnPlot(event) ? this.under(event) : null;
    if (at !== null) this.press = { at, x: event.clientX, y: event.clientY };
    this.root.classList.add("cs-by-mouse"); // a ring around the whole chart is for keyboard users
    this.root.focus({ preventScroll: true }); // so that the arrow keys continue from a click
  }

  /** @param {PointerEvent} event */
  released(event) {
    const { press } = this;
    this.press = null;
    if (!press || Math.hypot(event.clientX - press.x, event.clientY - press.y) > CLICK_PX) return;
    const now = event.timeStamp; // when it was clicked: a busy page may hear of the second click long after
    const last = this.lastClick;
    if (last && now - last.time < DOUBLE_CLICK_MS && Math.abs(last.x - press.x) < CLICK_PX) {
      last.undo(); // the first of the two clicks was not meant as a choice
      this.lastClick = null;
      this.show(null);
    } else this.lastClick = { time: now, x: press.x, undo: this.clicked(press.at) };
  }

  /** Place on the axis under a pointer or a finger, null outside the plot area. @param {{clientX: number, clientY: number}} event */
  placeUnder(event) {
    if (!this.drawn) return null;
    const box = this.plot.getBoundingClientRect();
    const x = event.clientX - box.left - this.area.left;
    const y = event.clientY - box.top - this.area.top;
    if (x < -6 || x > this.area.width + 6 || y < -4 || y > this.area.height + 4) return null;
    const [from, to] = this.range; // which may be ahead of what is drawn
    return from + Math.max(0, Math.min(1, x / this.area.width)) * (to - from);
  }

  /** Pinching, or the wheel with the control key, zooms around the pointer; sideways it pans. @param {WheelEvent} event */
  wheel(event) {
    const at = this.placeUnder(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (at === null || !(event.ctrlKey || (sideways && this.view))) return;
    event.preventDefault();
    const { range, full } = this;
    if (event.ctrlKey) {
      this.show(zoomedAt(range, at, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005), this.least));
    } else {
      const shift = ((event.deltaX || event.deltaY) / this.area.width) * (range[1] - range[0]);
      this.show(movedTo(range, full, range[0] + shift));
    }
  }

  /** Fingers keep what is under them: one pans, two zoom. @param {TouchEvent} event */
  touched(event) {
    if (!this.drawn || !this.isOnPlot(event)) return;
    event.stopPropagation(); // for Plotly, every drag begins a zoom
    const fingers = [...event.touches].slice(0, 2);
    if (fingers.length === 2) this.press = null;
    if (event.type === "touchmove") {
      if (fingers.length === 2) event.preventDefault();
      this.fingersMoved(fingers);
    } else this.held = fingers.flatMap((finger) => this.placeUnder(finger) ?? []);
  }

  /** @param {Touch[]} fingers */
  fingersMoved(fingers) {
    const { held, range, full } = this;
    if (!held.length || held.length !== fingers.length) return;
    const left = this.plot.getBoundingClientRect().left + this.area.left;
    const [one, other] = fingers.map(({ clientX }) => (clientX - left) / this.area.width);
    if (held.length === 1) {
      if (this.view) this.show(movedTo(range, full, held[0] - one * (range[1] - range[0])));
      return;
    }
    this.hide();
    const pinched = pinchedTo([held[0], held[1]], [one, other], this.least);
    if (pinched) this.show(pinched);
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    this.root.classList.remove("cs-by-mouse");
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.root || !this.drawn) return;
    if (!this.key(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- tooltip and legend

  /** Puts a line over a place on the axis. @param {HTMLElement} line @param {number} x */
  placeLine(line, x) {
    line.hidden = !this.isVisible(x);
    line.style.transform = `translate(${this.pixelOf(x)}px, ${this.area.top}px)`;
    line.style.height = `${this.area.height}px`;
  }

  /** Beside a place, on the side with more room, centred at a height. @param {number} x @param {number | null} middle */
  placeTip(x, middle) {
    if (this.tip.hidden) return;
    const box = this.stage.getBoundingClientRect();
    const at = this.pixelOf(x);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = at + TIP_PX + width <= box.width ? at + TIP_PX : Math.max(0, at - TIP_PX - width);
    const wanted = middle === null ? this.area.top : middle - height / 2;
    const top = Math.max(-8, Math.min(wanted, Math.max(this.area.top, box.height - height)));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  /** Height of a pointer event in the stage. @param {MouseEvent} event */
  heightOf(event) {
    return event.clientY - this.stage.getBoundingClientRect().top;
  }

  destroy() {
    this.abort.abort();
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.timers.clear();
    if (this.drawn) this.plotly.purge(this.plot);
    this.drawn = false;
    this.root.remove();
  }
}

/**
 * A legend of buttons that hide and bring back what they name.
 */
export class Legend {
  /** @type {Set<string>} */ hidden = new Set();
  /** @type {string} */ shown = "";

  /** @param {HTMLElement} root @param {() => void} changed */
  constructor(root, changed) {
    this.root = root;
    this.changed = changed;
  }

  /** @param {{uid: string, name: string, mark: HTMLElement, term?: string}[]} entries */
  fill(entries) {
    const shown = JSON.stringify(entries.map(({ uid, name }) => [uid, name, this.hidden.has(uid)]));
    if (shown === this.shown) return;
    this.shown = shown;
    const focused = /** @type {HTMLElement | null} */ (this.root.querySelector(":focus"))?.dataset.uid;
    const buttons = entries.map(({ uid, name, mark, term }) => {
      const button = element("button", "cs-entry");
      button.type = "button";
      button.dataset.uid = uid;
      button.title = "Show or hide";
      termed(button, term);
      button.setAttribute("aria-pressed", String(!this.hidden.has(uid)));
      button.append(mark, element("span", "", name));
      button.addEventListener("click", () => {
        if (!this.hidden.delete(uid)) this.hidden.add(uid);
        this.changed();
      });
      return button;
    });
    this.root.replaceChildren(...buttons);
    buttons.find((button) => button.dataset.uid === focused)?.focus();
  }
}

/** The mark of a line in a legend. @param {{color: string, width: number, dash?: string}} line */
export function lineMark(line) {
  const mark = element("i", "cs-stroke");
  mark.style.color = `var(--cs-${line.color.replace("role:", "")})`;
  mark.style.borderTop = `${Math.max(1.5, line.width)}px ${line.dash ? "dashed" : "solid"}`;
  return mark;
}

/** A line of a tooltip. @param {(string | Node)[]} parts */
export function tipLine(...parts) {
  const line = element("div", "cs-tip-line");
  line.append(...parts);
  return line;
}

/** Quoted text in a tooltip. @param {string} text */
export function tipQuote(text) {
  const quote = element("div", "cs-tip-text", text);
  quote.dir = "auto";
  return quote;
}

/** The head of a tooltip: a title, and tags in the colours of roles. @param {string} title @param {[string, string | null][]} tags */
export function tipHead(title, ...tags) {
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", title));
  for (const [words, role] of tags) {
    const tag = element("span", "cs-tip-fate", words);
    if (role) tag.style.color = `var(--cs-${role})`;
    head.append(tag);
  }
  return head;
}
