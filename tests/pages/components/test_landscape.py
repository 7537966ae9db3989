"""What the pictures of the Tune page send to a browser, and what they believe of its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from chunking.tuning.plane import Kind, SettingMap
from pages.shared.components.landscape import LandscapeEvent, Present, landscape_event, landscape_field
from pages.shared.components.landscape import component as landscape
from pages.shared.components.plane import PlaneEvent, plane_event, plane_field
from pages.shared.components.plane import component as plane
from pages.shared.components.raster import SCALES, STEPS, oklab
from tests.pages.components.test_wire import unpack


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


@pytest.fixture
def present() -> Present:
    gaps = np.array([2, 5], dtype=np.int64)
    return Present(0.4, 90.0, gaps, gaps[:1], (0.25, 0.5), np.array([0.25, 0.5, 0.75]))


def message(present: Present, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    given = {"selected": None, "view": None} | more
    return unpack(landscape._message("doc", "field", (101, 9), present, given["selected"], given["view"], "plotly.js"))


# --- the landscape ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [2, 300, 70_000])
def test_the_field_holds_every_count_whatever_the_length(gaps: int) -> None:
    smaller = np.random.default_rng(1).integers(0, gaps, (3, gaps))
    sent = landscape_field(smaller)
    cells = sent["smaller"] if sent["wide"] else sent["smaller"].view("<u2")
    assert np.array_equal(cells.reshape(3, gaps), smaller)
    assert sent["smaller"].dtype == (np.int32 if gaps > 65_535 else np.uint8)


def test_a_message_says_the_setting_and_what_it_cuts(present: Present) -> None:
    head, body = message(present, selected=4, view=(np.float64(2), 5.5))
    assert (head["document"], head["selected"], head["view"]) == ("doc", 4, [2.0, 5.5])
    assert (body["alpha"], body["percentile"], body["rows"], body["gaps"]) == (0.4, 90.0, 101, 9)
    assert body["cuts"].tolist() == [2, 5]
    assert body["gold"].tolist() == [2]
    assert body["plateau"] == [0.25, 0.5]
    assert body["changes"].tolist() == [0.25, 0.5, 0.75]
    assert "reference" in [mark["label"] for mark in body["marks"]]
    assert body["figure"]["layout"]["xaxis"]["range"] == [0.5, 9.5]


def test_without_gold_the_legend_does_not_name_it(present: Present) -> None:
    _, body = message(Present(**(vars(present) | {"gold": np.zeros(0, dtype=np.int64)})))
    assert "reference" not in [mark["label"] for mark in body["marks"]]


def test_where_the_changes_are_not_all_known_the_legend_says_so(present: Present) -> None:
    assert any(
        "known up to" in mark["label"] for mark in message(Present(**(vars(present) | {"until": 0.3})))[1]["marks"]
    )
    assert not any("known up to" in mark["label"] for mark in message(present)[1]["marks"])


def test_a_choice_or_a_view_does_not_change_the_content_and_a_setting_does(present: Present) -> None:
    plain = message(present)[0]["content"]
    assert plain == message(present, selected=3, view=(1.0, 4.0))[0]["content"]
    assert plain != message(Present(**(vars(present) | {"alpha": 0.41})))[0]["content"]


def test_the_message_is_small_beside_the_field(present: Present) -> None:
    sent = landscape._message("doc", "field", (101, 5000), present, None, None, "plotly.js")
    assert len(sent) < 10_000


def test_nothing_was_done(state: dict[str, Any]) -> None:
    assert landscape_event("landscape", "doc", view=(1.0, 2.0)) == LandscapeEvent(view=(1.0, 2.0))
    assert plane_event("plane", "doc") == PlaneEvent()


def test_a_cell_a_clearing_and_a_view(state: dict[str, Any]) -> None:
    state["landscape"] = {
        "take": {"document": "doc", "gap": 7, "alpha": 0.25},
        "view": {"document": "doc", "range": [3, 9.5]},
    }
    assert landscape_event("landscape", "doc") == LandscapeEvent(7, 0.25, view=(3.0, 9.5))
    state["landscape"] = {"take": {"document": "doc", "gap": None, "alpha": None}}
    assert landscape_event("landscape", "doc") == LandscapeEvent(cleared=True)


def test_what_was_done_in_another_document_does_not_count(state: dict[str, Any]) -> None:
    state["landscape"] = {
        "take": {"document": "old", "gap": 7, "alpha": 0.25},
        "view": {"document": "old", "range": [3, 9]},
    }
    state["plane"] = {"take": {"document": "old", "alpha": 0.5, "percentile": 90.0}}
    assert landscape_event("landscape", "new") == LandscapeEvent()
    assert plane_event("plane", "new") == PlaneEvent()


@pytest.mark.parametrize("gap", ["7", -1, 2.5, True, [1], {"gap": 1}])
def test_a_gap_that_is_none_is_not_one(state: dict[str, Any], gap: object) -> None:
    state["landscape"] = {"take": {"document": "doc", "gap": gap, "alpha": 0.5}}
    assert landscape_event("landscape", "doc") == LandscapeEvent()


@pytest.mark.parametrize("alpha", [None, "0.5", True, -0.1, 1.1, float("nan"), [0.5]])
def test_an_alpha_that_is_none_is_not_one(state: dict[str, Any], alpha: object) -> None:
    state["landscape"] = {"take": {"document": "doc", "gap": 3, "alpha": alpha}}
    state["plane"] = {"take": {"document": "doc", "alpha": alpha, "percentile": 90.0}}
    assert landscape_event("landscape", "doc") == LandscapeEvent()
    assert plane_event("plane", "doc") == PlaneEvent()


@pytest.mark.parametrize("percentile", [None, "90", True, -1, 101, float("nan")])
def test_a_percentile_that_is_none_is_not_one(state: dict[str, Any], percentile: object) -> None:
    state["plane"] = {"take": {"document": "doc", "alpha": 0.5, "percentile": percentile}}
    assert plane_event("plane", "doc") == PlaneEvent()


def test_a_setting_is_taken(state: dict[str, Any]) -> None:
    state["plane"] = {"take": {"document": "doc", "alpha": 1, "percentile": 99.9}}
    assert plane_event("plane", "doc") == PlaneEvent(1.0, 99.9)


# --- the plane -------------------------------------------------------------------------------------------------------


def mapped(values: list[float], kind: Kind) -> dict[str, Any]:
    found = SettingMap("some", "Some", np.array([values], dtype=np.float32), kind, "What it is.")
    return dict(plane_field([found], None)["maps"][0])


@pytest.mark.parametrize("kind", ["count", "similarity", "size", "share"])
def test_the_most_is_the_strongest(kind: Kind) -> None:
    assert mapped([0.0, 0.25, 1.0], kind)["shades"].ravel().tolist()[::2] == [0, STEPS - 1]


def test_of_an_error_the_least_is_the_strongest_and_the_scale_says_so() -> None:
    sent = mapped([0.1, 0.3, 0.5], "error")
    assert sent["shades"].ravel().tolist() in ([STEPS - 1, 127, 0], [STEPS - 1, 128, 0])
    assert [(tick["at"], tick["label"]) for tick in (sent["ticks"][0], sent["ticks"][-1])] == [(0, "0.50"), (1, "0.10")]


def test_equal_factors_of_counts_are_equal_steps() -> None:
    shades = mapped([0, 9, 99, 999], "count")["shades"].ravel().astype(int)
    assert np.ptp(np.diff(shades)) <= 1


@pytest.mark.parametrize("values", [[float("nan")] * 3, [0.5, 0.5, 0.5], [0.5, float("nan"), 0.5]])
def test_a_map_of_one_value_or_none_is_a_map(values: list[float]) -> None:
    sent = mapped(values, "share")
    assert len(sent["shades"].ravel()) == 3
    assert len(sent["ticks"]) == np.isfinite(values).any()
    assert np.array_equal(sent["values"].ravel(), np.array(values, dtype=np.float32), equal_nan=True)


def test_the_region_travels_as_bits() -> None:
    region = np.array([[True, False, True]])
    found = SettingMap("some", "Some", np.zeros((1, 3), dtype=np.float32), "count", "")
    sent = plane_field([found], region)["region"]
    assert sent is not None
    assert sent.ravel().tolist() == [1, 0, 1]
    assert plane.digits(found) == 0


# --- colours ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("strength", ["strong", "quiet"])
def test_equal_steps_of_a_scale_look_equal(theme: str, strength: str) -> None:
    lightness = oklab(SCALES[theme][strength])[:, 0]
    steps = np.diff(lightness[::15])
    assert abs(steps).min() > 0.5 * abs(steps).max(), "even, and the same way throughout"
    assert len(set(np.sign(steps))) == 1
    assert abs(lightness[-1] - lightness[0]) > 0.6


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_quiet_scale_has_the_lightness_of_the_strong_one_and_less_colour(theme: str) -> None:
    strong, quiet = (oklab(SCALES[theme][name]) for name in ("strong", "quiet"))
    assert np.allclose(strong[:, 0], quiet[:, 0], atol=0.01)
    middle = slice(STEPS // 4, 3 * STEPS // 4)
    colour = [np.hypot(lab[middle, 1], lab[middle, 2]).mean() for lab in (strong, quiet)]
    assert colour[1] < colour[0] / 3
