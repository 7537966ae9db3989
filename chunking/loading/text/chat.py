"""Blocks of conversations: chat logs, exported chats, transcripts, interviews and plays.

The speaker is read from the start of a line. A text uses one form of labels, or a few, and lines that only look like
labels (``Note: …``) are rare; so all forms are tried on the whole text, and those that mark enough lines are used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from chunking.document import Block
from chunking.loading.spans import line_spans, trim_span
from chunking.runtime.patterns import compile_pattern

_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[.,]\d{1,3})?(?:[ \u00a0\u202f]?[AaPp]\.?[Mm]\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_STAMP = rf"(?:{_DAY},?[ \u00a0\u202fT]{{1,2}})?{_CLOCK}"
_BRACKETED = rf"[\[(]{_STAMP}[\])]"

_NAME = r"[^\W\d_][\w.'’&@#-]{0,30}+(?:[ \u00a0][\w.'’&@#()-]{1,30}+){0,4}"
_CAPITALS = r"[A-Z0-9\u00c0-\u00de][A-Z0-9\u00c0-\u00de.'’-]{0,30}+"
_WORD_IN_CAPITALS = r"[A-Z\u00c0-\u00de]{3,30}+"
_HANDLE = r"[~@+]?[^\s:<>][^:<>\r\n]{0,60}?"

_FORMS: Final[dict[str, re.Pattern[str]]] = {
    # 10/02/2024, 10:31 - Dave: words, as in WhatsApp on Android
    "dated": compile_pattern(
        rf"[\u200e\u200f]?{_DAY},?[ \u00a0\u202f]{_CLOCK}[ \u00a0\u202f][-–—][ ]"
        rf"(?:(?P<name>{_HANDLE}):(?:\s|$))?"
    ),
    # [10:31] Bob: words; [10.02.24, 10:31:00] Bob: words, as on iPhones; [10:31] <bob> words
    "stamped": compile_pattern(
        rf"[\u200e\u200f]?{_BRACKETED}[ ]+(?:<[ @+%&~]?(?P<nick>[^\s<>]{{1,40}})>|(?P<name>{_HANDLE}):(?=\s|$))\s*"
    ),
    # 10:31 Bob: words; 00:01:02 <bob> words
    "timed": compile_pattern(
        rf"{_STAMP}[ ]+(?:-[ ])?(?:<[ @+%&~]?(?P<nick>[^\s<>]{{1,40}})>|(?P<name>{_NAME}):(?=\s|$))\s*"
    ),
    # <carol> words
    "nick": compile_pattern(r"<[ @+%&~]?(?P<name>[^\s<>/][^\s<>]{0,40})>\s+"),
    # **Eve** (10:31): words
    "bold": compile_pattern(
        rf"\*\*(?P<name>[^*\r\n:]{{1,60}}):?\*\*(?:[ ]*{_BRACKETED}|[ ]*{_CLOCK})?"
        r"(?::|(?<=:\*\*)|(?<=[\])])(?=\s*$))\s*"
    ),
    # SPEAKER 1 00:00:10, the words on the next lines; Ada Byron (00:10); Ada, [02.03.2026 08:14] of Telegram
    "over": compile_pattern(rf"(?P<name>{_NAME}),?[ \t]{{1,4}}(?:{_BRACKETED}|{_CLOCK})\s*+:?\s*+$"),
    # 00:00:10 SPEAKER 1, the same in the other order
    "under": compile_pattern(rf"(?:{_BRACKETED}|{_STAMP})[ \t]{{1,4}}(?P<name>{_NAME})\s*+:?\s*+$"),
    # Alice: words; Dr. Bob (laughing): words; Alice [00:10]: words
    "named": compile_pattern(rf"(?P<name>{_NAME})(?:[ ]{_BRACKETED})?(?:[ \u00a0\u202f]?:(?=\s|$)|：)\s*"),
    # Q: words; A. words; Q1: words; 12  A.  words, with the number of the line
    "questions": compile_pattern(r"(?:\d{1,2}[ \t]{1,10})?(?P<name>[QA])(?:[ ]?\d{0,3}[:.)]\s+|\t+)"),
    # MR. HALE: words, between questions and answers
    "court": compile_pattern(rf"(?P<name>{_CAPITALS}(?: {_CAPITALS}){{0,4}}):\s+"),
    # NAME alone on a line, the words below it
    "stage": compile_pattern(rf"(?P<name>{_CAPITALS}(?: {_CAPITALS}){{0,3}})(?: \([^()\r\n]{{1,40}}\))?\s*$"),
    # NAME. words, as in plays; NAME. alone on a line
    "play": compile_pattern(rf"(?P<name>{_WORD_IN_CAPITALS}(?: {_WORD_IN_CAPITALS}){{0,3}})\.(?:\s+|$)"),
}
"""Forms of the start of a turn. A match without a name is a message of the system."""

_SYSTEM = compile_pattern(rf"(?:(?:{_BRACKETED}|{_STAMP})[ ]+)?(?:\*{{1,3}}|-!-|-->|<--|---)[ ]")
_TIME = compile_pattern(_CLOCK)
_TIMED_LINE = compile_pattern(rf"(?:{_BRACKETED}|{_STAMP})[ ]+\S")

_LOG_LEVELS = (
    *("trace", "debug", "info", "notice", "note", "warn", "warning", "error", "err", "fatal", "critical", "alert"),
    *("emerg", "hint", "tip", "todo", "fixme"),
)
"""Recurring labels that are not speakers."""

_ROLES = frozenset(("user", "assistant", "system", "human", "ai", "bot", "model", "agent", "customer", "tool"))
"""Speakers whose names are in lower case, in the records of chat models."""

_FINAL = tuple('.!?…。！？؟।”"»)')
_WIDE = compile_pattern(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
"""Two characters of a script that puts no spaces between words, or of one with long words: about one word."""

_MIN_WORDS = 3
"""Minimum mean number of words in a turn; the fields of a record have fewer."""

_LONG_NAME = 3
"""Words in a name from which it counts only if it recurs."""

_LONG_TITLE = 5
"""Maximum length of a title with its stop, such as ``Prof.``."""

MIN_TURNS = 2
"""Minimum turns of each of two speakers in a clear conversation."""


class _Line(NamedTuple):
    """A line without white space at its ends.

    Attributes:
        start, end: its span.
        alone: whether the line above is blank or missing.
        colon: whether it has a colon.
    """

    start: int
    end: int
    alone: bool
    colon: bool


class _Label(NamedTuple):
    """The label of a line: the speaker (empty: the system), and the start of the words."""

    name: str
    content: int


def blocks(text: str) -> tuple[Block, ...] | None:
    """Return the turns of a conversation, in order; ``None`` if a text has no speakers.

    A turn is a ``speaker_turn`` from the line with the speaker's name to the last line before the next one, including
    blank lines; ``title`` is the name, ``content`` the start of the words after name and time. Text before the first
    turn, and lines of the system (somebody joined, a bare date), are paragraphs; a label without words is no block.
    Supported forms::

        Alice: …              [10:31] Bob: …        <carol> …           10/02/2024, 10:31 - Dave: …
        **Eve** (10:31): …    10:31 Frank: …        Q: … / A: …         SPEAKER 1 00:00:10 above the words
        GRACE above the words GRACE. …
    """
    lines = _lines(text)
    labels = _labels(text, lines, sure=False)
    return tuple(_blocks(text, lines, labels)) if not lines or any(label and label.name for label in labels) else None


def turns(text: str) -> tuple[Block, ...] | None:
    """Return the blocks of a text that is clearly a conversation; ``None`` if it may be something else.

    In a conversation at least two speakers have :data:`MIN_TURNS` turns or more each, unless all turns have a time, few
    have fewer, turns are most of the text, and half of its paragraphs have labels. Records (recurring ``Name: …`` and
    ``Age: …``) and logs (``ERROR: …``) are not conversations.
    """
    lines = _lines(text)
    labels = _labels(text, lines, sure=True)
    names = [label.name for label in labels if label and label.name]
    spoken = Counter(names)
    regular = [count for count in spoken.values() if count >= MIN_TURNS]
    is_record = {"Q", "A"} <= spoken.keys()
    timed = sum(
        bool(label and _TIME.search(text, line.start, label.content)) for line, label in zip(lines, labels, strict=True)
    )
    if len(spoken) > 1 and len(names) > MIN_TURNS and timed == len(names):
        regular = list(spoken.values())  # with a time before each turn, one is enough
    rare = not is_record and 5 * sum(regular) < 4 * spoken.total()
    if len(regular) < 2 or rare or (not is_record and _are_fields(names)):
        return None
    turn_blocks = tuple(_blocks(text, lines, labels))
    spoken_length = sum(block.end - block.start for block in turn_blocks if block.kind == "speaker_turn")
    length = sum(block.end - block.start for block in turn_blocks)
    if not _are_spoken([text[block.content : block.end] for block in turn_blocks if block.kind == "speaker_turn"]):
        return None
    paragraphs = sum(line.alone for line in lines)
    labelled = sum(label is not None for label in labels)
    return turn_blocks if 5 * spoken_length >= 4 * length and 2 * labelled >= paragraphs else None


def _are_spoken(speeches: Sequence[str]) -> bool:
    """Return whether turns have as many words as speech, or end like sentences; the fields of a record do neither."""
    words = sum(len(speech.split()) + len(_WIDE.findall(speech)) for speech in speeches)
    sentences = sum(speech.endswith(_FINAL) for speech in speeches)
    return words >= _MIN_WORDS * len(speeches) or 3 * sentences >= 2 * len(speeches)


def _are_fields(names: Sequence[str]) -> bool:
    """Return whether labels belong to records or logs: always in one order, or levels of a log."""
    if 2 * sum(name.lower() in _LOG_LEVELS for name in names) > len(names):
        return True
    following = set(pairwise(names))
    return len(set(names)) > 2 and len(following) <= len(set(names))


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    alone = True
    for span in line_spans(text):
        start, end = trim_span(text, *span)
        if start < end:
            lines.append(_Line(start, end, alone, text.find(":", start, end) >= 0 or text.find("：", start, end) >= 0))
        alone = start == end
    return lines


def _labels(text: str, lines: Sequence[_Line], sure: bool) -> list[_Label | None]:
    """Return the label of each line, by the forms that mark enough lines."""
    matched = {form: _matches(form, text, lines) for form in _FORMS}
    forms = [form for form, labels in matched.items() if _counts(form, labels, len(lines), sure)]
    if "questions" in forms:
        # In the record of a hearing, others speak now and then.
        forms.append("court")
    if any(form in forms for form in ("dated", "stamped", "timed", "nick")):
        # If every message has a time, a name and colon inside one belong to its words.
        forms = [form for form in forms if form in ("dated", "stamped", "timed", "nick")]
    elif "over" in forms or "under" in forms:
        forms = [form for form in forms if form in ("over", "under")]
    system = bool({"dated", "stamped", "timed", "nick"} & set(forms))
    labels: list[_Label | None] = []
    for index, line in enumerate(lines):
        label = next((matched[form][index] for form in forms if index in matched[form]), None)
        if label is None and system and _is_system(text, line, forms):
            label = _Label("", line.start)
        labels.append(label)
    return labels


def _matches(form: str, text: str, lines: Sequence[_Line]) -> dict[int, _Label]:
    """Return the labels of lines that begin in a form, by their index."""
    labels: dict[int, _Label] = {}
    pattern = _FORMS[form]
    needs_blank_line, needs_colon = form in ("stage", "play"), form in ("named", "court")
    for index, line in enumerate(lines):
        # Most lines have neither, and the forms with names are the slowest.
        if (needs_blank_line and not line.alone) or (needs_colon and not line.colon):
            continue
        match = pattern.match(text, line.start, line.end)
        if match is None:
            continue
        is_single = index + 1 == len(lines) or lines[index + 1].alone
        if needs_blank_line and is_single and match.end() == line.end:
            continue
        groups = match.groupdict()
        name = groups.get("name") or groups.get("nick") or ""
        content = match.end() if name else line.start
        labels[index] = _Label(" ".join(name.strip(" \u200e\u200f:").split()), content)
    names = Counter(label.name for label in labels.values())
    odd = {name for name, count in names.items() if count == 1 and _is_phrase(name, form)}
    if form == "dated":
        return {
            index: _Label("", lines[index].start) if label.name in odd else label for index, label in labels.items()
        }
    return {index: label for index, label in labels.items() if label.name not in odd}


def _is_phrase(name: str, form: str) -> bool:
    """Return whether an apparent name may be the beginning of a sentence."""
    sentence = any(word.endswith(".") and (word[0].islower() or len(word) > _LONG_TITLE) for word in name.split()[:-1])
    return sentence or name.count(" ") >= _LONG_NAME or (form in ("named", "over", "under") and _is_small(name))


def _is_small(name: str) -> bool:
    """Return whether a name is in lower case, like a key or a word, and none of :data:`_ROLES`."""
    return name[:1].islower() and name not in _ROLES


def _counts(form: str, labels: dict[int, _Label], lines: int, sure: bool) -> bool:
    """Return whether enough lines begin in this form for it to mark speakers."""
    names = Counter(label.name for label in labels.values() if label.name)
    if not names:
        return False
    again = sum(count for count in names.values() if count >= MIN_TURNS)
    if form in ("dated", "stamped", "bold", "nick"):
        return len(labels) > 1 or not sure
    if form == "court":
        return False  # it needs questions and answers around it
    if form == "questions":
        return set(names) == {"Q", "A"} and abs(names["Q"] - names["A"]) <= max(names["Q"], names["A"]) // 2
    if sure:
        # Keys of a configuration are in lower case.
        small = sum(count for name, count in names.items() if _is_small(name))
        return len(names) > 1 and 3 * again >= 2 * names.total() and 2 * small < names.total()
    return names.total() >= 2 or lines == 1


def _is_system(text: str, line: _Line, forms: Sequence[str]) -> bool:
    if _SYSTEM.match(text, line.start, line.end):
        return True
    return any(form in forms for form in ("stamped", "timed")) and bool(_TIMED_LINE.match(text, line.start, line.end))


def _blocks(text: str, lines: Sequence[_Line], labels: Sequence[_Label | None]) -> list[Block]:
    turn_blocks: list[Block] = []
    label: _Label | None = None
    start = end = -1

    def close() -> None:
        if start < 0:
            return
        if label is None or not label.name:
            turn_blocks.append(Block("paragraph", start, end))
            return
        content, stop = trim_span(text, label.content, end)
        if content < stop:
            turn_blocks.append(Block("speaker_turn", start, end, content=content, title=label.name))

    for line, begins in zip(lines, labels, strict=True):
        is_unnamed = label is None or not label.name
        if begins is not None or start < 0 or (is_unnamed and line.alone):
            close()
            start, label = line.start, begins
        end = line.end
    close()
    return turn_blocks
