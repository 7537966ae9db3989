from __future__ import annotations

import re
from dataclasses import replace

import pytest

from chunking import explain, samples, strategies
from chunking.explain import CountFlips
from chunking.strategies.changepoint import ChangepointParameters
from chunking.workspace import Workspace
from pages.shared import ledger_view


@pytest.mark.parametrize("name", ["structural", "gradient", "changepoint"])
def test_every_curve_has_its_ledger(name: str) -> None:
    sample = samples.load("field-guide-to-backups")
    params = strategies.parse("gradient:window=0").params if name == "gradient" else None
    result = strategies.run(name, Workspace(sample.document, known=sample.known), params)
    assert result.signals is not None
    gap = int(result.signals.threshold.exceeded.argmax())
    ledger = explain.ledger(result, gap)
    shown = ledger_view.render(ledger, result.document, result.signals, (False, False), 256)
    assert f"{ledger.score:.3f}" in shown
    worth = f"the best division that cuts here costs {ledger.margin:.3f} less than the best that does not"
    assert (worth in shown) == (name == "changepoint")
    assert ("Percentile" in shown) == (name != "changepoint")


@pytest.mark.parametrize(
    ("flips", "cut", "words"),
    [
        (CountFlips(20, 12, None, 100), True, "left out with 12 (percentile 88.0); now 20"),
        (CountFlips(20, 12, 31, 100), True, "left out with 12 (percentile 88.0) or with 31 (percentile 69.0); now 20"),
        (CountFlips(20, None, 25, 100), False, "cut with 25 (percentile 75.0); now 20"),
        (CountFlips(20, 0, None, 100), True, "left out with 0; now 20"),
        (CountFlips(1, None, 3000, 3000), False, "cut with 3,000; now 1"),
        (CountFlips(20, None, None, 100), False, "not found cut with any other number; now 20"),
    ],
)
def test_the_words_of_a_change_of_number(flips: CountFlips, cut: bool, words: str) -> None:
    """No percentile is named that cannot be set: 0 is automatic, and 100 is none."""
    shown = re.sub("<[^>]+>", "", ledger_view._count_words(flips, cut))
    assert shown == words


def test_a_change_point_says_what_would_change_it_or_that_it_was_not_searched() -> None:
    sample = samples.load("field-guide-to-backups")
    params = ChangepointParameters(percentile=90.0)
    result = strategies.run("changepoint", Workspace(sample.document, known=sample.known), params)
    assert result.signals is not None
    gap = int(result.signals.threshold.exceeded.argmax())
    ledger = explain.ledger(result, gap)

    def shown(of: explain.Ledger) -> str:
        assert result.signals is not None
        return ledger_view.render(of, result.document, result.signals, (False, False), 256)

    flips = ledger.count_flips
    assert flips is not None and flips.fewer is not None
    assert f"left out with {flips.fewer} " in shown(ledger) and "not searched" not in shown(ledger)
    unknown = shown(replace(ledger, alpha_flips=None, count_flips=None))
    assert unknown.count("not searched in so long a document") == 2
