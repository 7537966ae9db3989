import assert from "node:assert/strict";
import test from "node:test";

import { reduced } from "../../pages/shared/components/review_desk/events.js";
import { counted, nextOpen, verdictOn } from "../../pages/shared/components/review_desk/judged.js";

/** @typedef {import("../../pages/shared/components/review_desk/events.js").EventRow} EventRow */

const CANDIDATES = [10, 20, 30, 40];

/** @param {...[string, number, (number | null)?]} events action, offset and target of each */
function after(...events) {
  return reduced(events.map(([action, offset, target = null], index) => /** @type {EventRow} */ (
    [`t${index}`, action, offset, target, "", ""]
  )));
}

test("a boundary that is moved onto a candidate accepts it", () => {
  const state = after(["move", 10, 20]);
  assert.equal(verdictOn(state, 10), "move");
  assert.equal(verdictOn(state, 20), "accept");
  assert.equal(verdictOn(state, 30), null);
});

test("a later word on a place counts", () => {
  assert.equal(verdictOn(after(["accept", 10], ["reject", 10]), 10), "reject");
  assert.equal(verdictOn(after(["move", 10, 20], ["accept", 10]), 10), "accept");
  assert.equal(verdictOn(after(["accept", 10], ["skip", 10]), 10), "skip");
});

test("the next open candidate is looked for from the start again, and is none at the end", () => {
  const state = after(["accept", 30], ["reject", 40]);
  assert.equal(nextOpen(state, CANDIDATES, 0), 1);
  assert.equal(nextOpen(state, CANDIDATES, 2), 0);
  assert.equal(nextOpen(state, CANDIDATES, -1), 0);
  assert.equal(nextOpen(after(...CANDIDATES.map((at) => /** @type {[string, number]} */ (["skip", at]))), CANDIDATES, 1), -1);
  assert.equal(nextOpen(state, [], -1), -1);
});

test("counts are of candidates, and of boundaries that were added elsewhere", () => {
  const state = after(["accept", 10], ["move", 20, 25], ["skip", 30], ["add", 35], ["add", 40]);
  assert.deepEqual(counted(state, CANDIDATES), {
    counts: { accept: 2, reject: 0, move: 1, skip: 1, add: 1 }, // an added boundary on a candidate accepts it
    judged: 4,
    of: 4,
  });
});
