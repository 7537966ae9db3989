// The data of the latest workbenches of the page.

/** @import { WorkbenchData } from "../../../../chunking/web/workbench/workbench.js" */
/** @import { WorkbenchDataBody } from "../messages.js" */
import { kept } from "../base/bus.js";
import { inflate } from "../base/inflate.js";

export const DATA_KEPT = "chunkscope:workbench-data"; // with its name
const KEPT = 4;

/** @returns {Map<string, WorkbenchData | null>} null while it is read */
const known = () => kept("workbench-data", () => new Map());

/** @param {string} source @param {() => WorkbenchDataBody} read */
export async function keepData(source, read) {
  const all = known();
  if (all.has(source)) return;
  all.set(source, null);
  try {
    const bytes = await inflate(/** @type {Uint8Array<ArrayBuffer>} */ (read().deflated));
    all.set(source, JSON.parse(new TextDecoder().decode(bytes)));
    for (const old of [...all.keys()].slice(0, -KEPT)) all.delete(old);
    window.dispatchEvent(new CustomEvent(DATA_KEPT, { detail: source }));
  } catch (error) {
    all.delete(source);
    console.error("Chunkscope: the document could not be read.", error);
  }
}

/** @param {string} source */
export function dataOf(source) {
  return known().get(source) ?? null;
}
