"""How the orders of strategies are compared."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import proxies


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 3, 2, 4], 4 / 6),
        ([1, 1, 2, 3], [1, 2, 3, 4], 5 / 30**0.5),
        ([1, 1, 1, 1], [1, 2, 3, 4], 0.0),
    ],
)
def test_kendalls_tau_accounts_for_ties(one: list[float], other: list[float], tau: float) -> None:
    assert proxies.kendall(np.array(one, dtype=np.float64), np.array(other, dtype=np.float64)) == pytest.approx(tau)


def test_the_interval_is_of_the_questions_of_both() -> None:
    rng = np.random.default_rng(1)
    strategies = np.linspace(0, 1, 6)[:, None]
    asked, proxied = (strategies + rng.normal(0, 0.05, (6, 40)) for _ in range(2))
    tau, low, high = proxies.interval(asked, proxied)
    assert tau == 1.0
    assert 0.8 < low <= high == 1.0
    assert proxies.interval(asked, proxied) == (tau, low, high)
    assert proxies.halves(asked) > 0.9
    noise = rng.normal(0, 1, (6, 40))
    assert abs(proxies.halves(noise)) < 0.5
