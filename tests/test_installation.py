from __future__ import annotations

from pathlib import Path

import pytest

from chunking import installation


@pytest.mark.parametrize(
    ("beside", "command"),
    [
        (("pyproject.toml", "app.py"), 'pip install -e ".[peers]"'),
        (("chunkscope/app.py",), 'pip install "chunkscope[peers]"'),
        # As on a worker of a cluster.
        ((), 'pip install "chunkscope[peers]"'),
    ],
    ids=["checkout", "wheel", "library alone"],
)
def test_the_command_fits_the_way_it_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: tuple[str, ...], command: str
) -> None:
    for name in beside:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(installation, "_BESIDE", tmp_path)
    assert installation.install_command("peers") == command
