// Begins to load Plotly while Python is still at work on what it will draw.

import { loadPlotly } from "./plotly.js";

export default function ({ data, parentElement }) {
  parentElement.closest?.("[data-testid='stElementContainer']")?.style.setProperty("display", "none");
  loadPlotly(data).catch(() => {}); // the chart tries again, and says so where that fails too
}
