"""What the tests of commands share: a document, and a command that runs in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.__main__ import main

TEXT = "# Tea\n\nBoil the water. Wait.\n\n## Green\n\nCool it. Serve it.\n\n# Bread\n\nKnead the dough. Bake it.\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """The file ``note.md`` with :data:`TEXT`."""
    path = tmp_path / "note.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Run a command; return its exit code, standard output and standard error."""
    code = main([str(word) for word in words])
    return (code, *capsys.readouterr())
