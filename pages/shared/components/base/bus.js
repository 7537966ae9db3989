// What the components of a page share: documents, choices, and the events by which they tell each other.

/**
 * A document of the store. Offsets are those of JavaScript strings.
 *
 * @typedef {object} StoredDocument
 * @property {string} text
 * @property {Int32Array} spans start and end of each sentence
 * @property {Uint8Array} kinds of each sentence, an index of `kindNames`
 * @property {string[]} kindNames
 * @property {number} sentences
 * @property {(offsets: Int32Array) => Int32Array} utf16 converts offsets counted in code points
 */

/**
 * What an event is about. `document` is the key of a document, or the topic of a component.
 *
 * @typedef {{document: string | null, gap: number | null, source: object}} Detail
 */

/** @typedef {{gap: number | string | null, since: number}} Selection `since` > 0: not yet confirmed by Python */

/** The events by which components tell each other. */
export const BUS = Object.freeze({
  document: "chunkscope:document", // a document was stored
  hover: "chunkscope:hover-gap",
  leave: "chunkscope:leave", // another page is about to be asked for
  preview: "chunkscope:preview", // what a control that is moved would cut, before Python answers: its gaps, null when it has
});

export const KEPT_DOCUMENTS = 4;
export const CONFIRM_MS = 4000; // how long a choice made here outweighs what Python still says

const page = /** @type {{__chunkscope?: Shared}} */ (/** @type {unknown} */ (globalThis));

/**
 * What components keep in the page, also while they are not shown.
 *
 * @typedef {object} Shared
 * @property {Map<string | null, StoredDocument>} documents
 * @property {Map<string | null, Selection>} selections by topic
 * @property {Map<string, Promise<any>>} scripts by URL
 * @property {Map<string, any>} kept what a component keeps for itself, by a key of its own
 */

export const shared = (page.__chunkscope ??= {
  documents: new Map(),
  selections: new Map(),
  scripts: new Map(),
  kept: new Map(),
});

/** Something of its own that a component keeps in the page. @template T @param {string} key @param {() => T} make @returns {T} */
export function kept(key, make) {
  if (!shared.kept.has(key)) shared.kept.set(key, make());
  return shared.kept.get(key);
}

/** @param {string} event @param {Partial<Detail>} detail */
export function announce(event, detail) {
  window.dispatchEvent(new CustomEvent(event, { detail }));
}

/**
 * Calls `heard` for the events about a component's topic that others announce.
 *
 * @param {string} event
 * @param {{topic: string | null}} component
 * @param {AbortSignal} signal
 * @param {(detail: Detail) => void} heard
 */
export function listen(event, component, signal, heard) {
  const filter = (/** @type {CustomEvent<Detail>} */ { detail }) => {
    if (detail.document === component.topic && detail.source !== component) heard(detail);
  };
  window.addEventListener(event, /** @type {EventListener} */ (filter), { signal });
}

/**
 * The choice after Python sent `given`. A newer choice made here wins until Python repeats it.
 *
 * @template {number | string | null} Choice
 * @param {string | null} topic
 * @param {Choice} given
 * @param {number} [now] milliseconds
 * @returns {Choice}
 */
export function settleSelection(topic, given, now = performance.now()) {
  const choice = shared.selections.get(topic);
  const waiting = choice !== undefined && choice.since > 0 && now - choice.since < CONFIRM_MS;
  if (waiting && choice.gap !== given) return /** @type {Choice} */ (choice.gap);
  shared.selections.set(topic, { gap: given, since: 0 });
  return given;
}

/** Notes a choice made here. @param {string | null} topic @param {any} chosen */
export function noteChoice(topic, chosen) {
  shared.selections.set(topic, { gap: chosen, since: performance.now() });
}
