"""PDFium: a document opened, and what stands on each of its pages as arrays.

PDFium is asked once a page for its text and twice a word for a character's box; everything else is worked out from
those. Its functions are called through prototypes of our own over the same addresses, with plain integers for
pointers, so that ``map`` drives them without a line of Python in between: a call takes 0.2 µs and not 1 µs.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Float32 = npt.NDArray[np.float32]

MAX_PAGES = 5000
MAX_CHARS = 20 * 1024 * 1024
MAX_PATHS = 4000
"""Drawn paths of a page that are looked at for the rules of a table; a page with more is a drawing."""
MAX_OBJECTS = 50_000
MAX_SEGMENTS = 5000
"""Pieces of the paths of a page that are looked at."""

RECTANGLE = 5
"""Pieces of a path up to which it is a line or a rectangle, so that its bounds say all."""

HYPHEN = 0xFFFE
"""What PDFium writes for a hyphen at a line's end, the next line's word right after it."""

_PASSWORD = 4
_NAME_BYTES = 256
_BOLD = re.compile(r"bold|black|heavy|semibd|demi|cmbx|cmb\d|sfbx|[-,]bd|medi\b", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique|slanted|cmti|cmsl|sfti|[-,]it\b|ital\b", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|cmsltt|cmcsc-tt|sftt|menlo|nimbusmon|lucidacon|inconsol", re.I)


class Font(NamedTuple):
    """What of a font says something about the text set in it."""

    bold: bool
    italic: bool
    mono: bool


class Edge(NamedTuple):
    """A ruling line, horizontal or vertical, as shown, in points from the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, eq=False)
class RawPage:
    """What stands on a page, in the order of PDFium's characters.

    Attributes:
        width, height: as shown, in points.
        text: a character for each of PDFium's.
        starts, ends: ``(n_words,)`` int64, half-open spans of the words in ``text``.
        boxes: ``(n_words, 4)`` float32, left, top, right, bottom as shown; heights are those of the font.
        sizes: ``(n_words,)`` float32, of the font as shown, in points.
        fonts: ``(n_words,)`` int64, index in the reader's fonts.
        turns: ``(n_words,)`` int64, quarter turns of the writing as shown, counter-clockwise; 4 for any other angle.
        edges: ruling lines, where the page has words side by side.
        unmapped: how many characters the fonts give no meaning to, of a sample.
        sample: how many characters were looked at for that.
        image: whether the page has pictures; asked only where it has no words.
    """

    width: float
    height: float
    text: str
    starts: Ints
    ends: Ints
    boxes: Float32
    sizes: Float32
    fonts: Ints
    turns: Ints
    edges: tuple[Edge, ...]
    unmapped: int
    sample: int
    image: bool


# What is asked ----------------------------------------------------------------------------------------------------


class _Calls:
    """PDFium's functions with integers for pointers.

    They keep the interpreter's lock: none takes long, and to give it back and forth would cost more than the call.
    """

    def __init__(self, raw: Any) -> None:
        pointer, whole = ctypes.c_void_p, ctypes.c_int

        def bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
            address = ctypes.cast(getattr(raw, name), pointer).value
            return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)

        self.unicode = bind("FPDFText_GetUnicode", ctypes.c_uint, pointer, whole)
        self.map_error = bind("FPDFText_HasUnicodeMapError", whole, pointer, whole)
        self.box = bind("FPDFText_GetLooseCharBox", whole, pointer, whole, pointer)
        self.text_object = bind("FPDFText_GetTextObject", pointer, pointer, whole)
        self.matrix = bind("FPDFText_GetMatrix", whole, pointer, whole, pointer)
        self.font_size = bind("FPDFText_GetFontSize", ctypes.c_double, pointer, whole)
        self.font = bind("FPDFTextObj_GetFont", pointer, pointer)
        self.object = bind("FPDFPage_GetObject", pointer, pointer, whole)
        self.kind = bind("FPDFPageObj_GetType", whole, pointer)


@lru_cache(maxsize=1)
def _library() -> tuple[Any, Any, _Calls]:
    pdfium = import_module("pypdfium2")
    raw = import_module("pypdfium2.raw")
    return pdfium, raw, _Calls(raw)


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """The document of a file's bytes, a ``pypdfium2.PdfDocument``, closed at the end.

    Raises:
        ChunkscopeError: it is locked with a password, broken, empty or too long.
    """
    pdfium, _, _ = _library()
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD or "password" in str(error).lower():
            raise ChunkscopeError(
                "The PDF is locked with a password.",
                "Open it in a reader with the password, save a copy without one, and load that.",
            ) from error
        raise ChunkscopeError(
            "The file is not a PDF, or it is broken.", "Open it in a PDF reader, save it anew, and load that."
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
    """The language that the document's catalogue names, as an ISO 639 code, or empty."""
    _, raw, _ = _library()
    buffer = (ctypes.c_ushort * 64)()
    length = raw.FPDFCatalog_GetLanguage(document, buffer, ctypes.sizeof(buffer))
    if not 2 < length <= ctypes.sizeof(buffer):
        return ""
    name = bytes(buffer)[: length - 2].decode("utf-16-le", "replace")
    match = re.fullmatch(r"([a-z]{2,3})(?:[-_].*)?", name.strip().lower(), re.DOTALL)
    return match[1] if match else ""


class Reader:
    """Reads pages one by one; keeps what fonts there are.

    Attributes:
        fonts: those met so far.
    """

    def __init__(self, document: Any) -> None:
        self._document = document
        self._pdfium, self._raw, self._calls = _library()
        self.fonts: list[Font] = [Font(False, False, False)]
        self._known: dict[Font, int] = {self.fonts[0]: 0}
        self._sampled = 0

    def read(self, number: int) -> RawPage | None:
        """What stands on a page, from 0; ``None`` where PDFium cannot read it."""
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
        frame = _Frame.of(page, self._raw)
        handle = ctypes.cast(content.raw, ctypes.c_void_p).value
        text = self._text(content, handle)
        starts, ends = _word_spans(text)
        n = len(starts)
        boxes = self._boxes(handle, np.stack((starts, ends - 1), axis=1).reshape(-1)).reshape(n, 2, 4)
        starts, ends, boxes = self._split_scattered(handle, starts, ends, boxes)
        n = len(starts)
        shown = frame.boxes(_union(boxes[:, 0], boxes[:, 1]))
        sizes, fonts, turns = self._styles(handle, starts, frame.rotation)
        loose = np.isfinite(sizes) & (sizes > 0)
        sizes = np.where(loose, sizes, np.maximum(shown[:, 3] - shown[:, 1], 1)).astype(np.float32)
        sample, unmapped = self._unmapped(handle, starts)
        return RawPage(
            frame.width,
            frame.height,
            text,
            starts,
            ends,
            shown,
            sizes,
            fonts,
            turns,
            self._edges(page, frame) if _side_by_side(shown, sizes) else (),
            unmapped,
            sample,
            bool(not n and self._has_image(page)),
        )

    def _text(self, content: Any, handle: int | None) -> str:
        """The page's characters, one for each of PDFium's, so that its indices are ours."""
        n = content.count_chars()
        if n <= 0:
            return ""
        if n > MAX_CHARS:
            raise _too_long()
        buffer = (ctypes.c_ushort * (2 * n + 2))()
        written = self._raw.FPDFText_GetText(content, 0, n, buffer)
        text = bytes(buffer)[: max(written - 1, 0) * 2].decode("utf-16-le", "replace")
        if len(text) != n or self._raw.FPDFText_GetTextIndexFromCharIndex(content, n - 1) != n - 1:
            codes = map(self._calls.unicode, repeat(handle), range(n))
            text = "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)
        return text.translate(_CLEAN)

    def _boxes(self, handle: int | None, places: Ints) -> Float32:
        """``(n, 4)`` float32: left, top, right, bottom of characters in the page's own coordinates."""
        found = np.zeros((len(places), 4), dtype=np.float32)
        address = found.ctypes.data
        addresses = range(address, address + found.nbytes, 16) if len(places) else ()
        deque(map(self._calls.box, repeat(handle), places.tolist(), addresses), maxlen=0)
        return found

    def _split_scattered(
        self, handle: int | None, starts: Ints, ends: Ints, boxes: Float32
    ) -> tuple[Ints, Ints, Float32]:
        """Words that run over a line's end or a wide gap without a space, cut there."""
        if not len(starts):
            return starts, ends, boxes
        first, last = boxes[:, 0], boxes[:, 1]
        height = np.maximum(np.abs(first[:, 1] - first[:, 3]), 1)
        wide = np.maximum(np.abs(last[:, 0] - first[:, 0]), np.abs(last[:, 1] - first[:, 1]))
        scattered = wide > height * np.maximum(ends - starts, 2) * 1.2
        cuts: list[int] = []
        for place in np.flatnonzero(scattered | (_level(first, last) < 0.3 * height)).tolist():
            places = np.arange(starts[place], ends[place])
            chars = self._boxes(handle, places)
            em = max(float(np.median(np.abs(chars[:, 1] - chars[:, 3]))), 1)
            step = np.diff((chars[:, :2] + chars[:, 2:]) / 2, axis=0)
            far = np.abs(step).max(axis=1) > 2.2 * em
            # A step to another line goes back or far on; that of a word written upwards does neither.
            line = (_level(chars[:-1], chars[1:]) < 0.3 * em) & ((step[:, 0] < -0.2 * em) | (step[:, 0] > em))
            cuts.extend(places[1:][far | line].tolist())
        if not cuts:
            return starts, ends, boxes
        new = np.array(sorted(cuts), dtype=np.int64)
        starts, ends = np.union1d(starts, new), np.union1d(ends, new)
        places = np.stack((starts, ends - 1), axis=1).reshape(-1)
        return starts, ends, self._boxes(handle, places).reshape(-1, 2, 4)

    def _styles(self, handle: int | None, starts: Ints, rotation: int) -> tuple[Float32, Ints, Ints]:
        """Size, font and turn of each word, by its first character; asked once for each text object."""
        places = starts.tolist()
        objects = list(map(self._calls.text_object, repeat(handle), places))
        first: dict[int | None, int] = {}
        for pointer, place in zip(objects, places, strict=True):
            first.setdefault(pointer, place)
        pointers, indices = list(first), list(first.values())
        matrices = np.zeros((len(first), 6), dtype=np.float32)
        address = matrices.ctypes.data
        addresses = range(address, address + matrices.nbytes, 24) if len(first) else ()
        deque(map(self._calls.matrix, repeat(handle), indices, addresses), maxlen=0)
        raw = np.fromiter(map(self._calls.font_size, repeat(handle), indices), dtype=np.float64, count=len(first))
        size = raw * np.hypot(matrices[:, 2], matrices[:, 3])
        angle = np.degrees(np.arctan2(matrices[:, 1], matrices[:, 0])) - 90 * rotation
        quarters = np.round(angle / 90)
        turn: Ints = np.where(np.abs(angle - 90 * quarters) < 10, quarters % 4, 4).astype(np.int64)
        cache: dict[int | None, int] = {None: 0}
        fonts = np.array([self._font(pointer, cache) for pointer in pointers], dtype=np.int64)
        row = {pointer: number for number, pointer in enumerate(pointers)}
        rows = np.fromiter(map(row.__getitem__, objects), dtype=np.int64, count=len(objects))
        return size.astype(np.float32)[rows], fonts[rows] if len(rows) else rows, turn[rows]

    def _font(self, text_object: int | None, cache: dict[int | None, int]) -> int:
        handle = self._calls.font(text_object) if text_object else None
        if handle not in cache:
            pointer = ctypes.cast(handle or 0, self._raw.FPDF_FONT)
            buffer = ctypes.create_string_buffer(_NAME_BYTES)
            self._raw.FPDFFont_GetBaseFontName(pointer, buffer, _NAME_BYTES)
            name = buffer.value.decode("utf-8", "replace")
            flags = max(self._raw.FPDFFont_GetFlags(pointer), 0)
            font = Font(
                bool(_BOLD.search(name) or flags & 1 << 18),
                bool(_ITALIC.search(name) or flags & 1 << 6),
                bool(_MONO.search(name) or flags & 1),
            )
            if font not in self._known:
                self._known[font] = len(self.fonts)
                self.fonts.append(font)
            cache[handle] = self._known[font]
        return cache[handle]

    def _unmapped(self, handle: int | None, starts: Ints) -> tuple[int, int]:
        """How many characters were looked at, and how many of them have no meaning; of the first pages only."""
        if self._sampled >= 2000:
            return 0, 0
        places = starts[:: max(len(starts) // 100, 1)].tolist()
        self._sampled += len(places)
        return len(places), sum(map(bool, map(self._calls.map_error, repeat(handle), places)))

    def _has_image(self, page: Any) -> bool:
        _, kinds = self._objects(page, MAX_OBJECTS)
        return bool(np.isin(kinds, (self._raw.FPDF_PAGEOBJ_IMAGE, self._raw.FPDF_PAGEOBJ_FORM)).any())

    def _objects(self, page: Any, most: int) -> tuple[list[int], Ints]:
        count = self._raw.FPDFPage_CountObjects(page)
        if not 0 < count <= most:
            return [], np.zeros(0, dtype=np.int64)
        handle = ctypes.cast(page.raw, ctypes.c_void_p).value
        objects = list(map(self._calls.object, repeat(handle), range(count)))
        return objects, np.fromiter(map(self._calls.kind, objects), dtype=np.int64, count=count)

    def _edges(self, page: Any, frame: _Frame) -> tuple[Edge, ...]:
        """Ruling lines: thin paths, and the sides of stroked rectangles."""
        raw = self._raw
        objects, kinds = self._objects(page, MAX_OBJECTS)
        pointers = [objects[place] for place in np.flatnonzero(kinds == raw.FPDF_PAGEOBJ_PATH).tolist()]
        if not pointers or len(pointers) > MAX_PATHS:
            return ()
        boxes = np.zeros((len(pointers), 4), dtype=np.float32)
        stroked = np.zeros(len(pointers), dtype=np.bool_)
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        mode, stroke = ctypes.c_int(), ctypes.c_int()
        lines: list[tuple[float, float, float, float]] = []
        room = MAX_SEGMENTS
        for row, pointer in enumerate(pointers):
            path = ctypes.cast(pointer, raw.FPDF_PAGEOBJECT)
            if raw.FPDFPath_GetDrawMode(path, mode, stroke):
                stroked[row] = bool(stroke.value)
            segments = raw.FPDFPath_CountSegments(path) if stroked[row] else 0
            if segments > RECTANGLE and segments <= room:
                room -= segments
                lines.extend(self._lines(path, segments))
            elif raw.FPDFPageObj_GetBounds(path, left, bottom, right, top):
                boxes[row] = left.value, top.value, right.value, bottom.value
        drawn = np.array(lines, dtype=np.float32).reshape(-1, 4)
        return (*_sides(frame.boxes(boxes), stroked), *_straight(frame.boxes(drawn)))

    def _lines(self, path: Any, segments: int) -> Iterator[tuple[float, float, float, float]]:
        """The straight lines of a path, each from one point to another, in the page's own coordinates."""
        raw = self._raw
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


def render_page(document: Any, page: int, width: int) -> Any:
    """A picture of a page, a ``PIL.Image``.

    Raises:
        ChunkscopeError: there is no such page, or PDFium cannot draw it.
    """
    pdfium, _, _ = _library()
    if not 0 <= page < len(document):
        raise ChunkscopeError(f"There is no page {page + 1}; the PDF has {len(document)}.")
    try:
        with closing(document[page]) as shown:
            wide, high = shown.get_size()
            scale = width / max(wide, 1)
            # A page may be as long as a street: the picture's height has a limit too.
            scale = min(scale, 4 * width / max(high, 1))
            with closing(shown.render(scale=scale)) as bitmap:
                return bitmap.to_pil().convert("RGB")
    except (pdfium.PdfiumError, ValueError, MemoryError) as error:
        raise ChunkscopeError(f"Page {page + 1} cannot be drawn.", "Look at it in a PDF reader.") from error


# Frame ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Frame:
    """How a page's own coordinates become those shown: cropped, turned, from the top left."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @classmethod
    def of(cls, page: Any, raw: Any) -> _Frame:
        rect = raw.FS_RECTF()
        if not raw.FPDF_GetPageBoundingBox(page, rect):
            rect.left, rect.bottom, rect.right, rect.top = 0, 0, 612, 792
        edges = (rect.left, rect.bottom, rect.right, rect.top)
        if not all(map(math.isfinite, edges)) or rect.right <= rect.left or rect.top <= rect.bottom:
            edges = (0.0, 0.0, 612.0, 792.0)
        return cls(*edges, max(raw.FPDFPage_GetRotation(page), 0) % 4)

    @property
    def width(self) -> float:
        return self.right - self.left if self.rotation % 2 == 0 else self.top - self.bottom

    @property
    def height(self) -> float:
        return self.top - self.bottom if self.rotation % 2 == 0 else self.right - self.left

    def boxes(self, own: Float32) -> Float32:
        """Boxes of ``left, top, right, bottom`` in PDF coordinates as they are shown, edges in order."""
        x = own[:, 0::2].astype(np.float64) - self.left
        y = self.top - own[:, 1::2].astype(np.float64)
        wide, high = self.right - self.left, self.top - self.bottom
        turned = [(x, y), (high - y, x), (wide - x, high - y), (y, wide - x)][self.rotation]
        shown = np.stack((turned[0][:, 0], turned[1][:, 0], turned[0][:, 1], turned[1][:, 1]), axis=1)
        shown = np.nan_to_num(shown, nan=-1e6, posinf=1e6, neginf=-1e6).clip(-1e6, 1e6)
        return np.concatenate(
            (np.minimum(shown[:, :2], shown[:, 2:]), np.maximum(shown[:, :2], shown[:, 2:])), axis=1
        ).astype(np.float32)


def _union(first: Float32, last: Float32) -> Float32:
    """Boxes around both, of ``left, top, right, bottom`` with the top above."""
    return np.stack(
        (
            np.minimum(first[:, 0], last[:, 0]),
            np.maximum(first[:, 1], last[:, 1]),
            np.maximum(first[:, 2], last[:, 2]),
            np.minimum(first[:, 3], last[:, 3]),
        ),
        axis=1,
    )


def _straight(lines: Float32) -> Iterator[Edge]:
    """The lines that are horizontal or vertical."""
    for left, top, right, bottom in lines.tolist():
        if min(right - left, bottom - top) < 0.5 and max(right - left, bottom - top) > 2.5:
            yield Edge(left, top, right, bottom)


def _level(one: Float32, other: Float32) -> npt.NDArray[np.float32]:
    """How much of the height two boxes share, with the top above."""
    shared: npt.NDArray[np.float32] = np.minimum(one[:, 1], other[:, 1]) - np.maximum(one[:, 3], other[:, 3])
    return shared


def _sides(boxes: Float32, stroked: Flags) -> Iterator[Edge]:
    """The lines that paths draw, by their boxes: thin ones are lines, of stroked larger ones the four sides."""
    for (left, top, right, bottom), line in zip(boxes.tolist(), stroked.tolist(), strict=True):
        wide, high = right - left, bottom - top
        if wide < 2.5 and high < 2.5:
            continue
        if high < 2.5:
            yield Edge(left, (top + bottom) / 2, right, (top + bottom) / 2)
        elif wide < 2.5:
            yield Edge((left + right) / 2, top, (left + right) / 2, bottom)
        elif line:
            yield Edge(left, top, right, top)
            yield Edge(left, bottom, right, bottom)
            yield Edge(left, top, left, bottom)
            yield Edge(right, top, right, bottom)


def _side_by_side(boxes: Float32, sizes: Float32) -> bool:
    """Whether words that follow each other ever stand on one line with a gap between, as the cells of a table do."""
    if len(boxes) < 4:
        return False
    before, after = boxes[:-1], boxes[1:]
    gap = after[:, 0] - before[:, 2]
    level = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    below = after[:, 1] - before[:, 1]
    # A cell's lines may come before the next cell, so a step up and to the right counts as well.
    side = (gap > sizes[1:]) & ((level > 0) | (below < 0))
    return int(np.count_nonzero(side)) >= 2


# Words ------------------------------------------------------------------------------------------------------------

_CLEAN: dict[int, int] = {
    **dict.fromkeys((*range(0, 9), *range(14, 28), *range(55296, 57344), 65535, 127), 65533),
    **dict.fromkeys((11, 12, 28, 29, 30, 31, 133, 8232, 8233), 32),
    2: HYPHEN,
}

_SPACES = np.zeros(0x3001, dtype=np.bool_)
_SPACES[[code for code in range(0x3001) if chr(code).isspace()]] = True


def _word_spans(text: str) -> tuple[Ints, Ints]:
    """Half-open spans of the words: what stands between white space, cut after a hyphen at a line's end.

    Chinese and Japanese have no spaces: each character is a word there.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    if not len(codes):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    word = ~_SPACES[np.minimum(codes, 0x3001 - 1)] | (codes > 0x3000)
    new = word.copy()
    new[1:] &= ~word[:-1] | (codes[:-1] == HYPHEN)
    if codes.max() >= 0x2E80:
        single = ideographs(codes)
        new |= single & word
        new[1:] |= single[:-1] & word[1:]
    starts = np.flatnonzero(new)
    last = word.copy()
    last[:-1] &= ~word[1:] | new[1:]
    return starts, np.flatnonzero(last) + 1


def ideographs(codes: npt.NDArray[np.uint32]) -> Flags:
    """Which characters are written without spaces around them: Han, kana and their punctuation."""
    found: Flags = (
        ((codes >= 0x2E80) & (codes < 0xA000) & (codes != 0x3000))
        | ((codes >= 0xF900) & (codes < 0xFB00))
        | ((codes >= 0xFF00) & (codes < 0xFFF0))
        | ((codes >= 0x20000) & (codes < 0x32000))
    )
    return found


def _too_long() -> ChunkscopeError:
    return ChunkscopeError(f"The PDF has more than {MAX_CHARS // 2**20} MiB of text.", "Split it into smaller files.")


def check_length(chars: int) -> None:
    """Raise where the pages hold more characters than are read."""
    if chars > MAX_CHARS:
        raise _too_long()
