"""What the browser may still show of each control, and hence what a value that it reports means.

The server owns the value of every control. The browser reports the values of all controls with each interaction, and
what it reports may be older than what the server last sent: a value that was sent to it has not arrived yet. So the
server remembers the values that it has sent and that the browser has not confirmed. A reported value among them is an
echo and changes nothing; any other is a move of the user and becomes the value of the control.

What is sent has a number. The number of the last is sent behind everything else of a run, as the value of a hidden
control, which the browser builds after the others: a report with that number comes from a browser that shows all that
was sent up to it.
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


@dataclass(frozen=True)
class _Sent:
    """A value of a control that the browser may show, and the number under which it was sent."""

    number: int
    value: object


class ControlsShown:
    """The values that the browser may show, by the key of the control.

    Attributes:
        number: of what was sent last.
    """

    def __init__(self) -> None:
        self.number = 0
        self._shown = 0
        self._sent: dict[str, list[_Sent]] = {}

    def mount(self, key: str, value: T) -> Settled[T]:
        """Return the value of a control that the browser does not show yet."""
        self._sent[key] = [_Sent(self._shown, value)]
        return Settled(value, moved=False, send=True)

    def settle(self, key: str, value: T, reported: T | None) -> Settled[T]:
        """Return the value of a control that the browser shows.

        Args:
            key: of the control.
            value: that the server holds.
            reported: by the browser; ``None`` where it is none that the control takes.
        """
        sent = self._sent.setdefault(key, [_Sent(self._shown, value)])
        echo = next((at for at, each in enumerate(sent) if each.value == reported), None)
        if echo is not None:
            del sent[:echo]  # it came in order, so those before it were shown
        if reported == value:
            return Settled(value, moved=False, send=False)
        if reported is None or echo is not None:
            sent.append(_Sent(self.send(), value))
            return Settled(value, moved=False, send=True)
        if len(sent) == 1:
            sent[0] = _Sent(self._shown, reported)
            return Settled(reported, moved=True, send=False)
        # A value is on its way to the browser and would replace the user's there, so the user's is sent behind it.
        sent.append(_Sent(self.send(), reported))
        return Settled(reported, moved=True, send=True)

    def send(self) -> int:
        """Return the number of what is sent now."""
        self.number += 1
        return self.number

    def shows(self, number: int) -> bool:
        """Return whether the browser shows what was sent under a number."""
        return number <= self._shown

    def confirm(self, number: int) -> None:
        """Note that the browser reports a number: it shows all that was sent up to it."""
        self._shown = max(self._shown, number)
        for sent in self._sent.values():
            del sent[: max((at for at, each in enumerate(sent) if each.number <= self._shown), default=0)]
