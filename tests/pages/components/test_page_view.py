"""What the page view finds on a page, what it draws of it, and what it believes of the browser's answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.chunks import Chunk, Cut
from chunking.document.pages import Pages
from chunking.errors import ChunkscopeError
from chunking.figures.theme import DRIVERS
from chunking.sentences import Sentences, from_units, gap_offsets
from pages.shared.components.page_view import (
    PageContent,
    PageCuts,
    PageEvent,
    PageLines,
    PageMarks,
    bands,
    on_page,
    page_event,
    page_marks,
    page_view,
)
from pages.shared.components.page_view import component as module
from pages.shared.components.page_view import shapes as page_shapes
from tests.pages.components.test_wire import unpack

EM, LINE, GLYPH, MARGIN, GUTTER = 6, 12, 10, 36, 24
"""Width of a character, pitch of the lines, height of a glyph, margins and space between columns, in points."""


def printed(text: str, width: int = 30, lines: int = 12, columns: int = 1) -> Pages:
    """Pages as a typewriter sets them, column after column; a blank line in the text is one on the page."""
    words: list[tuple[int, int]] = []
    places: list[tuple[int, int]] = []
    line = column = 0
    for match in re.finditer(r"\n\n|\S+", text):
        if match.group() == "\n\n":
            line, column = line + 2, 0
            continue
        for start in range(match.start(), match.end(), width):
            end = min(start + width, match.end())
            if column and column + end - start > width:
                line, column = line + 1, 0
            words.append((start, end))
            places.append((line, column))
            column += end - start + 1
    at = np.array(places, dtype=np.int64).reshape(-1, 2)
    spans = np.array(words, dtype=np.int64).reshape(-1, 2)
    page, inside = np.divmod(at[:, 0], lines * columns)
    across, down = np.divmod(inside, lines)
    left = MARGIN + across * (width * EM + GUTTER) + at[:, 1] * EM
    top = MARGIN + down * LINE
    boxes = np.stack([left, top, left + (spans[:, 1] - spans[:, 0]) * EM, top + GLYPH], axis=1).astype(np.float32)
    count = int(page.max(initial=0)) + 1
    size = (2 * MARGIN + columns * width * EM + (columns - 1) * GUTTER, 2 * MARGIN + lines * LINE)
    starts = np.array([spans[np.searchsorted(page, number), 0] if len(spans) else 0 for number in range(count)])
    return Pages(np.array([size] * count, dtype=np.float32), starts, spans, page, at[:, 0], boxes)


def cut_at(text: str, offsets: Sequence[int], gaps: Sequence[int | None] | None = None) -> tuple[Chunk, ...]:
    """Chunks that tile a text; their drivers take turns."""
    edges = [0, *offsets, len(text)]
    cuts = [
        Cut(offset, "distance", DRIVERS[place % len(DRIVERS)], gaps[place] if gaps else None, 0.7, 0.5)
        for place, offset in enumerate(offsets)
    ]
    return tuple(
        Chunk(index, start, end, text[start:end], end - start, None, 0, end - start, (), cut)
        for index, (start, end, cut) in enumerate(zip(edges[:-1], edges[1:], [None, *cuts], strict=True))
    )


def laid(units: Sequence[str], **how: int) -> tuple[Sentences, Pages]:
    """Sentences, a paragraph each, on pages."""
    sentences = from_units(units)
    layout = printed(sentences.document.text, **how)
    return replace(sentences, document=replace(sentences.document, pages=layout)), layout


PROSE = ("Harbours silt up slowly.", "Nobody notices for years and years.", "Then a ship runs aground at low tide.")


def rows(lines: PageLines) -> list[tuple[int, int, list[float]]]:
    return list(zip(lines.sentence.tolist(), lines.chunk.tolist(), lines.box.tolist(), strict=True))


def test_a_row_is_a_part_of_a_line_of_one_sentence_and_one_chunk() -> None:
    sentences, layout = laid(PROSE, width=20)
    offsets = gap_offsets(sentences).tolist()
    lines, cuts = on_page(0, layout, sentences, cut_at(sentences.document.text, offsets[1:], [1]))
    # "Harbours silt up" / "slowly." / blank / "Nobody notices for" …
    assert rows(lines)[:3] == [
        (0, 0, [36, 36, 36 + 16 * EM, 46]),
        (0, 0, [36, 48, 36 + 7 * EM, 58]),
        (1, 0, [36, 72, 36 + 18 * EM, 82]),
    ]
    assert cuts.row.tolist() == [rows(lines).index(next(row for row in rows(lines) if row[0] == 2))]
    assert (cuts.gap.tolist(), cuts.driver, cuts.reason) == ([1], ("semantic",), ("0.700 > 0.500",))
    assert cuts.tokens.tolist() == [len(sentences.document.text) - offsets[1]]


def test_a_word_that_a_chunk_ends_in_is_divided() -> None:
    sentences, layout = laid(["Incomprehensibilities"])
    lines, cuts = on_page(0, layout, sentences, cut_at("Incomprehensibilities", [7]))
    assert rows(lines) == [(0, 0, [36, 36, 36 + 7 * EM, 46]), (0, 1, [36 + 7 * EM, 36, 36 + 21 * EM, 46])]
    assert (cuts.row.tolist(), cuts.gap.tolist()) == ([1], [-1])


def test_a_chunk_that_goes_on_from_the_page_before_is_not_cut_again() -> None:
    sentences, layout = laid(PROSE, width=12, lines=4)
    chunks = cut_at(sentences.document.text, gap_offsets(sentences).tolist()[:1], [0])
    assert len(layout) > 2
    found = [len(on_page(page, layout, sentences, chunks)[1]) for page in range(len(layout))]
    assert sum(found) == 1
    last, cuts = on_page(len(layout) - 1, layout, sentences, chunks)
    assert set(last.chunk.tolist()) == {1}
    assert len(cuts) == 0


def test_of_chunks_in_one_another_the_innermost_has_the_words() -> None:
    text = "One two three four."
    sentences, layout = laid([text])

    def chunk(index: int, start: int, end: int, parent: int | None) -> Chunk:
        return Chunk(index, start, end, text[start:end], 1, None, 0, 1, (), Cut(start, "section"), parent=parent)

    nested = (chunk(0, 0, 13, None), chunk(1, 0, 3, 0), chunk(2, 4, 7, 0))
    lines, cuts = on_page(0, layout, sentences, nested)
    assert lines.chunk.tolist() == [1, 2, 0, -1]
    assert lines.chunk[cuts.row].tolist() == [1, 2]
    assert bands(lines).of_row.tolist()[-1] == -1


def test_what_is_in_no_sentence_is_on_the_page_all_the_same() -> None:
    sentences, layout = laid(["Mark me.", "I am one."])
    bare = replace(sentences, spans=sentences.spans + np.array([[5, 0], [0, 0]]))
    lines, _ = on_page(0, layout, bare, cut_at(sentences.document.text, []))
    assert lines.sentence.tolist() == [-1, 0, 1]


def test_a_page_without_words_and_a_document_without_chunks() -> None:
    sentences, layout = laid(["Word."])
    empty = replace(layout, sizes=np.concatenate((layout.sizes, layout.sizes)), starts=np.array([0, 5]))
    lines, cuts = on_page(1, empty, sentences, cut_at("Word.", [2]))
    assert (len(lines), len(cuts), len(bands(lines))) == (0, 0, 0)
    lines, cuts = on_page(0, empty, sentences, ())
    assert (lines.chunk.tolist(), len(cuts), len(page_marks(empty, ()))) == ([-1], 0, 0)


@pytest.mark.parametrize("page", [-1, 1])
def test_a_page_that_is_not_there_is_refused(page: int) -> None:
    sentences, layout = laid(["Word."])
    with pytest.raises(ChunkscopeError, match="no page"):
        on_page(page, layout, sentences, ())


@st.composite
def documents(draw: st.DrawFn) -> tuple[Sentences, Pages, tuple[Chunk, ...]]:
    word = st.text("abcdefgh", min_size=1, max_size=9)
    unit = st.lists(word, min_size=1, max_size=8).map(" ".join)
    units = draw(st.lists(unit, min_size=1, max_size=12))
    how = {
        "width": draw(st.integers(4, 30)),
        "lines": draw(st.integers(1, 8)),
        "columns": draw(st.integers(1, 3)),
    }
    sentences, layout = laid(units, **how)
    text = sentences.document.text
    inside = st.integers(1, max(1, len(text) - 1))
    offsets = sorted(draw(st.sets(inside, max_size=8))) if len(text) > 1 else []
    return sentences, layout, cut_at(text, offsets)


@given(documents())
def test_every_character_lies_in_a_row_of_its_sentence_and_chunk(
    made: tuple[Sentences, Pages, tuple[Chunk, ...]],
) -> None:
    sentences, layout, chunks = made
    for page in range(len(layout)):
        lines, _ = on_page(page, layout, sentences, chunks)
        assert len({*rows_as_keys(lines)}) == len(lines)
        for (start, end), box in zip(
            layout.words[layout.page == page].tolist(), layout.boxes[layout.page == page].tolist(), strict=True
        ):
            for offset in range(start, end):
                sentence = int(np.searchsorted(sentences.spans[:, 1], offset, side="right"))
                chunk = next(one.index for one in chunks if one.start <= offset < one.end)
                middle = box[0] + (offset - start + 0.5) * EM
                holds = (
                    (lines.sentence == sentence)
                    & (lines.chunk == chunk)
                    & (lines.box[:, 0] < middle)
                    & (lines.box[:, 2] > middle)
                    & (lines.box[:, 1] == box[1])
                )
                assert holds.sum() == 1


def rows_as_keys(lines: PageLines) -> list[tuple[float, ...]]:
    return [tuple(box) for box in lines.box.tolist()]


@given(documents())
def test_each_boundary_is_on_the_page_of_its_chunks_first_word(
    made: tuple[Sentences, Pages, tuple[Chunk, ...]],
) -> None:
    sentences, layout, chunks = made
    marks = page_marks(layout, chunks)
    expected = [
        (one.index, layout.of(one.start, one.end)[0])
        for one in chunks
        if one.cut and len(layout.of(one.start, one.end))
    ]
    assert marks.page.tolist() == [page for _, page in expected]
    assert ((marks.place >= 0) & (marks.place <= 1)).all()
    found = []
    drivers: list[str] = []
    for page in range(len(layout)):
        lines, cuts = on_page(page, layout, sentences, chunks)
        found += [(chunk, page) for chunk in lines.chunk[cuts.row].tolist()]
        drivers += cuts.driver
        for row in cuts.row.tolist():
            assert row == 0 or lines.chunk[row - 1] < lines.chunk[row]
    assert found == expected
    assert tuple(drivers) == marks.driver


@given(documents())
def test_bands_hold_their_rows_and_no_others(made: tuple[Sentences, Pages, tuple[Chunk, ...]]) -> None:
    sentences, layout, chunks = made
    for page in range(len(layout)):
        lines, _ = on_page(page, layout, sentences, chunks)
        shapes = bands(lines)
        assert set(shapes.of_row.tolist()) == set(range(len(shapes)))
        assert (shapes.chunk[shapes.of_row] == lines.chunk).all()
        own = shapes.box[shapes.of_row]
        assert (own[:, :2] <= lines.box[:, :2]).all()
        assert (own[:, 2:] >= lines.box[:, 2:]).all()
        middles = np.stack([lines.box[:, [0, 2]].mean(1), lines.box[:, [1, 3]].mean(1)], axis=1)
        for band, box in enumerate(shapes.box):
            within = (middles > box[:2]).all(1) & (middles < box[2:]).all(1)
            assert (lines.chunk[within] == shapes.chunk[band]).all()
            shared = np.minimum(shapes.box[:, 2:], box[2:]) - np.maximum(shapes.box[:, :2], box[:2])
            # Corners may touch by their margins.
            assert (shared.min(axis=1)[shapes.chunk != shapes.chunk[band]] <= 8).all()


def test_a_paragraph_is_one_calm_shape_as_wide_as_its_column() -> None:
    sentences, layout = laid([*PROSE, "Short."], width=20, lines=40)
    chunks = cut_at(sentences.document.text, gap_offsets(sentences).tolist()[2:], [2])
    lines, _ = on_page(0, layout, sentences, chunks)
    shapes = bands(lines)
    assert len(shapes) == 2
    assert shapes.ruled.all()
    assert shapes.box[0, [0, 2]].tolist() == shapes.box[1, [0, 2]].tolist()


def test_the_cells_of_a_row_are_one_shape() -> None:
    cells = np.array([[40, 22, 80, 32], [100, 10, 200, 20], [100, 22, 200, 32], [100, 34, 160, 44]], dtype=np.float32)
    box = np.concatenate((cells, cells + np.array([0, 40, 0, 40], dtype=np.float32)))
    shapes = bands(PageLines(np.repeat([0, 1], 4), np.repeat([0, 1], 4), box))
    assert shapes.box.tolist() == [[36, 7.5, 204, 47], [36, 47, 204, 86.5]]
    assert shapes.ruled.all()


def test_a_chunk_that_ends_amid_a_line_shares_it_and_the_cut_steps_down() -> None:
    sentences, layout = laid(["aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii"], width=14, lines=40)
    text = sentences.document.text
    lines, cuts = on_page(0, layout, sentences, cut_at(text, [text.index("eeee")]))
    shapes = bands(lines)
    assert lines.box[cuts.row[0], 0] == 36 + 5 * EM
    assert shapes.chunk.tolist() == [0, 0, 1, 1]
    assert shapes.ruled.tolist() == [True, True, False, True]
    first, half, other, rest = shapes.box.tolist()
    assert first[3] == half[1] == other[1]
    assert half[2] == other[0]
    assert half[3] == other[3] == rest[1]
    assert page_shapes.steps(lines, cuts, shapes).tolist() == [-1]


def test_amid_a_line_from_right_to_left_the_cut_steps_down_on_the_right() -> None:
    box = np.array([[40, 10, 200, 20], [120, 22, 200, 32], [40, 22, 116, 32], [40, 34, 200, 44]], dtype=np.float32)
    lines = PageLines(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), box)
    cuts = PageCuts(np.array([2]), np.array([0]), ("both",), ("why",), np.array([5]))
    assert page_shapes.steps(lines, cuts, bands(lines)).tolist() == [1]


def test_a_title_over_two_columns_does_not_widen_them() -> None:
    title = [[40, 10, 300, 22]]
    left = [[40, 40 + 12 * line, 160, 50 + 12 * line] for line in range(10)]
    right = [[180, 40 + 12 * line, 300, 50 + 12 * line] for line in range(6)]
    box = np.array(title + left + right, dtype=np.float32)
    lines = PageLines(np.arange(17), np.array([0] * 5 + [1] * 12), box)
    shapes = bands(lines)
    assert shapes.chunk.tolist() == [0, 0, 1, 1]
    assert shapes.box[:, 2].tolist() == [304, 164, 164, 304]
    assert shapes.box[1, 3] == shapes.box[2, 1]


# What is sent and believed ---------------------------------------------------------------------------------------


def shown(**changes: Any) -> dict[str, Any]:
    sentences, layout = laid(PROSE)
    chunks = cut_at(sentences.document.text, gap_offsets(sentences).tolist(), [0, 1])
    lines, cuts = on_page(0, layout, sentences, chunks)
    given: dict[str, Any] = {
        "page": 0,
        "pages": 3,
        "image": b"\x89PNG pixels",
        "size": (252.0, 216.0),
        "lines": lines,
        "cuts": cuts,
        "asides": (("page number", (1.0, 2.0, 3.0, 4.0)),),
        "marks": PageMarks(np.array([0, 2]), np.array([0.25, 1.0]), ("semantic", "")),
    }
    return {**given, **changes}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the component is mounted with."""
    mounted: list[dict[str, Any]] = []
    monkeypatch.setattr(module, "_page", lambda **given: mounted.append(given))
    monkeypatch.setattr("streamlit.session_state", {})
    return mounted


def test_the_browser_gets_the_picture_and_what_stands_on_it(sent: list[dict[str, Any]]) -> None:
    assert page_view("page", "doc", PageContent(**shown()), selected=1) == PageEvent()
    head, body = unpack(sent[0]["data"])
    assert (head["document"], head["page"], head["selected"]) == ("doc", 0, 1)
    assert body["image"].tobytes() == b"\x89PNG pixels"
    assert (body["pages"], body["size"], body["height"]) == (3, [252, 216], "720px")
    assert body["lines"]["sentence"].tolist() == [0, 1, 1, 2, 2]
    assert body["cuts"]["row"].tolist() == [1, 3]
    assert body["cuts"]["driver"].tolist() == [1, 2]
    assert body["cuts"]["step"].tolist() == [0, 0]
    assert body["reason"] == ["0.700 > 0.500"] * 2
    assert body["bands"]["of_row"].tolist() == [0, 1, 1, 2, 2]
    assert body["asides"] == [["page number", 1, 2, 3, 4]]
    assert body["marks"]["page"].tolist() == [0, 2]
    assert body["marks"]["driver"].tolist() == [1, 0]


def test_a_choice_changes_the_head_alone_and_another_setting_keeps_the_picture(sent: list[dict[str, Any]]) -> None:
    page_view("page", "doc", PageContent(**shown()))
    page_view("page", "doc", PageContent(**shown()), selected=1)
    page_view("page", "doc", PageContent(**shown(cuts=on_page(0, *reversed_layout())[1])))
    heads = [unpack(one["data"])[0] for one in sent]
    assert heads[0]["content"] == heads[1]["content"] != heads[2]["content"]
    assert len({head["picture"] for head in heads}) == 1


def reversed_layout() -> tuple[Pages, Sentences, tuple[Chunk, ...]]:
    sentences, layout = laid(PROSE)
    return layout, sentences, cut_at(sentences.document.text, gap_offsets(sentences).tolist()[1:], [1])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"page": 3}, "no page 4"),
        ({"page": -1}, "no page"),
        ({"size": (0.0, 10.0)}, "cannot be shown"),
        ({"size": (10.0, float("nan"))}, "cannot be shown"),
        ({"cuts": PageCuts(np.array([9]), np.array([0]), ("",), ("",), np.array([1]))}, "not on the page"),
    ],
)
def test_what_cannot_be_shown_is_refused(sent: list[dict[str, Any]], changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ChunkscopeError, match=says):
        page_view("page", "doc", PageContent(**shown(**changes)))
    assert sent == []


def test_columns_of_different_lengths_and_unknown_drivers_are_refused() -> None:
    one, two = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    with pytest.raises(ChunkscopeError, match="different lengths"):
        PageLines(one, two, np.zeros((1, 4), dtype=np.float32))
    with pytest.raises(ChunkscopeError, match="different lengths"):
        PageCuts(one, one, ("",), (), one)
    with pytest.raises(ChunkscopeError, match="Unknown driver"):
        PageCuts(one, one, ("weather",), ("",), one)
    with pytest.raises(ChunkscopeError, match="Unknown driver"):
        PageMarks(one, np.zeros(1), ("weather",))


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ({}, PageEvent()),
        ({"page": {"document": "doc", "page": 2}}, PageEvent(page=2)),
        ({"gap": {"document": "doc", "gap": 4}}, PageEvent(gap=4)),
        ({"gap": {"document": "doc", "gap": None}}, PageEvent(cleared=True)),
        ({"page": {"document": "old", "page": 2}, "gap": {"document": "old", "gap": 4}}, PageEvent()),
        *(({"page": {"document": "doc", "page": page}}, PageEvent()) for page in (-1, True, "2", 1.0, None, [1])),
        ({"page": 2}, PageEvent()),
    ],
)
def test_what_a_browser_says_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, state: dict[str, Any], event: PageEvent
) -> None:
    monkeypatch.setattr("streamlit.session_state", {"page": state})
    assert page_event("page", "doc") == event


def test_a_page_that_the_document_has_not_is_not_asked_for(
    monkeypatch: pytest.MonkeyPatch, sent: list[dict[str, Any]]
) -> None:
    monkeypatch.setattr("streamlit.session_state", {"page": {"page": {"document": "doc", "page": 3}}})
    assert page_view("page", "doc", PageContent(**shown())) == PageEvent()
    monkeypatch.setattr("streamlit.session_state", {"page": {"page": {"document": "doc", "page": 2}}})
    assert page_view("page", "doc", PageContent(**shown())) == PageEvent(page=2)
