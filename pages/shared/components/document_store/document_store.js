// The document store: keeps text, sentence spans and layout where the other components find them.

/** @import { Component } from "../base/dom.js" */
/** @import { DocumentHead, LayoutBody } from "../messages.js" */
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
async function store({ document: key, part }, deflated) {
  const body = unpack(await inflate(deflated)).body();
  if (part === "layout") keep(shared.layouts, key, /** @type {LayoutBody} */ (body));
  else for (const old of keep(shared.documents, key, storedDocument(body))) shared.selections.delete(old);
  announce(BUS.document, { document: key });
}

/** Keeps something of a document, and the same of a few others. @template T @param {Map<string | null, T>} all @param {string} key @param {T} value @returns {(string | null)[]} the documents that were forgotten */
function keep(all, key, value) {
  all.set(key, value);
  const forgotten = [...all.keys()].slice(0, Math.max(0, all.size - KEPT_DOCUMENTS));
  for (const old of forgotten) all.delete(old);
  return forgotten;
}

const underway = new Set();

/** @param {Component} component */
export default function ({ data, parentElement }) {
  /** @type {{head: DocumentHead, body: () => any}} */ const { head, body } = unpack(data);
  takeNoRoom(parentElement);
  const known = head.part === "layout" ? shared.layouts : shared.documents;
  const name = `${head.document} ${head.part}`;
  if (known.has(head.document) || underway.has(name)) return;
  underway.add(name);
  store(head, body().deflated)
    .catch((error) => console.error("Chunkscope: the document could not be read.", error))
    .finally(() => underway.delete(name));
}
