"""What is embedded and returned, within the text of a setting."""

from __future__ import annotations

import pytest

from chunking import ChunkscopeError, evaluation, strategies
from chunking.strategies import REGISTRY, context
from chunking.strategies.context import ContextParameters

LINE = "structural:alpha=0.3;embed=headings;return=parent"


def test_a_setting_keeps_its_choices_of_retrieval() -> None:
    setting = strategies.parse(LINE, retrieval=True)
    assert setting.text == LINE
    assert (setting.context.embed, setting.context.return_) == ("headings", "parent")
    assert setting.cutting.text == "structural:alpha=0.3"
    assert setting.title.endswith("α 0.3, Embed headings, Return parent")
    assert setting.with_values(setting.values()) == setting
    assert strategies.parse("structural:embed=chunk;return=chunk", retrieval=True) == strategies.parse("structural")


def test_no_strategy_has_a_parameter_of_that_name() -> None:
    for strategy in REGISTRY.values():
        assert not context.NAMES & {known.name for known in strategy.params.describe()}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("whole:embed=summary", "Use one of chunk, headings, title, late"),
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
    with pytest.raises(ChunkscopeError, match=r"embed=headings;return=parent of structural .* Leave it out here"):
        strategies.parse(LINE)
    with pytest.raises(ChunkscopeError, match="Leave it out here"):
        evaluation.read_settings("whole", {"embed": "title"})
    with pytest.raises(ChunkscopeError, match="Leave it out here"):
        evaluation.read_settings(LINE, {})


def test_a_choice_for_all_strategies_yields_to_their_own() -> None:
    found = evaluation.read_settings("whole,heading:embed=title", {"embed": "headings", "return": "window"}, True)
    assert {name: setting.text for name, setting in found.items()} == {
        "whole": "whole:embed=headings;return=window",
        "heading:embed=title": "heading:embed=title;return=window",
    }


def test_python_reserves_the_name_of_an_option() -> None:
    known = ContextParameters.lookup("return")
    assert known.attribute == "return_"
    assert ContextParameters.parse({"return": "window"}).values()["return"] == "window"
    assert ContextParameters(return_="parent").changed() == {"return": "parent"}
