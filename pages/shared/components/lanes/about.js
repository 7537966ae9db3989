// What the tooltip of the lanes says of a place: the position that is meant, and the elements.

/** @import { LaneRow, LanesBody } from "../messages.js" */
import { shared } from "../base/bus.js";
import { element } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { clip, clipEnd, visible } from "../base/text.js";
import { tipHead, tipLine, tipQuote } from "../plotly_js/plot_view.js";

/** @typedef {{position: number, parts: Node[]}} About */
/** @typedef {(xs: ArrayLike<number>, position: number) => number} Near index of the value within reach of the pointer, or -1 */

const CONTEXT = 80; // characters of text to either side of a boundary
/** @type {Record<string, string>} */
const KINDS = { strategy: "", gold: "gold", peer: "another library", yours: "yours" };

/** Boundaries that the latest setting still has. @param {LanesBody} data @param {LaneRow} lane @param {number} [end] */
export function presentCount({ changes }, { change }, end = change.length) {
  return change.subarray(0, end).filter((code) => changes[code] !== "gone").length;
}

/** A position in words. In sentences a whole number is a gap, as on the Inspect page. @param {LanesBody} data @param {number} position */
export function positionWords({ unit }, position) {
  if (unit !== "sentences") return `${unit.slice(0, -1)} ${rounded(position)}`;
  const whole = Math.round(position);
  if (Math.abs(position - whole) < 1e-3) return `gap ${number.format(whole)}`;
  return `inside sentence ${number.format(Math.ceil(position))}`;
}

/** @param {number} position */
function rounded(position) {
  return number.format(Math.round(position * 10) / 10);
}

/** @param {LanesBody} data @param {string | null} document @param {LaneRow} lane @param {number} position @param {Near} near @returns {About} */
export function aboutLane(data, document, lane, position, near) {
  const at = near(lane.x, position);
  if (at < 0) return { position, parts: aboutChunk(data, lane, position) };
  const change = data.changes[lane.change[at]];
  const same = change === "same";
  const color = data.marks.find(({ uid }) => uid === (same ? lane.kind : change))?.color ?? "";
  const parts = [tagged(lane.title, same ? KINDS[lane.kind] : change, color), tipLine(positionWords(data, lane.x[at]))];
  const reason = data.words[lane.reason[at]];
  if (reason) parts.push(element("div", "", visible(reason)));
  if (change !== "gone" && lane.tokens.length) {
    const chunk = presentCount(data, lane, at);
    const [before, after] = [lane.tokens[chunk], lane.tokens[chunk + 1]];
    parts.push(tipLine(`chunk before ${plural(before, "token")}, after ${plural(after, "token")}`));
  }
  return { position: lane.x[at], parts: [...parts, ...context(document, lane.offset[at])] };
}

/** @param {string} title @param {string} tag @param {string} [color] */
function tagged(title, tag, color = "") {
  return tipHead(visible(title), ...(tag ? [/** @type {[string, string]} */ ([tag, color.replace("role:", "")])] : []));
}

/** @param {LanesBody} data @param {LaneRow} lane @param {number} position */
function aboutChunk(data, lane, position) {
  const edges = Array.from(lane.x).filter((_, at) => data.changes[lane.change[at]] !== "gone");
  const chunk = lowerBound(edges, position);
  const of = `chunk ${number.format(chunk + 1)} of ${number.format(edges.length + 1)}`;
  const [from, to] = [edges[chunk - 1] ?? 0, edges[chunk] ?? data.length];
  const parts = [
    tagged(lane.title, KINDS[lane.kind]),
    tipLine(lane.tokens.length ? `${of} · ${plural(lane.tokens[chunk], "token")}` : of),
    tipLine(`${data.unit} ${rounded(from)} to ${rounded(to)}`),
  ];
  for (let i = 0; i < lane.lost.length; i += 2) {
    if (position < lane.lost[i] || position > lane.lost[i + 1]) continue;
    const lost = element("div", "cs-tip-fate", "no chunk holds this text");
    lost.style.color = "var(--cs-selected)";
    parts.push(lost);
  }
  return parts;
}

/** @param {LanesBody} data @param {number} position @param {Near} near @returns {About} */
export function aboutRibbon(data, position, near) {
  const at = near(data.consensus.x, position);
  if (at < 0) return { position, parts: [] };
  const x = data.consensus.x[at];
  const cutting = data.lanes.filter((lane) => {
    const place = lowerBound(lane.x, x);
    return lane.kind !== "gold" && lane.x[place] === x && data.changes[lane.change[place]] !== "gone";
  });
  const share = `${Math.round(100 * data.consensus.share[at])} % of the lanes cut here`;
  const titles = cutting.map((lane) => element("div", "", visible(lane.title)));
  return { position: x, parts: [tagged(share, ""), tipLine(positionWords(data, x)), ...titles] };
}

/** @param {LanesBody} data @param {string | null} document @param {number} position @param {Near} near @returns {About} */
export function aboutCurve({ gaps, threshold, ...data }, document, position, near) {
  const at = gaps.fused.length ? near(gaps.x, position) : -1;
  if (at < 0) return { position, parts: [] };
  const words = positionWords({ ...data, gaps, threshold }, gaps.x[at]);
  const line = tipLine(`fused ${gaps.fused[at].toFixed(3)}`);
  if (threshold !== null) {
    const limit = element("span", "cs-tip-threshold", threshold.toFixed(3));
    line.append(gaps.exceeds[at] ? " > " : " ≤ ", limit, " threshold");
  }
  return { position: gaps.x[at], parts: [tagged(words, ""), line, ...context(document, gaps.offset[at])] };
}

/** The text on both sides of a place, where the document store has it. @param {string | null} document @param {number} offset */
function context(document, offset) {
  const stored = shared.documents.get(document);
  if (!stored) return [];
  const [at] = stored.utf16(Int32Array.of(offset));
  const before = clipEnd(stored.text.slice(Math.max(0, at - 4 * CONTEXT), at), CONTEXT);
  const after = clip(stored.text.slice(at, at + 4 * CONTEXT), CONTEXT);
  return [before, after].filter(Boolean).map(tipQuote);
}
