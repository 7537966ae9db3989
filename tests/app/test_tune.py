"""The Tune page without a browser: what it does with what it is given."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from chunking import samples, strategies
from chunking.reference import reference_gaps
from chunking.signals.signals import Signals
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import choose
from chunking.tuning.landscape import ALPHAS, landscape
from chunking.tuning.plane import plane
from chunking.tuning.units import ReferenceCurves
from chunking.workspace import DocumentAnalysis
from pages.shared.tune import views
from tests.app.pages import calm, head_of, open_page, paste, shown, workbench_data
from tests.app.test_inspect import key

SAMPLE = "harbour-report"


def opened(root: Path, **address: str) -> AppTest:
    """The Tune page at an address; a page of its own file, whose frame the test stands for."""
    return open_page(root, "tune", {"doc": SAMPLE} | address)


def signals(**setting: Any) -> Signals:
    sample = samples.load(SAMPLE)
    workspace = DocumentAnalysis(sample.document)
    found = strategies.run("structural", workspace, StructuralParameters(**setting)).signals
    assert found is not None
    return found


def tuner(app: AppTest) -> dict[str, Any]:
    """Return the state that the map is sent."""
    return head_of(app, "chunkscope_tuner")


@pytest.mark.parametrize("name", samples.names())
def test_every_sample_opens(root: Path, name: str) -> None:
    app = opened(root, doc=name)
    assert "boundaries before limits" in shown(app)
    assert "The boundaries are the same for α" in shown(app)
    assert "reference boundaries</span></th>" in shown(app)


def test_the_figures_are_those_of_the_strategy_before_its_limits(root: Path) -> None:
    cut = signals(alpha=0.7, percentile=80.0).threshold.exceeded.sum()
    app = opened(root, alpha="0.7", percentile="80", max_tokens="60")
    assert f"<b>{cut}</b><span>boundaries before limits" in shown(app)
    assert "<b>α 0.70, percentile 80</b>" in shown(app)


def test_the_map_gets_the_setting_and_what_the_reference_supports(root: Path) -> None:
    app = opened(root, alpha="0.7", percentile="80", min_tokens="30", gap="12")
    state = tuner(app)
    assert (state["setting"]["alpha"], state["setting"]["amount"], state["setting"]["minimum"]) == (0.7, 80, 30)
    assert (state["selected"], state["judge"], state["target"]) == (11, "people", 150)
    found = signals()
    gold = reference_gaps(samples.load(SAMPLE).boundaries, found.offsets, found.sentences)
    known = choose([ReferenceCurves("", found.semantic, found.structural, gold)])
    choice = workbench_data(app, state["choice"])
    assert choice["best"] == list(known.best) and choice["cuts"] == len(gold)
    assert choice["honest"] == pytest.approx([known.honest.value, known.honest.low, known.honest.high])
    for alpha, share in ((0, 3), (27, 16), (50, 29), (100, 59)):
        column = known.percentiles.tolist().index(100 - choice["shares"][share])
        assert (choice["region"][alpha][share] == "1") == known.region[alpha, column], (alpha, share)


def test_a_move_sends_no_data_anew_and_a_link_says_what_is_judged(root: Path) -> None:
    app = opened(root, judge="size", target="80")
    first = tuner(app)
    assert (first["judge"], first["target"]) == ("size", 80)
    calm(app.slider(key=key(app, "alpha")).set_value(0.8).run())
    moved = tuner(app)
    assert (moved["source"], moved["lane"]) == (first["source"], first["lane"])
    assert moved["setting"]["alpha"] == 0.8 and moved["revision"] == first["revision"] + 1
    calm(app.run())
    assert tuner(app)["revision"] == moved["revision"]


@pytest.mark.parametrize(("given", "taken"), [("0", 10), ("99999", 2000), ("x", 150), ("-4", 150), ("1e3", 150)])
def test_a_size_that_is_none_is_left_out(root: Path, given: str, taken: int) -> None:
    assert tuner(opened(root, judge="size", target=given))["target"] == taken


def test_without_a_reference_settings_are_judged_by_size(root: Path) -> None:
    app = paste(
        opened(root, encoder="char-ngrams"), "The kettle sings. The bread is warm. A letter came. Nobody read it."
    )
    state = tuner(app)
    assert (state["judge"], state["choice"]) == ("size", None)


def test_stability_lists_every_boundary_the_weakest_first(root: Path) -> None:
    app = opened(root, tune="Stability")
    table = app.dataframe[0].value
    cut = np.flatnonzero(signals().threshold.exceeded) + 1
    assert sorted(table["gap"]) == cut.tolist()
    assert list(table["stability"]) == sorted(table["stability"])
    assert {"jitter", "windows"} <= set(table)
    gold = reference_gaps(samples.load(SAMPLE).boundaries, signals().offsets, signals().sentences) + 1
    assert set(table["gap"][table["reference"] != ""]) == set(cut) & set(gold)


def test_another_encoder_is_embedded_only_when_it_is_asked_for(root: Path) -> None:
    app = opened(root, tune="Stability", doc="urban-heat-article")
    assert "encoders" not in app.dataframe[0].value
    calm(app.button(key="_embed_char-ngrams").click().run())
    calm(app.run())
    assert "encoders" in app.dataframe[0].value


def test_two_gaps_and_no_gold_are_shown_with_what_they_lack(root: Path) -> None:
    app = paste(
        opened(root, encoder="char-ngrams", structure="layout"), "The kettle sings. The bread is warm. A letter came."
    )
    assert "The boundaries are the same" in shown(app)
    assert "This document has no reference boundaries" in shown(app)
    assert "has no layout" in shown(app)


@pytest.mark.parametrize("rule", ["standard_deviation", "interquartile", "gradient"])
def test_another_rule_is_told_with_the_way_back(root: Path, rule: str) -> None:
    app = opened(root, threshold=rule)
    assert "This page covers the percentile rule" in shown(app)
    assert "The boundaries are the same" not in shown(app)
    calm(app.button(key="_use_percentile").click().run())
    assert app.selectbox(key=key(app, "threshold")).value == "percentile"
    assert "The boundaries are the same" in shown(app)


@pytest.mark.parametrize("gap", ["0", "-3", "1e3", "x"])
def test_a_gap_that_is_none_is_told(root: Path, gap: str) -> None:
    assert "Invalid gap in the URL" in shown(opened(root, gap=gap))


# --- what is taken away ----------------------------------------------------------------------------------------------


def test_the_table_of_the_landscape_holds_every_percentile(root: Path) -> None:
    found = signals()
    whole = landscape(found.semantic, found.structural)
    rows = list(csv.DictReader(io.StringIO(views.landscape_csv(found, whole))))
    assert [int(row["offset"]) for row in rows] == found.offsets.tolist()
    flips = np.array([[float(row[f"alpha_{alpha:.2f}"]) for alpha in ALPHAS] for row in rows])
    assert np.allclose(flips.T, whole.flip, atol=1e-3)


def test_the_table_of_settings_holds_every_map(root: Path) -> None:
    found = signals()
    whole = plane(landscape(found.semantic, found.structural), reference=np.array([3, 9]))
    rows = list(csv.DictReader(io.StringIO(views.plane_csv(whole))))
    assert len(rows) == whole.maps["f1"].values.size
    assert {"alpha", "percentile", *whole.maps} == set(rows[0])
    picked = rows[::997]
    for row in picked:
        cell = whole.cell(float(row["alpha"]), float(row["percentile"]))
        for name, each in whole.maps.items():
            value = each.values[cell]
            assert (row[name] == "") if np.isnan(value) else float(row[name]) == pytest.approx(float(value), abs=1e-5)


def test_the_landscape_as_a_page_needs_no_network() -> None:
    found = signals()
    page = views.landscape_html(landscape(found.semantic, found.structural))
    assert "boundary below percentile" in page
    assert 'src="http' not in page
    assert json.dumps(len(found)) in page
