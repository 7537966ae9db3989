"""A setting as code: Python programs and lines for the command line that make the same chunks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from chunking import embedding
from chunking.document import Document
from chunking.export.origin import setting_text
from chunking.loading import TEXT_FORMATS
from chunking.strategies.base import Segmentation
from chunking.strategies.setting import Setting
from chunking.workspace import Tools

_NEEDS = "Needs chunkscope[models]."
_NEEDS_PEERS = "Needs chunkscope[models,peers]."


def python_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks from the file at ``path``."""
    changed = segmentation.params.changed()
    kind = type(segmentation.params)
    arguments = "".join(f"    {name}={value!r},\n" for name, value in changed.items())
    setting = _tools_arguments(tools)
    return f"""\"\"\"Chunks of a document, as Chunkscope showed them. {_NEEDS}\"\"\"

from pathlib import Path

from chunking import load, run
{_load_import(segmentation.document)}from {kind.__module__} import {kind.__name__}
from chunking.embedding.vector_cache import default_cache
from chunking.workspace import Tools, Workspace

path = Path({path!r})
document = {_load_call(segmentation.document)}
params = {kind.__name__}({chr(10) + arguments if arguments else ""})
result = run({segmentation.strategy!r}, Workspace(document, Tools({setting}), default_cache()), params)

for chunk in result.chunks:
    print(chunk.start, chunk.end, chunk.tokens, repr(chunk.text[:60]))
"""


def _load_call(document: Document) -> str:
    """Return the call that loads the document again as it was loaded."""
    asked = ", ".join(f"{name}={value!r}" for name, value in document.load_options)
    params = f", params=LoadParameters({asked})" if asked else ""
    return f"load(path.read_bytes(), path.name, language={document.language!r}{params})"


def _load_import(document: Document) -> str:
    return "from chunking.loading import LoadParameters\n" if document.load_options else ""


def _rows_code(segmentation: Segmentation, tools: Tools, path: str, library: str, made: str) -> str:
    """Return a program for a document whose text is not its file: the layout that loading found is in no text."""
    return f"""\"\"\"Chunks of a document for {library}, as Chunkscope showed them. {_NEEDS_PEERS}\"\"\"

from pathlib import Path

{made}
from chunking import export, load, strategies
{_load_import(segmentation.document)}from chunking.embedding.vector_cache import default_cache
from chunking.workspace import Tools, Workspace

path = Path({path!r})
document = {_load_call(segmentation.document)}
setting = strategies.parse({setting_text(segmentation)!r})
result = setting.run(Workspace(document, Tools({_tools_arguments(tools)}), default_cache()))
"""


def langchain_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks of the file at ``path`` by LangChain's own interface."""
    if segmentation.document.origin:
        made = "from langchain_core.documents import Document\n"
        return (
            _rows_code(segmentation, tools, path, "LangChain", made)
            + """
for row in export.langchain_rows(result):
    chunk = Document(id=row["id"], page_content=row["page_content"], metadata=row["metadata"])
    about = chunk.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(chunk.page_content[:60]))
"""
        )
    return f"""\"\"\"Chunks of a document as LangChain documents, as Chunkscope showed them. {_NEEDS_PEERS}\"\"\"

from pathlib import Path

from langchain_core.documents import Document

from chunking import load
from chunking.adapters.langchain import ChunkscopeTextSplitter

path = Path({path!r})
text = load(path.read_bytes(), path.name).text
document = Document(page_content=text, metadata={{"source": path.name}})
splitter = ChunkscopeTextSplitter(
{_adapter_arguments(segmentation, tools)})

for chunk in splitter.split_documents([document]):
    about = chunk.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(chunk.page_content[:60]))
"""


def llama_index_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks of the file at ``path`` by LlamaIndex's own interface."""
    if segmentation.document.origin:
        made = "from llama_index.core.schema import TextNode\n"
        return (
            _rows_code(segmentation, tools, path, "LlamaIndex", made)
            + """
for row in export.llama_index_rows(result):
    node = TextNode.from_dict(row)
    about = node.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(node.text[:60]))
"""
        )
    return f"""\"\"\"Chunks of a document as LlamaIndex nodes, as Chunkscope showed them. {_NEEDS_PEERS}\"\"\"

from pathlib import Path

from llama_index.core.schema import Document

from chunking import load
from chunking.adapters.llama_index import ChunkscopeNodeParser

path = Path({path!r})
text = load(path.read_bytes(), path.name).text
document = Document(text=text, metadata={{"file_name": path.name}})
parser = ChunkscopeNodeParser(
{_adapter_arguments(segmentation, tools)})

for node in parser.get_nodes_from_documents([document]):
    about = node.metadata
    print(about["start_index"], about["end_index"], about["tokens"], repr(node.text[:60]))
"""


def haystack_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks of the file at ``path`` as Haystack documents."""
    return (
        _rows_code(segmentation, tools, path, "Haystack", "from haystack import Document\n")
        + """
documents = [Document.from_dict(row) for row in export.haystack_rows(result)]  # for a DocumentWriter
for chunk in documents:
    about = chunk.meta
    print(about["start_index"], about["end_index"], about["tokens"], repr(chunk.content[:60]))
"""
    )


def hugging_face_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return a program that makes the same chunks of the file at ``path`` as a dataset of Hugging Face."""
    made = "from datasets import Dataset\nfrom pyarrow import BufferReader, parquet\n"
    return (
        _rows_code(segmentation, tools, path, "Hugging Face Datasets", made)
        + """
dataset = Dataset(parquet.read_table(BufferReader(export.parquet(result))))  # then dataset.save_to_disk("chunks")
for row in dataset:
    print(row["start"], row["end"], row["tokens"], repr(row["text"][:60]))
"""
    )


CODE = {
    "Python": python_code,
    "LangChain": langchain_code,
    "LlamaIndex": llama_index_code,
    "Haystack": haystack_code,
    "Hugging Face": hugging_face_code,
}
"""The programs that a setting can be copied as, by what they are written for."""


def _adapter_arguments(segmentation: Segmentation, tools: Tools) -> str:
    document = segmentation.document
    values = {"setting": setting_text(segmentation), **_used(tools), "language": document.language}
    values |= {"format": document.format} if document.format in TEXT_FORMATS else {}
    return "".join(f"    {name}={value!r},\n" for name, value in values.items())


def _tools_arguments(tools: Tools) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _used(tools).items())


def _used(tools: Tools) -> dict[str, Any]:
    """Return the tools that are not the usual ones."""
    return {name: value for name, value in vars(tools).items() if value != getattr(Tools(), name)}


def retrieval_code(setting: Setting, tools: Tools, method: str, folder: str = "documents") -> str:
    """Return a program that searches the files of a folder as an evaluation of retrieval does.

    Args:
        setting: the strategy, with what is embedded for a chunk and returned for it.
        tools: encoder, tokenizer and sentence splitter.
        method: the way to search.
        folder: of the files.
    """
    needs = ",".join(["models"] * (tools.encoder == embedding.DEFAULT_ENCODER) + ["evaluation"])
    needs += ",peers" * (setting.strategy.family == "peers")
    return f"""\"\"\"A search as Chunkscope evaluated it, over the files of a folder. Needs chunkscope[{needs}].

The titles of a data set are not in the files: embed=title takes each file's first heading or its name. Every passage is
compared, without an index.
\"\"\"

from pathlib import Path

from chunking import load, strategies
from chunking.embedding.vector_cache import default_cache
from chunking.retrieval.misses.passage_index import PassageIndex
from chunking.retrieval.questions import own
from chunking.retrieval.search import passages
from chunking.workspace import Tools

paths = sorted(path for path in Path({folder!r}).iterdir() if path.is_file())
sources = [own.source(path.name, load(path.read_bytes(), path.name)) for path in paths]
setting = strategies.parse({setting.text!r}, retrieval=True)
tools, cache = Tools({_tools_arguments(tools)}), default_cache()
cut = passages.cut(sources, {{"": setting}}, tools, cache)[""]
index = PassageIndex(cut, sources, tools, cache)

query = "What is this about?"
for hit in index.search(query, {method!r}):
    source = sources[hit.document]
    text = " … ".join(source.text[start:end] for start, end in hit.spans)  # what is returned, nothing twice
    print(hit.rank, f"{{hit.score:.3f}}", source.id, [tuple(span) for span in hit.spans], repr(text[:60]))
"""


def command_line(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return the command that prints the same chunks from the file at ``path``."""
    before, after = command_parts("split", segmentation, tools, path)
    return " ".join((before, *(f"-p {shlex.quote(pair)}" for pair in changed_pairs(segmentation)), after))


def command_parts(command: str, segmentation: Segmentation, tools: Tools, path: str) -> tuple[str, str]:
    """Return what stands before and after the parameters of a strategy in the line of a command."""
    path = f"./{path}" if path.startswith("-") else path
    before = ["python", "-m", "chunking", command, path, "--strategy", segmentation.strategy]
    used = [word for name, value in _used(tools).items() for word in (f"--{name}", value)]
    return shlex.join(before), shlex.join([*used, *_loading_words(segmentation.document)])


def changed_pairs(segmentation: Segmentation) -> list[str]:
    """Return the parameters that differ from their defaults, each as ``NAME=VALUE``."""
    params = segmentation.params
    return [f"{name}={params.lookup(name).format(value)}" for name, value in params.changed().items()]


def _loading_words(document: Document) -> list[str]:
    """Return the options that load the document again as it was loaded."""
    return [
        "--language",
        document.language,
        *(word for name, value in document.load_options for word in (f"--{name}", value)),
    ]


def compare_line(
    settings: Sequence[str],
    tools: Tools,
    path: str,
    document: Document,
    command: Sequence[str] = ("compare",),
    options: Sequence[str] = (),
) -> str:
    """Return the command that compares settings, each in one line, on the file at ``path``.

    Args:
        settings: each in one line.
        tools: the models.
        path: of the document.
        document: the document.
        command: the words of the command.
        options: further options.
    """
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", *command, path, "--strategies", ",".join(settings)]
    for name, value in _used(tools).items():
        words += [f"--{name}", value]
    return shlex.join([*words, *_loading_words(document), *options])
