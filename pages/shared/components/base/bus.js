// What the components of a page share, and the events by which they tell each other.

/**
 * What an event is about. `document` is the key of a document, or the topic of a component.
 *
 * @typedef {{document: string | null, gap: number | null, source: object}} Detail
 */

/** The events by which components tell each other. */
export const BUS = Object.freeze({
  hover: "chunkscope:hover-gap",
  leave: "chunkscope:leave", // another page is about to be asked for; who awaits the answer to a report prevents it
  preview: "chunkscope:preview", // what a control that is moved would cut, before Python answers: its gaps, null when it has
});

const page = /** @type {{__chunkscope?: Shared}} */ (/** @type {unknown} */ (globalThis));

/**
 * What components keep in the page, also while they are not shown.
 *
 * @typedef {object} Shared
 * @property {Map<string, any>} kept what a component keeps for itself, by a key of its own
 */

const shared = (page.__chunkscope ??= { kept: new Map() });

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
