from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import sentences
from chunking.signals import wording

NAMES = list(wording.MEASURES)


def values(units: list[str], language: str = "en") -> dict[str, list[float]]:
    """The measurements of each gap between units, by name."""
    found = wording.values(sentences.from_units(units, language=language))
    return dict(zip(NAMES, found.T.tolist(), strict=True))


texts = st.text(st.sampled_from("ab?:;/`-*1.é가\n ~"), min_size=1, max_size=12).filter(lambda text: text.strip())


@given(st.lists(texts, min_size=1, max_size=12))
def test_every_gap_is_measured_whatever_the_text(units: list[str]) -> None:
    found = wording.values(sentences.from_units(units, language="en"))
    assert found.shape == (len(units) - 1, len(wording.MEASURES))
    assert np.isfinite(found).all()
    for name in ("shared_words", "shared_words_3", "shared_words_6"):
        column = found[:, NAMES.index(name)]
        assert ((column >= 0) & (column <= 1 + 1e-6)).all()


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=2, max_size=14), st.sampled_from((1, 3, 6)))
def test_shared_words_are_those_of_the_sentences_within_reach(letters: list[list[str]], reach: int) -> None:
    words = [[f"{letter}word" for letter in each] for each in letters]
    units = [" ".join(each) or "1" for each in words]
    name = "shared_words" if reach == 1 else f"shared_words_{reach}"
    found = values(units)[name]
    count = {word: sum(word in each for each in words) for each in words for word in each}
    weight = {word: np.log((len(units) + 1) / number) for word, number in count.items()}
    for gap in range(len(units) - 1):
        left = {word for each in words[max(0, gap + 1 - reach) : gap + 1] for word in each}
        right = {word for each in words[gap + 1 : gap + 1 + reach] for word in each}
        total = sum(weight[word] for word in left) * sum(weight[word] for word in right)
        expected = sum(weight[word] for word in left & right) / total**0.5 if total else 0.0
        assert found[gap] == pytest.approx(expected, abs=1e-4)


def test_connectives_count_by_language_and_at_the_start_alone() -> None:
    units = ["It rains.", "But not here.", "For example there.", "These fell.", "This chapter begins.", "We say but."]
    assert values(units)["connective"] == [1, 0.5, 0.5, 0, 0]
    assert values(["Regen.", "Aber nicht hier.", "Und dort."], "de")["connective"] == [1, 1]
    assert values(["비가 온다.", "그러나 여기는 아니다."], "ko")["connective"] == [1]
    assert values(["?", "But."], "und")["connective"] == [1], "an unknown language may be English"
    assert values(["Det regner.", "Her er det."], "da")["connective"] == [0], "no other language is"


def test_short_words_count_in_scripts_without_spaces_alone() -> None:
    assert values(["В лесу", "и в лесу"])["shared_words"][0] == values(["In лесу", "to in лесу"])["shared_words"][0]
    assert values(["山 川", "山 海"])["shared_words"][0] > 0 == values(["to be", "to go"])["shared_words"][0]


def test_questions_and_answers() -> None:
    talk = ["Do you ski?", "I do.", "Where do you live?", "By the sea."]
    assert values(talk)["question"] == [0, 1, 0]
    assert values(talk)["answer"] == [1, 0, 1]


def test_what_ends_in_a_colon_introduces_the_next_two() -> None:
    found = values(["Rivers rise.", "Take these:", "Boots.", "A rope.", "Rivers fall."])
    assert found["introduced"] == [0, 1, 0, 0]
    assert found["introduced_before"] == [0, 0, 1, 0]


def test_markers_open_what_a_speaker_says() -> None:
    assert values(["We met.", "Okay, next.", "It is okay.", "So it goes."])["marker"] == [1, 0, 1]
    assert values(["비가 온다.", "자 이제 갑시다."], "ko")["marker"] == [1]


def test_new_words_are_those_that_the_text_has_not_used() -> None:
    found = values(["Tides turn twice.", "Tides turn.", "Knead dough gently.", "Bake dough."])["new_words"]
    assert int(np.argmax(found)) == 1


def test_lists_go_on() -> None:
    units = ["Take:", "- boots", "- a rope", "1. First", "2. Second", "And go.", "3. Third of old"]
    assert values(units)["list_goes_on"] == [0.5, 1, 1, 1, 0, 1]


def test_signs_are_no_prose_and_prose_returns() -> None:
    units = ["Look:", "{* code.py *}", "<img src='a.png'>", "Now read.", "**Bold** prose.", '"Quoted" prose.', "$ ls"]
    found = values(units)
    assert found["markup"] == [1, 1, 0, 0, 0, 1]
    assert found["after_markup"] == [0, 1, 1, 0, 0, 0]


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
