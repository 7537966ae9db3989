"""Stored sentences: those that a new split would give, and only while nothing they depend on has changed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chunking.sentences
from chunking import sentences
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.loading import from_text
from chunking.sentences import KIWI, LANGCHAIN, RULES, SPACY, Sentences, split, store
from chunking.sentences.store import SentenceStore
from chunking.workspace import DocumentAnalysis, Models

TEXT = "# A jar\n\nThe lid is tight. Nobody opened it, though.\n\n- plums\n- pears\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def same(one: Sentences, other: Sentences) -> bool:
    """Whether two are the same to the last bit."""
    return (
        one.document is other.document
        and one.splitter == other.splitter
        and (one.spans.dtype, one.block.dtype) == (other.spans.dtype, other.block.dtype)
        and np.array_equal(one.spans, other.spans)
        and np.array_equal(one.block, other.block)
    )


def one(kept: SentenceStore, document: Document, name: str = SPACY) -> Sentences | None:
    (found,) = kept.lookup([document], [name])
    return found


@pytest.fixture
def kept(tmp_path: Path) -> SentenceStore:
    return SentenceStore(tmp_path / "sentences.sqlite3")


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a model was asked")

    monkeypatch.setattr("chunking.sentences.spacy_models._parse", never)


LINES = st.lists(
    st.sampled_from(
        [
            "# Jam",
            "Boil the plums. Stir often!",
            "- one pot",
            "> It sets. Or not.",
            "",
            "```",
            "| a | b |",
            "a\tb  c",
            "Ü. 你好。",
        ]
    )
    | st.text(max_size=30),
    max_size=12,
).map("\n".join)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=4), st.sampled_from(["text", "markdown"]))
def test_stored_sentences_equal_a_new_split(kept: SentenceStore, texts: list[str], format_: str) -> None:
    documents = [from_text(text, format=format_, language="en") for text in texts]
    expected = [split(document, SPACY) for document in documents]
    kept.save(expected)
    kept.close()
    found = SentenceStore(kept.path).lookup(documents, [SPACY] * len(documents))
    assert all(each is not None and same(each, own) for each, own in zip(found, expected, strict=True))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 70_000), st.integers(0, 300)), max_size=30))
def test_any_spans_come_back(kept: SentenceStore, steps: list[tuple[int, int, int]]) -> None:
    ends = np.cumsum([space + length for space, length, _ in steps], dtype=np.int64)
    lengths = np.array([length for _, length, _ in steps], dtype=np.int64)
    spans = np.stack((ends - lengths, ends), axis=1).reshape(-1, 2)
    block = np.cumsum([step for _, _, step in steps], dtype=np.int64)
    expected = Sentences(from_text(repr(steps)), spans, block, SPACY)
    kept.save([expected])
    found = one(kept, expected.document)
    assert found is not None
    assert same(found, expected)


def test_all_that_makes_sentences_is_in_their_key(kept: SentenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    document = from_text(TEXT, language="en")
    kept.save([split(document, SPACY)])
    assert one(kept, document)
    assert one(kept, replace(document, name="another name"))
    changed = [
        replace(document, text=document.text + " "),
        replace(document, language="de"),
        replace(document, format="csv"),
        replace(document, blocks=document.blocks[1:]),
        replace(document, blocks=(replace(document.blocks[0], content=0), *document.blocks[1:])),
        replace(document, blocks=(replace(document.blocks[0], kind="quote"), *document.blocks[1:])),
    ]
    assert [one(kept, each) for each in changed] == [None] * len(changed)
    assert one(kept, document, "spacy/de_core_news_sm") is None
    for name, answer in (("version", lambda _: "another"), ("pkgutil.get_data", lambda *_: b"other")):
        with monkeypatch.context() as patch:
            patch.setattr(f"chunking.sentences.store.{name}", answer)
            store.splitter_identity.cache_clear()
            assert one(kept, document) is None
        store.splitter_identity.cache_clear()
    assert one(kept, document)


def test_every_file_that_makes_sentences_counts() -> None:
    folder = Path(chunking.sentences.__file__).parent
    others = {"corpus.py"}  # which does not change sentences
    assert {path.name for path in folder.iterdir() if path.is_file()} - others == set(store._SOURCES)


@pytest.mark.parametrize("name", [RULES, LANGCHAIN, "spacy/xx_core_news_sm"])
def test_what_has_no_model_or_no_version_is_not_kept(kept: SentenceStore, name: str) -> None:
    document = from_text(TEXT, language="en")
    kept.save([replace(split(document, RULES), splitter=name)])
    assert len(kept) == 0
    assert one(kept, document, name) is None
    assert store.splitter_identity(KIWI)


def test_no_text_is_stored(kept: SentenceStore) -> None:
    kept.save([split(from_text("Quixotic marmalade. It is rare.", language="en"), SPACY)])
    kept.close()
    assert b"uixotic" not in kept.path.read_bytes()


def test_a_damaged_entry_is_split_again(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite3")
    document = from_text(TEXT, language="en")
    expected = DocumentAnalysis(document, Models(splitter=SPACY), cache).sentences
    with sqlite3.connect(cache.sentences.path) as other:
        assert other.execute("UPDATE sentences SET spans = zeroblob(length(spans))").rowcount == 1
    other.close()
    assert one(cache.sentences, document) is None
    assert same(DocumentAnalysis(document, Models(splitter=SPACY), cache).sentences, expected)
    again = one(cache.sentences, document)
    assert again is not None
    assert same(again, expected)


def test_the_store_is_bounded(tmp_path: Path) -> None:
    small = SentenceStore(tmp_path / "sentences.sqlite3", max_bytes=20_000)
    for number in range(300):
        small.save([split(from_text(f"Jar {number}. Lid.", language="en"), SPACY)])
        assert small.size <= 20_000
    assert one(small, from_text("Jar 299. Lid.", language="en"))
    assert one(small, from_text("Jar 0. Lid.", language="en")) is None


def test_a_workspace_with_a_cache_splits_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = from_text(TEXT, language="en")
    path = tmp_path / "vectors.sqlite3"
    tools = Models(splitter=SPACY)
    expected = DocumentAnalysis(document, tools, VectorCache(path)).sentences
    assert same(expected, sentences.split(document, SPACY))
    forbid(monkeypatch)
    assert same(DocumentAnalysis(document, tools, VectorCache(path)).sentences, expected)
    with pytest.raises(AssertionError, match="a model was asked"):
        DocumentAnalysis(document, tools).split()
