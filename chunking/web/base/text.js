// Text as it is shown, and offsets in it.

export const ODD = /\r\n?|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202d\u202e]|\p{Cs}/gu;

/**
 * Text as it can be shown: every line ending breaks a line, and what has no shape, or would turn the text around it
 * (the two overrides of direction), gets one.
 *
 * @param {string} text
 */
export function visible(text) {
  return text.replace(ODD, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x0d || code === 0x2028 || code === 0x2029) return "\n";
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : "\u2426";
  });
}

/** Offsets of the carriage returns before a line feed, found in one pass. @param {string} text @returns {number[]} */
export function pairsOfLineEnds(text) {
  const pairs = [];
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) pairs.push(at);
  return pairs;
}

/** Text as it can be shown, on one line. @param {string} text */
export function oneLine(text) {
  return visible(text).replace(/\s+/g, " ").trim();
}

/** The beginning of a text on one line, cut to about `length` characters. @param {string} text @param {number} length */
export function clip(text, length) {
  const whole = [...oneLine(text.slice(0, 4 * length))];
  return whole.length > length ? whole.slice(0, length).join("").trimEnd() + "…" : whole.join("");
}

/** The end of a text on one line, cut to about `length` characters. @param {string} text @param {number} length */
export function clipEnd(text, length) {
  const whole = [...oneLine(text.slice(-4 * length))];
  return whole.length > length ? "…" + whole.slice(-length).join("").trimStart() : whole.join("");
}

/** Whether an offset lies between the two halves of a character outside the basic plane. @param {string} text @param {number} at */
export function isSecondHalf(text, at) {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** Offset in code points of an offset in a JavaScript string. @param {string} text @param {number} offset */
export function codePoints(text, offset) {
  let pairs = 0;
  for (let i = 1; i < offset; i++) if (isSecondHalf(text, i)) pairs++;
  return offset - pairs;
}

/** Whether text runs from right to left: its first letter decides, as for `dir="auto"`. @param {string} text */
export function isRightToLeft(text) {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(/\p{L}/u.exec(text)?.[0] ?? "");
}

/** Where a text begins after the blank lines before it. @param {string} text @param {number} from @param {number} to */
export function afterBlankLines(text, from, to) {
  return from + (/^(?:[^\S\n\r]*[\n\r])*/.exec(text.slice(from, to))?.[0].length ?? 0);
}
