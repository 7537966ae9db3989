// The legend of the lanes: the curves, and a mark for each group of strokes and stretches.

/** @import { LaneMarks, LanesBody } from "../messages.js" */
import { element } from "../base/dom.js";
import { lineMark } from "../plotly_js/plot_view.js";

/** Terms of the glossary by the names in the legend. @type {Record<string, string>} */
const TERMS = {
  fused: "fused distance", threshold: "threshold", boundary: "boundary", gold: "reference", "text in no chunk": "lost",
};

/** The entries of the legend. @param {LanesBody} data */
export function legendEntries({ figure, marks }) {
  const curves = figure.data.filter((/** @type {any} */ { mode }) => mode === "lines");
  // The ribbon has its name beside it.
  const groups = new Map(marks.filter(({ axis }) => axis === "y3").map((each) => [each.group, each]));
  return [
    ...curves.map((/** @type {any} */ { uid, name, line }) => ({ uid, name, mark: lineMark(line), term: TERMS[name] })),
    ...[...groups].map(([uid, each]) => ({ uid, name: each.title, mark: swatch(each), term: TERMS[each.title] })),
  ];
}

/** The mark of a group in the legend. @param {LaneMarks} marks */
function swatch({ color, until, width, dash }) {
  const mark = element("i", "cs-swatch");
  mark.style.color = `var(--cs-${color.replace("role:", "")})`;
  if (until) {
    mark.classList.add("cs-area");
    mark.style.background = "color-mix(in srgb, currentColor 28%, transparent)";
    mark.style.border = "1px solid currentColor";
  } else mark.style.borderLeft = `${width + 1}px ${dashing(dash)}`;
  return mark;
}

/** Plotly's dashing in CSS. @param {string} dash */
function dashing(dash) {
  if (dash === "solid") return "solid";
  return dash.startsWith("1px") ? "dotted" : "dashed";
}
