"""Chunk counts of another program (personal-library-manager, LichHunter) on its own documents.

It looks for headings with one regular expression, so that comments inside code fences are headings. Here its six rules
are written down once more, as briefly as they can be, with that mistake as an option: with it they give the counts that
it published, so they are read rightly. Without it they are held against ours, and what still differs is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from chunking import strategies
from chunking.document import Document
from chunking.loading import load
from chunking.strategies import Segmentation
from chunking.strategies.sections.paragraphs import parts
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis
from tests import shared_data

FOLDER = Path(__file__).resolve().parents[3] / "../shared/data/retrieval/cloudflow"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=shared_data.MISSING)

PUBLISHED = {
    "fixed 512": 33,
    "heading h3": 220,
    "heading limited": 188,
    "hierarchical h4": 257,
    "paragraphs 50–256": 103,
    "heading + paragraph": 511,
}
WORDS = 0.75
"""Words that it takes a token for."""


class Section(NamedTuple):
    level: int
    start: int
    body: str


def sections(document: Document, deepest: int, in_fences: bool) -> list[Section]:
    text = document.text
    found = [
        match
        for match in re.finditer(rf"^(#{{1,{deepest}}})\s+(.+)$", text, re.MULTILINE)
        if in_fences or document.block_at(match.start()) != "code"
    ]
    ends = [*(match.start() for match in found[1:]), len(text)]
    return [
        Section(len(match[1]), match.start(), text[match.end() + 1 : end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


def paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def filled(words: list[str], size: int, share: float, overlap: int, stop_at_end: bool) -> Iterator[tuple[int, int]]:
    """Runs of words up to a size, ended with a sentence in their last part if there is one.

    Args:
        stop_at_end: whether a run that reaches the end is the last; else the overlap at the end is a run of its own.
    """
    start = 0
    while start < len(words):
        end = min(start + size, len(words))
        if end < len(words):
            lowest = start + int(size * share)
            end = next((at for at in range(end, lowest, -1) if words[at - 1].endswith((".", "!", "?"))), end)
        yield start, end
        following = end - overlap
        if following <= start or (stop_at_end and end == len(words)):
            return
        start = following


def fixed(document: Document, tails: bool = True) -> int:
    return len(list(filled(document.text.split(), int(512 * WORDS), 0.8, int(50 * WORDS), not tails)))


def by_paragraph(document: Document) -> int:
    least, most = int(50 * WORDS), int(256 * WORDS)
    sizes = [len(part.split()) for part in paragraphs(document.text)]
    count = place = 0
    while place < len(sizes):
        size = sizes[place]
        if size > most:
            words = paragraphs(document.text)[place].split()
            count += len(list(filled(words, most, 0.7, 0, True)))
        else:
            while size < least and place + 1 < len(sizes) and size + sizes[place + 1] <= most:
                place += 1
                size += sizes[place]
            count += 1
        place += 1
    return count


def theirs(document: Document, in_fences: bool) -> dict[str, int]:
    to_three, to_four = (sections(document, deepest, in_fences) for deepest in (3, 4))
    full = [section.body for section in to_three if section.body]
    assert all(len(body.split()) <= int(512 * WORDS) for body in full)  # no section is large enough to be limited
    return {
        "fixed 512": fixed(document),
        "heading h3": len(to_three),
        "heading limited": len(full),
        "hierarchical h4": 1 + len(to_four),
        "paragraphs 50–256": by_paragraph(document),
        "heading + paragraph": len(full) + sum(len(paragraphs(body)) for body in full),
    }


@cache
def documents() -> list[Document]:
    rows = json.loads((FOLDER / "corpus_metadata.json").read_text(encoding="utf-8"))
    files = [FOLDER / "documents" / row["filename"] for row in rows]
    return [load(file.read_bytes(), file.name) for file in files]


def total(in_fences: bool) -> dict[str, int]:
    counts = [theirs(document, in_fences) for document in documents()]
    return {name: sum(count[name] for count in counts) for name in PUBLISHED}


def ours(line: str) -> list[Segmentation]:
    setting = strategies.parse(line)
    return [setting.run(DocumentAnalysis(document)) for document in documents()]


def test_with_comments_in_fences_as_headings_the_published_counts_come_out() -> None:
    assert total(in_fences=True) == PUBLISHED


def test_mended_the_rules_that_look_for_headings_count_less_and_the_others_the_same() -> None:
    mended = total(in_fences=False)
    comments = sum(len(sections(document, 3, True)) - len(sections(document, 3, False)) for document in documents())
    assert comments == 30
    assert PUBLISHED["heading h3"] - mended["heading h3"] == comments
    assert mended["fixed 512"] == PUBLISHED["fixed 512"]
    assert mended["paragraphs 50–256"] == PUBLISHED["paragraphs 50–256"]


def test_headings_count_as_there_once_that_is_mended() -> None:
    assert sum(len(each.chunks) for each in ours("heading:level=3")) == total(in_fences=False)["heading h3"]


def test_limited_headings_differ_by_sections_without_text_which_it_loses() -> None:
    chunks = [chunk for each in ours("heading_limited:level=3") for chunk in each.chunks]
    bare = [chunk for chunk in chunks if len(chunk.text.strip().splitlines()) == 1]
    assert all(chunk.text.startswith("#") for chunk in bare)
    assert len(chunks) - len(bare) == total(in_fences=False)["heading limited"]


def test_the_tree_has_its_sections_and_it_has_a_root_for_each_document_besides() -> None:
    sections_ = sum(
        len({chunk.parent for chunk in each.chunks if chunk.parent is not None})
        for each in ours("hierarchical_tree:level=4")
    )
    assert sections_ + len(documents()) == total(in_fences=False)["hierarchical h4"]


def test_paragraphs_under_headings_differ_by_what_belongs_together_and_by_headings_it_loses() -> None:
    """It has sections and paragraphs in one list; ours are the paragraphs, since they tile the text."""
    full = pieces = 0
    for document, segmentation in zip(documents(), ours("heading_paragraph:level=3"), strict=True):
        known = {part.block.start: part for part in parts(document)}
        starts: set[int] = set()
        for section in sections(document, 3, in_fences=False):
            found = paragraphs(section.body)
            full += bool(found)
            pieces += len(found)
            place = section.start
            for number, piece in enumerate(found):
                place = document.text.index(piece, place)
                starts.add(place if number else section.start)
                place += len(piece)
        cuts = {chunk.start for chunk in segmentation.chunks}
        for start in (
            starts - cuts
        ):  # inside a code block, announced by a colon, under its own heading, or a list goes on
            part = known.get(start)
            inside_code = part is None and document.block_at(start) == "code"
            assert inside_code or (part is not None and (part.bound or part.block.kind == "list_item"))
        for cut in cuts - starts:
            assert known[cut].block.kind == "heading"  # a section without text
    assert full + pieces == total(in_fences=False)["heading + paragraph"]


def test_fixed_sizes_differ_by_tails_and_by_words_taken_for_tokens() -> None:
    without_tails = sum(fixed(document, tails=False) for document in documents())
    assert PUBLISHED["fixed 512"] - without_tails == len(documents())  # the last words of each document once more
    counter = get_tokenizer()
    largest = 0
    for document in documents():
        words = [match.span() for match in re.finditer(r"\S+", document.text)]
        for first, last in filled(document.text.split(), int(512 * WORDS), 0.8, int(50 * WORDS), True):
            run = document.text[words[first][0] : words[last - 1][1]]
            largest = max(largest, int(counter.count([run])[0]))
    assert largest > 700
    chunks = [chunk for each in ours("fixed_size") for chunk in each.chunks]
    assert all(chunk.indexed_tokens <= 512 for chunk in chunks)
    assert len(chunks) > without_tails


def test_paragraphs_keep_their_limits_in_tokens_which_its_words_do_not() -> None:
    chunks = [chunk for each in ours("paragraph") for chunk in each.chunks]
    assert all(chunk.tokens <= 256 for chunk in chunks)
    small = [chunk for chunk in chunks if chunk.tokens < 50]
    assert len(small) <= len(documents())
    assert len(chunks) < PUBLISHED["paragraphs 50–256"]  # a word of Markdown and code is more than a token and a third
