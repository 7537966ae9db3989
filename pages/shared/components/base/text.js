// Text of a stored document.

export {
  ODD,
  afterBlankLines,
  clip,
  clipEnd,
  codePoints,
  isRightToLeft,
  isSecondHalf,
  oneLine,
  visible,
} from "../../../../chunking/web/base/text.js";

/** @import { StoredDocument } from "./bus.js" */

/** @param {StoredDocument} stored @param {number} sentence */
export function sentenceText(stored, sentence) {
  return stored.text.slice(stored.spans[2 * sentence], stored.spans[2 * sentence + 1]);
}

const MONOSPACED = new Set(["code", "table"]);

/** The class of a text by the kind of its block. @param {string} kind */
export function kindClass(kind) {
  if (MONOSPACED.has(kind)) return "cs-mono";
  return kind === "heading" ? "cs-heading" : "";
}
