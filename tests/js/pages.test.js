import assert from "node:assert/strict";
import test from "node:test";

import { PageGeometry } from "../../chunking/web/pages/page_geometry.js";
import { rowsOf } from "../../chunking/web/pages/page_rows.js";
import { PageWords } from "../../chunking/web/pages/page_words.js";
import { SourceText } from "../../chunking/web/text/source_text.js";

const packed = (numbers) => ({ t: "i4", b: Buffer.from(Int32Array.from(numbers).buffer).toString("base64") });
const corners = (areas) => areas.map((area) => [Math.min(...area.map(([x]) => x)), Math.min(...area.map(([, y]) => y)), Math.max(...area.map(([x]) => x)), Math.max(...area.map(([, y]) => y))]); // prettier-ignore

/** Pages of 1,000 × 1,000 from lines: their page, their words and where each word is. */
function geometryOf(text, lines, gaps, pages = 1) {
  const words = lines.flatMap((line) => line.words);
  const offsets = gaps.map((gap) => text.indexOf(gap));
  const spans = [0, ...offsets].flatMap((start, index) => [start, [...offsets, text.length][index]]);
  const source = new SourceText({ text, offsets: packed(offsets), spans: packed(spans), headings: { starts: packed([]), paths: [] } });
  const starts = words.map(([word]) => text.indexOf(word));
  let before = 0;
  const begins = lines.map((line) => (before += line.words.length) - line.words.length);
  const data = {
    sizes: packed(Array(2 * pages).fill(1000)),
    lines: { words: packed(begins), page: packed(lines.map((line) => line.page ?? 0)), top: packed(lines.map((line) => line.top)), bottom: packed(lines.map((line) => line.top + 20)) },
    words: { start: packed(starts), end: packed(words.map(([word], index) => starts[index] + word.length)), left: packed(words.map((word) => word[1])), right: packed(words.map((word) => word[2])) },
    asides: [],
  };
  const frames = Array.from({ length: pages }, (_, page) => ({ left: 100, top: 1100 * page, width: 1000, height: 1000, scale: 1 }));
  return new PageGeometry(new PageWords(data, source), frames, {});
}

// Two columns below a title; the second sentence begins amid a line, the third at the top of the right column.
const LOWER = Array.from({ length: 10 }, (_, index) => `w${index}`); // lines between the short one and the right column
const COLUMNS = [
  { top: 100, words: [["Title", 100, 900]] },
  { top: 200, words: [["One", 100, 160], ["two.", 170, 240], ["Three", 250, 400]] },
  { top: 240, words: [["four", 100, 200]] },
  ...LOWER.map((word, index) => ({ top: 280 + 40 * index, words: [[word, 100, 400]] })),
  { top: 200, words: [["Five", 550, 650], ["six.", 660, 900]] },
]; // prettier-ignore
const TEXT = `Title\nOne two. Three\nfour\n${LOWER.join("\n")}\nFive six.`;
const ALL = { left: 0, right: 1200, from: 0, to: 1000 };

test("rows fill their columns and meet half-way, and what is across two columns widens none", () => {
  const left = LOWER.map((_, index) => [100, 280 + 40 * index, 400, 300 + 40 * index]);
  const rows = rowsOf([[100, 100, 900, 120], [100, 200, 400, 220], [100, 240, 200, 260], ...left, [550, 200, 900, 220]]); // prettier-ignore
  const shown = [...rows.slice(0, 3), rows[13]];
  assert.deepEqual(shown.map(({ box }) => box), [[100, 75, 900, 160], [100, 160, 400, 230], [100, 230, 400, 270], [550, 160, 900, 245]]); // prettier-ignore
  assert.deepEqual(shown.map(({ isFirst, isLast }) => [isFirst, isLast]), [[true, true], [true, false], [true, true], [false, true]]); // prettier-ignore
});

test("a row is not widened over another that is beside it", () => {
  const rows = rowsOf([[100, 100, 400, 120], [100, 140, 200, 160], [210, 140, 400, 160]]); // prettier-ignore
  assert.deepEqual(rows[1].box.slice(0, 3), [100, 130, 200]);
});

test("a place is above a line, or a step amid it, in its own column", () => {
  const geometry = geometryOf(TEXT, COLUMNS, ["One", "Three", "Five"]);
  const [above, amid, beside] = [0, 1, 2].map((gap) => geometry.position(gap, 0));
  assert.deepEqual([above.isInline, above.y, above.column.left, above.column.right], [false, 160, 200, 500]);
  assert.deepEqual([amid.isInline, amid.x, amid.top, amid.bottom], [true, 345, 160, 230]);
  assert.deepEqual([beside.isInline, beside.y, beside.column.left], [false, 160, 650]);
  assert.equal(geometry.position(-1, TEXT.indexOf("Title") + 2).x, 100 + 100 + (2 / 5) * 800);
});

test("what is filled between two places is the parts of rows that lie between them", () => {
  const geometry = geometryOf(TEXT, COLUMNS, ["One", "Three", "Five"]);
  const areas = (start, end) => corners(geometry.areas(start, end, ALL));
  assert.deepEqual(areas(geometry.position(0, 0), geometry.position(1, 0)), [[200, 160, 345, 230]]);
  assert.deepEqual(areas(geometry.position(1, 0), geometry.position(2, 0)), [[345, 160, 500, 230], [200, 230, 500, 270], ...LOWER.map((_, index) => [200, 270 + 40 * index, 500, index < 9 ? 310 + 40 * index : 685])]); // prettier-ignore
  assert.deepEqual(areas(geometry.position(2, 0), geometry.closing), [[650, 160, 1000, 245]]);
  assert.deepEqual(geometry.edges(geometry.position(1, 0), geometry.position(2, 0), ALL).slice(0, 2), [[200, 230, 270], [200, 270, 310]]); // prettier-ignore
});

test("the bar is where no text is at the right, and the number of a right column stands beside it", () => {
  const geometry = geometryOf(TEXT, COLUMNS, ["One", "Three", "Five"]);
  assert.deepEqual([0, 1, 2].map((gap) => geometry.isAtMargin(gap)), [false, false, true]);
  assert.equal(geometry.labelAt(geometry.position(0, 0)), null);
  assert.equal(geometry.labelAt(geometry.position(2, 0)), 1006);
});

test("a point means the gap next to the half of the sentence that it is in", () => {
  const geometry = geometryOf(TEXT, COLUMNS, ["One", "Three", "Five"]);
  assert.equal(geometry.gapNear(205, 210, false), 0);
  assert.equal(geometry.gapNear(330, 210, false), 1);
  assert.equal(geometry.gapNear(250, 650, false), 2);
  assert.equal(geometry.gapNear(600, 800, false), -1);
  assert.equal(geometry.gapNear(0, 205, true), 2);
});

test("text from right to left begins at the right", () => {
  const lines = [{ top: 100, words: [["אחת", 800, 900], ["שתים.", 600, 780], ["שלוש", 400, 580]] }]; // prettier-ignore
  const geometry = geometryOf("אחת שתים. שלוש", lines, ["שלוש"]);
  const place = geometry.position(0, 0);
  assert.deepEqual([place.isInline, place.isRightToLeft, place.x], [true, true, 690]);
  assert.deepEqual(corners(geometry.areas(geometry.opening, place, ALL)), [[690, 75, 1000, 145]]);
  assert.deepEqual(corners(geometry.areas(place, geometry.closing, ALL)), [[500, 75, 690, 145]]);
});

test("only the pages that are in view are looked at", () => {
  const lines = [{ top: 100, words: [["One.", 100, 200]] }, { page: 1, top: 100, words: [["Two.", 100, 200]] }, { page: 2, top: 100, words: [["Three.", 100, 200]] }]; // prettier-ignore
  const geometry = geometryOf("One. Two. Three.", lines, ["Two", "Three"], 3);
  assert.deepEqual(geometry.pagesBetween(1150, 1900), [1]);
  assert.deepEqual(geometry.offsetsBetween(1150, 1900), [5, 9]);
  assert.deepEqual(geometry.gapsBetween(1150, 1900), [0]);
  assert.equal(geometry.offsetAt(1500), 10);
  assert.equal(geometry.offsetAt(9999), 16);
  assert.deepEqual([...geometry.rows.keys()], [1]);
});
