"""That the time for the worst files of each format grows with their size."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from chunking.errors import ChunkscopeError
from chunking.isolation import USUAL, LimitError, calls, keep_warm
from chunking.loading import isolated
from tests.loading import worst_cases
from tests.runtime import pump

EXPONENT = 1.4
"""Highest growth that passes; a loop that begins again at each line has 2."""

OFTEN = (
    *("text-lines", "text-items", "text-nel", "md-table", "md-definitions", "md-front-matter", "md-blank-crlf"),
    *("html-entities", "html-attributes", "html-formulas", "latex", "rst-border", "json-objects", "yaml-keys", "csv"),
    *("subtitles", "chat", "chat-names", "cpp", "python-nested", "cpp-parens", "notebook"),
)
"""The cases of the usual tier: those that were slow once, and one for each format."""


def check_growth(name: str, size: int) -> None:
    """Fail where a case's time grows too steeply, also when it is measured again."""
    worst_cases.cost(name, 1_000)  # so that what is imported and compiled once is not measured
    # The more objects a file makes, the more often all objects of the process are looked through for garbage.
    gc.collect()
    gc.freeze()

    def seconds(length: int, _run: int) -> float:
        return worst_cases.cost(name, length).total

    growth, _ = pump.exponent(seconds, size, worst_cases.SHORT, EXPONENT)
    assert growth <= EXPONENT


@pytest.mark.parametrize("name", OFTEN)
def test_the_time_for_a_file_grows_with_its_size(name: str) -> None:
    check_growth(name, 32_768)


@pytest.mark.extended
@pytest.mark.parametrize("name", worst_cases.WORST)
def test_the_time_for_the_worst_files_grows_with_their_size(name: str) -> None:
    check_growth(name, 262_144)


SECONDS = 10
"""Processor seconds in which the worst mebibyte of each format is read, or refused by another limit."""


@pytest.fixture(scope="module")
def _forked() -> Iterator[None]:
    """Forks processes from one that has imported everything, as the server does."""
    before = calls._WARM.modules
    keep_warm(["chunking.loading.isolated", "chunking.loading.language:prepare"])
    yield
    keep_warm(before)


@pytest.mark.extended
@pytest.mark.usefixtures("_forked")
@pytest.mark.parametrize("name", worst_cases.WORST)
def test_the_worst_mebibyte_is_read_or_refused_with_the_name_of_a_limit(name: str) -> None:
    file, make = worst_cases.WORST[name]
    data = make(worst_cases.MIB)
    try:
        document = isolated.load(data, file, limits=replace(USUAL, cpu=SECONDS, wall=600.0))
    except LimitError as error:
        assert "more memory than the limit" in error.problem or "nested" in error.problem, "it took too long"
    except ChunkscopeError as error:
        assert re.search(r"more than [\d,]+", error.problem), error
    else:
        assert document.text.strip() or "is empty" in " ".join(document.notes)
