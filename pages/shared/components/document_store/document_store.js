// The document store: keeps text and sentence spans where the other components find them.

/** @import { Component } from "../base/dom.js" */
/** @import { DocumentHead } from "../messages.js" */
import { BUS, KEPT_DOCUMENTS, announce, shared } from "../base/bus.js";
import { takeNoRoom } from "../base/dom.js";
import { inflate } from "../base/inflate.js";
import { unpack } from "../base/wire.js";
import { toUtf16 } from "./offsets.js";

/** @param {any} body @returns {import("../base/bus.js").StoredDocument} */
function storedDocument({ text, spans, kinds, astral, kind_names: kindNames }) {
  return {
    text: new TextDecoder("utf-16le", { ignoreBOM: true }).decode(text),
    spans: toUtf16(spans, astral),
    kinds,
    kindNames,
    sentences: spans.length / 2,
    utf16: (/** @type {Int32Array} */ offsets) => toUtf16(offsets.slice(), astral),
  };
}

/** @param {DocumentHead} head @param {Uint8Array<ArrayBuffer>} deflated */
async function store({ document: key }, deflated) {
  const { documents, selections } = shared;
  documents.set(key, storedDocument(unpack(await inflate(deflated)).body()));
  for (const old of [...documents.keys()].slice(0, Math.max(0, documents.size - KEPT_DOCUMENTS))) {
    documents.delete(old);
    selections.delete(old);
  }
  announce(BUS.document, { document: key });
}

const underway = new Set();

/** @param {Component} component */
export default function ({ data, parentElement }) {
  /** @type {{head: DocumentHead, body: () => any}} */ const { head, body } = unpack(data);
  takeNoRoom(parentElement);
  if (shared.documents.has(head.document) || underway.has(head.document)) return;
  underway.add(head.document);
  store(head, body().deflated)
    .catch((error) => console.error("Chunkscope: the document could not be read.", error))
    .finally(() => underway.delete(head.document));
}
