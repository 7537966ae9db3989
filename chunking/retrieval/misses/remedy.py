"""The smallest change of a setting that brings a missed answer into view, and what it does to all other questions.

Where a strategy cuts by a threshold, the control of α and that of the threshold are moved, one at a time, stop by stop
and outwards from where they stand. What is cut in the answer's document at each stop is known from its curves without
cutting anything, so a stop is a candidate where the chunk around the answer becomes another that fits the cause: with
fewer cuts inside the answer, where it was cut; a smaller one, where the answer was diluted or out of the encoder's
reach; any other, where it was outranked. Last, and of other strategies alone, the size is doubled or halved.

The candidates of all controls are tried in the order of how far they move them, as a share of the control's range,
until one mends the question or :data:`TRIES` have been: the whole corpus is cut anew, what is new is embedded, all
questions are asked again. So the effect of a change is measured, not predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from chunking.document import Span
from chunking.errors import ChunkscopeError
from chunking.params import Parameter, Parameters, Value
from chunking.retrieval.evaluate import EvaluationContext, RetrievalEvaluation, RetrievalRow, Trial
from chunking.retrieval.misses import retrieved
from chunking.retrieval.misses.causes import Cause, Miss, MissAnalysis
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import Answer
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Rankings
from chunking.retrieval.significance import differences
from chunking.runtime.arrays import Bools, Float64
from chunking.signals import thresholds
from chunking.signals.distances import fuse
from chunking.signals.signals import Signals
from chunking.signals.thresholds import AMOUNT_OF
from chunking.strategies import Setting

TRIES = 6
"""Changes that are tried for a question."""

SIZES = ("size", "chunk_size", "max_tokens")
"""Parameters that say how large a chunk is, the first that a strategy has and that is not 0."""

_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Numbers of boundaries above and below the present one that are tried, of change points."""

_COARSE = 5
"""Of how many stops of α one is looked at where a long document has to be divided anew for each."""

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A change that may mend a question.

    Attributes:
        parameter: its name.
        before, after: its value.
        share: how far it is moved, as a share of its range; of a size, of how often it is doubled or halved.
        chunk: the chunk around the answer after it, before limits; ``None`` where that is not foretold.
    """

    parameter: str
    before: Value
    after: Value
    share: float
    chunk: Span | None


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question whose value is another.

    Attributes:
        question: its place in the set.
        before, after: its value.
    """

    question: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that was tried, and what it did.

    Attributes:
        question: what it was tried for.
        parameter, title, before, after: what was changed, from what to what.
        setting: the changed setting, as a line.
        mended: whether what was missed for the main cause is looked at now.
        measure: what the values are of, see :meth:`~chunking.retrieval.misses.retrieved.Cutoff.measure`.
        value_before, value_after: of the question.
        worse, better: the other questions that change, the most changed first.
        mean: over all questions, after less before.
        interval: of ``mean``, paired, of 95 %; ``None`` of fewer than two questions.
        passages: how many there were and are.
    """

    question: int
    parameter: str
    title: str
    before: Value
    after: Value
    setting: str
    mended: bool
    measure: str
    value_before: float
    value_after: float
    worse: tuple[QuestionChange, ...]
    better: tuple[QuestionChange, ...]
    mean: float
    interval: tuple[float, float] | None
    passages: tuple[int, int]


def remedies(
    evaluation: RetrievalEvaluation,
    row: RetrievalRow,
    analyzed: MissAnalysis,
    within: Cutoff,
    context: EvaluationContext,
    tries: int = TRIES,
) -> tuple[Remedy, ...]:
    """Return the changes that were tried for a question, in order; only the last may mend it.

    Empty where nothing can be changed: the strategy has no threshold and no size, no stop of its controls makes another
    chunk of the answer, or the document could not be cut.

    Args:
        evaluation: the evaluation.
        row: one of its rows.
        analyzed: a question of it, by :func:`chunking.retrieval.misses.analysis.analyze`.
        within: what is looked at, as it was for the blame.
        context: of the same evaluation.
        tries: how many changes are tried at most.

    Raises:
        ChunkscopeError: the encoder cannot be used.
    """
    mending = _RepairSearch(evaluation, row, analyzed, within, context)
    tried: list[Remedy] = []
    for candidate in candidates(mending.setting, analyzed.leading, context):
        if len(tried) >= tries or (tried and tried[-1].mended):
            break
        changed = _change_setting(mending.setting, candidate.parameter, candidate.after)
        if changed is not None:
            tried.append(mending.by(candidate, changed))
    return tuple(tried)


def _change_setting(setting: Setting, name: str, value: Value) -> Setting | None:
    """Return the setting with another value; ``None`` where it does not go with the others."""
    try:
        return replace(setting, params=replace(setting.params, **{name: value}))
    except ChunkscopeError:
        return None


class _RepairSearch:
    """A question to be mended, and how all of them stood before."""

    def __init__(
        self,
        evaluation: RetrievalEvaluation,
        row: RetrievalRow,
        analyzed: MissAnalysis,
        within: Cutoff,
        context: EvaluationContext,
    ) -> None:
        self.setting = evaluation.settings[row.strategy]
        self._method = row.method
        self._passages = len(evaluation.passages[row.strategy])
        self._blamed, self._within, self._context = analyzed, within, context
        self._before = self._values(evaluation.passages[row.strategy], row.hits)

    def _values(self, passages: Passages, hits: Rankings) -> Float64:
        return retrieved.values(self._context.question_set, passages, hits, self._within, self._context.tokenizer)

    def by(self, candidate: ParameterChange, changed: Setting) -> Remedy:
        """Try a change on the whole corpus."""
        trial, question = self._context.trial(changed, self._method), self._blamed.question
        before, after = self._before, self._values(trial.passages, trial.hits)
        moved = after - before
        other_questions = [index for index in np.flatnonzero(np.abs(moved) > _EQUAL).tolist() if index != question]
        other_questions.sort(key=lambda index: (-abs(moved[index]), index))
        changes = [QuestionChange(index, float(before[index]), float(after[index])) for index in other_questions]
        paired = differences({"after": after, "before": before})
        return Remedy(
            question=question,
            parameter=candidate.parameter,
            title=self.setting.params.lookup(candidate.parameter).title,
            before=candidate.before,
            after=candidate.after,
            setting=changed.text,
            mended=self._is_mended(trial),
            measure=self._within.measure(self._context.question_set.truth),
            value_before=float(before[question]),
            value_after=float(after[question]),
            worse=tuple(change for change in changes if change.after < change.before),
            better=tuple(change for change in changes if change.after > change.before),
            mean=float(moved.mean()),
            interval=paired[0].interval if paired else None,
            passages=(self._passages, len(trial.passages)),
        )

    def _is_mended(self, trial: Trial) -> bool:
        """Return whether all that was missed for the main cause is looked at."""
        question_set, question = self._context.question_set, self._blamed.question
        missed = [miss for miss in self._blamed.misses if miss.cause == self._blamed.cause]
        if question_set.truth == "documents":
            ranked_documents = retrieved.documents(question_set, trial.passages, trial.hits, question).places
            return {miss.document for miss in missed} <= set(ranked_documents[: self._within.passages].tolist())
        indices = trial.hits.passages[question]
        ranges = retrieved.retrieved_ranges(
            question_set, trial.passages, indices, self._within, self._context.tokenizer
        )
        return not retrieved.missing(
            question_set, [Answer(miss.document, miss.start, miss.end) for miss in missed], ranges
        )


# --- what may be changed ----------------------------------------------------------------------------------------


def candidates(setting: Setting, miss: Miss, context: EvaluationContext) -> tuple[ParameterChange, ...]:
    """Return the changes that may mend a miss, the smallest first.

    Args:
        setting: as it is.
        miss: what is missed.
        context: has the documents.
    """
    if miss.cause == "absent":
        return ()
    signals = context.segmentation(setting, miss.document).signals
    if signals is None:
        return tuple(_sizes(setting.params, miss))
    around = _SurroundingChunk(signals, miss.whole, miss.cause)

    def cut_anew(name: str, value: float) -> Bools:
        changed = _change_setting(setting, name, value)
        again = context.segmentation(changed, miss.document).signals if changed else None
        return signals.threshold.exceeded if again is None else again.threshold.exceeded

    changes = [
        *_alphas(setting, signals, around, cut_anew),
        *_amounts(setting, signals, around),
        *_counts(setting, signals, around, cut_anew),
        *_sizes(setting.params, miss),
    ]
    return tuple(sorted(changes, key=lambda change: change.share))


class _SurroundingChunk:
    """The chunk around an answer, as other gaps are cut."""

    def __init__(self, signals: Signals, answer: Span, cause: Cause) -> None:
        self._offsets, self._length = signals.offsets, len(signals.sentences.document.text)
        self._start, self._end, self._cause = answer.start, answer.end, cause
        self.now = self.chunk(signals.threshold.exceeded)

    def chunk(self, cut: Bools) -> tuple[int, int, int]:
        """Return start and end of the chunks that share the answer, and the number of cuts inside it."""
        offsets = self._offsets[cut]
        first = int(np.searchsorted(offsets, self._start, side="right"))
        last = int(np.searchsorted(offsets, self._end, side="left"))
        start = int(offsets[first - 1]) if first else 0
        return start, int(offsets[last]) if last < len(offsets) else self._length, last - first

    def fits(self, chunk: tuple[int, int, int]) -> bool:
        """Return whether a chunk may mend the cause."""
        start, end, inside = chunk
        if self._cause == "cut":
            return inside < self.now[2]
        smaller = end - start < self.now[1] - self.now[0]
        return inside <= self.now[2] and (smaller or self._cause == "outranked") and chunk != self.now

    def along(self, values: Float64, cut: Callable[[float], Bools]) -> Iterator[tuple[float, Span]]:
        """Yield the values, from the nearest outwards, at which the chunk becomes another that fits."""
        last = self.now
        for value in values.tolist():
            chunk = self.chunk(cut(value))
            if chunk != last and self.fits(chunk):
                yield value, Span(chunk[0], chunk[1])
            last = chunk


def stops(parameter: Parameter) -> Float64:
    """Return every value that the control of a parameter takes, as the nearest floats to its decimals."""
    low, high, step = (cast(float, value) for value in (parameter.minimum, parameter.maximum, parameter.step))
    values: Float64 = (low + step * np.arange(round((high - low) / step) + 1, dtype=np.float64)).round(6)
    return values


def _move_control(
    params: Parameters, name: str, around: _SurroundingChunk, cut: Callable[[float], Bools], every: int = 1
) -> Iterator[ParameterChange]:
    """Yield the candidates of a control, of either direction, where ``every`` so many stops are looked at."""
    parameter, now = params.lookup(name), float(cast(float, getattr(params, name)))
    values = stops(parameter)[::every]
    reach = float(values[-1] - values[0])
    for side in (values[values < now - _EQUAL][::-1], values[values > now + _EQUAL]):
        for value, chunk in around.along(side, cut):
            yield ParameterChange(name, now, value, abs(value - now) / reach, chunk)


def _alphas(
    setting: Setting, signals: Signals, around: _SurroundingChunk, cut_anew: Callable[[str, float], Bools]
) -> Iterator[ParameterChange]:
    """Yield other values of α."""
    threshold, params = signals.threshold, setting.params
    if signals.structure is None or "alpha" not in params.values():
        return
    if threshold.rule == "penalty":
        if threshold.counterfactual is not None and threshold.counterfactual.alphas:
            yield from _move_control(params, "alpha", around, threshold.counterfactual.at_alpha)
        else:  # a long document, which takes long to divide
            yield from _move_control(params, "alpha", around, lambda alpha: cut_anew("alpha", alpha), _COARSE)
        return
    rule = threshold.rule

    def cut(alpha: float) -> Bools:
        return thresholds.apply(rule, threshold.amount, fuse(signals.semantic, signals.structural, alpha)).exceeded

    yield from _move_control(params, "alpha", around, cut)


def _amounts(setting: Setting, signals: Signals, around: _SurroundingChunk) -> Iterator[ParameterChange]:
    """Yield other amounts of the threshold rule: percentiles, or factors."""
    threshold = signals.threshold
    if threshold.rule == "penalty" or AMOUNT_OF[threshold.rule] not in setting.params.values():
        return
    flips = [threshold.flip_amount(gap) for gap in range(len(signals))]
    reached = np.array([flip for flip in flips if flip is not None])
    if len(reached) == len(flips) > 0:
        yield from _move_control(setting.params, AMOUNT_OF[threshold.rule], around, lambda amount: reached > amount)


def _counts(
    setting: Setting, signals: Signals, around: _SurroundingChunk, cut_anew: Callable[[str, float], Bools]
) -> Iterator[ParameterChange]:
    """Yield other percentiles of change points, by other numbers of boundaries in the answer's document."""
    params, gaps = setting.params.values(), len(signals)
    if signals.threshold.rule != "penalty" or "percentile" not in params or params.get("boundaries") or not gaps:
        return
    now = int(np.count_nonzero(signals.threshold.exceeded))
    most = cast(float, setting.params.lookup("percentile").maximum)
    present = float(cast(float, params["percentile"])) or 100 * (1 - now / gaps)  # 0 stands for a penalty
    for sign in (1, -1):
        counts = [now + sign * step for step in _STEPS]
        values = [round(100 * (1 - count / gaps), 1) for count in counts if 0 < count < gaps]
        usable = np.array([value for value in dict.fromkeys(values) if 0 < value <= most and value != present])
        for value, chunk in around.along(usable, lambda value: cut_anew("percentile", value)):
            yield ParameterChange("percentile", params["percentile"], value, abs(value - present) / most, chunk)


def _sizes(params: Parameters, miss: Miss) -> Iterator[ParameterChange]:
    """Yield another size.

    Doubled where an answer was cut, halved where its passage is too large, both where it is outranked. Where no size is
    set and the passage is too large, a maximum of half of its tokens.
    """
    values: Mapping[str, Value] = params.values()
    name = next((name for name in SIZES if name not in params.inactive and values.get(name)), None)
    large = miss.cause in ("reach", "diluted")
    if name is not None:
        now = cast(int, values[name])
        sizes = [now // 2] if large else [2 * now] if miss.cause == "cut" else [now // 2, 2 * now]
    elif large and "max_tokens" in values:
        name, now = "max_tokens", 0
        sizes = [miss.tokens // 2]
    else:
        return
    parameter = params.lookup(name)
    low, step = cast(int, parameter.minimum), cast(int, parameter.step)
    for after in (value // step * step for value in sizes):
        if max(low, 1) <= after <= cast(int, parameter.maximum) and after != now:
            yield ParameterChange(name, now, after, 1.0, None)
