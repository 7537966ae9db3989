"""An advice as JSON and as text for a terminal."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from textwrap import wrap
from typing import Any

from chunking import strategies
from chunking.advice.evidence import needs_smaller
from chunking.advice.rates import COMMAND, wilson
from chunking.advice.results import Advice, SharedAdvice, Statement
from chunking.advice.sections import number_in_words
from chunking.advice.texts import TEXTS, words
from chunking.comparison.chunk_sizes import requested_sizes
from chunking.report.formatting import NOTHING, aligned, harmless, percent
from chunking.settings import SettingsFile

WIDTH = 100
"""Characters of a line."""


def in_words(setting: str, kind: str = "") -> str:
    """Return what an advised setting does, as a sentence.

    Args:
        setting: the setting.
        kind: kind of the documents, which may have a word of its own for what a heading is; empty if they differ.
    """
    parsed = strategies.parse(setting)
    name, maximum = parsed.strategy.name, requested_sizes(parsed.params).maximum
    cut = TEXTS.get(f"plain_{kind}", {}).get(name) or words("plain", name)
    return words("plain", "within", cut=cut + number_in_words(parsed), maximum=maximum)


def as_dict(shared_advice: SharedAdvice) -> dict[str, Any]:
    """Return an advice with its evidence, as JSON can hold it."""
    return {
        "advice": in_words(shared_advice.setting, shared_advice.kind),
        "setting": shared_advice.setting,
        "strategy": shared_advice.strategy,
        "evidence": [_statement(statement) for statement in shared_advice.evidence],
        "claim": asdict(shared_advice.claim),
        "differing": list(shared_advice.differing),
        "documents": [_advice(advice) for advice in shared_advice.documents],
    }


def _advice(advice: Advice) -> dict[str, Any]:
    return asdict(advice) | {"evidence": [_statement(statement) for statement in advice.evidence]}


def _statement(statement: Statement) -> dict[str, Any]:
    return {"name": statement.name, "text": statement.text, "values": dict(statement.values)}


def settings_file(shared_advice: SharedAdvice, file: SettingsFile) -> SettingsFile:
    """Return a settings file with the shared advice, and with that of each document that needs another.

    These are the documents of another strategy, and those of which the encoder would leave something unread. They are
    named as patterns of their own.

    Args:
        shared_advice: the advice.
        file: how the documents were read and measured.
    """
    maximum = requested_sizes(strategies.parse(shared_advice.setting).params).maximum
    documents = {
        glob.escape(advice.document): strategies.parse(advice.setting)
        for advice in shared_advice.documents
        if advice.document in shared_advice.differing or needs_smaller(advice, maximum)
    }
    settings = {shared_advice.strategy: strategies.parse(shared_advice.setting)}
    return replace(file, settings=settings, documents=documents)


# Text -------------------------------------------------------------------------------------------------------------


def text(shared_advice: SharedAdvice) -> str:
    """Return an advice for people: all of it for one document, a table by document for several."""
    lines = (
        _document_lines(shared_advice.documents[0])
        if len(shared_advice.documents) == 1
        else _shared_lines(shared_advice)
    )
    return harmless("\n".join(lines)) + "\n"


def _document_lines(advice: Advice) -> Iterator[str]:
    yield f"Advice for {advice.document}: {in_words(advice.setting, advice.kind)}"
    yield f"Setting: {advice.setting}"
    yield from _part("Evidence", [f"{statement.name}: {statement.text}" for statement in advice.evidence])
    yield from _part("Second best", [f"{advice.second.setting}: {advice.second.difference}"])
    yield from _part("What would change the advice", advice.changes)
    yield from _part("What is claimed", [advice.claim.text])
    if advice.claim.rates:
        yield ""
        yield from aligned(rate_rows(advice)).split("\n")
        yield f"  Measured by: {COMMAND}"


def _shared_lines(shared_advice: SharedAdvice) -> Iterator[str]:
    advised = in_words(shared_advice.setting, shared_advice.kind)
    yield f"Advice for {len(shared_advice.documents):,} documents: {advised}"
    yield f"Setting: {shared_advice.setting}"
    yield from _part("Evidence", [f"{statement.name}: {statement.text}" for statement in shared_advice.evidence])
    yield from _part("What is claimed", [shared_advice.claim.text])
    yield ""
    yield from aligned(document_rows(shared_advice)).split("\n")
    if shared_advice.differing:
        yield from _part("Another strategy is advised for", shared_advice.differing)
    yield ""
    yield "The evidence for one document: suggest FILE."


def _part(title: str, items: Sequence[str]) -> Iterator[str]:
    yield ""
    yield title
    for item in items:
        sentence = " ".join(item.split()).replace(" %", "\N{NO-BREAK SPACE}%")
        lines = wrap(sentence, WIDTH, initial_indent="- ", subsequent_indent="  ")
        yield from (line.replace("\N{NO-BREAK SPACE}", " ") for line in lines)


def rate_rows(advice: Advice) -> list[list[str]]:
    """Return the error rates behind the claim of an advice as cells, the head first, each with its 95 % interval."""
    rows = [["set", "layout", "documents", "error rate in %", "changepoint", "recursive", "random"]]
    for rate in advice.claim.rates:
        advised_rate = percent(rate.advised / rate.documents, wilson(rate.advised, rate.documents))
        baseline_rates = [
            percent(n_right / rate.documents) for n_right in (rate.changepoint, rate.recursive, rate.random)
        ]
        rows.append([rate.set, rate.layout, f"{rate.documents:,}", advised_rate, *baseline_rates])
    return rows


def document_rows(shared_advice: SharedAdvice) -> list[list[str]]:
    """Return the advice for each document as cells, the head first; a star marks a differing strategy."""
    rows = [["document", "kind", "advised", "maximum", "chunks", "F1", "second best", "error rate in %"]]
    for advice in shared_advice.documents:
        first = advice.candidates[0]
        advised = f"{advice.strategy} *" if advice.document in shared_advice.differing else advice.strategy
        maximum = f"{advice.maximum.tokens:,}"
        f1 = NOTHING if first.f1 is None else f"{first.f1:.2f}"
        second, rate = advice.second.setting.partition(":")[0], percent(advice.claim.error_rate)
        kind = advice.left_out or advice.kind.replace("_", " ")
        rows.append([advice.document, kind, advised, maximum, f"{first.chunks:,}", f1, second, rate])
    return rows
