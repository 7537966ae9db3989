import assert from "node:assert/strict";
import test from "node:test";

import { columnStretches, countIn, envelope, mergedStrokes, strokePath } from "../../pages/shared/components/curve_chart/thinning.js";
import { extremes, gapsAt, spanOf } from "../../pages/shared/components/document_list/figures.js";

const wave = Float32Array.from({ length: 997 }, (_, i) => Math.sin(i) * Math.cos(i / 7));

test("the envelope holds the lowest and highest value of every bucket, in order", () => {
  const { x, y } = envelope(wave, 3, 900, 50);
  for (let i = 1; i < x.length; i++) assert.ok(x[i] > x[i - 1]);
  assert.equal(Math.max(...y), Math.max(...wave.subarray(3, 900)));
  assert.equal(Math.min(...y), Math.min(...wave.subarray(3, 900)));
  x.forEach((gap, i) => assert.equal(y[i], wave[gap - 1]));
  assert.ok(x.length <= 100);
});

test("an envelope with a bucket for each value is the values", () => {
  assert.deepEqual(envelope([3, 1, 2], 0, 3, 3), { x: [1, 2, 3], y: [3, 1, 2] });
});

test("markers of one height are drawn once a pixel, others each", () => {
  assert.equal(strokePath([1, 1.1, 9], [0, 0, 0], 0.5, 1).match(/M/g).length, 2);
  assert.equal(strokePath([1, 1.1, 9], [0, 0.2, 0], 0.5, null).match(/M/g).length, 3);
  assert.equal(countIn([1, 2, 4, 8], 2, 4), 2);
});
