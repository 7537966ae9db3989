"""The texts of the Learn page: complete, short, and in the words of the glossary."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from chunking import glossary
from chunking.signals.features import FEATURES
from pages.shared.learn.chapter import NUMBERS
from pages.shared.learn.texts import CHAPTERS, FOLDER, LANGUAGES, load

MOST_WORDS = 120


def raw(language: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each text with the keys that lead to it."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from leaves(child, (*path, name))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from leaves(child, (*path, str(number)))
    else:
        yield path, value


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys(language: str) -> None:
    paths = [path for path, _ in leaves(raw(language)) if path[0] != "features"]
    assert paths == [path for path, _ in leaves(raw("en"))]


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_every_feature_of_the_structure_has_a_title_in_every_other_language(language: str) -> None:
    assert set(load(language).features) == {
        feature.name for name in ("cues", "questions") for feature in FEATURES[name]
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_short_and_complete(language: str, name: str) -> None:
    known = load(language).chapters[name]
    assert 40 <= len(known.text.split()) <= MOST_WORDS
    assert all((known.title, known.formula, known.source, known.mistake, known.task, known.question))
    assert bool(known.options) != (name in NUMBERS)
    assert len(known.feedback) == len(known.options)
    assert not known.options or 0 <= known.correct < len(known.options)
    assert known.options or (known.right and known.wrong)


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_in_braces_are_those_of_english(language: str) -> None:
    import string

    def fields(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}

    english = raw("en")["page"]
    for key, text in raw(language)["page"].items():
        assert fields(text) == fields(english[key]), key


def test_no_retired_word_in_english() -> None:
    retired = [word.lower() for word in glossary.retired()]
    for path, text in leaves(raw("en")):
        found = [word for word in retired if f" {word} " in f" {str(text).lower()} "]
        assert not found, (path, found)


def test_no_english_is_left_in_german() -> None:
    """Words that German lacks give an English sentence away; titles of works and quoted examples stay as they are."""
    english = {"the", "and", "of", "is", "with", "that", "which", "your", "are", "for", "this", "where", "how"}
    quoted = re.compile(r"„The[^“]*“|„the[^“]*“|„They[^“]*“")
    for path, text in leaves(raw("de")):
        if path[-1] in ("source", "formula") or not isinstance(text, str):
            continue
        left = {word.lower() for word in re.findall(r"[A-Za-z]+", quoted.sub("", text))} & english
        assert not left, (path, left)


def test_no_text_of_several_words_is_the_same_in_both_languages() -> None:
    german = dict(leaves(raw("de")))
    for path, text in leaves(raw("en")):
        if path[-1] not in ("formula", "source", "right") and isinstance(text, str) and len(text.split()) > 1:
            assert german[path] != text, path
