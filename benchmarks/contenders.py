"""One chunker in a process of its own, from files to chunks: what a user of it would write, and nothing else imported.

``python -m benchmarks.contenders NAME LAUNCHED MODEL FILE…`` prints as JSON the seconds from ``LAUNCHED`` (the time at
which the process was started) to the chunks of the first file, those of each further file, and what was cut. Libraries
run at their defaults, those by size with chunks of 1,000 characters, or 250 tokens where they count tokens.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Split = Callable[[Path], Sequence[str]]
"""Returns the texts of a file's chunks."""


def _ours(
    setting: str, encoder: str = "all-MiniLM-L6-v2", splitter: str | None = None, language: str | None = None
) -> Callable[[str], Split]:
    def made(model: str) -> Split:
        chunking, vector_cache = import_module("chunking"), import_module("chunking.embedding.vector_cache")
        tools, cache = chunking.Models(encoder=encoder, splitter=splitter), vector_cache.default_cache()

        def split(path: Path) -> Sequence[str]:
            document = chunking.load(path.read_bytes(), path.name, language)
            return [chunk.text for chunk in chunking.split(document, setting, tools, cache)]

        return split

    return made


def _model(folder: str) -> Any:
    return import_module("sentence_transformers").SentenceTransformer(folder, device="cpu")


def _langchain_semantic(folder: str) -> Split:
    model = _model(folder)

    class Embeddings(import_module("langchain_core.embeddings").Embeddings):  # type: ignore[misc]
        """The model with LangChain's interface, as HuggingFaceEmbeddings gives it."""

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = model.encode(texts).tolist()
            return found

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    chunker = import_module("langchain_experimental.text_splitter").SemanticChunker(Embeddings())
    return lambda path: chunker.split_text(_text(path))


def _llamaindex_semantic(folder: str) -> Split:
    model = _model(folder)

    class Embedding(import_module("llama_index.core.embeddings").BaseEmbedding):  # type: ignore[misc]
        """The model with LlamaIndex's interface, in its batches, as HuggingFaceEmbedding gives it."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = model.encode(texts, normalize_embeddings=True).tolist()
            return found

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    parser = import_module(_LLAMA).SemanticSplitterNodeParser(embed_model=Embedding(), sentence_splitter=_punkt())
    return _by_nodes(parser)


def _llamaindex_sentence(folder: str) -> Split:
    return _by_nodes(
        import_module(_LLAMA).SentenceSplitter(chunk_size=250, chunk_overlap=20, chunking_tokenizer_fn=_punkt())
    )


_LLAMA = "llama_index.core.node_parser"


def _punkt() -> Callable[[str], list[str]]:
    """Return LlamaIndex's own splitter of sentences; the default would look for data to download, and not read it."""
    utils, punkt = import_module(f"{_LLAMA}.text.utils"), import_module("nltk.tokenize").PunktSentenceTokenizer()

    def sentences(text: str) -> list[str]:
        found: list[str] = utils.split_by_sentence_tokenizer_internal(text, punkt)
        return found

    return sentences


def _by_nodes(parser: Any) -> Split:
    document = import_module("llama_index.core.schema").Document
    return lambda path: [node.text for node in parser.get_nodes_from_documents([document(text=_text(path))])]


def _chonkie_semantic(folder: str) -> Split:
    embeddings = import_module("chonkie.embeddings").SentenceTransformerEmbeddings(folder)
    return _by_chonkie(import_module("chonkie").SemanticChunker(embedding_model=embeddings))


def _chonkie_recursive(folder: str) -> Split:
    return _by_chonkie(import_module("chonkie").RecursiveChunker(chunk_size=1000))


def _chonkie_token(folder: str) -> Split:
    return _by_chonkie(import_module("chonkie").TokenChunker(chunk_size=1000))


def _by_chonkie(chunker: Any) -> Split:
    return lambda path: [chunk.text for chunk in chunker.chunk(_text(path))]


def _langchain_recursive(folder: str) -> Split:
    splitters = import_module("langchain_text_splitters")
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=50)
    return lambda path: splitter.split_text(_text(path))


def _semchunk(folder: str) -> Split:
    # Its counter is tiktoken's in its own examples; reading tiktoken's data here needs no download.
    count = import_module("chunking.tokens").get_tokenizer().count
    chunker = import_module("semchunk").chunkerify(lambda text: int(count([text])[0]), 250)
    return lambda path: chunker(_text(path))


def _semantic_text_splitter(folder: str) -> Split:
    splitter = import_module("semantic_text_splitter").TextSplitter(1000)
    return lambda path: splitter.chunks(_text(path))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


CONTENDERS: dict[str, Callable[[str], Split]] = {
    "changepoint, static": _ours("changepoint", "static", "rules"),
    "changepoint, static, English given": _ours("changepoint", "static", "rules", "en"),
    "changepoint, MiniLM": _ours("changepoint"),
    "percentile:window=1, MiniLM": _ours("percentile:window=1", splitter="langchain"),
    "recursive": _ours("recursive"),
    "langchain_semantic": _langchain_semantic,
    "llamaindex_semantic": _llamaindex_semantic,
    "chonkie_semantic": _chonkie_semantic,
    "langchain_recursive": _langchain_recursive,
    "llamaindex_sentence": _llamaindex_sentence,
    "chonkie_recursive": _chonkie_recursive,
    "chonkie_token": _chonkie_token,
    "semchunk": _semchunk,
    "semantic_text_splitter": _semantic_text_splitter,
}


def main(name: str, launched: float, model: str, files: Sequence[str]) -> None:
    """Split the files in turn, and print the seconds and the cuts."""
    split = CONTENDERS[name](model)
    seconds, chunks = list[float](), list[Sequence[str]]()
    begin = launched
    for file in files:
        chunks.append(split(Path(file)))
        seconds.append(time.time() - begin)
        begin = time.time()
    # Libraries drop white space in different places, so the cuts are compared without it.
    bare = "\n".join("".join(text.split()) for text in chunks[0])
    digest = hashlib.sha256(bare.encode("utf-8", "surrogatepass")).hexdigest()
    print(json.dumps({"seconds": seconds, "chunks": len(chunks[0]), "cuts": digest}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:])
