"""Loading: speed by format beside the fastest permissive library, growth, memory, and a long PDF to its first curve.

Each pair runs in turn on one file that is made here; a ratio is ours ÷ theirs. Theirs gives the text alone, or values
without places; ours gives blocks, layout and the way back to the source too. ``python -m benchmarks.loading`` runs it
all; ``speed``, ``first``, ``memory`` or ``growth`` after it runs a part.
"""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import files
from benchmarks.first_curve import MODEL
from benchmarks.timing import Run, ms, paired, table
from chunking.loading import FORMATS, isolated
from chunking.loading.parsed import LoadParameters
from chunking.syntax import syntax

RUNS = 7
TEXT_SIZE = 500_000
"""Characters of the files of text formats whose speed is measured."""

PAGES = 300
SMALL, LARGE = 200_000, 2_000_000
"""Characters between which growth is measured."""

SPEED, CURVE, MEMORY = 2.0, 10.0, 200.0
"""Targets: ratio; seconds; MB beside ten times the file."""

ALL, MAIN = LoadParameters(), LoadParameters(content="main")


@dataclass(frozen=True)
class Rival:
    """A library that reads a format.

    Attributes:
        format: name of ours.
        name: what it is, and does.
        make: what it does, made of the file.
        params: of ours.
        module: without which it is left out.
    """

    format: str
    name: str
    make: Callable[[Any], Run]
    params: LoadParameters = ALL
    module: str = ""


BINARY: dict[str, Callable[[], bytes]] = {
    "pdf": lambda: files.pdf(30),
    "docx": lambda: files.docx(30),
    "epub": lambda: files.epub(TEXT_SIZE),
}
"""Makers of files of realistic size, by format; other binary formats are measured on real files alone."""


@cache
def source(format: str) -> Any:
    """Return a file of a format of realistic size: bytes of a binary one, else text."""
    return BINARY[format]() if format in BINARY else files.TEXTS[format][1](TEXT_SIZE)


def ours(format: str, params: LoadParameters = ALL) -> Callable[[Any], object]:
    """Return the function of the format's module, in this process."""
    known = FORMATS[format]
    module: Any = import_module(f"chunking.loading.{known.kind}.{known.module}")
    if known.kind == "binary":
        return lambda data: module.parse(data, "made", params, None)
    if known.kind == "markup":
        return lambda text: module.parse(text, "made", params)
    return lambda text: module.blocks(text, known.language) if known.language else module.blocks(text)


def _pdfium(data: bytes) -> Run:
    pdfium: Any = import_module("pypdfium2")

    def run() -> object:
        document = pdfium.PdfDocument(data)
        return [page.get_textpage().get_text_range() for page in document]

    return run


def _python_docx(data: bytes) -> Run:
    def run() -> object:
        document: Any = import_module("docx").Document(io.BytesIO(data))
        cells = (cell.text for each in document.tables for row in each.rows for cell in row.cells)
        return [paragraph.text for paragraph in document.paragraphs], list(cells)

    return run


def _lexbor(text: str | bytes) -> str:
    body = import_module("selectolax.lexbor").LexborHTMLParser(text).body
    return str(body.text()) if body else ""


def _blocks_of_lexbor(text: str | bytes) -> list[str]:
    tree = import_module("selectolax.lexbor").LexborHTMLParser(text)
    return [str(node.text()) for node in tree.css("h1, h2, h3, h4, h5, h6, p, li, tr, pre, blockquote, figcaption")]


def _epub_blocks(data: bytes) -> Run:
    def run() -> object:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            return [_blocks_of_lexbor(book.read(name)) for name in book.namelist() if name.endswith("xhtml")]

    return run


def _zip_and_selectolax(data: bytes) -> Run:
    def run() -> object:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            return [_lexbor(book.read(name)) for name in book.namelist() if name.endswith("xhtml")]

    return run


def _cells(text: str) -> str:
    cells = json.loads(text)["cells"]
    outputs = ("".join(output.get("text", ())) for cell in cells for output in cell.get("outputs", ()))
    return "\n\n".join([*("".join(cell["source"]) for cell in cells), *outputs])


def _cells_by_markdown_it(text: str) -> Run:
    parser = import_module("markdown_it").MarkdownIt("commonmark").enable("table")

    def run() -> object:
        cells = json.loads(text)["cells"]
        return [parser.parse("".join(cell["source"])) for cell in cells if cell["cell_type"] == "markdown"]

    return run


def _yaml(text: str) -> Run:
    yaml: Any = import_module("yaml")
    return lambda: yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _yaml_nodes(text: str) -> Run:
    yaml: Any = import_module("yaml")
    return lambda: yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _docutils(text: str) -> Run:
    core: Any = import_module("docutils.core")
    return lambda: core.publish_doctree(text, settings_overrides={"report_level": 5})


def _markdown_it(text: str) -> Run:
    parser = import_module("markdown_it").MarkdownIt("commonmark").enable("table")
    return lambda: parser.parse(text)


def _trafilatura(text: str) -> Run:
    return lambda: import_module("trafilatura").extract(text)


def _tree_sitter(language: str) -> Callable[[str], Run]:
    return lambda text: lambda: syntax.parse(text, language).root


RIVALS = (
    Rival("pdf", "pypdfium2, raw text", _pdfium),
    Rival("docx", "python-docx, paragraphs and cells", _python_docx),
    Rival("epub", "zipfile and selectolax, text", _zip_and_selectolax),
    Rival("epub", "the same, text by block", _epub_blocks),
    Rival("html", "selectolax, text", lambda text: lambda: _lexbor(text)),
    Rival("html", "the same, text by block", lambda text: lambda: _blocks_of_lexbor(text)),
    Rival("html", "main content: trafilatura", _trafilatura, MAIN),
    Rival("notebook", "json, joined", lambda text: lambda: _cells(text)),
    Rival("notebook", "json, and markdown-it-py on cells", _cells_by_markdown_it),
    Rival("markdown", "markdown-it-py", _markdown_it),
    Rival("rst", "docutils", _docutils, module="docutils"),
    Rival("json", "json, values without places", lambda text: lambda: json.loads(text)),
    Rival("json", "tree-sitter, a tree with places", _tree_sitter("json")),
    Rival("yaml", "PyYAML with libyaml, values without places", _yaml),
    Rival("yaml", "PyYAML with libyaml, nodes with places", _yaml_nodes),
    Rival("csv", "csv", lambda text: lambda: list(csv.reader(io.StringIO(text)))),
    Rival("python", "tree-sitter, a tree", _tree_sitter("python")),
)
WITHOUT_RIVAL = ("text", "latex", "subtitles", "chat")


def speed() -> None:
    """Each format in this process, beside its rival."""
    rows = []
    for rival in RIVALS:
        if rival.module and not find_spec(rival.module):
            rows.append(_alone(rival.format, f"{rival.name} is not installed"))
            continue
        data, run = source(rival.format), ours(rival.format, rival.params)
        mine, theirs, ratio = _raced(partial(run, data), rival.make(data))
        verdict = f"{ratio:.2f}", _verdict(ratio, SPEED)
        rows.append((rival.format, _kilobytes(data), rival.name, ms(theirs), ms(mine), *verdict))
    rows += [_alone(format, "none") for format in WITHOUT_RIVAL]
    head = ("format", "file", "theirs", "theirs takes", "ours takes", "ours ÷ theirs", f"≤ {SPEED:g}")
    table("Loading, in this process, by the processor's clock", head, rows)


def _alone(format: str, why: str) -> tuple[str, ...]:
    data, run = source(format), ours(format)
    return format, _kilobytes(data), why, "", ms(median(_busy(partial(run, data)) for _ in range(RUNS))), "", ""


def _kilobytes(data: str | bytes) -> str:
    return f"{_size(data) / 1000:,.0f} kB"


def _size(data: str | bytes) -> int:
    return len(data.encode() if isinstance(data, str) else data)


def _verdict(value: float, target: float) -> str:
    return "ok" if value <= target else f"missed by {value - target:.3g}"


def through_the_worker() -> None:
    """Measure the cost of a separate process: its start, its libraries, checking its answers."""
    rows = []
    for format in BINARY:
        data, run = source(format), ours(format)
        through = partial(isolated.parse, format, data, "made", ALL, None)
        whole, alone, ratio = paired(through, partial(run, data), RUNS)
        rows.append((format, ms(alone), ms(whole), ms(whole - alone), f"{ratio:.2f}"))
    head = ("format", "in this process", "through the worker", "added", "worker ÷ in this process")
    table("What the worker process adds", head, rows)


def growth() -> None:
    """Seconds of the processor for a file and for one ten times as large; exponent 1 is linear."""
    rows = []
    for format, (_, make) in files.TEXTS.items():
        run, small, large = ours(format), make(SMALL), make(LARGE)
        first, second = (
            min(_busy(partial(run, text)) for _ in range(times)) for text, times in ((small, 7), (large, 2))
        )
        exponent = math.log(second / first) / math.log(len(large) / len(small))
        rows.append((format, ms(first), ms(second), f"{exponent:.2f}", f"{len(large) / second / 1e6:.2f}"))
    head = ("format", f"{SMALL:,} characters", f"{LARGE:,}", "exponent", "million characters a second")
    table("Growth, in this process, by the processor's clock", head, rows)


def _raced(ours: Run, theirs: Run) -> tuple[float, float, float]:
    """Return the medians of both, run in turn, and of the ratios: by the processor's clock, which other programs do not
    move.
    """
    ours(), theirs()
    pairs = [(_busy(ours), _busy(theirs)) for _ in range(RUNS)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)


def _busy(run: Run) -> float:
    """Return the seconds of the processor."""
    start = time.process_time()
    run()
    return time.process_time() - start


def first_curve(folder: Path) -> None:
    """Time a long PDF from bytes to the data of the chart, in a fresh process."""
    path = folder / "long.pdf"
    found = _apart("first_curve", path)
    steps: dict[str, tuple[float, float]] = found["steps"]
    total, worked = (sum(column) for column in zip(*steps.values(), strict=True))
    rows = [(name, f"{taken:.2f} s", f"{busy:.2f} s", "") for name, (taken, busy) in steps.items()]
    rows.append(("in all", f"{total:.2f} s", f"{worked:.2f} s", _verdict(total, CURVE)))
    kept = steps[MODEL]
    rows.append(("without the model, which stays", f"{total - kept[0]:.2f} s", f"{worked - kept[1]:.2f} s", ""))
    what = f"{found['chars']:,} characters, {found['sentences']:,} sentences, {found['chunks']:,} chunks"
    table(
        f"A PDF of {PAGES} pages ({path.stat().st_size / 1e6:.1f} MB, {what}) from bytes to the first curve, embedding "
        f"apart (target ≤ {CURVE:g} s)",
        ("step", "by the clock", "of the processor", ""),
        rows,
    )
    print(f"  While it loaded, progress was told {found['told']:,} times, of {found['places']:,} different places.")


def large_files() -> Iterator[tuple[str, str, Callable[[], str | bytes]]]:
    """Yield title, file name and maker of what memory is measured on."""
    yield f"PDF, {PAGES} pages", "long.pdf", lambda: files.pdf(PAGES)
    yield "DOCX, 10 MB, pictures beside 8 MB of XML", "pictures.docx", lambda: files.large_docx(8_000_000, 10_000_000)
    yield "DOCX, 24 MB of XML, no pictures", "text.docx", lambda: files.large_docx(24_000_000)
    yield "EPUB, 5 MB, pictures beside 4 MB of XHTML", "pictures.epub", lambda: files.epub(4_000_000, 5_000_000)
    for title, name, format, size in (
        ("HTML", "large.html", "html", 5_000_000),
        ("CSV", "large.csv", "csv", 10_000_000),
        ("JSON", "large.json", "json", 10_000_000),
        ("plain text", "large.txt", "text", 10_000_000),
        ("Markdown", "large.md", "markdown", 10_000_000),
    ):
        yield title, name, partial(files.TEXTS[format][1], size)


def memory(folder: Path) -> None:
    """Each file in a process of its own; with the worker's, which reads binary formats, as if both peaked at once."""
    known = [(title, folder / name) for title, name, _ in large_files()]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda entry: _apart("peak", entry[1]), known))
    rows = []
    for (title, path), one in zip(known, found, strict=True):
        size = path.stat().st_size / 1e6
        peak = one["own_mb"] + one["worker_mb"]
        allowed = 10 * size + MEMORY
        parts = f"{one['base_mb']:.0f}", f"{one['own_mb']:.0f}", f"{one['worker_mb']:.0f}" if one["worker_mb"] else ""
        verdict = f"{allowed:.0f} MB", _verdict(peak, allowed)
        rows.append((title, f"{size:.1f} MB", *parts, f"{peak:.0f} MB", *verdict, f"{one['seconds']:.1f} s"))
    head = ("file", "size", "before", "this process", "worker", "peak", f"10 × size + {MEMORY:g} MB", "", "loads in")
    table("Peak memory of loading, Python and libraries counted", head, rows)


def _apart(module: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", f"benchmarks.{module}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{path.name}: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(*parts: str) -> None:
    """All of it, or the named parts."""
    wanted = parts or ("speed", "first", "memory", "growth")
    if "speed" in wanted:
        speed()
        through_the_worker()
    if "growth" in wanted:
        growth()
    if {"first", "memory"}.isdisjoint(wanted):
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _, file, make in large_files():
            if "memory" in wanted or file == "long.pdf":
                data = make()
                (folder / file).write_bytes(data.encode() if isinstance(data, str) else data)
        if "first" in wanted:
            first_curve(folder)
        if "memory" in wanted:
            memory(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
