from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import embedding, samples, sentences
from chunking.loading import from_text
from chunking.reference import reference_gaps
from chunking.runtime.progress import Progress
from chunking.signals import distances, thresholds
from chunking.signals.features import FEATURES, FeatureSet, Structure
from chunking.signals.thresholds import AMOUNT_OF, RULES, Rule
from chunking.strategies.changepoint import ChangepointParameters, changepoint_signals
from chunking.strategies.gaps import StructuralParameters, structural_signals
from chunking.tuning import stability as module
from chunking.tuning.stability import AMOUNT, BLOCKS, stability
from chunking.workspace import Backend, DocumentAnalysis, Models
from tests.examples import examples

Floats = np.ndarray


class Given(DocumentAnalysis):
    """A document whose vectors and structural distances are given, and that embeds nothing."""

    def __init__(self, vectors: Floats, structural: Floats, encoder: str = "given", name: str = "units") -> None:
        units = sentences.from_units([f"Unit {number}." for number in range(len(vectors))], name)
        super().__init__(
            units.document, Models(encoder=encoder), precomputed=(units, np.asarray(vectors, dtype=np.float32))
        )
        self._structural = structural

    def structure(self, name: FeatureSet) -> Structure:
        """One layout feature carries the structural distance."""
        values = np.zeros((len(self._structural), len(FEATURES["layout"])))
        values[:, 0] = self._structural / FEATURES["layout"][0].weight
        return Structure("layout", values)

    def _embed(self, window: int, progress: Progress, backend: Backend | None) -> Floats:
        raise AssertionError("nothing is embedded")


@st.composite
def documents(draw: st.DrawFn, least: int = 0, most: int = 14) -> Given:
    """Few different sentences, so that many are the same, and few different structural distances."""
    count = draw(st.integers(least, most))
    kinds = draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 9999)))
    vectors = random.normal(size=(kinds, 3))[random.integers(0, kinds, count)]
    return Given(vectors.reshape(count, 3), random.integers(0, 4, max(count - 1, 0)) / 4)


@st.composite
def params(draw: st.DrawFn) -> StructuralParameters:
    return StructuralParameters(
        alpha=draw(st.sampled_from([0.0, 0.05, 0.333, 0.4, 0.8, 1.0])),
        threshold=draw(st.sampled_from(RULES)),
        percentile=draw(st.sampled_from([50.0, 57.0, 60.0, 66.6, 75.0, 80.0, 99.9])),
        deviations=draw(st.sampled_from([0.0, 0.5, 1.0])),
        iqr_factor=draw(st.sampled_from([0.0, 0.2, 0.5])),
        block=draw(st.integers(1, 4)),
    )


def cut_at(workspace: DocumentAnalysis, known: StructuralParameters) -> np.ndarray:
    return structural_signals(workspace, known).threshold.exceeded


# --- a sentence taken out ------------------------------------------------------------------------------------------


def measured_without(workspace: Given, known: StructuralParameters, sentence: int) -> np.ndarray:
    """The gaps that are cut in the document without a sentence, measured from the beginning."""
    structural = structural_signals(workspace, known).structural.tolist()
    if sentence == 0 or sentence == len(structural):
        structural.pop(min(sentence, len(structural) - 1))
    else:
        structural[sentence - 1 : sentence + 1] = [max(structural[sentence - 1 : sentence + 1])]
    vectors = np.delete(workspace.vectors(), sentence, axis=0)
    fused = distances.fuse(distances.semantic_distances(vectors, known.block), np.array(structural), known.alpha)
    rule: Rule = known.threshold  # type: ignore[assignment]
    return thresholds.apply(rule, known.amount, fused).exceeded


def survivals(workspace: Given, known: StructuralParameters, gap: int) -> list[bool]:
    last = len(workspace.offsets)
    found = []
    for sentence in range(max(gap + 1 - known.block, 0), min(gap + known.block, last) + 1):
        if (sentence, gap) not in ((0, 0), (last, last - 1)):
            cut, place = measured_without(workspace, known, sentence), gap - (sentence <= gap)
            found.append(bool(cut[place]))
    return found


@settings(max_examples=examples(200))
@given(documents(), params())
def test_taking_sentences_out_is_measuring_anew(workspace: Given, known: StructuralParameters) -> None:
    found = stability(workspace, known)
    for place, gap in enumerate(found.gaps.tolist()):
        assert found.neighbours[place] == pytest.approx(np.mean(survivals(workspace, known, gap)))


@pytest.mark.parametrize("percentile", [57.0, 70.0, 85.3, 90.0, 99.0])
def test_a_rank_at_the_percentile_is_decided_as_numpy_does(percentile: float) -> None:
    """With 101 gaps left, whole percentiles fall on ranks, and 0.57 · 100 is a little less than 57."""
    random = np.random.default_rng(4)
    workspace = Given(random.normal(size=(103, 5)), random.random(102).round(1))
    known = StructuralParameters(percentile=percentile, block=2)
    found = stability(workspace, known)
    assert len(found.gaps) >= 1
    for place, gap in enumerate(found.gaps.tolist()):
        assert found.neighbours[place] == pytest.approx(np.mean(survivals(workspace, known, gap)))


def test_it_does_not_matter_how_many_sentences_are_worked_on_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    workspace = Given(random.normal(size=(60, 5)), random.random(59))
    together = stability(workspace, StructuralParameters(block=3))
    monkeypatch.setattr(module, "_NUMBERS", 1)
    assert stability(workspace, StructuralParameters(block=3)).neighbours.tolist() == together.neighbours.tolist()


# --- nearby settings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha,steps", [(0.4, range(30, 51)), (0.05, range(16)), (1.0, range(90, 101))])
@pytest.mark.parametrize("rule", RULES)
def test_jitter_is_exact_over_every_step_of_alpha(alpha: float, steps: range, rule: Rule) -> None:
    random = np.random.default_rng(10)
    workspace = Given(random.normal(size=(60, 5)), random.random(59))
    known = StructuralParameters(alpha=alpha, threshold=rule, percentile=90.0, deviations=1.0, iqr_factor=0.5, block=3)
    far, found, curves = AMOUNT[AMOUNT_OF[rule]], stability(workspace, known), structural_signals(workspace, known)
    fused = [distances.fuse(curves.semantic, curves.structural, step / 100) for step in steps]
    for place, gap in enumerate(found.gaps.tolist()):
        flips = [thresholds.apply(rule, known.amount, curve).flip_amount(gap) for curve in fused]
        lengths = [min(max((flip or 0.0) - known.amount + far, 0.0), 2 * far) / (2 * far) for flip in flips]
        assert found.jitter[place] == pytest.approx(np.mean(lengths), abs=1e-5)


def test_half_of_the_gaps_may_be_equal_without_a_spread() -> None:
    """Every interquartile range is none, so what lies above the mean is cut at any factor."""
    structural = np.zeros(30)
    structural[11] = 1.0
    found = stability(
        Given(np.ones((31, 3)), structural), StructuralParameters(alpha=0.0, threshold="interquartile", block=1)
    )
    assert found.gaps.tolist() == [11]
    assert found.jitter.tolist() == [1.0]


# --- other windows -------------------------------------------------------------------------------------------------


@given(documents(), params())
def test_other_blocks_are_all_tried(workspace: Given, known: StructuralParameters) -> None:
    found = stability(workspace, known)
    runs = [cut_at(workspace, replace(known, block=block)) for block in BLOCKS if block != known.block]
    for place, gap in enumerate(found.gaps.tolist()):
        assert found.windows[place] == pytest.approx(np.mean([cut[gap] for cut in runs]))


def test_other_windows_count_where_they_are_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = samples.load("on-walking-to-work")

    def refuse(*_: object) -> None:
        raise AssertionError("nothing is embedded")

    known = StructuralParameters(block=3)
    both = DocumentAnalysis(sample.document)
    both.add_vectors(1, both.vectors(1))
    alone = DocumentAnalysis(sample.document, precomputed=(both.sentences, both.vectors()))
    monkeypatch.setattr(embedding, "embed", refuse)
    with_triples, without = stability(both, known), stability(alone, known)
    triples = cut_at(both, replace(known, window=1))
    others = len(BLOCKS) - 1
    expected = (without.windows * others + triples[without.gaps]) / (others + 1)
    assert with_triples.windows == pytest.approx(expected)
    assert with_triples.windows.tolist() != without.windows.tolist()


# --- other encoders ------------------------------------------------------------------------------------------------


@given(documents(least=6), documents(least=6), params())
def test_other_encoders_are_the_same_setting_on_other_vectors(
    workspace: Given, second: Given, known: StructuralParameters
) -> None:
    count = min(len(workspace.sentences), len(second.sentences))
    structural = np.arange(count - 1) % 3 / 3
    first, *others = (Given(each.vectors()[:count], structural) for each in (workspace, second, workspace))
    found = stability(first, known, others)
    runs = [cut_at(other, known) for other in others]
    for place, gap in enumerate(found.gaps.tolist()):
        assert found.encoders[place] == pytest.approx(np.mean([cut[gap] for cut in runs]))


TEXT = """# Bread

The starter is fed at dusk. Flour and water are weighed (wait 8 min. or so). By morning it has doubled.

The oven is heated for an hour. Steam keeps the crust soft.

# Bicycles

A chain wears with every rain. Oil it when it squeaks. Worn links eat the sprockets.

Brakes ask for less care. Look at the pads once a month.
"""


def test_encoders_on_other_sentences_are_compared_by_place() -> None:
    document = from_text(TEXT, language="en")
    workspace = DocumentAnalysis(document, Models("char-ngrams", splitter="rules"))
    bicycles = TEXT.index("# Bicycles")
    spans = np.array([(block.start, block.end) for block in document.blocks], dtype=np.int64)
    units = sentences.Sentences(document, spans, np.arange(len(spans)), "blocks")
    vectors = embedding.embed(units.texts, embedding.get_encoder("char-ngrams"))
    other = DocumentAnalysis(document, Models("char-ngrams"), precomputed=(units, vectors))
    assert len(other.sentences) < len(workspace.sentences)
    known = StructuralParameters(alpha=0.1, percentile=85.0, block=3)
    found = stability(workspace, known, [other])
    there = found.gaps.tolist().index(int(reference_gaps([bicycles], workspace.offsets, workspace.sentences)[0]))
    assert found.encoders[there] == 1.0


def test_an_encoder_that_has_not_embedded_the_document_is_not_known() -> None:
    random = np.random.default_rng(6)
    workspace = Given(random.normal(size=(30, 4)), np.zeros(29))
    later = DocumentAnalysis(workspace.document, Models("char-ngrams"))
    for others in ([], [later]):
        found = stability(workspace, StructuralParameters(block=3), others)
        assert np.isnan(found.encoders).all()
        known = (found.jitter + found.windows + found.neighbours) / 3
        assert found.overall == pytest.approx(known)
    assert not later.has_vectors()


def test_another_document_is_refused() -> None:
    first, other = (Given(np.eye(4), np.zeros(3)), Given(np.eye(5), np.zeros(4)))
    with pytest.raises(ValueError, match="another document"):
        stability(first, StructuralParameters(block=3), [other])


# --- what always holds ---------------------------------------------------------------------------------------------


@given(documents(), params())
def test_shares_are_shares(workspace: Given, known: StructuralParameters) -> None:
    found = stability(workspace, known, [workspace])
    assert found.gaps.tolist() == np.flatnonzero(cut_at(workspace, known)).tolist()
    for kind, shares in found.shares.items():
        assert shares.shape == found.gaps.shape, kind
        assert ((shares >= 0) & (shares <= 1 + 1e-12)).all(), kind
    assert (found.encoders == 1).all(), "the same encoder finds the same"
    without = [shares for kind, shares in found.shares.items() if kind != "encoders"]
    assert found.overall == pytest.approx(np.mean(without, axis=0))
    assert ((found.overall >= 0) & (found.overall <= 1 + 1e-12)).all()


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("rule", RULES)
def test_documents_without_a_choice_have_no_boundary(count: int, rule: Rule) -> None:
    known = Given(np.eye(4)[:count], np.ones(max(count - 1, 0)))
    for params in (
        StructuralParameters(threshold=rule, block=3),
        StructuralParameters(threshold=rule, alpha=1.0, block=1),
    ):
        found = stability(known, params, [known])
        assert found.gaps.tolist() == found.overall.tolist() == []


# --- change points -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walk() -> DocumentAnalysis:
    sample = samples.load("on-walking-to-work")
    return DocumentAnalysis(sample.document)


@pytest.mark.parametrize(
    "known,moves",
    [
        (ChangepointParameters(), [{"alpha": 0.25}, {"alpha": 0.45}, {"fineness": -0.25}, {"fineness": 0.25}]),
        (ChangepointParameters(alpha=0.0, fineness=3.0), [{"alpha": 0.1}, {"fineness": 2.75}]),
        (ChangepointParameters(boundaries=9, percentile=90.0), [{"alpha": 0.25}, {"alpha": 0.45}]),
        (
            ChangepointParameters(percentile=90.0),
            [{"alpha": 0.25}, {"alpha": 0.45}, {"percentile": 87.5}, {"percentile": 92.5}],
        ),
        (
            ChangepointParameters(percentile=2.0, alpha=1.0),
            [{"alpha": 0.9}, {"percentile": 0.1}, {"percentile": 4.5}],
        ),
    ],
    ids=str,
)
def test_change_points_are_found_anew_at_settings_nearby(
    walk: DocumentAnalysis, known: ChangepointParameters, moves: list[dict[str, float]]
) -> None:
    found = stability(walk, known)
    runs = [changepoint_signals(walk, replace(known, **move)).threshold.exceeded for move in moves]  # type: ignore[arg-type]
    assert found.gaps.tolist() == np.flatnonzero(changepoint_signals(walk, known).threshold.exceeded).tolist()
    assert found.jitter == pytest.approx(np.mean([cut[found.gaps] for cut in runs], axis=0))
    assert np.isnan(found.windows).all() and np.isnan(found.neighbours).all() and np.isnan(found.encoders).all()
    assert found.overall == pytest.approx(found.jitter)
