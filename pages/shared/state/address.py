"""The address of the app: the one module that reads what the browser says of it, and the one that writes it.

The session holds the state, and the address only shows it. The browser's address is read where it brings news: when a
session begins (a link, a reload), and when the user goes back or forward in the browser's history. Then ``history.js``
has put a new number into it under :data:`HISTORY`, which stays there until the server has answered; a number that was
read before marks an address that the answer has not reached. At all other times the browser's address is older than
the session or equal to it, and is ignored.

Parameters of :data:`SHARED` belong to the session; all others belong to a page, which has them again when the user
returns to it. A value at its default is left out, but for the document: an address always names its document. For a
document whose choices are stored, the strategy is named at its defaults as well (:attr:`Address.explicit`): an address
that names one says everything, and nothing that was chosen since takes the place of what it leaves out.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.state import session
from pages.shared.state.echo_filter import EchoFilter

T = TypeVar("T")

Texts = dict[str, tuple[str, ...]]
"""Query parameters with their values, at least one for each."""

_NOTHING = ("",)
"""How an address shows that of several values none is chosen."""

HISTORY = "back"
"""The query parameter that marks an address from the browser's history; ``history.js`` names it too."""

DOCUMENT = "doc"
SHARED = frozenset((DOCUMENT, "content", "language", "splitter", "encoder", "tokenizer", "projector"))
"""Parameters that are the same on all pages."""


_NUMBER = "_number_sent"
"""Key of the hidden control that tells which messages the browser has shown."""


class Address:
    """The state of a session that its address shows.

    Attributes:
        page: the file of the page that is open, from the folder of ``app.py``; empty before the first.
        arrived_by_menu: pages that the user came to by a way that says nothing of their parameters.
        unread_pages: pages whose parameters came from a link or the history and whose setting was not read yet.
        came_by_history: whether the user came by the history, where an address means what was shown under it; until a
            run of the page is complete, since the user's next message may stop the first.
        explicit: whether the strategy is named at its defaults too.
    """

    def __init__(self) -> None:
        self.page = ""
        self.arrived_by_menu: set[str] = set()
        self.unread_pages: set[str] = set()
        self.came_by_history = False
        self.explicit = False
        self._shared: Texts = {}
        self._pages: dict[str, Texts] = {}
        self._read: str | None = None
        self._target: tuple[str, Texts] | None = None
        self._controls = EchoFilter()
        self._session = uuid.uuid4().hex
        # The address that the browser shows once all that was sent has arrived; None where that is not known.
        self._shows: dict[str, list[str]] | None = None
        self._written = 0
        self._placed: set[str] = set()
        self._set: set[str] = set()
        self._is_history = False

    # ---- the way in

    def arrive(self, page: str, incoming: Mapping[str, Sequence[str]], *, back: bool = False) -> None:
        """Open a page, with the address that the browser reports.

        Args:
            page: its file.
            incoming: the browser's query parameters.
            back: whether Streamlit says that the user moved in the history.
        """
        first = not self.page
        if page != self.page:
            self.arrived_by_menu.add(page)
            self._placed.clear()
            self._shows = None  # the menu has put the page's own address there
        # Streamlit leaves the controls of the page out of the message that says so: its values are those sent last.
        self._is_history = back
        if not back:
            self._controls.confirm(self._reported())
        self.page = page
        mark = incoming.get(HISTORY)
        if first or (back and not mark):
            self._adopt(incoming)
            self.came_by_history = not first
        else:
            self.hear(incoming)
        if self._controls.is_shown(self._written):
            self._shows = dict(incoming)  # type: ignore[arg-type]

    def resume(self) -> bool:
        """Begin a run of a part of the page; return whether that suffices: a callback may have left for another."""
        self._is_history = False
        self._controls.confirm(self._reported())
        return self._target is None

    def _reported(self) -> int:
        """Return the number that the browser reports, or 0 where that is another session's."""
        of, _, number = str(session.widget_value(_NUMBER, "")).partition(" ")
        return int(number) if of == self._session else 0

    def hear(self, incoming: Mapping[str, Sequence[str]]) -> None:
        """Read an address that comes from the browser's history, once."""
        mark = incoming.get(HISTORY)
        if mark and mark[-1] != self._read:
            self._adopt(incoming)
            self.came_by_history = True

    def _adopt(self, incoming: Mapping[str, Sequence[str]]) -> None:
        parameters = {name: tuple(texts) for name, texts in incoming.items() if name != HISTORY}
        self._read = incoming[HISTORY][-1] if incoming.get(HISTORY) else self._read
        self._shows = None  # what is on its way would replace it
        self._shared = {name: texts for name, texts in parameters.items() if name in SHARED}
        self._pages[self.page] = {name: texts for name, texts in parameters.items() if name not in SHARED}
        self.unread_pages.add(self.page)
        self.arrived_by_menu.discard(self.page)

    # ---- parameters

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the values of a parameter of this page, or of the session."""
        return self._place(name).get(name, ())

    def text(self, name: str, default: str = "") -> str:
        """Return the last value of a parameter, or ``default`` where it has none."""
        return (self.texts(name) or ("",))[-1] or default

    def put(self, name: str, value: str | Iterable[str] | None) -> None:
        """Set a parameter, or remove it where the value is ``None`` or an empty text; no texts at all are a value."""
        if not value and (value is None or isinstance(value, str)):
            self._place(name).pop(name, None)
        else:
            self._place(name)[name] = (value,) if isinstance(value, str) else tuple(value) or _NOTHING

    def names(self) -> list[str]:
        """Return the names of all parameters of this page and of the session."""
        return [*self._shared, *self._pages.get(self.page, {})]

    def query(self) -> dict[str, list[str]]:
        """Return the query parameters that show the state."""
        return {name: list(texts) for name, texts in {**self._shared, **self._pages.get(self.page, {})}.items()}

    def _place(self, name: str) -> Texts:
        return self._shared if name in SHARED else self._pages.setdefault(self.page, {})

    # ---- controls

    def control(
        self,
        name: str,
        default: T,
        read: Callable[[tuple[str, ...]], T | None],
        accept: Callable[[object], T | None],
        write: Callable[[T], str | Iterable[str]],
    ) -> T:
        """Return the value of a control whose parameter the address holds; to be called before it is drawn.

        Args:
            name: of the parameter, and the key of the widget.
            default: that is left out of the address.
            read: returns the value of an address, or ``None`` where it is not allowed.
            accept: returns the value that a widget reports, or ``None`` where it is not allowed.
            write: returns the texts of a value.
        """
        texts = self.texts(name)
        held = read(texts) if texts else None
        value, _ = self.receive(name, default if held is None else held, accept)
        self.put(name, write(value) if value != default or name == DOCUMENT else None)
        return value

    def receive(self, key: str, value: T, accept: Callable[[object], T | None]) -> tuple[T, bool]:
        """Return the value of a control and whether the user has moved it; to be called before it is drawn.

        The caller keeps the value at once, in an object that it has already: Streamlit may stop a run that the user's
        next message replaces at each look into the session state, and a move that was settled is not reported again.

        Args:
            key: of the widget.
            value: that the session holds.
            accept: as in :meth:`control`.
        """
        mounted = session.has_widget(key)
        if mounted:
            reported = None if self._is_history else accept(session.widget_value(key))
            settled = self._controls.receive(key, value, reported)
            value, moved, send = settled.value, settled.moved, settled.send
        else:
            moved, send = False, True
        # Streamlit may keep the value of a control that two pages share; the browser builds a new one at its default.
        send = send or key not in self._placed
        if send:
            session.set_widget(key, list(value) if isinstance(value, tuple) else value)
        # The run may be stopped up to here, and no more before the caller has the value.
        if mounted:
            self._controls.record(key, settled)
        else:
            self._controls.first_shown(key, value)
        if send:
            self._placed.add(key)
            self._set.add(key)
        else:
            self._set.discard(key)
        return value, moved

    def initial(self, key: str, value: T, default: T) -> T:
        """Return what the browser is to begin a control with that it has to build; to be called after it is settled.

        Streamlit sends a value that was set once, and drops what a run has not sent when the next one begins. The
        browser would then build the control at the default of the widget, and report that as a move of the user: so the
        value is the default of every later run. A control that the browser has ignores it.

        Args:
            key: of the widget.
            value: of the control.
            default: of the widget where the value is sent along in this run: Streamlit warns of two values.
        """
        return default if key in self._set else value

    # ---- the way out

    def write(self) -> None:
        """Show the state in the browser's address: in one message, or the browser would go back through the steps."""
        wanted = self.query()
        if wanted != self._shows:
            st.query_params.from_dict(wanted)
            self._shows = wanted
            self._written = self._controls.send()

    def send_number(self) -> None:
        """Send the number of what was sent last, in a hidden control: the last of a page that is drawn."""
        self.came_by_history = False
        number = f"{self._session} {self._controls.number}"
        if session.widget_value(_NUMBER) != number:
            session.set_widget(_NUMBER, number)
        st.text_input("Number of the last message", key=_NUMBER, label_visibility="collapsed")

    def begin_message(self) -> int:
        """Return the number of a message that is sent in this run; see :meth:`has_arrived`."""
        return self._controls.send()

    def has_arrived(self, number: int) -> bool:
        """Return whether the browser shows what was sent under a number."""
        return self._controls.is_shown(number)

    def send_to(self, page: str, texts: Mapping[str, str]) -> None:
        """Note that another page is to be opened, with all that its address is to say; in a callback."""
        self._target = (page, {name: (text,) for name, text in texts.items() if text})

    def leave(self) -> str | None:
        """Return the page that is to be opened next, after its parameters are in place; else ``None``."""
        if self._target is None:
            return None
        (page, texts), self._target = self._target, None
        self._shared |= {name: value for name, value in texts.items() if name in SHARED}
        self._pages[page] = {name: value for name, value in texts.items() if name not in SHARED}
        self.unread_pages.add(page)
        self.page = page
        self.came_by_history = False
        self._placed.clear()
        return page


_ADDRESS = session.SessionValue("_address", Address)


def address() -> Address:
    """Return the address of the session, in a callback or in the script."""
    session_address = _ADDRESS.get()
    if session_address.page:
        session_address.hear(unread())
    return session_address


def arrive(page: str) -> None:
    """Begin the run of a page: read what the browser says, and leave for another page where a callback said so."""
    context = get_script_run_ctx()
    address = _ADDRESS.get()
    address.arrive(page, unread(), back=context is not None and context.is_history_navigation)
    target = address.leave()
    if target:
        st.switch_page(target, query_params=address.query())


def go(page: str, texts: Mapping[str, str]) -> None:
    """Open another page in the run that follows; in a callback.

    Args:
        page: its file, from the folder of ``app.py``.
        texts: its parameters; those of the session that are not named stay as they are.
    """
    address().send_to(page, texts)


def unread() -> Mapping[str, list[str]]:
    """Return the query parameters that the browser sent with this run.

    From the context, since a callback that reads ``st.query_params`` can be interrupted there and is then lost.
    """
    context = get_script_run_ctx()
    return _parsed(context.query_string) if context else {}


@lru_cache(maxsize=256)
def _parsed(query: str) -> Mapping[str, list[str]]:
    """Return the parameters of a query, which a run reads for each of its controls."""
    parameters = parse_qs(query, keep_blank_values=True)
    return {name: texts for name, texts in parameters.items() if name.lower() not in ("embed", "embed_options")}
