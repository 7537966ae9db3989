"""Labels in diagrams and charts are no headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from chunking.loading.binary.pdf.pdfium.figures import find_figures
from tests.loading.binary.pdf.making import HEIGHT, OTHER, PROSE, Pen, at, heading, laid, of_kind

LABELS = ["Harbour", "Customs house", "North mole", "Nine places"]


def diagram(pen: Pen, labels: Sequence[str] = LABELS, size: float = 15) -> None:
    """Write labels one below the other, each in a box, with slanted lines between the boxes."""
    for number, label in enumerate(labels):
        left, y = 100 + 60 * (number % 2), HEIGHT - pen.y
        pen.canvas.rect(left, y - 20, 150, 36)
        pen.canvas.setFont("Times-Bold", size)
        pen.canvas.drawString(left + 6, y, label)
        at(pen.skip(14), "asks for a stamp", left + 6, size=9)
        if number:
            pen.canvas.line(left + 20, y + 16, left + 60 - 120 * (number % 2), y + 34)
        pen.skip(40)


def test_labels_of_a_diagram_are_no_headings() -> None:
    def page(pen: Pen) -> None:
        heading(pen, "The ice of Kelby").text(PROSE).skip(30)
        diagram(pen)
        heading(pen, "The nine winters").text(OTHER)

    parsed = laid(page)
    assert of_kind(parsed, "heading") == ["The ice of Kelby", "The nine winters"]
    assert set(LABELS) <= set(of_kind(parsed, "paragraph"))


def test_the_title_of_a_diagram_remains_a_heading() -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(40)
        top = pen.y - 20
        heading(pen.skip(-10), "Who asks whom", 20).skip(24)
        diagram(pen)
        pen.canvas.roundRect(60, HEIGHT - pen.y, 300, pen.y - top, 8)
        pen.skip(40).text(OTHER)

    assert of_kind(laid(page), "heading") == ["Who asks whom"]


def frame_of_text(pen: Pen) -> None:
    """Headings with text below them, in a frame with round corners and ornaments."""
    top = pen.y
    for title in ("The nine places", "The customs house"):
        heading(pen, title).text(PROSE)
    pen.canvas.roundRect(60, HEIGHT - pen.y, 480, pen.y - top, 8)
    for number in range(4):
        pen.canvas.circle(80 + 20 * number, HEIGHT - top, 6)


def rules_and_boxes(pen: Pen) -> None:
    """Titles over boxes, as forms have them, with no slanted line."""
    for title in LABELS:
        heading(pen, title)
        pen.canvas.rect(72, HEIGHT - pen.y - 20, 400, 20)
        pen.text("To be filled in by the pilots").skip(20)


@pytest.mark.parametrize(
    ("content", "titles"), [(frame_of_text, ["The nine places", "The customs house"]), (rules_and_boxes, LABELS)]
)
def test_headings_in_frames_and_forms_remain(content: Any, titles: list[str]) -> None:
    def page(pen: Pen) -> None:
        content(pen.text(OTHER).skip(20))

    assert of_kind(laid(page), "heading") == titles


def figures(boxes: Sequence[Sequence[float]], segments: int = 2) -> list[list[float]]:
    paths = np.array(boxes, dtype=np.float32).reshape(-1, 4)
    found: list[list[float]] = find_figures(paths, np.full(len(paths), segments, dtype=np.int32), 600, 800).tolist()
    return found


def slanted(left: float, top: float, count: int = 3) -> list[tuple[float, ...]]:
    return [(left + 20 * number, top, left + 20 * number + 20, top + 50) for number in range(count)]


def test_figures_that_are_apart_are_several() -> None:
    beside = [*slanted(50, 100), *slanted(300, 100), *slanted(300, 400)]
    assert sorted(figures(beside)) == [[50, 100, 110, 150], [300, 100, 360, 150], [300, 400, 360, 450]]


@pytest.mark.parametrize(
    ("boxes", "segments"),
    [
        ([], 2),
        (slanted(50, 100, 2), 2),
        (slanted(50, 100), 5),
        ([(10, 10, 590, 790)] * 3, 9),
        ([(50, 100, 53, 103)] * 5, 9),
        ([(50, 100, 60, 110)] * 5, 9),
        ([(20, 100, 580, 100.5)] * 5, 2),
    ],
    ids=["nothing", "two lines", "rectangles", "background", "dots", "icon", "rules"],
)
def test_drawings_that_are_no_figures(boxes: list[tuple[float, ...]], segments: int) -> None:
    assert figures(boxes, segments) == []


def test_areas_in_areas_without_end_are_divided_a_few_times() -> None:
    """Each division takes time in the number of paths."""
    steps = [(8.0 * number, 8.0 * number, 8.0 * number + 7, 8.0 * number + 7) for number in range(4000)]
    assert len(figures(steps, 9)) <= 1
