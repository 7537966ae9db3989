"""What the browser's engine computes for twenty settings of a document, as text."""

from __future__ import annotations

import json
import re
from typing import Any

from chunking import compare
from tests.golden.corpus import GoldenDocument
from tests.golden.segmentations import DRIVERS
from tests.golden.text import CURVE_DECIMALS, number, short, wrapped
from tests.node import Ask

MOVES: dict[str, dict[str, tuple[float, ...]]] = {
    "structural": {
        "alpha": (0, 0.2, 0.45, 0.8, 1),
        "amount": (60, 95, 80, 90, 70),
        "overlap": (0, 1, 2, 0, 3),
    },
    "structural:threshold=standard_deviation;deviations=1;max_tokens=150": {
        "alpha": (1, 0.7, 0.5, 0.25, 0),
        "amount": (0.5, 1, 1.5, 2, 3),
        "overlap": (1, 0, 2, 1, 0),
    },
    "percentile:window=0;percentile=80;min_tokens=20": {
        "amount": (50, 70, 85, 95, 99),
        "overlap": (0, 2, 0, 1, 0),
    },
    "changepoint": {
        "alpha": (0.35, 0.35, 0.1, 0.6, 1),
        "fineness": (-1, 1, 0, 0, 0),
        "overlap": (0, 1, 0, 2, 0),
    },
}
"""The settings from which controls are moved, and the values that they are moved to, five for each control."""

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def engine_text(document: GoldenDocument, ask: Ask) -> str:
    """Return the chunks that the script of an exported page computes: their starts, reasons and overlaps."""
    page = compare(document.document, list(MOVES), document.workspace.tools)
    match = _DATA.search(page.html)
    assert match is not None
    data = json.loads(match[1])
    sections = []
    for lane, (line, controls) in enumerate(MOVES.items()):
        sections.append(f"## {line}")
        movable = {control["key"] for control in data["lanes"][lane]["controls"] if not control["reason"]}
        for values in zip(*controls.values(), strict=True):
            moved = {key: value for key, value in zip(controls, values, strict=True) if key in movable}
            answer = ask("segmentation", page=data, lane=lane, moved=moved)
            sections += _lines(moved, answer)
    return "\n".join(sections) + "\n"


def _lines(moved: dict[str, float], answer: dict[str, Any]) -> list[str]:
    setting = " ".join(f"{key}={value:g}" for key, value in moved.items()) or "as it is"
    threshold = answer["threshold"]
    chunks = [_chunk(chunk) for chunk in answer["chunks"]]
    value = "none" if threshold is None else number(threshold, CURVE_DECIMALS)
    return [f"# {setting}: threshold {value}, {len(answer['exceeding'])} gaps above it", wrapped(chunks, " | ", "")]


def _chunk(chunk: dict[str, Any]) -> str:
    parts = [str(chunk["start"]), DRIVERS[chunk["driver"]] if chunk["driver"] else chunk["why"]]
    parts += [f"+{chunk['overlapTokens']}"] if chunk["overlapTokens"] else []
    return " ".join([part for part in parts if part] + [f"({short(note)})" for note in chunk["notes"]])
