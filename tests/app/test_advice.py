"""The panel "What should I use?" on Inspect and Collection, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from chunking import parse, samples
from tests.app.pages import TIMEOUT, calm
from tests.app.test_inspect import gap, opened, upload

EVIL = "<img src=x onerror=alert(1)>"


def collection(root: Path) -> AppTest:
    return calm(opened(root).switch_page("pages/collection.py").run(timeout=TIMEOUT))


def unfolded(app: AppTest, key: str) -> AppTest:
    """Open a popover, as a click does."""
    app.session_state[key] = True
    return calm(app.run(timeout=TIMEOUT))


def advised(app: AppTest) -> str:
    return next(
        (str(each.proto.body) for each in app.get("html") if "cs-advice" in each.proto.body.split("<style")[0]), ""
    )


def value(app: AppTest, name: str) -> str:
    found: Any = app.query_params.get(name, "")
    return found if isinstance(found, str) else str(found[0])


def test_nothing_is_computed_before_it_is_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the advice was computed for a closed panel")

    monkeypatch.setattr("chunking.advice.advise", refuse)
    assert not advised(opened(root, doc="harbour-report"))
    assert not advised(collection(root))


def test_inspect_shows_the_advice_and_opens_its_setting(root: Path) -> None:
    app = unfolded(opened(root, doc="harbour-report", gap="40"), "_advice")
    panel = advised(app)
    assert "<code>structural:max_tokens=220</code>" in panel
    for part in ("Second best", "What would change the advice", "What is claimed", "Error rate", "Error rates by set"):
        assert part in panel
    assert "reference boundaries of this document" in panel
    app.button(key="_advice_open").click()
    calm(app.run())
    assert value(app, "strategy") == "structural:max_tokens=220"
    assert value(app, "doc") == "harbour-report"
    assert app.selectbox(key="strategy").value == "structural"
    assert gap(app) == 40


def test_a_strategy_without_curves_is_applied_and_compared_too(root: Path) -> None:
    app = unfolded(opened(root, doc="remote-work-policy"), "_advice")
    assert "<code>heading:min_tokens=20;soft_min_tokens=64;max_tokens=" in advised(app)
    assert "Cut at every heading, at most " in advised(app).split("<details")[0]
    assert "_advice_open" in [each.key for each in app.button]
    app.button(key="_advice_compare").click()
    calm(app.run())
    assert value(app, "lanes").startswith("heading:min_tokens=20;soft_min_tokens=64;max_tokens=")
    assert "," in value(app, "lanes")


def test_a_name_is_no_markup(root: Path) -> None:
    app = upload(opened(root), f"{EVIL}.md", b"# Tea\n\nBoil it. Wait.\n\n# Bread\n\nBake it.\n\n# Soup\n\nStir.\n")
    panel = advised(unfolded(app, "_advice"))
    assert panel and "<img" not in panel


def test_collection_shows_the_advice_for_most_and_names_the_others(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = unfolded(collection(root), "_advice_all")
    panel = advised(app)
    assert "of 9 documents" in panel
    assert "Another strategy is advised for this document" in panel
    assert all(samples.load(name).document.name in panel for name in samples.names())
    went: list[tuple[str, dict[str, list[str]]]] = []
    monkeypatch.setattr(streamlit, "switch_page", lambda page, query_params: went.append((page, query_params)))
    app.button(key="_advice_compare").click()
    calm(app.run(timeout=TIMEOUT))
    (page, texts), *_ = went
    assert page == "pages/compare.py"
    first, second = texts["lanes"][0].split(",")
    assert parse(first).values()["max_tokens"] == 190 and parse(first).strategy.name == "structural"
    assert second.startswith("heading:min_tokens=20;")
