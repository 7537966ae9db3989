from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.loading.parsed import Parsed
from tests.examples import examples
from tests.loading.binary.pdf.making import HEIGHT, WIDTH, Pen, check, drawn, load, wrapped

LEXICON = (
    "ice boat pilot harbour mole winter clerk stamp rope lamp wind north morning measure nine water stone book "
    "Kelby Ambrose The A In 1911 42 (see below) co-op"
)
WORDS = st.sampled_from(LEXICON.split(" "))
PARAGRAPHS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)
SIZES = st.sampled_from([7.0, 9.0, 11.0, 16.0])
FONTS = st.sampled_from(["Times-Roman", "Times-Bold", "Times-Italic", "Courier", "Helvetica"])
PART = st.tuples(PARAGRAPHS, SIZES, FONTS, st.floats(0, 40), st.floats(0, 30))
PAGE = st.tuples(st.integers(1, 3), st.lists(PART, max_size=7), st.booleans(), st.sampled_from([0, 90, 180, 270]))


def draw_page(number: int, columns: int, parts: list[Any], running: bool, rotation: int) -> tuple[Any, list[str]]:
    """A function that draws a page, and the words that it draws."""
    words: list[str] = []
    width = 460 / columns - 20
    plan: list[tuple[float, float, float, str, list[str]]] = []
    y = [80.0] * columns
    for place, (text, size, font, indent, after) in enumerate(parts):
        column = place % columns
        lines = wrapped(text, width - indent, size, font)
        if y[column] + len(lines) * size * 1.25 > 760:
            continue
        plan.append((72 + column * (width + 20) + indent, y[column], size, font, lines))
        words.extend(" ".join(lines).split())
        y[column] += len(lines) * size * 1.25 + after
    if running:
        words.extend(["Measures", "of", "ice", str(number + 1)])

    def draw(canvas: Any) -> None:
        canvas.setPageSize((WIDTH, HEIGHT))
        if rotation % 180:
            # reportlab turns the sheet along with it.
            canvas.setPageSize((HEIGHT, WIDTH))
        canvas.setPageRotation(rotation)
        for x, top, size, font, lines in plan:
            Pen(canvas, x, top).lines(lines, size, font)
        if running:
            canvas.setFont("Times-Roman", 8)
            canvas.drawString(72, HEIGHT - 40, "Measures of ice")
            canvas.drawString(500, HEIGHT - 40, str(number + 1))

    return draw, words


def letters(texts: list[str]) -> Counter[str]:
    """How often each character is there, hyphens apart, which may be joined away at line ends."""
    return Counter(char for text in texts for char in text if not char.isspace() and char not in "-|")


def everything(parsed: Parsed) -> list[str]:
    return [parsed.text, *[aside.text for aside in parsed.aside]]


@settings(max_examples=examples(120))
@given(st.lists(PAGE, min_size=1, max_size=5))
def test_nothing_is_lost_and_nothing_is_there_twice(plans: list[Any]) -> None:
    pages = [draw_page(number, *plan) for number, plan in enumerate(plans)]
    words = [word for _, own in pages for word in own]
    if not words:
        return
    parsed = load(drawn(*[draw for draw, _ in pages]))
    check(parsed)
    assert letters(everything(parsed)) == letters(words)
    assert parsed.pages and len(parsed.pages) == len(plans)


@settings(max_examples=60)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=6), st.sampled_from([200.0, 320.0, 460.0]), st.booleans())
def test_the_same_bytes_give_the_same_result(texts: list[str], width: float, bold: bool) -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas, width=width)
        for text in texts:
            pen.text(text, font="Times-Bold" if bold else "Times-Roman")

    data = drawn(page)
    one, other = load(data), load(data)
    assert one.text == other.text and one.blocks == other.blocks and one.aside == other.aside
    assert one.pages and other.pages and (one.pages.boxes == other.pages.boxes).all()


@settings(max_examples=60)
@given(st.lists(st.lists(WORDS, min_size=30, max_size=60).map(" ".join), min_size=1, max_size=5))
def test_spaced_paragraphs_come_back_word_by_word(texts: list[str]) -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas)
        for text in texts:
            pen.text(f"Begin {text} end.", after=12)

    parsed = load(drawn(page))
    assert [parsed.text[block.start : block.end] for block in parsed.blocks] == [f"Begin {text} end." for text in texts]


@settings(max_examples=40)
@given(st.lists(WORDS, min_size=40, max_size=90).map(" ".join), st.lists(WORDS, min_size=40, max_size=90).map(" ".join))
def test_two_columns_are_read_one_after_the_other(left: str, right: str) -> None:
    def page(canvas: Any) -> None:
        for x, text in ((60, f"Left {left} stop."), (320, f"Right {right} stop.")):
            Pen(canvas, x, width=215).text(text)

    parsed = load(drawn(page))
    found = " ".join(parsed.text.split())
    assert found in (f"Left {left} stop. Right {right} stop.",)
