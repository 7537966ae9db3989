// What rasters are painted from, kept under the keys that Python gave it.

import { kept } from "../base/bus.js";

export const FIELD_KEPT = "chunkscope:field";
const KEPT_FIELDS = 3; // of each kind, with which a key begins

/** @returns {Map<string, any>} */
export function fields() {
  return kept("fields", () => new Map());
}

/** @param {string} key @param {() => any} body */
export function keepField(key, body) {
  const known = fields();
  const content = known.get(key) ?? body();
  known.delete(key); // the latest last
  known.set(key, content);
  // Each kind by itself, so that many maps of settings never push out the landscape beside them.
  const kind = key.split("-")[0];
  const alike = [...known.keys()].filter((each) => each.split("-")[0] === kind);
  for (const old of alike.slice(0, -KEPT_FIELDS)) known.delete(old);
  window.dispatchEvent(new CustomEvent(FIELD_KEPT, { detail: { field: key } }));
}
