"""The record of measurements: the latest output of each part, with its date, versions and machine."""

from __future__ import annotations

import io
import os
import platform
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).with_name("RESULTS.md")

_HEAD = """# Results

The output of `make bench`, part by part, as it was last measured. Compare ratios within one part: absolute times depend
on the machine.
"""
_PACKAGES = ("numpy", "torch", "sentence-transformers", "spacy", "streamlit", "plotly")
_SECTION = re.compile(r"^## (\S+)\n(\nMeasured .*?)(?=^## \S+\n\nMeasured |\Z)", re.MULTILINE | re.DOTALL)


class _Copy(io.StringIO):
    """Text that is written to standard output as well."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)  # type: ignore[union-attr]
        return super().write(text)


def measure(part: str, run: Callable[[], object]) -> None:
    """Run a part, and record what it prints; a part that fails leaves the record as it is."""
    copy = _Copy()
    with redirect_stdout(copy):
        run()
    RESULTS.write_text(updated(recorded(), part, copy.getvalue(), conditions()), encoding="utf-8")


def recorded() -> str:
    """Return the record; its heading alone where nothing was measured yet."""
    return RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else _HEAD


def updated(text: str, part: str, output: str, measured: str) -> str:
    """Return the record with the section of one part replaced, or added in alphabetical order."""
    sections = dict(_SECTION.findall(text))
    sections[part] = f"\n{measured}\n\n```text\n{output.strip()}\n```\n\n"
    return "\n".join([_HEAD, *(f"## {name}\n{sections[name].rstrip()}\n" for name in sorted(sections))])


def conditions() -> str:
    """Return the date, the machine and the versions in one line."""
    versions = [f"{name} {found}" for name in _PACKAGES if (found := _version(name))]
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    parts = [f"Measured {datetime.now(UTC):%Y-%m-%d}", machine, f"Python {platform.python_version()}", *versions]
    return ", ".join(parts) + "."


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
