"""Files of other programs and of our own: documents parsed elsewhere, checks of a document, settings files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from benchmarks import made
from benchmarks.timing import ms, paired, seconds, table
from chunking import checks, strategies
from chunking.loading import load
from chunking.settings import settings_toml
from chunking.settings.settings_file import SettingsFile, read_settings

SIZES = (500, 1_000, 2_000, 4_000)
PAGE = 12
"""Paragraphs of a page."""


def paragraphs(count: int) -> list[str]:
    """Return the paragraphs of a made document."""
    return [each for each in made.text(count).split("\n\n") if each.strip()]


def docling(parts: list[str]) -> bytes:
    """Return the paragraphs as a DoclingDocument with a page and a box each."""
    texts: list[dict[str, Any]] = [
        {
            "self_ref": f"#/texts/{place}",
            "parent": {"$ref": "#/body"},
            "children": [],
            "label": "section_header" if part.startswith("#") else "text",
            "text": part.lstrip("# "),
            "orig": part,
            "prov": [
                {
                    "page_no": place // PAGE + 1,
                    "bbox": {"l": 50, "t": 700 - 50 * (place % PAGE), "r": 500, "b": 660 - 50 * (place % PAGE)},
                    "charspan": [0, len(part)],
                }
            ],
        }
        for place, part in enumerate(parts)
    ]
    pages = {
        str(number): {"page_no": number, "size": {"width": 595, "height": 842}}
        for number in range(1, len(parts) // PAGE + 2)
    }
    body = {"self_ref": "#/body", "children": [{"$ref": each["self_ref"]} for each in texts], "label": "unspecified"}
    whole = {"schema_name": "DoclingDocument", "version": "1.7.0", "name": "made", "body": body, "texts": texts}
    return json.dumps(whole | {"pages": pages, "groups": [], "tables": [], "pictures": []}).encode()


def unstructured(parts: list[str]) -> bytes:
    """Return the paragraphs as elements of Unstructured."""
    rows = [
        {
            "type": "Title" if part.startswith("#") else "NarrativeText",
            "element_id": str(place),
            "text": part.lstrip("# "),
            "metadata": {"page_number": place // PAGE + 1},
        }
        for place, part in enumerate(parts)
    ]
    return json.dumps(rows).encode()


def mineru(parts: list[str]) -> bytes:
    """Return the paragraphs as a content list of MinerU."""
    rows = [
        {"type": "text", "text": part.lstrip("# "), "page_idx": place // PAGE, "bbox": [100, 100, 900, 200]}
        | ({"text_level": 1} if part.startswith("#") else {})
        for place, part in enumerate(parts)
    ]
    return json.dumps(rows).encode()


def marker(parts: list[str]) -> bytes:
    """Return the paragraphs as paginated Markdown of Marker."""
    pages = [parts[start : start + PAGE] for start in range(0, len(parts), PAGE)]
    return "".join(f"\n\n{{{at}}}{'-' * 48}\n\n" + "\n\n".join(page) for at, page in enumerate(pages)).encode()


EXPORTS: dict[str, tuple[str, Callable[[list[str]], bytes]]] = {
    "docling": ("made.json", docling),
    "unstructured": ("made.json", unstructured),
    "mineru": ("made.json", mineru),
    "marker": ("made.md", marker),
}


def imports() -> None:
    """Time the loading of a parsed document beside Markdown of the same words, and its growth."""
    rows = []
    for name, (file, write) in EXPORTS.items():
        times, ratios = [], []
        for count in SIZES:
            parts = paragraphs(count)
            data, plain = write(parts), "\n\n".join(parts).encode()
            found = load(data, file, language="en")
            assert found.format == name and found.pages is not None, found.format
            taken, _, ratio = paired(
                lambda data=data, file=file: load(data, file, language="en"),  # type: ignore[misc]
                lambda plain=plain: load(plain, "made.md", language="en"),  # type: ignore[misc]
                3,
            )
            times.append(taken)
            ratios.append(ratio)
        growth = [math.log(large / small) / math.log(2) for small, large in pairwise(times)]
        rows.append((name, ms(times[-1]), f"{ratios[-1]:.1f}", ", ".join(f"{each:.2f}" for each in growth)))
    heads = ("exported by", f"{SIZES[-1]:,} sentences", "÷ Markdown of the same words", "exponents of time")
    table("Opening documents that another program has parsed", heads, rows)


def checking() -> None:
    """Time the checks of a document beside cutting it, with every rule and with those that need no vectors."""
    light = [kind for kind in checks.KINDS if kind not in ("mixed", "unread")]
    rows = []
    for count in SIZES:
        workspace = made.workspace(count)
        made_of = strategies.run("structural", workspace)
        _, cut, every = paired(
            lambda found=made_of, workspace=workspace: checks.check(found, workspace),  # type: ignore[misc]
            lambda workspace=workspace: strategies.run("structural", workspace),  # type: ignore[misc]
        )
        taken = seconds(lambda found=made_of, workspace=workspace: checks.check(found, workspace, kinds=light))  # type: ignore[misc]
        rows.append((f"{count:,}", f"{every:.1f}", f"{taken / cut:.1f}", f"{1e6 * taken / count:,.0f} µs"))
    heads = ("sentences", "every rule ÷ cutting", "rules without vectors ÷ cutting", "those, a sentence")
    table("Checking a document", heads, rows)


def settings() -> None:
    """Time settings files by the number of their settings."""
    rows = []
    for count in (1, 10, 100):
        lines = ",".join(f"s{number}=structural:percentile={50 + number / 4}" for number in range(count))
        file = SettingsFile(strategies.parse_named(lines))
        data = settings_toml(file).encode()
        write = seconds(lambda file=file: settings_toml(file))  # type: ignore[misc]
        read, _, ratio = paired(
            lambda data=data: read_settings(data, "made.toml"),  # type: ignore[misc]
            lambda lines=lines: strategies.parse_named(lines),  # type: ignore[misc]
        )
        rows.append((count, ms(write), ms(read), f"{ratio:.1f}"))
    table("Settings files", ("settings", "write", "read", "read ÷ parsing the same lines"), rows)


def main() -> None:
    """All of it."""
    imports()
    checking()
    settings()
