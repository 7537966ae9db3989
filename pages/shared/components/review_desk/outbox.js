// Events that the server has not confirmed, in the browser's storage.

/** @import { ReviewEvent } from "./events.js" */
import { kept } from "../base/bus.js";
import { parsed } from "./events.js";

const KEPT = "chunkscope.review/"; // + document / token: an event that the server has not confirmed
const BATCH = 200; // events sent at once, the oldest first
export const OTHER_TAB = "chunkscope:review-other-tab"; // an outbox changed in another tab; detail: {prefix}

/** Events of one document that the server has not confirmed. Each has a key of its own in the browser's storage, so
 * that two tabs cannot overwrite each other's events, and each tab sees what the other adds and what was stored of it. */
export class Outbox {
  /** @type {Map<string, ReviewEvent>} */ events = new Map();
  /** @type {Map<string, ReviewEvent>} */ confirmed = new Map(); // stored through another tab, and perhaps not yet in what the server sent to this one
  kept = true;

  /** @param {string} document */
  constructor(document) {
    this.prefix = `${KEPT}${document}/`;
    this.read();
    window.addEventListener("storage", (event) => this.follow(event));
  }

  /** Takes over what another tab of this browser wrote or removed. @param {StorageEvent} event */
  follow({ key, newValue }) {
    if (!key?.startsWith(this.prefix)) return;
    const token = key.slice(this.prefix.length);
    if (newValue === null) {
      const event = this.events.get(token);
      if (!event) return;
      this.events.delete(token);
      this.confirmed.set(token, event);
    } else {
      const event = parsed(newValue);
      if (!event || event.token !== token) return;
      this.events.set(token, event);
    }
    window.dispatchEvent(new CustomEvent(OTHER_TAB, { detail: { prefix: this.prefix } }));
  }

  /** Takes over what an earlier page, or another tab, has not delivered. */
  read() {
    /** @type {ReviewEvent[]} */ const events = [];
    try {
      for (let index = 0; index < localStorage.length; index++) {
        const key = localStorage.key(index);
        if (!key?.startsWith(this.prefix)) continue;
        const event = parsed(localStorage.getItem(key));
        if (event && key === this.prefix + event.token) events.push(event);
        else localStorage.removeItem(key);
      }
    } catch {
      this.kept = false;
    }
    events.sort((a, b) => a.made - b.made);
    for (const event of events) if (!this.events.has(event.token)) this.events.set(event.token, event);
  }

  /** @param {ReviewEvent} event */
  add(event) {
    this.events.set(event.token, event);
    try {
      localStorage.setItem(this.prefix + event.token, JSON.stringify(event));
      this.kept = true;
    } catch {
      this.kept = false;
    }
  }

  /** @param {string[]} tokens */
  remove(tokens) {
    for (const token of tokens) {
      this.events.delete(token);
      try {
        localStorage.removeItem(this.prefix + token);
      } catch {
        this.kept = false;
      }
    }
  }

  get size() {
    return this.events.size;
  }

  batch() {
    return [...this.events.values()].slice(0, BATCH);
  }
}

/** The number of events of other documents, which are sent when their document is opened again. @param {string} document */
export function waitingElsewhere(document) {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
    return keys.filter((key) => key?.startsWith(KEPT) && !key.startsWith(`${KEPT}${document}/`)).length;
  } catch {
    return 0;
  }
}

/** The outbox of a document. @param {string} document @returns {Outbox} */
export function outboxOf(document) {
  return kept(`outbox/${document}`, () => new Outbox(document));
}
