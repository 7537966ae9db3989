"""What reports share."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import glossary
from chunking.errors import ChunkscopeError
from chunking.figures import page
from chunking.figures.cells import percent
from chunking.figures.page import ChartAxis

ANY = st.text(st.characters(codec="utf-8"), max_size=20)
SHARES = st.floats(-1, 1)


class Tags(HTMLParser):
    """The elements of a page with their attributes, and its words."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def of(self, look: str) -> list[dict[str, str | None]]:
        """The elements of a class."""
        return [attrs for _, attrs in self.tags if look in (attrs.get("class") or "").split()]


def whole(text: str) -> str:
    body = page.sections([(text, page.tabulated([text], [[text, "1"]], "numbers", [text])), ("Left out", "")])
    body += (
        page.bullets([text]) + page.defined({text: text}) + page.chart([(text, 0.5, (0.4, 0.6))], 0.2, text, percent)
    )
    return page.html(text, body)


@given(ANY)
def test_no_text_is_markup(text: str) -> None:
    names = [tag for tag, _ in Tags(whole(text)).tags]
    like = "plain" if glossary.find(text) is None else "boundary"  # a heading that is a term carries its definition
    assert names == [tag for tag, _ in Tags(whole(like)).tags]
    assert not {"script", "link", "img", "iframe", "a", "form"} & set(names)


def test_a_section_without_content_has_no_title() -> None:
    assert "Left out" not in whole("plain")


@given(SHARES, SHARES, SHARES)
def test_an_axis_holds_its_values_and_nought_in_a_few_steps(one: float, other: float, mark: float) -> None:
    axis = ChartAxis.of(min(one, other), max(one, other), mark)
    for value in (one, other, mark, 0.0):
        assert -0.01 <= float(axis.at(value).removesuffix("%")) <= 100.01
    assert 2 <= len(axis.ticks) <= 13
    assert min(abs(tick) for tick in axis.ticks) == 0


def test_rows_without_a_value_have_no_dot() -> None:
    shown = Tags(page.chart([("a", 0.5, (0.4, 0.6)), ("b", None, None), ("c", 0.1, None)], None, "t", percent, ["c"]))
    assert (len(shown.of("row")), len(shown.of("dot")), len(shown.of("bar")), len(shown.of("mark"))) == (4, 2, 1, 0)
    assert [row["title"] for row in shown.of("base")] == ["c: 10.0"]


def test_a_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    page.check_place(tmp_path / "report.html")
    for place in (tmp_path, tmp_path / "absent" / "report.html"):
        with pytest.raises(ChunkscopeError, match="cannot be written"):
            page.check_place(place)
        with pytest.raises(ChunkscopeError, match="cannot be written"):
            page.write(place, "words")
    page.write(tmp_path / "report.html", "wörds \udcff")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "wörds ?"
