"""Lines of several settings, each with a name of its own or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, strategies


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
