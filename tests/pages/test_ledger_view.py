from __future__ import annotations

import pytest

from chunking import explain, samples, strategies
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
