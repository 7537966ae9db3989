"""That the time for the worst files of each format grows with their size."""

from __future__ import annotations

import pytest

from tests.loading import worst_cases

EXPONENT = 1.4
"""Highest growth that passes; a loop that begins again at each line has 2."""

USUAL = (
    *("text-lines", "text-items", "text-nel", "md-table", "md-definitions", "md-front-matter", "md-blank-crlf"),
    *("html-entities", "html-attributes", "latex", "rst-border", "json-objects", "yaml-keys", "csv", "subtitles"),
    *("chat", "chat-names", "cpp", "python-nested", "cpp-parens", "notebook"),
)
"""The cases of the usual tier: those that were slow once, and one for each format."""


def check_growth(name: str, small: int, large: int) -> None:
    """Fail where a case's time grows too steeply, also when it is measured again."""
    worst_cases.cost(name, 1_000)  # so that what is imported and compiled once is not measured
    growth = 0.0
    for runs in (1, 3, 5):
        growth = worst_cases.growth(name, small, large, runs)
        if growth <= EXPONENT:
            break
    assert growth <= EXPONENT


@pytest.mark.parametrize("name", USUAL)
def test_the_time_for_a_file_grows_with_its_size(name: str) -> None:
    check_growth(name, 8_192, 32_768)


@pytest.mark.extended
@pytest.mark.parametrize("name", worst_cases.WORST)
def test_the_time_for_the_worst_files_grows_with_their_size(name: str) -> None:
    check_growth(name, 65_536, 262_144)
