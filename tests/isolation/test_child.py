"""What a process that works on documents may read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from chunking.isolation import child


def test_packages_that_are_linked_into_an_environment_are_readable_by_their_names_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, shelf = tmp_path / "kept" / "package", tmp_path / "shelf"
    kept.mkdir(parents=True)
    shelf.mkdir()
    for path in (kept / "module.py", kept.parent / "secret.txt", shelf / "own.py"):
        path.write_text("", encoding="utf-8")
    (shelf / "package").symlink_to(kept)
    monkeypatch.setattr(sys, "path", [*sys.path, str(shelf)])
    refuse = child._audit_hook()
    for path in (shelf / "own.py", shelf / "package" / "module.py"):
        refuse("open", (str(path), "r", os.O_RDONLY))
    refused: tuple[tuple[str | Path, int], ...] = (
        (kept / "module.py", os.O_RDONLY),
        (kept.parent / "secret.txt", os.O_RDONLY),
        (f"{shelf}/package/../secret.txt", os.O_RDONLY),
        (f"{shelf}/../kept/secret.txt", os.O_RDONLY),
        (shelf / "package" / "module.py", os.O_WRONLY),
    )
    for asked, flags in refused:
        with pytest.raises(PermissionError):
            refuse("open", (str(asked), "r", flags))
