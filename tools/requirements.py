"""Derive the requirements files from ``pyproject.toml`` and from the pins of ``requirements-lock.txt``.

    python -m tools.requirements           # after a change of pyproject.toml or of a pin
    python -m tools.requirements --lock    # pin first what is installed now

The first needs no package besides Python's own.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements-lock.txt"

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[\w.,-]+\])?[^;]*(?P<marker>;.*)?")


def derive(root: Path = ROOT) -> dict[str, str]:
    """Return the content of each derived file by its name."""
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, list[str]] = known["project"]["optional-dependencies"]
    run = known["project"]["dependencies"] + extras["evaluation"] + extras["app"] + extras["models"]
    pins = read_pins((root / LOCK).read_text(encoding="utf-8"))
    parts = ("requirements.txt", "requirements-cluster.txt", "requirements-peers.txt")
    files = {
        "requirements.txt": ("The app with its models.", [f"-c {LOCK}"], run),
        "requirements-peers.txt": ("The splitters of other libraries.", [f"-c {LOCK}"], extras["peers"]),
        "requirements-cluster.txt": (
            "Ray, and an index for large corpora.",
            [f"-c {LOCK}"],
            extras["cluster"],
        ),
        "requirements-dev.txt": (
            "Everything that the tests, the checks and the benchmark need.",
            [f"-r {name}" for name in parts],
            known["dependency-groups"]["dev"],
        ),
    }
    about = "Derived from pyproject.toml by python -m tools.requirements; do not edit."
    return {
        name: "\n".join([f"# {title}", f"# {about}", *options, *_pinned_all(wanted, pins)]) + "\n"
        for name, (title, options, wanted) in files.items()
    }


def read_pins(text: str) -> dict[str, str]:
    """Return the version of each pinned package by its normalised name."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return {normalised(name): version for name, _, version in (line.partition("==") for line in lines if line)}


def _pinned_all(requirements: list[str], pins: Mapping[str, str]) -> list[str]:
    return sorted(line for line in (_pinned(each, pins) for each in requirements) if line)


def _pinned(requirement: str, pins: Mapping[str, str]) -> str:
    """Return a requirement with its pin in place of its range; empty for an extra of Chunkscope's own."""
    found = _REQUIREMENT.fullmatch(requirement)
    if found is None:
        sys.exit(f"pyproject.toml: {requirement!r} cannot be read as a requirement.")
    name, extras, marker = found["name"], found["extras"] or "", (found["marker"] or "").replace("'", '"')
    if name == "chunkscope":
        return ""
    if normalised(name) not in pins:
        sys.exit(f"{LOCK} has no pin for {name}: install it and run python -m tools.requirements --lock.")
    return f"{name}{extras}=={pins[normalised(name)]}{marker}"


def normalised(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_pins(root: Path = ROOT) -> str:
    """Return the pins of all that Chunkscope's extras and its development need, as installed in this environment.

    The pin of a package that this platform does not need is kept as it was.
    """
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*known["project"]["dependencies"], *known["dependency-groups"]["dev"]]
    wanted += [each for extra in known["project"]["optional-dependencies"].values() for each in extra]
    before = read_pins((root / LOCK).read_text(encoding="utf-8"))
    # A local version (torch's +cpu) is one build of a release, and the pin is for all of them.
    found = {name: version.partition("+")[0] for name, version in _closure(wanted)}
    lines = sorted(f"{name}=={version}" for name, version in (before | found).items())
    about = "# Every package that the environment was tested with, as constraints: python -m tools.requirements --lock."
    return "\n".join((about, *lines)) + "\n"


def _closure(wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Yield name and version of each installed package that is wanted, or needed by one that is."""
    from packaging.requirements import Requirement

    waiting: list[tuple[Any, str]] = [(Requirement(each), "") for each in wanted if not each.startswith("chunkscope[")]
    seen = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = normalised(requirement.name)
        for chosen in ("", *requirement.extras):
            if (name, chosen) in seen:
                continue
            seen.add((name, chosen))
            needs = importlib.metadata.requires(name) or []
            waiting += [(Requirement(each), chosen) for each in needs]
        yield name, importlib.metadata.version(name)


def main() -> None:
    """Write the files."""
    if sys.argv[1:] == ["--lock"]:
        (ROOT / LOCK).write_text(installed_pins(), encoding="utf-8")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    for name, content in derive().items():
        (ROOT / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
