"""An environment for the commands of the documentation."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with the command ``chunkscope`` as it would be installed."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "chunkscope"
    lines = (f"#!{sys.executable}", "import sys", "from chunking.__main__ import console", "sys.exit(console())", "")
    program.write_text("\n".join(lines), encoding="utf-8")
    program.chmod(0o755)
    path = os.pathsep.join((str(folder), str(Path(sys.executable).parent), os.environ["PATH"]))
    own = {"PATH": path, "PYTHONPATH": str(ROOT), "PRE_COMMIT_HOME": str(folder / "pre-commit")}
    return os.environ | own
