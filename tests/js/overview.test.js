import assert from "node:assert/strict";
import test from "node:test";

import { density, dragged } from "../../pages/shared/components/curve_chart/overview.js";

test("every boundary is in the stretch that holds its gap", () => {
  assert.deepEqual([...density([0, 1, 9], 10, 5)], [2, 0, 0, 0, 1]);
  assert.deepEqual([...density([], 10, 3)], [0, 0, 0]);
  assert.equal(density([999], 1000, 7).at(-1), 1);
});

test("the visible part is moved whole, and no further than the ends", () => {
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "all", 10), [30, 50]);
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "all", 1000), [80.5, 100.5]);
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "all", -1000), [0.5, 20.5]);
});

test("an edge is moved alone, and never past the other", () => {
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "from", 5), [25, 40]);
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "from", 50), [36, 40]);
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "to", -50), [20, 24]);
  assert.deepEqual(dragged([20, 40], [0.5, 100.5], "to", 500), [20, 100.5]);
});
