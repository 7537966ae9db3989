// Begins to load Plotly while Python is still at work on what it will draw.

import { takeNoRoom } from "../base/dom.js";
import { loadPlotly } from "./plotly.js";

/** @param {{data: string, parentElement: HTMLElement}} component */
export default function ({ data, parentElement }) {
  takeNoRoom(parentElement);
  loadPlotly(data).catch(() => {}); // the chart tries again, and says so where that fails too
}
