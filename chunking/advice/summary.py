"""An advice as JSON and as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from chunking.advice.contract import Advice, SharedAdvice, Statement
from chunking.advice.rates import COMMAND, wilson
from chunking.report.formatting import NOTHING, aligned, harmless, percent

WIDTH = 100
"""Characters of a line."""


def as_dict(found: SharedAdvice) -> dict[str, Any]:
    """Return everything that is known of an advice, as JSON can hold it."""
    return {
        "setting": found.setting,
        "strategy": found.strategy,
        "evidence": [_statement(each) for each in found.evidence],
        "claim": asdict(found.claim),
        "differing": list(found.differing),
        "documents": [_advice(each) for each in found.documents],
    }


def _advice(one: Advice) -> dict[str, Any]:
    return asdict(one) | {"evidence": [_statement(each) for each in one.evidence]}


def _statement(one: Statement) -> dict[str, Any]:
    return {"name": one.name, "text": one.text, "values": dict(one.values)}


# Text -------------------------------------------------------------------------------------------------------------


def text(found: SharedAdvice) -> str:
    """Return an advice for people: all of it for one document, a table by document for several."""
    lines = _one(found.documents[0]) if len(found.documents) == 1 else _several(found)
    return harmless("\n".join(lines)) + "\n"


def _one(one: Advice) -> Iterator[str]:
    yield f"Advice for {one.document}: {one.setting}"
    yield from _part("Evidence", [f"{each.name}: {each.text}" for each in one.evidence])
    yield from _part("Second best", [f"{one.second.setting}: {one.second.difference}"])
    yield from _part("What would change the advice", one.changes)
    yield from _part("What is claimed", [one.claim.text])
    if one.claim.rates:
        yield ""
        yield from aligned(rate_rows(one)).split("\n")
        yield f"  Measured by: {COMMAND}"


def _several(found: SharedAdvice) -> Iterator[str]:
    yield f"Advice for {len(found.documents):,} documents: {found.setting}"
    yield from _part("Evidence", [f"{each.name}: {each.text}" for each in found.evidence])
    yield from _part("What is claimed", [found.claim.text])
    yield ""
    yield from aligned(document_rows(found)).split("\n")
    if found.differing:
        yield from _part("Another strategy is advised for", found.differing)
    yield ""
    yield "The evidence for one document: suggest FILE."


def _part(title: str, items: Sequence[str]) -> Iterator[str]:
    yield ""
    yield title
    for item in items:
        whole = " ".join(item.split()).replace(" %", "\N{NO-BREAK SPACE}%")
        lines = wrap(whole, WIDTH, initial_indent="- ", subsequent_indent="  ")
        yield from (line.replace("\N{NO-BREAK SPACE}", " ") for line in lines)


def rate_rows(one: Advice) -> list[list[str]]:
    """Return the error rates behind the claim of an advice as cells, the head first, each with its 95 % interval."""
    rows = [["set", "layout", "documents", "error rate in %", "changepoint", "recursive", "random"]]
    for rate in one.claim.rates:
        own = percent(rate.advised / rate.documents, wilson(rate.advised, rate.documents))
        others = [percent(each / rate.documents) for each in (rate.changepoint, rate.recursive, rate.random)]
        rows.append([rate.set, rate.layout, f"{rate.documents:,}", own, *others])
    return rows


def document_rows(found: SharedAdvice) -> list[list[str]]:
    """Return the advice for each document as cells, the head first; a star marks a differing strategy."""
    rows = [["document", "kind", "advised", "maximum", "chunks", "F1", "second best", "error rate in %"]]
    for one in found.documents:
        first = one.candidates[0]
        advised = one.strategy if one.strategy == found.strategy else f"{one.strategy} *"
        maximum = f"{one.maximum.tokens:,}" if one.maximum.tokens else NOTHING
        f1 = NOTHING if first.f1 is None else f"{first.f1:.2f}"
        second, rate = one.second.setting.partition(":")[0], percent(one.claim.error_rate)
        kind = one.kind.replace("_", " ")
        rows.append([one.document, kind, advised, maximum, f"{first.chunks:,}", f1, second, rate])
    return rows
