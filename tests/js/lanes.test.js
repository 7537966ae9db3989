import assert from "node:assert/strict";
import test from "node:test";

import { editedLane } from "../../pages/shared/components/lanes/edited.js";
import { curveBetween } from "../../pages/shared/components/lanes/marks.js";
import { boundaryFrom, holdsOffset, placeMeant } from "../../pages/shared/components/lanes/places.js";
import { LaneScale, nearestWithin } from "../../pages/shared/components/lanes/scale.js";

// Four sentences of ten characters; the second lane cuts inside the second sentence.
const data = {
  unit: "sentences",
  length: 4,
  end: 40,
  gaps: { x: Float32Array.of(1, 2, 3), offset: Int32Array.of(10, 20, 30) },
  consensus: { x: Float32Array.of(2) },
  changes: ["same", "gone"],
  lanes: [
    { kind: "strategy", offset: Int32Array.of(10, 30), x: Float32Array.of(1, 3), change: Uint8Array.of(0, 0) },
    { kind: "yours", offset: Int32Array.of(15), x: Float32Array.of(1.5), change: Uint8Array.of(0) },
  ],
};

const near = (xs, position) => nearestWithin(xs, position, 0.2);

test("offsets and positions of the axis lead to each other", () => {
  const scale = new LaneScale(data);
  for (const offset of [0, 7, 10, 25, 40]) assert.equal(scale.offsetOf(scale.placeOf(offset)), offset);
  assert.equal(scale.placeOf(-5), 0);
  assert.equal(scale.placeOf(99), 4);
  assert.deepEqual(scale.full, [0, 4]);
});

test("a boundary stands where its lane says", () => {
  const moved = { ...data, lanes: [data.lanes[0], { ...data.lanes[1], offset: Int32Array.of(10), x: Float32Array.of(0.5) }] };
  assert.equal(new LaneScale(moved).positionOf(10, null), 1);
  assert.equal(new LaneScale(moved).positionOf(10, 1), 0.5);
  assert.equal(new LaneScale(moved).positionOf(20, 1), 2);
});

test("a view is never closer than two sentences, inside the document, and none where it is all of it", () => {
  const scale = new LaneScale(data);
  assert.equal(scale.clamped(null), null);
  assert.equal(scale.clamped([0, 40]), null);
  assert.deepEqual(scale.clamped([20, 20]), [10, 30]);
  assert.deepEqual(scale.clamped([39, 40]), [20, 40]);
  assert.deepEqual(scale.clamped([30, 0]), [0, 30]);
});

test("the nearest value counts within reach alone", () => {
  assert.equal(nearestWithin([1, 2, 3], 2.1, 0.2), 1);
  assert.equal(nearestWithin([1, 2, 3], 2.5, 0.2), -1);
  assert.equal(nearestWithin([1, 2, 3], 9, 10), 2);
  assert.equal(nearestWithin([], 1, 10), -1);
});

test("a click means a boundary of the lane, a gap of the curve, or a character", () => {
  assert.deepEqual(placeMeant(data, { band: "lane", row: 1, position: 1.6 }, near), { offset: 15, lane: 1 });
  assert.deepEqual(placeMeant(data, { band: "lane", row: 0, position: 1.6 }, near), { offset: 16, lane: null });
  assert.deepEqual(placeMeant(data, { band: "curve", row: -1, position: 2.9 }, near), { offset: 30, lane: null });
  assert.deepEqual(placeMeant(data, { band: "ribbon", row: -1, position: 2.1 }, near), { offset: 20, lane: null });
  assert.deepEqual(placeMeant(data, { band: "curve", row: -1, position: 9 }, near), { offset: 40, lane: null });
});

test("keys go to the next boundary of a lane and stop at its ends", () => {
  const { offset } = data.lanes[0];
  assert.equal(boundaryFrom(offset, 10, 1), 30);
  assert.equal(boundaryFrom(offset, 30, 1), null);
  assert.equal(boundaryFrom(offset, 30, -1), 10);
  assert.equal(boundaryFrom(offset, 10, -1), null);
  assert.ok(holdsOffset(offset, 30) && !holdsOffset(offset, 15));
});

test("the lane being edited tells what moved, came and went", () => {
  const looks = Object.fromEntries(["strategy", "gone", "moved", "appeared"].map((name) => [name, { color: name }]));
  const live = { row: 0, tolerance: 0, looks, votes: Uint8Array.of(0, 0, 0), voters: 1, levels: [{ color: "share" }] };
  const { strokes, counts } = editedLane(data, live, { boundaries: [0, 1] });
  assert.deepEqual(counts, { moved: 0, added: 1, removed: 1 });
  assert.deepEqual(Object.fromEntries(strokes.map(({ group, x }) => [group, x])), {
    strategy: [1], gone: [3], moved: [], appeared: [2],
  });
  assert.deepEqual(strokes.map(({ look }) => look.color), ["strategy", "gone", "moved", "appeared"]);
});

test("a part of a curve has a point to either side, and few points however long it is", () => {
  const x = Float32Array.from({ length: 50_000 }, (_, i) => i);
  const few = curveBetween(x, x, 100, 200, 1);
  assert.equal(few.x[0], 99);
  assert.equal(few.x.at(-1), 200);
  const many = curveBetween(x, x, 100, 40_000, 100);
  assert.ok(many.x.length < 2000);
  assert.equal(many.x[0], 99);
});
