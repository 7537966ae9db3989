import assert from "node:assert/strict";
import test from "node:test";

import { HandEditing } from "../../chunking/web/workbench/hand_editing.js";
import { REPEAT_MS } from "../../chunking/web/workbench/rest.js";

/** @typedef {import("../../chunking/web/workbench/hand_editing.js").HandReport} HandReport */

globalThis.window = /** @type {any} */ (globalThis);

/** What decides by hand over a text of ten gaps, of which a strategy cuts some; and its reports. @param {number[]} own gaps that the strategy cuts */
function decided(own) {
  /** @type {HandReport[]} */ const reports = [];
  const edits = new Map();
  const isCut = (/** @type {number} */ gap) => (edits.has(gap) ? edits.get(gap) === "cut" : own.includes(gap));
  const state = {
    edits,
    source: { offsets: Array.from({ length: 10 }, (_, gap) => 10 * gap) },
    edit(/** @type {[number, string][]} */ after) {
      edits.clear();
      for (const [gap, action] of after) edits.set(gap, action);
    },
  };
  const picture = { isCut, status: [], segmentation: { kept: new Map() } };
  /** @type {number[]} */ const chosen = [];
  const workbench = { state, picture, request() {}, choose: (/** @type {number} */ gap) => chosen.push(gap) };
  const hand = new HandEditing(/** @type {any} */ (workbench), (report) => reports.push(report));
  return { hand, reports, chosen, cuts: () => state.source.offsets.map((_, gap) => gap).filter(isCut) };
}

test("a gap that is cut is joined, one that is not is cut, and a second time it is the strategy's again", () => {
  const { hand, cuts, reports } = decided([3]);
  hand.toggle(3);
  hand.toggle(5);
  assert.deepEqual(cuts(), [5]);
  assert.deepEqual(reports.at(-1)?.edits, [[3, "join"], [5, "cut"]], "a report says all, so that none is lost on the way");
  hand.toggle(3);
  hand.toggle(5);
  assert.deepEqual(cuts(), [3]);
  assert.deepEqual(reports.at(-1)?.edits, []);
});

test("a cut is moved with its own decision, and back to where the strategy has it nothing is left", () => {
  const { hand, cuts, chosen, reports } = decided([3]);
  hand.move(3, 1);
  assert.deepEqual([cuts(), chosen], [[4], [4]]);
  hand.move(4, 1);
  assert.deepEqual(reports.at(-1)?.edits, [[3, "join"], [5, "cut"]]);
  hand.move(5, -1);
  hand.move(4, -1);
  assert.deepEqual([cuts(), reports.at(-1)?.edits], [[3], []]);
  hand.move(7, 1); // no cut
  hand.move(0, -1);
  assert.deepEqual(cuts(), [3]);
});

test("each step is taken back, and keys do the same", () => {
  const { hand, cuts } = decided([3]);
  for (const [key, gap] of /** @type {[string, number][]} */ ([["c", 6], ["]", 6], ["c", 3]])) assert.ok(hand.takes(key, gap));
  assert.deepEqual(cuts(), [7]);
  hand.takes("u", -1);
  assert.deepEqual(cuts(), [3, 7]);
  hand.takes("u", -1);
  hand.takes("u", -1);
  hand.takes("u", -1);
  assert.deepEqual(cuts(), [3]);
  assert.equal(hand.takes("x", 3), false);
});

test("what others know to be decided waits for the last report", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { hand, cuts, reports } = decided([]);
  hand.toggle(2);
  hand.follow([], 0);
  hand.follow([], 0);
  assert.deepEqual(cuts(), [2], "a report is on its way");
  context.mock.timers.tick(REPEAT_MS);
  assert.deepEqual(reports, [reports[0], reports[0]], "it has not arrived, and is repeated once");
  hand.follow([], 0);
  hand.follow([[4, "cut"]], reports[0].number);
  assert.deepEqual(cuts(), [4]);
  context.mock.timers.tick(REPEAT_MS);
  assert.equal(reports.length, 2, "nothing is repeated that has arrived");
});

test("a workbench that is made anew goes on where the one before it was", () => {
  const one = decided([3]);
  one.hand.toggle(3);
  const other = decided([3]);
  other.hand.resume(one.hand.state);
  assert.deepEqual(other.cuts(), []);
  other.hand.undo();
  assert.deepEqual(other.cuts(), [3]);
});
