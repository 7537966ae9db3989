"""Programs that read documents: one in a process of its own, which imports nothing else.

``python -m benchmarks.readers NAME FILE…`` prints as JSON what it reads of each file, the seconds that it takes once
the libraries are loaded, and the peak memory of the process and of those that it starts.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

Read = Callable[[Path], tuple[str, list[str]]]
"""Returns the content of a file, and its headings where the content does not mark them."""

ROUNDS = 3
_MARK = re.compile(r"\s*(?:\d+[.)]|[-*+•◦▪–])?\s*")


@dataclass(frozen=True)
class Reader:
    """A program that reads documents.

    Attributes:
        endings: of the files that it reads.
        markup: of what it returns: ``"markdown"``, ``"html"`` or ``"text"``.
        make: returns the function that reads, once its libraries are loaded.
        module: without which it is left out.
    """

    endings: tuple[str, ...]
    markup: str
    make: Callable[[], Read]
    module: str


def _chunkscope() -> Read:
    load = import_module("chunking").load

    def read(path: Path) -> tuple[str, list[str]]:
        document = load(path.read_bytes(), path.name)
        text = document.text
        marks = [(block.start, block.content) for block in document.blocks if block.kind == "list_item"]
        # Marks that Markdown has as well are no words in what is read from it, so they are none here.
        for start, end in reversed([mark for mark in marks if _MARK.fullmatch(text, *mark)]):
            text = text[:start] + text[end:]
        return text, [document.text[block.content : block.end] for block in document.headings]

    return read


def _markitdown() -> Read:
    converter = import_module("markitdown").MarkItDown()
    return lambda path: (converter.convert(path).text_content, [])


def _mammoth() -> Read:
    mammoth = import_module("mammoth")

    def read(path: Path) -> tuple[str, list[str]]:
        with path.open("rb") as file:
            return mammoth.convert_to_html(file).value, []

    return read


def _pandoc() -> Read:
    pypandoc = import_module("pypandoc")
    options = ["--wrap=none", "--mathjax"]
    return lambda path: (pypandoc.convert_file(str(path), "html", extra_args=options), [])


def _pypdf() -> Read:
    reader = import_module("pypdf").PdfReader
    return lambda path: ("\n\n".join(page.extract_text() for page in reader(path).pages), [])


def _pymupdf4llm() -> Read:
    to_markdown: Any = import_module("pymupdf4llm").to_markdown
    return lambda path: (to_markdown(str(path), show_progress=False), [])


def _html2text() -> Read:
    html2text = import_module("html2text").html2text
    return lambda path: (html2text(path.read_text(encoding="utf-8")), [])


def _trafilatura() -> Read:
    extract: Any = import_module("trafilatura").extract
    return lambda path: (extract(path.read_text(encoding="utf-8"), output_format="markdown") or "", [])


READERS = {
    "Chunkscope": Reader(
        (".docx", ".html", ".pdf", ".pptx", ".xlsx", ".odt", ".epub"), "text", _chunkscope, "chunking"
    ),
    "markitdown": Reader((".docx", ".html", ".pdf", ".pptx", ".xlsx", ".epub"), "markdown", _markitdown, "markitdown"),
    "mammoth": Reader((".docx",), "html", _mammoth, "mammoth"),
    "pandoc": Reader((".docx", ".html", ".odt", ".epub"), "html", _pandoc, "pypandoc"),
    "html2text": Reader((".html",), "markdown", _html2text, "html2text"),
    "trafilatura": Reader((".html",), "markdown", _trafilatura, "trafilatura"),
    "pypdf": Reader((".pdf",), "text", _pypdf, "pypdf"),
    "pymupdf4llm": Reader((".pdf",), "markdown", _pymupdf4llm, "pymupdf4llm"),
}


@dataclass(frozen=True)
class Reading:
    """What a reader makes of a file.

    Attributes:
        content: text or markup; empty where it failed.
        headings: where the content does not mark them.
        seconds: median of the rounds.
        problem: why it failed.
    """

    content: str
    headings: list[str]
    seconds: float
    problem: str = ""


def reading(read: Read, file: Path) -> Reading:
    """Return what a reader makes of a file, and how long it takes."""
    seconds = list[float]()
    try:
        for _ in range(ROUNDS):
            start = time.perf_counter()
            content, headings = read(file)
            seconds.append(time.perf_counter() - start)
    except Exception as error:  # Whatever another program raises is its result.
        return Reading("", [], 0.0, f"{type(error).__name__}: {error}"[:200])
    return Reading(content, headings, median(seconds))


def main(name: str, files: Sequence[Path]) -> None:
    """Read the files in turn, after one that is not counted, and print the readings and the peak memory in MB."""
    read = READERS[name].make()
    reading(read, files[0])
    readings = [asdict(reading(read, file)) for file in files]
    own, started = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(json.dumps({"readings": readings, "own_mb": own, "started_mb": started}))


if __name__ == "__main__":
    main(sys.argv[1], [Path(file) for file in sys.argv[2:]])
