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

const MONOSPACED = new Set(["code", "table"]);

/** The class of a text by the kind of its block. @param {string} kind */
export function kindClass(kind) {
  if (MONOSPACED.has(kind)) return "cs-mono";
  return kind === "heading" ? "cs-heading" : "";
}
