from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, TEXT_FORMATS, from_text, load
from tests.examples import examples
from tests.fuzz import mutate
from tests.loading.checks import check_document

PIECES = [
    "# Head", "## Two ##", "Title\n=====", "Title\n-----", "1. one", "1.1 Two", "- a", "  - b", "   * c", "> q",
    "> > r", "```\n# no\n```", "    code", "| a | b |\n|---|---|\n| 1 | 2 |", "CAPS HERE", "Text on. And on.", "---",
    "\f", "+--+\n|  |\n+--+", "ANN: hi\nBOB: yo", "<div>x</div>", "<!-- c -->", "[a]: http://x", "(a) item", "so::",
    "a   b   c\nd   e   f", "-", ">", "\0", "\u00a0", "\u2028", "é\tß", "*****", "~~~", "Part IV", "x" * 160,
]  # fmt: skip
ENDS = st.sampled_from(["\n", "\n\n", "\r\n", "\r", "\n \n", ""])


def tokens(format_: str) -> list[str]:
    """What a text of a format may stumble over."""
    return [token.decode("utf-8", "replace") for token in mutate.TOKENS.get(format_, mutate.TOKENS["program"])]


def texts(pieces: list[str]) -> st.SearchStrategy[str]:
    """Return texts of some pieces and any characters, with line ends after them."""
    pairs = st.tuples(st.sampled_from(pieces) | st.text(max_size=12), ENDS)
    return st.lists(pairs, max_size=14).map(lambda chosen: "".join(piece + end for piece, end in chosen))


DOCUMENTS = texts(PIECES)


@pytest.mark.parametrize("format_", TEXT_FORMATS)
@given(st.data())
@settings(max_examples=examples(400))
def test_blocks_are_in_order_and_keep_their_contract(format_: str, data: st.DataObject) -> None:
    text = data.draw(st.one_of(DOCUMENTS, texts(tokens(format_)), texts([*PIECES, *tokens(format_)])))
    check_document(from_text(text, format=format_, language="en"))


@pytest.mark.parametrize("format_", [name for name in TEXT_FORMATS if not FORMATS[name].language])
def test_many_of_one_mark_are_read(format_: str) -> None:
    for token in tokens(format_):
        check_document(from_text(token * 5_000, format=format_, language="en"))


@given(DOCUMENTS)
def test_plain_text_loses_no_word(text: str) -> None:
    document = from_text(text, format="text", language="en")
    inside = {offset for block in document.blocks for offset in range(block.start, block.end)}
    assert all(offset in inside for offset, char in enumerate(document.text) if char.isalnum())


@pytest.mark.parametrize("format_", TEXT_FORMATS)
@given(DOCUMENTS.map(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")), st.sampled_from(["\r\n", "\r"]))
@settings(max_examples=examples(300, quick=10))
def test_line_endings_do_not_change_the_structure(format_: str, text: str, end: str) -> None:
    def shape(document: Document) -> list[tuple[str, int, str, str]]:
        def lines(start: int, stop: int) -> str:
            return document.text[start:stop].replace(end, "\n")

        return [
            (block.kind, block.level, lines(block.start, block.content), lines(block.content, block.end))
            for block in document.blocks
        ]

    plain = from_text(text, format=format_, language="en")
    other = from_text(text.replace("\n", end), format=format_, language="en")
    assert shape(plain) == shape(other)


@pytest.mark.parametrize(
    ("name", "format_"),
    [("a.md", "markdown"), ("A.MARKDOWN", "markdown"), ("a.txt", "text"), ("a", "text"), ("notes.xyz", "text")],
)
def test_the_suffix_says_the_format(name: str, format_: str) -> None:
    document = load(b"# Tea\n\nBoil water.\n", name)
    assert (document.format, document.name) == (format_, name)
    assert (document.blocks[0].kind == "heading") == (format_ == "markdown")


def test_every_text_format_keeps_its_text() -> None:
    for name in TEXT_FORMATS:
        for suffix in FORMATS[name].suffixes:
            assert load("Grüße.".encode(), "x" + suffix).text == "Grüße."


def test_no_suffix_belongs_to_two_formats() -> None:
    suffixes = [suffix for format in FORMATS.values() for suffix in format.suffixes]
    assert len(suffixes) == len(set(suffixes))


def test_notes_do_not_change_what_a_document_is() -> None:
    assert load("Grüße aus Köln".encode("cp1252"), "a.txt", "de") == load("Grüße aus Köln".encode(), "a.txt", "de")


@pytest.mark.parametrize(("given_", "code"), [("EN", "en"), ("pt-BR", "pt"), ("zh_Hans", "zh"), (" ko ", "ko")])
def test_a_given_language_is_taken(given_: str, code: str) -> None:
    assert from_text("abc", language=given_).language == code


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ChunkscopeError, match="language code"):
        from_text("abc", language="English please")
    with pytest.raises(ChunkscopeError, match="not a text format"):
        from_text("abc", format="docx")


def test_code_does_not_decide_the_language() -> None:
    code = "```python\nfor item in range(10):\n    print(item, 'the value of the item')\n```\n" * 10
    assert from_text(f"Это короткий русский текст о погоде.\n\n{code}").language == "ru"
