"""Events as lines of JSON, as an archive of a library has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import fields, replace
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.reference.events import Event
from chunking.runtime import structured
from chunking.runtime.structured import SizeLimit, StructureError
from chunking.store.database.tables import decode_text, encode_text

LIMIT = SizeLimit(64 * 2**20, 16_000_000)
"""Limit of a file of events."""

LINE_LIMIT = 64 * 2**10
"""Limit of the bytes of an event."""

MOST_EVENTS = 200_000
"""Limit of the events in a file."""

_TEXTS = tuple(
    field.name for field in fields(Event) if field.name not in ("action", "offset", "target", "blind", "decides")
)


def dump(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield the line of each event."""
    for event in events:
        yield structured.encode(_with_texts(event, encode_text)) + b"\n"


def read(data: bytes, documents: Set[str]) -> list[Event]:
    """Return the events of some documents.

    Args:
        data: the whole file, in which everything may be wrong.
        documents: hashes of the texts; events of others are left out.

    Raises:
        ChunkscopeError: a line is no event, or the file is too large.
    """
    found: list[Event] = []
    try:
        for event in structured.decode_lines(data, Event, LIMIT, LINE_LIMIT):
            if event.document in documents:
                found.append(_with_texts(event, decode_text))
            if len(found) > MOST_EVENTS:
                raise StructureError(f"they are more than {MOST_EVENTS:,}")
    except StructureError as error:
        raise ChunkscopeError(
            f"The reviews in the archive are damaged or too large: {error}.", "Export the library again."
        ) from error
    return found


def _with_texts(event: Event, change: Callable[[str], str]) -> Event:
    texts: dict[str, Any] = {name: change(getattr(event, name)) for name in _TEXTS}
    return replace(event, **texts)
