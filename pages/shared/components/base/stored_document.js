// The texts of documents that Python has sent, for components that show them as they are written.

import { wholeNumbers } from "../../../../chunking/web/base/packed.js";
import { SourceText } from "../../../../chunking/web/text/source_text.js";
import { dataOf } from "../workbench/kept_data.js";

export { DATA_KEPT } from "../workbench/kept_data.js";

/**
 * A document. Offsets are those of JavaScript strings.
 *
 * @typedef {object} StoredDocument
 * @property {string} text
 * @property {Int32Array} spans start and end of each sentence
 * @property {Int32Array} kinds of each sentence, an index of `kindNames`
 * @property {string[]} kindNames
 * @property {number} sentences
 * @property {(offsets: Int32Array) => Int32Array} utf16 converts offsets counted in code points
 */

/** @type {WeakMap<object, StoredDocument>} by the data that they are made from */
const documents = new WeakMap();

/** The document of a key, once its text is there. @param {string} key @returns {StoredDocument | undefined} */
export function storedDocument(key) {
  const data = dataOf(key);
  if (data && !documents.has(data)) documents.set(data, readDocument(data));
  return documents.get(data);
}

/** @param {any} data @returns {StoredDocument} */
function readDocument({ text, kinds, kind_names: kindNames }) {
  const source = new SourceText(text);
  const utf16 = (/** @type {Int32Array} */ offsets) => offsets.map((offset) => source.unit(offset));
  const spans = utf16(source.spans);
  return { text: source.text, spans, kinds: wholeNumbers(kinds), kindNames, sentences: spans.length / 2, utf16 };
}
