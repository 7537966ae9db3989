// The document store: keeps text and sentence spans where the other components find them.

import { BUS, KEPT_DOCUMENTS, announce, shared } from "../base/bus.js";
import { lowerBound } from "../base/numbers.js";
import { unpack } from "../base/wire.js";

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Turns offsets counted in code points into offsets of a JavaScript string, in place. */
function toUtf16(offsets, astral) {
  if (!astral.length) return offsets;
  for (let i = 0; i < offsets.length; i++) offsets[i] += lowerBound(astral, offsets[i]);
  return offsets;
}

async function store(key, deflated) {
  const { text, spans, kinds, astral, kind_names: kindNames } = unpack(await inflate(deflated)).body();
  shared.documents.set(key, {
    text: new TextDecoder("utf-16le", { ignoreBOM: true }).decode(text),
    spans: toUtf16(spans, astral),
    kinds,
    kindNames,
    sentences: spans.length / 2,
    utf16: (offsets) => toUtf16(offsets.slice(), astral),
  });
  for (const old of shared.documents.keys()) {
    if (shared.documents.size <= KEPT_DOCUMENTS) break;
    shared.documents.delete(old);
    shared.selections.delete(old);
  }
  announce(BUS.document, { document: key });
}

const underway = new Set();

export default function ({ data, parentElement }) {
  const { head, body } = unpack(data);
  // An element without content still takes its place in the page's column, with the gap around it.
  parentElement.closest?.("[data-testid='stElementContainer']")?.style.setProperty("display", "none");
  if (shared.documents.has(head.document) || underway.has(head.document)) return;
  underway.add(head.document);
  store(head.document, body().deflated)
    .catch((error) => console.error("Chunkscope: the document could not be read.", error))
    .finally(() => underway.delete(head.document));
}
