import assert from "node:assert/strict";
import test from "node:test";

import { enlargeLayout, enlargedMargin, enlargedTrace } from "../../pages/shared/components/plotly_js/enlarge.js";

const layout = () => ({
  height: 300,
  margin: { l: 46, t: 8 },
  font: { size: 12, color: "black" },
  xaxis: { tickfont: { size: 11 }, title: { text: "gap", font: { size: 11 } }, range: Float64Array.of(1, 2) },
  annotations: [{ font: { size: 12 }, x: 1 }],
});

test("type, margins and height of a layout grow alike, and nothing else does", () => {
  const made = layout();
  enlargeLayout(made, 2);
  assert.deepEqual(made, {
    height: 600,
    margin: { l: 92, t: 16 },
    font: { size: 24, color: "black" },
    xaxis: { tickfont: { size: 22 }, title: { text: "gap", font: { size: 22 } }, range: Float64Array.of(1, 2) },
    annotations: [{ font: { size: 24 }, x: 1 }],
  });
});

test("type of the usual size leaves a figure as it is", () => {
  const made = layout();
  enlargeLayout(made, 1);
  assert.deepEqual(made, layout());
  const trace = { line: { width: 1.2 } };
  assert.equal(enlargedTrace(trace, 1), trace);
});

test("lines and marks of a trace grow, and the trace that was given stays", () => {
  const line = { y: Float32Array.of(1, 2), line: { width: 1.2, color: "red" } };
  assert.deepEqual(enlargedTrace(line, 2), { y: line.y, line: { width: 2.4, color: "red" } });
  assert.equal(line.line.width, 1.2);
  const sized = { marker: { size: [1, 2] } }; // one for each mark: they mean something
  assert.deepEqual(enlargedTrace(sized, 2), sized);
  assert.deepEqual(enlargedTrace({ marker: { size: 9, symbol: "circle" } }, 2), { marker: { size: 18, symbol: "circle" } });
});

test("a layout without margins has none", () => assert.deepEqual(enlargedMargin(undefined, 2), {}));
