import assert from "node:assert/strict";
import test from "node:test";

import { rowMarks } from "../../pages/shared/components/curve_chart/pinned.js";

test("each row has its own boundaries, and those of one setting alone are told apart", () => {
  const marks = rowMarks(Int32Array.of(2, 5, 9), Int32Array.of(2, 7, 9));
  assert.deepEqual(marks.map(({ uid, row, gaps }) => [uid, row, gaps]), [
    ["pinned-row-same", 1, [2, 9]],
    ["pinned-row-only", 1, [5]],
    ["pinned-row-same", 0, [2, 9]],
    ["pinned-row-only", 0, [7]],
  ]);
});

test("a setting without boundaries has an empty row", () => {
  assert.deepEqual(rowMarks([], [4]).map(({ gaps }) => gaps), [[], [], [], [4]]);
});
