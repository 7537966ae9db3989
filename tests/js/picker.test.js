import assert from "node:assert/strict";
import test from "node:test";

import { readItems, writeItems } from "../../pages/shared/components/browser_store/items.js";
import { chunkOfEach, filledIn, lengthsOfChunks, steppedGap, toggledGaps } from "../../pages/shared/components/gap_picker/steps.js";
import { placeAt } from "../../pages/shared/components/stepped_table/values.js";

test("keys lead to the neighbours and the ends, and never out of the text", () => {
  assert.deepEqual(["ArrowRight", "ArrowLeft", "Home", "End"].map((key) => steppedGap(key, 3, 9)), [4, 2, 0, 8]);
  assert.equal(steppedGap("ArrowLeft", 0, 9), 0);
  assert.equal(steppedGap("ArrowDown", 8, 9), 8);
  assert.equal(steppedGap("a", 3, 9), null);
});

test("a gap is picked in order and given back", () => {
  assert.deepEqual(toggledGaps([2, 10], 7), [2, 7, 10]);
  assert.deepEqual(toggledGaps([2, 7, 10], 7), [2, 10]);
});

test("every piece lies in a chunk, and the chunks have all characters", () => {
  assert.deepEqual(chunkOfEach([], 3), [0, 0, 0]);
  assert.deepEqual(chunkOfEach([0, 2], 5), [0, 1, 1, 2, 2]);
  assert.deepEqual(lengthsOfChunks([0, 1, 1, 2, 2], ["a", "bc", "d", "ef", "ghi"]), [1, 3, 5]);
});

test("fields in braces are filled in, others stay", () => {
  assert.equal(filledIn("Gap {gap} of {gaps} {what}", { gap: 1, gaps: 24 }), "Gap 1 of 24 {what}");
});

test("a table holds from its value on, the first below all", () => {
  assert.deepEqual([0, 1, 1.4, 2, 9.9, 99].map((number) => placeAt([1, 2, 10], number)), [0, 0, 0, 1, 1, 2]);
  assert.equal(placeAt([7], 3), 0);
});

function storage() {
  const kept = new Map();
  return {
    get length() { return kept.size; },
    key: (place) => [...kept.keys()][place] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
    removeItem: (name) => kept.delete(name),
  };
}

test("items of a topic are read and written, and two tabs keep what either adds", () => {
  const kept = storage();
  kept.setItem("other.a", "theirs");
  writeItems(kept, "learn", { "cuts.1": "4", text: "mine" }, {});
  writeItems(kept, "learn", { "cuts.2": "5" }, {});
  assert.deepEqual(readItems(kept, "learn"), { "cuts.1": "4", text: "mine", "cuts.2": "5" });
  writeItems(kept, "learn", { "cuts.1": "", text: "mine" }, { "cuts.1": "4", text: "mine" });
  assert.deepEqual(readItems(kept, "learn"), { text: "mine", "cuts.2": "5" });
  assert.equal(kept.getItem("other.a"), "theirs");
});
