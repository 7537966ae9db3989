"""What a change costs an index: the chunks that stay in it, and the tokens that have to be embedded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from difflib import SequenceMatcher
from operator import add

from chunking import tokens
from chunking.export import chunk_ids
from chunking.retrieval.search.context import prefixes
from chunking.strategies.base import Segmentation


@dataclass(frozen=True)
class EmbeddedChunk:
    """A chunk as an index has it.

    Attributes:
        id: of all that is embedded for it, see :func:`chunking.export.chunk_ids`.
        tokens: that are embedded, with overlap, heading path and table header.
    """

    id: str
    tokens: int


def embedded_chunks(segmentation: Segmentation, tokenizer: str) -> list[EmbeddedChunk]:
    """Return the chunks of a document as an index has them, embedded with their heading paths.

    Args:
        segmentation: the chunks.
        tokenizer: name of what counted their tokens.
    """
    chunks = segmentation.chunks
    before = tokens.get_tokenizer(tokenizer).count(prefixes(chunks, segmentation.document, "headings")).tolist()
    ids = chunk_ids(segmentation)
    return [
        EmbeddedChunk(chunk_id, chunk.indexed_tokens + prefix_tokens)
        for chunk_id, chunk, prefix_tokens in zip(ids, chunks, before, strict=True)
    ]


@dataclass(frozen=True)
class UpdateCost:
    """What becomes of the chunks in an index.

    Attributes:
        kept: chunks that stay; their vectors serve as they are.
        changed: chunks in the place of others.
        new: chunks that have to be embedded and are in the place of none.
        removed: chunks that go and have none in their place.
        embedded: tokens to embed: those of the changed and the new chunks.
        tokens: of all chunks afterwards.
    """

    kept: int = 0
    changed: int = 0
    new: int = 0
    removed: int = 0
    embedded: int = 0
    tokens: int = 0

    @property
    def differs(self) -> bool:
        """Whether the index has to be changed."""
        return self.changed + self.new + self.removed > 0

    @property
    def share(self) -> float:
        """Share of the tokens that have to be embedded, 0 to 1."""
        return self.embedded / self.tokens if self.tokens else 0.0

    def price(self, rate: float) -> float:
        """Return what the embedding costs at a rate for a million tokens, in its currency."""
        return self.embedded * rate / 1e6

    def __add__(self, other: UpdateCost) -> UpdateCost:
        return UpdateCost(*map(add, astuple(self), astuple(other)))


def update_cost(before: Sequence[EmbeddedChunk], after: Sequence[EmbeddedChunk]) -> UpdateCost:
    """Return what it costs to bring an index of a document from some chunks to others.

    Args:
        before, after: the chunks of the document in order; none where the document is not there.
    """
    kept_ids = {chunk.id for chunk in before} & {chunk.id for chunk in after}
    matcher = SequenceMatcher(None, [chunk.id for chunk in before], [chunk.id for chunk in after], autojunk=False)
    changed = 0
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        if kind != "equal":
            gone = sum(chunk.id not in kept_ids for chunk in before[first:last])
            come = sum(chunk.id not in kept_ids for chunk in after[other_first:other_last])
            changed += min(gone, come)
    new = sum(chunk.id not in kept_ids for chunk in after)
    return UpdateCost(
        kept=len(kept_ids),
        changed=changed,
        new=new - changed,
        removed=len(before) - len(kept_ids) - changed,
        embedded=sum(chunk.tokens for chunk in after if chunk.id not in kept_ids),
        tokens=sum(chunk.tokens for chunk in after),
    )
