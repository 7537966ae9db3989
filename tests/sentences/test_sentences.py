from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import from_text
from chunking.sentences import KIWI, REFERENCE, RULES, SPACY, Sentences, from_units, gap_offsets, split

PIECES = [
    "# Head", "## Two ##", "Title\n=====", "- a. B c.", "  - b", "> q. R.\n> s", "```\n# no. Yes.\n```", "    code",
    "| a | b |\n|---|---|\n| 1 | 2 |", "One two. Three!", '"Go." he said.', "...", "。你好。", "(", "\f", "---", "-",
    "\0", "=====\nOver\n=====", "\ud7ff\u00a0", "\u2028x", "Mr. A. B. Smith", "x" * 50, "2. ", "ก ข " * 60,
    "가다요. 네!",
]  # fmt: skip
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES) | st.text(max_size=12), st.sampled_from(["\n", "\n\n", "\r\n", "\r", " ", ""])),
    max_size=12,
).map(lambda pairs: "".join(piece + end for piece, end in pairs))
DOCUMENTS = st.builds(
    from_text, TEXTS, format=st.sampled_from(["markdown", "text"]), language=st.sampled_from(["und", "de", "th", "zh"])
)


def texts(text: str, splitter: str = RULES, format_: str = "text", language: str = "en") -> list[str]:
    return list(split(from_text(text, format=format_, language=language), splitter).texts)


def check(sentences: Sentences) -> None:
    document = sentences.document
    assert sentences.spans.shape == (len(sentences), 2)
    assert sentences.spans.dtype == sentences.block.dtype == np.int64
    before = 0
    for (start, end), block in zip(sentences.spans.tolist(), sentences.block.tolist(), strict=True):
        assert before <= start < end
        assert document.text[start:end] == document.text[start:end].strip()
        assert document.blocks[block].start <= start < end <= document.blocks[block].end
        before = end
    assert np.all(np.diff(sentences.block) >= 0)


def check_offsets(sentences: Sentences) -> None:
    offsets = gap_offsets(sentences)
    assert offsets.dtype == np.int64
    assert offsets.shape == (max(len(sentences) - 1, 0),)
    assert np.all(np.diff(offsets) > 0)
    assert np.all(offsets >= sentences.spans[:-1, 1])
    assert np.all(offsets <= sentences.spans[1:, 0])


def check_prose_is_whole(sentences: Sentences) -> None:
    document = sentences.document
    inside = np.zeros(len(document.text), dtype=bool)
    for start, end in sentences.spans.tolist():
        inside[start:end] = True
    for block in document.blocks:
        if block.kind in ("paragraph", "list_item", "code"):
            for offset in range(block.content, block.end):
                char = document.text[offset]
                # A quotation's marks at the start of its further lines are no words of it.
                assert inside[offset] or char.isspace() or char == ">"


@pytest.mark.parametrize(("splitter", "count"), [(RULES, 100), (SPACY, 40), (KIWI, 40)])
def test_every_splitter_keeps_the_contract(splitter: str, count: int) -> None:
    @settings(max_examples=count, deadline=None)
    @given(DOCUMENTS)
    def keeps(document: Document) -> None:
        sentences = split(document, splitter)
        check(sentences)
        check_offsets(sentences)
        check_prose_is_whole(sentences)

    keeps()


@pytest.mark.parametrize("splitter", (SPACY, RULES))
@settings(max_examples=50, deadline=None)
@given(TEXTS.filter(lambda text: "ก" not in text))
def test_crlf_gives_the_sentences_of_lf(splitter: str, text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = texts(text, splitter, "markdown")
    windows = texts(text.replace("\n", "\r\n"), splitter, "markdown")
    assert [found.replace("\r\n", "\n") for found in windows] == plain


MARKDOWN = """# Title #

Intro one. Intro two.

- first. Still first.
- second

| a. b | c |
|------|---|
| 1. 2 | 3 |

> quoted one
> goes on. Quoted two.

```
x. y. Z.

w
```

[ref]: http://example.com
***
C#
--
End
"""


@pytest.mark.parametrize("splitter", (SPACY, RULES))
def test_blocks_are_never_run_together(splitter: str) -> None:
    assert texts(MARKDOWN, splitter, "markdown") == [
        "Title",
        "Intro one.",
        "Intro two.",
        "first.",
        "Still first.",
        "second",
        "| a. b | c |",
        "| 1. 2 | 3 |",
        "quoted one\n> goes on.",
        "Quoted two.",
        "```\nx. y. Z.\n\nw\n```",
        "C#",
        "End",
    ]


def test_marks_of_a_quotation_are_in_no_sentence_of_their_own() -> None:
    text = (
        "> One ends\n> here.\n> > Two.\n> > Three.\n>\n> - four.\n>   Five.\n>\n> | a | b |\n> |---|---|\n> | c | d |\n"
    )
    found = texts(text, format_="markdown")
    assert found == ["One ends\n> here.", "Two.", "Three.", "four.", "Five.", "| a | b |", "| c | d |"]


def test_cuts_leave_markers_with_what_follows() -> None:
    document = from_text(MARKDOWN, language="de")
    offsets = gap_offsets(split(document))
    pieces = [MARKDOWN[start:end] for start, end in pairwise([0, *offsets.tolist(), len(MARKDOWN)])]
    assert pieces == [
        "# Title #\n\n",
        "Intro one. ",
        "Intro two.\n\n",
        "- first. ",
        "Still first.\n",
        "- second\n\n",
        "| a. b | c |\n|------|---|\n",
        "| 1. 2 | 3 |\n\n",
        "> quoted one\n> goes on. ",
        "Quoted two.\n\n",
        "```\nx. y. Z.\n\nw\n```\n\n[ref]: http://example.com\n***\n",
        "C#\n--\n",
        "End\n",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\f", "\v", "\u2028"])
def test_cuts_know_every_line_end(end: str) -> None:
    text = f"One.{end}  Two."
    sentences = Sentences(from_text(text, format="text", language="de"), np.array([[0, 4], [len(text) - 4, len(text)]]),
                          np.array([0, 0]), RULES)  # fmt: skip
    assert gap_offsets(sentences).tolist() == [4 + len(end)]


def test_an_overline_goes_with_its_title() -> None:
    text = "Before.\n\n=====\nTitle\n=====\n\nAfter.\n"
    offsets = gap_offsets(split(from_text(text, format="text", language="de")))
    assert [text[offset:].split("\n")[0] for offset in offsets.tolist()] == ["=====", "After."]


def test_stray_punctuation_joins_a_neighbour() -> None:
    assert texts("Gone. ) ... Yes.", RULES) == ["Gone. ) ...", "Yes."]
    assert texts("... !!", RULES) == ["... !!"]
    assert texts("First do this. 2. Then do that.", SPACY) == ["First do this.", "2. Then do that."]


@pytest.mark.parametrize("text", ["", " \n\t ", "#\n", "---\n"])
@pytest.mark.parametrize("splitter", (SPACY, RULES))
def test_documents_without_sentences(text: str, splitter: str) -> None:
    sentences = split(from_text(text, language="en"), splitter)
    check(sentences)
    assert len(sentences) == len(gap_offsets(sentences)) == 0


@pytest.mark.parametrize("splitter", (SPACY, RULES, KIWI))
@pytest.mark.parametrize("unit", ["a", "가", "ㅋ", "(", "😀", ".", "!)", "「", " ", "-"])
def test_endless_lines_are_one_sentence(splitter: str, unit: str) -> None:
    text = f"{unit * 200_000}x" if unit in " -" else unit * 200_000
    language = "ko" if splitter == KIWI else "en"
    assert texts(text, splitter, language=language) == [text.strip()]


@pytest.mark.parametrize(
    ("splitter", "sentence"),
    [
        (SPACY, "The committee, which had met in the morning, decided to wait for the report of the auditors."),
        (KIWI, "위원회는 아침에 모여 감사의 보고를 기다리기로 결정했습니다."),
    ],
)
def test_a_long_block_is_parsed_in_parts_without_a_seam(splitter: str, sentence: str) -> None:
    count = 25_000 // len(sentence)
    assert texts(" ".join([sentence] * count), splitter) == [sentence] * count


def test_a_long_block_without_stops_is_parsed_in_parts() -> None:
    words = "word " * 4_000
    joined = texts(words, SPACY)
    assert " ".join(joined).split() == words.split()
    assert len(joined) < len(words) / 400


def test_indentation_and_double_spaces_do_not_move_spans() -> None:
    text = "The contents   of it\r\n      are here.\t\tThen    comes\r\n   more.  The end   is near."
    assert texts(text, SPACY, "markdown") == [
        "The contents   of it\r\n      are here.",
        "Then    comes\r\n   more.",
        "The end   is near.",
    ]


def test_the_parser_is_not_followed_into_a_sentence() -> None:
    text = "An OpenAPI version has `major`.`minor`.`patch` parts (cf. the guide). SECTION. 2. The House meets."
    assert texts(text, SPACY)[0].endswith("(cf. the guide).")
    assert texts("It ends here.The next one starts.", SPACY) == ["It ends here.", "The next one starts."]


def test_the_language_chooses_the_splitter() -> None:
    assert split(from_text("One. Two.", language="en")).splitter == RULES
    assert split(from_text("하나다. 둘이다.", language="ko")).splitter == KIWI
    assert split(from_text("Eins. Zwei.", language="de")).splitter == RULES
    assert split(from_text("One. Two.", language="en"), SPACY).splitter == SPACY
    assert split(from_text("One. Two.", language="en"), REFERENCE).splitter == SPACY
    assert split(from_text("Eins. Zwei.", language="de"), REFERENCE).splitter == RULES
    with pytest.raises(ChunkscopeError, match="Unknown sentence splitter"):
        split(from_text("One."), "nltk")


class Stopped(Exception):
    pass


@pytest.mark.parametrize("splitter", (SPACY, RULES, KIWI))
def test_progress_reaches_the_end_and_can_stop(splitter: str) -> None:
    document = from_text("\n\n".join(["Words and words. More of them."] * 2000), language="en")
    seen: list[tuple[int, int]] = []
    split(document, splitter, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0

    def stop(done: int, total: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        split(document, splitter, stop)


UNITS = st.lists(st.text(max_size=20).filter(str.strip), max_size=8)


@given(UNITS)
def test_units_are_taken_as_they_are(units: list[str]) -> None:
    sentences = from_units(units)
    check(sentences)
    check_offsets(sentences)
    assert sentences.texts == tuple(unit.strip() for unit in units)
    assert sentences.block.tolist() == list(range(len(units)))


def test_a_blank_unit_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="Unit 1 is blank"):
        from_units(["a", " \n"])
