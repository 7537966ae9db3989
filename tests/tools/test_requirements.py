"""The requirements files agree with ``pyproject.toml`` and with the pins."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tools import requirements


def test_the_files_are_as_derived(root: Path) -> None:
    for name, content in requirements.derive(root).items():
        assert (root / name).read_text(encoding="utf-8") == content, "run python -m tools.requirements"


def test_every_pin_is_one_that_the_package_allows(root: Path) -> None:
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = requirements.read_pins((root / requirements.LOCK).read_text(encoding="utf-8"))
    extras = known["optional-dependencies"]
    for line in (*known["dependencies"], *(each for extra in extras.values() for each in extra)):
        wanted = Requirement(line)
        if wanted.name != "chunkscope":
            assert pins[wanted.name.lower()] in wanted.specifier, line


def test_all_names_every_other_extra(root: Path) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    included = {name for line in extras["all"] for name in Requirement(line).extras}
    assert included == set(extras) - {"all", "evaluation", "minilm"}, "evaluation comes with app, minilm with models"


def test_a_package_without_a_pin_is_refused(tmp_path: Path, root: Path) -> None:
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        text.replace('"defusedxml', '"unpinned>=1", "defusedxml'), encoding="utf-8"
    )
    (tmp_path / requirements.LOCK).write_bytes((root / requirements.LOCK).read_bytes())
    with pytest.raises(SystemExit, match="no pin for unpinned"):
        requirements.derive(tmp_path)


def test_the_pins_of_what_is_installed_are_those_of_the_lock(root: Path) -> None:
    assert requirements.installed_pins(root) == requirements.read_pins(
        (root / requirements.LOCK).read_text(encoding="utf-8")
    )


def test_every_pin_of_the_lock_has_hashes(root: Path) -> None:
    text = (root / requirements.LOCK).read_text(encoding="utf-8")
    pins, hashes = requirements.read_pins(text), requirements.read_hashes(text)
    assert pins.keys() == hashes.keys()
    assert all(hashes.values()) and all(len(each) == 64 for found in hashes.values() for each in found)
    assert requirements.lock_text(pins, hashes) == text
    assert set(requirements.TORCH_BUILDS.values()) < hashes["torch"]
    assert all(f"torch-{pins['torch']}+cpu-" in name for name in requirements.TORCH_BUILDS)
