"""What a peer is: another library's splitter, behind one small contract.

The libraries are imported when a peer first runs, never before. While they run, nothing of theirs may reach the
network: see :data:`_QUIET`. What they raise becomes a :class:`ChunkscopeError` that names the library, here and
nowhere else.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from chunking import tokens
from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.workspace import Workspace

INSTALL = "Install it with: pip install -r requirements-peers.txt"

_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "CHONKIE_LOG": "error",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "TRANSFORMERS_OFFLINE": "1",
}
"""Set before a library is imported, where the user has not set them: no telemetry, no tracing, no downloads."""

_SURROGATE = re.compile("[\ud800-\udfff]")

UNITS = ("characters", "tokens")
"""What a peer may count its sizes in. Tokens are those of the workspace's tokenizer."""


@dataclass(frozen=True)
class Peer:
    """A splitter of another library.

    Attributes:
        name: what it is called everywhere.
        title, summary: for people; the summary is one sentence.
        library: what the library is called.
        licence: of the library, as an SPDX expression.
        package: the distribution that holds it, as pip knows it.
        modules: what must be there to import.
        params: the type of its parameters.
        call: gives the pieces, and may raise whatever the library raises; use :meth:`split` instead.
        nests: whether pieces lie inside others by intention (parents and children).
    """

    name: str
    title: str
    summary: str
    library: str
    licence: str
    package: str
    modules: tuple[str, ...]
    params: type[Parameters]
    call: Callable[[Workspace, Any], list[Piece]]
    nests: bool = False

    @property
    def origin(self) -> str:
        """The library, its installed version and its licence."""
        return f"{self.library} ({version(self)}, {self.licence})"

    def split(self, workspace: Workspace, params: Parameters) -> list[Piece]:
        """The pieces that the library makes of the document, in its order.

        The text of a piece is what the library returned, which need not stand in the document; ``start`` and ``end``
        are the place that it gave, which need not be right, or ``None`` where it gave none.

        Raises:
            ChunkscopeError: the library is not installed, or cannot split this document with these parameters.
        """
        if not installed(self):
            raise ChunkscopeError(f"{self.library} ({self.package}) is not installed.", INSTALL)
        for switch, value in _QUIET.items():
            os.environ.setdefault(switch, value)
        try:
            return self.call(workspace, params)
        except ChunkscopeError:
            raise
        except ImportError as error:
            raise ChunkscopeError(f"{self.library} cannot be used: {error}.", INSTALL) from error
        except Exception as error:
            cause = f"{type(error).__name__}: {error}".strip().rstrip(".")
            raise ChunkscopeError(
                f"{self.library} cannot split this document: {cause:.300}.",
                "Change its parameters, or choose another strategy.",
            ) from error


def installed(peer: Peer) -> bool:
    """Whether all that the peer needs is there; nothing is imported but the packages that hold it."""
    return all(map(_found, peer.modules))


def version(peer: Peer) -> str:
    """The distribution and its version, or that it is not installed."""
    found = importlib.metadata.version(peer.package) if installed(peer) else "not installed"
    return f"{peer.package} {found}"


def _found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package that should hold it is missing
        return False


def load(module: str) -> Any:
    """A module of a library, as ``Any``: the types of the libraries would be drawn into each type check."""
    return importlib.import_module(module)


def given(workspace: Workspace) -> str:
    """The text that the libraries get: the document's, with lone surrogates, which most refuse, as U+FFFD.

    One character for one, so that offsets stay.
    """
    return _SURROGATE.sub("\ufffd", workspace.document.text)


def given_html(workspace: Workspace) -> str | None:
    """The file that a page was read from, for what splits HTML by its tags; ``None`` of any other document.

    Its offsets are not those of the document.
    """
    document = workspace.document
    if document.format != "html" or document.origin is None:
        return None
    return _SURROGATE.sub("\ufffd", document.origin.texts[0])


def counting(workspace: Workspace) -> Callable[[str], int]:
    """What counts the tokens of one text, by the workspace's tokenizer."""
    counter = tokens.get_tokenizer(workspace.tools.tokenizer)
    return lambda text: int(counter.count([text])[0])


def embedding(workspace: Workspace) -> Callable[[Sequence[str]], list[list[float]]]:
    """What embeds texts, with the workspace's encoder and cache."""
    return lambda texts: cast(list[list[float]], workspace.embed(texts).tolist())


def place(text: str, start: int | None) -> Piece:
    """A piece of which the library gives the beginning alone."""
    return Piece(text, start, None if start is None else start + len(text))


def whole(default: int, title: str, help: str, *, minimum: int, maximum: int, step: int = 1, unit: str = "") -> int:
    """A parameter that is a whole number."""
    made = parameter(default, title, help, minimum=minimum, maximum=maximum, step=step, unit=unit)
    return cast(int, made)


def chunk_size(default: int, unit: str = "", *, minimum: int = 1) -> int:
    """The parameter that sets the largest size of a chunk."""
    help = "The size that a chunk should not exceed."
    return whole(default, "Chunk size", help, minimum=minimum, maximum=100_000, step=10, unit=unit)


def chunk_overlap(default: int, unit: str = "") -> int:
    """The parameter that sets how much two chunks share."""
    help = "How much of the end of a chunk the next may repeat."
    return whole(default, "Chunk overlap", help, minimum=0, maximum=50_000, step=10, unit=unit)


def unit_choice() -> str:
    """The parameter that sets what sizes are counted in; the default of every library that asks is characters."""
    help = "What sizes are counted in; tokens are those of the chosen tokenizer."
    return cast(str, parameter("characters", "Counted in", help, choices=UNITS))


def check_overlap(
    size: int, overlap: int, *, equal: bool, names: tuple[str, str] = ("chunk_size", "chunk_overlap")
) -> None:
    """Raise :class:`ChunkscopeError` where the overlap is larger than the chunk, or as large and ``equal`` is false.

    Args:
        size, overlap: in one unit.
        equal: whether the library takes an overlap as large as the chunk.
        names: what the library calls the two.
    """
    most = size if equal else size - 1
    if overlap > most:
        raise ChunkscopeError(f"{names[1]} {overlap} is too large for {names[0]} {size}.", f"Keep it at most {most}.")
