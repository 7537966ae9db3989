import assert from "node:assert/strict";
import test from "node:test";

import { kept, settleSelection, shared } from "../../pages/shared/components/base/bus.js";
import { ordered } from "../../pages/shared/components/document_list/orders.js";
import { caret, cutLine, inSecondHalf, rowAt, spaced } from "../../pages/shared/components/page_view/geometry.js";

test("labels keep their distance and stay on the page", () => {
  assert.deepEqual(spaced([10, 11, 12], 5, 0, 100), [10, 15, 20]);
  assert.deepEqual(spaced([97, 98, 99], 5, 0, 100), [90, 95, 100]);
});

test("a boundary amid a line steps down to the text before", () => {
  const box = [50, 10, 90, 20];
  assert.equal(cutLine(box, [5, 95], 0).d, "M50 10H90");
  assert.equal(cutLine(box, [5, 95], -1).d, "M5 20H50V10H90");
  assert.equal(cutLine(box, [5, 95], 1).d, "M50 10H90V20H95");
  assert.deepEqual(cutLine(box, [5, 95], -1).left, { x: 5, y: 20 });
});

test("the caret stands between two rows of one line, else behind the first", () => {
  assert.equal(caret([0, 0, 10, 10], [20, 0, 30, 10]), "M15 -1V11");
  assert.equal(caret([0, 0, 10, 10], [0, 20, 30, 30]), "M11.2 -1V11");
  assert.equal(caret(null, [5, 0, 30, 10]), "M3.8 -1V11");
});

const lines = { sentence: Int32Array.of(0, 0, -1, 1), box: Float32Array.of(0, 0, 10, 2, 0, 4, 6, 6, 20, 0, 30, 2, 0, 8, 9, 9) };

test("the nearest row of a sentence within reach is meant", () => {
  assert.equal(rowAt(lines, 5, 3.5, 8), 1);
  assert.equal(rowAt(lines, 25, 1, 8), -1);
  assert.equal(rowAt(lines, 5, 60, 8), -1);
});

test("halves of a sentence are counted along its rows, in its direction", () => {
  assert.equal(inSecondHalf(lines.box, [0, 1], 0, 7, false), false);
  assert.equal(inSecondHalf(lines.box, [0, 1], 0, 9, false), true);
  assert.equal(inSecondHalf(lines.box, [0, 1], 0, 1, true), true);
});

test("rows without a value come last, ties by number", () => {
  const row = (number, state, f1) => ({ number, data: { state, f1 } });
  const rows = [row(1, "done", 0.5), row(2, "failed", null), row(3, "done", 0.9), row(4, "done", 0.5)];
  assert.deepEqual(ordered(rows, "f1", false).map(({ number }) => number), [1, 4, 3, 2]);
  assert.deepEqual(ordered(rows, "f1", true).map(({ number }) => number), [3, 1, 4, 2]);
});

test("a choice made here wins until Python repeats it, or has not for a while", () => {
  shared.selections.set("doc", { gap: 7, since: 1000 });
  assert.equal(settleSelection("doc", 3, 2000), 7);
  assert.equal(settleSelection("doc", 7, 2100), 7);
  assert.equal(settleSelection("doc", 3, 2200), 3);
  shared.selections.set("doc", { gap: 7, since: 1000 });
  assert.equal(settleSelection("doc", 3, 9000), 3);
});

test("what is kept is made once", () => {
  const made = kept("key", () => ({}));
  assert.equal(kept("key", () => ({})), made);
});
