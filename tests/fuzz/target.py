"""One input through a loader, and what must hold of what comes out."""

from __future__ import annotations

import re
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.isolation import USUAL, child, codec
from chunking.loading import FORMATS, format_of, isolated, load
from chunking.loading.language import detect

HANDLED = ("MemoryError", "RecursionError", "TooMuch")
"""What a parser of a binary format may raise, since the process around it makes a message of it."""

_NUMBERS = re.compile(r"\d+")


class Outcome(NamedTuple):
    """What became of an input.

    Attributes:
        failure: empty, or what went wrong and where: the same for the same fault.
        shape: what kind of result it was; an input that gives a new one is worth keeping.
        seconds: how long it took.
        detail: of a failure, for people.
    """

    failure: str
    shape: str
    seconds: float
    detail: str = ""


def check(document: Document) -> None:
    """What :mod:`chunking.document` promises of any document.

    Raises:
        WireError, AssertionError: it does not hold.
    """
    isolated.check(codec.decode(codec.encode(document), Document))
    assert re.fullmatch("[a-z]{2,3}", document.language), f"language {document.language!r}"
    assert document.format in FORMATS, f"format {document.format!r}"
    if document.origin:
        for place in document.origin.places(0, len(document.text)):
            assert 0 <= place.start <= place.end, f"a place {place}"
    if document.pages:
        assert len(document.pages.of(0, len(document.text))) <= len(document.pages)
    for block in document.blocks[:50]:
        assert isinstance(document.heading_path(block.start), tuple)
    assert document.key


def run(data: bytes, name: str) -> Outcome:
    """Load a file as the app does, but for the process around a binary format's parser."""
    started = time.perf_counter()
    failure, shape, detail = "", "", ""
    try:
        document = loaded(data, name)
        check(document)
        shape = _shape(document)
    except ChunkscopeError as error:
        shape = _NUMBERS.sub("", error.problem.replace(name, ""))[:60]
        if not error.problem or not error.remedy:
            failure, detail = "an error without words", repr(error)
    except Exception as error:
        failure, detail = _place(error), "".join(traceback.format_exception(error))[-4000:]
        if format_of(data, name).kind == "binary" and type(error).__name__ in HANDLED:
            failure, shape = "", type(error).__name__
    return Outcome(failure, shape, time.perf_counter() - started, detail)


def loaded(data: bytes, name: str) -> Document:
    """What :func:`chunking.loading.load` gives, without a process of its own for a binary format."""
    document: Document = codec.decode(codec.encode(load(data, name, parse=isolated.parse_here)), Document)
    isolated.check(document)
    return document


def lock() -> None:
    """Give this process no more than a parser's gets, but for its time."""
    for module in isolated.PARSERS:
        import_module(f"chunking.loading.binary.{module}")
    detect("Boil water. Wait a little.")  # its model is unpacked to a file for a moment, once
    child.restrict(USUAL.memory + 256 * 2**20, cpu=100_000, wall=100_000)


def _shape(document: Document) -> str:
    kinds = sorted({f"{block.kind}{min(block.level, 3)}" for block in document.blocks})
    notes = sorted({_NUMBERS.sub("", note)[:40] for note in document.notes})
    return " ".join((document.format, *kinds, str(len(document.blocks).bit_length()), *notes))


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "chunking" in Path(frame.filename).parts] or frames
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(error).__name__} at {where}: {_NUMBERS.sub('', str(error))[:60]}"
