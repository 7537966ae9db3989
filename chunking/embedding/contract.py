"""What an encoder is, and what there is to say of one before it is used."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]
"""Called with the number of texts that are done and of all; what it raises ends the work."""

UNLIMITED = 2**31 - 1
"""``max_tokens`` of an encoder that reads any text to its end, or that cannot say where it stops."""


class Encoder(Protocol):
    """Turns texts into unit vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """What the encoder is called."""
        ...

    @property
    def key(self) -> str:
        """Identity of all that a vector depends on besides its text; part of every cache key."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text are read, special tokens included; the rest is cut off."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """ISO 639-1 codes of the languages it was made for; empty where that is not known."""
        ...

    def encode(self, texts: Sequence[str]) -> Float32:
        """The vectors of texts: ``(n, dimension)`` float32, each of length 1."""
        ...

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """The tokens of each text before the cut at the limit, special tokens included: ``(n,)`` int64.

        An encoder that cannot tell returns zeros.
        """
        ...


@dataclass(frozen=True)
class EncoderInfo:
    """What an encoder is, in words for people.

    Attributes:
        name: what :func:`chunking.embedding.get_encoder` takes.
        title: what to call it.
        about: one or two sentences: what it is, and what its distance means.
        languages: ISO 639-1 codes of the languages it was made for; empty where that is not known.
        sends_to: the host that every sentence of a document is sent to; ``None`` if none leaves this machine.
    """

    name: str
    title: str
    about: str
    languages: tuple[str, ...] = ()
    sends_to: str | None = None


_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}


def go_offline() -> None:
    """Tell the libraries that run models never to ask a network; for before they are imported."""
    for switch, value in _OFFLINE.items():
        os.environ.setdefault(switch, value)


def open_model(folder: Path) -> Any:
    """A sentence-transformers model from a folder, on the processor in float32; no network, no code of the model's own.

    Raises:
        ChunkscopeError: what runs it is not installed.
    """
    go_offline()
    try:
        sentence_transformers = importlib.import_module("sentence_transformers")
        importlib.import_module("transformers.utils.logging").disable_progress_bar()
    except ImportError as error:
        raise ChunkscopeError(
            f"The encoder cannot be run: {error}.", "Install what it needs: pip install sentence-transformers"
        ) from error
    return sentence_transformers.SentenceTransformer(
        str(folder),
        device="cpu",
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"dtype": "float32", "use_safetensors": True},
    ).eval()
