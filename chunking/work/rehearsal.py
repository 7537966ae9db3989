"""Does once, with texts of our own, what calls of :mod:`chunking.isolation` do, so that their process is ready.

It loads the libraries and models that reading, splitting, measuring, rendering and cutting need, and those that they
import only when they are used. A process that has rehearsed can be forked: no thread is started.
"""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec

from chunking import loading, sentences, strategies, tokens
from chunking.alignment import uploads
from chunking.chunks import outline
from chunking.chunks.constraints import constraints_of
from chunking.document import Document
from chunking.embedding import Static, get_encoder
from chunking.errors import ChunkscopeError
from chunking.isolation import codec
from chunking.loading import FORMATS, LoadParameters, isolated, language
from chunking.reference import files as reference_files
from chunking.rendering import render
from chunking.review import exchange
from chunking.signals import features
from chunking.signals.features import FEATURE_SETS
from chunking.strategies.other_splitters import PEERS, base
from chunking.work import segmentations
from chunking.workspace import DocumentAnalysis, Models

_PROSE = "Boats wait for the tide. Why do they wait? The harbour is shallow, and the keel is deep."
_MARKDOWN = (
    f"# Tides\n\n{_PROSE}\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```python\nx = 1\n```\n\n> Wait.\n"
)
_HTML = f"<!doctype html><html><body><article><h1>Tides</h1><p>{_PROSE}</p><p>{_PROSE}</p></article></body></html>"
_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", _PROSE]},
        {"cell_type": "code", "metadata": {}, "source": ["x = 1"], "outputs": [], "execution_count": None},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}

TEXTS = {
    "a.txt": f"1 Tides\n\n{_PROSE}\n\nAnna: {_PROSE}\n",
    "a.md": f"---\ntitle: Tides\n---\n\n{_MARKDOWN}",
    "a.rst": f"Tides\n=====\n\n{_PROSE}\n\n* one\n* two\n",
    "a.tex": f"\\section{{Tides}}\n\n{_PROSE}\n",
    "a.json": json.dumps({"title": "Tides", "text": _PROSE}),
    "a.yaml": f"title: Tides\ntext: {_PROSE}\n".replace("? ", ". "),
    "a.csv": f'title,text\nTides,"{_PROSE}"\n',
    "a.srt": f"1\n00:00:01,000 --> 00:00:02,000\n{_PROSE}\n",
    "a.chat": f"Anna: {_PROSE}\n\nBen: {_PROSE}\n",
    "a.html": _HTML,
    "a.ipynb": json.dumps(_NOTEBOOK),
    "a.py": "def wait(tide):\n    return tide\n",
}
"""Small files, one for each way to read."""

_LIBRARIES = sorted({name for names in isolated.PARSERS.values() for name in names})


def rehearse() -> None:
    """Read, split, measure, render and cut a text of each kind; what is not installed is left out."""
    for format in FORMATS.values():
        import_module(f"chunking.loading.{format.kind}.{format.module}")
    for name in _LIBRARIES:
        if find_spec(name.partition(".")[0]):
            import_module(name)
    for name, text in TEXTS.items():
        try:
            _rehearse(name, text)
        except ChunkscopeError:  # a parser that is not installed: a call that needs it says so
            continue
    for tokenizer in tokens.tokenizer_names():
        with suppress(ChunkscopeError):  # not installed
            tokens.get_tokenizer(tokenizer).count([_PROSE])
    language.prepare()
    get_encoder(Static.name).encode([_PROSE])
    _rehearse_inputs(loading.from_text(_MARKDOWN, "a.md"))


def _rehearse_inputs(document: Document) -> None:
    import_module("chunking.work.inputs")
    chunks = json.dumps([_PROSE]).encode()
    codec.encode(uploads.read(chunks, "a.json"))
    codec.encode(reference_files.read(chunks, "a.json", document))
    codec.encode(exchange.import_reviews(b"[10]", "a.json", document, "Ana"))


def rehearse_peers() -> None:
    """Cut a text by each strategy of another library that is installed.

    One of them brings pyarrow, whose allocator starts a thread; it holds nothing while a process is forked.
    """
    for peer in PEERS:
        base.silence()
        if base.installed(peer):
            _cut(peer.name, loading.from_text(_MARKDOWN, "a.md"))


def _cut(name: str, document: Document) -> None:
    workspace = DocumentAnalysis(document, Models(encoder=Static.name, splitter=sentences.RULES))
    strategy = strategies.get(name)
    with suppress(ChunkscopeError):  # it needs a language, or a library that is not installed: a call says so
        segmentations.segment(strategy, workspace, strategy.params(), segmentations.answer)


def _rehearse(name: str, text: str) -> None:
    document = loading.load(text.encode(), name, params=LoadParameters())
    if document.format == "html":
        loading.reload(document, LoadParameters(content="main"))
    sentence_set = sentences.split(document, sentences.RULES)
    for name in FEATURE_SETS:
        features.measure(sentence_set, name)
    outline.strength(sentence_set)
    constraints_of(document)
    render(document)
    for strategy in strategies.REGISTRY.values():
        if strategy.family != "peers" and not strategy.on_curves:
            _cut(strategy.name, document)
