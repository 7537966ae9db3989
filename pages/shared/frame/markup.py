"""HTML made in Python: the one place where text is escaped, and the style sheet of its classes."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Literal

import streamlit as st

from chunking import glossary
from chunking.report.theme import PALETTES


def escape(text: str) -> str:
    """Return any text as HTML text or attribute value; NUL, which HTML cannot contain, becomes its symbol."""
    return html.escape(text.replace("\0", "␀"), quote=True)


def _colors() -> str:
    light, dark = asdict(PALETTES["light"]), asdict(PALETTES["dark"])
    return " ".join(f"--cs-{role}: light-dark({light[role]}, {dark[role]});" for role in light)


@cache
def sheet() -> str:
    """Return the style sheet of everything below, see :mod:`pages.shared.frame.first_html`."""
    return f".cs {{ --cs-text-height: {_TEXT_HEIGHT}; {_colors()} }}\n{read_sheet(Path(__file__), 'style')}"


_TEXT_HEIGHT = "max(24rem, calc(100vh - 30rem))"
"""Height of the text and of the panel beside it: the window below the chart, if that is high enough."""


@cache
def read_sheet(module: Path, name: str) -> str:
    """Return a style sheet that lies beside a module."""
    return module.with_name(f"{name}.css").read_text(encoding="utf-8")


def add_style(sheet: str) -> None:
    """Add a style sheet."""
    st.html(f"<style>{sheet}</style>")


def problem(what: str, remedy: str) -> None:
    """Show what happened, and what to do."""
    show(f'<div class="cs-problem">⚠ {escape(what)} {escape(remedy)}</div>')


def empty(what: str, remedy: str) -> str:
    """Return why there is nothing to show, and what to do, as HTML."""
    return f'<div class="cs-empty"><b>{escape(what)}</b> {escape(remedy)}</div>'


def figure(number: int | str, one: str, many: str = "", *, rest: str = "", help: str = "", term: str = "") -> str:
    """Return a number with its noun as HTML, for a line of key figures.

    Args:
        number: the number, or one in words.
        one: the noun for 1, and with an s for other numbers.
        many: the noun for other numbers, where it is not formed so.
        rest: further words after the noun.
        help: shown in a tooltip.
        term: whose definition is shown on hover, focus or tap; by default that of the noun, if the glossary has one.
    """
    definition = glossary.find(term or one)
    title = f' title="{escape(help)}"' if help else f' data-term="{definition.name}" tabindex="0"' if definition else ""
    value = number if isinstance(number, str) else f"{number:,}"
    words = one if number == 1 else many or f"{one}s"
    return f"<div{title}><b>{escape(value)}</b><span>{escape(words)}{escape(rest)}</span></div>"


def figures(*figures: str) -> str:
    """Return key figures as a line of HTML, each as :func:`figure` makes it."""
    return f'<div class="cs-figures">{"".join(figures)}</div>'


def title(title: str, facts: str) -> str:
    """Return the title of a document as HTML, with facts about it beside it."""
    return f'<b>{escape(title)}</b> <span class="cs-quiet cs-kind">{escape(facts)}</span>'


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], attributes: str = "") -> str:
    """Return a table as HTML, whose cells are HTML already; without a row of heads where there are none."""
    titles = "".join(f'<th scope="col">{head}</th>' for head in heads)
    lines = [titles] if titles else []
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return f"<table{attributes}>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def wide(table: str, label: str) -> str:
    """Return a table as HTML that scrolls by itself where it is wider than the window, by keyboard too."""
    return f'<div class="cs-wide" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def show(body: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Show HTML; text of a document in it must have passed through :func:`escape`."""
    st.html(f'<div class="cs">{body}</div>', width=width)


def plain(text: str) -> str:
    """Return a text for the label of a widget, with Streamlit's markup escaped."""
    return "".join(f"\\{character}" if character in _MARKUP else character for character in text)


_MARKUP = frozenset("\\`*_[]()#+-.!|~$:<>{}&")
