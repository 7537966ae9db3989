"""PDFs for the tests, drawn with reportlab or put together byte by byte."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from chunking.loading.binary.pdf import parse
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed

WIDTH, HEIGHT = A4
BODY = "Times-Roman"

PROSE = (
    "The harbour at Kelby freezes late in the year, and the pilots know it by the colour of the water. They wait for "
    "the first clear morning after the wind has turned north, and then they measure the ice at nine places along the "
    "mole. Nobody has written down why there are nine. The oldest of them says that his uncle walked there with a "
    "long pole and stopped whenever his pipe went out. Since then the places have had names, and the names have "
    "outlived the uncle, the pole and the pipe."
)
"""A paragraph that fills several lines."""

OTHER = (
    "A second account comes from the customs house, where every vessel had to wait for a stamp. The clerk kept a "
    "diary of the weather because he had nothing else to do between the boats, and he kept it well. His numbers agree "
    "with those of the pilots in all winters but one, in which both sides seem to have been drunk for a week."
)


def load(data: bytes) -> Parsed:
    return parse(data, "test.pdf", LoadParameters(), None)


def drawn(*pages: Callable[[Any], object], size: tuple[float, float] = A4, **options: Any) -> bytes:
    """A PDF of a function for each page, each given the canvas."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=size, invariant=1, **options)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def wrapped(text: str, width: float, size: float = 11, font: str = BODY, indent: float = 0) -> list[str]:
    """A text in lines of a width, as a typesetter without hyphenation breaks it."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        room = width - (indent if not lines else 0)
        longer = f"{line} {word}".strip()
        if line and stringWidth(longer, font, size) > room:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


class Pen:
    """Sets text from the top of a page or column downwards."""

    def __init__(self, canvas: Any, left: float = 72, top: float = 90, width: float = 450) -> None:
        self.canvas, self.left, self.width, self.y = canvas, left, width, top

    def lines(
        self, lines: Sequence[str], size: float = 11, font: str = BODY, indent: float = 0, lead: float = 1.25
    ) -> Pen:
        for number, line in enumerate(lines):
            self.canvas.setFont(font, size)
            self.canvas.drawString(self.left + (0 if number else indent), HEIGHT - self.y, line)
            self.y += size * lead
        return self

    def text(self, text: str, size: float = 11, font: str = BODY, indent: float = 0, after: float = 8) -> Pen:
        self.lines(wrapped(text, self.width, size, font, indent), size, font, indent)
        return self.skip(after)

    def skip(self, points: float) -> Pen:
        self.y += points
        return self


def shown(parsed: Parsed) -> list[tuple[str, str]]:
    """Kind and text of each block."""
    return [(block.kind, parsed.text[block.start : block.end]) for block in parsed.blocks]


def of_kind(parsed: Parsed, kind: str) -> list[str]:
    return [text for name, text in shown(parsed) if name == kind]


def levels(parsed: Parsed, kind: str) -> list[tuple[str, int]]:
    return [(parsed.text[block.start : block.end], block.level) for block in parsed.blocks if block.kind == kind]


def check(parsed: Parsed) -> None:
    """What holds of every PDF that was loaded."""
    text, pages, origin = parsed.text, parsed.pages, parsed.origin
    assert pages is not None and origin is not None
    place, covered = 0, check_parsed(parsed)
    for block in parsed.blocks:
        assert text[block.start : block.end] == "\f" if block.kind == "page_break" else block.style is not None
        assert not text[place : block.start].strip(" \n")
        place = block.end
    assert place == len(text)
    words = pages.words
    assert len(pages.sizes) == len(origin.parts)
    sizes = pages.sizes[pages.page]
    assert (pages.boxes[:, :2] >= 0).all() and (pages.boxes[:, 2:] <= sizes + 0.01).all()
    assert (pages.boxes[:, :2] <= pages.boxes[:, 2:]).all()
    runs = origin.runs
    assert (runs[:, 1] == runs[:, 4]).all()
    for (start, end), page in zip(words.tolist(), pages.page.tolist(), strict=True):
        assert not any(map(str.isspace, text[start:end]))
        assert all(covered[start:end])
        assert origin.places(start, end)[0].part == page
    for aside in parsed.aside:
        assert aside.text and aside.box is not None and 0 <= aside.part < len(pages.sizes)


def laid(*pages: Callable[[Pen], object], **places: float) -> Parsed:
    """Load pages that a pen writes, from the top of each or from other places."""
    parsed = load(drawn(*[lambda canvas, page=page: page(Pen(canvas, **places)) for page in pages]))
    check(parsed)
    return parsed


def heading(pen: Pen, text: str, size: float = 16) -> Pen:
    return pen.skip(10).lines([text], size, "Times-Bold").skip(6)


def at(pen: Pen, text: str, x: float, font: str = "Times-Roman", size: float = 11) -> Pen:
    """Write a text at the height of the pen, which stays there."""
    pen.canvas.setFont(font, size)
    pen.canvas.drawString(x, HEIGHT - pen.y, text)
    return pen


# Bytes ------------------------------------------------------------------------------------------------------------


def raw(objects: dict[int, bytes], root: int = 1, extra: bytes = b"") -> bytes:
    """A PDF of objects by number, with a table of where they are."""
    out = bytearray(b"%PDF-1.7\n")
    places: dict[int, int] = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    most = max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % most
    for number in range(1, most):
        out += b"%010d 00000 %c \n" % (places.get(number, 0), b"n"[0] if number in places else b"f"[0])
    out += b"trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (most, root, extra, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    packed = zlib.compress(content)
    return b"<< /Length %d /Filter /FlateDecode %s >>\nstream\n%s\nendstream" % (len(packed), entries, packed)


def simple(
    content: bytes,
    catalog: bytes = b"",
    page: bytes = b"",
    box: bytes = b"[0 0 612 792]",
    font: bytes = b"",
    more: dict[int, bytes] | None = None,
) -> bytes:
    """A PDF of one page with a content stream, and what a test adds to its dictionaries."""
    return raw(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> %s >>"
            % (box, page),
            4: stream(content),
            5: font or b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            **(more or {}),
        }
    )


HELLO = b"BT /F1 12 Tf 72 700 Td (Good morning from the north mole) Tj ET"


def lettered(letters: Sequence[str]) -> tuple[bytes, bytes]:
    """A font that says which letters its codes are, whatever it draws, and its object 6, a map from codes to letters.

    Args:
        letters: those of the codes from 33 on, in order, one or several each; 32 is a space. All are half an em wide.
    """
    pairs = [(32, " "), *enumerate(letters, start=33)]
    lines = [f"<{code:02x}> <{letter.encode('utf-16-be').hex()}>" for code, letter in pairs]
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def "
        "1 begincodespacerange <00> <ff> endcodespacerange "
        f"{len(lines)} beginbfchar {' '.join(lines)} endbfchar endcmap end end"
    )
    widths = " ".join(["500"] * len(pairs))
    font = (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 32 /LastChar {31 + len(pairs)} "
        f"/Widths [{widths}] /ToUnicode 6 0 R >>"
    )
    return font.encode(), stream(cmap.encode())


def with_letters(text: str, lines: Sequence[tuple[float, float, str]], size: float = 10) -> bytes:
    """A PDF of one page with lines at a place each, in a font of all letters of ``text``."""
    letters = "".join(sorted(set(text) - {" "}))
    font, cmap = lettered(letters)
    codes = {letter: 33 + place for place, letter in enumerate(letters)} | {" ": 32}
    content = ""
    for x, y, line in lines:
        string = "".join(f"{codes[letter]:02x}" for letter in line)
        content += f"BT /F1 {size} Tf {x} {y} Td <{string}> Tj ET\n"
    return simple(content.encode(), font=font, more={6: cmap})
