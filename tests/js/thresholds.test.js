import assert from "node:assert/strict";
import test from "node:test";

import { orderedPair } from "../../chunking/web/engine/thresholds.js";

const LONG = 100_000;
const noise = Float64Array.from({ length: LONG }, (_, i) => Math.abs(Math.sin(i * 12.9898) * 43758.5453) % 1);
const curves = {
  noise,
  sorted: noise.toSorted(),
  descending: noise.toSorted().reverse(),
  equal: noise.map(() => 0.25),
  "two values": noise.map((value) => Math.round(value)),
  "mostly tied": noise.map((value) => Math.max(0.9, value)),
  "one far away": noise.with(500, 1e9),
  "below zero": noise.map((value) => value - 0.5),
  tiny: noise.map((value) => value * 1e-310),
  alone: noise.subarray(0, 1),
  two: noise.subarray(0, 2),
};

for (const [name, values] of Object.entries(curves)) {
  test(`values at a place in their order, without sorting all: ${name}`, () => {
    const sorted = values.toSorted();
    const last = values.length - 1;
    for (const share of [0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1]) {
      const place = Math.floor(share * last);
      assert.deepEqual(orderedPair(values, place), [sorted[place], sorted[Math.min(last, place + 1)]]);
    }
  });
}
