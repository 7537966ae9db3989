"""The one-file page that Inspect and Compare offer among their exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator

from tests.app.pages import open_page
from tests.standalone.test_page import elements

LABEL = "Interactive page, HTML"
Made = dict[str, tuple[Callable[[], str], str, str]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """The downloads that a page offers, by label."""
    found: Made = {}

    def keep(_: DeltaGenerator, label: str, make: Callable[[], str], name: str, mime: str, **__: Any) -> bool:
        found[label] = (make, name, mime)
        return False

    monkeypatch.setattr(DeltaGenerator, "download_button", keep)
    return found


@pytest.mark.parametrize(
    ("page", "popover", "address", "lanes"),
    [
        ("inspect", "_export", {"strategy": "structural:alpha=0.3"}, 0),
        ("compare", "_compare_export", {"lanes": "structural:alpha=0.3,heading,section"}, 3),
    ],
)
def test_a_page_offers_itself_as_one_file(
    root: Path, made: Made, page: str, popover: str, address: dict[str, str], lanes: int
) -> None:
    open_page(root, page, {"doc": "harbour-report", **address}, {popover: True})
    make, name, mime = made[LABEL]
    assert (name, mime) == (f"harbour-report-{page}.html", "text/html")
    html = make()
    assert html.count('class="lane ') == (lanes and lanes + 1)  # with the reference
    assert "alpha=0.3" in html
    assert elements(html).links == []
