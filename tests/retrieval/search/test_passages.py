"""A corpus cut: sentences told together and kept, and nothing left running where somebody stops it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import strategies
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.isolation.workers import WorkerProcess
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search import passages
from chunking.runtime import processes
from chunking.sentences import REFERENCE, corpus
from chunking.strategies import Setting
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis, Models

TOOLS = Models(encoder="char-ngrams", splitter=REFERENCE)
NAMES = ("sentence:max_tokens=16;overlap=0", "percentile:percentile=60", "recursive:size=40;overlap=0")
SOURCES = [
    CorpusDocument(
        f"d{number}", f"Jar {number} is full. It holds plums!\n\nWho would open it? " * (1 + number % 3), language=code
    )
    for number, code in enumerate(["en", "fr", "en", "en", "und", "en", "en"])
]


def settings(*names: str) -> dict[str, Setting]:
    return {name: strategies.parse(name) for name in names}


def alone(name: str) -> list[tuple[int, int, int]]:
    """What a strategy makes of the documents one by one."""
    setting = strategies.parse(name)
    return [
        (place, chunk.start, chunk.end)
        for place, source in enumerate(SOURCES)
        for chunk in setting.run(DocumentAnalysis(source.open(), TOOLS)).chunks
    ]


@pytest.mark.parametrize("block", [1, 150, 10**6])
@pytest.mark.parametrize("names", [NAMES, NAMES[:1], NAMES[2:]], ids=["with vectors", "with sentences", "with neither"])
def test_a_corpus_is_cut_as_its_documents_are_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, block: int, names: tuple[str, ...]
) -> None:
    monkeypatch.setattr(passages, "_BLOCK", block)
    cache = VectorCache(tmp_path / "vectors.sqlite3")
    for known in (None, cache, cache):
        found = passages.cut(SOURCES, settings(*names), TOOLS, known)
        for name in names:
            cut = found[name]
            assert list(zip(*(each.tolist() for each in (cut.document, cut.start, cut.end)), strict=True)) == alone(
                name
            )
    english = sum(source.language == "en" for source in SOURCES)
    assert len(cache.sentences) == (0 if names == NAMES[2:] else english)


def test_tokens_of_passages_are_those_of_the_text_that_is_retrieved() -> None:
    """Tokens do not add up: a chunk and its overlap, counted apart, would exceed a maximum that they keep together."""
    source = CorpusDocument("plums", "Nobody opened the seventh jar of plums before winter came. " * 40, language="en")
    found = passages.cut([source], settings("fixed_size:max_tokens=24;overlap=5;sentence_share=0"), TOOLS)
    (cut,) = found.values()
    texts = [source.text[reach:end] for reach, end in zip(cut.reach.tolist(), cut.end.tolist(), strict=True)]
    assert cut.tokens.tolist() == get_tokenizer().count(texts).tolist()
    assert cut.tokens.max() <= 24


def test_a_corpus_that_is_known_asks_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite3"
    before = passages.cut(SOURCES, settings(*NAMES), TOOLS, VectorCache(path))
    monkeypatch.setattr("chunking.sentences.spacy_models._parse", None)
    after = passages.cut(SOURCES, settings(*NAMES), TOOLS, VectorCache(path))
    for name, cut in before.items():
        assert np.array_equal(cut.start, after[name].start)


def test_a_splitter_that_is_not_there_is_told_by_each_strategy() -> None:
    tools = Models(TOOLS.encoder, splitter="spacy/xx_core_news_sm")
    with pytest.raises(ChunkscopeError, match=r"sentence.* could cut no document.*xx_core_news_sm"):
        passages.cut(SOURCES, settings(*NAMES[:1]), tools)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("step", ["splitting", "cutting"])
def test_where_it_is_stopped_no_process_stays(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    started: list[WorkerProcess] = []

    def start(*arguments: Any, **options: Any) -> WorkerProcess:
        started.append(WorkerProcess(*arguments, **options))
        return started[-1]

    def tell(what: str, done: int, total: int) -> None:
        assert total == len(SOURCES)
        if what == step:
            raise Stopped

    monkeypatch.setattr(corpus, "WorkerProcess", start)
    monkeypatch.setattr(corpus, "MIN_CHARACTERS", 0)
    monkeypatch.setattr(processes, "cores", lambda: 2)
    with pytest.raises(Stopped) as raised:
        passages.cut(SOURCES, settings(NAMES[0]), TOOLS, None, tell)
    assert started and not any(worker.alive for worker in started), raised


def test_the_first_strategy_that_needs_sentences_is_not_billed_for_splitting_them() -> None:
    sources = (CorpusDocument("a", "One sentence here. Another one there. " * 40, language="en"),)
    for names in (("whole", "paragraph", "sentence"), ("percentile", "paragraph", "sentence")):
        made = passages.cut(sources, {name: strategies.parse(name) for name in names}, Models("char-ngrams"))
        assert made[names[0]].splitting > 0 == made["paragraph"].splitting == made["sentence"].splitting, names
        assert made[names[0]].languages == {"en": 1}
