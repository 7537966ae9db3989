"""Which drafts of blocks are headings."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.loading.binary.pdf.blocks import BlockDraft, BodyStyle, has_leaders
from chunking.loading.binary.pdf.numbering import NUMBERING
from chunking.runtime.patterns import compile_pattern

MAX_HEADING = 200
"""Characters that a heading may have."""

_DOTTED = compile_pattern(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+\.?\s+(?=[^\W\d_a-z])")
_NO_END = tuple(",;。、，")
_STOPS = tuple(".:")


def is_heading(drafts: Sequence[BlockDraft], number: int, body: BodyStyle) -> bool:
    """Return whether a draft looks like a heading: larger than the body, or bold, in capitals or numbered and apart."""
    draft = drafts[number]
    if len(draft.lines) > 4:
        return False
    lines = draft.lines
    text = draft.text
    size = max(line.size for line in lines)
    bold = all(line.bold for line in lines) and not body.bold
    larger = size > 1.08 * body.size + 0.3
    if not (larger or bold or text.isupper() or _DOTTED.match(text)) or has_leaders(text):
        return False
    letters = sum(map(str.isalpha, text))
    if len(text) > MAX_HEADING or letters < 1 or text.endswith(_NO_END):
        return False
    if larger:
        return (letters > 1 or size < 2 * body.size) and not (text.endswith(".") and text.count(" ") > 12)
    if len(lines) > 2 or len(text) > MAX_HEADING * 2 // 3 or 3 * letters < len(text):
        return False
    numbering = NUMBERING.match(text)
    stops = text.endswith(_STOPS) and not (numbering and numbering.end() == len(text))
    is_apart = _is_apart(drafts, number, body)
    if bold:
        return (is_apart and not stops and size > 0.7 * body.size) or (bool(numbering) and not stops)
    if size < 0.95 * body.size or stops or not is_apart or len(lines) > 1:
        return False
    if text.isupper() and letters >= 4:
        return draft.layout == "text"
    return bool(_DOTTED.match(text)) and text.count(" ") < 12 and not text.endswith((".", "!", "?"))


def _is_apart(drafts: Sequence[BlockDraft], number: int, body: BodyStyle) -> bool:
    """Return whether a draft has more space above than lines have, or begins its column, and text follows it."""
    draft = drafts[number]
    last = draft.lines[-1]
    following = drafts[number + 1] if number + 1 < len(drafts) else None
    if following is None or following.layout == "rotated":
        return False
    first = draft.lines[0]
    if draft.space < 0:
        return True
    if draft.step > 1.15 * body.pitch(first.size) + 0.5:
        return True
    below = following.lines[0]
    return below.region == last.region and below.bottom - last.bottom > 1.3 * body.pitch(last.size)
