from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import from_text, sentences, structure
from chunking.structure import cues, layout

NAMES = [feature.name for feature in cues.FEATURES]


def values(units: list[str], language: str = "en") -> dict[str, list[float]]:
    """The features of each gap between units, by name."""
    found = cues.values(sentences.from_units(units, language=language))
    return dict(zip(NAMES, found.T.tolist(), strict=True))


texts = st.text(st.sampled_from("ab?:;/`-*1.é가\n ~"), min_size=1, max_size=12).filter(lambda text: text.strip())


@given(st.lists(texts, min_size=1, max_size=12))
def test_every_value_lies_in_0_to_1_whatever_the_text(units: list[str]) -> None:
    found = cues.values(sentences.from_units(units, language="en"))
    assert found.shape == (len(units) - 1, len(cues.FEATURES))
    assert ((found >= 0) & (found <= 1)).all()


def test_layout_is_seen_as_ever_and_weighs_less() -> None:
    units = sentences.split(
        from_text("# One\n\nText here:\n\n- a\n- b\n\n## Two\n\nMore.", "x.md", language="en"), "rules"
    )
    found = cues.values(units)
    assert np.array_equal(found[:, : len(layout.FEATURES)], layout.values(units))
    heads = [(feature.name, feature.weight) for feature in cues.FEATURES[: len(layout.FEATURES)]]
    for known, (name, weight) in zip(layout.FEATURES, heads, strict=True):
        assert name == known.name and abs(weight) < abs(known.weight)


def test_nothing_known_is_neither_near_nor_far() -> None:
    units = sentences.from_units(["Wind blew hard.", "Boats stayed home."], language="en")
    found = structure.measure(units, "cues")
    paragraph = next(feature.weight for feature in cues.FEATURES if feature.name == "paragraph")
    neutral = next(feature.weight for feature in cues.FEATURES if feature.name == "neutral")
    assert found.distances() == pytest.approx([neutral + paragraph])


def test_what_is_announced_binds_most() -> None:
    found = structure.measure(sentences.from_units(["Rivers rise.", "Take these:", "Boots.", "Rivers fall."]), "cues")
    curve = found.distances()
    assert curve[1] < min(curve[0], curve[2])


def test_connectives_count_by_language_and_at_the_start_alone() -> None:
    units = ["It rains.", "But not here.", "For example there.", "These fell.", "This chapter begins.", "We say but."]
    assert values(units)["connective"] == [1, 0.5, 0.5, 0, 0]
    assert values(["Regen.", "Aber nicht hier.", "Und dort."], "de")["connective"] == [1, 1]
    assert values(["비가 온다.", "그러나 여기는 아니다."], "ko")["connective"] == [1]
    assert values(["雨。", "But."], "ja")["connective"] == [1], "English words are known in any text"


def test_questions_count_where_they_are_the_way_the_text_goes() -> None:
    talk = ["Do you ski?", "I do.", "Where do you live?", "By the sea."]
    assert values(talk)["question"] == [0, 1, 0]
    assert values(talk)["answer"] == [1, 0, 1]
    assert not any(values(["Plain words."] * 30 + ["Is it?", "It is."])["question"])


def test_lists_go_on() -> None:
    units = ["Take:", "- boots", "- a rope", "1. First", "2. Second", "And go.", "3. Third of old"]
    assert values(units)["list_goes_on"] == [0.5, 1, 1, 1, 0, 1]


def test_signs_are_no_prose_and_prose_returns() -> None:
    units = ["Look:", "{* code.py *}", "<img src='a.png'>", "Now read.", "**Bold** prose.", '"Quoted" prose.', "$ ls"]
    found = values(units)
    assert found["markup"] == [1, 1, 0, 0, 0, 1]
    assert found["prose_again"] == [0, 0, 1, 0, 0, 0]


def test_containers_hold_until_they_are_closed() -> None:
    units = ["Before.", "::: note", "Inside.", "Still.", ":::", "After.", "/// tip", "In.", "///", "Out."]
    assert values(units)["container"] == [0, 1, 1, 1, 0, 0, 1, 1, 0]
    # A rule of slashes or colons alone closes nothing that was never opened; fenced code opens and closes by itself.
    assert not any(values(["One.", ":::", "Two.", "```\ncode\n```", "Three."])["container"])
    assert values(["```python", "code()", "```", "Text."])["container"] == [1, 1, 0]


def test_shared_words_count_the_rarer_the_more() -> None:
    units = ["The lighthouse keeper slept.", "The lighthouse was dark.", "The town was loud.", "The town was old."]
    found = values(units)["shared_words"]
    assert found[0] > found[1] > 0
    assert found[2] > found[1]
    assert values(["Same words here.", "Same words here."])["shared_words"] == pytest.approx([1.0])
    assert values(["1 2", "? !"])["shared_words"] == [0]


def test_it_is_linear_in_the_text() -> None:
    """A fence that is opened ever again costs no more the deeper it is."""
    units = ["::: open"] * 3000 + [":::"] * 3000
    assert sum(values(units)["container"]) == 5999


def test_what_is_never_closed_is_no_container() -> None:
    assert not any(values(["/// Adds one.", "fn add();", "/// Adds two.", "fn two();"])["container"])
    assert not any(values(["Title\n~~~~~", "Words.", "Other\n~~~~~", "Words."])["container"])
