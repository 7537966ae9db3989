// The text as chunks, as chunking.standalone.contents writes it for those who read without scripts.

/** @import { ShownChunk } from "./lane.js" */
/** @import { SourceText } from "./text.js" */
import { lowerBound, number, plural } from "../../web/engine/numbers.js";
import { escaped } from "./text.js";

/** @typedef {Record<string, string>} Glyphs */

/** @param {SourceText} text @param {ShownChunk[]} chunks @param {Glyphs} glyphs @param {boolean} gaps whether gaps can be selected */
export function chunksHtml(text, chunks, glyphs, gaps) {
  return chunks.map((chunk, index) => chunkHtml(text, chunk, index, glyphs, gaps)).join("");
}

/** @param {SourceText} text @param {ShownChunk} chunk @param {number} index @param {Glyphs} glyphs @param {boolean} gaps */
function chunkHtml(text, chunk, index, glyphs, gaps) {
  const { start, end, reach, tokens, overlapTokens, gap, driver, why, notes } = chunk;
  const place = gaps && gap >= 0 ? ` data-gap="${gap}"` : "";
  const glyph = driver ? `<i>${glyphs[driver]}</i> ` : "";
  const parts = [
    `<b>${number.format(index + 1)}</b>`,
    why && `<span class="why">${glyph}${escaped(why)}</span>`,
    `<span>${plural(tokens, "token")}</span>`,
    overlapTokens && `<span>+ ${number.format(overlapTokens)} overlap</span>`,
    `<span class="path">${escaped(text.path(start, end).join(" › "))}</span>`,
    notes.length && `<span class="note">${escaped(notes.join("; "))}</span>`,
  ];
  const overlap = reach < start ? `<span class="overlap">${escaped(text.slice(reach, start))}</span>` : "";
  return (
    `<article class="chunk ${driver}"><header${place}>${parts.filter(Boolean).join("")}</header>` +
    `<div class="text" dir="auto">${overlap}${gaps ? bodyHtml(text, start, end) : escaped(text.slice(start, end))}</div></article>\n`
  );
}

/** A chunk's own text, with a mark at each gap inside. @param {SourceText} text @param {number} start @param {number} end */
function bodyHtml(text, start, end) {
  const { offsets } = text;
  let html = "";
  let from = start;
  for (let gap = lowerBound(offsets, start + 1); gap < offsets.length && offsets[gap] < end; gap++) {
    html += `${escaped(text.slice(from, offsets[gap]))}<i class="gap" data-gap="${gap}"></i>`;
    from = offsets[gap];
  }
  return html + escaped(text.slice(from, end));
}
