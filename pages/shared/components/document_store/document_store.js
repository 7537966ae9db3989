// The document store: keeps text and sentence spans where the other components find them.

/** @import { Component } from "../base/dom.js" */
import { BUS, KEPT_DOCUMENTS, announce, shared } from "../base/bus.js";
import { takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { toUtf16 } from "./offsets.js";

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {string} key @param {Uint8Array<ArrayBuffer>} deflated */
async function store(key, deflated) {
  const { text, spans, kinds, astral, kind_names: kindNames } = unpack(await inflate(deflated)).body();
  shared.documents.set(key, {
    text: new TextDecoder("utf-16le", { ignoreBOM: true }).decode(text),
    spans: toUtf16(spans, astral),
    kinds,
    kindNames,
    sentences: spans.length / 2,
    utf16: (/** @type {Int32Array} */ offsets) => toUtf16(offsets.slice(), astral),
  });
  for (const old of shared.documents.keys()) {
    if (shared.documents.size <= KEPT_DOCUMENTS) break;
    shared.documents.delete(old);
    shared.selections.delete(old);
  }
  announce(BUS.document, { document: key });
}

const underway = new Set();

/** @param {Component} component */
export default function ({ data, parentElement }) {
  const { head, body } = unpack(data);
  takeNoRoom(parentElement);
  if (shared.documents.has(head.document) || underway.has(head.document)) return;
  underway.add(head.document);
  store(head.document, body().deflated)
    .catch((error) => console.error("Chunkscope: the document could not be read.", error))
    .finally(() => underway.delete(head.document));
}
