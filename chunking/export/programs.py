"""A setting as code: Python programs and lines for the command line that make the same chunks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from chunking.document import Document
from chunking.export.origin import setting_text
from chunking.loading import TEXT_FORMATS
from chunking.strategies.base import Segmentation
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


CODE = {"Python": python_code, "LangChain": langchain_code, "LlamaIndex": llama_index_code}
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


def command_line(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """Return the command that prints the same chunks from the file at ``path``."""
    params = segmentation.params
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "split", path, "--strategy", segmentation.strategy]
    for name, value in params.changed().items():
        words += ["-p", f"{name}={params.lookup(name).format(value)}"]
    for name, value in _used(tools).items():
        words += [f"--{name}", value]
    return shlex.join([*words, *_loading_words(segmentation.document)])


def _loading_words(document: Document) -> list[str]:
    """Return the options that load the document again as it was loaded."""
    return [
        "--language",
        document.language,
        *(word for name, value in document.load_options for word in (f"--{name}", value)),
    ]


def compare_line(settings: Sequence[str], tools: Tools, path: str, document: Document) -> str:
    """Return the command that compares settings, each in one line, on the file at ``path``."""
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "compare", path, "--strategies", ",".join(settings)]
    for name, value in _used(tools).items():
        words += [f"--{name}", value]
    return shlex.join([*words, *_loading_words(document)])
