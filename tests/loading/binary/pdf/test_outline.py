from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from chunking.loading.binary.pdf.pdfium import document
from tests.loading.binary.pdf.making import (
    HELLO,
    OTHER,
    PROSE,
    Pen,
    check,
    drawn,
    heading,
    levels,
    load,
    of_kind,
    raw,
    shown,
    stream,
)


def with_outline(entries: Sequence[tuple[str, int]], *pages: Any) -> bytes:
    """A PDF of pages that a pen writes, with entries of an outline (title, level from 0) that all lead to the first."""

    def first(canvas: Any) -> None:
        for number, (title, level) in enumerate(entries):
            canvas.bookmarkPage(f"entry {number}")
            canvas.addOutlineEntry(title, f"entry {number}", level)
        pages[0](Pen(canvas))

    return drawn(first, *[lambda canvas, page=page: page(Pen(canvas)) for page in pages[1:]])


@pytest.mark.parametrize(
    ("title", "lines", "expected"),
    [
        ("The nine places", ["The nine places"], "The nine places"),
        ("The nine places", ["The nine", "places"], "The nine places"),
        ("The nine places", ["2.1 The nine places"], "2.1 The nine places"),
        ("2.1 The nine places", ["The nine places"], "The nine places"),
        ("II-A The nine places", ["A. The nine places"], "A. The nine places"),
        ("3: The Nine Places", ["CHAPTER THREE: The nine places"], "CHAPTER THREE: The nine places"),
        ("3: The Nine Places", ["Chapter 3", "The nine places"], "Chapter 3 The nine places"),
        ("Of the profits", ["Of the pro-", "fits"], "Of the profits"),
    ],
)
def test_a_title_in_the_outline_is_a_heading_whatever_its_type(title: str, lines: list[str], expected: str) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE, after=0).lines(lines).text(OTHER)

    parsed = load(with_outline([(title, 0)], page))
    check(parsed)
    assert levels(parsed, "heading") == [(expected, 1)]
    assert of_kind(parsed, "paragraph")[-1] == OTHER
    assert not of_kind(load(drawn(lambda canvas: page(Pen(canvas)))), "heading")


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Harbours", "harbours"),
        ("2 Harbours", "3 Harbours"),
        ("Harbours", "Harbours of the north"),
        ("Figure 1. Harbours", "Figure 1. Harbours"),
        ("Harbours. " * 40, "Harbours"),
    ],
)
def test_an_entry_that_is_not_written_on_its_page_makes_no_heading(title: str, line: str) -> None:
    parsed = load(with_outline([(title, 0)], lambda pen: pen.text(PROSE, after=0).lines([line]).text(OTHER)))
    assert not of_kind(parsed, "heading")


def test_an_entry_leads_to_its_page_or_the_next() -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).lines(["Harbours"]).text(OTHER)

    parsed = load(with_outline([("Harbours", 0)], lambda pen: pen.text(PROSE), page, page))
    assert [parsed.text.count("\f", 0, block.start) for block in parsed.blocks if block.kind == "heading"] == [1]


@pytest.mark.parametrize("has_title", [False, True])
def test_a_running_head_is_the_title_where_the_outline_leads_to_it(has_title: bool) -> None:
    title = "Harbours of the north"

    def page(text: str) -> Any:
        return lambda pen: Pen(pen.canvas, top=40).lines([title]) and pen.text(text)

    def first(pen: Pen) -> None:
        page(PROSE)(pen)
        pen.skip(20).lines([title] if has_title else [], 20).skip(10).text(OTHER)

    others = [page(text) for text in (OTHER, PROSE + OTHER, OTHER + PROSE, PROSE + PROSE)]
    parsed = load(with_outline([(title, 0)], first, *others))
    assert of_kind(parsed, "heading") == [title]
    assert [aside.part for aside in parsed.aside] == list(range(not has_title, 5))


def test_levels_are_those_of_the_outline_below_the_title_and_above_what_it_lacks() -> None:
    entries = [("Harbours", 0), ("Kelby", 1), ("Kelby", 1), ("Ships", 0)]

    def page(pen: Pen) -> None:
        heading(pen, "A report on ice", 24).text(OTHER)
        for title, size in (("Harbours", 16), ("Kelby", 12.5), ("Its mole", 11), ("Kelby", 12.5), ("Ships", 16)):
            heading(pen, title, size).text("The pilots know it by the colour of the water, and wait.")
        heading(pen, "Sources", 16).text(PROSE)

    parsed = load(with_outline(entries, page))
    assert levels(parsed, "heading") == [
        ("A report on ice", 1),
        ("Harbours", 2),
        ("Kelby", 3),
        ("Its mole", 4),
        ("Kelby", 3),
        ("Ships", 2),
        ("Sources", 2),
    ]


def outlined(items: dict[int, bytes]) -> bytes:
    """A PDF of one line, with the objects of an outline that begins with object 10."""
    return raw(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> >>",
            4: stream(HELLO),
            5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            6: b"<< /Type /Outlines /First 10 0 R /Last 10 0 R /Count 1 >>",
            **items,
        }
    )


TITLE = b"/Title (Good morning from the north mole)"


@pytest.mark.parametrize(
    ("items", "kind"),
    [
        ({10: b"<< %s /Parent 6 0 R /Dest [3 0 R /Fit] >>" % TITLE}, "heading"),
        ({10: b"<< %s /Parent 6 0 R /Dest [3 0 R /Fit] /Next 10 0 R /First 10 0 R >>" % TITLE}, "heading"),
        ({10: b"<< %s /Parent 6 0 R /A << /S /GoTo /D [3 0 R /Fit] >> >>" % TITLE}, "heading"),
        ({10: b"<< %s /Parent 6 0 R >>" % TITLE}, "paragraph"),
        ({10: b"<< %s /Parent 6 0 R /Dest [99 0 R /Fit] >>" % TITLE}, "paragraph"),
        ({10: b"<< /Title <FEFFD800> /Parent 6 0 R /Dest [3 0 R /Fit] >>"}, "paragraph"),
        ({10: b"<< /Parent 6 0 R /Dest [3 0 R /Fit] >>"}, "paragraph"),
        ({}, "paragraph"),
    ],
    ids=["plain", "a loop", "by action", "to nowhere", "to no page", "half a character", "without a title", "empty"],
)
def test_odd_outlines(items: dict[int, bytes], kind: str) -> None:
    assert shown(load(outlined(items))) == [(kind, "Good morning from the north mole")]


@pytest.mark.parametrize(("limit", "value"), [("MAX_OUTLINE_ENTRIES", 1), ("MAX_OUTLINE_BYTES", 29)])
def test_an_outline_is_read_up_to_its_limits(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).lines(["Harbours"]).text(OTHER).lines(["Ships"]).text(PROSE)

    data = with_outline([("Harbours", 0), ("Ships", 0)], page)
    assert of_kind(load(data), "heading") == ["Harbours", "Ships"]
    monkeypatch.setattr(document, limit, value)
    assert of_kind(load(data), "heading") == ["Harbours"]
