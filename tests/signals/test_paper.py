"""The vectorised reference comparison: against values worked out by hand, and against the plain loop."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from math import sqrt
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.runtime.arrays import Float64
from chunking.signals import features, paper
from chunking.signals.paper import distances
from tests.examples import examples
from tests.oracles import reference_loop

FEATURES = features.FEATURES["reference"]
NAMES = [feature.name for feature in FEATURES]
WEIGHTS = np.array([feature.weight for feature in FEATURES])
EXACT = 1e-12

Compare = Callable[[str, str], dict[str, float]]


def loop(texts: list[str]) -> Float64:
    """What ``distances`` must give, by the plain loop."""
    rows = [list(reference_loop.similarities(left, right).values()) for left, right in pairwise(texts)]
    return 1.0 - np.array(rows).reshape(-1, len(NAMES))


def vectorised(left: str, right: str) -> dict[str, float]:
    """Similarities of one pair by the vectorised version."""
    return dict(zip(NAMES, (1.0 - distances([left, right])[0]).tolist(), strict=True))


def raw(left: str, right: str) -> float:
    """The structural distance of one pair before rescaling, by the vectorised version."""
    return float(1.0 - WEIGHTS.sum() + distances([left, right])[0] @ WEIGHTS)


def representatives() -> list[str]:
    """Some characters of every combination of what ``str`` tells of a character."""
    tests = (str.isalpha, str.isdigit, str.isspace, str.isupper, str.islower, str.istitle, str.isalnum, str.isnumeric)
    found: dict[tuple[bool, ...], list[str]] = {}
    for code in range(0x20000):
        same = found.setdefault(tuple(test(chr(code)) for test in tests), [])
        if len(same) < 4 and not 0xD800 <= code < 0xE000:
            same.append(chr(code))
    return sorted({character for same in found.values() for character in same})


ALPHABETS = [
    "a. \n",
    "aA1.",
    "ab ,.;:!?",
    "xX0-é漢가 \t\r\n",
    "\n\r\x0b\x0c\x1c\x85\u2028\u00a0\u3000 a.",
]
SENTENCES = st.one_of(
    *(st.text(st.sampled_from(alphabet), max_size=40) for alphabet in ALPHABETS),
    st.deferred(lambda: st.text(st.sampled_from("".join(representatives()) + "    \n\n\n...,,"), max_size=40)),
    st.text(max_size=40),
    st.sampled_from(["", " ", "\n\n", "...", "a.\n \nb. c", "One, two; THREE: 4th!\n\nFive  six.", "x" * 300, "\0\0"]),
)
TEXTS = st.lists(SENTENCES, max_size=8)

# One entry a rule: left, right, feature, and the similarity, written as it is worked out.
BY_HAND = {
    # 2 and 1 paragraphs; words 3, 1 (mean 2, variance 1) and 2 (2, 0); parts [2, 1] and [1].
    "paragraphs": (
        "a b. c.\n\nd",
        "a b",
        "paragraph_structure",
        (1 / 2 + 1 + 0 + ((1 - 1 / 2) + (1 - 0.5 / 1.5)) / 2) / 4,
    ),
    # A line of white space is blank; parts [1, 0] and [0], where the difference of means is over 1.
    "paragraphs of dots": ("a\n \t\n...", "...", "paragraph_structure", (1 / 2 + 1 + 1 + (1 / 2 + 1 / 2) / 2) / 4),
    "one line feed is no blank line": ("a\nb", "a b", "paragraph_structure", 1),
    "parts of white space do not count": ("a. . .b", "a.b c d", "paragraph_structure", 1),
    "no paragraph": ("", "a", "paragraph_structure", (0 + 0 + 1 + 0) / 4),
    "punctuation": ("a, b.", "a, b, c.", "punctuation", (1 * 2 + 1 * 1) / (sqrt(2) * sqrt(5))),
    "other marks": ("a.", "a!", "punctuation", 0),
    "no punctuation on either side": ("a", "b-c", "punctuation", 1),
    "no punctuation on one side": ("a", "a.", "punctuation", 0),
    "word lengths": ("a bb", "a a ccc", "word_lengths", (1 * 2) / (sqrt(2) * sqrt(5))),
    "no words on one side": ("", "a", "word_lengths", 0),
    # letters 3 and 2, space 1, digit 1; letter-letter 2 and 1, letter-space 1, space-digit 1; shares of letters 1, ½.
    "characters": ("abc", "ab 1", "characters", (6 / (3 * sqrt(6)) + 2 / (2 * sqrt(3)) + (1 / 2 + 0 + 0 + 1) / 4) / 3),
    "one character has no transitions": ("a", "b", "characters", 1),
    "others have no share": ("-", "a", "characters", (0 + 1 + (0 + 1 + 1 + 1) / 4) / 3),
    "sentence length": ("a b c", "a b c d", "sentence_length", 3 / 4),
    "mean word length": ("aaa", "aa bbbb c c", "mean_word_length", 2 / 3),
    "punctuation density": ("a.b.", "abc.efgh", "punctuation_density", (1 / 8) / (2 / 4)),
    # lengths 3, 2 and 2, 2, 2; all-caps, lower and capitalised, lower, lower; a digit, a symbol in one of three.
    "token level": (
        "USA is",
        "Ab a1 c-",
        "token_level",
        (2 / 3 + 2 / 2.5 + 0 + 2 / (sqrt(2) * sqrt(5)) + 0 + 0) / 6,
    ),
    # spaces 2, 1 and 1; line feeds none and 3; white space 3 of 6 and 4 of 7.
    "spacing": ("a  b c", "a b\n\n\nc", "spacing", (1 / sqrt(2) + 1 / 1.5 + 0 + 0 + (3 / 6) / (4 / 7)) / 5),
    "tabs are no runs": ("a\tb", "a\u00a0b", "spacing", 1),
    # lengths 1, 2 (mean 1.5, variance ¼) and 1, 1, 3 (5/3, 8/9); 2 and 3 words.
    "length distributions": (
        "a bb",
        "a a ccc",
        "length_distributions",
        ((2 / sqrt(10) + 1.5 / (5 / 3) + (1 / 4) / (8 / 9) + 2 / 3 + 1) / 5 + 2 * (0 + 2 / 3 + 1) / 3) / 3,
    ),
}


@pytest.mark.parametrize("compare", [vectorised, reference_loop.similarities], ids=["numpy", "loop"])
@pytest.mark.parametrize("case", BY_HAND)
def test_values_worked_out_by_hand(case: str, compare: Compare) -> None:
    left, right, name, expected = BY_HAND[case]
    assert compare(left, right)[name] == pytest.approx(expected, abs=EXACT)


def test_features_are_those_of_the_method() -> None:
    assert {feature.name: feature.weight for feature in FEATURES} == reference_loop.WEIGHTS
    assert list(reference_loop.WEIGHTS) == NAMES
    assert sum(feature.weight for feature in FEATURES) == pytest.approx(0.82)
    assert all(feature.title and feature.help.endswith(".") for feature in FEATURES)


@pytest.mark.parametrize("text", ["", "It rains.", "NASA's 3 rovers:\n\n go; stop! -- .  x"])
def test_equal_sentences_are_18_hundredths_apart(text: str) -> None:
    assert distances([text, f"\n {text}\t"])[0].tolist() == [0.0] * 10
    assert raw(text, text) == pytest.approx(0.18)
    assert reference_loop.distance(text, text) == pytest.approx(0.18)


@pytest.mark.parametrize("texts", [[], [""], ["One sentence."]])
def test_no_gaps(texts: list[str]) -> None:
    found = distances(texts)
    assert found.shape == (0, 10)
    assert found.dtype == np.float64


@given(TEXTS)
@settings(deadline=None, max_examples=examples(400))
def test_equals_the_plain_loop(texts: list[str]) -> None:
    np.testing.assert_allclose(distances(texts), loop(texts), rtol=0, atol=EXACT)


def test_every_character_is_taken_as_str_takes_it() -> None:
    codes = np.random.default_rng(0).permutation(0x20000).tolist()
    texts = ["".join(map(chr, codes[start : start + 31])) for start in range(0, len(codes), 31)]
    texts += [chr(sys.maxunicode), f"a {chr(sys.maxunicode)}."]
    np.testing.assert_allclose(distances(texts), loop(texts), rtol=0, atol=EXACT)


@given(TEXTS, st.integers(1, 400))
@settings(deadline=None)
def test_blocks_change_nothing(texts: list[str], size: int) -> None:
    whole = distances(texts)
    with mock.patch.object(paper, "_BLOCK", size):
        np.testing.assert_allclose(distances(texts), whole, rtol=0, atol=EXACT)


def test_memory_is_bounded_by_the_text() -> None:
    """A sentence with very many word lengths must not widen the histograms of thousands of short neighbours."""
    texts = [" ".join("x" * length for length in range(1, 1500)), *["a b."] * 8000]
    characters = sum(map(len, texts))
    distances(texts[-2:])
    tracemalloc.start()
    try:
        distances(texts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60 * characters
