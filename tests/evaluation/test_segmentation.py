"""Strategies on documents with reference boundaries: by hand, against segeval, and what always holds."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, strategies
from chunking.alignment.pieces import Piece
from chunking.evaluation import DataSet, SegmentationOptions, evaluate, read, read_settings, summarize
from chunking.evaluation.segmentation import MEASURES, Granularity, even, exactly, random_rows, strongest
from chunking.params import Parameters
from chunking.sentences import from_units
from chunking.strategies import Segmentation, Setting, foreign
from chunking.strategies.base import Strategy
from chunking.workspace import DocumentAnalysis, Models

segeval: Any = importlib.import_module("segeval")

LETTERS = Models(encoder="char-ngrams")
"""An encoder that needs no model."""

WORDS = ["tea", "bread", "water", "flour", "kettle", "oven", "leaf", "yeast", "cup", "crust", "steam", "knead"]


def load(rows: Sequence[Mapping[str, Any]]) -> DataSet:
    return read("\n".join(json.dumps({"lang": "en"} | dict(row)) for row in rows).encode(), "set.jsonl")


def made(count: int, seed: int = 0, longest: int = 30) -> list[dict[str, Any]]:
    """Documents of random units with random boundaries."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        units = [
            " ".join(draw.choices(WORDS, k=draw.randint(3, 9))).capitalize() + "."
            for _ in range(draw.randint(4, longest))
        ]
        cuts = sorted(draw.sample(range(1, len(units)), draw.randint(1, len(units) // 3)))
        rows.append({"id": f"d{number}", "units": units, "boundaries": cuts, "group": "odd" if number % 2 else "even"})
    return rows


def scripted(cuts: Callable[[DocumentAnalysis], Sequence[int]]) -> Setting:
    """A strategy that cuts before the units it is told."""

    def run(workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
        units = workspace.sentences.texts
        ends = [*cuts(workspace), len(units)]
        starts = [0, *ends[:-1]]
        pieces = [Piece("\n\n".join(units[start:end])) for start, end in zip(starts, ends, strict=True)]
        return foreign.segment(workspace, "scripted", params, pieces, reason="given")

    strategy = Strategy("scripted", "Scripted", "size", "Cuts as told.", "here", Parameters, run)
    return Setting(strategy, Parameters())


def by_id(cuts: Mapping[str, Sequence[int]]) -> Setting:
    return scripted(lambda workspace: cuts[workspace.document.name])


def run(data: DataSet, given: Mapping[str, Setting] | str, **options: Any) -> dict[str, Any]:
    known = read_settings(given, {}) if isinstance(given, str) else given
    found = summarize(evaluate(data, known, SegmentationOptions(tools=LETTERS, **options))).as_dict()
    again: dict[str, Any] = json.loads(json.dumps(found, allow_nan=False))
    return again


def timeless(found: dict[str, Any]) -> dict[str, Any]:
    kept = {
        name: {key: value for key, value in row.items() if key != "seconds"}
        for name, row in found["strategies"].items()
    }
    return {key: value for key, value in found.items() if key != "embedding_seconds"} | {"strategies": kept}


EIGHT = [f"Unit {number}." for number in range(8)]


def test_a_small_case_by_hand() -> None:
    # Two segments of four: windows of two gaps, six of them. True gap 3; cut are gaps 2 and 5.
    data = load([{"id": "a", "units": EIGHT, "boundaries": [4]}])
    found = run(data, {"mine": by_id({"a": [3, 6]})})
    row = found["strategies"]["mine"]
    # Windows (0,1) (1,2) (2,3) (3,4) (4,5) (5,6): truth 0 0 1 1 0 0, cuts 0 1 1 0 1 1.
    assert row["pk"] == row["window_diff"] == pytest.approx(4 / 6)
    assert row["f1"] == 0
    assert row["f1_tolerance"] == pytest.approx(2 / 3)  # gap 2 is one from gap 3
    assert row["boundary_similarity"] == pytest.approx(1 - 1.5 / 2)  # a near miss, half wrong, and an addition
    assert row["boundaries_per_gold"] == 2
    assert (row["boundaries"], row["documents"], row["failed"], row["cuts_inside_units"]) == (2, 1, [], 0)
    assert row["f1_interval"] is None
    none = found["strategies"]["none"]
    assert (none["pk"], none["window_diff"]) == pytest.approx((2 / 6, 2 / 6))
    assert none["f1"] == none["boundary_similarity"] == none["boundaries_per_gold"] == 0
    equal = found["strategies"]["even"]
    assert (equal["f1"], equal["pk"], equal["boundaries_per_gold"]) == (1, 0, 1)


def test_a_perfect_strategy_is_perfect_and_beats_what_is_not() -> None:
    rows = made(12)
    perfect = by_id({row["id"]: row["boundaries"] for row in rows})
    found = run(load(rows), {"perfect": perfect, "whole": read_settings("whole", {})["whole"]})
    row = found["strategies"]["perfect"]
    assert [row[name] for name in (*MEASURES, "boundaries_per_gold")] == [1, 1, 1, 0, 0, 1]
    assert row["f1_interval"] == [1, 1] and row["pk_interval"] == [0, 0]
    none, whole = found["strategies"]["none"], found["strategies"]["whole"]
    assert [whole[name] for name in MEASURES] == [none[name] for name in MEASURES]
    assert found["pairs"]["perfect"]["whole"]["f1"]["difference"] == 1
    assert found["pairs"]["perfect"]["whole"]["pk"]["p"] == pytest.approx(2 / 2**12)
    same = {"difference": 0, "interval": [0, 0], "simultaneous": [0, 0], "p": 1, "p_adjusted": 1, "documents": 12}
    assert found["pairs"]["whole"]["none"]["pk"] == same
    noted = [note for note in found["notes"] if "not better than that of no boundary" in note]
    assert len(noted) == 1 and noted[0].startswith("Pk of whole ")


documents = st.integers(3, 25).flatmap(
    lambda units: st.tuples(
        st.just(units),
        st.sets(st.integers(1, units - 1), min_size=1).map(sorted),
        st.sets(st.integers(1, units - 1)).map(sorted),
    )
)


@settings(max_examples=40)
@given(st.lists(documents, min_size=1, max_size=4))
def test_means_are_those_of_segeval_document_by_document(cases: list[tuple[int, list[int], list[int]]]) -> None:
    rows = [
        {"id": str(number), "units": [f"Unit {place}." for place in range(units)], "boundaries": gold}
        for number, (units, gold, _) in enumerate(cases)
    ]
    found = run(load(rows), {"mine": by_id({str(number): cuts for number, (_, _, cuts) in enumerate(cases)})})
    row = found["strategies"]["mine"]
    masses = [
        (tuple(np.diff([0, *cuts, units]).tolist()), tuple(np.diff([0, *gold, units]).tolist()))
        for units, gold, cuts in cases
    ]
    assert row["pk"] == pytest.approx(np.mean([float(segeval.pk(*pair)) for pair in masses]))
    assert row["window_diff"] == pytest.approx(np.mean([float(segeval.window_diff(*pair)) for pair in masses]))
    assert row["boundary_similarity"] == pytest.approx(
        np.mean([float(segeval.boundary_similarity(*pair)) for pair in masses])
    )
    f1 = [2 * len({*gold} & {*cuts}) / (len(gold) + len(cuts)) for _, gold, cuts in cases]
    assert row["f1"] == pytest.approx(np.mean(f1))
    assert row["boundaries_per_gold"] == pytest.approx(
        sum(len(cuts) for _, _, cuts in cases) / sum(len(gold) for _, gold, _ in cases)
    )


MANY = "structural,percentile:window=1;percentile=80,fixed_size:max_tokens=20;overlap=0,recursive,gradient"


@pytest.mark.parametrize("granularity", ["default", "gold"])
def test_the_order_of_documents_and_a_second_run_change_no_number(granularity: Granularity) -> None:
    rows = made(14, seed=4)
    found = timeless(run(load(rows), MANY, granularity=granularity))
    assert timeless(run(load(rows), MANY, granularity=granularity)) == found
    shuffled = rows.copy()
    random.Random(2).shuffle(shuffled)
    assert timeless(run(load(shuffled), MANY, granularity=granularity)) == found
    reversed_ = timeless(run(load(rows), ",".join(reversed(MANY.split(","))), granularity=granularity))
    assert reversed_["strategies"] == found["strategies"]
    assert reversed_["groups"] == found["groups"]


def test_vectors_in_several_helpings_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made(9, seed=8)
    whole = timeless(run(load(rows), MANY))
    told: list[tuple[str, int, int]] = []
    monkeypatch.setattr("chunking.evaluation.segmentation._TOGETHER", 40)
    found = evaluate(
        load(rows), read_settings(MANY, {}), SegmentationOptions(tools=LETTERS), tell=lambda *each: told.append(each)
    )
    assert timeless(json.loads(json.dumps(summarize(found).as_dict()))) == whole
    units = 2 * sum(len(row["units"]) for row in rows)
    done = [done for what, done, total in told if what == "embedding" and total == units]
    assert done == sorted(done) and done[-1] == units
    assert told[-1] == ("documents", 9, 9)


def test_gold_granularity_gives_every_curve_exactly_as_many_cuts() -> None:
    rows = made(10, seed=6)
    data = load(rows)
    curves = "structural:min_tokens=50,percentile,standard_deviation,interquartile,gradient,structural:preset=reference"
    evaluation = evaluate(data, read_settings(f"{curves},sentence", {}), SegmentationOptions("gold", tools=LETTERS))
    wanted = [len(document.reference) for document in data.documents]
    for row in evaluation.rows:
        if row.name not in ("sentence", "none"):
            assert row.granularity == "gold"
            assert row.cuts.tolist() == wanted, row.name
    found = summarize(evaluation).as_dict()
    assert found["strategies"]["sentence"]["granularity"] == "default"
    assert any(note.startswith("sentence has no curve") for note in found["notes"])
    assert found["strategies"]["percentile"]["boundaries_per_gold"] == 1


def test_the_highest_scores_are_taken_and_of_equal_ones_the_first() -> None:
    score = np.array([0.2, 0.9, 0.5, 0.9, 0.5, 0.1])
    assert [strongest(score, count).tolist() for count in range(5)] == [[], [1], [1, 3], [1, 2, 3], [1, 2, 3, 4]]
    assert strongest(np.full(7, 0.3), 3).tolist() == [0, 1, 2]


@given(st.integers(2, 60).flatmap(lambda units: st.tuples(st.just(units), st.integers(0, units - 1))))
def test_even_pieces_differ_by_one_unit_at_most(case: tuple[int, int]) -> None:
    units, count = case
    lengths = np.diff([-1, *even(units, count).tolist(), units - 1])
    assert len(lengths) == count + 1
    assert lengths.min() >= 1 and lengths.max() - lengths.min() <= 1


def test_random_is_the_expectation_of_any_choice_of_gaps() -> None:
    data = load(made(20, seed=11))
    evaluation = evaluate(data, read_settings("whole", {}), SegmentationOptions(tools=LETTERS))
    measures = summarize(evaluation).strategies["random"].measures
    known = np.mean([len(document.reference) / document.gaps for document in data.documents])
    assert measures["f1"].mean == pytest.approx(known, abs=0.01)
    assert measures["boundaries_per_gold"].mean == 1
    rows = random_rows(data.documents[0])
    assert (rows.sum(axis=1) == len(data.documents[0].reference)).all()
    assert rows.mean(axis=0) == pytest.approx(len(data.documents[0].reference) / data.documents[0].gaps, abs=0.1)


def test_a_document_without_a_boundary_counts_for_the_errors_alone() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "units": EIGHT, "boundaries": [4]},
        {"id": "b", "units": EIGHT, "boundaries": []},
    ]
    found = run(load(rows), {"mine": by_id({"a": [4], "b": [2]})})
    row = found["strategies"]["mine"]
    # Truth of b is one segment of eight: four windows of four gaps, and gap 1 is in two of them.
    assert row["pk"] == row["window_diff"] == pytest.approx((0 + 2 / 4) / 2)
    assert (row["f1"], row["boundary_similarity"], row["documents"]) == (1, 1, 2)
    assert row["boundaries_per_gold"] == 2
    assert found["data"]["documents_with_gold"] == 1
    assert any("no reference boundary" in note for note in found["notes"])


def test_without_any_true_boundary_there_is_no_f1() -> None:
    found = run(
        load([{"id": name, "units": EIGHT, "boundaries": []} for name in "ab"]), "structural", granularity="gold"
    )
    for row in found["strategies"].values():
        assert row["f1"] is row["f1_interval"] is row["boundaries_per_gold"] is row["boundary_similarity"] is None
        assert row["pk"] == 0
    assert found["pairs"]["structural"]["none"]["f1"] == {
        "difference": None,
        "interval": None,
        "simultaneous": None,
        "p": None,
        "p_adjusted": None,
        "documents": 0,
    }


def test_cuts_inside_units_count_at_the_nearest_gap() -> None:
    units = ["Short one.", "Long " + "and longer " * 20 + "still.", "Another short one."]
    found = run(load([{"id": "a", "units": units, "boundaries": [1]}]), "fixed_size:max_tokens=16;overlap=0")
    row = next(iter(found["strategies"].values()))
    assert row["cuts_inside_units"] >= 1
    assert row["boundaries"] <= 2
    assert any("inside units" in note for note in found["notes"])


def test_units_are_never_split_again() -> None:
    units = ["One. Two. Three!\n\nFour.", "  Five; six. Seven?", "# Eight"]
    seen: list[tuple[str, ...]] = []

    def look(workspace: DocumentAnalysis) -> Sequence[int]:
        seen.append(workspace.sentences.texts)
        return [1]

    run(load([{"id": "a", "units": units, "boundaries": [1]}]), {"look": scripted(look)})
    assert seen == [("One. Two. Three!\n\nFour.", "Five; six. Seven?", "# Eight")]


def fail_on(*names: str) -> Setting:
    def cuts(workspace: DocumentAnalysis) -> Sequence[int]:
        if workspace.document.name in names:
            raise ChunkscopeError("It is too hard.", "Take another.")
        return [1]

    return scripted(cuts)


def test_a_strategy_that_fails_on_a_document_is_compared_on_the_others() -> None:
    rows = made(6, seed=3)
    found = run(load(rows), {"weak": fail_on("d2", "d4"), "strong": fail_on()})
    row = found["strategies"]["weak"]
    assert row["documents"] == 4
    assert row["failed"] == [
        {"line": each, "id": f"d{each - 1}", "what": "It is too hard. Take another."} for each in (3, 5)
    ]
    assert found["strategies"]["strong"]["documents"] == found["strategies"]["none"]["documents"] == 6
    same = {"difference": 0, "interval": [0, 0], "simultaneous": [0, 0], "p": 1, "p_adjusted": 1, "documents": 4}
    assert found["pairs"]["weak"]["strong"]["f1"] == same
    assert any("could not do 2 of 6" in note for note in found["notes"])
    kept = [each for each in rows if each["id"] not in ("d2", "d4")]
    alone = run(load(kept), {"strong": fail_on()})["strategies"]["strong"]
    assert [row[name] for name in MEASURES] == [alone[name] for name in MEASURES]


def test_a_strategy_that_can_do_nothing_leaves_the_others_and_all_of_them_an_error() -> None:
    rows = made(2)
    found = run(load(rows), {"never": fail_on("d0", "d1"), "strong": fail_on()})
    never = found["strategies"]["never"]
    assert never["documents"] == 0
    assert all(never[name] is None for name in (*MEASURES, "boundaries_per_gold"))
    assert found["pairs"]["never"]["strong"]["pk"]["documents"] == 0
    with pytest.raises(ChunkscopeError, match="Every strategy failed on every document. never: It is too hard"):
        run(load(rows), {"never": fail_on("d0", "d1")})


def test_groups_have_the_means_of_their_documents() -> None:
    rows = made(8, seed=5)
    found = run(load(rows), "structural")
    assert list(found["groups"]) == ["even", "odd"]
    for name in found["groups"]:
        alone = run(load([row for row in rows if row["group"] == name]), "structural")["strategies"]
        for label, means in found["groups"][name].items():
            assert means == {key: alone[label][key] for key in means}


def test_shared_parameters_are_for_the_strategies_that_have_them() -> None:
    found = read_settings("structural:alpha=0.3,percentile, whole,structural", {"alpha": "0.9", "percentile": "70"})
    assert list(found) == ["structural:alpha=0.3", "percentile", "whole", "structural"]
    assert [each.text for each in found.values()] == [
        "structural:alpha=0.3;percentile=70.0",
        "percentile:percentile=70.0",
        "whole",
        "structural:alpha=0.9;percentile=70.0",
    ]
    preset = read_settings("structural", {"preset": "reference", "percentile": "80"})["structural"]
    assert preset == replace(strategies.parse("structural:preset=reference"), params=preset.params)
    assert preset.params.values()["percentile"] == 80
    with pytest.raises(ChunkscopeError, match="None of the strategies has a parameter 'colour'"):
        read_settings("structural,whole", {"colour": "red"})


def test_an_encoder_that_was_made_for_another_language_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from chunking import embedding

    encoder = embedding.get_encoder("char-ngrams")
    monkeypatch.setattr(type(encoder), "languages", ("ko",), raising=False)
    found = run(load(made(3)), "structural")
    assert any("documents in other languages (en 3)" in note for note in found["notes"])


@pytest.mark.parametrize(("options", "said"), [({"tolerance": -1}, "tolerance"), ({"language": "x!"}, "language code")])
def test_options_are_checked(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        SegmentationOptions(**options)


def test_a_strategy_that_can_be_asked_for_a_number_is_asked_for_it() -> None:
    setting = exactly(strategies.parse("changepoint:alpha=0.5;max_tokens=40"), 3)
    assert setting.text == (
        "changepoint:alpha=0.5;boundaries=3;min_tokens=0;soft_min_tokens=0;max_tokens=0;keep_together=no"
    )


@pytest.mark.parametrize("granularity", ["default", "gold"])
def test_a_strategy_with_nested_chunks_is_scored_at_both_levels(granularity: Granularity) -> None:
    data = load(made(3, seed=5, longest=40))
    tree, plain = "changepoint_tree:fineness=2", "changepoint:fineness=2"
    found = run(data, f"{tree},{plain}", granularity=granularity)["strategies"]
    assert list(found)[:3] == [tree, f"{tree}, outer level", plain]
    leaves, outer, flat = (found[name] for name in list(found)[:3])
    assert leaves["f1"] == flat["f1"] and leaves["boundaries_per_gold"] == flat["boundaries_per_gold"]
    assert outer["boundaries_per_gold"] < leaves["boundaries_per_gold"]
    setting = strategies.parse(tree).before_limits
    topics = 0
    for document in data.documents:
        each = setting if granularity == "default" else exactly(setting, len(document.reference))
        workspace = DocumentAnalysis(from_units(document.units, document.id, "en").document, LETTERS)
        chunks = each.run(workspace).chunks
        topics += sum(chunk.parent is None for chunk in chunks) - 1
    assert outer["boundaries_per_gold"] == pytest.approx(topics / sum(len(one.reference) for one in data.documents))


def test_a_strategy_whose_chunks_are_never_nested_has_one_row() -> None:
    found = run(load(made(2)), "hierarchical_tree:max_tokens=500,recursive")["strategies"]
    assert [name for name in found if name.endswith("outer level")] == []
