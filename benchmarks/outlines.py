"""Headings of PDFs beside the file's own outline: with the outline read, as always, and with it withheld.

``python -m benchmarks.outlines FOLDER`` takes each PDF with an outline of three entries or more that lead to a page.
An entry is found if a heading on its page, or on the next, has its words, without their numbers ("3.1", "Chapter
three"). *Recall* is the share of entries that are found; *written* is the same of the entries whose words are on those
pages at all, since some outlines name files, forms or pages. *Precision* is the share of headings that an entry names:
outlines rarely have all headings of a document, so it is a lower bound. The withheld outline shows what the layout
alone does. ``--files`` prints each file as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.ground_truth import heading_words, words
from benchmarks.timing import table
from chunking.errors import ChunkscopeError
from chunking.loading.binary import pdf
from chunking.loading.binary.pdf.pdfium.document import OutlineEntry, open_document, read_outline
from chunking.loading.binary.pdf.title_numbers import split_number
from chunking.loading.parsed import LoadParameters, Parsed

MIN_ENTRIES = 3
"""Entries of an outline from which its file is measured."""


class Title(NamedTuple):
    """A title on a page, from 0, by its words."""

    page: int
    words: tuple[str, ...]

    def on(self, page: int) -> Title:
        """Return the same title on another page."""
        return self._replace(page=page)


@dataclass(frozen=True)
class Agreement:
    """How far the headings of a document agree with the outline of its file.

    Attributes:
        recall: share of the entries that are headings.
        written: share of those whose words are on their page.
        precision: share of the headings that are entries; 1 without headings.
        headings: number of them.
    """

    recall: float
    written: float
    precision: float
    headings: int


def agreement(parsed: Parsed, entries: Sequence[OutlineEntry]) -> Agreement:
    """Return how far the headings of a document agree with the entries of an outline."""
    named = _titles((entry.page, entry.title) for entry in entries)
    headings = _titles(_headings(parsed))
    texts = _page_texts(parsed)
    found = {entry for entry in named if entry in headings or entry.on(entry.page + 1) in headings}
    written = {entry for entry in named if _is_written(entry, texts)}
    precise = sum(heading in named or heading.on(heading.page - 1) in named for heading in headings)
    return Agreement(
        len(found) / max(len(named), 1),
        len(found) / max(len(written | found), 1),
        precise / len(headings) if headings else 1.0,
        len(headings),
    )


def _titles(texts: Iterable[tuple[int, str]]) -> set[Title]:
    """Return the titles of texts and their pages, without those that have no words."""
    return {Title(page, title) for page, text in texts if (title := heading_words(split_number(text)[1]))}


def _headings(parsed: Parsed) -> Iterator[tuple[int, str]]:
    assert parsed.origin is not None
    for block in parsed.blocks:
        if block.kind == "heading":
            page = parsed.origin.places(block.start, block.start + 1)[0].part
            yield page, parsed.text[block.start : block.end]


def _page_texts(parsed: Parsed) -> dict[int, str]:
    """Return the words of each page, excluded ones as well, each between spaces."""
    assert parsed.pages is not None
    parts: dict[int, list[str]] = {}
    for (start, end), page in zip(parsed.pages.words.tolist(), parsed.pages.page.tolist(), strict=True):
        parts.setdefault(page, []).append(parsed.text[start:end])
    for excluded in parsed.aside:
        parts.setdefault(excluded.part, []).append(excluded.text)
    return {page: f" {' '.join(words(' '.join(texts)))} " for page, texts in parts.items()}


def _is_written(entry: Title, texts: Mapping[int, str]) -> bool:
    text = f" {' '.join(entry.words)} "
    return any(text in texts.get(page, "") for page in (entry.page, entry.page + 1))


def measure(data: bytes, name: str, entries: Sequence[OutlineEntry], withheld: bool) -> Agreement:
    """Return how far the headings of a file agree with its outline, which its reader may have withheld from it."""
    with patch.object(pdf, "read_outline", lambda document: [] if withheld else list(entries)):
        return agreement(pdf.parse(data, name, LoadParameters()), entries)


def outline_of(data: bytes) -> list[OutlineEntry]:
    """Return the entries of the outline of a file; none of a file that cannot be read."""
    try:
        with open_document(data) as document:
            return read_outline(document)
    except ChunkscopeError:
        return []


def main(folder: Path, files: bool) -> None:
    """Print the agreement of each file with its outline, and the means."""
    results: dict[str, tuple[int, Agreement, Agreement]] = {}
    for file in sorted(folder.glob("*.pdf")):
        data = file.read_bytes()
        entries = outline_of(data)
        if len(entries) < MIN_ENTRIES:
            continue
        try:
            read, withheld = (measure(data, file.name, entries, hidden) for hidden in (False, True))
        except ChunkscopeError as error:
            print(f"left out: {file.name}, {error}")
            continue
        results[file.name] = len(entries), read, withheld
    if files:
        rows = [
            (name, entries, *_figures(read), *_figures(withheld)) for name, (entries, read, withheld) in results.items()
        ]
        head = ("recall", "written", "precision", "headings")
        table("Files", ("file", "entries", *head, *(f"{name}, withheld" for name in head)), rows)
    if results:
        _show_means([read for _, read, _ in results.values()], [withheld for _, _, withheld in results.values()])


def _figures(agreement: Agreement) -> tuple[str, str, str, int]:
    recall, written, precision = (
        f"{figure:.3f}" for figure in (agreement.recall, agreement.written, agreement.precision)
    )
    return recall, written, precision, agreement.headings


def _show_means(*columns: Sequence[Agreement]) -> None:
    rows = [
        (
            name,
            len(agreements),
            *(
                f"{mean(getattr(each, score) for each in agreements):.3f}"
                for score in ("recall", "written", "precision")
            ),
        )
        for name, agreements in zip(("read", "withheld"), columns, strict=True)
    ]
    table(
        "Headings beside the outline, mean of the files", ("outline", "files", "recall", "written", "precision"), rows
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", action="store_true", help="print each file")
    options = parser.parse_args()
    main(options.folder, options.files)
