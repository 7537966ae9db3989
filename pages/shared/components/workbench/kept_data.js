// The data that workbenches of the page are made from: documents, and strategies on them, each under its name.

/** @import { WorkbenchDataBody } from "../messages.js" */
import { kept } from "../base/bus.js";

export const DATA_KEPT = "chunkscope:workbench-data"; // with its name
const KEPT = 60;

/** @returns {Map<string, any>} null while it is read */
const allData = () => kept("workbench-data", () => new Map());

/** @param {string} source @param {() => WorkbenchDataBody} read */
export async function keepData(source, read) {
  const all = allData();
  if (all.has(source)) return;
  all.set(source, null);
  try {
    all.set(source, await dataIn(read()));
    for (const old of [...all.keys()].slice(0, -KEPT)) all.delete(old);
    window.dispatchEvent(new CustomEvent(DATA_KEPT, { detail: source }));
  } catch (error) {
    all.delete(source);
    console.error("Chunkscope: the document could not be read.", error);
  }
}

/** A picture, or what JSON says. @param {WorkbenchDataBody} body */
async function dataIn({ deflated, picture }) {
  if (picture) return new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (picture)], { type: "image/png" });
  const deflatedBytes = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (deflated)]).stream();
  return new Response(deflatedBytes.pipeThrough(new DecompressionStream("deflate"))).json();
}

/** The data of a name, null while it is not there; what is used stays longest. @param {string} source */
export function dataOf(source) {
  const all = allData();
  const data = all.get(source) ?? null;
  if (data) {
    all.delete(source);
    all.set(source, data);
  }
  return data;
}
