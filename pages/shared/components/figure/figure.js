// A Plotly figure as Python made it, in the colours of the theme. The same node is kept, so a zoom outlasts a rerun.

/** @import { Component } from "../base/dom.js" */
import { applyTheme, colored, element, mounted, typeScale } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { enlargeLayout, enlargedTrace } from "../plotly_js/enlarge.js";
import { loadPlotly } from "../plotly_js/plotly.js";

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

export default mounted(Figure);
