// Spans of a text, as [start, end].

import { isSecondHalf } from "../../../../chunking/web/base/text.js";

/** @typedef {[number, number]} Span */

/** Spans in order, those that touch or overlap as one. @param {Span[]} spans @returns {Span[]} */
export function joined(spans) {
  /** @type {Span[]} */ const spansApart = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = spansApart.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else spansApart.push([start, end]);
  }
  return spansApart;
}

/** A span without white space at its ends and with whole characters; null where nothing is left. @param {string} text @param {Span} span @returns {Span | null} */
export function trimmed(text, [start, end]) {
  if (start > 0 && isSecondHalf(text, start)) start--;
  if (isSecondHalf(text, end)) end++;
  while (start < end && /\s/.test(text[start])) start++;
  while (end > start && /\s/.test(text[end - 1])) end--;
  return start < end ? [start, end] : null;
}

/**
 * A part of a text divided where spans of any layer begin or end, each piece with the names of the layers it lies in.
 *
 * @param {Span} part
 * @param {[string, Span[]][]} layers
 */
export function divided([from, to], layers) {
  const edges = new Set([from, to]);
  for (const [, spans] of layers) {
    for (const [start, end] of spans) {
      edges.add(Math.max(start, from));
      edges.add(Math.min(end, to));
    }
  }
  const places = [...edges].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => {
    const start = places[i];
    const inside = layers.filter(([, spans]) => spans.some(([a, b]) => a <= start && end <= b));
    return { start, end, names: inside.map(([name]) => name) };
  });
}
