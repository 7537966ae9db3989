from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import order
from benchmarks.order import MAX_PARAMETERS, VARIANTS, Example, Network, Variant

CELLS = (Variant("recurrent"), Variant("recurrent", added=True), Variant("convolutional"))


def document(gaps: int, seed: int = 0, kind: str = "textbook") -> Example:
    random = np.random.default_rng(seed)
    inputs = random.standard_normal((gaps, 5)).astype(np.float32)
    gold = (inputs[:, 0] > 0.8).astype(np.float32)
    return Example(kind, inputs, np.linspace(0, 1, gaps, dtype=np.float32), gold, -1.0)


def test_without_data_the_part_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order.main(tmp_path)
    assert "the data is not beside the repository" in capsys.readouterr().out


@pytest.mark.parametrize("variant", CELLS)
def test_a_document_has_the_same_loss_beside_a_longer_one(variant: Variant) -> None:
    pytest.importorskip("torch")
    network = Network(variant, 5, seed=0)
    network.layers.eval()
    short, long = document(7), document(40, 1)
    weights = {"textbook": 1.0}
    together, *apart = (float(network.loss(some, weights).detach()) for some in ([short, long], [short], [long]))
    assert together == pytest.approx(sum(apart), 1e-4)


def test_a_network_that_is_added_begins_with_what_it_is_given() -> None:
    pytest.importorskip("torch")
    for variant in VARIANTS:
        one = document(30)
        network = Network(variant, 5, seed=0)
        assert network.parameters <= MAX_PARAMETERS
        assert variant.added and network.log_odds(one) == pytest.approx(one.given)
