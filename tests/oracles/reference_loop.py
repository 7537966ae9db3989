"""The reference structural comparison as a plain loop over pairs of sentences.

It does what :mod:`chunking.signals.paper` does, and settles the open points in the way that module's docstring
states, but shares no code with it: dictionaries, counters and one comparison function a kind of value. It is the oracle
of the tests and the baseline of the benchmark.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

WEIGHTS = {
    "paragraph_structure": 0.25,
    "punctuation": 0.20,
    "word_lengths": 0.15,
    "characters": 0.10,
    "sentence_length": 0.05,
    "mean_word_length": 0.02,
    "punctuation_density": 0.02,
    "token_level": 0.01,
    "spacing": 0.01,
    "length_distributions": 0.01,
}
"""What each feature counts for; 0.82 in all."""

PUNCTUATION = ".,!?;:"
BLANK_LINES = re.compile(r"\n\s*\n")


def mean(values: Sequence[int]) -> float:
    """The mean, 0 of no values."""
    return sum(values) / len(values) if values else 0.0


def variance(values: Sequence[int]) -> float:
    """The variance of the population, 0 below two values."""
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return sum((value - middle) ** 2 for value in values) / len(values)


def character_type(character: str) -> str:
    """Letter, digit, space, punctuation or other, the first that holds."""
    if character.isalpha():
        return "letter"
    if character.isdigit():
        return "digit"
    if character.isspace():
        return "space"
    if character in PUNCTUATION:
        return "punctuation"
    return "other"


def word_case(word: str) -> str:
    """All-caps, capitalised, lower or mixed, the first that holds."""
    if word.isupper():
        return "all-caps"
    if word[0].isupper():
        return "capitalised"
    if word.islower():
        return "lower"
    return "mixed"


def run_lengths(text: str, character: str) -> list[int]:
    """Lengths of the unbroken runs of one character."""
    return [sum(1 for _ in run) for found, run in groupby(text) if found == character]


def share(hits: Iterable[bool], total: int) -> float:
    """The share of hits, 0 of nothing."""
    return sum(hits) / total if total else 0.0


def profile(sentence: str) -> dict[str, Any]:
    """All that is compared of one sentence: numbers are floats or ints, histograms counters, records dictionaries."""
    text = sentence.strip()
    words = text.split()
    paragraphs = [part for part in BLANK_LINES.split(text) if part.strip()]
    paragraph_words = [len(part.split()) for part in paragraphs]
    types = [character_type(character) for character in text]
    type_counts = Counter(types)
    lengths = [len(word) for word in words]
    spaces = run_lengths(text, " ")
    newlines = run_lengths(text, "\n")
    shares = {
        name: type_counts[name] / len(text) if text else 0.0 for name in ("letter", "digit", "space", "punctuation")
    }
    whole = {"histogram": Counter([len(words)]), "mean": float(len(words)), "variance": 0.0}
    return {
        "paragraph_structure": {
            "paragraphs": len(paragraphs),
            "mean": mean(paragraph_words),
            "variance": variance(paragraph_words),
            "parts": [sum(1 for piece in part.split(".") if piece.strip()) for part in paragraphs],
        },
        "punctuation": Counter(character for character in text if character in PUNCTUATION),
        "word_lengths": Counter(lengths),
        "characters": {"types": type_counts, "transitions": Counter(pairwise(types)), "shares": shares},
        "sentence_length": len(words),
        "mean_word_length": mean(lengths),
        "punctuation_density": shares["punctuation"],
        "token_level": {
            "words": len(words),
            "mean": mean(lengths),
            "variance": variance(lengths),
            "cases": Counter(word_case(word) for word in words),
            "with_digit": share((any(map(str.isdigit, word)) for word in words), len(words)),
            "with_symbol": share((not word.isalnum() for word in words), len(words)),
        },
        "spacing": {
            "spaces": Counter(spaces),
            "mean_spaces": mean(spaces),
            "newlines": Counter(newlines),
            "mean_newlines": mean(newlines),
            "white_space": shares["space"],
        },
        "length_distributions": {
            "words": {
                "histogram": Counter(lengths),
                "mean": mean(lengths),
                "variance": variance(lengths),
                "max": max(lengths, default=0),
                "min": min(lengths, default=0),
            },
            "sentence": whole,
            "paragraph": whole,
        },
    }


def compare_numbers(left: float, right: float) -> float:
    """One minus the difference over the greater; 1 where both are zero."""
    greater = max(abs(left), abs(right))
    return 1.0 - abs(left - right) / greater if greater else 1.0


def compare_histograms(left: Mapping[Any, int], right: Mapping[Any, int]) -> float:
    """The cosine; 1 where both are empty, 0 where one is."""
    if not left or not right:
        return 1.0 if not left and not right else 0.0
    dot = sum(count * right.get(key, 0) for key, count in left.items())
    squares = sum(count * count for count in left.values()) * sum(count * count for count in right.values())
    return min(1.0, dot / math.sqrt(squares))


def compare_lists(left: Sequence[int], right: Sequence[int]) -> float:
    """The mean of how near the lengths and how near the means are; 1 where both are empty, 0 where one is."""
    if not left or not right:
        return 1.0 if not left and not right else 0.0
    lengths = 1.0 - abs(len(left) - len(right)) / max(len(left), len(right))
    means = 1.0 - abs(mean(left) - mean(right)) / max(mean(left), mean(right), 1.0)
    return (lengths + means) / 2


def compare(left: Any, right: Any) -> float:
    """The similarity of two values of one kind, 0 to 1."""
    if isinstance(left, Counter):
        return compare_histograms(left, right)
    if isinstance(left, dict):
        return sum(compare(left[name], right[name]) for name in left) / len(left)
    if isinstance(left, list):
        return compare_lists(left, right)
    return compare_numbers(left, right)


def similarities(left: str, right: str) -> dict[str, float]:
    """The similarity of two sentences by each feature, 0 to 1, in the order of :data:`WEIGHTS`."""
    one, other = profile(left), profile(right)
    return {name: compare(one[name], other[name]) for name in WEIGHTS}


def distance(left: str, right: str) -> float:
    """One minus the weighted sum of the similarities: 0.18 for equal sentences, 1 at most."""
    found = similarities(left, right)
    return 1.0 - sum(weight * found[name] for name, weight in WEIGHTS.items())
