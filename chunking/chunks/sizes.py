"""The parameters that all strategies share: limits of size, overlap, and what is kept together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from chunking.chunks.constraints import Constraints
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, Value, parameter

SCRAPS = 20
"""Tokens of a chunk that is hardly ever of use alone."""


def _keep_together(default: str) -> Any:
    return parameter(
        default,
        "Keep together",
        "Whether nothing is cut inside what belongs together, unless the maximum forces it: a heading and what follows "
        "it, the header of a table and its first row, a line that ends in a colon and what it announces, a caption and "
        "what it describes, a question and its answer, and the lines of a piece of code.",
        choices=("yes", "no"),
    )


def _tokens(default: int, title: str, help: str, maximum: int = 4000) -> Any:
    return parameter(default, title, help, minimum=0, maximum=maximum, step=10, unit="tokens")


_min_tokens = partial(
    _tokens,
    title="Minimum",
    help="Chunks with fewer tokens are merged with a neighbour across the weaker cut; 0 for no minimum.",
)
_soft_min_tokens = partial(
    _tokens,
    title="Soft minimum",
    help="Chunks with fewer tokens are merged in the same way, but never across a cut before a heading; 0 for none.",
)
_max_tokens = partial(
    _tokens,
    title="Maximum",
    help="Limit of the tokens of a chunk with its overlap (a single character may exceed it); 0 for no maximum.",
    maximum=32000,
)


class Maximum(NamedTuple):
    """The most that a chunk may have.

    Attributes:
        tokens: of the chunk with its overlap; 0 for no maximum.
        overlap: tokens that the overlap may have, if it is measured in tokens.
        fits_encoder: whether the chunk is also no longer than the encoder reads, with what is embedded before it.
    """

    tokens: int
    overlap: int = 0
    fits_encoder: bool = False


@dataclass(frozen=True, kw_only=True)
class SizeParameters(Parameters):
    """Overlap, limits and constraints, common to all strategies."""

    overlap: int = parameter(
        0, "Overlap", "Amount of text before a chunk that is repeated with it.", minimum=0, maximum=1000, step=1
    )
    overlap_unit: str = parameter("sentences", "Overlap unit", "Unit of the overlap.", choices=("sentences", "tokens"))
    min_tokens: int = _min_tokens(0)
    soft_min_tokens: int = _soft_min_tokens(0)
    max_tokens: int = _max_tokens(0)
    keep_together: str = _keep_together("no")

    @property
    def has_limits(self) -> bool:
        """Whether there is a minimum or a maximum."""
        return bool(self.min_tokens or self.soft_min_tokens or self.max_tokens)

    @property
    def fits_encoder(self) -> bool:
        """Whether no chunk is longer than the encoder reads, where its tokens are counted."""
        return False

    @property
    def maximum(self) -> Maximum:
        """The most that a chunk may have."""
        return Maximum(self.max_tokens, self.overlap if self.overlap_unit == "tokens" else 0, self.fits_encoder)

    def held(self, constraints: Constraints) -> Constraints:
        """Return which of the constraints of a document hold: all, or those by hand alone."""
        return constraints if self.keep_together == "yes" else constraints.by_hand

    def validate(self) -> None:
        """Check that the minimum is not above the maximum, and that the overlap leaves room for a chunk.

        A minimum that only joins scraps gives way to any maximum.
        """
        least = self.min_tokens if self.min_tokens > SCRAPS else 0
        if self.max_tokens and least > self.max_tokens:
            raise ChunkscopeError(
                f"min_tokens ({self.min_tokens}) is larger than max_tokens ({self.max_tokens}).",
                "Lower the minimum or raise the maximum.",
            )
        room = self.max_tokens - self.overlap
        if self.max_tokens and self.overlap_unit == "tokens" and room < max(least, 1):
            need = f"chunks of {least} to {self.max_tokens}" if room > 0 else f"at most {self.max_tokens}"
            raise ChunkscopeError(
                f"An overlap of {self.overlap} tokens leaves no room in {need} tokens.",
                "Lower the overlap or the minimum, or raise the maximum.",
            )


@dataclass(frozen=True, kw_only=True)
class RetrievalSizeParameters(SizeParameters):
    """The same, with sizes that suit retrieval by default, and what belongs together kept together.

    256 tokens are what most small encoders read. Chosen and measured in docs/decisions/0015-default-sizes.md.
    """

    min_tokens: int = _min_tokens(SCRAPS)
    soft_min_tokens: int = _soft_min_tokens(64)
    max_tokens: int = _max_tokens(256)
    fit_encoder: str = parameter(
        "yes",
        "Fit the encoder",
        "Whether a chunk with its overlap, its heading path and the header of a table that it continues is no longer "
        "than the encoder reads. It needs a maximum, and tokens that are counted as the encoder counts them.",
        choices=("yes", "no"),
    )
    keep_together: str = _keep_together("yes")

    @property
    def fits_encoder(self) -> bool:
        """Whether no chunk is longer than the encoder reads, where its tokens are counted."""
        return self.fit_encoder == "yes"


NO_LIMITS: dict[str, Value] = {"min_tokens": 0, "soft_min_tokens": 0, "max_tokens": 0}
"""The preset of strategies with default sizes that leaves the boundaries as the text asks for them."""
