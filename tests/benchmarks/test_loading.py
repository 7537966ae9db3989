from __future__ import annotations

import pytest

from benchmarks.files import TEXTS
from benchmarks.loading import ours, source


@pytest.mark.parametrize("format", [*TEXTS, "docx", "epub", "pdf"])
def test_each_format_can_be_measured_in_this_process(format: str) -> None:
    assert ours(format)(source(format)) is not None
