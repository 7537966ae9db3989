from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import from_text, sentences
from chunking.signals import features, layout
from chunking.signals.boundary_model import MAX_DEVIATION

texts = st.text(st.sampled_from("ab?:;/`-*1.é가\n ~"), min_size=1, max_size=12).filter(lambda text: text.strip())
CUES, LAYOUT = features.FEATURES["cues"], features.FEATURES["layout"]
NAMES = [feature.name for feature in CUES]


@given(st.lists(texts, min_size=1, max_size=12))
def test_values_and_distances_are_bounded_whatever_the_text(units: list[str]) -> None:
    found = features.measure(sentences.from_units(units, language="en"), "cues")
    assert found.values.shape == (len(units) - 1, len(CUES))
    assert (np.abs(found.values) <= MAX_DEVIATION).all()
    assert ((found.distances() >= 0) & (found.distances() <= 1)).all()
    assert found.shares().sum(axis=1) == pytest.approx(found.raw())


def test_layout_is_seen_as_ever_and_weighs_less() -> None:
    units = sentences.split(
        from_text("# One\n\nText here:\n\n- a\n- b\n\n## Two\n\nMore.", "x.md", language="en"), "rules"
    )
    found = dict(zip(NAMES, features.measure(units, "cues").values.T.tolist(), strict=True))
    weights = {feature.name: feature.weight for feature in CUES}
    for known, column in zip(LAYOUT, layout.values(units).T.tolist(), strict=True):
        if known.name != "lead_in":
            assert found[known.name] == column and abs(weights[known.name]) < abs(known.weight)
    assert "lead_in" not in NAMES, "what a colon says is among the wording"


def test_what_is_alike_everywhere_is_no_evidence() -> None:
    found = features.measure(sentences.from_units(["The same again."] * 40, language="en"), "cues")
    inner = found.distances()[12:-12]
    assert np.ptp(inner) < 1e-9
    assert inner[0] == pytest.approx(0.5, abs=0.12)


def test_what_is_announced_binds_most() -> None:
    units = ["Rivers rise in spring.", "Take these:", "Boots and a rope.", "Rivers fall in autumn."]
    curve = features.measure(sentences.from_units(units, language="en"), "cues").distances()
    assert curve[1] < min(curve[0], curve[2])


def test_a_heading_opens_a_part() -> None:
    text = "# Tides\n\nWater rises. Water falls.\n\n# Bread\n\nKnead it. Bake it.\n"
    units = sentences.split(from_text(text, "x.md", language="en"), "rules")
    curve = features.measure(units, "cues").distances()
    assert units.texts[int(np.argmax(curve)) + 1] == "Bread"
    assert curve.max() > 0.8
