"""What the browser may still show of each control, and hence what a value that it reports means.

The server owns the value of every control. The browser reports the values of all controls with each interaction, and
what it reports may be older than what the server last sent: a value that was sent to it has not arrived yet. So the
server remembers the values that it has sent and that the browser has not confirmed. A reported value among them is an
echo and changes nothing; any other is a move of the user and becomes the value of the control.

The browser confirms a value by reporting it, or by reporting the address that was written after the value was sent:
messages arrive in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Settled(Generic[T]):
    """The value of a control after a report of the browser.

    Attributes:
        value: of the control.
        moved: whether the user has moved the control.
        send: whether the browser must be told the value.
    """

    value: T
    moved: bool
    send: bool


class ControlsShown:
    """The values that the browser may show, by the key of the control."""

    def __init__(self) -> None:
        self._sent: dict[str, list[object]] = {}
        self._unwritten: set[str] = set()
        self._written: set[str] = set()

    def mount(self, key: str, value: T) -> Settled[T]:
        """Return the value of a control that the browser does not show yet."""
        self._sent[key] = [value]
        return Settled(value, moved=False, send=True)

    def settle(self, key: str, value: T, reported: T | None) -> Settled[T]:
        """Return the value of a control that the browser shows.

        Args:
            key: of the control.
            value: that the server holds.
            reported: by the browser; ``None`` where it is none that the control takes.
        """
        sent = self._sent.setdefault(key, [value])
        if reported == value:
            self._sent[key] = [value]
            return Settled(value, moved=False, send=False)
        if reported is None or reported in sent:
            self._note(key, value)
            return Settled(value, moved=False, send=True)
        if len(sent) == 1:
            self._sent[key] = [reported]
            return Settled(reported, moved=True, send=False)
        # A value is on its way to the browser and would replace the user's there, so the user's is sent behind it.
        self._note(key, reported)
        return Settled(reported, moved=True, send=True)

    def wrote(self) -> None:
        """Note that an address was written, behind all values that were sent so far."""
        self._written |= self._unwritten
        self._unwritten.clear()

    def confirm(self) -> None:
        """Note that the browser reports the address that was written last: it shows what was sent before."""
        for key in self._written:
            self._sent[key] = self._sent[key][-1:]
        self._written.clear()

    def _note(self, key: str, value: object) -> None:
        self._sent[key] = [*(each for each in self._sent[key] if each != value), value]
        self._unwritten.add(key)
        self._written.discard(key)
