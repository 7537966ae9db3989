"""The words and drawings of a page as arrays.

PDFium is called once per page for its text, twice per word for boxes of characters, and once per word for its text
object; everything else is derived.
"""

from __future__ import annotations

import ctypes
import re
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf.engine.characters import CLEAN_UNITS, HYPHEN, REPLACEMENTS, word_spans
from chunking.loading.binary.pdf.engine.drawings import NO_BOXES, are_side_by_side, drawings, has_image
from chunking.loading.binary.pdf.engine.frame import Frame
from chunking.loading.binary.pdf.engine.library import OutputBuffer, check_length, library, reference_to
from chunking.runtime.arrays import Bools, Float32, Int8, Int32, Int64, UInt64
from chunking.runtime.patterns import compile_pattern

_NAME_BYTES = 256
_BOLD = compile_pattern(r"bold|black|heavy|semibd|demi|cmbx|cmb\d|sfbx|[-,]bd|medi\b", re.IGNORECASE)
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
        unmapped: number of characters of a sample without a Unicode value in their font.
        sample: size of that sample.
        image: whether the page has images; determined only if it has no words.
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
        self._known: dict[Font, int] = {self.fonts[0]: 0}
        self._sampled = 0
        self._box_buffer, self._matrix_buffer = OutputBuffer(4), OutputBuffer(6)

    def read(self, number: int) -> RawPage | None:
        """Return the content of a page, from 0; ``None`` if PDFium cannot read it."""
        try:
            page = self._document[number]
        except self._pdfium.PdfiumError:
            return None
        with closing(page):
            try:
                content = page.get_textpage()
            except self._pdfium.PdfiumError:
                return None
            with closing(content):
                return self._read(page, content)

    def _read(self, page: Any, content: Any) -> RawPage:
        frame = Frame.of(page, self._raw)
        reference = reference_to(content.raw)
        text, codes = self._text(content, reference)
        starts, ends = word_spans(codes)
        first, last = self._boxes(reference, starts, ends)
        starts, ends, first, last = self._split_scattered(reference, starts, ends, first, last)
        n = len(starts)
        shown = frame.boxes(_union(first, last))
        sizes, fonts, turns, objects = self._styles(reference, starts, frame.rotation)
        known = np.isfinite(sizes) & (sizes > 0)
        if not known.all():
            sizes = np.where(known, sizes, np.maximum(shown[:, 3] - shown[:, 1], 1))
        sample, unmapped = self._unmapped(reference, starts)
        hyphens = codes[ends - 1] == HYPHEN
        edges, marks = drawings(page, frame, objects, are_side_by_side(shown, sizes)) if n else (NO_BOXES, NO_BOXES)
        return RawPage(
            frame.width,
            frame.height,
            text,
            starts.astype(np.int32),
            ends.astype(np.int32),
            hyphens,
            shown,
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
        written = self._raw.FPDFText_GetText(content, 0, n, buffer)
        units = np.frombuffer(buffer, dtype=np.uint16)[: max(written - 1, 0)]
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

    def _chars(self, reference: Any, places: Int64) -> Float32:
        """Return ``(n, 4)`` float32: left, top, right, bottom of characters in the page's own coordinates."""
        return self._box_buffer.collect(self._calls.box, reference, places.tolist())

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
        for place in np.flatnonzero(scattered | (_level(first, last) < 0.3 * height)).tolist():
            places = np.arange(starts[place], ends[place])
            chars = self._chars(reference, places)
            em = max(float(np.median(np.abs(chars[:, 1] - chars[:, 3]))), 1)
            step = np.diff((chars[:, :2] + chars[:, 2:]) / 2, axis=0)
            far = np.abs(step).max(axis=1) > 2.2 * em
            # A step to another line leads back or far ahead; that inside a word written upwards does neither.
            line = (_level(chars[:-1], chars[1:]) < 0.3 * em) & ((step[:, 0] < -0.2 * em) | (step[:, 0] > em))
            cuts.extend(places[1:][far | line].tolist())
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
        named = [of(handle) if handle else 0 for handle in handles.tolist()]
        fonts = np.array([cache[font] if font in cache else self._font(font, cache) for font in named], dtype=np.int32)
        counts = np.diff(begins, append=n)
        return np.repeat(size, counts), np.repeat(fonts, counts), np.repeat(turn, counts), handles

    def _font(self, handle: int, cache: dict[int, int]) -> int:
        pointer = ctypes.cast(handle, self._raw.FPDF_FONT)
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        self._raw.FPDFFont_GetBaseFontName(pointer, buffer, _NAME_BYTES)
        name = buffer.value.decode("utf-8", "replace")
        font = _font_named(name, max(self._raw.FPDFFont_GetFlags(pointer), 0))
        if font not in self._known:
            self._known[font] = len(self.fonts)
            self.fonts.append(font)
        cache[handle] = self._known[font]
        return cache[handle]

    def _unmapped(self, reference: Any, starts: Int64) -> tuple[int, int]:
        """Return the number of characters examined, and of those without meaning; of the first pages only."""
        if self._sampled >= 2000:
            return 0, 0
        places = starts[:: max(len(starts) // 100, 1)].tolist()
        self._sampled += len(places)
        return len(places), sum(map(bool, map(self._calls.map_error, repeat(reference), places)))


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
