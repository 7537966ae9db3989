"""What a page says in words: the chunks with the reasons of their cuts, the settings, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from chunking import export, tokens
from chunking.chunks import Chunk, leaves, reason_words
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.figures import page
from chunking.figures.cells import NOTHING
from chunking.figures.theme import GLYPHS
from chunking.runtime.arrays import Int64
from chunking.runtime.wording import plural
from chunking.strategies import REGISTRY, Segmentation
from chunking.workspace import Workspace


def chunks(segmentation: Segmentation, offsets: Int64) -> str:
    """Return the text as chunks; ``reader.js`` writes the same."""
    gaps = offsets if segmentation.signals is not None else offsets[:0]
    return "".join(_chunk(segmentation, chunk, index, gaps) for index, chunk in enumerate(leaves(segmentation.chunks)))


def _chunk(segmentation: Segmentation, chunk: Chunk, index: int, offsets: Int64) -> str:
    text, cut = segmentation.document.text, chunk.cut
    driver = (cut.driver if cut else None) or ""
    place = f' data-gap="{cut.gap}"' if cut and cut.gap is not None and len(offsets) else ""
    glyph = f"<i>{GLYPHS[driver]}</i> " if driver else ""
    parts = [
        f"<b>{index + 1:,}</b>",
        f'<span class="why">{glyph}{page.prose(reason_words(cut))}</span>' if cut else "",
        f"<span>{plural(chunk.tokens, 'token')}</span>",
        f"<span>+ {chunk.overlap_tokens:,} overlap</span>" if chunk.overlap_tokens else "",
        f'<span class="path">{page.prose(" › ".join(chunk.heading_path))}</span>',
        f'<span class="note">{page.prose("; ".join(chunk.notes))}</span>' if chunk.notes else "",
    ]
    overlap = f'<span class="overlap">{page.prose(text[chunk.reach : chunk.start])}</span>' if chunk.overlap else ""
    return (
        f'<article class="chunk {driver}"><header{place}>{"".join(parts)}</header>'
        f'<div class="text" dir="auto">{overlap}{_body(text, chunk, offsets)}</div></article>\n'
    )


def _body(text: str, chunk: Chunk, offsets: Int64) -> str:
    """Return a chunk's own text with a mark at each gap inside."""
    first, last = np.searchsorted(offsets, [chunk.start + 1, chunk.end]).tolist()
    parts, start = [], chunk.start
    for gap in range(first, last):
        offset = int(offsets[gap])
        parts.append(f'{page.prose(text[start:offset])}<i class="gap" data-gap="{gap}"></i>')
        start = offset
    return "".join(parts) + page.prose(text[start : chunk.end])


def about(workspace: Workspace) -> str:
    """Return the title of a page and a line on its document."""
    document = workspace.document
    facts = (
        f"{document.format}, {plural(len(workspace.sentences), 'sentence')}, {plural(len(document.text), 'character')}"
    )
    return f'<header class="about"><h1>{page.text(document.name)}</h1><p>{page.text(facts)}</p></header>'


def facts(workspace: Workspace) -> str:
    """Return the document, the models and the versions that the results depend on."""
    return page.defined(export.facts_of(workspace), facts=True)


def parameters(segmentation: Segmentation) -> str:
    """Return every parameter of a strategy with its value."""
    params = segmentation.params
    changed = params.changed()
    rows = [
        (known.title, known.format(value) or NOTHING, known.unit, "" if name in changed else "default")
        for name, value in params.values().items()
        if name not in params.idle
        for known in [params.lookup(name)]
    ]
    return page.tabulated(("Parameter", "Value", "Unit", ""), rows)


def strategy_line(segmentation: Segmentation) -> str:
    """Return what a strategy does and where it comes from."""
    strategy = REGISTRY.get(segmentation.strategy)
    return (
        f"<p>{page.text(strategy.summary)} <span class='quiet'>{page.text(strategy.source)}.</span></p>"
        if strategy
        else ""
    )


def notes(segmentations: Sequence[Segmentation], workspace: Workspace) -> str:
    """Return the warnings about the document and its segmentations."""
    found = [*workspace.document.notes, *(note for each in segmentations for note in each.warnings)]
    found += workspace.warnings(max((int(getattr(each.params, "window", 0)) for each in segmentations), default=0))
    return page.bullets(list(dict.fromkeys(found)))


def sizes(workspace: Workspace, compared: Comparison, titles: Sequence[str]) -> str:
    """Return the sizes of the chunks of each segmentation, and what was requested of it."""
    name = workspace.tools.tokenizer
    outcomes = compared.outcomes({name: tokens.get_tokenizer(name)})
    rows = []
    for title, entry, outcome in zip(titles, compared.entries, outcomes, strict=True):
        own = outcome.tokens[name].own
        rows.append(
            (
                title,
                f"{outcome.chunks:,}",
                *(f"{value:,.0f}" for value in (own.minimum, own.median, own.mean, own.maximum)),
                f"{outcome.over_maximum:,}",
                f"{outcome.under_minimum:,}",
                f"{sum(chunk.overlap_tokens for chunk in entry.segmentation.chunks):,}",
            )
        )
    heads = ("Strategy", "Chunks", "Min", "Median", "Mean", "Max", "Over maximum", "Under minimum", "Overlap tokens")
    return page.tabulated(heads, rows, "numbers")


def agreement(compared: Comparison, titles: Sequence[str]) -> str:
    """Return the boundary F1 of each pair, and how far it is above that of random boundaries."""
    if len(compared.entries) + bool(compared.gold) < 2 or not len(compared.offsets):
        return ""
    labels, matrix = compared.matrix("f1")
    names = ["Reference", *titles] if compared.gold else list(titles)
    rows = []
    for row, title in enumerate(names):
        cells = (
            NOTHING if row == column else f"{matrix.values[row, column]:.2f} ({matrix.corrected[row, column]:+.2f})"
            for column in range(len(labels))
        )
        rows.append((title, *cells))
    said = "Boundary F1, exact gaps; in brackets chance-corrected: 0 for random boundaries, 1 for equal ones."
    return f'<p class="legend">{said}</p>' + page.tabulated(("", *(_short(name) for name in names)), rows, "numbers")


def _short(title: str) -> str:
    """Return the number of a numbered title."""
    return title.partition(" · ")[0]


def chunk_tables(workspace: Workspace, entries: Sequence[ComparisonEntry], titles: Sequence[str]) -> str:
    """Return the chunks of each segmentation as rows, for readers without scripts and for paper."""
    return "".join(
        f"<details><summary>{page.text(title)}</summary>{_chunk_table(workspace, entry.segmentation)}</details>"
        for title, entry in zip(titles, entries, strict=True)
    )


def _chunk_table(workspace: Workspace, segmentation: Segmentation) -> str:
    text = workspace.document.text
    rows = [
        (
            f"{index:,}",
            f"{chunk.start:,}–{chunk.end:,}",
            f"{chunk.tokens:,}",
            reason_words(chunk.cut),
            _beginning(text, chunk),
        )
        for index, chunk in enumerate(leaves(segmentation.chunks), 1)
    ]
    return page.tabulated(("", "Offsets", "Tokens", "Why it begins here", "First words"), rows)


def _beginning(text: str, chunk: Chunk) -> str:
    return " ".join(text[chunk.start : min(chunk.end, chunk.start + 240)].split())[:80]


def commands(lines: Mapping[str, str]) -> str:
    """Return lines for a terminal under their titles."""
    return "".join(f"<h3>{page.text(title)}</h3><pre>{line}</pre>" for title, line in lines.items())
