import assert from "node:assert/strict";
import test from "node:test";

import { columnStretches, countIn, envelope, mergedStrokes, strokePath } from "../../pages/shared/components/curve_chart/thinning.js";
import { extremes, gapsAt, spanOf } from "../../pages/shared/components/document_list/figures.js";
import { highestCounts, percentileAt, shade, strokesOf } from "../../pages/shared/components/landscape/shading.js";

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

test("the colour scale is ascending and its places lead back", () => {
  for (const place of [0, 0.25, 0.5, 1]) assert.ok(Math.abs(shade(percentileAt(place)) - place) < 1e-9);
  assert.equal(shade(10), 0);
});

test("each pixel shows the highest of its counts", () => {
  assert.deepEqual([...highestCounts([9, 1, 5, 2, 7, 3], 1, 4, 2)], [5, 7]);
  assert.equal(strokesOf([1, 1.2, 3], 1, (place) => `${place};`), "1;3;");
});

test("the gaps of all pixels are all gaps", () => {
  const data = { score: wave };
  const scene = { data, span: spanOf(data, 300, null) };
  const seen = [];
  for (let at = 0; at < 300; at++) for (let [gap, to] = gapsAt(at, 1, scene); gap < to; gap++) seen.push(gap);
  assert.deepEqual(seen, Array.from(wave, (_, i) => i));
  assert.deepEqual([...extremes([2, 9, 1, 4], 0, 4)], [0, 1, 2, 3]);
});

test("a column of pixels is as tall as the line in it, edges included", () => {
  assert.deepEqual(columnStretches([0, 4, 0], [0.5, 3.5], 3), {
    low: Float64Array.of(0, 2, 0),
    high: Float64Array.of(2, 4, 2),
  });
  const { low, high } = columnStretches(wave, [100, 900], 60);
  const step = 800 / 60;
  for (let column = 0; column < 60; column++) {
    // The line at its corners and at the edges of the column.
    const corners = wave.subarray(Math.ceil(100 + column * step) - 1, Math.floor(100 + (column + 1) * step));
    const edges = [column, column + 1].map((edge) => lineAt(100 + edge * step));
    assert.ok(Math.abs(low[column] - Math.min(...corners, ...edges)) < 1e-9);
    assert.ok(Math.abs(high[column] - Math.max(...corners, ...edges)) < 1e-9);
  }
});

test("columns beside one another touch, also beyond the ends of the line and where there is but one value", () => {
  const { low, high } = columnStretches(wave, [-50, 1200], 333);
  for (let column = 1; column < 333; column++) {
    assert.ok(low[column] <= high[column - 1] + 1e-12 && high[column] >= low[column - 1] - 1e-12);
  }
  assert.deepEqual(columnStretches([7], [0.5, 1.5], 2).high, Float64Array.of(7, 7));
});

/** @param {number} place */
function lineAt(place) {
  const before = Math.floor(place);
  return wave[before - 1] + (place - before) * (wave[before] - wave[before - 1]);
}

test("strokes that touch in one column are one box, and none is lost", () => {
  const x = Array.from({ length: 3000 }, (_, i) => i / 12);
  const y = x.map((_, i) => 100 + 20 * wave[i % wave.length]);
  const boxes = [];
  mergedStrokes(x, Float64Array.from(y), { width: 1.5, height: 10 }, (...box) => boxes.push(box));
  assert.ok(boxes.length < x.length / 2);
  x.forEach((place, i) => {
    const holds = ([left, top, width, height]) =>
      left <= place - 0.75 + 1e-9 && left + width >= place + 0.75 - 1e-9 && top <= y[i] - 5 && top + height >= y[i] + 5;
    assert.ok(boxes.some(holds));
  });
  const apart = [];
  mergedStrokes([3.2, 3.4], Float64Array.of(10, 30), { width: 1, height: 10 }, (...box) => apart.push(box[1]));
  assert.deepEqual(apart, [5, 25]);
});
