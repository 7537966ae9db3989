// Text as it is shown, and offsets in it.

export const ODD = /\r\n?|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202d\u202e]|\p{Cs}/gu;

/** Text as it can be shown: every line ending breaks a line, and what has no shape, or would turn the text around it
 * (the two overrides of direction), gets one. */
export function visible(text) {
  return text.replace(ODD, (found) => {
    const code = found.charCodeAt(0);
    if (code === 0x0d || code === 0x2028 || code === 0x2029) return "\n";
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : "\u2426";
  });
}

/** The text of a sentence on one line, cut to about `length` characters. */
export function clip(text, length) {
  const whole = [...visible(text.slice(0, 4 * length)).replace(/\s+/g, " ").trim()];
  return whole.length > length ? whole.slice(0, length).join("").trimEnd() + "…" : whole.join("");
}

export function sentenceText(stored, sentence) {
  return stored.text.slice(stored.spans[2 * sentence], stored.spans[2 * sentence + 1]);
}
