import assert from "node:assert/strict";
import test from "node:test";

import { countIn, envelope, strokePath } from "../../pages/shared/components/curve_chart/thinning.js";
import { extremes, gapsAt, spanOf } from "../../pages/shared/components/document_list/figures.js";
import { between, marksPath, thinned } from "../../pages/shared/components/lanes/marks.js";
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

test("a thinned line keeps first, lowest, highest and last of each pixel", () => {
  const xs = Float32Array.from(wave, (_, i) => i);
  const { x, y } = thinned(xs, wave, 0, wave.length, 50);
  assert.equal(x[0], 0);
  assert.equal(x.at(-1), wave.length - 1);
  assert.ok(x.length <= 4 * 20);
  assert.equal(Math.max(...y), Math.max(...wave));
});

test("between interpolates and ends where the document ends", () => {
  assert.equal(between([10, 20], [1, 3], 15, 40, 9), 2);
  assert.equal(between([10, 20], [1, 3], 5, 40, 9), 0.5);
  assert.equal(between([10, 20], [1, 3], 40, 40, 9), 9);
});

test("strokes are one a pixel and row, stretches that touch are one", () => {
  const marks = { x: [1, 1.01, 5], row: [0, 0, 1], low: -0.4, high: 0.4, until: null };
  assert.equal(marksPath(marks, 0, 10, 0.5).match(/M/g).length, 2);
  assert.equal(marksPath({ ...marks, until: [1.005, 2, 6] }, 0, 10, 0.5).match(/M/g).length, 2);
  assert.equal(marksPath(marks, 6, 10, 0.5), "");
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
