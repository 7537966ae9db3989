"""Vectors of single tokens, of models of sentence-transformers that average them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from chunking.embedding.encoders import Encoder
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64

_BATCH = 8
"""Windows per forward pass."""


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """The tokens of a text, without special ones.

    Attributes:
        starts: ``(n,)`` int64, where each begins in the text, ascending.
        vectors: ``(n, dim)`` float32.
    """

    starts: Int64
    vectors: Float32


@runtime_checkable
class TokenEncoder(Encoder, Protocol):
    """An encoder that gives the vectors of single tokens, read with the text around them."""

    def token_starts(self, text: str) -> Int64:
        """Return where each token of a text begins, however long the text is: ``(n,)`` int64, ascending.

        Raises:
            ChunkscopeError: the model does not average token vectors, or cannot be loaded.
        """
        ...

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of each text up to :attr:`max_tokens`.

        Raises:
            ChunkscopeError: as :meth:`token_starts`.
        """
        ...

    @property
    def token_room(self) -> int:
        """Tokens of a text that are read at once, beside special ones and a prompt."""
        ...


def check(model: Any, name: str) -> None:
    """Raise where the vector of a text is not the mean of its token vectors, or tokens have no places."""
    known = {"Transformer", "Pooling", "Normalize", "Dropout"}
    others = [type(module).__name__ for module in model if type(module).__name__ not in known]
    modes = [_pooling(module) for module in model if type(module).__name__ == "Pooling"]
    if others or modes != ["mean"] or not getattr(model.tokenizer, "is_fast", False):
        raise ChunkscopeError(
            f"The encoder {name!r:.120} does not average token vectors, so late chunking is undefined for it.",
            REMEDY,
        )


REMEDY = (
    "Use embed=chunk, headings or title with it; or embed=late with all-MiniLM-L6-v2 or another model of "
    "sentence-transformers with mean pooling."
)


def _pooling(module: Any) -> str:
    """Return the pooling of a module by its name."""
    settings = module.get_config_dict()
    if "pooling_mode" in settings:
        return str(settings["pooling_mode"])
    modes = [key.removeprefix("pooling_mode_") for key, value in settings.items() if value is True]
    return "+".join(mode.removesuffix("_tokens") for mode in modes if mode != "include_prompt")


def starts(model: Any, text: str) -> Int64:
    """Return where each token of a text begins: ``(n,)`` int64."""
    found = model.tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
    )
    return np.array([start for start, end in found["offset_mapping"] if end > start], dtype=np.int64)


def vectors(model: Any, texts: Sequence[str], limit: int, prompt: str = "") -> list[TokenVectors]:
    """Return the tokens of each text.

    Args:
        model: a SentenceTransformer.
        texts: the texts.
        limit: most tokens that are read of each, with special ones and the prompt.
        prompt: put before each text; its tokens are left out.
    """
    found: list[TokenVectors] = []
    for first in range(0, len(texts), _BATCH):
        found += _batch(model, [prompt + text for text in texts[first : first + _BATCH]], limit, len(prompt))
    return found


def _batch(model: Any, texts: Sequence[str], limit: int, skipped: int) -> list[TokenVectors]:
    torch: Any = importlib.import_module("torch")
    features = model.tokenizer(
        list(texts), return_offsets_mapping=True, padding=True, truncation=True, max_length=limit, return_tensors="pt"
    )
    offsets = features.pop("offset_mapping").numpy()
    with torch.inference_mode():
        read = {name: value.to(model.device) for name, value in features.items()}
        rows = model[0](read)["token_embeddings"].cpu().numpy()
    kept = (offsets[..., 1] > offsets[..., 0]) & (offsets[..., 0] >= skipped)  # special tokens have no characters
    return [
        TokenVectors(offset[real, 0].astype(np.int64) - skipped, row[real].astype(np.float32))
        for offset, row, real in zip(offsets, rows, kept, strict=True)
    ]
