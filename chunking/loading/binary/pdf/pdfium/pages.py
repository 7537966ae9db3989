"""The pages of a document as arrays of words and drawings.

For a page, PDFium is called once for its text, twice per word for boxes of characters, and once per word for its text
object; everything else is derived.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf.pdfium import (
    CLEAN_UNITS,
    HYPHEN,
    REPLACEMENTS,
    Frame,
    OutputBuffer,
    library,
    reference_to,
)
from chunking.loading.binary.pdf.pdfium.annotations import Annotation, Annotations, draw, lay_out, read_annotations
from chunking.loading.binary.pdf.pdfium.characters import (
    are_ideographs,
    are_stacked,
    is_plausible,
    reversed_ligatures,
    word_spans,
)
from chunking.loading.binary.pdf.pdfium.document import check_length
from chunking.loading.binary.pdf.pdfium.drawings import Drawings, are_side_by_side, has_image, read_drawings
from chunking.loading.binary.pdf.pdfium.letters import draws_bold, draws_monospaced, letter_width
from chunking.runtime.arrays import Bools, Float32, Int8, Int32, Int64, UInt64
from chunking.runtime.patterns import compile_pattern

_DOWN = 3
"""The turn of lines that run down, the next to their left."""

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
        fonts: ``(n_words,)`` int32, index in :attr:`PageReader.fonts`.
        turns: ``(n_words,)`` int8, quarter turns of the writing as displayed, counter-clockwise; 4 for any other angle.
        drawings: those of a page with words; its ruling lines only if words are side by side.
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
    drawings: Drawings
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


class PageReader:
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
        if are_ideographs(codes[starts]).any() and are_stacked(codes[starts], boxes):
            turns = np.where(turns == 0, np.int8(_DOWN), turns)
        valid = np.isfinite(sizes) & (sizes > 0)
        if not valid.all():
            sizes = np.where(valid, sizes, np.maximum(boxes[:, 3] - boxes[:, 1], 1))
        sample, unmapped = self._count_unmapped(reference, text, starts, ends)
        hyphens = codes[ends - 1] == HYPHEN
        drawings = read_drawings(page, frame, objects, are_side_by_side(boxes, sizes)) if n else Drawings()
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
            drawings,
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
