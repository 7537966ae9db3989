"""What reports share."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import glossary
from chunking.errors import ChunkscopeError
from chunking.report import charts, html
from chunking.report.formatting import percent

ANY = st.text(st.characters(codec="utf-8"), max_size=20)


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
    body = html.sections([(text, html.table([text], [[text, "1"]], "numbers", [text])), ("Left out", html.NOTHING)])
    body += (
        html.bullets([text])
        + html.definitions({text: text})
        + html.command(text)
        + html.paragraph(text, lead=f"By {text}")
    )
    strip = {"name": text, "bars": [{"height": "10", "title": text}], "ends": (text, text), "lines": (text,)}
    body += html.folded(text, html.heading(text)) + html.strips([strip])
    return html.page(text, body + charts.dot_chart([(text, 0.5, (0.4, 0.6))], 0.2, text, percent))


@given(ANY)
def test_no_text_is_markup(text: str) -> None:
    names = [tag for tag, _ in Tags(whole(text)).tags]
    like = "plain" if glossary.find(text) is None else "boundary"  # a heading that is a term carries its definition
    assert names == [tag for tag, _ in Tags(whole(like)).tags]
    assert not {"script", "link", "img", "iframe", "a", "form"} & set(names)


def test_a_section_without_content_has_no_title() -> None:
    assert "Left out" not in whole("plain")


def test_a_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    html.check_path(tmp_path / "report.html")
    for place in (tmp_path, tmp_path / "absent" / "report.html"):
        with pytest.raises(ChunkscopeError, match="cannot be written"):
            html.check_path(place)
        with pytest.raises(ChunkscopeError, match="cannot be written"):
            html.write(place, "words")
    html.write(tmp_path / "report.html", "wörds \udcff")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "wörds ?"
