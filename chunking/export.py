"""Exports: chunks and gaps as rows, and a setting as Python code that gives the same spans."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from chunking.chunks import Chunk
from chunking.explain import verdicts
from chunking.strategies.base import Segmentation
from chunking.workspace import Tools

Row = dict[str, Any]


def chunk_row(chunk: Chunk) -> Row:
    """A chunk as the command line prints it."""
    return {
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "overlap": {"start": chunk.overlap.start, "end": chunk.overlap.end} if chunk.overlap else None,
        "tokens": chunk.tokens,
        "heading_path": list(chunk.heading_path),
        "cut": {"reason": chunk.cut.reason, "score": chunk.cut.score, "threshold": chunk.cut.threshold}
        if chunk.cut
        else None,
    }


def chunk_rows(segmentation: Segmentation) -> list[Row]:
    """All chunks, in order."""
    return [chunk_row(chunk) for chunk in segmentation.chunks]


def gap_rows(segmentation: Segmentation) -> Iterator[Row]:
    """All gaps, in order; ``boundary`` is what came out after the limits."""
    signals = segmentation.signals
    if signals is None:
        return
    spans = signals.sentences.spans.tolist()
    names = [feature.name for feature in signals.structure.features] if signals.structure else []
    for gap, verdict in enumerate(verdicts(segmentation)):
        values = signals.structure.values[gap].tolist() if signals.structure else []
        yield {
            "gap": gap,
            "offset": int(signals.offsets[gap]),
            "left": spans[gap],
            "right": spans[gap + 1],
            "semantic": float(signals.semantic[gap]),
            "structural": float(signals.structural[gap]),
            "structural_raw": float(signals.structural_raw[gap]),
            "fused": float(signals.fused[gap]),
            "threshold": signals.threshold.value,
            "boundary": verdict in ("cut", "forced"),
            "features": dict(zip(names, values, strict=True)),
        }


def limit_lines(segmentation: Segmentation) -> Iterator[str]:
    """What the limits did, a line each: cuts taken away, and what each chunk's notes say."""
    for cut in segmentation.suppressed:
        place = f"gap {cut.gap} at {cut.offset}" if cut.gap is not None else f"offset {cut.offset}"
        yield f"the cut of {place} was taken away by the minimum"
    for chunk in segmentation.chunks:
        for note in chunk.notes:
            yield f"chunk {chunk.index}: {note}"


def jsonl(rows: Iterable[Row]) -> str:
    """A JSON object a line, in UTF-8 without escapes."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


GAP_COLUMNS = (
    *("gap", "offset", "left_start", "left_end", "right_start", "right_end", "semantic", "structural"),
    *("structural_raw", "fused", "threshold", "boundary"),
)
"""Columns of the table of gaps, before those of the features."""

CHUNK_COLUMNS = (
    *("index", "start", "end", "text", "overlap_start", "overlap_end", "tokens", "heading_path"),
    *("cut_reason", "cut_score", "cut_threshold"),
)
"""Columns of the table of chunks."""


def table(rows: Sequence[Row], empty: Sequence[str]) -> str:
    """CSV with a header; nested values are spread over columns (``overlap_start``, ``cut_reason``, …).

    Args:
        rows: what to write.
        empty: the columns where there is no row.
    """
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row)) or list(empty)
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in flat)
    return out.getvalue()


def _flat(row: Row) -> Row:
    flat: Row = {}
    for name, value in row.items():
        if name in ("overlap", "cut"):
            keys = ("start", "end") if name == "overlap" else ("reason", "score", "threshold")
            flat |= {f"{name}_{key}": (value or {}).get(key) for key in keys}
        elif name in ("left", "right"):
            flat |= {f"{name}_start": value[0], f"{name}_end": value[1]}
        elif isinstance(value, dict):
            flat |= value
        elif isinstance(value, list):
            flat[name] = " › ".join(value)
        else:
            flat[name] = value
    return flat


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula is led by an apostrophe, which makes it text there."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def python_code(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """A program that makes the same chunks from the file at ``path``."""
    changed = segmentation.params.changed()
    kind = type(segmentation.params)
    arguments = "".join(f"    {name}={value!r},\n" for name, value in changed.items())
    used = {name: value for name, value in vars(tools).items() if value != getattr(Tools(), name)}
    setting = ", ".join(f"{name}={value!r}" for name, value in used.items())
    language = segmentation.document.language
    return f'''"""Chunks of a document, as Chunkscope showed them. Run it in the folder that holds ``chunking``."""

from pathlib import Path

from chunking import load, run
from {kind.__module__} import {kind.__name__}
from chunking.workspace import Tools, Workspace

path = Path({path!r})
document = load(path.read_bytes(), path.name, language={language!r})
params = {kind.__name__}({chr(10) + arguments if arguments else ""})
result = run({segmentation.strategy!r}, Workspace(document, Tools({setting})), params)

for chunk in result.chunks:
    print(chunk.start, chunk.end, chunk.tokens, repr(chunk.text[:60]))
'''


def command_line(segmentation: Segmentation, tools: Tools, path: str) -> str:
    """The command that prints the same chunks from the file at ``path``."""
    params = segmentation.params
    options = [f"-p {name}={params.lookup(name).format(value)}" for name, value in params.changed().items()]
    options += [f"--{name} {value}" for name, value in vars(tools).items() if value != getattr(Tools(), name)]
    path = f"./{path}" if path.startswith("-") else path
    words = [f"python -m chunking split {shlex.quote(path)}", f"--strategy {segmentation.strategy}", *options]
    words.append(f"--language {segmentation.document.language}")
    return " ".join(words)
