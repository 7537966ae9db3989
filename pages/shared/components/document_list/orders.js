// The orders of the list.

/** @import { Row as DocumentRow } from "../messages.js" */

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
/** @typedef {{number: number, data: DocumentRow}} Ordered */

/** A figure of a document that has figures. @param {(data: DocumentRow) => number | null} value */
const figure = (value) => (/** @type {Ordered} */ { data }) => (data.state === "done" ? value(data) : null);
/** @param {any} a @param {any} b */
const byName = (a, b) => names.compare(a, b);
/** @param {any} a @param {any} b */
const byNumber = (a, b) => a - b;

/**
 * What the list can be ordered by; `down`: the first click puts the greatest at the top, or what most needs a look.
 *
 * @type {Record<string, {says: string, value: (row: Ordered) => number | string | null, compare: (a: any, b: any) => number, down?: boolean}>}
 */
export const ORDERS = {
  number: { says: "number", value: ({ number }) => number, compare: byNumber },
  title: { says: "name", value: ({ data }) => data.title, compare: byName },
  sentences: { says: "sentences", value: figure((d) => d.sentences), compare: byNumber, down: true },
  chunks: { says: "chunks", value: figure((d) => d.chunks), compare: byNumber, down: true },
  largest: { says: "largest chunk", value: figure((d) => d.tokens[2]), compare: byNumber, down: true },
  cuts: { says: "cuts per 100 sentences", value: figure(cutShare), compare: byNumber, down: true },
  f1: { says: "F1", value: figure((d) => d.f1), compare: byNumber },
};

/** Cuts per 100 sentences. @param {DocumentRow} data */
export function cutShare({ boundaries, sentences }) {
  return sentences ? (100 * boundaries) / sentences : null;
}

/**
 * Rows in an order; those without a value last, ties by number.
 *
 * @template {Ordered} Row
 * @param {Row[]} rows
 * @param {string} order
 * @param {boolean} down
 */
export function ordered(rows, order, down) {
  const { value, compare } = ORDERS[order];
  const keyed = rows.map((row) => ({ row, of: value(row) }));
  keyed.sort((a, b) => {
    const ties = a.row.number - b.row.number;
    if (a.of === null || b.of === null) return Number(a.of === null) - Number(b.of === null) || ties;
    return (down ? -1 : 1) * compare(a.of, b.of) || ties;
  });
  return keyed.map(({ row }) => row);
}
