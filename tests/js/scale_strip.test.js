import assert from "node:assert/strict";
import test from "node:test";

import { levelWords, rowOf } from "../../pages/shared/components/curve_chart/scale_strip.js";

test("the row of a fineness is the nearest one, at most the last", () => {
  const values = [-3, -1.5, 0, 1.5, 3];
  assert.deepEqual([-9, -3, -2.3, -2.2, 0, 0.7, 0.8, 3, 9].map((level) => rowOf(values, level)), [0, 0, 0, 1, 2, 2, 3, 4, 4]);
});

test("a fineness is a multiple of the automatic number", () => {
  assert.deepEqual([0, 1, -2, 0.5].map(levelWords), ["automatic", "2 × automatic", "0.25 × automatic", "1.4 × automatic"]);
});
