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


@pytest.mark.extended
def test_training_is_repeatable_and_keeps_the_best_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(order, "EPOCHS", 2)
    documents = [document(20 + seed, seed, "meeting" if seed % 2 else "textbook") for seed in range(30)]
    first, second = (order.trained(documents, Variant("convolutional", added=True), 0) for _ in range(2))
    assert first.epoch == second.epoch <= 2
    assert np.array_equal(first.network.log_odds(documents[0]), second.network.log_odds(documents[0]))


def test_kinds_weigh_alike_and_mosaics_a_quarter() -> None:
    some = [document(50, 1), document(80, 2), document(60, 3, "meeting"), document(60, 4, "mosaic_meeting")]
    weights = order._weights(some)
    totals = {
        kind: weight * sum(one.gold.sum() for one in some if one.kind == kind) for kind, weight in weights.items()
    }
    assert totals == pytest.approx({"textbook": 1.0, "meeting": 1.0, "mosaic_meeting": 0.25})


def test_an_epoch_draws_windows_of_every_kind() -> None:
    random = np.random.default_rng(0)
    kinds = {"textbook": [document(500, seed) for seed in range(4)], "meeting": [document(9, kind="meeting")]}
    drawn = order._drawn(kinds, random)
    assert {one.kind for one in drawn} == set(kinds)
    assert max(len(one.gold) for one in drawn) <= order.WINDOW
    assert sum(len(group) for group in order._batches(drawn)) == len(drawn)
