"""Facts about the document: its kind, how it was read, and what is excluded from chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chunking.document import Aside, Document
from chunking.loading import FORMATS
from chunking.loading.language import LANGUAGES
from chunking.runtime.wording import plural
from chunking.workspace import DocumentAnalysis
from pages.shared.frame import markup

_SHOWN = 300
"""Excluded pieces of text that are listed at most; there may be thousands of running heads."""


def kind(workspace: DocumentAnalysis) -> str:
    """Return format, pages, language, sentence splitter and encoder, in one line."""
    document = workspace.document
    format = FORMATS[document.format].title
    pages = f", {plural(len(document.pages), 'page')}" if document.pages else ""
    language = LANGUAGES.get(document.language, document.language)
    read_by = f"sentence splitter: {workspace.sentences.splitter} · encoder: {workspace.encoder.name}"
    return f"{format}{pages} · {language} · {read_by}"


def notes(warnings: Sequence[str]) -> None:
    """Show warnings, one per line."""
    if warnings:
        lines = (f'<div class="cs-quiet">⚠ {markup.escape(note)}</div>' for note in warnings)
        markup.show("".join(lines))


def set_aside(document: Document) -> None:
    """Show what loading excluded from the text, folded."""
    if not document.aside:
        return
    counts = Counter(aside.kind for aside in document.aside)
    counted = ", ".join(
        f"{count:,} {kind}{'s' if count > 1 and not kind.endswith('s') else ''}" for kind, count in counts.items()
    )
    lines = "".join(_line(document, aside) for aside in document.aside[:_SHOWN])
    more = len(document.aside) - _SHOWN
    rest = f'<p class="cs-quiet">… and {more:,} more</p>' if more > 0 else ""
    markup.show(
        f'<details class="cs-aside"><summary>Excluded from chunks: {markup.escape(counted)}</summary>'
        f"<div>{lines}{rest}</div></details>"
    )


def _line(document: Document, aside: Aside) -> str:
    part = document.origin.parts[aside.part] if document.origin and aside.part < len(document.origin.parts) else ""
    where = ", ".join(filter(None, (aside.kind, part)))
    return f"<p><small>{markup.escape(where)}</small>{markup.escape(aside.text[:500])}</p>"
