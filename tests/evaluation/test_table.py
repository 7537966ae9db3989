"""What of the tables the page shows as well: rows against a chosen one."""

from __future__ import annotations

from functools import cache

import pytest

from chunking import evaluation
from chunking.evaluation import SegmentationOptions, own, report, table
from chunking.evaluation.results import SegmentationSummary
from chunking.evaluation.segmentation import MEASURES, SegmentationEvaluation
from chunking.evaluation.summary import PER_DOCUMENT, per_document
from chunking.report.formatting import percent
from chunking.workspace import Models

SETTINGS = evaluation.read_settings("heading,recursive,whole", {})


@cache
def evaluated() -> SegmentationEvaluation:
    return evaluation.evaluate(own.of_samples(), SETTINGS, SegmentationOptions(tools=Models("char-ngrams")))


@cache
def shown() -> SegmentationSummary:
    return evaluation.summarize(evaluated())


@pytest.mark.parametrize("other", [*SETTINGS, "none", "random"])
def test_every_row_that_has_a_test_is_set_against_the_chosen_one(other: str) -> None:
    rows = shown().against(other)
    wanted = set(shown().strategies) - {other} if other in SETTINGS else set(SETTINGS)
    assert set(rows) == wanted
    assert list(rows) == [name for name in shown().ranked if name in wanted]
    for name, tests in rows.items():
        for measure in MEASURES:
            test = tests[measure]
            one, less = (shown().strategies[each].measures[measure].mean for each in (name, other))
            assert one is not None and less is not None and test.difference is not None and test.interval is not None
            assert test.difference == pytest.approx(one - less, abs=1e-9)
            low, high = test.interval
            assert low <= test.difference <= high


def test_turning_a_pair_turns_its_difference_and_interval_and_nothing_else() -> None:
    there, back = shown().against("recursive")["heading"], shown().against("heading")["recursive"]
    for measure in MEASURES:
        one, other = there[measure], back[measure]
        assert one.difference is not None and one.difference == -(other.difference or 0)
        for interval, turned in ((one.interval, other.interval), (one.simultaneous, other.simultaneous)):
            assert turned and interval == (-turned[1], -turned[0])
        assert one.p == other.p


def test_a_zero_has_no_sign() -> None:
    assert percent(-0.0, [-0.00001, 0.00001], "+") == "+0.0 [+0.0, +0.0]"
    assert percent(-0.0004) == "0.0"


def test_no_boundary_at_all_is_no_better_than_itself() -> None:
    assert "whole" in shown().no_better_than_none
    assert "heading" not in shown().no_better_than_none


def test_each_document_has_a_row_for_each_strategy_and_they_mean_what_is_told() -> None:
    rows = per_document(evaluated())
    assert len(rows) == len(evaluated().data.documents) * len(evaluated().rows)
    assert all(tuple(row) == PER_DOCUMENT for row in rows)
    for name, told in shown().strategies.items():
        mine = [row for row in rows if row["strategy"] == name]
        assert sum(row["f1"] for row in mine) / len(mine) == pytest.approx(told.measures["f1"].mean)
        assert sum(row["boundaries"] for row in mine) == pytest.approx(told.boundaries, abs=1)


def test_the_result_holds_every_document_of_every_row() -> None:
    ids = [document.id for document in shown().documents]
    assert ids == [document.id for document in evaluated().data.documents]
    for row in shown().strategies.values():
        values = row.per_document
        assert set(values) == {*MEASURES, "boundaries"}
        assert all(len(column) == len(ids) for column in values.values())
        known = [value for value in values["f1"] if value is not None]
        assert sum(known) / len(known) == pytest.approx(row.measures["f1"].mean, abs=1e-6)


def test_groups_have_intervals() -> None:
    assert shown().groups
    for rows in shown().groups.values():
        for row in rows.values():
            mean, interval = row.measures["f1"]
            if row.documents < 2:
                assert interval is None
            else:
                assert interval is not None and mean is not None and interval[0] <= mean <= interval[1]


def test_documents_are_listed_the_worst_first() -> None:
    rows = table.document_cells(shown(), list(SETTINGS))
    means = [sum(map(float, row[3:])) for row in rows]
    assert len(rows) == len(evaluated().data.documents)
    assert means == sorted(means)
    assert "Every document" in report.documents(shown())
