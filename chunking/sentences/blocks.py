"""The sentences of each kind of block, and the text of a block that a splitter gets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from chunking.document import Block, Document
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.surrogates import replace_surrogates
from chunking.sentences.rules import NUMBERED
from chunking.sentences.sentences import Ranges, trim

_CLOSING_HASHES = compile_pattern(r"(?:^|(?<![ \t])[ \t]++)#++[ \t]*+$")
_DELIMITER_ROW = compile_pattern(r"(?:(?!--|==|-:|:-)[\s|:+=-])*+(?:--|==|-:|:-)[\s|:+=-]*+")
_SHORT_DELIMITER_ROW = compile_pattern(r"[\s|:>-]+")
_LATEX_RULE = compile_pattern(
    r"(?:\\(?:[hc]line|toprule|midrule|bottomrule|cmidrule|addlinespace|endhead|endfirsthead|endfoot|endlastfoot|label|"
    r"centering)\s*+(?:\([^()]*+\)|\[[^\[\]]*+\]|\{[^{}]*+\})*+\s*+)++"
)

_LINE = compile_pattern(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_ITEM_NUMBER = compile_pattern(r"(?:([^\W\d_]{1,10})\.?\s{1,3})?[(\[]?(?:\d{1,3}|[ivxlc]{1,4}|[a-z])[.)\]]{1,2}")


def fixed_ranges(document: Document, block: Block) -> Ranges | None:
    """Return the sentences of a block that needs no splitter; None for the other blocks."""
    if block.kind == "page_break":
        return []
    if block.kind == "table":
        return _rows(document, block)
    if block.kind not in ("heading", "code"):
        return None
    end = block.end
    if block.kind == "heading" and "#" in document.text[block.start : block.content]:
        hashes = _CLOSING_HASHES.search(document.text[block.content : end].rstrip())
        end = block.content + hashes.start() if hashes else end
    trimmed = trim(document.text, block.content, end)
    return [trimmed] if trimmed else []


def _rows(document: Document, block: Block) -> Ranges:
    """Return the rows of a table, without the rule under its head (in Markdown always the second line).

    In CSV a row is a record, which may contain line ends in a quoted cell.
    """
    if document.format == "csv":
        records = _records(document.text, block)
        return [row for record in records if (row := trim(document.text, *record))]
    if document.is_markdown and document.text.startswith("<", block.content):
        html_rows = _html_rows(document.text, block)
        return [row for html_row in html_rows if (row := trim(document.text, *html_row))]
    quote = _quote_prefix(document.text, block)
    rows: Ranges = []
    for number, match in enumerate(_LINE.finditer(document.text, block.content, block.end)):
        marker = quote.match(document.text, match.start()) if quote else None
        row = trim(document.text, marker.end() if marker else match.start(), match.end())
        if row is None:
            continue
        if document.is_markdown and number == 1:
            is_rule = _SHORT_DELIMITER_ROW.fullmatch(document.text, *row)
        elif document.format == "latex":
            is_rule = _LATEX_RULE.fullmatch(document.text, *row)
        else:
            is_rule = _DELIMITER_ROW.fullmatch(document.text, *row)
        if not is_rule:
            rows.append(row)
    return rows


_TABLE_TAG = compile_pattern(r"<(/?)(?:(table)|tr)(?=[\s>/])[^<>]*+>?+", re.IGNORECASE)
_TAG = compile_pattern(r"<[^<>]*+>")


def _html_rows(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Yield the rows of an HTML table; a row of a table in a cell is part of that cell's row.

    What precedes the first row is a row if it has words: a caption.
    """
    start, depth = block.content, 0
    for tag in _TABLE_TAG.finditer(text, block.content, block.end):
        closing, is_table = bool(tag[1]), bool(tag[2])
        if is_table:
            depth += -1 if closing else 1
        elif depth == 1 and (closing or _shows_words(text[start : tag.start()])):
            end = tag.end() if closing else tag.start()
            yield start, end
            start = end
        elif depth == 1:
            start = tag.start()
    if _shows_words(text[start : block.end]):
        yield start, block.end


def _shows_words(html: str) -> bool:
    return any(map(str.isalnum, _TAG.sub("", html)))


_CSV_QUOTED = compile_pattern(r'"(?:[^"]|"")*+"')
_CSV_DELIMITERS = ",;\t|"


def _records(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Yield the records of CSV (RFC 4180), with any of the usual delimiters.

    A cell is quoted if its first character is a quotation mark. From a quotation that never ends, quotes are plain
    text.
    """
    first = text[block.content : block.end].splitlines()[0] if block.content < block.end else ""
    delimiter = max(_CSV_DELIMITERS, key=first.count)
    stop = compile_pattern(rf"[{re.escape(delimiter)}\r\n]")
    start = offset = block.content
    quoting = True
    while offset < block.end:
        if quoting and text[offset] == '"':
            quoted = _CSV_QUOTED.match(text, offset, block.end)
            quoting = bool(quoted)
            offset = quoted.end() if quoted else offset
        match = stop.search(text, offset, block.end)
        offset = match.end() if match else block.end
        if match is None or match.group() != delimiter:
            yield start, offset
            start = offset
    if start < block.end:
        yield start, block.end


def plain_text(text: str, block: Block) -> str:
    """Return a block's content at the same length: quotation marks (``>``) become spaces, lone surrogates U+FFFD."""
    words = text[block.content : block.end]
    quote = _quote_prefix(text, block)
    if quote:
        words = quote.sub(lambda match: " " * len(match.group()), words)
    return replace_surrogates(words)


def _quote_prefix(text: str, block: Block) -> re.Pattern[str] | None:
    """Return a pattern for the prefix of each further line of a quoted block; None outside a quotation."""
    depth = text[block.start : block.content].count(">")
    return _prefix_pattern(min(depth, 100)) if depth else None


@lru_cache(maxsize=128)
def _prefix_pattern(depth: int) -> re.Pattern[str]:
    return compile_pattern(rf"(?<=[\n\r])(?:[ \t]*>){{1,{depth}}}")


def tidy_ranges(text: str, ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Trim the ranges, drop blank ones, and join fragments with their neighbours.

    A range without letter or digit is joined to the one before it (the first one to the next). The number of an item
    (``2.``, ``Section 2.``) is joined to the range after it.
    """
    tidy: Ranges = []
    waiting = False
    for start, end in ranges:
        trimmed = trim(text, start, end)
        if trimmed is None:
            continue
        piece = text[trimmed[0] : trimmed[1]]
        worded = any(map(str.isalnum, piece))
        if tidy and (waiting or not worded):
            tidy[-1] = (tidy[-1][0], trimmed[1])
            waiting = waiting and not worded
        else:
            tidy.append(trimmed)
            waiting = not worded
        number = _ITEM_NUMBER.fullmatch(piece)
        waiting = waiting or bool(number and (number[1] is None or number[1].lower() in NUMBERED))
    return tidy
