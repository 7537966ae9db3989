import assert from "node:assert/strict";
import test from "node:test";

import { passageAround } from "../../chunking/web/workbench/passage_editor.js";

const TEXT = "# Title\n\nOne sentence. Another one.\n \nA second paragraph\nof two lines.\n\n\nThe end.";

/** The words around the first place of a text that begins with these. @param {string} words */
const around = (words) => passageAround(TEXT, TEXT.indexOf(words)).words;

test("inside a paragraph it is that paragraph", () => {
  assert.equal(around("Another"), "One sentence. Another one.");
  assert.equal(around("of two"), "A second paragraph\nof two lines.");
});

test("between two paragraphs it is both of them, whatever blank lines are between", () => {
  assert.equal(around("A second"), "One sentence. Another one.\n \nA second paragraph\nof two lines.");
  assert.equal(around("The end"), "A second paragraph\nof two lines.\n\n\nThe end.");
});

test("at the ends of the text nothing is missing", () => {
  assert.equal(passageAround(TEXT, 0).words, "# Title");
  assert.equal(passageAround(TEXT, TEXT.length).words, "The end.");
  assert.deepEqual(passageAround("", 0), { start: 0, end: 0, words: "" });
});

test("a text without paragraphs gives a part of it, which contains the place", () => {
  const long = "word ".repeat(100_000);
  const { start, end, words } = passageAround(long, 250_000);
  assert.ok(start < 250_000 && end > 250_000 && end - start < 20_000);
  assert.equal(words, long.slice(start, end));
});
