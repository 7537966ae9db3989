// What the components of a page share: documents, choices, and the events by which they tell each other.

/** The events by which the components talk. Each has `detail: {document, gap, source}`, gap null for none. */
export const BUS = Object.freeze({
  document: "chunkscope:document", // a document was stored; detail: {document}
  hover: "chunkscope:hover-gap",
  select: "chunkscope:select-gap",
  view: "chunkscope:view", // another part of the document is looked at; detail: {document, source}
});

export const KEPT_DOCUMENTS = 4;
export const CONFIRM_MS = 4000; // how long a choice made here stands against what Python still says

export const shared = (window.__chunkscope ??= {
  documents: new Map(), // key -> {text, spans, kinds, kindNames}
  selections: new Map(), // key -> {gap, since}; since > 0: not yet confirmed by Python
  parts: new Map(), // key -> [from, to], the part of the document that is looked at, in code points; none for all
  scripts: new Map(), // URL -> promise
});

export function announce(event, detail) {
  window.dispatchEvent(new CustomEvent(event, { detail }));
}

/** The chosen gap after Python said `given`. A newer choice made here wins until Python repeats it. */
export function settleSelection(document, given) {
  const known = shared.selections.get(document);
  const waiting = known !== undefined && known.since > 0 && performance.now() - known.since < CONFIRM_MS;
  if (waiting && known.gap !== given) return known.gap;
  shared.selections.set(document, { gap: given, since: 0 });
  return given;
}

export function chooseGap(document, gap, source) {
  shared.selections.set(document, { gap, since: performance.now() });
  announce(BUS.select, { document, gap, source });
}
