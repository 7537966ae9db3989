"""Findings about chunks: their kinds, the rules that they break, and the thresholds that they are found from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Kind = Literal["duplicate", "orphan", "fragment", "mixed", "cut", "unread"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class CheckThresholds:
    """From where on something is found.

    Attributes:
        duplicate: the share of runs of ``run`` words that two chunks have in common, of all that either has (Jaccard).
        run: words in a row that are compared; a chunk with fewer is compared as a whole.
        small: tokens below which a chunk is a fragment.
        block: sentences on each side that are compared, and that a topic has at least.
        mixed: share of the cuts between sentences that must be weaker than the strongest place inside a chunk.
        cuts: so many cuts between sentences are needed before anything can be said of topics.
    """

    duplicate: float = 0.8
    run: int = 5
    small: int = 20
    block: int = 3
    mixed: float = 0.75
    cuts: int = 4


UNAVOIDABLE = "unavoidable-cut"
"""Name of the rule for a cut inside what alone exceeds the maximum."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of a finding.

    Attributes:
        rule: name of the rule that is broken, see :mod:`chunking.checks.rules`.
        at: the place in the text.
        reason: in words, without a full stop.
    """

    rule: str
    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something doubtful in a chunk.

    Attributes:
        kind: see the module.
        chunk: its index.
        start, end: the chunk as a half-open span of the text.
        reason: in words, without a full stop.
        other: the chunk whose words it has; ``None`` of other kinds.
        at: the place in the text that the reason speaks of: where it was cut, where its topics part, the word.
        causes: the parts of the reason, each with the rule that is broken there.
    """

    kind: Kind
    chunk: int
    start: int
    end: int
    reason: str
    other: int | None = None
    at: int | None = None
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True)
class CheckReport:
    """All findings of a segmentation.

    Attributes:
        findings: by chunk, then by kind.
        chunks: how many chunks were looked at.
        thresholds: from where on something was found.
        unseen: what could not be looked for and why, by kind.
    """

    findings: tuple[Finding, ...]
    chunks: int
    thresholds: CheckThresholds = field(default_factory=CheckThresholds)
    unseen: tuple[tuple[Kind, str], ...] = ()

    def summary(self) -> dict[Kind, dict[str, float]]:
        """Return by kind how many findings there are, how many chunks have one, and their share of all chunks."""
        rows: dict[Kind, dict[str, float]] = {}
        for kind in KINDS:
            chunks = [finding.chunk for finding in self.findings if finding.kind == kind]
            affected = len(set(chunks))
            share = round(affected / self.chunks, 6) if self.chunks else 0.0
            rows[kind] = {"findings": len(chunks), "chunks": affected, "share": share}
        return rows

    @property
    def without_findings(self) -> int:
        """How many chunks have no finding."""
        return self.chunks - len({finding.chunk for finding in self.findings})
