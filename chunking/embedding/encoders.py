"""The interface of encoders, and the description of an encoder before it is loaded."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.runtime.arrays import Float32, Int64

UNLIMITED = 2**31 - 1
"""``max_tokens`` of an encoder without a limit, or with an unknown one."""


class Encoder(Protocol):
    """An encoder of texts as unit vectors, whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Name of the encoder."""
        ...

    @property
    def key(self) -> str:
        """Identity of everything but the text that a vector depends on; part of every cache key."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that are read, including special tokens; the rest is truncated."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """ISO 639-1 codes of the languages it was trained on; empty if unknown."""
        ...

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, dimension)`` float32, each of length 1."""
        ...

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return the tokens of each text before truncation, including special tokens: ``(n,)`` int64.

        An encoder that cannot count returns zeros.
        """
        ...


@dataclass(frozen=True)
class EncoderInfo:
    """The description of an encoder.

    Attributes:
        name: its name for :func:`chunking.embedding.get_encoder`.
        title: its name on the page.
        about: one or two sentences on the encoder and the meaning of its distance.
        languages: ISO 639-1 codes of the languages it was trained on; empty if unknown.
        sends_to: the host that receives every sentence of a document; ``None`` if none leaves this machine.
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
    """Keep the model libraries off the network. Must be called before they are imported."""
    for switch, value in _OFFLINE.items():
        os.environ.setdefault(switch, value)


@dataclass
class _Choice:
    """What an option or else an environment variable chooses for the models that are loaded from now on.

    Attributes:
        title: what is chosen.
        names: what can be chosen; the first is the default.
        variable: the environment variable.
        chosen: what the option says; empty where there is none.
    """

    title: str
    names: tuple[str, ...]
    variable: str
    chosen: str = ""

    def choose(self, name: str | None) -> None:
        """Choose one; ``None`` leaves it to the environment.

        Raises:
            ChunkscopeError: it is none of them.
        """
        self.chosen = "" if name is None else self._known(name)

    @property
    def name(self) -> str:
        """What is chosen.

        Raises:
            ChunkscopeError: the environment variable has another value.
        """
        return self._known(self.chosen or os.environ.get(self.variable, "").strip() or self.names[0])

    def _known(self, name: str) -> str:
        if name not in self.names:
            raise ChunkscopeError(f"Unknown {self.title} {name!r:.40}.", f"Choose one of {', '.join(self.names)}.")
        return name


DEVICE = _Choice("device", ("cpu", "auto", "cuda", "mps"), "CHUNKSCOPE_DEVICE")
"""Where models run: ``auto`` is an accelerator where there is one, else the processor."""

PRECISION = _Choice("precision", ("float32", "bfloat16"), "CHUNKSCOPE_PRECISION")
"""The numbers that models compute with: ``bfloat16`` is some three times as fast on processors that know it."""


def configure_device(name: str | None) -> None:
    """Set where models that are loaded from now on run; ``None`` takes it from ``CHUNKSCOPE_DEVICE``, else ``cpu``.

    Raises:
        ChunkscopeError: it is none of the names of :data:`DEVICE`.
    """
    DEVICE.choose(name)


def configure_precision(name: str | None) -> None:
    """Set the numbers that models which are made from now on compute with; ``None`` takes them from
    ``CHUNKSCOPE_PRECISION``, else ``float32``.

    Raises:
        ChunkscopeError: it is none of the names of :data:`PRECISION`.
    """
    PRECISION.choose(name)


_ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
    "TOKENIZERS_PARALLELISM": "false",
}
"""What makes a worker compute with one thread: the workers are what runs side by side, and a sum is added up in the
same order however many of them there are."""


def worker_environment() -> dict[str, str]:
    """Return the environment variables of a worker: one thread, and the device and precision of models."""
    return {**_ONE_THREAD, **{choice.variable: choice.name for choice in (DEVICE, PRECISION)}}


def _device() -> str:
    """Return the device by the name that torch has for it.

    Raises:
        ChunkscopeError: this machine does not have it.
    """
    name = DEVICE.name
    torch: Any = importlib.import_module("torch")
    availability = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}
    if name == "auto":
        return next((device for device, is_there in availability.items() if is_there()), "cpu")
    if name in availability and not availability[name]():
        raise ChunkscopeError(f"PyTorch finds no device {name} on this machine.", "Choose auto or cpu.")
    return name


def open_model(folder: Path, precision: str = PRECISION.names[0]) -> Any:
    """Load a sentence-transformers model from a folder, without network or custom code.

    It runs where :func:`configure_device` says, with numbers of ``precision``, one of :data:`PRECISION`. Rounding
    differs between devices in the last bits, most of which the float16 of :func:`chunking.embedding.embed` hides.

    Raises:
        ChunkscopeError: sentence-transformers is not installed, or the machine does not have the device.
    """
    return (
        _library("encoder")
        .SentenceTransformer(
            str(folder),
            device=_device(),
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": precision, "use_safetensors": True},
        )
        .eval()
    )


def open_cross_encoder(folder: Path) -> Any:
    """Load a cross-encoder of sentence-transformers from a folder, as :func:`open_model` loads an encoder.

    Raises:
        ChunkscopeError: sentence-transformers is not installed, or the machine does not have the device.
    """
    return _library("reranker").CrossEncoder(
        str(folder),
        device=_device(),
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
    )


def _library(what: str) -> Any:
    """Return sentence-transformers, kept off the network."""
    go_offline()
    try:
        library = importlib.import_module("sentence_transformers")
        importlib.import_module("transformers.utils.logging").disable_progress_bar()
    except ImportError as error:
        raise ChunkscopeError(
            f"The {what} cannot run: {error}.", f"Install its library: {install_command('models')}."
        ) from error
    return library
