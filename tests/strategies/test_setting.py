from __future__ import annotations

import pytest

from chunking import ChunkscopeError, strategies
from chunking.strategies import REGISTRY


@pytest.mark.parametrize("name", list(REGISTRY))
def test_a_setting_is_what_its_line_says(name: str) -> None:
    strategy = strategies.get(name)
    assert strategies.parse(name).params == strategy.params()
    for preset in strategy.presets:
        setting = strategies.parse(f"{name}:preset={preset}")
        assert setting.params == strategies.preset(strategy, preset)
        assert strategies.parse(setting.text) == setting


def test_a_line_carries_parameters_and_a_preset_that_they_change() -> None:
    setting = strategies.parse("structural: preset=reference; alpha=0.3; features_off=token_level+sentence_length")
    values = setting.params.values()
    assert (values["alpha"], values["percentile"], values["structure"]) == (0.3, 95.0, "reference")
    assert values["features_off"] == ("sentence_length", "token_level")
    assert strategies.parse(setting.text) == setting


def test_commas_part_settings_and_a_repeated_one_counts_once() -> None:
    line = "structural:alpha=0.3,structural:preset=reference,percentile:window=1;percentile=90,percentile:percentile=90"
    assert [setting.text for setting in strategies.parse_all(line)] == [
        "structural:alpha=0.3",
        "structural:alpha=0.05;percentile=95.0;block=1;structure=reference",
        "percentile:percentile=90.0",
    ]


def test_titles_name_a_preset_or_what_differs() -> None:
    assert strategies.parse("structural:preset=reference").title == "Fused (semantic + structural) · reference"
    assert (
        strategies.parse("structural:alpha=0.3;max_tokens=200").title
        == "Fused (semantic + structural) · α 0.3, Maximum 200"
    )
    assert strategies.parse("structural").title == "Fused (semantic + structural)"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "Unknown strategy 'nonsense'"),
        ("structural:alpha", "'alpha' is not a parameter of structural"),
        ("structural:beta=1", "Unknown parameter 'beta'"),
        ("structural:alpha=2", "alpha cannot be 2"),
        ("structural:min_tokens=50;max_tokens=20", "min_tokens"),
        (" , ", "No strategy was given"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: str, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        strategies.parse_all(line)
