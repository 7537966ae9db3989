"""The basic bundle of Plotly.js that is kept in the repository."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from pages.shared.components.plotly_js import loader

SHA256 = "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
"""Of dist/plotly-basic.min.js in the npm package plotly.js-basic-dist-min 4.1.1."""


def test_the_bundle_is_the_published_one_with_its_licence() -> None:
    assert hashlib.sha256(loader.BASIC.read_bytes()).hexdigest() == SHA256
    assert "MIT License" in loader.BASIC.with_name("LICENSE").read_text(encoding="utf-8")


def test_both_bundles_are_of_one_version() -> None:
    found = importlib.util.find_spec("plotly")
    assert found and found.origin
    complete = Path(found.origin).parent / "package_data" / "plotly.min.js"
    assert loader.version(loader.BASIC) == loader.version(complete) != "unknown"
