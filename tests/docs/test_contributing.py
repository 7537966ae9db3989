"""CONTRIBUTING lists what ``make test`` leaves out."""

from __future__ import annotations

import re
from pathlib import Path


def test_every_file_with_extended_tests_is_listed_with_a_reason(root: Path) -> None:
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^    - `(tests/[\w/]+\.py)`: \w", text, re.MULTILINE)
    marked = {
        path.relative_to(root).as_posix()
        for path in (root / "tests").rglob("*.py")
        if "pytest.mark.extended" in path.read_text(encoding="utf-8") and path != Path(__file__)
    }
    assert sorted(listed) == sorted(marked)
