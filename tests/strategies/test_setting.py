"""The one-line notation of settings: parameters, presets, names, and what is embedded and returned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, evaluation, strategies
from chunking.strategies import REGISTRY, context
from chunking.strategies.context import ContextParameters

RETRIEVAL = "structural:alpha=0.3;embed=title;return=parent"


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
        "structural:alpha=0.05;percentile=95.0;block=1;structure=reference;"
        "min_tokens=0;soft_min_tokens=0;max_tokens=0;keep_together=no",
        "percentile:percentile=90.0",
    ]


def test_boundaries_are_judged_before_the_default_sizes_and_within_others() -> None:
    assert strategies.parse("structural:alpha=0.3").before_limits == strategies.parse(
        "structural:preset=unlimited;alpha=0.3"
    )
    assert strategies.parse("changepoint").before_limits == strategies.parse("changepoint:preset=unlimited")
    for line in ("structural:max_tokens=100", "changepoint:soft_min_tokens=0", "percentile", "sentence", "heading"):
        assert strategies.parse(line).before_limits == strategies.parse(line)


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
        ("structural:alpha=.2; alpha=.3", r"'alpha' is given twice, as '.2' and '.3'\. Give each parameter once"),
        ("structural:min_tokens=50;max_tokens=20", "min_tokens"),
        (" , ", "No strategy was given"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: str, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        strategies.parse_all(line)


def test_names_are_what_is_before_the_equals_sign() -> None:
    found = strategies.parse_named("fine = structural:alpha=0.3;percentile=80, whole ,x=structural")
    assert list(found) == ["fine", "whole", "x"]
    assert found["fine"].text == "structural:alpha=0.3;percentile=80.0"
    assert found["x"].text == "structural"


def test_lines_without_names_are_called_as_they_are_written() -> None:
    line = "structural:alpha=0.3,structural:preset=reference,percentile:window=1;percentile=90,changepoint"
    assert list(strategies.parse_named(line)) == line.split(",")
    assert len(strategies.parse_all("whole,whole")) == 1


names = st.text(st.characters(codec="utf-8", exclude_characters=",:="), min_size=1).filter(lambda text: text.strip())


@given(names, st.sampled_from(["whole", "structural:alpha=0.3", "percentile:window=0;percentile=90.0"]))
def test_any_name_without_separators_is_kept(name: str, line: str) -> None:
    ((kept, setting),) = strategies.parse_named(f"{name}={line}").items()
    assert kept == name.strip()
    assert setting == strategies.parse(line)


@pytest.mark.parametrize("line", ["", " , ", "x=", "x=unknown", "=whole", "a=whole,a=recursive"])
def test_what_is_wrong_is_refused(line: str) -> None:
    with pytest.raises(ChunkscopeError):
        strategies.parse_named(line)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("structural:alpha=0.3,percentile=80", "'structural:alpha=0.3;percentile=80'"),
        ("recursive:size=500,chunk_overlap=0", "'recursive:size=500;chunk_overlap=0'"),
        ("percentile,window=0", "'percentile:window=0'"),
        ("a=structural:alpha=0.3,preset=reference", "'structural:alpha=0.3;preset=reference'"),
    ],
)
def test_a_comma_between_parameters_gets_a_hint(line: str, remedy: str) -> None:
    with pytest.raises(ChunkscopeError, match="Commas separate strategies") as caught:
        strategies.parse_named(line)
    assert remedy in caught.value.remedy


def test_a_misspelt_strategy_is_no_parameter() -> None:
    with pytest.raises(ChunkscopeError, match="Unknown strategy 'strctural'"):
        strategies.parse_named("structural:alpha=0.3,fine=strctural")


def test_a_setting_keeps_its_choices_of_retrieval() -> None:
    setting = strategies.parse(RETRIEVAL, retrieval=True)
    assert setting.text == RETRIEVAL
    assert (setting.context.embed, setting.context.return_) == ("title", "parent")
    assert setting.cutting.text == "structural:alpha=0.3"
    assert setting.title.endswith("α 0.3, Embed title, Return parent")
    assert setting.with_values(setting.values()) == setting
    assert strategies.parse("structural:embed=headings;return=chunk", retrieval=True) == strategies.parse("structural")


def test_no_strategy_has_a_parameter_of_that_name() -> None:
    for strategy in REGISTRY.values():
        assert not context.NAMES & {known.name for known in strategy.params.describe()}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("whole:embed=summary", "Use one of headings, chunk, title, late"),
        ("whole:return=all", "Use one of chunk, parent, window"),
        ("whole:neighbours=3", "Write return=window;neighbours=3"),
        ("whole:return=window;neighbours=0", "Use a whole number from 1 to 20"),
        ("whole:embed", "Write whole:KEY=VALUE"),
    ],
)
def test_a_bad_value_is_refused_with_what_to_do(text: str, problem: str) -> None:
    with pytest.raises(ChunkscopeError, match=problem):
        strategies.parse(text, retrieval=True)


def test_where_nothing_is_retrieved_the_choices_are_refused() -> None:
    with pytest.raises(ChunkscopeError, match=r"embed=title;return=parent of structural .* Leave it out here"):
        strategies.parse(RETRIEVAL)
    with pytest.raises(ChunkscopeError, match="Leave it out here"):
        evaluation.read_settings("whole", {"embed": "title"})
    with pytest.raises(ChunkscopeError, match="Leave it out here"):
        evaluation.read_settings(RETRIEVAL, {})


def test_a_choice_for_all_strategies_yields_to_their_own() -> None:
    found = evaluation.read_settings("whole,heading:embed=title", {"embed": "chunk", "return": "window"}, True)
    assert {name: setting.text for name, setting in found.items()} == {
        "whole": "whole:embed=chunk;return=window",
        "heading:embed=title": "heading:embed=title;return=window",
    }


def test_python_reserves_the_name_of_an_option() -> None:
    known = ContextParameters.lookup("return")
    assert known.attribute == "return_"
    assert ContextParameters.parse({"return": "window"}).values()["return"] == "window"
    assert ContextParameters(return_="parent").changed() == {"return": "parent"}
