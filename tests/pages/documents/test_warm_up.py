"""What a server that has just started prepares for its first visitor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PREPARE = """
import sys
from pages.shared.documents import warm_up
warm_up.prepare()
named = ("chunking.explain", "pages.shared.components.workbench", "pandas", "sqlalchemy", "torch", "spacy")
print(*(name for name in named if name in sys.modules))
print("pages.inspect" in sys.modules)
"""


def test_what_the_first_page_needs_is_imported_and_neither_a_model_nor_the_page(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _PREPARE], cwd=root, capture_output=True, text=True, check=True)
    imported, page = done.stdout.splitlines()
    assert imported.split() == ["chunking.explain", "pages.shared.components.workbench", "pandas", "sqlalchemy"]
    assert page == "False"
