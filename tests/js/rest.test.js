import assert from "node:assert/strict";
import test from "node:test";

import { REPEAT_MS, Rest } from "../../chunking/web/workbench/rest.js";

/** @typedef {import("../../chunking/web/workbench/rest.js").RestState} RestState */

globalThis.window = /** @type {any} */ (globalThis);

/** A rest whose reports are kept. */
function kept() {
  /** @type {RestState[]} */ const reports = [];
  const choice = { lane: 0, gap: -1, columns: [], view: null, pages: null };
  const settings = /** @type {any[]} */ ([{ alpha: 0.5 }, { alpha: 0.7 }]);
  const report = (/** @type {RestState} */ state) => reports.push(state);
  const rest = new Rest({ choice, settings, isDragging: false, report });
  return { rest, reports };
}

/** What each report says was moved. @param {RestState[]} reports */
const movedOf = (reports) => reports.map(({ changes }) => changes.map(({ lane, moved }) => [lane, ...moved]));

test("a report tells again what was moved before it until a report is known to have arrived", () => {
  const { rest, reports } = kept();
  rest.note(0, { alpha: 0.5 });
  rest.report(false);
  rest.note(0, { amount: 80 });
  rest.note(1, { overlap: 2 });
  rest.report(false);
  assert.deepEqual(movedOf(reports), [[[0, "alpha"]], [[0, "alpha", "amount"], [1, "overlap"]]]);
  rest.confirm(reports[0].number);
  assert.deepEqual(rest.ownOf(0), { alpha: 0.5, amount: 80 }, "the last one has not arrived");
  rest.confirm(reports[1].number);
  assert.deepEqual(rest.ownOf(0), {});
  rest.note(0, { maximum: 200 });
  rest.report(false);
  assert.deepEqual(movedOf(reports).at(-1), [[0, "maximum"]]);
});

test("what was moved last is kept over what an answer to an earlier report says", () => {
  const { rest, reports } = kept();
  rest.note(0, { alpha: 0.51 });
  rest.report(false);
  rest.note(0, { alpha: 0.52 });
  rest.report(false);
  rest.confirm(reports[0].number);
  assert.deepEqual({ alpha: 0.51, ...rest.ownOf(0) }, { alpha: 0.52 });
});

test("numbers go up from one workbench to the next", () => {
  const [first, second] = [kept(), kept()];
  first.rest.report(false);
  second.rest.report(false);
  first.rest.report(false);
  const [one, three] = first.reports.map(({ number }) => number);
  assert.ok(0 < one && one < second.reports[0].number && second.reports[0].number < three);
});

test("a report that has not arrived is repeated, and what is chosen stays meanwhile", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { rest, reports } = kept();
  rest.note(0, { alpha: 0.5 });
  rest.report(false);
  assert.equal(rest.isPending, false);
  rest.confirm(reports[0].number - 1);
  assert.ok(rest.isPending, "what somebody else has chosen is older");
  context.mock.timers.tick(REPEAT_MS);
  assert.deepEqual(movedOf(reports), [[[0, "alpha"]], [[0, "alpha"]]]);
  rest.confirm(reports[1].number);
  context.mock.timers.tick(10 * REPEAT_MS);
  assert.equal(reports.length, 2);
});

test("a report that arrives late is not repeated, and a move is reported all the same", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { rest, reports } = kept();
  rest.report(false);
  rest.confirm(0);
  rest.confirm(reports[0].number);
  context.mock.timers.tick(REPEAT_MS);
  assert.equal(reports.length, 1);
  rest.confirm(0);
  rest.note(0, { alpha: 0.5 });
  rest.later();
  rest.confirm(reports[0].number);
  context.mock.timers.tick(REPEAT_MS);
  assert.deepEqual(movedOf(reports), [[], [[0, "alpha"]]]);
});
