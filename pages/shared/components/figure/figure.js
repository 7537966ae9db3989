// A Plotly figure as Python made it, in the colours of the theme. The same node is kept, so a zoom outlasts a rerun.

import { applyTheme, colored, element, mounted } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { loadPlotly } from "../plotly_js/plotly.js";

class Figure {
  constructor(parent) {
    this.root = element("div", "cs-figure");
    this.plot = element("div");
    this.root.append(this.plot);
    parent.append(this.root);
    this.resizes = new ResizeObserver(() => {
      // Plotly refuses to measure what is not displayed, as while the view changes.
      if (this.plot.isConnected && this.plot.clientWidth) this.plotly?.Plots.resize(this.plot);
    });
  }

  update({ data }) {
    this.draw(unpack(data)).catch((error) => (this.plot.textContent = String(error)));
  }

  async draw(message) {
    const theme = applyTheme(this.root);
    if (message.head.content === this.content && theme === this.theme) return;
    this.content = message.head.content;
    this.theme = theme;
    const style = getComputedStyle(this.root);
    const figure = colored(message.body().figure, (role) => style.getPropertyValue(`--cs-${role}`).trim());
    figure.layout.font.family = style.fontFamily;
    this.plot.style.height = `${figure.layout.height}px`;
    this.plotly ??= await loadPlotly(message.head.plotly);
    await this.plotly.react(this.plot, figure.data, figure.layout, {
      displaylogo: false,
      responsive: false,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
    });
    this.resizes.observe(this.plot);
  }

  destroy() {
    this.resizes.disconnect();
    if (this.plotly) this.plotly.purge(this.plot);
    this.root.remove();
  }
}

export default mounted(Figure);
