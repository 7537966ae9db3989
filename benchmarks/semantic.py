"""One run of a semantic chunker in a process of its own; prints seconds as JSON, with embedding and without."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.peers import plain
from chunking import embedding, from_text, strategies
from chunking.document import Document
from chunking.strategies import other_splitters
from chunking.strategies.other_splitters import base
from chunking.tokens import minilm_folder
from chunking.workspace import DocumentAnalysis, Models

Embed = Callable[[Sequence[str]], list[list[float]]]
_LLAMA_BATCH = 10


def usual(batch: int | None) -> Embed:
    """Return the model at the defaults of sentence-transformers, in one call or in batches of a size."""
    model = embedding._load_minilm(minilm_folder())

    def embed(texts: Sequence[str]) -> list[list[float]]:
        size = batch or len(texts)
        found: list[list[float]] = []
        for start in range(0, len(texts), size):
            vectors = model.encode(list(texts[start : start + size]), normalize_embeddings=batch is not None)
            found += vectors.tolist()
        return found

    return embed


def own() -> Embed:
    """Return our encoder, without a cache."""
    encoder = embedding.get_encoder()
    return lambda texts: embedding.embed(texts, encoder).tolist()


def remembered(embed: Embed, spent: list[float]) -> Embed:
    """Return the same, with what it takes; what was asked once is looked up."""
    known: dict[str, list[float]] = {}

    def ask(texts: Sequence[str]) -> list[list[float]]:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            start = time.perf_counter()
            known.update(zip(missing, embed(missing), strict=True))
            spent.append(time.perf_counter() - start)
        return [known[text] for text in texts]

    return ask


def theirs(library: str, document: Document, embed: Embed) -> Callable[[], object]:
    """Return the run of a library with what embeds."""
    name = {"langchain": "langchain_semantic", "llamaindex": "llamaindex_semantic"}[library]
    setting = strategies.parse(name)
    peer = other_splitters.get(name)

    class Embedding(DocumentAnalysis):
        def embed(self, texts: Sequence[str]) -> Any:
            return _Listed(embed(texts))

    return lambda: peer.split(Embedding(document), setting.params)


class _Listed(list[Any]):
    """Vectors that are a list already, where an array is expected."""

    def tolist(self) -> list[Any]:
        return list(self)


def main(name: str, size: int) -> None:
    """Measure one."""
    for switch, value in base._QUIET.items():
        os.environ.setdefault(switch, value)
    document = from_text(plain(size), "made", "text", "en")
    library, _, how = name.partition(", ")
    spent: list[float] = []
    if library == "ours":
        setting, encoder = strategies.parse("percentile:window=1"), embedding.get_encoder()
        brief = DocumentAnalysis(
            from_text("One is here. Two is there.", "warm", "text", "en"), tools=Models(splitter="langchain")
        )
        setting.run(brief)  # model and token table are loaded
        real = encoder.encode

        def timed(texts: Sequence[str]) -> Any:
            start = time.perf_counter()
            found = real(texts)
            spent.append(time.perf_counter() - start)
            return found

        encoder.encode = timed  # type: ignore[method-assign]
        run: Callable[[], object] = lambda: setting.run(  # noqa: E731
            DocumentAnalysis(document, tools=Models(splitter="langchain"))
        )
    else:
        embed = own() if how == "our encoder" else usual(_LLAMA_BATCH if library == "llamaindex" else None)
        embed(["The model is loaded."])
        theirs(library, from_text("One is here. Two is there.", "warm", "text", "en"), embed)()
        run = theirs(library, document, remembered(embed, spent))
    start = time.perf_counter()
    run()
    whole = time.perf_counter() - start
    print(json.dumps({"whole": whole, "rest": whole - sum(spent)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
