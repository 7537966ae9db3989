from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import from_text, sentences, strategies
from chunking.document import BLOCK_KINDS, Block, BlockKind, Document, Style
from chunking.signals import features, layout
from chunking.signals.features import FEATURES, Structure
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis

NAMES = [feature.name for feature in FEATURES["layout"]]

TEXT = """# Tea

Boil the water. Wait.

You need:

- leaves
- water

| a | b |
|---|---|
| 1 | 2 |



## Green

> Mild.

```sh
# not a heading
```
"""


@pytest.fixture(scope="module")
def gaps() -> dict[tuple[str, str], dict[str, float]]:
    """The features that are not zero, by the two sentences of the gap."""
    units = sentences.split(from_text(TEXT, language="und"))
    values = layout.values(units)
    return {
        (left, right): {name: value for name, value in zip(NAMES, row, strict=True) if value}
        for left, right, row in zip(units.texts, units.texts[1:], values.tolist(), strict=False)
    }


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Tea", "Boil the water.", {"paragraph": 1, "after_heading": 1}),
        ("Boil the water.", "Wait.", {}),
        ("Wait.", "You need:", {"paragraph": 1}),
        ("You need:", "leaves", {"paragraph": 1, "lead_in": 1, "inset": 1}),
        ("leaves", "water", {"paragraph": 0.6, "together": 1}),
        ("water", "| a | b |", {"paragraph": 1, "list_edge": 1, "table_edge": 1}),
        ("| a | b |", "| 1 | 2 |", {"together": 1}),
        ("| 1 | 2 |", "Green", {"paragraph": 1, "heading": 1, "spacing": 1, "table_edge": 1}),
        ("Green", "Mild.", {"paragraph": 1, "after_heading": 1}),
        ("Mild.", "```sh\n# not a heading\n```", {"paragraph": 1, "quote_edge": 1, "inset": 1}),
    ],
)
def test_features_see_what_stands_between(
    gaps: dict[tuple[str, str], dict[str, float]], left: str, right: str, expected: dict[str, float]
) -> None:
    found = gaps[left, right]
    found.pop("indentation", None)
    assert found == pytest.approx(expected)


def seen(*blocks: Block | tuple[str, Block]) -> list[dict[str, float]]:
    """The features that are not zero, by gap, of a document that is made of blocks: words and how they are laid out.

    Start and end of the blocks given are ignored; a page break has no words.
    """
    text, made = "", []
    for block in blocks:
        words, how = block if isinstance(block, tuple) else ("\f", block)
        made.append(replace(how, start=len(text), end=len(text) + len(words), content=len(text)))
        text += words + "\n\n"
    document = Document(text, tuple(made), format="pdf", language="en")
    values = layout.values(sentences.split(document, "rules"))
    return [{name: value for name, value in zip(NAMES, row, strict=True) if value} for row in values.tolist()]


def block(
    words: str,
    kind: BlockKind = "paragraph",
    level: int = 0,
    title: str = "",
    *,
    size: float | None = None,
    bold: bool = False,
    space_before: float | None = None,
) -> tuple[str, Block]:
    """A block with a style where any part of one is named: the rest of it is that of usual text."""
    styled = bold or (size, space_before) != (None, None)
    style = Style(size or 10.0, bold, False, 6.0 if space_before is None else space_before) if styled else None
    return words, Block(kind, 0, 1, level, title=title, style=style)


BODY = "This is a paragraph of the text that goes on for long enough, so that most of the document is set like it."
PAGE = Block("page_break", 0, 1)


def test_text_that_moves_back_to_the_left_counts_and_insets_do_not() -> None:
    text = "One here.\n\n        Two there.\n\nThree now.\n"
    values = layout.values(sentences.split(from_text(text, format="text", language="und")))
    assert values[:, NAMES.index("indentation")].tolist() == [0, 1]


def test_a_page_end_counts_and_the_lines_it_leaves_empty_do_not() -> None:
    text = "One here.\n\nTwo there.\n\n\n\n\n\n\fThree now.\n\nFour.\n"
    values = layout.values(sentences.split(from_text(text, format="text", language="und")))
    assert values[:, NAMES.index("page_break")].tolist() == [0, 1, 0]
    assert not values[:, NAMES.index("spacing")].any()


def test_what_goes_on_over_a_page_end_is_no_break() -> None:
    goes_on, ends = seen(block("It began on one page and"), PAGE, block("went on on the next."), PAGE, block("Then it"))
    assert goes_on == {}
    assert ends == {"paragraph": 1, "page_break": 1}


@pytest.mark.parametrize("after", [None, PAGE])
def test_a_footnote_only_interrupts(after: Block | None) -> None:
    pages = [after] if after else []
    note = block("1 A note. It has two sentences.", "footnote")
    assert seen(block("The text is cut"), note, *pages, block("here by a note."))[-3:] == [{}, {}, {}]
    fresh = seen(block("The text ends."), note, *pages, block("A paragraph."))
    assert fresh[:2] == [{}, {}]
    assert fresh[2] == {"paragraph": 1} | ({"page_break": 1} if after else {})
    title = seen(block("The text ends."), note, *pages, block("More", "heading", 1))
    assert title[2]["heading"] == 1


def test_higher_headings_speak_louder_by_their_place_in_the_document() -> None:
    for marks in (("#", "###", "######"), ("##", "###", "####")):
        text = "a\n\n{} b\n\nc\n\n{} d\n\ne\n\n{} f\n".format(*marks)
        column = layout.values(sentences.split(from_text(text, language="und")))[:, NAMES.index("heading")]
        assert column[[0, 2, 4]] == pytest.approx([1.0, 0.75, 0.5])


def test_a_subtitle_belongs_to_its_title_and_an_empty_section_to_nothing() -> None:
    text = "a\n\n# Title\n\n## Subtitle\n\nb\n\n## Empty\n\n## Next\n\nc\n\n### Deep\n\n## High\n\nd\n"
    units = sentences.split(from_text(text, language="und"))
    values = layout.values(units)
    found = {
        (left, right): (row[NAMES.index("heading")] > 0, row[NAMES.index("after_heading")] > 0)
        for left, right, row in zip(units.texts, units.texts[1:], values, strict=False)
    }
    assert found["Title", "Subtitle"] == (False, True)
    assert found["Subtitle", "b"] == (False, True)
    assert found["Empty", "Next"] == (True, False)
    assert found["Deep", "High"] == (True, False)


def test_a_short_line_in_larger_or_bold_type_opens_what_follows() -> None:
    usual = block(BODY, size=10)
    for size, bold, step in ((15, False, 1.0), (10, True, 0.5), (11, False, 0.235)):
        before, after = seen(usual, block("A line apart", size=size, bold=bold), usual)
        assert before == pytest.approx({"paragraph": 1, "font_step": step}, abs=1e-3)
        assert after == pytest.approx({"paragraph": 1, "after_heading": step}, abs=1e-3)


def test_small_type_long_bold_text_and_captions_are_no_titles() -> None:
    usual = block(BODY, size=10)
    small = block("In small type", size=8)
    long = block(BODY + " " + BODY[:-1], size=10, bold=True)
    for other in (small, long, block("Table 1", "caption", size=12)):
        for gap in seen(usual, usual, other, usual):
            assert not {"font_step", "after_heading"} & gap.keys()


def test_bold_says_nothing_where_all_is_bold() -> None:
    assert seen(block(BODY, bold=True), block("A line", bold=True), block(BODY, bold=True)) == [{"paragraph": 1}] * 2


def test_space_is_measured_against_the_documents_own() -> None:
    usual = [block(BODY, space_before=6)] * 3
    gaps = seen(
        *usual, block("A line apart", space_before=30), block(BODY, space_before=6), block(BODY, space_before=18)
    )
    assert [gap.get("spacing", 0) for gap in gaps] == pytest.approx([0, 0, 1, 0, 0.5])
    assert [gap.get("after_heading", 0) for gap in gaps] == pytest.approx([0, 0, 0, 1, 0])
    assert all("spacing" not in gap for gap in seen(*[block(BODY, space_before=30)] * 4))
    assert "spacing" not in seen(*usual, block(BODY, space_before=-1))[-1]


def test_a_line_apart_that_ends_in_a_stop_is_no_title() -> None:
    usual = block(BODY, space_before=6)
    gaps = seen(usual, usual, block("A short sentence.", space_before=30), usual)
    assert "after_heading" not in gaps[-1]


@pytest.mark.parametrize(
    "words", ["3.2 Scope", "§ 4 Fees", "4. The fee is due.", "(a) a fee", "IV. Fees", "§4.1. Fees"]
)
def test_paragraphs_with_a_number_of_their_own(words: str) -> None:
    assert seen(block("The text."), block(words))[0] == {"paragraph": 1, "numbering": 1}


@pytest.mark.parametrize(
    "words", ["3 men came.", "B. Smith came.", "6.4 .", "I. came", "2020 was dry.", "3.5 % of it", "(he)"]
)
def test_paragraphs_with_another_number_or_none(words: str) -> None:
    assert "numbering" not in seen(block("The text."), block(words))[0]


def test_speakers_count_where_both_are_known_and_differ() -> None:
    turns = [block(words, "speaker_turn", title=who) for words, who in (("Yes.", "Ann"), ("No.", "Bo"), ("So.", "Bo"))]
    assert [gap.get("speaker", 0) for gap in seen(*turns, block("They went."))] == [1, 0, 0]


@pytest.mark.parametrize("kind", ["table", "code"])
def test_captions_belong_to_what_they_are_of(kind: BlockKind) -> None:
    shown, caption = block("x = 1", kind), block("Figure 1", "caption")
    assert seen(caption, shown)[0]["together"] == 1
    assert seen(shown, caption)[0]["together"] == 1
    assert "together" not in seen(caption, block("The text."))[0]


def test_a_list_binds_where_it_begins_and_parts_where_it_ends() -> None:
    begins, inside, ends = seen(
        block("They are"), block("one", "list_item", 1), block("two", "list_item", 1), block("The text.")
    )
    assert begins["inset"] == 1 and "list_edge" not in begins
    assert inside["together"] == 1
    assert ends["list_edge"] == 1 and "inset" not in ends


STYLES = st.none() | st.builds(
    Style,
    st.sampled_from([0.0, 8.0, 10.0, 12.0, 30.0]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([-1.0, 0.0, 6.0, 200.0]),
    st.sampled_from([0.0, 12.0, 400.0]),
)
BLOCKS = st.builds(
    lambda words, kind, level, who, style: (
        words,
        Block(kind, 0, 1, level if kind in ("heading", "list_item", "quote") else 0, title=who, style=style),
    ),
    st.sampled_from(["a", "It is.", "So:", "1.2 Scope", "and on", "Two are. Here.", "x" * 200]),
    st.sampled_from([kind for kind in BLOCK_KINDS if kind != "page_break"]),
    st.integers(1, 9),
    st.sampled_from(["", "Ann", "Bo"]),
    STYLES,
)


@given(st.lists(BLOCKS | st.just(PAGE), max_size=12))
def test_every_feature_lies_between_0_and_1(blocks: list[Block | tuple[str, Block]]) -> None:
    for gap in seen(*blocks):
        assert all(0 < value <= 1 for value in gap.values())
        assert not {"heading", "after_heading"} <= gap.keys()


def warned(document: Document) -> str:
    units = sentences.split(document, "rules")
    workspace = DocumentAnalysis(document, precomputed=(units, np.eye(len(units), 64, dtype=np.float32)))
    return " ".join(strategies.run("structural", workspace, StructuralParameters(structure="layout")).warnings)


def paragraphs(between: Sequence[str]) -> Document:
    """A document of paragraphs of one sentence each, with what stands between them."""
    text, blocks = "", []
    for number, space in enumerate([*between, ""]):
        words = f"This is sentence number {number}."
        blocks.append(Block("paragraph", len(text), len(text) + len(words)))
        text += words + space
    return Document(text, tuple(blocks), language="en")


def test_a_document_without_layout_is_told() -> None:
    one = " ".join(f"This is sentence number {number}." for number in range(20))
    for document in (paragraphs(["\n\n"] * 20), from_text(one, format="text", language="en")):
        assert "has no layout" in warned(document)
    some = warned(paragraphs(["\n\n"] * 20 + ["\n"]))
    assert "has little effect" in some
    assert "has no layout" not in some


def test_layout_at_a_single_gap_is_enough() -> None:
    one = " ".join(f"This is sentence number {number}." for number in range(20))
    for text in (one + "\n\nA new paragraph.", one.replace(". ", ".\n\n") + "\n\nIt is this:\n\nA thing."):
        told = warned(from_text(text, format="text", language="en"))
        assert "no layout" not in told
        assert "has little effect" not in told


def test_windows_line_ends_give_the_same_layout() -> None:
    plain = layout.values(sentences.split(from_text(TEXT, language="und")))
    windows = layout.values(sentences.split(from_text(TEXT.replace("\n", "\r\n"), language="und")))
    assert np.array_equal(plain, windows)


@pytest.mark.parametrize("text", ["", "One sentence."])
def test_no_gap_no_features(text: str) -> None:
    units = sentences.split(from_text(text, language="und"))
    for name in features.FEATURE_SETS:
        assert features.measure(units, name).values.shape == (0, len(FEATURES[name]))


def test_the_reference_distance_is_rescaled_from_what_its_weights_leave() -> None:
    alike = Structure("reference", np.zeros((1, 10)))
    apart = Structure("reference", np.ones((1, 10)))
    assert alike.raw()[0] == pytest.approx(0.18)
    assert apart.raw()[0] == pytest.approx(1.0)
    assert alike.distances()[0] == 0
    assert apart.distances()[0] == pytest.approx(1)


@pytest.mark.parametrize("name", features.FEATURE_SETS)
def test_shares_add_up_and_features_can_be_switched_off(name: features.FeatureSet) -> None:
    values = np.random.default_rng(3).random((40, len(FEATURES[name])))
    known = Structure(name, values)
    off = (FEATURES[name][0].name, FEATURES[name][3].name)
    for without in ((), off, tuple(feature.name for feature in FEATURES[name])):
        assert np.clip(known.shares(without).sum(axis=1), 0, 1) == pytest.approx(known.distances(without))
        assert known.gap_shares(7, without) == pytest.approx(known.shares(without)[7])
    assert not known.shares(off)[:, [0, 3]].any()
    assert not np.allclose(known.distances(off), known.distances())
