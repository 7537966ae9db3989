"""The parts of an advice: what is advised, on which evidence, and how often such advice was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chunking.advice.profile import AdvisedMaximum, Kind, NotRepresentative
from chunking.advice.sections import DividedDocument

Number = int | float | str | None


@dataclass(frozen=True)
class Statement:
    """Something that was measured, in words and in numbers.

    Attributes:
        name: of what was measured.
        text: one or more sentences.
        values: the numbers in it, by name; shares are from 0 to 1.
    """

    name: str
    text: str
    values: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class MeasuredSetting:
    """A setting on the document.

    Attributes:
        setting: in the grammar of the command line.
        chunks: number of chunks.
        median, largest: tokens of the middle and of the largest chunk, as the tokenizer counts.
        exceeding: chunks that exceed the limit of the encoder.
        f1: boundary F1 against the reference, 0 to 1; ``None`` without a complete reference.
    """

    setting: str
    chunks: int
    median: float
    largest: int
    exceeding: int
    f1: float | None = None


@dataclass(frozen=True)
class SecondBest:
    """The setting that comes next.

    Attributes:
        setting: in the grammar of the command line.
        difference: how it differs from the advised one on this document, in sentences.
    """

    setting: str
    difference: str


@dataclass(frozen=True)
class MeasuredRate:
    """How often the advice was wrong on a set of documents whose boundaries people set.

    A choice is wrong on a document where another candidate has at least :data:`chunking.advice.rates.MARGIN` more
    boundary F1.

    Attributes:
        kind: of the documents.
        set: name of the set.
        layout: what was put back of their layout.
        documents: how many documents of the set are of the kind.
        advised: documents on which the advised strategy was wrong.
        changepoint, recursive, random: the same where one of these is always advised; ``random`` is the expectation of
            a candidate that is drawn at random.
        f1, second_f1: mean boundary F1 of the advised strategy, and of the second best.
    """

    kind: Kind
    set: str
    layout: str
    documents: int
    advised: int
    changepoint: int
    recursive: int
    random: float
    f1: float
    second_f1: float


@dataclass(frozen=True)
class MeasuredClaim:
    """What is claimed of an advice.

    Attributes:
        text: the claim, with its error rate.
        error_rate: mean over the sets, 0 to 1; ``None`` where it was not measured.
        rates: the measurements behind it; none where the advice rests on something else.
    """

    text: str
    error_rate: float | None = None
    rates: tuple[MeasuredRate, ...] = ()


@dataclass(frozen=True)
class Advice:
    """The setting that is advised for a document.

    Attributes:
        document: name of the document.
        kind: of the document.
        setting: in the grammar of the command line.
        strategy: its name.
        maximum: the maximum size of chunks that is part of it.
        evidence: what it rests on.
        second: the setting that comes next.
        changes: what would change the advice, in sentences.
        claim: how often such advice was wrong.
        candidates: all settings that were run on the document, the advised one first.
        left_out: why the document is left out of the advice for several; ``None`` where it is not.
        divided: what its complete reference says of its sections; ``None`` without one.
    """

    document: str
    kind: Kind
    setting: str
    strategy: str
    maximum: AdvisedMaximum
    evidence: tuple[Statement, ...]
    second: SecondBest
    changes: tuple[str, ...]
    claim: MeasuredClaim
    candidates: tuple[MeasuredSetting, ...]
    left_out: NotRepresentative | None = None
    divided: DividedDocument | None = None


@dataclass(frozen=True)
class SharedAdvice:
    """The setting that is advised for several documents.

    Attributes:
        setting: of most of them, with the median of their maxima; in the grammar of the command line.
        strategy: its name.
        evidence: what was measured on all of them together.
        claim: how often such advice was wrong.
        differing: names of the documents for which another strategy is advised, of those that are not left out.
        documents: the advice for each.
    """

    setting: str
    strategy: str
    evidence: tuple[Statement, ...]
    claim: MeasuredClaim
    differing: tuple[str, ...]
    documents: tuple[Advice, ...]

    @property
    def kind(self) -> str:
        """The kind of all documents; empty if they differ."""
        kinds = {advice.kind for advice in self.documents}
        return kinds.pop() if len(kinds) == 1 else ""
