import assert from "node:assert/strict";
import test from "node:test";

import { Layout } from "../../chunking/web/text/layout.js";

const KINDS = ["paragraph", "list", "item", "strong", "table", "row", "cell", "rule", "code"];

/** A layout of elements [kind, start, end, depth, level, title] and substitutions [start, end, text]. */
function layout(elements, substitutions) {
  const names = ["", ...new Set([...elements.map((each) => each[5] ?? ""), ...substitutions.map((each) => each[2] ?? "")])];
  const column = (rows, of) => Int32Array.from(rows, of);
  const body = {
    elements: {
      kind: Uint8Array.from(elements, ([kind]) => KINDS.indexOf(kind)),
      start: column(elements, (each) => each[1]),
      end: column(elements, (each) => each[2]),
      depth: Uint8Array.from(elements, (each) => each[3]),
      level: column(elements, (each) => each[4] ?? 0),
      title: column(elements, (each) => (each[5] ? names.indexOf(each[5], 1) : 0)),
    },
    substitutions: {
      start: column(substitutions, (each) => each[0]),
      end: column(substitutions, (each) => each[1]),
      text: column(substitutions, (each) => (each[2] ? names.indexOf(each[2], 1) : 0)),
    },
    kind_names: KINDS, names, reflowed: false,
  };
  return new Layout(body, (offsets) => offsets);
}

/** What is visited of a part of a text, as markup: an element is a tag, words that stand for others are in braces. */
function seen(made, text, from = 0, to = text.length) {
  let found = "";
  const opened = [];
  made.walk(from, to, {
    open(kind, level, title) {
      opened.push(kind);
      found += `<${[kind, level || "", title].join(" ").trim()}>`;
    },
    close: () => (found += `</${opened.pop()}>`),
    text: (start, end, instead) => (found += instead === undefined ? text.slice(start, end) : `{${instead}}`),
  });
  assert.deepEqual(opened, []);
  return found;
}

test("marks are hidden, and words stand in their elements", () => {
  const made = layout([["paragraph", 0, 12, 0], ["strong", 4, 9, 1]], [[4, 6], [7, 9]]);
  assert.equal(seen(made, "one **b** en"), "<paragraph>one <strong>b</strong> en</paragraph>");
});

test("a part has the elements around it, and none of which it has nothing", () => {
  const text = "- one\n- two\n- three\n";
  const items = [[0, 5], [6, 11], [12, 19]].map(([start, end]) => ["item", start, end, 1]);
  const made = layout([["list", 0, 19, 0], ...items], [[0, 2], [5, 8], [11, 14], [19, 20]]);
  assert.equal(seen(made, text), "<list><item>one</item><item>two</item><item>three</item></list>");
  assert.equal(seen(made, text, 6, 12), "<list><item>two</item></list>");
  assert.equal(seen(made, text, 9, 16), "<list><item>wo</item><item>th</item></list>");
  assert.equal(seen(made, text, 5, 8), "");
  assert.equal(seen(made, text, 19, 20), "");
});

test("parts joined are the whole, wherever it is cut", () => {
  const text = "a **b** &amp; c\n***\n`d`\n";
  const made = layout(
    [["paragraph", 0, 15, 0], ["strong", 2, 7, 1], ["rule", 16, 19, 0], ["code", 20, 23, 0]],
    [[2, 4], [5, 7], [8, 13, "&"], [15, 21], [22, 24]],
  );
  const words = (shown) => shown.replace(/<[^>]*>/g, "");
  assert.equal(words(seen(made, text)), "a b {&} cd");
  for (let cut = 0; cut <= text.length; cut++) {
    assert.equal(words(seen(made, text, 0, cut)) + words(seen(made, text, cut)), "a b {&} cd");
  }
});

test("a rule is there without words", () => {
  assert.equal(seen(layout([["rule", 0, 3, 0]], [[0, 4]]), "***\n"), "<rule></rule>");
});

test("levels and titles come along", () => {
  const made = layout([["row", 0, 3, 0], ["cell", 0, 1, 1, 2, "t"], ["cell", 1, 3, 1, 3]], []);
  assert.equal(seen(made, "abc"), "<row><cell 2 t>a</cell><cell 3>bc</cell></row>");
});
