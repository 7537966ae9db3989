from __future__ import annotations

import pytest

from benchmarks import loading
from benchmarks.files import TEXTS
from benchmarks.loading import BINARY, ours, source


@pytest.mark.parametrize("format", [*TEXTS, *BINARY])
def test_each_format_can_be_measured_in_this_process(format: str) -> None:
    assert ours(format)(source(format)) is not None


def test_what_the_worker_adds_is_measured_for_each_format_with_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(loading, "RUNS", 1)
    loading.through_the_worker()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-len(BINARY) :]] == [*BINARY]
