"""All outputs that are recorded: a file each, below ``recorded/``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path

from tests.golden import commands, segmentations
from tests.golden.corpus import OTHERS, GoldenDocument, golden_documents
from tests.golden.engine import engine_text
from tests.node import Ask

RECORDED = Path(__file__).parent / "recorded"

IN_FULL = ("boat-shed-manual.pdf", "ferry-interview.srt", "gauge.py", "tide-mill.html", "workshop-rules.md")
"""Documents beside the samples of which everything is recorded; of the others, what their format decides."""

LIMIT = 1_000_000
"""Bytes of all files together."""

RETRIEVALS = {
    "retrievers": ("--strategies", "structural", "--retriever", "dense,bm25,hybrid", "--budget", "500"),
    "strategies": ("--strategies", "structural:max_tokens=256;embed=headings,recursive", "--top-k", "3"),
}
"""Evaluations of retrieval, by the name of their file."""

Output = Callable[[], str]


def is_in_full(document: GoldenDocument) -> bool:
    """Return whether everything is recorded of a document, and not what its format decides alone."""
    return document.is_sample or document.name in IN_FULL


def document_outputs(document: GoldenDocument, ask: Ask) -> Iterator[tuple[Path, Output]]:
    """Yield the file of each output of a document, and what computes it."""
    folder = RECORDED / document.folder
    in_full = is_in_full(document)
    settings = segmentations.recorded_settings() if in_full else segmentations.own_strategies()
    yield folder / "split.txt", partial(segmentations.split_text, document, settings)
    yield folder / "signals.txt", partial(commands.signals_text, document)
    if in_full:
        yield folder / "explain.txt", partial(segmentations.explain_text, document)
        yield folder / "compare.json", partial(commands.compare_text, document)
        yield folder / "check.txt", partial(commands.check_text, document)
        yield folder / "suggest.json", partial(commands.suggest_text, document)
        yield folder / "exports.txt", partial(commands.exports_text, document)
        yield folder / "engine.txt", partial(engine_text, document, ask)


def peer_outputs(document: GoldenDocument, names: Sequence[str]) -> Iterator[tuple[Path, Output]]:
    """Yield the same of strategies of other libraries, for the documents of which everything is recorded."""
    for name in names if is_in_full(document) else ():
        yield RECORDED / document.folder / "peers" / f"{name}.txt", partial(segmentations.peer_text, document, name)


def common_outputs(folder: Path) -> Iterator[tuple[Path, Output]]:
    """Yield the same of what belongs to no single document.

    Args:
        folder: where a data set can be written.
    """
    yield RECORDED / "strategies.json", commands.strategies_text
    yield RECORDED / "settings.toml", commands.settings_text
    for granularity in ("default", "gold"):
        yield (
            RECORDED / f"evaluate-segmentation-{granularity}.json",
            partial(commands.evaluate_segmentation_text, folder, granularity),
        )
    for name, words in RETRIEVALS.items():
        yield RECORDED / f"evaluate-retrieval-{name}.json", partial(commands.evaluate_retrieval_text, *words)


def all_outputs(folder: Path, ask: Ask) -> Iterator[tuple[Path, Output]]:
    """Yield the file of every output, and what computes it."""
    yield from common_outputs(folder)
    for document in golden_documents():
        yield from document_outputs(document, ask)
        yield from peer_outputs(document, segmentations.installed_peers())


def stale_files(outputs: AbstractSet[Path]) -> list[Path]:
    """Return the recorded files that are none of the outputs; those of libraries that are not installed stay."""
    absent = {f"{name}.txt" for name in segmentations.absent_peers()}
    files = (path for path in RECORDED.rglob("*") if path.is_file())
    return sorted(path for path in files if path not in outputs and path.name not in absent)


def recorded_bytes() -> int:
    """Return the size of all that is recorded, with the documents."""
    return sum(path.stat().st_size for folder in (RECORDED, OTHERS) for path in folder.rglob("*") if path.is_file())
