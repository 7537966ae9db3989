"""The causes of what is missing, from what would be found if one thing were different."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.document import Span
from chunking.embedding.contract import UNLIMITED
from chunking.retrieval.misses.contract import CAUSES, Cause, EncoderInput, Miss, Replacement
from chunking.retrieval.misses.missing import PartialMiss
from chunking.retrieval.misses.row import AnalyzedRow


def judged(row: AnalyzedRow, drafts: Sequence[PartialMiss]) -> list[Miss]:
    """Return all that is missing with its causes, in the same order."""
    return _Judge(row).judged(drafts)


class _Judge:
    def __init__(self, row: AnalyzedRow) -> None:
        self._row = row
        self._known, self._passages, self._bench = row.known, row.passages, row.bench

    def judged(self, drafts: Sequence[PartialMiss]) -> list[Miss]:
        """Return the causes of all that is missing."""
        if self._row.dense:
            self._compare(drafts)
            self._read(drafts)
        return [self._miss(draft) for draft in drafts]

    def _compare(self, drafts: Sequence[PartialMiss]) -> None:
        """Compute the similarities that no ranking contains."""
        asked: list[tuple[PartialMiss, str, str]] = []
        for draft in drafts:
            text = self._known.sources[draft.document].text
            spans = {"alone": draft.alone, "joined": draft.joined}
            before = self._passages.before(draft.passage) if draft.passage is not None else ""
            asked += [(draft, name, before + text[span.start : span.end]) for name, span in spans.items() if span]
            if draft.passage is not None:
                asked.append((draft, "passage", self._passages.indexed_text(draft.passage, self._known.sources)))
        if not asked:
            return
        vectors = self._bench.embed([text for *_, text in asked], "answers")
        own = self._row.asked[[draft.question for draft, *_ in asked]]
        for (draft, name, _), score in zip(asked, np.einsum("ij,ij->i", vectors, own).tolist(), strict=True):
            draft.scores[name] = score

    def _read(self, drafts: Sequence[PartialMiss]) -> None:
        """How far the encoder reads."""
        limit = self._bench.encoder.max_tokens
        held = [(draft, draft.passage) for draft in drafts if draft.passage is not None]
        if limit >= UNLIMITED or not held:
            return
        texts = [self._passages.indexed_text(passage, self._known.sources) for _, passage in held]
        begins = [
            len(self._passages.before(passage)) + max(draft.start - int(self._passages.leads[passage]), 0)
            for draft, passage in held
        ]
        sizes = self._bench.encoder.token_counts(texts).tolist()
        before = self._bench.encoder.token_counts([text[:at] for text, at in zip(texts, begins, strict=True)]).tolist()
        for (draft, _), size, count in zip(held, sizes, before, strict=True):
            draft.read = EncoderInput(count, size, limit)

    def _instead(self, draft: PartialMiss, name: str, span: Span | None, without: Sequence[int]) -> Replacement | None:
        if span is None or draft.passage is None:
            return None
        text = self._known.sources[draft.document].text[span.start : span.end]
        tokens = int(self._bench.tokenizer.count([text])[0])
        place = min(without)
        rank, within = self._row.ranked(draft.question).stand(
            draft.scores[name], tokens, place, without, self._row.within
        )
        return Replacement(span.start, span.end, tokens, draft.scores[name], rank, within)

    def _miss(self, draft: PartialMiss) -> Miss:
        documents = self._known.truth == "documents"
        own = [draft.document] if documents else [] if draft.passage is None else [draft.passage]
        alone = self._instead(draft, "alone", draft.alone, own)
        joined = self._instead(draft, "joined", draft.joined, draft.sharing) if self._row.dense else None
        found = bool(alone and alone.within)
        holds: dict[Cause, bool] = {
            "absent": draft.passage is None,
            "cut": bool((draft.parted and draft.partly) or (joined and joined.within and (draft.parted or not found))),
            "reach": bool(draft.read and draft.read.beyond),
            "diluted": found,
            "outranked": draft.passage is not None and not found,
        }
        cause, *also = [each for each in CAUSES if holds[each]]
        text = self._known.sources[draft.document].text[draft.start : draft.end]
        return Miss(
            cause=cause,
            also=tuple(also),
            document=draft.document,
            start=draft.start,
            end=draft.end,
            answer=draft.answer,
            passage=draft.passage,
            rank=draft.rank,
            score=self._score(draft),
            tokens=int(self._passages.tokens[draft.passage]) if draft.passage is not None else 0,
            own_tokens=int(self._bench.tokenizer.count([text])[0]),
            whole=draft.whole,
            alone=alone,
            joined=joined,
            read=draft.read,
            cuts=draft.cuts,
        )

    def _score(self, draft: PartialMiss) -> float | None:
        """Of the passage: as the ranking has it, else as it was compared."""
        at = np.flatnonzero(self._row.hits.passages[draft.question] == draft.passage)
        return float(self._row.hits.scores[draft.question][at[0]]) if len(at) else draft.scores.get("passage")
