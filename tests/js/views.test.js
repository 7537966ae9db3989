import assert from "node:assert/strict";
import test from "node:test";

import { clampedView, movedTo, pinchedTo, revealing, zoomedAt } from "../../pages/shared/components/plotly_js/views.js";

const FULL = [0.5, 100.5];

test("a view lies inside the full range, and everything is null", () => {
  assert.deepEqual(clampedView([-20, 40], FULL, 0.01), [0.5, 40]);
  assert.deepEqual(clampedView([60, 20], FULL, 0.01), [20, 60]);
  assert.equal(clampedView([0, 101], FULL, 0.01), null);
  assert.equal(clampedView([200, 300], FULL, 0.01), null);
  assert.equal(clampedView(null, FULL, 0.01), null);
});

test("moving keeps the width and stays inside", () => {
  assert.deepEqual(movedTo([10, 30], FULL, 95), [80.5, 100.5]);
  assert.deepEqual(movedTo([10, 30], FULL, -5), [0.5, 20.5]);
});

test("zooming keeps the place under the pointer, and has an end", () => {
  const [from, to] = zoomedAt([10, 30], 15, 0.5, 4);
  assert.deepEqual([from, to], [12.5, 22.5]);
  const [low, high] = zoomedAt([10, 30], 15, 0.0001, 4);
  assert.equal(high - low, 4);
});

test("a place that is visible moves nothing; another one comes to the middle", () => {
  const range = [10, 30];
  assert.equal(revealing(range, FULL, 30), range);
  assert.deepEqual(revealing(range, FULL, 50), [40, 60]);
});

test("two fingers keep what is under them, in either order, and have an end", () => {
  assert.deepEqual(pinchedTo([20, 40], [0.25, 0.75], 4), [10, 50]);
  assert.deepEqual(pinchedTo([40, 20], [0.75, 0.25], 4), [10, 50]);
  assert.deepEqual(pinchedTo([20, 22], [0, 1], 8), [17, 25]);
  assert.equal(pinchedTo([20, 40], [0.5, 0.5], 4), null);
  assert.equal(pinchedTo([20, 40], [0.6, 0.4], 4), null);
});
