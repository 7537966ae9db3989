"""How many cores a process has, in a container too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from chunking.runtime import processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups of Linux")


@pytest.mark.parametrize(
    ("limits", "cores"),
    [
        ({}, 8),
        ({"": "max 100000"}, 8),
        ({"": "200000 100000"}, 2),
        ({"": "50000 100000"}, 1),
        ({"": "250000 100000"}, 3),
        ({"": "6400000 100000"}, 8),
        ({"system.slice/app.service": "400000 100000", "system.slice": "300000 100000"}, 3),
        ({"": "what a later version says"}, 8),
    ],
)
def test_a_container_with_time_of_a_few_cores_has_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, str], cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    for group, limit in limits.items():
        (tmp_path / group).mkdir(parents=True, exist_ok=True)
        (tmp_path / group / "cpu.max").write_text(f"{limit}\n")
    (tmp_path / "mine").write_text(f"1:cpu:/other\n0::/{next(iter(limits), '')}\n")
    monkeypatch.setattr(processes, "_GROUP", tmp_path / "mine")
    monkeypatch.setattr(processes, "_GROUPS", tmp_path)
    assert processes.cores() == cores


def test_a_system_that_says_nothing_limits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 2, 3})
    monkeypatch.setattr(processes, "_GROUP", tmp_path / "none")
    assert processes.cores() == 3
