"""PDFium, reading only: the pages of a document as arrays of words and drawings.

For a page, PDFium is called once for its text, twice per word for boxes of characters, and once per word for its text
object; everything else is derived. Only this module, ``annotations`` and ``letters`` call PDFium.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError
from chunking.loading.binary.pdf.annotations import (
    Annotation,
    Annotations,
    draw,
    lay_out,
    read_annotations,
)
from chunking.loading.binary.pdf.letters import draws_bold, draws_monospaced, letter_width
from chunking.loading.binary.pdf.pdfium import HYPHEN, REPLACEMENTS, Frame, OutputBuffer, library, reference_to
from chunking.loading.language import language_code
from chunking.runtime.arrays import Bools, Float32, Int8, Int32, Int64, UInt64
from chunking.runtime.patterns import compile_pattern

# PDFium -------------------------------------------------------------------------------------------------------------

MAX_PAGES = 5000
"""Limit of the pages of a document."""

MAX_CHARS = 20 * 1024 * 1024
"""Limit of the characters of a document."""

MAX_OUTLINE_ENTRIES = 10_000
"""Limit of the entries of an outline that are read."""

MAX_OUTLINE_BYTES = 8 * 1024 * 1024
"""Limit of the bytes of their titles."""

MAX_OUTLINE_DEPTH = 8
"""Depth to which an outline is read."""

_PASSWORD = 4


@contextmanager
def open_document(data: bytes) -> Iterator[Any]:
    """Open the document of a file's bytes as a ``pypdfium2.PdfDocument`` and close it at the end.

    Raises:
        ChunkscopeError: it is protected by a password, damaged, empty or too long.
    """
    pdfium, _, _ = library()
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD or "password" in str(error).lower():
            raise ChunkscopeError(
                "The PDF is protected by a password.",
                "Open it in a reader with the password, save a copy without one, and load that.",
            ) from error
        raise ChunkscopeError(
            "The file is not a PDF, or it is damaged.", "Open it in a PDF reader, save it again, and load that."
        ) from error
    with closing(document):
        pages = len(document)
        if pages < 1:
            raise ChunkscopeError("The PDF has no pages.", "Load another file.")
        if pages > MAX_PAGES:
            raise ChunkscopeError(
                f"The PDF has {pages:,} pages; at most {MAX_PAGES:,} are read.", "Split it into smaller files."
            )
        yield document


def language(document: Any) -> str:
    """Return the language in the document's catalogue as an ISO 639 code, or empty."""
    _, raw, _ = library()
    buffer = (ctypes.c_ushort * 64)()
    length = raw.FPDFCatalog_GetLanguage(document, buffer, ctypes.sizeof(buffer))
    if not 2 < length <= ctypes.sizeof(buffer):
        return ""
    return language_code(bytes(buffer)[: length - 2].decode("utf-16-le", "replace"))


class OutlineEntry(NamedTuple):
    """An entry of the file's outline.

    Attributes:
        title: its text.
        level: its depth, from 1.
        page: index of the page that it leads to.
    """

    title: str
    level: int
    page: int


def read_outline(document: Any) -> list[OutlineEntry]:
    """Return the entries of the file's outline that lead to a page, without those beyond the limits."""
    _, raw, _ = library()
    entries: list[OutlineEntry] = []
    budget = MAX_OUTLINE_BYTES
    for bookmark in islice(document.get_toc(MAX_OUTLINE_DEPTH), MAX_OUTLINE_ENTRIES):
        length = raw.FPDFBookmark_GetTitle(bookmark, None, 0)
        budget -= length
        if budget < 0:
            break
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            buffer = ctypes.create_string_buffer(length)
            raw.FPDFBookmark_GetTitle(bookmark, buffer, length)
            title = buffer.raw[: length - 2].decode("utf-16-le", "replace")
            entries.append(OutlineEntry(" ".join(title.split()), bookmark.level + 1, page))
    return entries


def render_page(document: Any, page: int, width: int) -> Any:
    """Render a page as a ``PIL.Image``.

    Raises:
        ChunkscopeError: there is no such page, or PDFium cannot draw it.
    """
    pdfium, _, _ = library()
    if not 0 <= page < len(document):
        raise ChunkscopeError(f"There is no page {page + 1}; the PDF has {len(document)}.", "Choose another page.")
    try:
        with closing(document[page]) as handle:
            wide, high = handle.get_size()
            scale = width / max(wide, 1)
            # A page may be extremely long: the height of the image has a limit, too.
            scale = min(scale, 4 * width / max(high, 1))
            with closing(handle.render(scale=scale)) as bitmap:
                return bitmap.to_pil().convert("RGB")
    except (pdfium.PdfiumError, ValueError, MemoryError) as error:
        raise ChunkscopeError(f"Page {page + 1} cannot be drawn.", "Open the file in a PDF reader.") from error


def check_length(chars: int) -> None:
    """Check the number of characters read so far.

    Raises:
        ChunkscopeError: it exceeds :data:`MAX_CHARS`.
    """
    if chars > MAX_CHARS:
        raise ChunkscopeError(
            f"The PDF has more than {MAX_CHARS // 2**20} MiB of text.", "Split it into smaller files."
        )


# Characters ---------------------------------------------------------------------------------------------------------

CLEAN_UNITS = np.frombuffer(
    "".join(map(chr, range(0x10000))).translate(REPLACEMENTS).encode("utf-16-le"), dtype=np.uint16
)
"""The same as a table: the replacement of each UTF-16 unit."""

_SPACES = np.zeros(0x3002, dtype=np.bool_)
_SPACES[[code for code in range(0x3001) if chr(code).isspace()]] = True


def word_spans(codes: npt.NDArray[np.unsignedinteger[Any]]) -> tuple[Int64, Int64]:
    """Return half-open spans of the words: text between white space, cut after a hyphen at a line end.

    Chinese and Japanese have no spaces: each character is a word there.
    """
    word = np.zeros(len(codes) + 2, dtype=np.bool_)
    np.logical_not(_SPACES[np.minimum(codes, 0x3001)], out=word[1:-1])
    bounds = np.flatnonzero(word[1:] != word[:-1])
    starts, ends = bounds[0::2], bounds[1::2]
    if len(codes) and codes.max() >= 0x2E80:
        in_word = word[1:-1]
        single = _are_ideographs(codes)
        cut = single[1:] | single[:-1] | (codes[:-1] == HYPHEN)
        more = np.flatnonzero(cut & in_word[1:] & in_word[:-1]) + 1
        if len(more):
            starts, ends = (np.sort(np.concatenate((edges, more))) for edges in (starts, ends))
    return starts, ends


def _are_ideographs(codes: npt.NDArray[np.unsignedinteger[Any]]) -> Bools:
    """Return whether each character is written without spaces around it: Han, kana and their punctuation."""
    ideographs: Bools = (
        ((codes >= 0x2E80) & (codes < 0xA000) & (codes != 0x3000))
        | ((codes >= 0xF900) & (codes < 0xFB00))
        | ((codes >= 0xFF00) & (codes < 0xFFF0))
        | ((codes >= 0x20000) & (codes < 0x32000))
    )
    return ideographs


_REVERSED = compile_pattern("[\u0622\u0623\u0625\u0627]\u0644")
"""Alef and lam: a glyph of both is lam and alef, never this."""

_ARABIC = compile_pattern("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]{2,}")


def reversed_ligatures(text: str, boxes_of: Callable[[Int64], Float32]) -> list[tuple[int, int]]:
    """Return half-open spans of the characters of ligatures that are in reverse order.

    PDFium reverses the characters of a line from right to left one by one, also those of a single glyph, if the font
    states several for it. All of them have the box of the glyph.

    Args:
        text: of a page.
        boxes_of: returns the boxes of characters by index.
    """
    if "\u0644" not in text:
        return []
    pairs = np.array([match.start() for match in _REVERSED.finditer(text)], dtype=np.int64)
    if not len(pairs) or not (boxes_of(pairs) == boxes_of(pairs + 1)).all(axis=1).any():
        return []
    indices = np.concatenate([np.arange(*match.span()) for match in _ARABIC.finditer(text)])
    boxes = boxes_of(indices)
    in_one_glyph = (boxes[1:] == boxes[:-1]).all(axis=1) & (np.diff(indices) == 1)
    bounds = np.flatnonzero(np.diff(in_one_glyph.astype(np.int8), prepend=0, append=0))
    return [(int(indices[a]), int(indices[b]) + 1) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]


_DOWN = 3
"""The turn of lines that run down, the next to their left."""


def _are_stacked(codes: npt.NDArray[np.unsignedinteger[Any]], boxes: Float32) -> bool:
    """Return whether most ideographs of a page are below the one before: it is written from top to bottom.

    Args:
        codes: ``(n_words,)``, the first character of each word.
        boxes: ``(n_words, 4)`` float32, as displayed.
    """
    single = _are_ideographs(codes)
    pairs = single[1:] & single[:-1]
    before, after = boxes[:-1][pairs], boxes[1:][pairs]
    wide = np.minimum(before[:, 2] - before[:, 0], after[:, 2] - after[:, 0])
    below = (np.abs(before[:, 0] + before[:, 2] - after[:, 0] - after[:, 2]) < wide) & (
        np.abs(after[:, 1] - before[:, 3]) < 0.5 * (before[:, 3] - before[:, 1])
    )
    return 2 * int(np.count_nonzero(below)) > len(codes)


# Plausible words ----------------------------------------------------------------------------------------------------

_NUMERIC = compile_pattern(r"[.,:/%+()-]*+\d[\d.,:/%+()-]*+")
_WORD = compile_pattern(
    r"(?:[a-zß-öø-ÿā-ž]+|[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿā-ž]*|[A-ZÀ-ÖØ-Þ]+"
    r"|[а-яёіїєґў]+|[А-ЯЁІЇЄҐЎ](?:[а-яёіїєґў]*|[А-ЯЁІЇЄҐЎ]+)|[α-ώ]+|[Α-Ω](?:[α-ώ]*|[Α-Ω]+)|[\u3040-\u30ff]+)"
)
_VOWEL = compile_pattern(r"[aeiouyà-æè-ïò-öø-üýÿāăąēĕėęěĩīĭįőōŏũūŭůűųαεηιουωάέήίόύώаеёиоуыэюяіїє\u3040-\u30ff]", re.I)
_JOINTS = compile_pattern("['’-]")
_AROUND = compile_pattern(r"^[\W_]+|[\W_]+$")


def is_plausible(word: str) -> bool:
    """Return whether a word looks like one of a language with Latin, Cyrillic or Greek letters, kana, or a number.

    Letters that a font does not name are right if PDFium reads them by a usual encoding, and else a jumble.
    """
    core = _AROUND.sub("", word)
    if _NUMERIC.fullmatch(core):
        return True
    parts = _JOINTS.split(core)
    return all(map(_WORD.fullmatch, parts)) and (len(core) == 1 or bool(_VOWEL.search(core)))


# Drawings -----------------------------------------------------------------------------------------------------------

MAX_OBJECTS = 50_000
"""Limit of the objects of a page; those of a page with more are not examined."""

MAX_PATHS = 4000
"""Limit of the paths of a page that are examined for the rules of a table; a page with more is a drawing."""

MAX_SEGMENTS = 5000
"""Limit of the segments of the paths of a page that are examined."""

MAX_MARKS = 200
"""Limit of the small shapes of a page that may be bullets; if there are more, they are a drawing."""

MARK_SIZES = (1.0, 9.0)
"""Least and greatest width and height of a drawn bullet, in points."""

NO_BOXES: Float32 = np.zeros((0, 4), dtype=np.float32)

_RECTANGLE = 5
"""Segments up to which a path is a line or a rectangle, so that its bounds describe it completely."""


def has_image(page: Any) -> bool:
    """Return whether a page has an image, or a form that may contain one."""
    _, raw, calls = library()
    kinds = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
    return any(kind in kinds for kind in map(calls.kind, _objects(page)))


def _objects(page: Any) -> list[int]:
    """Return the handles of the objects of a page; none if there are too many."""
    _, raw, calls = library()
    count = raw.FPDFPage_CountObjects(page)
    if not 0 < count <= MAX_OBJECTS:
        return []
    return list(map(calls.object, repeat(reference_to(page.raw)), range(count)))


def drawings(page: Any, frame: Frame, texts: UInt64, ruled: bool) -> tuple[Float32, Float32]:
    """Return the drawings of a page.

    Args:
        page: a ``pypdfium2.PdfPage``.
        frame: the frame of the page.
        texts: handles of objects that are known to be text.
        ruled: whether ruling lines are required.

    Returns:
        ``(n_edges, 4)`` float32, ruling lines: thin paths, and the sides of stroked rectangles; and
        ``(n_marks, 4)`` float32, boxes of small shapes.
    """
    _, raw, calls = library()
    text_handles = set(texts.tolist())
    others = [handle for handle in _objects(page) if handle and handle not in text_handles]
    path = raw.FPDF_PAGEOBJ_PATH
    paths = [handle for handle, kind in zip(others, map(calls.kind, others), strict=True) if kind == path]
    if not paths or len(paths) > MAX_PATHS:
        return NO_BOXES, NO_BOXES
    n = len(paths)
    bounds = np.zeros((n, 4), dtype=np.float32)
    begin, end = bounds.ctypes.data, bounds.ctypes.data + bounds.nbytes
    corners = [range(begin + 4 * column, end, 16) for column in range(4)]
    deque(map(calls.bounds, paths, *corners), maxlen=0)
    # PDFium gives left, bottom, right, top.
    boxes = frame.boxes(bounds[:, [0, 3, 2, 1]])
    small = _are_marks(boxes)
    marks = boxes[small] if np.count_nonzero(small) <= MAX_MARKS else NO_BOXES
    if not ruled:
        return NO_BOXES, marks
    modes = np.zeros((n, 2), dtype=np.int32)
    begin, end = modes.ctypes.data, modes.ctypes.data + modes.nbytes
    fields = [range(begin + 4 * column, end, 8) for column in range(2)]
    deque(map(calls.draw_mode, paths, *fields), maxlen=0)
    stroked = modes[:, 1] != 0
    lines: list[tuple[float, float, float, float]] = []
    remaining = MAX_SEGMENTS
    keeps_box = np.ones(n, dtype=np.bool_)
    for index in np.flatnonzero(stroked & ~small).tolist():
        segments = calls.segments(paths[index])
        if _RECTANGLE < segments <= remaining:
            remaining -= segments
            keeps_box[index] = False
            lines.extend(_lines(ctypes.cast(paths[index], raw.FPDF_PAGEOBJECT), segments))
    drawn = _straight_lines(frame.boxes(np.array(lines, dtype=np.float32).reshape(-1, 4)))
    return np.concatenate((_sides(boxes[keeps_box], (stroked & ~small)[keeps_box]), drawn)), marks


def _lines(path: Any, segments: int) -> Iterator[tuple[float, float, float, float]]:
    """Yield the straight lines of a path, each from one point to another, in the page's own coordinates."""
    _, raw, _ = library()
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(path, matrix):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    last: tuple[float, float] | None = None
    for number in range(segments):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        if not raw.FPDFPathSegment_GetPoint(segment, x, y):
            continue
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if last and raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_LINETO:
            yield (*last, *point)
        last = point


def _straight_lines(lines: Float32) -> Float32:
    """Return the lines that are horizontal or vertical."""
    wide, high = lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]
    straight: Float32 = lines[(np.minimum(wide, high) < 0.5) & (np.maximum(wide, high) > 2.5)]
    return straight


def _are_marks(boxes: Float32) -> Bools:
    """Return whether each box is as small as a bullet, and as wide as high."""
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    least, most = MARK_SIZES
    within = (np.minimum(wide, high) >= least) & (np.maximum(wide, high) <= most)
    marks: Bools = within & (np.abs(wide - high) < 0.3 * high)
    return marks


def _sides(boxes: Float32, stroked: Bools) -> Float32:
    """Return the lines that paths draw, by their boxes: thin ones are lines, large stroked ones four sides."""
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    flat, upright = (high < 2.5) & (wide >= 2.5), (wide < 2.5) & (high >= 2.5)
    lying, standing = boxes[flat], boxes[upright]
    lying[:, 1] = lying[:, 3] = (lying[:, 1] + lying[:, 3]) / 2
    standing[:, 0] = standing[:, 2] = (standing[:, 0] + standing[:, 2]) / 2
    framed = boxes[stroked & (wide >= 2.5) & (high >= 2.5)]
    around = framed[:, [0, 1, 2, 1, 0, 3, 2, 3, 0, 1, 0, 3, 2, 1, 2, 3]].reshape(-1, 4)
    return np.concatenate((lying, standing, around))


def are_side_by_side(boxes: Float32, sizes: Float32) -> bool:
    """Return whether consecutive words are on one line with a gap between, like cells of a table."""
    if len(boxes) < 4:
        return False
    before, after = boxes[:-1], boxes[1:]
    gap = after[:, 0] - before[:, 2]
    level = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    below = after[:, 1] - before[:, 1]
    # A cell's lines may come before the next cell, so a step up and to the right counts as well.
    side = (gap > sizes[1:]) & ((level > 0) | (below < 0))
    return int(np.count_nonzero(side)) >= 2


# Pages --------------------------------------------------------------------------------------------------------------

_NAME_BYTES = 256
_BOLD = compile_pattern(r"bold|black|heavy|semibd|demi|cmbx|cmb\d|sfbx|[-,]bd|medi\b", re.IGNORECASE)
_NOT_BOLD = compile_pattern(r"regular|roman|light|book|thin|normal|(?:cm|sf|lm)r[m\d]", re.IGNORECASE)
_ITALIC = compile_pattern(r"italic|oblique|slanted|cmti|cmsl|sfti|[-,]it\b|ital\b", re.IGNORECASE)
_MONO = compile_pattern(
    r"mono|courier|consol|typewriter|cmtt|cmsltt|cmcsc-tt|sftt|menlo|nimbusmon|lucidacon|inconsol", re.I
)


class Font(NamedTuple):
    """The properties of a font that matter for layout."""

    bold: bool
    italic: bool
    mono: bool


@dataclass(frozen=True, eq=False)
class RawPage:
    """The content of a page, in the order of PDFium's characters.

    Attributes:
        width, height: as shown, in points.
        text: a character for each of PDFium's.
        starts, ends: ``(n_words,)`` int32, half-open spans of the words in ``text``.
        hyphens: ``(n_words,)`` bool, whether by PDFium a hyphen at its end divides it from the next.
        boxes: ``(n_words, 4)`` float32, left, top, right, bottom as shown; their height is that of the font.
        sizes: ``(n_words,)`` float32, font size as displayed, in points.
        fonts: ``(n_words,)`` int32, index in :attr:`Reader.fonts`.
        turns: ``(n_words,)`` int8, quarter turns of the writing as displayed, counter-clockwise; 4 for any other angle.
        edges: ``(n_edges, 4)`` float32, ruling lines, horizontal or vertical, as boxes; none unless the page has words
            side by side.
        marks: ``(n_marks, 4)`` float32, boxes of small round or square shapes, which may be bullets.
        unmapped: number of words of a sample that make no sense and whose letters have no Unicode value in their font.
        sample: size of that sample.
        image: whether the page has images; determined only if it has no words.
        comments: remarks about the page, which are not printed on it.
    """

    width: float
    height: float
    text: str
    starts: Int32
    ends: Int32
    hyphens: Bools
    boxes: Float32
    sizes: Float32
    fonts: Int32
    turns: Int8
    edges: Float32
    marks: Float32
    unmapped: int
    sample: int
    image: bool
    comments: tuple[Annotation, ...] = ()


@lru_cache(maxsize=512)
def _font_named(name: str, flags: int) -> Font:
    """Return the properties of a font, by its name and the flags of its descriptor."""
    return Font(
        bool(_BOLD.search(name) or flags & 1 << 18),
        bool(_ITALIC.search(name) or flags & 1 << 6),
        bool(_MONO.search(name) or flags & 1),
    )


class Reader:
    """A reader of the pages of a document.

    Attributes:
        fonts: the fonts of the pages read so far.
    """

    def __init__(self, document: Any) -> None:
        self._document = document
        self._pdfium, self._raw, self._calls = library()
        self.fonts: list[Font] = [Font(False, False, False)]
        self._font_numbers: dict[Font, int] = {self.fonts[0]: 0}
        self._drawn_fonts: dict[tuple[Font, str, tuple[float, ...]], Font] = {}
        self._sampled = 0
        self._box_buffer, self._matrix_buffer = OutputBuffer(4), OutputBuffer(6)

    def read(self, number: int) -> RawPage | None:
        """Return the content of a page, from 0; ``None`` if PDFium cannot read it."""
        with suppress(self._pdfium.PdfiumError):
            with closing(self._document[number]) as page:
                frame = Frame.of(page, self._raw)
                annotations = read_annotations(page, frame)
                if not (annotations.drawn and draw(page)):
                    return self._read_content(page, frame, annotations)
            with closing(self._document[number]) as page:
                return self._read_content(page, frame, annotations)
        return None

    def _read_content(self, page: Any, frame: Frame, annotations: Annotations) -> RawPage:
        with closing(page.get_textpage()) as content:
            raw_page = self._read(page, content, frame)
        return _add_annotations(raw_page, annotations)

    def _read(self, page: Any, content: Any, frame: Frame) -> RawPage:
        reference = reference_to(content.raw)
        text, codes = self._text(content, reference)
        spans = reversed_ligatures(text, lambda indices: self._chars(reference, indices))
        if spans:
            text, codes = _reverse(text, codes, spans)
        starts, ends = word_spans(codes)
        first, last = self._boxes(reference, starts, ends)
        starts, ends, first, last = self._split_scattered(reference, starts, ends, first, last)
        n = len(starts)
        boxes = frame.boxes(_union(first, last))
        sizes, fonts, turns, objects = self._styles(reference, starts, frame.rotation)
        if _are_ideographs(codes[starts]).any() and _are_stacked(codes[starts], boxes):
            turns = np.where(turns == 0, np.int8(_DOWN), turns)
        valid = np.isfinite(sizes) & (sizes > 0)
        if not valid.all():
            sizes = np.where(valid, sizes, np.maximum(boxes[:, 3] - boxes[:, 1], 1))
        sample, unmapped = self._count_unmapped(reference, text, starts, ends)
        hyphens = codes[ends - 1] == HYPHEN
        edges, marks = drawings(page, frame, objects, are_side_by_side(boxes, sizes)) if n else (NO_BOXES, NO_BOXES)
        return RawPage(
            frame.width,
            frame.height,
            text,
            starts.astype(np.int32),
            ends.astype(np.int32),
            hyphens,
            boxes,
            sizes.astype(np.float32),
            fonts,
            turns,
            edges,
            marks,
            unmapped,
            sample,
            bool(not n and has_image(page)),
        )

    def _text(self, content: Any, reference: Any) -> tuple[str, npt.NDArray[np.unsignedinteger[Any]]]:
        """Return the page's characters, one for each of PDFium's, and their code points."""
        n = content.count_chars()
        if n <= 0:
            return "", np.zeros(0, dtype=np.uint16)
        check_length(n)
        buffer = (ctypes.c_ushort * (2 * n + 2))()
        unit_count = self._raw.FPDFText_GetText(content, 0, n, buffer)
        units = np.frombuffer(buffer, dtype=np.uint16)[: max(unit_count - 1, 0)]
        plain = not ((units >= 0xD800) & (units < 0xE000)).any()
        text = "" if plain else units.tobytes().decode("utf-16-le", "replace")
        length = len(units) if plain else len(text)
        if length != n or self._raw.FPDFText_GetTextIndexFromCharIndex(content, n - 1) != n - 1:
            codes = map(self._calls.unicode, repeat(reference), range(n))
            text, plain = "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes), False
        if plain:
            clean = CLEAN_UNITS[units]
            return clean.tobytes().decode("utf-16-le"), clean
        text = text.translate(REPLACEMENTS)
        return text, np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)

    def _boxes(self, reference: Any, starts: Int64, ends: Int64) -> tuple[Float32, Float32]:
        """Return boxes of the first and last characters of words, as :meth:`_chars` returns them."""
        first = self._chars(reference, starts)
        last = first.copy()
        long = np.flatnonzero(ends - starts > 1)
        last[long] = self._chars(reference, ends[long] - 1)
        return first, last

    def _chars(self, reference: Any, indices: Int64) -> Float32:
        """Return ``(n, 4)`` float32: left, top, right, bottom of characters in the page's own coordinates."""
        return self._box_buffer.collect(self._calls.box, reference, indices.tolist())

    def _split_scattered(
        self, reference: Any, starts: Int64, ends: Int64, first: Float32, last: Float32
    ) -> tuple[Int64, Int64, Float32, Float32]:
        """Split words that span a line end or a wide gap without a space."""
        if not len(starts):
            return starts, ends, first, last
        height = np.maximum(np.abs(first[:, 1] - first[:, 3]), 1)
        wide = np.abs(last[:, :2] - first[:, :2]).max(axis=1)
        scattered = wide > height * np.maximum(ends - starts, 2) * 1.2
        cuts: list[int] = []
        for index in np.flatnonzero(scattered | (_level(first, last) < 0.3 * height)).tolist():
            positions = np.arange(starts[index], ends[index])
            chars = self._chars(reference, positions)
            em = max(float(np.median(np.abs(chars[:, 1] - chars[:, 3]))), 1)
            step = np.diff((chars[:, :2] + chars[:, 2:]) / 2, axis=0)
            far = np.abs(step).max(axis=1) > 2.2 * em
            # A step to another line leads back or far ahead; that inside a word written upwards does neither.
            line = (_level(chars[:-1], chars[1:]) < 0.3 * em) & ((step[:, 0] < -0.2 * em) | (step[:, 0] > em))
            cuts.extend(positions[1:][far | line].tolist())
        if not cuts:
            return starts, ends, first, last
        new = np.array(sorted(cuts), dtype=np.int64)
        starts, ends = np.union1d(starts, new), np.union1d(ends, new)
        return starts, ends, *self._boxes(reference, starts, ends)

    def _styles(self, reference: Any, starts: Int64, rotation: int) -> tuple[Float32, Int32, Int8, UInt64]:
        """Return size, font and turn of each word, by its first character, and the text objects of words.

        PDFium is called once for each run of words that begin in one text object.
        """
        n = len(starts)
        objects = np.fromiter(map(self._calls.text_object, repeat(reference), starts.tolist()), np.uint64, n)
        new = np.ones(n, dtype=np.bool_)
        np.not_equal(objects[1:], objects[:-1], out=new[1:])
        begins = np.flatnonzero(new)
        handles, indices = objects[begins], starts[begins].tolist()
        matrices = self._matrix_buffer.collect(self._calls.matrix, reference, indices)
        raw = np.fromiter(map(self._calls.font_size, repeat(reference), indices), np.float64, len(indices))
        size = (raw * np.hypot(matrices[:, 2], matrices[:, 3])).astype(np.float32)
        angle = np.degrees(np.arctan2(matrices[:, 1], matrices[:, 0])) - 90 * rotation
        quarters = np.round(angle / 90)
        turn = np.where(np.abs(angle - 90 * quarters) < 10, quarters % 4, 4).astype(np.int8)
        # Kept for a page only: PDFium may use the address of a font again after it.
        cache: dict[int, int] = {0: 0}
        of = self._calls.font
        addresses = [of(handle) if handle else 0 for handle in handles.tolist()]
        fonts = np.array(
            [cache[font] if font in cache else self._font(font, cache) for font in addresses], dtype=np.int32
        )
        modes = np.fromiter(map(self._calls.render_mode, handles.tolist()), np.int8, len(handles))
        for index in np.flatnonzero(modes == self._raw.FPDF_TEXTRENDERMODE_FILL_STROKE).tolist():
            fonts[index] = self._number_of(self.fonts[fonts[index]]._replace(bold=True))
        counts = np.diff(begins, append=n)
        return np.repeat(size, counts), np.repeat(fonts, counts), np.repeat(turn, counts), handles

    def _font(self, handle: int, cache: dict[int, int]) -> int:
        pointer = ctypes.cast(handle, self._raw.FPDF_FONT)
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        self._raw.FPDFFont_GetBaseFontName(pointer, buffer, _NAME_BYTES)
        name = buffer.value.decode("utf-8", "replace")
        font = _font_named(name, max(self._raw.FPDFFont_GetFlags(pointer), 0))
        cache[handle] = self._number_of(self._drawn(font, pointer, name))
        return cache[handle]

    def _drawn(self, font: Font, pointer: Any, name: str) -> Font:
        """Return the properties of a font, with those of its letters where its name does not say them.

        Fonts of one name and properties whose letters are as wide are measured once. A font that is not in the file is
        not measured: the letters that stand in for it say nothing of it, and PDFium, once asked for their outlines,
        gives other boxes of the characters of all such fonts.
        """
        if font.mono or self._raw.FPDFFont_GetIsEmbedded(pointer) != 1:
            return font
        key = font, name, tuple(letter_width(self._raw, pointer, letter) for letter in "neE")
        if key not in self._drawn_fonts:
            mono = draws_monospaced(self._raw, pointer)
            bold = font.bold or (not (mono or _NOT_BOLD.search(name)) and draws_bold(self._raw, pointer))
            self._drawn_fonts[key] = font._replace(bold=bold, mono=mono)
        return self._drawn_fonts[key]

    def _number_of(self, font: Font) -> int:
        if font not in self._font_numbers:
            self._font_numbers[font] = len(self.fonts)
            self.fonts.append(font)
        return self._font_numbers[font]

    def _count_unmapped(self, reference: Any, text: str, starts: Int64, ends: Int64) -> tuple[int, int]:
        """Return the number of words examined, and of those that make no sense and whose font does not name their first
        letter; of the first pages only.
        """
        if self._sampled >= 2000:
            return 0, 0
        step = max(len(starts) // 100, 1)
        begins = starts[::step].tolist()
        self._sampled += len(begins)
        errors = map(self._calls.map_error, repeat(reference), begins)
        words = (text[begin:end] for begin, end in zip(begins, ends[::step].tolist(), strict=True))
        return len(begins), sum(
            bool(error) and not is_plausible(word) for error, word in zip(errors, words, strict=True)
        )


def _reverse(
    text: str, codes: npt.NDArray[np.unsignedinteger[Any]], spans: Sequence[tuple[int, int]]
) -> tuple[str, npt.NDArray[np.unsignedinteger[Any]]]:
    """Return characters with spans of them in reverse order."""
    letters, codes = list(text), codes.copy()
    for begin, end in spans:
        letters[begin:end] = letters[begin:end][::-1]
        codes[begin:end] = codes[begin:end][::-1]
    return "".join(letters), codes


def _add_annotations(page: RawPage, annotations: Annotations) -> RawPage:
    """Return a page with the texts of annotations without an appearance after its own."""
    words = [word for annotation in annotations.undrawn for word in lay_out(annotation)]
    if not words:
        return replace(page, comments=annotations.comments) if annotations.comments else page
    ends = len(page.text) + np.cumsum([len(word) + 1 for word, _, _ in words], dtype=np.int32)
    n = len(words)
    return replace(
        page,
        text=" ".join([page.text, *[word for word, _, _ in words]]),
        starts=np.append(page.starts, ends - np.array([len(word) for word, _, _ in words], dtype=np.int32)),
        ends=np.append(page.ends, ends),
        hyphens=np.append(page.hyphens, np.zeros(n, dtype=np.bool_)),
        boxes=np.concatenate((page.boxes, np.array([box for _, box, _ in words], dtype=np.float32))),
        sizes=np.append(page.sizes, np.array([size for _, _, size in words], dtype=np.float32)),
        fonts=np.append(page.fonts, np.zeros(n, dtype=np.int32)),
        turns=np.append(page.turns, np.zeros(n, dtype=np.int8)),
        comments=annotations.comments,
        image=False,
    )


def _union(first: Float32, last: Float32) -> Float32:
    """Return the bounding boxes of both, ``left, top, right, bottom`` with the top above."""
    around = np.empty_like(first)
    for column, function in enumerate((np.minimum, np.maximum, np.maximum, np.minimum)):
        function(first[:, column], last[:, column], out=around[:, column])
    return around


def _level(one: Float32, other: Float32) -> Float32:
    """Return the share of the height that two boxes have in common, with the top above."""
    shared: Float32 = np.minimum(one[:, 1], other[:, 1]) - np.maximum(one[:, 3], other[:, 3])
    return shared
