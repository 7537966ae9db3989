"""The table of faults names tests that exist, for every part."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.test_security import TEST, names

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def test_every_fault_of_every_part_has_tests_that_exist(root: Path) -> None:
    text = (root / "docs" / "deploy.md").read_text(encoding="utf-8")
    faults = re.split(r"^### ", text.partition("\n## Faults\n")[2].partition("\n## ")[0], flags=re.MULTILINE)[1:]
    assert len(faults) == 6
    for fault in faults:
        rows = [row for row in ROW.findall(fault) if row[0] != "part"]
        assert len(rows) == fault.count("\n| ") - 1 >= 3
        for part, _, lost, tests in rows:
            assert lost
            assert not TEST.sub("", tests).strip(", "), part
            for file, name in TEST.findall(tests):
                assert name in names(root / "tests" / file), f"{file}::{name}"
