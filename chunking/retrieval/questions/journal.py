"""The journal of a run that generates questions: what came of each passage, see :mod:`chunking.runtime.journal`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunking.runtime.journal import JournalFile

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
    """A journal of passages as a file, which one run at a time uses.

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
        self._file = JournalFile(path, {"format": FORMAT, **made_of}, "generated questions", _record)
        self.records = {(record.document, record.start, record.end): record for record in self._file.records}

    def add(self, record: PassageRecord) -> None:
        """Write what came of a passage to the disk.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        self._file.append(
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
        self._file.begin()

    def remove(self) -> None:
        """Delete the file, if there is one."""
        self._file.remove()


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
