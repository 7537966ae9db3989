"""What the browser may still show of each control, and hence what a value that it reports means.

The server owns the value of every control. The browser reports the values of all controls with each interaction, and
what it reports may be older than what the server last sent: a value that was sent to it has not arrived yet. So the
server remembers the values that it has sent and that the browser has not confirmed. A reported value among them is an
echo and changes nothing; any other is a move of the user and becomes the value of the control.

What is sent has a number. The number of the last is sent behind everything else of a run, as the value of a hidden
control, which the browser builds after the others: a report with that number comes from a browser that shows all that
was sent up to it.

A run may be stopped between any two steps, since the next message of the browser replaces it. So a decision changes
nothing until it is recorded, which is the last step: the next run then decides the same again. And what a stopped run
has recorded may never have been sent: until the browser confirms the number, each run sends the value again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _Sent:
    """A value of a control that the browser may show, and the number under which it was sent.

    Attributes:
        number: 0 for what the browser showed first.
        value: of the control.
        is_reported: whether the user chose it: a report of it then says nothing of whether it arrived.
    """

    number: int
    value: object
    is_reported: bool = False


@dataclass(frozen=True)
class Received(Generic[T]):
    """The value of a control after a report of the browser.

    Attributes:
        value: of the control.
        moved: whether the user has moved the control.
        send: whether the browser must be sent the value.
        sent: what the browser may show from then on.
    """

    value: T
    moved: bool
    send: bool
    sent: tuple[_Sent, ...]


class EchoFilter:
    """The values that the browser may show, by the key of the control.

    Attributes:
        number: of what was sent last.
    """

    def __init__(self) -> None:
        self.number = 0
        self._shown = 0
        self._sent: dict[str, tuple[_Sent, ...]] = {}

    def first_shown(self, key: str, value: object) -> None:
        """Record that a control which the browser does not show yet begins with a value."""
        self._sent[key] = (_Sent(self._shown, value),)

    def receive(self, key: str, value: T, reported: T | None) -> Received[T]:
        """Return the value of a control that the browser shows; nothing changes before it is recorded.

        Args:
            key: of the control.
            value: that the server holds.
            reported: by the browser; ``None`` if the control does not take the value.
        """
        sent = self._sent.get(key) or (_Sent(self._shown, value),)
        echo = next((at for at, entry in enumerate(sent) if entry.value == reported), None)
        if echo is not None and not sent[echo].is_reported:
            sent = sent[echo:]  # it came in order, so those before it were shown
        number = self.number + 1
        if reported is None or (reported != value and echo is not None):
            return Received(value, False, True, (*sent, _Sent(number, value)))
        if all(entry.value == reported for entry in sent[1:]):
            return Received(reported, reported != value, False, (_Sent(self._shown, reported),))
        # Another value is on its way to the browser and would replace this one there: so this one is sent behind it.
        return Received(reported, reported != value, True, (*sent, _Sent(number, reported, is_reported=True)))

    def record(self, key: str, settled: Received[T]) -> None:
        """Note a decision, and that its value was sent where it must be."""
        self._sent[key] = settled.sent
        if settled.send:
            self.send()

    def send(self) -> int:
        """Return the number of what is sent now."""
        self.number += 1
        return self.number

    def is_shown(self, number: int) -> bool:
        """Return whether the browser shows what was sent under a number."""
        return number <= self._shown

    def confirm(self, number: int) -> None:
        """Note that the browser reports a number: it shows all that was sent up to it."""
        self._shown = max(self._shown, number)
        for key, sent in self._sent.items():
            shown_index = max((at for at, entry in enumerate(sent) if entry.number <= self._shown), default=0)
            self._sent[key] = sent[shown_index:]
