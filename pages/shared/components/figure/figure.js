// A Plotly figure as Python made it, in the colours of the theme. The same node is kept, so a zoom outlasts a rerun.

/** @import { Component } from "../base/dom.js" */
import { kept } from "../base/bus.js";
import { applyTheme, element, mounted, typeScale } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { enlargeLayout, enlargedTrace } from "../plotly_js/enlarge.js";

const ROOT = new URL("../../../../../../", import.meta.url); // of the app: the modules are served below it

class Figure {
  /** @type {any} */ plotly;
  /** @type {any} */ figure; // as Python made it
  content = "";
  scale = 0;
  theme = "";
  root = element("div", "cs-figure");
  plot = element("div");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root.append(this.plot);
    parent.append(this.root);
    this.resizes = new ResizeObserver(() => {
      // Plotly refuses to measure what is not displayed, as while the view changes.
      if (!this.plotly || !this.plot.isConnected || !this.plot.clientWidth) return;
      if (this.scale === typeScale()) this.plotly.Plots.resize(this.plot);
      else this.react();
    });
  }

  /** @param {Component} component */
  update({ data }) {
    this.draw(data).catch((error) => (this.plot.textContent = String(error)));
  }

  /** @param {Uint8Array} data */
  async draw(data) {
    const { head, body } = unpack(data);
    const theme = applyTheme(this.root);
    if (head.content === this.content && theme === this.theme) return;
    this.content = head.content;
    this.theme = theme;
    const { figure, label } = body();
    this.figure = figure;
    this.root.setAttribute("role", "figure");
    this.root.setAttribute("aria-label", label);
    this.plot.style.height = `${figure.layout.height * typeScale()}px`; // from the start, so that nothing jumps
    this.plotly ??= await loadPlotly(head.plotly);
    await this.react();
    this.resizes.observe(this.plot);
  }

  /** Draws the figure in the colours of the theme and the size of the page's type. */
  async react() {
    this.scale = typeScale();
    const style = getComputedStyle(this.root);
    const { data, layout } = colored(this.figure, (role) => style.getPropertyValue(`--cs-${role}`).trim());
    layout.font.family = style.fontFamily;
    enlargeLayout(layout, this.scale);
    this.plot.style.height = `${layout.height}px`;
    const traces = data.map((/** @type {any} */ trace) => enlargedTrace(trace, this.scale));
    await this.plotly.react(this.plot, traces, layout, {
      displaylogo: false,
      responsive: false,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
    });
  }

  destroy() {
    this.resizes.disconnect();
    this.plotly?.purge(this.plot);
    this.root.remove();
  }
}

/** Plotly.js, loaded once a page. @param {string} path relative to the app's root @returns {Promise<any>} */
function loadPlotly(path) {
  return kept(path, () => new Promise((resolve, reject) => {
    const script = element("script");
    script.src = new URL(path, ROOT).href;
    script.onload = () => resolve(/** @type {any} */ (window).Plotly);
    script.onerror = () => reject(new Error(`could not load ${script.src}`));
    document.head.append(script);
  }));
}

/**
 * A copy of a figure with "role:<name>" replaced by colours. Typed arrays are passed on.
 *
 * @param {any} value
 * @param {(role: string) => string} palette
 * @returns {any}
 */
function colored(value, palette) {
  if (typeof value === "string") return value.startsWith("role:") ? palette(value.slice(5)) : value;
  if (Array.isArray(value)) return value.map((item) => colored(item, palette));
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, colored(item, palette)]));
}

export default mounted(Figure);
