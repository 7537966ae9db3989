// The sources of curves, which the charts of a page share: distances before α, and tokens.

/** @import { LiveSource } from "../messages.js" */
/** @import { Source } from "../../../../chunking/web/engine/cuts.js" */
/** @import { Tokens } from "../../../../chunking/web/engine/limits.js" */
import { kept } from "../base/bus.js";
import { ladderFrom } from "../../../../chunking/web/engine/divisions.js";

export const SOURCE_KEPT = "chunkscope:source-kept"; // with its name
const KEPT_SOURCES = 6; // a lane that is chosen again finds its own

const sources = () => kept("live-sources", () => /** @type {Map<string, Source>} */ (new Map()));

/** @param {string} name @param {() => LiveSource} read */
export function keepSource(name, read) {
  const known = sources();
  const source = known.get(name) ?? sourceFrom(read());
  known.delete(name); // the latest last
  known.set(name, source);
  for (const old of [...known.keys()].slice(0, -KEPT_SOURCES)) known.delete(old);
  window.dispatchEvent(new CustomEvent(SOURCE_KEPT, { detail: name }));
}

/** @param {string} name @returns {Source | null} */
export function sourceOf(name) {
  return sources().get(name) ?? null;
}

/** @param {LiveSource} source @returns {Source} */
function sourceFrom({ semantic, structural, divisions, ...tokens }) {
  return {
    semantic: doubles(semantic),
    structural: structural && doubles(structural),
    tokens: { ...tokens, seamless: (first, last) => nearly(tokens, first, last) },
    divisions: divisions && {
      fused: doubles(divisions.fused),
      alpha: divisions.alpha,
      alphas: ladderFrom(divisions.alphas),
      levels: ladderFrom(divisions.levels),
    },
  };
}

/** Nearly the tokens from one gap to another inside a token: Python's answer follows. @param {Omit<Tokens, "seamless">} tokens @param {number} first @param {number} last */
function nearly({ head, tail, toAfter, toBefore }, first, last) {
  return head[first] + toBefore[last] - toAfter[first] + tail[last];
}

/** @param {Uint8Array} bytes of float64 numbers */
function doubles(bytes) {
  return new Float64Array(bytes.slice().buffer);
}
