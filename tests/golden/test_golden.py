"""What the product computes today is what it computed when it was recorded.

A change that is meant to change an output records it anew with ``make golden``; its commit message says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import segmentations
from tests.golden.corpus import GoldenDocument, golden_documents
from tests.golden.outputs import (
    LIMIT,
    RECORDED,
    Output,
    all_outputs,
    common_outputs,
    document_outputs,
    peer_outputs,
    recorded_bytes,
    stale_files,
)
from tests.golden.settings import OTHER_SETTINGS
from tests.golden.text import compact_json, differences, number
from tests.node import Ask, answering
from tests.pages.conftest import node as node

DOCUMENTS = golden_documents()
_SHOWN = 40
"""Lines of a difference that a failure shows of a file."""


@pytest.fixture(scope="module")
def ask(node: str) -> Iterator[Ask]:
    with answering(node) as asked:
        yield asked


def check(outputs: Iterator[tuple[Path, Output]]) -> None:
    """Fail with all that differs from what is recorded."""
    changes = [line for path, output in outputs for line in _changes(path, output())]
    assert not changes, "\n".join(["what is computed has changed; make golden records it anew", *changes])


def _changes(path: Path, computed: str) -> list[str]:
    if not path.exists():
        return [f"{path.relative_to(RECORDED)}: not recorded"]
    lines = differences(path.read_text(encoding="utf-8"), computed)
    more = [f"… {len(lines) - _SHOWN} more lines"] if len(lines) > _SHOWN else []
    return [f"{path.relative_to(RECORDED)}:", *lines[:_SHOWN], *more] if lines else []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_a_document_gives_what_was_recorded(document: GoldenDocument, ask: Ask) -> None:
    check(document_outputs(document, ask))


def test_evaluations_settings_and_strategies_are_those_recorded(tmp_path: Path) -> None:
    check(common_outputs(tmp_path))


@pytest.mark.parametrize("name", segmentations.peer_names())
def test_a_splitter_of_another_library_gives_what_was_recorded(name: str) -> None:
    """Only with the version that was recorded: another one may cut elsewhere."""
    if name not in segmentations.installed_peers():
        pytest.skip(f"the library of {name} is not installed")
    outputs = [output for document in DOCUMENTS for output in peer_outputs(document, [name])]
    recorded = outputs[0][0].read_text(encoding="utf-8").partition("\n")[0]
    if recorded != segmentations.peer_version(name):
        pytest.skip(f"recorded with {recorded}, installed is {segmentations.peer_version(name)}")
    check(iter(outputs))


def test_every_strategy_is_recorded_at_another_setting() -> None:
    assert sorted(OTHER_SETTINGS) == sorted(segmentations.own_strategies())


def test_nothing_else_is_recorded_and_all_of_it_is_small(tmp_path: Path, ask: Ask) -> None:
    outputs = {path for path, _ in all_outputs(tmp_path, ask)}
    assert stale_files(outputs) == []
    assert recorded_bytes() <= LIMIT


def test_differences_in_the_last_decimal_are_none() -> None:
    recorded = "a 0.123456 1.5\nb 7\nc 0.2000\n"
    assert differences(recorded, "a 0.123457 1.5\nb 7\nc 0.2001\n") == []
    assert differences(recorded, "a 0.123460 1.5\nb 7\nc 0.2000\n") == [
        "@ line 1",
        "-a 0.123456 1.5",
        "+a 0.123460 1.5",
    ]
    assert differences(recorded, "a 0.123456 1.5\nb 8\nc 0.2000\n") == ["@ line 2", "-b 7", "+b 8"]
    assert differences(recorded, "a 0.123456 1.5\nc 0.2000\n") == ["@ line 2", "-b 7"]


def test_numbers_are_rounded_and_never_negative_zero() -> None:
    assert [number(value) for value in (-0.00001, 0.12345678, 2.0)] == ["0.0000", "0.1235", "2.0000"]
    assert compact_json({"a": [1, -0.00001], "b": {"c": 0.123456}}) == '{"a": [1, 0.0], "b": {"c": 0.1235}}\n'
