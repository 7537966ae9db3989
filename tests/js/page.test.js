import assert from "node:assert/strict";
import test from "node:test";

import { kept } from "../../pages/shared/components/base/bus.js";
import { ordered } from "../../pages/shared/components/document_list/orders.js";

test("rows without a value come last, ties by number", () => {
  const row = (number, state, f1) => ({ number, data: { state, f1 } });
  const rows = [row(1, "done", 0.5), row(2, "failed", null), row(3, "done", 0.9), row(4, "done", 0.5)];
  assert.deepEqual(ordered(rows, "f1", false).map(({ number }) => number), [1, 4, 3, 2]);
  assert.deepEqual(ordered(rows, "f1", true).map(({ number }) => number), [3, 1, 4, 2]);
});

test("what is kept is made once", () => {
  const made = kept("key", () => ({}));
  assert.equal(kept("key", () => ({})), made);
});
