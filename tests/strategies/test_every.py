"""What holds of every strategy, on every sample, on real files and on odd texts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from chunking import ChunkscopeError, load, samples, sentences, strategies
from chunking.chunks import reason_words
from chunking.embedding.vector_cache import default_cache
from chunking.loading import from_text
from chunking.strategies import REGISTRY, Segmentation, Strategy
from chunking.workspace import Tools, Workspace
from tests import shared_data

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "documents"
OWN = [strategy for strategy in REGISTRY.values() if strategy.family != "peers"]

ODD = {
    "empty": "",
    "blank": " \n\t\n",
    "word": "word",
    "long-word": "x" * 1000,
    "sentence": "Only this one.",
    "code": "```python\n# not a heading\ndef f():\n    return 1\n```\n",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "headings": "# One\n## Two\n### Three\n# Four\n",
    "preamble": "Before all.\n\n# One\n\nText. More text.\n\n## Two\n\nText.\n",
    "windows": "# One\r\n\r\nText here. More.\r\n\r\n- item\r\n- item\r\n",
    "chinese": "今天天气很好。我们去公园。\n\n明天下雨。" * 5,
    "astral": "Fine 😀. Words 👩‍👩‍👧 here.\n\nMore 𝔘𝔫𝔦𝔠𝔬𝔡𝔢.",
    "control": "a\x00b\x0c\n\x85c\u2028d. E\u200ff.",
    "surrogate": "lone \ud800 here. And\udfff there.",
    "json": '{"a": [1, 2, {"b": "text. more"}], "c": null}\n',
    "html": "<html><body><h1>A</h1><p>B c.</p><ul><li>d</li></ul></body></html>\n",
}


@cache
def odd(name: str) -> Workspace:
    return Workspace(from_text(ODD[name], f"{name}.md"), Tools("static", splitter="rules"), default_cache())


@cache
def sample(name: str) -> Workspace:
    known = samples.load(name)
    return Workspace(known.document, cache=default_cache(), precomputed=known.precomputed)


def real(name: str) -> Workspace:
    """A file with made-up vectors: where it is cut does not matter here, and the model would take minutes."""
    document = load((REAL / name).read_bytes(), name)
    units = sentences.split(document, "rules")
    made = np.random.default_rng(len(units)).standard_normal((2, len(units), 16)).astype(np.float32)
    return Workspace(document, Tools(splitter="rules"), precomputed=(units, *made))


def check(segmentation: Segmentation, strategy: Strategy) -> None:
    document, chunks = segmentation.document, segmentation.chunks
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.text == document.text[chunk.start : chunk.end] for chunk in chunks)
    assert all(chunk.start < chunk.end for chunk in chunks)
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
    for chunk in chunks:
        if chunk.overlap:
            assert 0 <= chunk.overlap.start < chunk.overlap.end == chunk.start
        if chunk.start and chunk.parent is None:
            assert chunk.cut is not None and chunk.cut.offset == chunk.start and reason_words(chunk.cut)
    leaves = [chunk for chunk in chunks if chunk.index not in {other.parent for other in chunks}]
    if strategy.tiles or strategy.name.endswith("_tree"):
        bounds = [0, *(chunk.end for chunk in leaves)] if leaves else [0]
        assert bounds[-1] == len(document.text)
        assert [chunk.start for chunk in leaves] == bounds[:-1]
    for inner, outer in ((chunk, chunks[chunk.parent]) for chunk in chunks if chunk.parent is not None):
        assert outer.index < inner.index and outer.start <= inner.start and inner.end <= outer.end


def check_limits(segmentation: Segmentation, workspace: Workspace, maximum: int) -> None:
    """No chunk, its overlap counted, exceeds the maximum, but for single characters and parents.

    The count that chunks carry is that of what is indexed, tokenised as one text.
    """
    document, chunks = segmentation.document, segmentation.chunks
    parents = {chunk.parent for chunk in chunks}
    leaves = [chunk for chunk in chunks if chunk.index not in parents and len(chunk.text) > 1]
    assert all(chunk.indexed_tokens <= maximum for chunk in leaves)
    whole = [document.text[chunk.reach : chunk.end] for chunk in chunks]
    assert workspace.grid.counter.count(whole).tolist() == [chunk.indexed_tokens for chunk in chunks]


def limits_of(strategy: Strategy) -> dict[str, str]:
    names = {known.name for known in strategy.params.describe()}
    return {"max_tokens": "40", "overlap": "5", "min_tokens": "10"} if "max_tokens" in names else {}


@pytest.mark.parametrize("name", list(ODD))
@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_odd_texts(strategy: Strategy, name: str) -> None:
    workspace = odd(name)
    check(strategy.run(workspace, strategy.params()), strategy)
    limited = strategy.run(workspace, strategies.parameters(strategy, limits_of(strategy)))
    check(limited, strategy)
    check_limits(limited, workspace, 40)


@pytest.mark.parametrize("name", samples.names())
@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_samples(strategy: Strategy, name: str) -> None:
    workspace = sample(name)
    first = strategy.run(workspace, strategy.params())
    check(first, strategy)
    assert strategy.run(workspace, strategy.params()).chunks == first.chunks
    limited = strategy.run(workspace, strategies.parameters(strategy, limits_of(strategy)))
    check(limited, strategy)
    check_limits(limited, workspace, 40)


@pytest.mark.skipif(not REAL.exists(), reason=shared_data.MISSING)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.name, marks=pytest.mark.extended if path.stat().st_size > 50_000 else [])
        for path in sorted(REAL.glob("*.*"))
    ]
    or ["none"],
)
def test_real_documents(name: str) -> None:
    workspace = real(name)
    for strategy in OWN:
        check(strategy.run(workspace, strategy.params()), strategy)
        limited = strategy.run(workspace, strategies.parameters(strategy, limits_of(strategy)))
        check(limited, strategy)
        check_limits(limited, workspace, 40)


@pytest.mark.parametrize("strategy", REGISTRY.values(), ids=lambda strategy: strategy.name)
def test_every_strategy_says_what_it_is(strategy: Strategy) -> None:
    assert strategy.title and strategy.family and strategy.origin
    assert strategy.summary.endswith(".") and strategy.summary[0].isupper()
    assert strategy.name == strategy.name.lower() and strategy.name.isidentifier()
    for known in strategy.params.describe():
        assert known.title and known.help.endswith((".", ")")), known.name
        assert known.check(known.default) == known.default
        if known.type in ("number", "integer"):
            assert known.minimum is not None and known.maximum is not None and known.minimum < known.maximum
        else:
            assert known.choices
    assert strategy.params() == strategies.parameters(strategy, {})


@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_contradicting_sizes_are_refused_in_one_place(strategy: Strategy) -> None:
    for texts in (
        {"min_tokens": "300", "max_tokens": "200"},
        {"overlap_unit": "tokens", "overlap": "90", "max_tokens": "80"},
    ):
        units = strategy.params.lookup("overlap_unit").choices
        if texts.get("overlap_unit", units[0]) not in units:
            continue
        with pytest.raises(ChunkscopeError, match=r"larger than max_tokens|no room"):
            strategies.parameters(strategy, texts)
