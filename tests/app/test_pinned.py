"""A pinned setting on Inspect, without a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.runtime.arrays import Float32
from chunking.workspace import DocumentAnalysis
from pages.shared.inspect import pinned
from tests import queues
from tests.app.pages import calm, give
from tests.app.test_inspect import address, figures, gap, goto, key, opened, shown, upload


def press(app: AppTest, name: str) -> None:
    calm(app.button(key=name).click().run())


def buttons(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


def test_a_pinned_setting_stays_beside_the_one_that_is_changed(root: Path) -> None:
    app = opened(root)
    assert "Pinned" not in shown(app) and app.button(key="_pin").disabled is False
    press(app, "_pin")
    assert address(app) == {"pinned": "structural"} and "as shown" in shown(app)
    assert app.button(key="_pin").disabled, "there is nothing else to pin"
    calm(app.slider(key=key(app, "alpha")).set_value(0.8).run())
    assert address(app) == {"pinned": "structural", "strategy": "structural:alpha=0.8"}
    assert "α <b>0.8</b> shown, <b>0.5</b> pinned" in shown(app) and "only pinned" in shown(app)
    press(app, "_unpin")
    assert address(app) == {"strategy": "structural:alpha=0.8"} and "only pinned" not in shown(app)


def test_it_survives_another_document_and_another_page(root: Path) -> None:
    app = opened(root, pinned="changepoint:alpha=0.6", doc="harbour-report")
    calm(app.selectbox(key="doc").set_value("on-walking-to-work").run())
    assert "only pinned" in shown(app) and address(app)["pinned"] == "changepoint:alpha=0.6"
    goto(app, "pages/tune.py")
    assert "pinned" not in address(app)
    goto(app, "pages/inspect.py")
    assert "only pinned" in shown(app) and address(app)["pinned"] == "changepoint:alpha=0.6"


def test_swapping_twice_is_where_one_was(root: Path) -> None:
    app = opened(root, strategy="structural:alpha=0.8", pinned="changepoint:alpha=0.6;overlap=1", gap="12")
    before = figures(app)
    press(app, "_swap_pinned")
    assert app.selectbox(key="strategy").value == "changepoint"
    assert app.slider(key=key(app, "alpha")).value == 0.6 and app.number_input(key=key(app, "overlap")).value == 1
    assert address(app) == {"pinned": "structural:alpha=0.8", "strategy": "changepoint:alpha=0.6;overlap=1"}
    assert gap(app) == 12 and figures(app) != before
    press(app, "_swap_pinned")
    assert app.slider(key=key(app, "alpha")).value == 0.8 and figures(app) == before


def test_a_strategy_without_curves_can_be_pinned_and_shown(root: Path) -> None:
    app = opened(root, pinned="recursive:size=300")
    assert "only pinned" in shown(app)
    press(app, "_swap_pinned")
    assert address(app) == {"pinned": "structural", "strategy": "recursive:size=300"}
    assert app.selectbox(key="strategy").value == "recursive"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("structural:alpha=7", "alpha cannot be 7.0"),
        ("astrology", "astrology"),
        ("structural:alpha", "is not a parameter of structural"),
        ("structural:<b>=1", "&lt;b&gt;"),
        ("recursive:embed=title", "embed"),
    ],
)
def test_a_bad_one_in_the_address_is_told_and_nothing_is_lost(root: Path, text: str, told: str) -> None:
    app = opened(root, pinned=text, strategy="structural:alpha=0.8", gap="12")
    assert "The pinned setting in the URL cannot be read" in shown(app) and told in shown(app)
    assert gap(app) == 12 and app.slider(key=key(app, "alpha")).value == 0.8
    assert address(app) == {"pinned": text, "strategy": "structural:alpha=0.8"}, "the value can be corrected"
    press(app, "_unpin_unusable")
    assert "cannot be read" not in shown(app) and address(app) == {"strategy": "structural:alpha=0.8"}


def test_a_strategy_that_cannot_run_here_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_text_splitters", None)
    app = opened(root, pinned="langchain_recursive:chunk_overlap=7")
    assert "The pinned setting cannot be used here" in shown(app) and "<span>chunk" in figures(app)
    app.session_state["_export"] = True  # what is open above shows it no second time
    calm(app.run())
    assert shown(app).count("The pinned setting cannot be used here") == 1
    assert address(app) == {"pinned": "langchain_recursive:chunk_overlap=7"}


def test_the_buttons_lead_from_difference_to_difference(root: Path) -> None:
    app = opened(
        root, strategy="structural:preset=unlimited", pinned="structural:preset=unlimited;percentile=70.0", gap="1"
    )
    seen = []
    while not app.button(key="_next_difference").disabled:
        press(app, "_next_difference")
        seen.append(app.query_params["gap"])
        assert "Pinned setting: <b>cut</b>" in shown(app)
    count = int(figures_of_pinned(app).split("</b><span>only pinned")[0].rsplit("<b>", 1)[1])
    assert len(seen) == count > 3
    press(app, "_previous_difference")
    assert app.query_params["gap"] == seen[-2]


def figures_of_pinned(app: AppTest) -> str:
    return next(str(each.proto.body) for each in app.get("html") if "only pinned" in each.proto.body)


def test_both_settings_open_in_compare(root: Path) -> None:
    app = opened(root, strategy="structural:alpha=0.8", pinned="recursive")
    press(app, "_compare_pinned")
    assert address(app)["lanes"] == "structural:alpha=0.8,recursive"


# ---- from a settings file

TWO = b'[settings.tight]\nstrategy = "structural"\nalpha = 0.9\n[settings.loose]\nstrategy = "recursive"\nsize = 400\n'
ONE = b'encoder = "static"\n[settings.only]\nstrategy = "changepoint"\nalpha = 0.6\n'


def test_the_only_setting_of_a_file_is_pinned_and_one_of_several_is_chosen(root: Path) -> None:
    app = opened(root, gap="12")
    give(app, "_settings_upload", "mine.toml", ONE)
    assert address(app) == {"pinned": "changepoint:alpha=0.6"} and gap(app) == 12
    assert any("encoder static" in caption.value for caption in app.caption), "it is said what is not taken over"
    give(app, "_settings_upload", "two.toml", TWO)
    assert address(app) == {"pinned": "changepoint:alpha=0.6"}
    calm(app.selectbox(key="_setting_of_file").set_value("loose").run())
    press(app, "_pin_from_file")
    assert address(app) == {"pinned": "recursive:size=400"}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x89PNG", "is not in UTF-8"),
        (b"settings = [", "is not valid TOML"),
        (b'[settings.a]\nstrategy = "structural"\nalpha = 7.0\n', "alpha cannot be 7.0"),
        (b'language = "en"\n', "has no setting"),
        (b"# " + b"x" * pinned.MAX_BYTES, "has more than 1 MiB"),
    ],
)
def test_a_bad_file_is_told_and_what_is_pinned_stays(root: Path, data: bytes, told: str) -> None:
    app = opened(root, pinned="recursive")
    give(app, "_settings_upload", "<b>.toml", data)
    assert told in shown(app) and "<b>.toml" not in shown(app)
    assert address(app) == {"pinned": "recursive"} and "only pinned" in shown(app)
    give(app, "_settings_upload", "mine.toml", ONE)
    assert told not in shown(app) and address(app)["pinned"] == "changepoint:alpha=0.6"


# ---- what it costs


def test_a_move_of_a_control_runs_and_embeds_nothing_of_what_is_pinned(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(root, pinned="structural:alpha=0.9", doc="harbour-report")
    upload(app, "tea.md", b"# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n")
    assert "only pinned" in shown(app)
    queues.wait()  # what draws the second picture
    calm(app.run())
    before = [beside(app).entry.segmentation]
    embedded: list[int] = []
    vectors = DocumentAnalysis.vectors

    def noted(self: DocumentAnalysis, window: int = 0, *rest: Any) -> Float32:
        if not self.has_vectors(window):
            embedded.append(window)
        return vectors(self, window, *rest)

    monkeypatch.setattr(DocumentAnalysis, "vectors", noted)
    for value in (0.3, 0.4, 0.6):
        calm(app.slider(key=key(app, "alpha")).set_value(value).run())
        before.append(beside(app).entry.segmentation)
    assert embedded == [] and len({id(each) for each in before}) == 1


def beside(app: AppTest) -> pinned.Pinned:
    """What the callback of a button of the last run holds."""
    return _SEEN[-1]


_SEEN: list[pinned.Pinned] = []


@pytest.fixture(autouse=True)
def _note(monkeypatch: pytest.MonkeyPatch) -> None:
    show = pinned.show

    def noted(found: pinned.Pinned | None, selected: int | None) -> None:
        if found:
            _SEEN.append(found)
        show(found, selected)

    monkeypatch.setattr(pinned, "show", noted)
