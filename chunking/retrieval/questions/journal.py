"""The journal of a run that generates questions: what came of each passage, so that an interrupted run continues.

The first line says what the run was made of; a run of anything else is refused. Every further line is a passage. A line
that was not written to its end is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.runtime import structured

FORMAT = "chunkscope-questions/1"


@dataclass(frozen=True)
class PassageRecord:
    """What came of a passage.

    Attributes:
        document: name of its document.
        start, end: half-open span of the document's text.
        questions: text, start and end of the answer in the document.
        left_out: what was dropped, by the reason.
    """

    document: str
    start: int
    end: int
    questions: tuple[tuple[str, int, int], ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


class Journal:
    """A journal as a file, which one run at a time uses.

    Args:
        path: of the file; it is made when a run begins.
        made_of: what a run must have in common with the one that began it.

    Attributes:
        path: of the file.
        records: by document, start and end of the passage.

    Raises:
        ChunkscopeError: the file cannot be read, is no journal, or that of another run.
    """

    def __init__(self, path: Path, made_of: Mapping[str, Any]) -> None:
        self.path = path
        self.records: dict[tuple[str, int, int], PassageRecord] = {}
        self._head = {"format": FORMAT, **made_of}
        self._size = 0
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._failure("read", error) from error
        self._read(data)

    def _failure(self, what: str, error: OSError) -> ChunkscopeError:
        return ChunkscopeError(f"{self.path} cannot be {what}: {error.strerror or error}.", "Check its folder.")

    def _read(self, data: bytes) -> None:
        lines = data[: data.rfind(b"\n") + 1].splitlines(keepends=True)
        head = structured.json_or_none(lines[0]) if lines else {}
        if not lines:
            return
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise ChunkscopeError(
                f"{self.path} is no journal of generated questions.", "Delete it, or name another output."
            )
        if differing := [name for name in self._head if head.get(name) != self._head[name]]:
            raise ChunkscopeError(
                f"{self.path} is of an interrupted run with other {', '.join(differing)}.",
                "Delete it to begin anew, or repeat the command of that run.",
            )
        self._size = len(lines[0])
        for line in lines[1:]:
            record = _record(structured.json_or_none(line))
            if record is None:
                return  # what follows is written anew
            self._size += len(line)
            self.records[record.document, record.start, record.end] = record

    def add(self, record: PassageRecord) -> None:
        """Write what came of a passage to the disk.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        self.begin()
        self._append(
            {
                "passage": [record.document, record.start, record.end],
                "questions": [list(question) for question in record.questions],
                "left_out": dict(record.left_out),
            }
        )
        self.records[record.document, record.start, record.end] = record

    def begin(self) -> None:
        """Write the first line, if it is not there yet.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        if not self._size:
            self._append(self._head)

    def _append(self, row: Mapping[str, Any]) -> None:
        data = json.dumps(row).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "r+b" if self._size else "wb") as file:
                file.truncate(self._size)
                file.seek(self._size)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._failure("written", error) from error
        self._size += len(data)

    def remove(self) -> None:
        """Delete the file, if there is one."""
        self.path.unlink(missing_ok=True)


def _record(row: object) -> PassageRecord | None:
    """Return the passage of a row; ``None`` if it has another form."""
    try:
        document, start, end = row["passage"]  # type: ignore[index]
        questions = tuple((text, low, high) for text, low, high in row["questions"])  # type: ignore[index]
        left_out = {str(reason): int(count) for reason, count in row["left_out"].items()}  # type: ignore[index]
    except (TypeError, KeyError, ValueError, AttributeError):
        return None
    numbers = [start, end, *(number for _, low, high in questions for number in (low, high))]
    texts = [document, *(text for text, _, _ in questions)]
    if not all(isinstance(number, int) for number in numbers) or not all(isinstance(text, str) for text in texts):
        return None
    return PassageRecord(document, start, end, questions, left_out)
