from __future__ import annotations

import numpy as np
import pytest

from chunking import from_text, sentences, structure
from chunking.structure import FEATURES, Structure, layout

NAMES = [feature.name for feature in layout.FEATURES]

TEXT = """# Tea

Boil the water. Wait.

You need:

- leaves
- water

| a | b |
|---|---|
| 1 | 2 |



## Green

> Mild.

```sh
# not a heading
```
"""


@pytest.fixture(scope="module")
def gaps() -> dict[tuple[str, str], dict[str, float]]:
    """The features that are not zero, by the two sentences of the gap."""
    units = sentences.split(from_text(TEXT, language="und"))
    values = layout.values(units)
    return {
        (left, right): {name: value for name, value in zip(NAMES, row, strict=True) if value}
        for left, right, row in zip(units.texts, units.texts[1:], values.tolist(), strict=False)
    }


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Tea", "Boil the water.", {"paragraph": 1, "after_heading": 1}),
        ("Boil the water.", "Wait.", {}),
        ("Wait.", "You need:", {"paragraph": 1}),
        ("You need:", "leaves", {"paragraph": 1, "list_edge": 1, "lead_in": 1}),
        ("leaves", "water", {"paragraph": 0.6, "together": 1}),
        ("water", "| a | b |", {"paragraph": 1, "list_edge": 1, "table_edge": 1}),
        ("| a | b |", "| 1 | 2 |", {"together": 1}),
        ("| 1 | 2 |", "Green", {"paragraph": 1, "heading": 0.85, "spacing": 1, "table_edge": 1}),
        ("Green", "Mild.", {"paragraph": 1, "after_heading": 1, "quote_edge": 1}),
        ("Mild.", "```sh\n# not a heading\n```", {"paragraph": 1, "quote_edge": 1, "code_edge": 1}),
    ],
)
def test_features_see_what_stands_between(
    gaps: dict[tuple[str, str], dict[str, float]], left: str, right: str, expected: dict[str, float]
) -> None:
    found = gaps[left, right]
    found.pop("indentation", None)
    assert found == pytest.approx(expected)


def test_indentation_and_page_breaks_count_in_plain_text() -> None:
    units = sentences.split(
        from_text("One here.\n\n        Two there.\n\n\fThree now.\n", format="text", language="und")
    )
    values = layout.values(units)
    assert values[0, NAMES.index("indentation")] == 1
    assert values[:, NAMES.index("page_break")].tolist() == [0, 1]


def test_higher_headings_speak_louder() -> None:
    units = sentences.split(from_text("a\n\n# b\n\nc\n\n### d\n\ne\n\n###### f\n", language="und"))
    column = layout.values(units)[:, NAMES.index("heading")]
    assert column[[0, 2, 4]] == pytest.approx([1.0, 0.7, 0.3])


def test_windows_line_ends_give_the_same_layout() -> None:
    plain = layout.values(sentences.split(from_text(TEXT, language="und")))
    windows = layout.values(sentences.split(from_text(TEXT.replace("\n", "\r\n"), language="und")))
    assert np.array_equal(plain, windows)


@pytest.mark.parametrize("text", ["", "One sentence."])
def test_no_gap_no_features(text: str) -> None:
    units = sentences.split(from_text(text, language="und"))
    for name in structure.FEATURE_SETS:
        assert structure.measure(units, name).values.shape == (0, len(FEATURES[name]))


def test_the_reference_distance_is_rescaled_from_what_its_weights_leave() -> None:
    alike = Structure("reference", np.zeros((1, 10)))
    apart = Structure("reference", np.ones((1, 10)))
    assert alike.raw()[0] == pytest.approx(0.18)
    assert apart.raw()[0] == pytest.approx(1.0)
    assert alike.distances()[0] == 0
    assert apart.distances()[0] == pytest.approx(1)


@pytest.mark.parametrize("name", structure.FEATURE_SETS)
def test_shares_add_up_and_features_can_be_switched_off(name: structure.FeatureSet) -> None:
    values = np.random.default_rng(3).random((40, len(FEATURES[name])))
    known = Structure(name, values)
    off = (FEATURES[name][0].name, FEATURES[name][3].name)
    for without in ((), off, tuple(feature.name for feature in FEATURES[name])):
        assert np.clip(known.shares(without).sum(axis=1), 0, 1) == pytest.approx(known.distances(without))
        assert known.gap_shares(7, without) == pytest.approx(known.shares(without)[7])
    assert not known.shares(off)[:, [0, 3]].any()
    assert not np.allclose(known.distances(off), known.distances())


def test_the_programs_own_cuts_are_those_of_a_slightly_higher_alpha() -> None:
    """The program fuses the raw distance; the rescaled one gives the same order at α' = α / (α + 0.82 (1 − α))."""
    random = np.random.default_rng(5)
    known, semantic = Structure("reference", random.random((200, 10))), random.random(200)
    raw = 0.05 * semantic + 0.95 * known.raw()
    alpha = 0.05 / (0.05 + 0.82 * 0.95)
    rescaled = alpha * semantic + (1 - alpha) * known.distances()
    assert np.array_equal(raw > np.percentile(raw, 95), rescaled > np.percentile(rescaled, 95))
