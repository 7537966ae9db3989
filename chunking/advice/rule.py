"""The rule: which strategy is advised for each kind of document, and which comes next.

It has no more parameters than :data:`RANKINGS` and :data:`chunking.advice.profile.THRESHOLDS`. Both were chosen by
``python -m benchmarks advice``, which also measures how often the rule is wrong on documents that it was not chosen on.
Programs, JSON, YAML and documents of tables have no true boundaries in any set: their rankings are not measured.
"""

from __future__ import annotations

from collections.abc import Mapping

from chunking.advice.profile import Kind

CANDIDATES: tuple[str, ...] = (
    "changepoint",
    "structural",
    "heading",
    "heading_limited",
    "hierarchical",
    "markdown",
    "paragraph",
    "recursive",
)
"""The strategies that are compared with each other, on every document."""

BASELINE = "recursive"
"""The candidate that most programs use."""

RANKINGS: Mapping[Kind, tuple[str, str]] = {
    "code": ("code", "changepoint"),
    "json": ("json", "changepoint"),
    "yaml": ("hierarchical", "heading"),
    "blocks": ("markdown", "changepoint"),
    "dialogue": ("changepoint", "structural"),
    "headings": ("heading", "heading_limited"),
    "long_sections": ("structural", "heading"),
    "technical": ("structural", "changepoint"),
    "prose": ("changepoint", "structural"),
}
"""The advised strategy and the second best, by kind of document."""

UNMEASURED: frozenset[Kind] = frozenset(("code", "json", "yaml", "blocks"))
"""Kinds whose ranking is not measured: a parser finds their parts, and no set of them has true boundaries."""


def ranked(kind: Kind) -> tuple[str, ...]:
    """Return the strategies to compare on a document of a kind: the advised one, the second best, then the others."""
    return tuple(dict.fromkeys((*RANKINGS[kind], *CANDIDATES)))
