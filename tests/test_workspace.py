"""A document is measured once, whatever is asked of it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import pytest

from chunking import embedding, from_text, strategies
from chunking.runtime.arrays import Float32, Int64
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis, Models

TEXT = "# Tea\n\nBoil the water. Wait a little. Pour it slowly.\n\n# Bread\n\nKnead the dough. Let it rest. Bake it.\n"


class Counting:
    """An encoder that counts what it is given."""

    name, key, dimension, max_tokens, languages = "counting", "counting/1", 3, 4, ("en",)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Float32:
        self.encoded += texts
        rows = [[len(text) % 7 + 1, len(text) % 3, text.count("e")] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        unit: Float32 = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def token_counts(self, texts: Sequence[str]) -> Int64:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(embedding, "get_encoder", lambda name=embedding.Static.name: made)
    return made


def workspace(language: str = "en") -> DocumentAnalysis:
    return DocumentAnalysis(from_text(TEXT, language=language), Models(splitter="rules"))


def test_alpha_percentile_overlap_and_block_never_embed(encoder: Counting) -> None:
    made = workspace()
    strategies.run("structural", made, StructuralParameters())
    first = list(encoder.encoded)
    assert len(first) == 8
    for changed in ({"alpha": 0.1}, {"percentile": 70.0}, {"overlap": 2}, {"block": 1}, {"structure": "reference"}):
        strategies.run("structural", made, StructuralParameters(**changed))
    assert encoder.encoded == first
    strategies.run("structural", made, StructuralParameters(window=1))
    assert len(encoder.encoded) > len(first)


def test_another_tokenizer_shares_everything_but_the_counts(encoder: Counting) -> None:
    made = workspace()
    other = made.with_tokenizer("all-MiniLM-L6-v2")
    assert other.sentences is made.sentences
    assert other.vectors() is made.vectors()
    assert other.cut_points.counter.name == "all-MiniLM-L6-v2"
    assert made.cut_points.counter.name == "cl100k_base"


def test_progress_can_stop_the_work_and_it_starts_again(encoder: Counting) -> None:
    made = workspace()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.vectors(0, stop)
    assert not made.has_vectors()
    assert made.vectors(0).shape == (8, 3)
    assert made.has_vectors()


def test_warns_of_long_sentences_and_of_another_language(encoder: Counting) -> None:
    assert made_warnings("en") == []
    assert any(
        "trained on English" in warning and "char-ngrams finds more" in warning for warning in made_warnings("de")
    )
    encoder.max_tokens = 2
    assert any("longer than the 2 tokens" in warning for warning in made_warnings("und"))


def made_warnings(language: str) -> list[str]:
    return list(workspace(language).warnings())


# --- many threads ----------------------------------------------------------------------------------------------

SAFETY = 30.0
"""Seconds after which a test that hangs fails; none waits that long where all is well."""


class Stopped(Exception):
    """What a progress raises to end the work."""


class Holding(Counting):
    """An encoder that says when it has begun and encodes when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.may_go_on = threading.Event()

    def encode(self, texts: Sequence[str]) -> Float32:
        self.begun.set()
        assert self.may_go_on.wait(SAFETY)
        return super().encode(texts)


class Told:
    """A progress that remembers what it was told, and that says when it was told something."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int]] = []
        self.called = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        self.calls.append((done, total))
        self.called.set()


@pytest.fixture
def holding(monkeypatch: pytest.MonkeyPatch) -> Holding:
    made = Holding()
    monkeypatch.setattr(embedding, "get_encoder", lambda name=embedding.Static.name: made)
    return made


@pytest.fixture
def threads(holding: Holding) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool
        holding.may_go_on.set()  # a test that failed leaves no thread behind


def stop(done: int, total: int) -> None:
    raise Stopped


def test_other_pieces_are_served_and_made_while_one_is_made(holding: Holding, threads: ThreadPoolExecutor) -> None:
    made = workspace()
    known = made.sentences
    embedded = threads.submit(made.vectors, 1)
    assert holding.begun.wait(SAFETY)
    other = made.with_tokenizer("all-MiniLM-L6-v2")
    assert threads.submit(lambda: other.sentences).result(SAFETY) is known
    assert len(threads.submit(lambda: other.cut_points).result(SAFETY).offsets) == 7
    assert len(threads.submit(made.structure, "layout").result(SAFETY).values) == 7
    assert threads.submit(made.warnings, 1).result(SAFETY)
    assert not embedded.done()
    holding.may_go_on.set()
    assert embedded.result(SAFETY).shape == (8, 3)


def test_a_piece_that_many_ask_for_is_made_once(holding: Holding, threads: ThreadPoolExecutor) -> None:
    made = workspace()
    made.split()
    first = threads.submit(made.vectors, 0)
    assert holding.begun.wait(SAFETY)
    told = [Told(), Told()]
    second = threads.submit(made.vectors, 0, told[0])
    third = threads.submit(made.with_tokenizer("all-MiniLM-L6-v2").vectors, 0, told[1])
    for one in told:
        assert one.called.wait(SAFETY)
    holding.may_go_on.set()
    assert second.result(SAFETY) is third.result(SAFETY) is first.result(SAFETY)
    assert len(holding.encoded) == 8
    # A waiter hears what the maker last said: none of the eight is done.
    assert {call for one in told for call in one.calls} <= {(0, 8), (8, 8)}
    assert all(one.calls[0] == (0, 8) for one in told)


def test_one_who_waits_may_stop_and_the_maker_goes_on(holding: Holding, threads: ThreadPoolExecutor) -> None:
    made = workspace()
    first = threads.submit(made.vectors, 0)
    assert holding.begun.wait(SAFETY)
    with pytest.raises(Stopped):
        threads.submit(made.vectors, 0, stop).result(SAFETY)
    assert not first.done()
    holding.may_go_on.set()
    assert first.result(SAFETY) is made.vectors(0)
    assert len(holding.encoded) == 8


def test_one_who_waits_goes_on_where_the_maker_was_stopped(holding: Holding, threads: ThreadPoolExecutor) -> None:
    made = workspace()

    def stop_at_the_end(done: int, total: int) -> None:
        if done:
            raise Stopped

    first = threads.submit(made.vectors, 0, stop_at_the_end)
    assert holding.begun.wait(SAFETY)
    told = Told()
    second = threads.submit(made.vectors, 0, told)
    assert told.called.wait(SAFETY)
    holding.may_go_on.set()
    with pytest.raises(Stopped):
        first.result(SAFETY)
    assert second.result(SAFETY) is made.vectors(0)
    assert told.calls[-1] == (8, 8)
    assert len(holding.encoded) == 16


# --- memory ----------------------------------------------------------------------------------------------------


def test_vectors_of_older_windows_are_let_go(encoder: Counting) -> None:
    made = workspace()
    single, curve = made.vectors(0), made.semantic(1, 2)
    older = weakref.ref(made.vectors(1))
    made.vectors(2)
    assert older() is None
    assert [made.has_vectors(window) for window in (0, 1, 2)] == [True, False, True]
    assert made.vectors(0) is single
    assert made.semantic(1, 2) is curve
    made.vectors(1)
    assert [made.has_vectors(window) for window in (0, 1, 2)] == [True, True, False]


def test_vectors_that_are_given_are_known_and_stay() -> None:
    workspace = DocumentAnalysis(from_text("One ends. Two ends. Three ends."), Models(splitter="rules"))
    given = np.eye(len(workspace.sentences), dtype=np.float32)
    workspace.add_vectors(2, given)
    assert workspace.has_vectors(2)
    assert not workspace.has_vectors(0)
    workspace._put(("vectors", 1), given)  # as if it had been embedded since
    assert workspace.vectors(2) is given


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("chunking", "Workspace", "DocumentAnalysis"),
        ("chunking", "Tools", "Models"),
        ("chunking.workspace", "Tools", "Models"),
        ("chunking.evaluation", "GoldDocument", "SegmentedDocument"),
        ("chunking.reference", "gold_gaps", "reference_gaps"),
    ],
)
def test_old_names_are_what_they_are_called_now_and_warn(module: str, old: str, new: str) -> None:
    home = import_module(module)
    with pytest.warns(DeprecationWarning, match=f"{old} is called {new} now"):
        assert getattr(home, old) is getattr(home, new)


@pytest.mark.parametrize(
    ("encoder", "counted_by"),
    [
        (None, "cl100k_base"),
        ("static", "cl100k_base"),
        ("char-ngrams", "cl100k_base"),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        ("openai:some-model", "cl100k_base"),
        ("no such encoder", "cl100k_base"),
    ],
)
def test_tokens_are_counted_as_the_named_encoder_does_where_it_has_a_limit(
    encoder: str | None, counted_by: str
) -> None:
    assert Models(encoder).tokenizer == counted_by
    assert Models(encoder, "cl100k_base").tokenizer == "cl100k_base"
