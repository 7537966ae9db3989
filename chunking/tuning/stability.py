"""Stability: how often each boundary survives when what should not matter is changed a little.

Four kinds of disturbance, see :data:`KINDS`. Of each the share of disturbed runs is found in which the gap is still a
boundary of the threshold, before any limit of size; nothing is drawn at random and nothing is embedded.

The shares of *jitter* are exact: at one α a gap is cut exactly while the percentile is below the one at which it flips,
so the share of the percentiles is a length, and it is averaged over the steps of α that the slider has. Those of
*neighbours* are what measuring the document anew without each sentence would give, found by recomputing only the gaps
that see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from chunking.comparison import cut_changes
from chunking.params import Parameters
from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from chunking.signals import distances, thresholds
from chunking.signals.signals import Signals
from chunking.signals.thresholds import AMOUNT_OF, Rule
from chunking.strategies.changepoint import ChangepointParameters, changepoint_signals
from chunking.strategies.gaps import StructuralParameters, structural_signals
from chunking.tuning.landscape import ALPHAS, landscape
from chunking.workspace import DocumentAnalysis

ALPHA = 0.1
"""The step by which α is moved up and down."""

AMOUNT: Mapping[str, float] = {"percentile": 2.5, "deviations": 0.25, "iqr_factor": 0.25}
"""The step by which the amount of a threshold rule is moved up and down, by the name of its parameter."""

FINENESS = 0.25
"""The step by which the fineness of change points is moved up and down."""

BLOCKS = (1, 2, 3, 4, 5)
"""Sentences on each side of a gap that are tried."""


@dataclass(frozen=True)
class Disturbance:
    """A kind of disturbance, in plain words.

    Attributes:
        title: of a column or a chart.
        help: what is varied, and what the share means.
    """

    title: str
    help: str


KINDS: Mapping[str, Disturbance] = {
    "jitter": Disturbance(
        "Nearby settings",
        f"Share of the settings close to this one that cut here: α up to {ALPHA:g} away and the percentile up to "
        f"{AMOUNT['percentile']:g} (of the other threshold rules, the factor up to {AMOUNT['deviations']:g}), all of "
        "them counted. Of change points, where each setting divides the document anew, α and the percentile are moved "
        "so far one at a time; with an automatic number of boundaries, coarse to fine by a quarter of a step.",
    ),
    "windows": Disturbance(
        "Other windows",
        f"Share of other ways to look at the text that cut here: {BLOCKS[0]} to {BLOCKS[-1]} sentences on each side "
        "of a gap, and other sentence windows where they are embedded already. Change points have neither.",
    ),
    "encoders": Disturbance(
        "Other encoders",
        "Share of the other encoders with which the same setting cuts here; where they split the sentences "
        "differently, at the gap that is nearest. One that compares letters rather than meaning says little here, so "
        "other encoders are shown and not counted in the mean.",
    ),
    "neighbours": Disturbance(
        "A sentence taken out",
        "Each sentence that the distance here is measured on is taken out, one at a time, and the rest measured "
        "again; the share of times the place is still cut. Beside the missing sentence its two gaps become one, with "
        "the stronger structural distance of both. With a sentence window, its words stay in the vectors of its "
        "neighbours. Not known of change points, whose whole division would move, and of distances at several scales, "
        "which are compared with those of the whole document.",
    ),
}
"""The kinds of disturbance by the name of their shares, in the order in which they are shown."""


@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of each boundary.

    Attributes:
        gaps: ``(n,)`` int64, ascending: the gaps over the threshold of the present setting.
        jitter, windows, encoders, neighbours: ``(n,)`` float64, of each kind in :data:`KINDS` the share of disturbed
            runs, 0 to 1, in which the gap is still a boundary; NaN where the kind is not known.
    """

    gaps: Int64
    jitter: Float64
    windows: Float64
    encoders: Float64
    neighbours: Float64

    @property
    def shares(self) -> Mapping[str, Float64]:
        """By kind, the shares of the gap itself."""
        return {kind: cast(Float64, getattr(self, kind)) for kind in KINDS}

    @property
    def overall(self) -> Float64:
        """``(n,)`` float64: the plain mean of the kinds that are known, but for other encoders.

        The cuts of another encoder say nothing about reference boundaries where that encoder compares letters.
        """
        kinds = [shares for kind, shares in self.shares.items() if kind != "encoders"]
        shares_by_kind = np.stack([shares for shares in kinds if not np.isnan(shares).any()])
        return cast(Float64, shares_by_kind.mean(axis=0))


def stability(
    workspace: DocumentAnalysis,
    params: StructuralParameters | ChangepointParameters,
    other_workspaces: Sequence[DocumentAnalysis] = (),
) -> Stability:
    """Return how often each boundary of a setting survives.

    For 5,000 sentences and 500 boundaries it takes some 0.2 seconds; about 1 with blocks of ten or another threshold
    rule, whose statistic is found anew without each sentence; up to 1.5 of change points, which divide the document up
    to four times more.

    Args:
        workspace: the document; the vectors of the setting's window are there, or are embedded.
        params: the setting.
        other_workspaces: the same document with other encoders. Those whose vectors are not there yet do not count: see
            :meth:`chunking.workspace.DocumentAnalysis.embedded`.

    Raises:
        ValueError: another workspace is of another document.
    """
    if any(other.document.key != workspace.document.key for other in other_workspaces):
        raise ValueError("the other workspaces are of another document")
    signals = _signals(workspace, params)
    gaps = np.flatnonzero(signals.threshold.exceeded)
    if isinstance(params, StructuralParameters):
        shares = {
            "jitter": _jitter(signals, params, gaps),
            "windows": _survival_shares(_windows(workspace, params), gaps),
            "neighbours": _neighbours(workspace, params, signals, gaps),
        }
    else:
        shares = {
            "jitter": _survival_shares(
                (_cut(workspace, moved_params) for moved_params in _nearby_settings(params)), gaps
            ),
            "windows": _unknown_shares(gaps),
            "neighbours": _unknown_shares(gaps),
        }
    shares["encoders"] = _survival_shares(_encoders(workspace, params, other_workspaces), gaps)
    return Stability(gaps=gaps, **shares)


def _signals(workspace: DocumentAnalysis, params: StructuralParameters | ChangepointParameters) -> Signals:
    if isinstance(params, StructuralParameters):
        return structural_signals(workspace, params)
    return changepoint_signals(workspace, params)


def _cut(workspace: DocumentAnalysis, params: StructuralParameters | ChangepointParameters) -> Bools:
    return _signals(workspace, params).threshold.exceeded


# --- shares of runs ------------------------------------------------------------------------------------------------


def _survival_shares(runs: Iterable[Bools], gaps: Int64) -> Float64:
    """Return the shares of runs, each ``(n_gaps,)`` bool, that cut the gaps; unknown where there is no run."""
    cuts = [cut[gaps] for cut in runs]
    return np.mean(cuts, axis=0, dtype=np.float64) if cuts else _unknown_shares(gaps)


def _unknown_shares(gaps: Int64) -> Float64:
    return np.full(len(gaps), np.nan)


def _bounds(params: Parameters, name: str, far: float) -> tuple[float, float]:
    """Return a parameter's value less and plus something, within its bounds."""
    parameter, value = params.lookup(name), float(getattr(params, name))
    return max(value - far, cast(float, parameter.minimum)), min(value + far, cast(float, parameter.maximum))


# --- nearby settings -----------------------------------------------------------------------------------------------


def _jitter(signals: Signals, params: StructuralParameters, gaps: Int64) -> Float64:
    """Return the share of a box of α and amount that cuts each gap."""
    rule = cast(Rule, params.threshold)
    low, high = _bounds(params, AMOUNT_OF[rule], AMOUNT[AMOUNT_OF[rule]])
    alphas = ALPHAS[np.abs(ALPHAS - params.alpha) <= ALPHA + _ROUNDING]
    flips = _flips(signals, rule, alphas)[:, gaps]
    shares: Float64 = (np.clip(flips, low, high).mean(axis=0) - low) / (high - low)
    return shares


_ROUNDING = 1e-6


def _flips(signals: Signals, rule: Rule, alphas: Float64) -> Float64:
    """Return ``(A, n_gaps)``: at each α, the amount of the rule below which each gap is cut."""
    if rule == "percentile":
        return landscape(signals.semantic, signals.structural, alphas).flip.astype(np.float64)
    curves = (distances.fuse(signals.semantic, signals.structural, alpha) for alpha in alphas.tolist())
    return np.stack([_amounts(rule, fused) for fused in curves])


def _amounts(rule: Rule, fused: Float64) -> Float64:
    """Return ``(n_gaps,)``: the amount of another rule below which each gap is cut; −∞ where none cuts it, ∞ where all
    do.
    """
    if len(fused) < 2:
        return np.full(len(fused), -np.inf)
    if rule == "gradient":
        slopes = thresholds.gradient(fused)
        amounts: Float64 = 100 * np.searchsorted(np.sort(slopes), slopes) / (len(slopes) - 1)
        return amounts
    mean = thresholds.apply(rule, 0.0, fused).value
    spread = thresholds.apply(rule, 1.0, fused).value - mean
    # Without a spread (half of the gaps may be equal) every amount asks for the mean alone.
    return (fused - mean) / spread if spread > 0 else np.where(fused > mean, np.inf, -np.inf)


def _nearby_settings(params: ChangepointParameters) -> list[ChangepointParameters]:
    """Return settings nearby that divide the document anew, one parameter moved at a time."""
    settings = [replace(params, alpha=alpha) for alpha in _bounds(params, "alpha", ALPHA)]
    if params.percentile and not params.boundaries:
        step = cast(float, params.lookup("percentile").step)  # at 0 the number of chunks would be automatic
        low, high = _bounds(params, "percentile", AMOUNT["percentile"])
        settings += [replace(params, percentile=percentile) for percentile in (max(low, step), high)]
    elif not params.boundaries:
        low, high = _bounds(params, "fineness", FINENESS)
        settings += [replace(params, fineness=fineness) for fineness in (low, high)]
    return [setting for setting in settings if setting != params]


# --- other windows, other encoders ---------------------------------------------------------------------------------


def _windows(workspace: DocumentAnalysis, params: StructuralParameters) -> Iterable[Bools]:
    """Return the cuts under other block sizes, and other windows whose vectors are cached."""
    for block in BLOCKS:
        if block != params.block:
            yield _cut(workspace, replace(params, block=block))
    parameter = params.lookup("window")
    for window in range(int(cast(float, parameter.minimum)), int(cast(float, parameter.maximum)) + 1):
        if window != params.window and workspace.has_vectors(window):
            yield _cut(workspace, replace(params, window=window))


def _encoders(
    workspace: DocumentAnalysis,
    params: StructuralParameters | ChangepointParameters,
    other_workspaces: Sequence[DocumentAnalysis],
) -> Iterable[Bools]:
    """Return the cuts under the other encoders, at the gaps of this workspace."""
    window = params.window if isinstance(params, StructuralParameters) else 0
    for other in other_workspaces:
        if other.has_vectors(window):
            offsets = other.offsets[_cut(other, params)]
            gaps = cut_changes.nearest_gaps(offsets, workspace.offsets)[0]
            cut = np.zeros(len(workspace.offsets), dtype=np.bool_)
            cut[gaps[gaps >= 0]] = True
            yield cut


# --- a sentence taken out ------------------------------------------------------------------------------------------


def _neighbours(workspace: DocumentAnalysis, params: StructuralParameters, signals: Signals, gaps: Int64) -> Float64:
    """Return the share of sentences beside each gap without which its place is still cut.

    Unknown of distances at several scales: they are compared with the whole document's, so each sentence that is taken
    out would mean to measure all of it again.
    """
    if not len(gaps) or not params.block:
        return _unknown_shares(gaps)
    block, last = params.block, len(signals)
    neighbours = gaps[:, None] + np.arange(1 - block, block + 1)
    # Without the first sentence the place of the first gap is the start of the document; so at its end.
    counts = (neighbours >= 0) & (neighbours <= last) & ~((neighbours == 0) & (gaps == 0)[:, None])
    counts &= ~((neighbours == last) & (gaps == last - 1)[:, None])
    sentences = np.unique(neighbours[counts])
    cut = _cut_without(sentences, workspace.vectors(params.window), signals, params)
    row = np.minimum(np.searchsorted(sentences, neighbours), len(sentences) - 1)
    columns = gaps[:, None] - (gaps[:, None] >= neighbours) - neighbours + block + 1
    runs = counts.sum(axis=1)
    shares: Float64 = np.where(counts, cut[row, columns], False).sum(axis=1) / runs
    return shares


def _cut_without(sentences: Int64, vectors: Float32, signals: Signals, params: StructuralParameters) -> Bools:
    """Return which gaps near a sentence are cut in the document without it.

    Args:
        sentences: ``(n,)`` that are taken out, one at a time.
        vectors: ``(n_sentences, dim)``.

    Returns:
        ``(n, 2 · block + 1)`` bool: of the gaps of the shorter document from ``sentence − block − 1`` on, of which the
        middle one, ``sentence − 1``, stands for the two beside the sentence, and the first and last see it no more.
        False where there is no such gap.
    """
    block, rule = params.block, cast(Rule, params.threshold)
    positions = sentences[:, None] + np.arange(-block - 1, block)
    exists = (positions >= 0) & (positions < len(signals) - 1)
    structural = _without(signals.structural, sentences, positions)
    semantic = _without(signals.semantic, sentences, positions)
    semantic[:, 1:-1] = _semantic_without(sentences, vectors, block)
    fused = distances.fuse(semantic, structural, signals.alpha)
    cut = np.zeros(positions.shape, dtype=np.bool_)
    unsure = np.ones(len(sentences), dtype=np.bool_)
    if rule == "percentile":
        cut, unsure = _over_percentile(signals.fused, sentences, np.where(exists, fused, np.inf), params.percentile)
    for row in np.flatnonzero(unsure).tolist():
        curve = _without(signals.fused, sentences[row], np.arange(len(signals) - 1))
        curve[positions[row][exists[row]]] = fused[row][exists[row]]
        exceeded = thresholds.apply(rule, params.amount, curve).exceeded
        cut[row] = exceeded[np.clip(positions[row], 0, len(exceeded) - 1)]
    return cut & exists


def _without(values: Float64, sentence: Int64, positions: Int64) -> Float64:
    """Return the curve without a sentence, at places of the shorter document; the stronger of two where they become
    one.
    """
    column = np.asarray(sentence)[..., None]
    last = len(values) - 1
    before = values[np.clip(positions + (positions >= column), 0, last)]
    other = values[np.clip(positions + 1, 0, last)]
    merged_values: Float64 = np.where(positions == column - 1, np.maximum(before, other), before)
    return merged_values


def _semantic_without(sentences: Int64, vectors: Float32, block: int) -> Float64:
    """Return ``(n, 2 · block − 1)`` semantic distances of the gaps that have seen each sentence, without it."""
    # All that those gaps see: so many sentences on each side, of length 0, which adds nothing, beyond the document.
    far = 2 * block - 1
    steps = np.concatenate((np.arange(-far, 0), np.arange(1, far + 1)))
    padded = np.pad(vectors, ((far, far), (0, 0)))
    result = np.empty((len(sentences), far))
    together = max(1, _NUMBERS // (len(steps) * vectors.shape[1]))
    for start in range(0, len(sentences), together):
        block_sentences = sentences[start : start + together]
        nearby = padded[block_sentences[:, None] + far + steps].reshape(-1, vectors.shape[1])
        across = np.append(distances.semantic_distances(nearby, block), 0.0).reshape(len(block_sentences), len(steps))
        result[start : start + together] = across[:, block - 1 : block - 1 + far]
    return result


_NUMBERS = 1 << 21
"""Numbers of vectors that are copied at once."""


def _over_percentile(scores: Float64, sentences: Int64, local: Float64, percentile: float) -> tuple[Bools, Bools]:
    """Return which scores near a missing sentence exceed the percentile of the others, and where that is unsure.

    As in :meth:`chunking.signals.thresholds.Threshold.flip_amount`, a score does exactly while more than ``(n_gaps −
    1) ·
    percentile / 100`` are smaller. Where the two are equal, rounding in ``numpy.percentile`` decides.

    Args:
        scores: ``(n_gaps,)`` with all sentences.
        sentences: ``(n,)`` the missing ones.
        local: ``(n, 2 · block + 1)`` the scores near each, as :func:`_cut_without` has them; infinite where there is
            no gap. All but the first and last of them take the place of old ones.
        percentile: 0 to 100.

    Returns:
        ``(n, 2 · block + 1)`` bool, and ``(n,)`` bool: whether any of a row is unsure.
    """
    old = sentences[:, None] + np.arange(-(local.shape[1] // 2), local.shape[1] // 2)
    exists = (old >= 0) & (old < len(scores))
    removed_scores = np.where(exists, scores[np.clip(old, 0, len(scores) - 1)], np.inf)
    below = np.searchsorted(np.sort(scores), local)
    below += np.count_nonzero(local[:, None, 1:-1] < local[:, :, None], axis=2)
    below -= np.count_nonzero(removed_scores[:, None, :] < local[:, :, None], axis=2)
    needed = (len(scores) - 2) * (percentile / 100)
    unsure = (np.abs(below - needed) < _UNSURE) & np.isfinite(local)
    return below > needed, unsure.any(axis=1)


_UNSURE = 1e-3
"""Ranks that are nearer to the percentile than this are left to ``numpy.percentile`` itself."""
