"""The front matter of Markdown: data about a page, above its text.

=========== ===========================================================================================================
YAML        between ``---`` and ``---`` or ``...``; the language may be named (``---yaml``); below ``---`` alone, a key
            must be the first line that is no comment, and no line may begin with words that are no key, since the
            lines may be rules around text
TOML, JSON  between ``+++``, ``;;;`` or ``---toml`` and the same marks without the name; an object alone
keys alone  at least two above ``---``, as in Hexo, which would underline them
=========== ===========================================================================================================
"""

from __future__ import annotations

import json

from chunking.runtime.patterns import compile_pattern

_END = r"(?:\r\n?+|\n)"
_BLANK = rf"(?:[ \t]*+{_END})*+"
_BLANK_OR_COMMENT = rf"(?:[ \t]*+{_END}|#[^\r\n]*+{_END})*+"
# No repeat gives back what it took: CRLF would be one line end or two, at every line.
_FORMS = tuple(
    (
        compile_pattern(rf"\A{_BLANK}{opening}"),
        compile_pattern(rf"(?:\r\n?|\n)(?:{closing})[ \t]*(?=[\r\n]|\Z)"),
    )
    for opening, closing in (
        (rf"---[ \t]*+{_END}{_BLANK_OR_COMMENT}[\w.\"'][\w.\"'-]*+(?:[ ][\w.-]++){{0,2}}[ \t]*+:(?!\S)", r"---|\.\.\."),
        (r"---(?:ya?ml|toml|json|js|javascript)(?=[ \t]*+[\r\n])", r"---|\.\.\."),
        (rf"\+\+\+[ \t]*+{_END}{_BLANK_OR_COMMENT}[ \t]*+(?:[\w.\"'-]++[ \t]*+=|\[)", r"\+\+\+"),
        (rf";;;[ \t]*+(?={_END}{_BLANK}[ \t]*+\{{)", ";;;"),
    )
)
"""How a front matter begins and ends."""

_KEYS = compile_pattern(
    rf"(?:[\w-]++:(?:[ \t][^\r\n]*+)?+{_END}(?:(?!---)[ \t-][^\r\n]*+{_END})*+){{2,200}}+---[ \t]*(?=[\r\n]|\Z)"
)
_LINE_END = compile_pattern(r"\r\n?+|\n")
_KEY = compile_pattern(r"[\w.\"'-]++(?:[ ][\w.\"'-]++){0,4}[ \t]*+:(?!\S)")
_SENTENCE = compile_pattern(r"[A-Z\u00c0-\u00de]\w*+:[ \t]++(?:[^\s]++[ \t]++){4,200}+[^\s]*[\w)”][.!?]")
"""A line that is a sentence after a word (``Note: …``)."""

_OBJECT = compile_pattern(rf"{_BLANK}(?=\{{\s*+\")")
_AFTER_OBJECT = compile_pattern(r"[ \t]*(?:[\r\n]|\Z)")
_MAX_OBJECT = 50_000
"""Length up to which an object may be front matter, in characters."""


def front_matter_end(text: str) -> int:
    """Return the end of a leading front matter, without its line end; 0 if there is none."""
    for opening, closing in _FORMS:
        begin = opening.match(text)
        if begin:
            end = closing.search(text, begin.end())
            if end and opening is _FORMS[0][0] and _is_prose(text[begin.start() : end.start()]):
                return 0
            return len(text[: end.end()].rstrip(" \t")) if end else 0
    keys = _KEYS.match(text)
    return len(keys.group().rstrip(" \t")) if keys else _object_end(text)


def _is_prose(text: str) -> bool:
    """Return whether lines between rules are no data: a line without a key, or a single one that is a sentence."""
    lines = [line for line in _LINE_END.split(text.lstrip())[1:] if line.strip()]
    if any(line[0].isalnum() and not _KEY.match(line) for line in lines):
        return True
    return len(lines) == 1 and bool(_SENTENCE.fullmatch(lines[0]))


def _object_end(text: str) -> int:
    """Return the end of an object of JSON that is alone on its lines; 0 if there is none."""
    begin = _OBJECT.match(text)
    if begin is None:
        return 0
    try:
        value, end = json.JSONDecoder().raw_decode(text[: begin.end() + _MAX_OBJECT], begin.end())
    except (ValueError, RecursionError):
        return 0
    return end if value and _AFTER_OBJECT.match(text, end) else 0
