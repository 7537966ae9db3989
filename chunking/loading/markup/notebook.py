"""Jupyter notebooks (nbformat 2 to 4): the cells and their outputs, as one text.

The text consists of the cells in order, with a blank line between two of them and each output after its cell. Nothing
is run; attachments and metadata are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chunking.document import Block, BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.embedded_files import EMBEDDED_FILE, copy_without_files, remarks
from chunking.loading.markup.layout import whole
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import markdown
from chunking.loading.writer import DocumentWriter
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.surrogates import replace_surrogates
from chunking.runtime.wording import plural

MAX_OUTPUT = 20_000
"""Maximum length of an output in the text, in characters."""

_TERMINAL = compile_pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07)")
"""Terminal escape sequences, such as colours."""

_OBJECT = compile_pattern(r"<[^\n]*>")
"""The representation of an object without a text form: ``<Figure size 640x480 with 1 Axes>``."""

_OLD_NAMES = {
    "text": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg",
    "latex": "text/latex", "markdown": "text/markdown", "javascript": "application/javascript",
}  # fmt: skip

_REMEDY = "Open it in Jupyter, save it there, and load it again."


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read a notebook.

    Markdown cells have their blocks, all other cells are code. So are their outputs, if they are text (printed,
    a result, an error); images, HTML and outputs longer than :data:`MAX_OUTPUT` are excluded.

    Returns:
        Blocks and an origin whose parts are the cells and outputs by name (``"cell 3, output 1"``).

    Raises:
        ChunkscopeError: it is not JSON, or has no cells.
    """
    writer = _NotebookWriter()
    for number, cell in enumerate(_cells(text, name), 1):
        writer.cell(cell, f"cell {number}")
    return writer.parsed(tuple(writer.remarks()))


def _cells(text: str, name: str) -> list[Any]:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        # Not only invalid JSON: numbers of thousands of digits and endless nesting too.
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise ChunkscopeError(f"“{name}” is not a notebook: it is invalid JSON{where}.", _REMEDY) from error
    if isinstance(notebook, dict):
        cells = notebook.get("cells")
        if cells is None and isinstance(notebook.get("worksheets"), list):
            sheets = [sheet.get("cells") for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
            cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
        if isinstance(cells, list):
            return cells
    raise ChunkscopeError(f"“{name}” is not a notebook: it has no list of cells.", _REMEDY)


def _string(value: Any) -> str | None:
    """Return a text, which notebooks store whole or as a list of lines; ``None`` for anything else."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    return replace_surrogates(value) if isinstance(value, str) else None


@dataclass
class _NotebookWriter(DocumentWriter):
    """A writer that joins cells and outputs to a text.

    Attributes:
        broken: number of cells and outputs that could not be read.
    """

    unit: str = "characters of the cell"
    broken: int = 0

    def cell(self, cell: Any, part: str) -> None:
        """Add a cell and its outputs."""
        if not isinstance(cell, dict):
            self.broken += 1
            return
        kind = cell.get("cell_type")
        source = _string(cell.get("source", cell.get("input", "")))
        if source is None:
            self.broken += 1
        elif kind == "heading":
            self._add_whole("heading", source, part, whole(cell.get("level"), 1, 6) or 1)
        elif kind == "markdown":
            self._markdown(source, part)
        else:
            self._add_whole("code", source, part)
        outputs = cell.get("outputs") or []
        if not isinstance(outputs, list):
            self.broken += 1
            return
        for number, output in enumerate(outputs, 1):
            self._output(output, f"{part}, output {number}")

    def remarks(self) -> Iterator[str]:
        """Yield remarks about what was left out."""
        if self.broken:
            what = plural(self.broken, "cell or output", "cells or outputs")
            yield f"{what} could not be read and {'was' if self.broken == 1 else 'were'} left out."
        yield from remarks(self.aside)
        count = len({self.parts[aside.part].split(" (")[0] for aside in self.aside if aside.kind != EMBEDDED_FILE})
        if count:
            what = plural(count, "output is", "outputs are")
            yield f"{what} excluded, in whole or in part: images, HTML, and text that is too long."

    def _add(self, source: str, part: str) -> tuple[int, str]:
        """Add a text; return its start and what was added, which is empty if it is blank.

        Bytes of embedded files are left out.
        """
        piece = source.rstrip()
        if not piece:
            return 0, ""
        skipped = len(source) - len(source.lstrip("\r\n"))
        piece = piece[skipped:]
        if self.length:
            self.append("\n\n")
        start = self.length
        return start, copy_without_files(self, piece, self.add_part(part, source), skipped)

    def _add_whole(self, kind: BlockKind, source: str, part: str, level: int = 0) -> None:
        """Add a text as one block."""
        start, piece = self._add(source, part)
        if piece:
            start += len(piece) - len(piece.lstrip())
            self.blocks.append(Block(kind, start, self.length, level))

    def _markdown(self, source: str, part: str) -> None:
        start, piece = self._add(source, part)
        self.add_blocks(markdown.blocks(piece), start)

    def _output(self, output: Any, part: str) -> None:
        bundle = dict(_displayed_data(output)) if isinstance(output, dict) else {}
        if not bundle:
            self.broken += 1
            return
        words = bundle.get("text/markdown") or bundle.get("text/plain") or bundle.get("text/latex") or ""
        other = [kind for kind in bundle if kind == "text/html" or kind.startswith("image/")]
        if len(words) > MAX_OUTPUT:
            self._exclude_output(words, part)
        elif other and _OBJECT.fullmatch(words.strip()):
            pass
        elif "text/markdown" in bundle and words:
            self._markdown(words, part)
        else:
            self._add_whole("code", words, part)
        for kind in other:
            is_text = kind in ("text/html", "image/svg+xml")
            self._exclude_output(bundle[kind] if is_text else f"[{kind}]", f"{part} ({kind})")

    def _exclude_output(self, words: str, part: str) -> None:
        if words.strip():
            self.exclude("output", words, self.add_part(part, words))


def _displayed_data(output: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the displayed data of an output, with its media type."""
    kind = output.get("output_type")
    if kind in ("stream", "error", "pyerr"):
        words = _string(output.get("text")) if kind == "stream" else _error(output)
        if words is not None:
            yield "text/plain", _TERMINAL.sub("", words)
        return
    data = output.get("data")
    if not isinstance(data, dict):
        data = {_OLD_NAMES[name]: value for name, value in output.items() if name in _OLD_NAMES}
    for name, value in data.items():
        words = _string(value)
        if words is not None:
            yield name, _TERMINAL.sub("", words) if name == "text/plain" else words


def _error(output: dict[str, Any]) -> str | None:
    trace = output.get("traceback")
    if isinstance(trace, list) and trace and all(isinstance(line, str) for line in trace):
        return _string("\n".join(trace))
    words = [value for value in (_string(output.get("ename")), _string(output.get("evalue"))) if value]
    return ": ".join(words) or None
