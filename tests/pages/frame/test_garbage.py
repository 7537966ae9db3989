"""What collections of garbage pass over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_COUNTS = """
import gc
from pages.shared.frame import garbage
garbage.exempt_imported()
few = gc.get_freeze_count()
import colorsys
garbage.exempt_imported()
print(few > 1_000, gc.get_freeze_count() == few)
import pandas
garbage.exempt_imported()
print(gc.get_freeze_count() > few + 20_000)
"""


def test_imported_objects_are_passed_over_once_there_are_many(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _COUNTS], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]
