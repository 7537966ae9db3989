from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.loading import from_text
from chunking.loading.text.markdown.marks import MAX_NESTING
from tests.examples import examples

Shapes = list[tuple[str, int, str]]

MARKS = (
    "!!! note", '??? tip "Title"', '=== "Tab"', ":::note", "::::", ":::{figure} a.png", "```{note} T", "```",
    "~~~{table}",     "/// tip | T", "///", "{{< x >}}", "{{% /x %}}", "{% raw %}",
    "{/* a", "*/}", "<Tab a={1}>", "</Tab>", "import 'a'",
    "[^1]: note", ": definition", "<table>", "</table>", "> [!NOTE]", ":key: value", "- item", "# heading", "word", "",
)  # fmt: skip


def shapes(text: str) -> Shapes:
    document = from_text(text, language="en", format="markdown")
    return [(block.kind, block.level, text[block.content : block.end]) for block in document.blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "!!! note\n    One\n    line.\n\n    - item\n\n    Last.\nAfter.\n",
            [
                ("paragraph", 0, "One\n    line."),
                ("list_item", 1, "item"),
                ("paragraph", 0, "Last."),
                ("paragraph", 0, "After."),
            ],
            id="admonition",
        ),
        pytest.param(
            'Above\n??? tip "In short"\n\n    Text.\n\n        code\n\n    !!! danger inline end\n        Deep.\n',
            [
                ("paragraph", 0, "Above"),
                ("paragraph", 0, "In short"),
                ("paragraph", 0, "Text."),
                ("code", 0, "code"),
                ("paragraph", 0, "Deep."),
            ],
            id="admonition-with-title",
        ),
        pytest.param(
            '1. Step\n\n    === "Linux"\n\n        Run it.\n\n    ===+ "Mac"\n\n        | a |\n        |---|\n',
            [
                ("list_item", 1, "Step"),
                ("list_item", 1, "Linux"),
                ("list_item", 1, "Run it."),
                ("list_item", 1, "Mac"),
                ("table", 0, "| a |\n        |---|"),
            ],
            id="tabs-in-an-item",
        ),
        pytest.param(
            "# H\n{: .no_toc }\n\n[TOC]\n\n1. Step\n{: #first }\n\nText.\n{ .annotate }\n\n[[toc]]\n\n{a} stays",
            [("heading", 1, "H"), ("list_item", 1, "Step"), ("paragraph", 0, "Text."), ("paragraph", 0, "{a} stays")],
            id="attributes-and-contents",
        ),
        pytest.param(
            '(label)=\n# H\n\n--8<-- "a.md"\n\n<<< @/b.js\n\nText.\n{class="x"}\n\n(not one)\n',
            [("heading", 1, "H"), ("paragraph", 0, "Text."), ("paragraph", 0, "(not one)")],
            id="labels-and-files",
        ),
        pytest.param(
            "<Tabs>\n  <Tab>\n    ```sh\n    # none\n\n    open\n    ```\n  </Tab>\n  <Tab>\n\n        - item\n"
            "  </Tab>\n</Tabs>\n\n    code\n",
            [
                ("code", 0, "```sh\n    # none\n\n    open\n    ```"),
                ("list_item", 1, "item"),
                ("code", 0, "code"),
            ],
            id="fences-in-components",
        ),
        pytest.param(
            "/// warning | Careful\n    open: true\n\nBody.\n\n///\n\nAfter.\n",
            [("paragraph", 0, "Careful"), ("paragraph", 0, "Body."), ("paragraph", 0, "After.")],
            id="slashes",
        ),
        pytest.param(
            ":::tip[My *title*]{.x}\nOne.\n:::\n\n::: warning Mind this\n\n- two\n\n:::\n\n"
            "::::: {.callout} :::::\nThree.\n:::::\n",
            [
                ("paragraph", 0, "My *title*"),
                ("paragraph", 0, "One."),
                ("paragraph", 0, "Mind this"),
                ("list_item", 1, "two"),
                ("paragraph", 0, "Three."),
            ],
            id="colons",
        ),
        pytest.param(
            ":::{figure} a.png\n:alt: x\n\nCaption.\n:::\n\n:::{code} py\n# no heading\n:::\n\n"
            "::: package.module\n    options:\n",
            [("paragraph", 0, "Caption."), ("code", 0, ":::{code} py\n# no heading\n:::")],
            id="directives-in-colons",
        ),
        pytest.param(
            "````{note} Title\n:class: x\n\nText.\n\n```{tip}\n- item\n```\n````\n\n"
            "```{python}\nx = 1\n```\n\n```{toctree}\na\n```\n",
            [
                ("paragraph", 0, "Title"),
                ("paragraph", 0, "Text."),
                ("list_item", 1, "item"),
                ("code", 0, "```{python}\nx = 1\n```"),
            ],
            id="directives-in-fences",
        ),
        pytest.param(
            "> [!NOTE]\n> Text.\n\n> [!tip]- Folded\n\n> [!WARNING]\n>\n> - item\n\n> [link]\n",
            [("quote", 1, "Text."), ("quote", 1, "Folded"), ("list_item", 1, "item"), ("quote", 1, "[link]")],
            id="alerts",
        ),
        pytest.param(
            "{{< note >}}\nHugo.\n{{< /note >}}\n\n"
            '{{% tab name="a" %}}\n- b\n{{% /tab %}}\n{% include x.html %}\nLast.\n',
            [("paragraph", 0, "Hugo."), ("list_item", 1, "b"), ("paragraph", 0, "Last.")],
            id="shortcodes",
        ),
        pytest.param(
            "{{< highlight go >}}\n# no heading\n\n{{< /highlight >}}\n\n{% highlight c %}\nx\n{% endhighlight %}\n",
            [
                ("code", 0, "{{< highlight go >}}\n# no heading\n\n{{< /highlight >}}"),
                ("code", 0, "{% highlight c %}\nx\n{% endhighlight %}"),
            ],
            id="shortcodes-of-code",
        ),
        pytest.param(
            "import A from '@a'\n\nexport const b = {\n\n  c: 1,\n};\n\n# Title\n\n{/* a\n\n"
            "comment */}\n\nimport it from home.\n",
            [
                ("code", 0, "import A from '@a'"),
                ("code", 0, "export const b = {\n\n  c: 1,\n};"),
                ("heading", 1, "Title"),
                ("paragraph", 0, "import it from home."),
            ],
            id="imports",
        ),
        pytest.param(
            "<Tabs\n  values={[{label: 'a'}]}\n>\n<TabItem value=\"a\">\n\n    Text.\n\n"
            "</TabItem>\n</Tabs>\n\n    code\n\nPress\n<Enter>\n",
            [("paragraph", 0, "Text."), ("code", 0, "code"), ("paragraph", 0, "Press\n<Enter>")],
            id="components",
        ),
        pytest.param(
            "Term\n: First\n  line.\n\n    More.\n\n: - item\n\nTwo words\n\n:   Second.\n\nText: no term.\n",
            [
                ("list_item", 1, "Term"),
                ("list_item", 2, "First\n  line."),
                ("list_item", 2, "More."),
                ("list_item", 2, "item"),
                ("list_item", 1, "Two words"),
                ("list_item", 2, "Second."),
                ("paragraph", 0, "Text: no term."),
            ],
            id="definitions",
        ),
        pytest.param(
            "A claim.[^1]\n\n[^1]: word\nlazy\n[^long]:\n    Two\n    lines.\n\n    More.\n\nAfter.\n",
            [
                ("paragraph", 0, "A claim.[^1]"),
                ("footnote", 0, "word\nlazy"),
                ("footnote", 0, "Two\n    lines."),
                ("footnote", 0, "More."),
                ("paragraph", 0, "After."),
            ],
            id="footnotes",
        ),
        pytest.param(
            "!!! Stop that!\n\n=== Results ===\n\n??? what\n\n// comment\n\n:tada: done\n\n{{ name }}\n\n<https://a.b>\n",
            [
                ("paragraph", 0, "!!! Stop that!"),
                ("paragraph", 0, "=== Results ==="),
                ("paragraph", 0, "// comment"),
                ("paragraph", 0, ":tada: done"),
                ("paragraph", 0, "{{ name }}"),
                ("paragraph", 0, "<https://a.b>"),
            ],
            id="what-looks-alike",
        ),
    ],
)
def test_marks_are_marks_and_what_they_contain_is_markdown(text: str, expected: Shapes) -> None:
    assert shapes(text) == expected


def test_a_mark_without_title_belongs_to_the_block_below_it() -> None:
    text = "!!! note\n\n    Text.\n\n{{< x >}}\n# Title\n"
    spans = [text[block.start : block.end] for block in from_text(text, format="markdown").blocks]
    assert spans == ["!!! note\n\n    Text.", "# Title"]


@pytest.mark.parametrize("mark", ["!!! note", "```{note}", "[^1]: x", "Term\n: definition"])
def test_deep_nesting_loses_no_words(mark: str) -> None:
    depth = 3 * MAX_NESTING
    lines = [" " * 4 * level + line for level in range(depth) for line in mark.split("\n")]
    text = "\n".join([*lines, " " * 4 * depth + "deep"])
    assert any("deep" in text[block.start : block.end] for block in from_text(text, format="markdown").blocks)


@given(st.lists(st.tuples(st.sampled_from(["", "  ", "    ", "> ", "- ", "\t"]), st.sampled_from(MARKS)), max_size=30))
@settings(max_examples=examples(1_000))
def test_blocks_are_in_order_whatever_the_marks(lines: list[tuple[str, str]]) -> None:
    text = "\n".join(indent + mark for indent, mark in lines)
    document = from_text(text, format="markdown", language="en")
    end = 0
    for block in document.blocks:
        assert end <= block.start <= block.content <= block.end <= len(text)
        end = block.end
    # Whatever the marks around it, a word is in a block, unless it is in what is code, a comment or not shown.
    if not {"{/* a", "```{note} T", "~~~{table}", "```"}.intersection(mark for _, mark in lines):
        for offset in range(len(text)):
            if text.startswith("word", offset):
                assert any(block.start <= offset < block.end for block in document.blocks)
