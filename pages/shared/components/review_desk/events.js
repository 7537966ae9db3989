// Events of a reviewer, and what they lead to.

/** @typedef {"accept" | "reject" | "skip" | "add" | "move" | "note" | "complete" | "undo"} Action */

/**
 * An event as the server stores it; the latest `made` is the newest.
 *
 * @typedef {object} ReviewEvent
 * @property {string} token
 * @property {string} document
 * @property {string} reviewer
 * @property {Action} action
 * @property {number} offset
 * @property {number | null} target
 * @property {string} note
 * @property {string} undoes
 * @property {string} proposal_id
 * @property {boolean} blind
 * @property {boolean} decides
 * @property {number} made
 */

/** What counts of an event: token, action, offset, target, note, undoes. @typedef {[string, string, number, number | null, string, string]} EventRow */

/** @typedef {{action: string, target: number | null}} Verdict */

/** @typedef {{verdicts: Map<number, Verdict>, votes: Map<number, boolean>, notes: Map<number, string>, complete: boolean, last: EventRow | undefined}} ReviewState */

/**
 * The state that a reviewer's events lead to, as in chunking/reference/state.py: the last verdict on each place, whether
 * each place is a boundary (a move decides on two), the notes, whether the document was declared complete, and the
 * last event, which undo takes back.
 *
 * @param {EventRow[]} rows those that count on the server, then those that it has not confirmed
 * @returns {ReviewState}
 */
export function reduced(rows) {
  const undone = new Set(rows.filter((row) => row[1] === "undo").map((row) => row[5]));
  const live = rows.filter((row) => row[1] !== "undo" && !undone.has(row[0]));
  /** @type {Map<number, Verdict>} */ const verdicts = new Map(); // in the order of the last word on each
  /** @type {Map<number, string>} */ const notes = new Map();
  for (const [, action, offset, target, note] of live) {
    if (note || action === "note") notes.set(offset, note);
    if (action === "note" || action === "complete") continue;
    verdicts.delete(offset);
    verdicts.set(offset, { action, target });
  }
  /** @type {Map<number, boolean>} */ const votes = new Map();
  for (const [offset, { action, target }] of verdicts) {
    if (action === "skip") votes.delete(offset);
    else votes.set(offset, action === "accept" || action === "add");
    if (action === "move") votes.set(Number(target), true);
  }
  const complete = live.some((row) => row[1] === "complete");
  return { verdicts, votes, notes, complete, last: live.at(-1) };
}

/** @param {string | null} text @returns {ReviewEvent | null} */
export function parsed(text) {
  try {
    const event = JSON.parse(text ?? "null");
    return event && typeof event.token === "string" && typeof event.made === "number" ? event : null;
  } catch {
    return null;
  }
}

export function newToken() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
