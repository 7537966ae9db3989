"""The rules that chunks are held to in continuous integration, each with a name and a level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from chunking.checks.checks import check
from chunking.checks.findings import KINDS, UNAVOIDABLE, CheckReport, CheckThresholds, Kind
from chunking.chunks import Chunk, leaves
from chunking.comparison.chunk_sizes import requested_sizes
from chunking.errors import ChunkscopeError
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis

Level = Literal["note", "warning", "error"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the least to the most severe; the levels of SARIF."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What chunks are held to.

    Attributes:
        name: its name in options and results.
        level: how severe it is to break it.
        text: what is wrong where it is broken, a sentence.
        kinds: the kinds of findings that break it; none for limits.
    """

    name: str
    level: Level
    text: str
    kinds: tuple[Kind, ...] = ()


OVER, UNDER = "over-maximum", "under-minimum"

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("cut-table", "error", "A chunk begins inside a table.", ("cut",)),
        Rule("cut-code", "error", "A chunk begins inside a block of code.", ("cut",)),
        Rule("cut-list-item", "error", "A chunk begins inside an item of a list.", ("cut",)),
        Rule("cut-sentence", "error", "A chunk begins or ends inside a sentence.", ("fragment",)),
        Rule("split-heading", "error", "A heading is in another chunk than the text below it.", ("orphan",)),
        Rule(OVER, "error", "A chunk has more tokens than the maximum, overlap included."),
        Rule(UNDER, "warning", "A chunk has fewer tokens than the minimum."),
        Rule("over-encoder-limit", "warning", "A chunk is longer than the encoder reads.", ("unread",)),
        Rule("small-chunk", "warning", "A chunk is too short to stand alone.", ("fragment",)),
        Rule("duplicate", "warning", "A chunk repeats the words of another.", ("duplicate",)),
        Rule(UNAVOIDABLE, "note", "A chunk begins inside what alone exceeds the maximum.", ("cut", "fragment")),
        Rule("cut-list", "note", "A chunk begins between two items of a list.", ("cut",)),
        Rule("missing-context", "note", "A chunk depends on the text before it.", ("orphan",)),
        Rule("mixed-topics", "note", "A chunk has more than one topic.", ("mixed",)),
    )
}
"""All rules by name, the most severe first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens that a chunk may have.

    Attributes:
        maximum: with its overlap; ``None`` for that of the setting, 0 for none.
        minimum: without its overlap; the same.
    """

    maximum: int | None = None
    minimum: int | None = None

    def __post_init__(self) -> None:
        for value in (self.maximum, self.minimum):
            if value is not None and value < 0:
                raise ChunkscopeError(f"{value} is no number of tokens.", "Give a whole number from 0; 0 for no limit.")


@dataclass(frozen=True, slots=True)
class Violation:
    """A place where a chunk breaks a rule.

    Attributes:
        rule: the rule.
        chunk: index of the chunk.
        start, end: the chunk as a half-open span of the text.
        offset: the place in the text.
        message: why, without a full stop.
        quote: the words at the place, by which it is known again in another version of the document.
    """

    rule: Rule
    chunk: int
    start: int
    end: int
    offset: int
    message: str
    quote: str = ""


@dataclass(frozen=True)
class RuleReport:
    """The violations of a segmentation.

    Attributes:
        violations: by place in the text, then by rule.
        findings: the findings that they come from.
        unseen: rules that could not be looked at, and why.
    """

    violations: tuple[Violation, ...]
    findings: CheckReport
    unseen: Mapping[str, str]


def chosen_rules(names: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of some names; all of them without a name.

    Raises:
        ChunkscopeError: a name is unknown.
    """
    for name in names:
        if name not in RULES:
            raise ChunkscopeError(f"Unknown rule {name!r:.60}.", f"Choose one of: {', '.join(RULES)}.")
    return tuple(rule for rule in RULES.values() if not names or rule.name in names)


def failing_rules(conditions: Sequence[str], rules: Mapping[str, Rule] = RULES) -> frozenset[str]:
    """Return the names of the rules that conditions speak of.

    Args:
        conditions: names of rules; a level stands for the rules at that level or above.
        rules: all rules by name.

    Raises:
        ChunkscopeError: a condition is neither.
    """
    names: set[str] = set()
    for condition in conditions:
        if condition in LEVELS:
            least = LEVELS.index(condition)
            names |= {rule.name for rule in rules.values() if LEVELS.index(rule.level) >= least}
        elif condition in rules:
            names.add(condition)
        else:
            choices = ", ".join((*LEVELS, *rules))
            raise ChunkscopeError(f"Unknown condition {condition!r:.60}.", f"Choose one of: {choices}.")
    return frozenset(names)


def violations(
    segmentation: Segmentation,
    workspace: DocumentAnalysis,
    rules: Sequence[Rule] = tuple(RULES.values()),
    limits: Limits | None = None,
    thresholds: CheckThresholds | None = None,
) -> RuleReport:
    """Return where chunks break rules.

    Args:
        segmentation: the chunks, of the workspace's document.
        workspace: the document's sentences, features and vectors.
        rules: those to look at; only ``mixed-topics`` and ``over-encoder-limit`` need the encoder.
        limits: tokens that a chunk may have; those of the setting if absent.
        thresholds: from where on something is found.

    Raises:
        ChunkscopeError: the encoder cannot be used.
    """
    kinds = [kind for kind in KINDS if any(kind in rule.kinds for rule in rules)]
    report = check(segmentation, workspace, thresholds, kinds)
    names = {rule.name for rule in rules}
    broken = [
        violation
        for violation in (*_of_findings(report), *_of_limits(segmentation, limits or Limits()))
        if violation.rule.name in names
    ]
    # A cut inside a sentence ends one chunk and begins another: one place, one violation.
    first_violations = {(violation.rule.name, violation.offset): violation for violation in reversed(broken)}
    order = {name: index for index, name in enumerate(RULES)}
    ordered = sorted(first_violations.values(), key=lambda violation: (violation.offset, order[violation.rule.name]))
    kinds_unseen = dict(report.unseen)
    unseen = {rule.name: kinds_unseen[kind] for rule in rules for kind in rule.kinds if kind in kinds_unseen}
    text = workspace.document.text
    quoted = (replace(violation, quote=_quote(text, violation.offset)) for violation in ordered)
    return RuleReport(tuple(quoted), report, unseen)


QUOTED = 80
"""Characters of the text at a place that tell it from others."""


def _quote(text: str, offset: int) -> str:
    """Return the words at a place, without the white space of their lines; surrogates become marks."""
    return " ".join(text[offset : offset + QUOTED].split()).encode("utf-8", "replace").decode("utf-8")


def _of_findings(report: CheckReport) -> Iterator[Violation]:
    for finding in report.findings:
        for cause in finding.causes:
            message = cause.reason + ("" if finding.other is None else f" with chunk {finding.other}")
            yield Violation(RULES[cause.rule], finding.chunk, finding.start, finding.end, cause.at, message)


def _of_limits(segmentation: Segmentation, limits: Limits) -> Iterator[Violation]:
    requested = requested_sizes(segmentation.params)
    maximum, minimum = limits.maximum, limits.minimum
    if maximum is None:
        maximum = requested.maximum if requested.maximum_unit == "tokens" else 0
    if minimum is None:
        minimum = requested.minimum if requested.minimum_unit == "tokens" else 0
    for chunk in leaves(segmentation.chunks):
        if maximum and chunk.indexed_tokens > maximum:
            yield _limit(OVER, chunk, f"{chunk.indexed_tokens:,} tokens, the maximum is {maximum:,}")
        if chunk.tokens < minimum:
            yield _limit(UNDER, chunk, f"{chunk.tokens:,} tokens, the minimum is {minimum:,}")


def _limit(name: str, chunk: Chunk, message: str) -> Violation:
    return Violation(RULES[name], chunk.index, chunk.start, chunk.end, chunk.start, message)
