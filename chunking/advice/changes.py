"""What would change an advice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chunking.advice.maximum import AdvisedMaximum
from chunking.advice.profile import FEWEST_HEADINGS, THRESHOLDS, DocumentProfile, Kind
from chunking.advice.rule import RANKINGS
from chunking.advice.scores import ENOUGH
from chunking.embedding.own_tokens import AS_ENCODER


def changes(profile: DocumentProfile, kind: Kind, maximum: AdvisedMaximum) -> tuple[str, ...]:
    """Return what would change the advice for a document, the likeliest first.

    Args:
        profile: the facts about the document.
        kind: of the document.
        maximum: that is part of the advice.
    """
    return (*_layout(profile, kind), *_encoder(profile, maximum), _OWN_SCORES)


_OWN_SCORES = (
    f"Reference boundaries of {ENOUGH} documents or more, or questions, on which another candidate is significantly "
    "better: they come before the rule."
)


def _layout(profile: DocumentProfile, kind: Kind) -> Iterator[str]:
    if kind in ("headings", "long_sections"):
        yield from _sections(profile, kind)
    if kind in ("technical", "prose"):
        yield (
            f"{FEWEST_HEADINGS} headings or more, for instance from the original file instead of plain text: "
            f"{RANKINGS['headings'][0]}, or {RANKINGS['long_sections'][0]} where many sections exceed the maximum."
        )
    if kind == "prose":
        share = 100 * THRESHOLDS.marked
        yield (
            f"More than {share:.0f} % of the sentences in lists, tables, quotes or code: {RANKINGS['technical'][0]}."
        )  # fmt: skip
    if kind in ("code", "json", "yaml", "blocks"):
        yield "The same text in another format, such as Markdown or plain text: the advice for text."


def _sections(profile: DocumentProfile, kind: Kind) -> Iterator[str]:
    other = RANKINGS["long_sections" if kind == "headings" else "headings"][0]
    edge = int(np.quantile(profile.sections, 1 - THRESHOLDS.long_sections, method="higher"))
    if not profile.foreign and profile.maximum and kind == "headings":
        yield f"A maximum below {edge:,} tokens, which more than {_LONG} of the sections exceed: {other}."
    if kind == "long_sections":
        yield f"A maximum of {edge:,} tokens or more, which at most {_LONG} of the sections exceed: {other}."
    yield f"Without the headings, as plain text: {RANKINGS['technical'][0]} or {RANKINGS['prose'][0]}."


_LONG = f"{100 * THRESHOLDS.long_sections:.0f} %"


def _encoder(profile: DocumentProfile, maximum: AdvisedMaximum) -> Iterator[str]:
    if profile.foreign:
        yield "An encoder that was trained on the language of the document: the advice for text in a known language."
    if maximum.limit and not maximum.exact:
        yield f"--tokenizer {AS_ENCODER}: the maximum is then counted as the encoder counts, and exact."
    if maximum.limit:
        yield "An encoder with another limit: another maximum."
