"""Journals: files that keep each step of a run as it is done, so that an interrupted run continues.

The first line says what the run was made of; a run of anything else is refused. Every further line is a record. A line
that was not written to its end is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from chunking.errors import ChunkscopeError
from chunking.runtime import structured

Record = TypeVar("Record")


class JournalFile(Generic[Record]):
    """A journal that one run at a time uses.

    Args:
        path: of the file, which is made when a run begins; ``None`` to keep nothing on disk.
        head: what a run must have in common with the one that began the journal; ``format`` among it.
        contents: what the journal is of, for messages.
        parse: returns the record of a row; ``None`` if the row has another form.

    Attributes:
        path: of the file.
        records: those that were read, in order.

    Raises:
        ChunkscopeError: the file cannot be read, is no such journal, or that of another run.
    """

    def __init__(
        self,
        path: Path | None,
        head: Mapping[str, Any],
        contents: str,
        parse: Callable[[object], Record | None],
    ) -> None:
        self.path = path
        self.records: list[Record] = []
        self._head = dict(head)
        self._contents = contents
        self._size = 0
        if path is None:
            return
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._failure("read", error) from error
        self._read(data, parse)

    def _failure(self, what: str, error: OSError) -> ChunkscopeError:
        return ChunkscopeError(f"{self.path} cannot be {what}: {error.strerror or error}.", "Check its folder.")

    def _read(self, data: bytes, parse: Callable[[object], Record | None]) -> None:
        lines = data[: data.rfind(b"\n") + 1].splitlines(keepends=True)
        head = structured.json_or_none(lines[0]) if lines else {}
        if not lines:
            return
        if not isinstance(head, dict) or head.get("format") != self._head["format"]:
            raise ChunkscopeError(
                f"{self.path} is no journal of {self._contents}.", "Delete it, or name another output."
            )
        if differing := [name for name in self._head if head.get(name) != self._head[name]]:
            raise ChunkscopeError(
                f"{self.path} is of an interrupted run with other {', '.join(differing)}.",
                "Delete it to begin anew, or repeat the command of that run.",
            )
        self._size = len(lines[0])
        for line in lines[1:]:
            record = parse(structured.json_or_none(line))
            if record is None:
                return  # what follows is written anew
            self._size += len(line)
            self.records.append(record)

    def begin(self) -> None:
        """Write the first line, if it is not there yet.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        if not self._size:
            self._write(self._head)

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row to the disk.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        self.begin()
        self._write(row)

    def _write(self, row: Mapping[str, Any]) -> None:
        if self.path is None:
            return
        data = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
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
        if self.path is not None:
            self.path.unlink(missing_ok=True)
