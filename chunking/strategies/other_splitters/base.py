"""The interface of a peer: another library's splitter.

A library is imported when its peer first runs. It must not use the network, see :data:`_QUIET`. Its exceptions become a
:class:`ChunkscopeError` that names the library, here and nowhere else.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from chunking import tokens
from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.params import Parameters, parameter
from chunking.runtime.surrogates import replace_surrogates
from chunking.workspace import DocumentAnalysis

INSTALL = f"Install it: {install_command('peers')}."

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
"""Environment variables set before a library is imported, unless the user set them: no telemetry or downloads."""


UNITS = ("characters", "tokens")
"""Units of sizes. Tokens are counted by the workspace's tokenizer."""


@dataclass(frozen=True)
class Peer:
    """A splitter of another library.

    Attributes:
        name: its name, the same everywhere.
        title, summary: for people; the summary is one sentence.
        library: name of the library.
        licence: licence of the library, as an SPDX expression.
        package: name of its distribution on PyPI.
        modules: modules that must be importable.
        params: type of its parameters.
        call: returns the pieces, or raises the library's own exceptions; use :meth:`split` instead.
        nests: whether pieces lie inside others by design (parents and children).
    """

    name: str
    title: str
    summary: str
    library: str
    licence: str
    package: str
    modules: tuple[str, ...]
    params: type[Parameters]
    call: Callable[[DocumentAnalysis, Any], list[Piece]]
    nests: bool = False

    @property
    def origin(self) -> str:
        """The library, its installed version and its licence."""
        return f"{self.library} ({version(self)}, {self.licence})"

    def split(self, workspace: DocumentAnalysis, params: Parameters) -> list[Piece]:
        """Return the pieces that the library makes of the document, in its order.

        The text of a piece is the library's, which may differ from the document; ``start`` and ``end`` are the offsets
        that the library returned, which may be wrong, or ``None`` if it returned none.

        Raises:
            ChunkscopeError: the library is not installed, or cannot split this document with these parameters.
        """
        if not installed(self):
            raise ChunkscopeError(f"{self.library} ({self.package}) is not installed.", INSTALL)
        silence()
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


def silence() -> None:
    """Keep libraries from telemetry, downloads and logs, unless the user wants them."""
    for switch, value in _QUIET.items():
        if switch not in os.environ:
            os.environ[switch] = value


def installed(peer: Peer) -> bool:
    """Return whether the modules of the peer are installed; only their parent packages are imported."""
    return all(map(_is_module_found, peer.modules))


def version(peer: Peer) -> str:
    """Return the distribution and its version, or that it is not installed."""
    installed_version = importlib.metadata.version(peer.package) if installed(peer) else "not installed"
    return f"{peer.package} {installed_version}"


def _is_module_found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package that should hold it is missing
        return False


def import_module(module: str) -> Any:
    """Import a module of a library, as ``Any``: mypy would otherwise read the types of all libraries."""
    return importlib.import_module(module)


def readable_text(workspace: DocumentAnalysis) -> str:
    """Return the document's text with lone surrogates, which most libraries refuse, replaced by U+FFFD.

    Offsets are unchanged.
    """
    return replace_surrogates(workspace.document.text)


def html_source(workspace: DocumentAnalysis) -> str | None:
    """Return the source file of an HTML document, for splitters by tag; ``None`` for any other document.

    Its offsets differ from those of the document.
    """
    document = workspace.document
    if document.format != "html" or document.origin is None:
        return None
    return replace_surrogates(document.origin.texts[0])


def token_counter(workspace: DocumentAnalysis) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text with the workspace's tokenizer."""
    counter = tokens.get_tokenizer(workspace.tools.tokenizer)
    return lambda text: int(counter.count([text])[0])


def embed_function(workspace: DocumentAnalysis) -> Callable[[Sequence[str]], list[list[float]]]:
    """Return a function that embeds texts with the workspace's encoder and cache."""
    return lambda texts: cast(list[list[float]], workspace.embed(texts).tolist())


def piece_from(text: str, start: int | None) -> Piece:
    """Return a piece of which only the start is known."""
    return Piece(text, start, None if start is None else start + len(text))


def integer_parameter(
    default: int, title: str, help: str, *, minimum: int, maximum: int, step: int = 1, unit: str = ""
) -> int:
    """Return a parameter that is an integer."""
    field = parameter(default, title, help, minimum=minimum, maximum=maximum, step=step, unit=unit)
    return cast(int, field)


def chunk_size(default: int, unit: str = "") -> int:
    """Return the parameter for the largest size of a chunk."""
    help = "Limit of the size of a chunk."
    return integer_parameter(default, "Chunk size", help, minimum=1, maximum=100_000, step=10, unit=unit)


def chunk_overlap(default: int, unit: str = "") -> int:
    """Return the parameter for the overlap of two chunks."""
    help = "How much of the end of a chunk the next one may repeat."
    return integer_parameter(default, "Chunk overlap", help, minimum=0, maximum=50_000, step=10, unit=unit)


def unit_choice() -> str:
    """Return the parameter for the unit of sizes; the libraries default to characters."""
    help = "Unit of sizes; tokens are counted by the chosen tokenizer."
    return cast(str, parameter("characters", "Unit", help, choices=UNITS))


def check_overlap(
    size: int, overlap: int, *, equal: bool, names: tuple[str, str] = ("chunk_size", "chunk_overlap")
) -> None:
    """Raise :class:`ChunkscopeError` if the overlap is too large for the chunk.

    Args:
        size, overlap: in the same unit.
        equal: whether the overlap may be as large as the chunk.
        names: the library's names of the two parameters.
    """
    limit = size if equal else size - 1
    if overlap > limit:
        raise ChunkscopeError(
            f"{names[1]} {overlap} is too large for {names[0]} {size}.", f"Set it to at most {limit}."
        )
