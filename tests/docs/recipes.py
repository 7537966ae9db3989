"""Recipes of the documentation, followed literally in a copy of the project.

A fenced block with a title is a file: ``title="path"`` creates it, and a ``diff`` block changes it (each stretch of
removed lines must occur exactly once and is replaced by the added lines after it). In a ``console`` block each line
that begins with ``$`` is run; the lines below it must occur in its output.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A fenced block of a recipe: its language, the file it names (or empty), and its text."""

    language: str
    path: str
    text: str


def steps(page: str) -> list[Step]:
    """Return the steps of a recipe in order."""
    found = [Step(language, path, text) for language, path, text in _BLOCK.findall(page)]
    return [step for step in found if step.path or step.language == "console"]


def copy(root: Path, folder: Path) -> None:
    """Copy the project as git knows it, with files that are new, into an empty folder."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, folder / name)


def follow(page: str, folder: Path) -> None:
    """Follow every step of a recipe in a copy of the project; raise AssertionError where one does not hold."""
    for step in steps(page):
        if step.language == "console":
            for command, expected in commands(step.text):
                _run(command, expected, folder)
        elif step.language == "diff":
            path = folder / step.path
            path.write_text(changed(path.read_text(encoding="utf-8"), step.text, step.path), encoding="utf-8")
        else:
            path = folder / step.path.lstrip("/")
            assert not path.exists(), f"{step.path} exists already"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")


def changed(text: str, diff: str, name: str) -> str:
    """Apply a diff without line numbers to a text."""
    old: list[str] = []
    for sign, group in groupby(diff.splitlines(), key=lambda line: line[:1]):
        lines = [line[1:] for line in group]
        if sign == "-":
            old = lines
            continue
        assert sign == "+" and old, f"{name}: a diff is removed lines followed by added lines"
        before = "\n".join(old)
        assert text.count(before) == 1, f"{name}: {before!r} occurs {text.count(before)} times"
        text = text.replace(before, "\n".join(lines))
        old = []
    assert not old, f"{name}: removed lines without added ones"
    return text


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a console block, each with the lines that its output must contain."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *expected = part.splitlines()
        yield command, [line for line in expected if line.strip()]


def _run(command: str, expected: list[str], folder: Path) -> None:
    words = shlex.split(command)
    assert words[0] == "python", f"not a Python command: {command}"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, env=environment)
    output = done.stdout + done.stderr
    assert done.returncode == 0, f"{command}\n{output[-3000:]}"
    for line in expected:
        assert line in output, f"{command}: {line!r} is not in\n{output[-3000:]}"


# --- pages whose commands are run where Chunkscope is installed ------------------------------------------------------


def write_files(page: str, folder: Path) -> None:
    """Write the files of a page into a folder."""
    for step in steps(page):
        if step.path:
            path = folder / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")


def consoles(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of the consoles of a page, with the lines below it."""
    for step in steps(page):
        if step.language == "console":
            yield from commands(step.text)


def check_console(command: str, expected: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command; its output must have the lines below it, and its exit code is the last of them."""
    code, out = shell(command, folder, environment)
    *lines, last = expected
    assert last == f"[exit {code}]", out
    for line in lines:
        assert line in out.splitlines(), out


def shell(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run a command in a folder; return its exit code and all that it prints."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr
