"""The wheel, and environments that hold it with the packages that its extras name, and with nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import install

REAL = "CHUNKSCOPE_INSTALL" in os.environ
"""Whether the packages are installed anew; by default they are linked from the environment of the tests."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, outside the repository, and the folder that its commands run in."""

    folder: Path
    work: Path

    @property
    def bin(self) -> Path:
        """The folder of its commands."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a user who has nothing of Chunkscope's set."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CHUNKSCOPE"))}
        return own | {"HOME": str(self.work), "CHUNKSCOPE_CACHE": str(self.work / "cache"), "PYTHONUTF8": "1"}

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment."""
        command = [str(self.bin / words[0]), *map(str, words[1:])]
        return subprocess.run(
            command, cwd=self.work, env=self.variables, capture_output=True, text=True, encoding="utf-8", check=False
        )

    def python(self, code: str) -> str:
        """Return what a program prints."""
        done = self.run("python", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chunkscope's wheel."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def environment(wheel: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Environment]:
    """Return the environment with the extras that are named, such as ``"app,models"``; ``""`` is the library alone."""

    @cache
    def make(extras: str) -> Environment:
        made = Environment(tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("work"))
        venv.create(made.folder, symlinks=os.name != "nt", with_pip=False)
        python = made.bin / "python"
        if REAL:
            _install(python, f"chunkscope[{extras}] @ {wheel.as_uri()}", root)
        else:
            command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
            subprocess.run([*command, "--quiet", str(wheel)], check=True)
            _link(Path(made.python("import sysconfig; print(sysconfig.get_path('purelib'))")), extras)
        return made

    return make


def _install(python: Path, requirement: str, root: Path) -> None:
    listing = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    )
    settings = install.translate(listing.stdout)
    assert not settings.unknown
    uv = shutil.which(Path(sys.executable).with_name("uv"))
    assert uv, "uv comes with requirements-dev.txt"
    command = [uv, "pip", "install", "--python", str(python), "--index-strategy", "unsafe-best-match"]
    command += [*settings.options, *install.torch_options(""), "--constraint", str(root / "requirements-pins.txt")]
    subprocess.run([*command, requirement], env={**os.environ, **settings.variables}, check=True)


def _link(site: Path, extras: str) -> None:
    """Link the packages that Chunkscope's wheel requires, and those that they require, into an environment."""
    distributions = _closure(next(iter(metadata.distributions(name="chunkscope", path=[str(site)]))), extras)
    tops = Counter(top for each in distributions for top in {file.parts[0] for file in each.files or ()})
    for each in distributions:
        own = Path(str(each.locate_file("")))
        for file in each.files or ():
            top = file.parts[0]
            place = Path(*file.parts) if tops[top] > 1 else Path(top)
            if top not in ("..", "__pycache__") and not (site / place).exists():
                (site / place).parent.mkdir(parents=True, exist_ok=True)
                (site / place).symlink_to(own / place)


def _closure(chunkscope: metadata.Distribution, extras: str) -> list[metadata.Distribution]:
    found: dict[str, metadata.Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(chunkscope, extra) for extra in ("", *filter(None, extras.split(",")))]
    while waiting:
        one, extra = waiting.pop()
        for line in one.requires or ():
            wanted = Requirement(line)
            if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(wanted.name)
            for further in ("", *wanted.extras):
                if (name, further) not in seen:
                    seen.add((name, further))
                    other = chunkscope if name == "chunkscope" else metadata.distribution(name)
                    waiting.append((other, further))
                    if name != "chunkscope":
                        found[name] = other
    return list(found.values())
