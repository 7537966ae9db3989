"""Projector mode without a browser: it belongs to the session, and its address shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.pages import calm, open_page
from tests.app.test_inspect import address, goto, opened

PAGES = ("inspect", "compare", "tune", "evaluate", "review", "collection", "library", "learn")


def is_large(app: AppTest) -> bool:
    return any("html { font-size" in element.proto.body for element in app.get("html"))


def keys(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button} & {"_enter_projector", "_leave_projector"}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_offers_the_mode_and_a_way_back(root: Path, page: str) -> None:
    app = open_page(root, page, {})
    assert keys(app) == {"_enter_projector"} and not is_large(app)
    calm(app.button(key="_enter_projector").click().run())
    assert keys(app) == {"_leave_projector"} and is_large(app)
    assert address(app)["projector"] == "true"
    calm(app.button(key="_leave_projector").click().run())
    assert keys(app) == {"_enter_projector"} and not is_large(app)
    assert "projector" not in address(app)


def test_the_mode_stays_when_the_page_and_the_setting_change(root: Path) -> None:
    app = opened(root, projector="true", gap="12")
    calm(app.slider(key="structural_alpha").set_value(0.8).run())
    assert is_large(app) and app.slider(key="structural_alpha").value == 0.8
    goto(app, "pages/tune.py")
    assert is_large(app) and address(app)["projector"] == "true"


def test_another_value_in_the_address_is_the_usual_size(root: Path) -> None:
    app = opened(root, projector="<b>")
    assert not is_large(app) and keys(app) == {"_enter_projector"}
