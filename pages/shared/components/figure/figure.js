// A Plotly figure as Python made it, in the colours of the theme. The same node is kept, so a zoom outlasts a rerun.

/** @import { Component } from "../base/dom.js" */
import { applyTheme, colored, element, mounted } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { loadPlotly } from "../plotly_js/plotly.js";

class Figure {
  /** @type {any} */ plotly;
  content = "";
  theme = "";
  root = element("div", "cs-figure");
  plot = element("div");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root.append(this.plot);
    parent.append(this.root);
    this.resizes = new ResizeObserver(() => {
      // Plotly refuses to measure what is not displayed, as while the view changes.
      if (this.plot.isConnected && this.plot.clientWidth) this.plotly?.Plots.resize(this.plot);
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
    const style = getComputedStyle(this.root);
    const { figure: drawn, label } = body();
    this.root.setAttribute("role", "figure");
    this.root.setAttribute("aria-label", label);
    const figure = colored(drawn, (role) => style.getPropertyValue(`--cs-${role}`).trim());
    figure.layout.font.family = style.fontFamily;
    this.plot.style.height = `${figure.layout.height}px`; // from the start, so that nothing jumps when it is drawn
    this.plotly ??= await loadPlotly(head.plotly);
    await this.plotly.react(this.plot, figure.data, figure.layout, {
      displaylogo: false,
      responsive: false,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
    });
    this.resizes.observe(this.plot);
  }

  destroy() {
    this.resizes.disconnect();
    this.plotly?.purge(this.plot);
    this.root.remove();
  }
}

export default mounted(Figure);
