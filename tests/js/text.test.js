import assert from "node:assert/strict";
import test from "node:test";

import { divided, joined, trimmed } from "../../pages/shared/components/answer_marker/spans.js";
import { lowerBound, plural } from "../../chunking/web/engine/numbers.js";
import { clip, clipEnd, codePoints, isRightToLeft, pairsOfLineEnds, visible } from "../../chunking/web/base/text.js";
import { SourceText } from "../../chunking/web/text/source_text.js";

test("what has no shape gets one, and every line ending breaks a line", () => {
  assert.equal(visible("a\r\nb\u2028c\0\u202e"), "a\nb\nc\u2400\u2426");
  assert.equal(visible("\ud800"), "\ufffd");
});

test("carriage returns before a line feed are found, and no other line ends", () => {
  assert.deepEqual(pairsOfLineEnds("a\r\nb\nc\r\r\n"), [1, 7]);
  assert.deepEqual(pairsOfLineEnds("a\nb\r"), []);
});

test("clipping keeps whole characters", () => {
  assert.equal(clip("😀😀😀", 2), "😀😀…");
  assert.equal(clipEnd("one two", 3), "…two");
  assert.equal(clip(" a  b\n", 9), "a b");
});

test("offsets go to the units of a string and back", () => {
  const text = "a😀b😀c";
  const none = { t: "i1", b: "" };
  const source = new SourceText({ text, offsets: none, spans: none, headings: { starts: none, paths: [] } });
  const offsets = [0, 1, 2, 3, 4, 5].map((point) => source.unit(point));
  assert.deepEqual(offsets, [0, 1, 3, 4, 6, 7]);
  assert.deepEqual(offsets.map((at) => codePoints(text, at)), [0, 1, 2, 3, 4, 5]);
});

test("the first letter decides on the direction", () => {
  assert.ok(isRightToLeft("1. שלום"));
  assert.ok(!isRightToLeft("1. hello שלום"));
});

test("numbers are searched and counted", () => {
  assert.deepEqual([0, 2, 3, 9].map((value) => lowerBound([2, 2, 5], value)), [0, 0, 2, 3]);
  assert.equal(plural(1, "boundary", "boundaries"), "1 boundary");
  assert.equal(plural(2000, "token"), "2,000 tokens");
});

test("marked spans join, and lose white space and halves of characters", () => {
  assert.deepEqual(joined([[5, 9], [0, 2], [2, 4]]), [[0, 4], [5, 9]]);
  assert.deepEqual(trimmed("  ab  ", [0, 6]), [2, 4]);
  assert.deepEqual(trimmed("😀", [1, 2]), [0, 2]);
  assert.equal(trimmed("   ", [0, 3]), null);
});

test("a part is divided where layers begin and end", () => {
  const pieces = divided([0, 10], [["a", [[2, 5]]], ["b", [[4, 20]]]]);
  assert.deepEqual(pieces.map(({ start, end, names }) => [start, end, names.join()]), [
    [0, 2, ""], [2, 4, "a"], [4, 5, "a,b"], [5, 10, "b"],
  ]);
});
