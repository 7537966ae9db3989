"""That every pattern takes time linear in the text that it is given."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.runtime.patterns import compile_pattern, registered_patterns
from tests.runtime import pump


def check_patterns(root: Path, *options: str) -> None:
    """Fail with each pattern whose time grows too steeply, measured in a process that can be killed."""
    command = [sys.executable, "-m", "tests.runtime.pump", *options]
    out = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    findings = [pump.Finding(**finding) for finding in json.loads(out.stdout)]
    assert len(findings) > 250
    steep = [finding for finding in findings if finding.exponent > pump.EXPONENT]
    assert not steep, "\n".join(map(str, steep))


def test_every_pattern_takes_linear_time(root: Path) -> None:
    check_patterns(root)


@pytest.mark.extended
def test_every_pattern_takes_linear_time_on_long_texts(root: Path) -> None:
    check_patterns(root, "--full")


@pytest.mark.parametrize(
    ("pattern", "used", "least"),
    [
        (r"\s+$", {"search"}, 1.6),
        (r"<!--.*?-->", {"sub"}, 1.6),
        (r"---\s*\n\s*:", {"match"}, 1.6),
        (r"---(?:\s*\r?\n)*:", {"match"}, 3.0),
        (r"(?:a|aa)+$", {"fullmatch"}, 3.0),
        # Those two froze a server: front matter, and rules of a LaTeX table.
        (
            r"---[ \t]*(?:\r\n?|\n)(?:[ \t]*(?:\r\n?|\n)|#[^\r\n]*(?:\r\n?|\n))*[\w.\"'-]+[ \t]*:(?!\S)",
            {"match"},
            3.0,
        ),
        (r"(?:\\(?:hline|toprule|midrule)\s*(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\})*\s*)+", {"fullmatch"}, 3.0),
        (r"\s*\d", {"match", "lines"}, 1.6),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, used: set[str], least: float) -> None:
    previous = signal.signal(signal.SIGPROF, pump.raise_stuck)
    try:
        finding = pump.measure("here", re.compile(pattern), used, 8_192)
    finally:
        signal.signal(signal.SIGPROF, previous)
    assert finding.exponent > least


def test_a_pattern_is_registered_with_its_module_while_it_is_referenced() -> None:
    pattern = compile_pattern(r"registered (here)")
    assert (__name__, pattern) in registered_patterns()
    assert pattern.fullmatch("registered here")
    assert compile_pattern(rb"\d", re.ASCII).match(b"1")


def test_the_uses_of_a_pattern_are_found() -> None:
    modules = pump.import_all()
    uses = pump.methods(modules)
    from chunking.loading.text import markdown

    assert uses[markdown._COMMENTS] == {"match"}
    assert uses[markdown._ATX] == {"search"}
    assert uses[markdown._MARKER] == {"match", "lines"}


def test_patterns_that_are_built_later_are_measured_too() -> None:
    built = pump.build_all()
    measured = {pattern for _, pattern in registered_patterns()}
    assert len(built) > 5
    assert measured.issuperset(built)
