// The sources of the charts on the page: distances before α, and tokens.

/** @import { LiveSource } from "../../messages.js" */
/** @import { Source } from "./cuts.js" */
import { kept } from "../../base/bus.js";

/** @typedef {{content: string, source: Source}} KeptSource */

const sources = () => kept("curve-sources", () => /** @type {Map<string, KeptSource>} */ (new Map()));

/** @param {string} chart @param {string} content names what `read` returns @param {() => LiveSource} read */
export function keepSource(chart, content, read) {
  if (sources().get(chart)?.content === content) return;
  const { semantic, structural, ...tokens } = read();
  sources().set(chart, { content, source: { semantic: doubles(semantic), structural: structural && doubles(structural), tokens } });
}

/** @param {string | undefined} chart */
export function sourceOf(chart) {
  return sources().get(chart ?? "")?.source ?? null;
}

/** @param {Uint8Array} bytes of float64 numbers */
function doubles(bytes) {
  return new Float64Array(bytes.slice().buffer);
}
