// What this browser remembers of the first steps; a browser that keeps nothing remembers them for this page.

import { readItems, writeItems } from "../browser_store/items.js";

const TOPIC = "chunkscope.first_steps";
const DISMISSED = "dismissed";

/** @typedef {{dismissed: boolean, taken: string[]}} Memory */

/** @param {() => Storage} storage which throws where the browser forbids it */
export function memoryIn(storage) {
  /** @type {Record<string, string>} */ let items = {};

  /** @param {string[]} names */
  function keep(names) {
    read();
    const before = items;
    items = { ...items, ...Object.fromEntries(names.map((name) => [name, "1"])) };
    try {
      writeItems(storage(), TOPIC, items, before);
    } catch {
      // Kept for this page alone.
    }
  }

  /** @returns {Memory} */
  function read() {
    try {
      items = { ...items, ...readItems(storage(), TOPIC) };
    } catch {
      // What this page knows counts.
    }
    return { dismissed: DISMISSED in items, taken: Object.keys(items).filter((name) => name !== DISMISSED) };
  }

  return {
    read,
    /** @param {string[]} steps */ take: (steps) => keep(steps),
    dismiss: () => keep([DISMISSED]),
  };
}

export const remembered = memoryIn(() => localStorage);
