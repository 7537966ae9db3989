"""The largest maximum size at which the encoder reads chunks to their end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunking import embedding
from chunking.embedding.contract import UNLIMITED
from chunking.embedding.own_tokens import own_tokens
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64
from chunking.tokens import SpanTokens
from chunking.workspace import Workspace

QUANTILE = 0.05
"""Share of the passages of the length of the limit that may have more tokens of the encoder than the maximum allows."""

STEP = 10
"""Maxima in other tokens than the encoder's are rounded down to a multiple of this."""


@dataclass(frozen=True)
class AdvisedMaximum:
    """A maximum size of chunks.

    Attributes:
        tokens: the maximum, as the tokenizer counts; 0 where the encoder has no limit.
        limit: tokens that the encoder reads, special ones included; 0 without a limit.
        exact: whether the tokenizer is the encoder's own.
        ratio: tokens of the encoder for each token of the tokenizer in the densest passages; 1 where they are the same.
    """

    tokens: int
    limit: int
    exact: bool
    ratio: float = 1.0


def advised_maximum(workspace: Workspace) -> AdvisedMaximum:
    """Return the maximum that keeps the chunks of a document within the limit of its encoder.

    Counted in the encoder's own tokens, that is the limit without its special tokens. For another tokenizer, the two
    counts are compared in the passages of the document that just exceed the limit, and all but the densest
    :data:`QUANTILE` of them set the ratio.

    Raises:
        ChunkscopeError: the encoder is unknown, or has a limit and no tokenizer that can be used.
    """
    encoder = workspace.encoder
    if encoder.max_tokens >= UNLIMITED:
        return AdvisedMaximum(0, 0, False)
    room = max(encoder.max_tokens - int(encoder.token_counts([""])[0]), 1)
    if _is_own(workspace):
        return AdvisedMaximum(room, encoder.max_tokens, True)
    ratios = _ratios(workspace, room)
    ratio = max(float(np.quantile(ratios, 1 - QUANTILE)), 1.0) if len(ratios) else 1.0
    return AdvisedMaximum(max(int(room / ratio) // STEP * STEP, STEP), encoder.max_tokens, False, ratio)


def _is_own(workspace: Workspace) -> bool:
    try:
        return embedding.own_tokenizer(workspace.tools.encoder) == workspace.tools.tokenizer
    except ChunkscopeError:
        return False


def _ratios(workspace: Workspace, room: int) -> Float64:
    """Return tokens of the encoder per token of the tokenizer: of each shortest run of sentences above the limit, else
    of the whole document.
    """
    counted = workspace.grid.tokens
    own = SpanTokens(workspace.document.text, counted.cuts, own_tokens(workspace.encoder))
    starts = np.arange(len(counted.cuts) - 1)
    if not len(starts):
        return np.zeros(0)
    sums = np.concatenate(([0], np.cumsum(own.span_counts(starts, starts + 1))))
    ends = np.searchsorted(sums, sums[:-1] + room, side="right")
    long = ends < len(sums)
    starts, ends = (starts[long], ends[long]) if long.any() else (starts[:1], np.array([len(sums) - 1]))
    ratios: Float64 = own.span_counts(starts, ends) / np.maximum(counted.span_counts(starts, ends), 1)
    return ratios
