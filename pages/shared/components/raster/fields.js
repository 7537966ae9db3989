// What rasters are painted from, kept under the keys that Python gave it.

import { shared } from "../base/bus.js";

export const FIELD_KEPT = "chunkscope:field";
const KEPT_FIELDS = 3; // of each kind; its kind is what its key begins with

export const fields = (shared.fields ??= new Map()); // key -> what Python sent under it

export function keepField(key, body) {
  const content = fields.get(key) ?? body();
  fields.delete(key); // the latest last
  fields.set(key, content);
  // Of each kind apart, so that many maps of settings never push out the landscape beside them.
  const alike = [...fields.keys()].filter((known) => known.split("-")[0] === key.split("-")[0]);
  for (const old of alike.slice(0, -KEPT_FIELDS)) fields.delete(old);
  window.dispatchEvent(new CustomEvent(FIELD_KEPT, { detail: { field: key } }));
}
