"""Results of checks in the Static Analysis Results Interchange Format (SARIF) 2.1.0, which code hosts show."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from chunking import __version__
from chunking.checks.places import FilePlace
from chunking.checks.reports.contract import CheckedDocument, CheckRun
from chunking.checks.rules import Violation
from chunking.export import encodable
from chunking.runtime.patterns import compile_pattern

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LINK = compile_pattern(r"[\\\[\]]")
"""What begins, ends or escapes a link in a message."""


def sarif_text(run: CheckRun) -> str:
    """Return a log of one run, with a result for each violation."""
    places = {rule.name: place for place, rule in enumerate(run.rules)}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(run)},
                "columnKind": "unicodeCodePoints",
                "artifacts": [{"location": {"uri": _uri(document.path)}} for document in run.documents],
                "results": [
                    _result(document, number, each, place, places[each.rule.name])
                    for number, document in enumerate(run.documents)
                    for each, place in document.violations
                ],
            }
        ],
    }
    return encodable(json.dumps(log, ensure_ascii=False, indent=2)) + "\n"


def _driver(run: CheckRun) -> dict[str, Any]:
    return {
        "name": "Chunkscope",
        "semanticVersion": __version__,
        "rules": [
            {"id": rule.name, "shortDescription": {"text": rule.text}, "defaultConfiguration": {"level": rule.level}}
            for rule in run.rules
        ],
    }


def _result(document: CheckedDocument, number: int, each: Violation, place: FilePlace, rule: int) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": _uri(document.path), "index": number}}
    # A line of a cell is no line of its file.
    if place.line and not place.part:
        where["region"] = {"startLine": place.line, "startColumn": place.column}
    part = f" ({place})" if place.part else ""
    return {
        "ruleId": each.rule.name,
        "ruleIndex": rule,
        "level": each.rule.level,
        "message": {"text": _plain(f"{each.rule.text} Chunk {each.chunk}{part}: {each.message}.")},
        "locations": [{"physicalLocation": where}],
        "properties": {"chunk": each.chunk, "start": each.start, "end": each.end, "offset": each.offset},
    }


def _plain(text: str) -> str:
    """Return a message in which no word of a document makes a link."""
    return _LINK.sub(lambda found: f"\\{found[0]}", text)


def _uri(path: str) -> str:
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(path)
