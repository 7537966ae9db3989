import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryIn } from "../../pages/shared/components/first_steps/remembered.js";

/** @param {Record<string, string>} kept */
const storage = (kept = {}) => () =>
  /** @type {any} */ ({
    get length() {
      return Object.keys(kept).length;
    },
    /** @param {number} place */ key: (place) => Object.keys(kept)[place] ?? null,
    /** @param {string} key */ getItem: (key) => kept[key] ?? null,
    /** @param {string} key @param {string} value */ setItem: (key, value) => void (kept[key] = value),
  });

test("steps that were taken, and that all were dismissed, outlive the page", () => {
  const kept = {};
  memoryIn(storage(kept)).take(["alpha"]);
  const later = memoryIn(storage(kept));
  later.take(["gap", "alpha"]);
  assert.deepEqual(later.read(), { dismissed: false, taken: ["alpha", "gap"] });
  later.dismiss();
  assert.equal(memoryIn(storage(kept)).read().dismissed, true);
});

test("a browser that keeps nothing, or something else, loses the steps and nothing more", () => {
  const refusing = memoryIn(() => {
    throw new Error("refused");
  });
  refusing.take(["own"]);
  refusing.dismiss();
  assert.deepEqual(refusing.read(), { dismissed: true, taken: ["own"] });
  const odd = memoryIn(storage({ "chunkscope.first_steps": "[3" }));
  assert.deepEqual(odd.read(), { dismissed: false, taken: [] });
});
