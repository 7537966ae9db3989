"""Files of every format, made of the samples' sentences: for the benchmark of loading."""

from __future__ import annotations

import functools
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from chunking import samples

_PLAIN = re.compile(r"[A-Z][A-Za-z0-9 ,.;'()-]{40,240}[.]")
"""Sentences with nothing in them that any format would have to escape."""

CHAPTER = 40
"""Sentences of one chapter, about."""


@functools.cache
def sentences() -> tuple[str, ...]:
    """Return the sentences of the sample documents."""
    documents = (samples.load(name).document for name in samples.names())
    texts = (document.slice((block.content, block.end)) for document in documents for block in document.blocks)
    found = (part for text in texts for part in re.split(r"(?<=[.])\s+", " ".join(text.split())))
    return tuple(sorted({part for part in found if _PLAIN.fullmatch(part)}))


class Writer:
    """Gives sentences, titles, words and numbers, always the same ones for a seed."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._pool = sentences()
        self._words = sorted({word for text in self._pool for word in re.findall("[a-z]{4,}", text)})

    def sentence(self) -> str:
        return self._pool[int(self._random.integers(len(self._pool)))]

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(int(self._random.integers(2, 7))))

    def words(self, count: int) -> list[str]:
        return [self._words[place] for place in self._random.integers(len(self._words), size=count)]

    def title(self) -> str:
        return " ".join(self.words(4)).capitalize()

    def number(self) -> str:
        return f"{self._random.uniform(0, 1000):.2f}"

    def rows(self, count: int, columns: int) -> list[list[str]]:
        return [self.words(1) + [self.number() for _ in range(columns - 1)] for _ in range(count)]


def _filled(size: int, chapter: Callable[[Writer, int], str], begin: str = "", end: str = "") -> str:
    """Return chapters one after the other until the text has ``size`` characters."""
    writer, parts = Writer(), [begin]
    length, number = len(begin) + len(end), 0
    while length < size:
        number += 1
        parts.append(chapter(writer, number))
        length += len(parts[-1])
    return "".join((*parts, end))


def plain(size: int) -> str:
    def chapter(writer: Writer, number: int) -> str:
        return f"{number}. {writer.title()}\n\n" + "".join(f"{writer.paragraph()}\n\n" for _ in range(10))

    return _filled(size, chapter)


def markdown(size: int) -> str:
    def chapter(writer: Writer, number: int) -> str:
        table = "".join(f"| {' | '.join(row)} |\n" for row in writer.rows(6, 4))
        items = "".join(f"- {writer.sentence()}\n" for _ in range(5))
        return (
            f"{'#' * (1 + number % 3)} {writer.title()}\n\n"
            + "".join(f"{writer.paragraph()}\n\n" for _ in range(6))
            + f"{items}\n| name | a | b | c |\n|---|---|---|---|\n{table}\n"
            + f"> {writer.sentence()}\n\n```python\n{_function(writer, number)}```\n\n"
        )

    return _filled(size, chapter)


def rst(size: int) -> str:
    def chapter(writer: Writer, number: int) -> str:
        title = writer.title()
        items = "".join(f"- {writer.sentence()}\n" for _ in range(5))
        table = "".join("  ".join(cell.ljust(16) for cell in row).rstrip() + "\n" for row in writer.rows(5, 3))
        rule = "  ".join(["=" * 16] * 3)
        code = "".join(f"   {line}\n" if line else "\n" for line in _function(writer, number).splitlines())
        return (
            f"{title}\n{('=', '-', '~')[number % 3 if number > 3 else number - 1] * len(title)}\n\n"
            + "".join(f"{writer.paragraph()}\n\n" for _ in range(6))
            + f"{items}\n{rule}\n{table}{rule}\n\n.. note::\n\n   {writer.sentence()}\n\n"
            + f".. code-block:: python\n\n{code}\n"
        )

    return _filled(size, chapter)


def latex(size: int) -> str:
    def chapter(writer: Writer, number: int) -> str:
        items = "".join(f"  \\item {writer.sentence()}\n" for _ in range(5))
        table = "".join(f"{' & '.join(row)} \\\\\n" for row in writer.rows(5, 3))
        return (
            f"\\{('section', 'subsection', 'subsubsection')[number % 3]}{{{writer.title()}}}\n\n"
            + "".join(f"{writer.paragraph()} \\emph{{{writer.title()}}}~\\cite{{one}}.\n\n" for _ in range(6))
            + f"\\begin{{itemize}}\n{items}\\end{{itemize}}\n\n"
            + f"\\begin{{equation}}\n  E_{{{number}}} = m c^2\n\\end{{equation}}\n\n"
            + f"\\begin{{tabular}}{{lrr}}\n{table}\\end{{tabular}}\n\n"
        )

    return _filled(size, chapter, "\\documentclass{article}\n\\begin{document}\n", "\\end{document}\n")


def html(size: int) -> str:
    def chapter(writer: Writer, number: int) -> str:
        items = "".join(f"<li>{escape(writer.sentence())}</li>\n" for _ in range(5))
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in writer.rows(5, 4))
        paragraphs = "".join(
            f'<p class="text">{escape(writer.paragraph())} <a href="#c{number}">{writer.title()}</a> &amp; more.</p>\n'
            for _ in range(6)
        )
        return (
            f'<h{1 + number % 3} id="c{number}">{writer.title()}</h{1 + number % 3}>\n{paragraphs}<ul>\n{items}</ul>\n'
            f"<table>\n{rows}</table>\n<pre><code>{escape(_function(writer, number))}</code></pre>\n"
        )

    writer = Writer(1)
    links = "".join(f'<li><a href="/{place}">{writer.title()}</a></li>\n' for place in range(20))
    begin = f'<!DOCTYPE html>\n<html lang="en"><head><title>{writer.title()}</title></head>\n<body>\n<nav><ul>\n{links}'
    return _filled(
        size,
        chapter,
        f"{begin}</ul></nav>\n<main>\n<article>\n",
        f"</article>\n</main>\n<footer>{writer.sentence()}</footer>\n</body></html>\n",
    )


def _records(size: int) -> Iterator[dict[str, Any]]:
    writer, length, number = Writer(), 0, 0
    while length < size:
        number += 1
        record = {
            "id": number,
            "title": writer.title(),
            "text": writer.paragraph(),
            "tags": writer.words(4),
            "place": {"name": writer.words(1)[0], "height": float(writer.number())},
            "open": number % 2 == 0,
            "values": [float(writer.number()) for _ in range(5)],
        }
        length += len(json.dumps(record, indent=1))
        yield record


def json_text(size: int) -> str:
    return json.dumps(list(_records(size)), indent=1)


def yaml_text(size: int) -> str:
    yaml: Any = import_module("yaml")
    return str(yaml.dump(list(_records(size)), Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), width=100))


def csv_text(size: int) -> str:
    def lines(writer: Writer, number: int) -> str:
        day = f"2024-{1 + number % 12:02}-{1 + number % 28:02}"
        return "".join(f'{day},{",".join(row)},"{writer.sentence()}"\n' for row in writer.rows(20, 4))

    return _filled(size, lines, "day,place,low,high,mean,remark\n")


def notebook(size: int) -> str:
    def cell(kind: str, source: str, **more: Any) -> dict[str, Any]:
        return {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), **more}

    writer, cells, length, number = Writer(), list[dict[str, Any]](), 0, 0
    while length < size:
        number += 1
        output = {"output_type": "stream", "name": "stdout", "text": [f"{' '.join(writer.words(8))}\n"] * 3}
        code = _function(writer, number)
        cells.append(cell("markdown", f"## {writer.title()}\n\n{writer.paragraph()}\n\n{writer.paragraph()}\n"))
        cells.append(cell("code", code, outputs=[output], execution_count=number))
        length += sum(len(json.dumps(each, indent=1)) for each in cells[-2:])
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def python(size: int) -> str:
    def chapter(writer: Writer, number: int) -> str:
        method = "".join(f"    {line}\n" if line else "\n" for line in _function(writer, number).splitlines())
        name = "".join(word.capitalize() for word in writer.words(2))
        return f'class {name}{number}:\n    """{writer.sentence()}"""\n\n{method}\n\n{_function(writer, number)}\n\n'

    return _filled(size, chapter, '"""Made for measuring."""\n\nimport math\n\n\n')


def _function(writer: Writer, number: int) -> str:
    name, first, second = writer.words(3)
    return (
        f'def {name}_{number}(a_{first}: int, b_{second}: int) -> int:\n    """{writer.sentence()}"""\n\n'
        f"    # {writer.sentence()}\n    total = 0\n    for step in range(a_{first}):\n"
        f"        if step % 2:\n            total += step * b_{second}\n"
        f"        else:\n            total -= {number}\n    return total\n"
    )


def subtitles(size: int) -> str:
    def cue(writer: Writer, number: int) -> str:
        minute, second = divmod(number * 4, 60)
        hour, minute = divmod(minute, 60)
        time = f"{hour:02}:{minute:02}:{second:02}"
        return f"{number}\n{time},000 --> {time},900\n{writer.sentence()}\n\n"

    return _filled(size, cue)


def chat(size: int) -> str:
    def turn(writer: Writer, number: int) -> str:
        return f"{('Ada', 'Ben', 'Cleo')[number % 3]}: {writer.paragraph()}\n\n"

    return _filled(size, turn)


TEXTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "text": ("txt", plain),
    "markdown": ("md", markdown),
    "rst": ("rst", rst),
    "latex": ("tex", latex),
    "json": ("json", json_text),
    "yaml": ("yaml", yaml_text),
    "csv": ("csv", csv_text),
    "subtitles": ("srt", subtitles),
    "chat": ("chat", chat),
    "html": ("html", html),
    "notebook": ("ipynb", notebook),
    "python": ("py", python),
}
"""Suffix and maker of each format that is text; a maker takes the size in characters."""


def pdf(pages: int) -> bytes:
    """Return the sections of running text with headings, lists and tables, every second one in two columns; running
    lines.
    """
    units: Any = import_module("reportlab.lib.units")
    platypus: Any = import_module("reportlab.platypus")
    styles = import_module("reportlab.lib.styles").getSampleStyleSheet()
    writer, cm = Writer(), units.cm
    width, height, edge, gutter = 21 * cm, 29.7 * cm, 2.2 * cm, 0.8 * cm
    column = (width - 2 * edge - gutter) / 2

    def running(canvas: Any, document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(edge, height - 1.2 * cm, "A report made for measuring")
        canvas.drawCentredString(width / 2, 1.2 * cm, str(document.page))

    def frame(left: float, wide: float) -> Any:
        return platypus.Frame(left, edge, wide, height - 2 * edge, 0, 0, 0, 0)

    out = io.BytesIO()
    document = platypus.BaseDocTemplate(out, pagesize=(width, height))
    document.addPageTemplates(
        [
            platypus.PageTemplate("one", [frame(edge, width - 2 * edge)], onPage=running),
            platypus.PageTemplate("two", [frame(edge, column), frame(edge + column + gutter, column)], onPage=running),
        ]
    )
    story: list[Any] = []
    grid = platypus.TableStyle([("GRID", (0, 0), (-1, -1), 0.5, (0, 0, 0)), ("FONTSIZE", (0, 0), (-1, -1), 8)])
    for number in range(1, pages + 2):
        story += [platypus.NextPageTemplate(("one", "two")[number % 2]), platypus.PageBreak()] if number > 1 else []
        story.append(platypus.Paragraph(f"{number} {writer.title()}", styles["Heading1"]))
        for part in range(1, 4):
            story.append(platypus.Paragraph(f"{number}.{part} {writer.title()}", styles["Heading2"]))
            story += [platypus.Paragraph(writer.paragraph(), styles["BodyText"]) for _ in range(4)]
        story += [platypus.Paragraph(writer.sentence(), styles["Bullet"], bulletText="•") for _ in range(3)]
        story += [platypus.Table(writer.rows(5, 4), style=grid), platypus.Spacer(1, 8)]
    document.build(story)
    return _first_pages(out.getvalue(), pages)


def _first_pages(data: bytes, pages: int) -> bytes:
    pdfium: Any = import_module("pypdfium2")
    document = pdfium.PdfDocument(data)
    while len(document) > pages:
        del document[len(document) - 1]
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def docx(chapters: int) -> bytes:
    """Return a Word document of python-docx: headings, paragraphs with bold words, lists, tables."""
    writer = Writer()
    document: Any = import_module("docx").Document()
    for number in range(chapters):
        document.add_heading(writer.title(), 1 + number % 3)
        for _ in range(8):
            paragraph = document.add_paragraph(writer.paragraph() + " ")
            paragraph.add_run(writer.title()).bold = True
            paragraph.add_run(". " + writer.sentence())
        for _ in range(4):
            document.add_paragraph(writer.sentence(), style="List Bullet")
        table = document.add_table(rows=0, cols=4)
        for row in writer.rows(4, 4):
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def large_docx(xml: int, size: int = 0) -> bytes:
    """Return a Word document with ``xml`` bytes of text parts, and pictures that fill it up to ``size`` bytes."""

    def chapter(writer: Writer, number: int) -> str:
        heading = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{writer.title()}</w:t></w:r></w:p>'
        return heading + "".join(
            f'<w:p><w:r><w:t xml:space="preserve">{writer.paragraph()} </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>'
            f"<w:t>{writer.title()}</w:t></w:r><w:r><w:t>. {writer.sentence()}</w:t></w:r></w:p>"
            for _ in range(8)
        )

    with zipfile.ZipFile(io.BytesIO(docx(0))) as made:
        entries = {name: made.read(name) for name in made.namelist()}
    main = entries["word/document.xml"].decode()
    place = main.index("<w:body>") + len("<w:body>")
    entries["word/document.xml"] = (main[:place] + _filled(xml, chapter) + main[place:]).encode()
    return _zipped(entries, "word/media/image", size)


def epub(text: int, size: int = 0) -> bytes:
    """Return a book with ``text`` bytes of pages, and pictures that fill it up to ``size`` bytes."""
    chapter = 20_000
    names = [f"c{number}.xhtml" for number in range(max(text // chapter, 1))]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Made</dc:title><dc:language>en</dc:language>'
        f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/></rootfiles>'
        "</container>"
    )
    entries = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": container.encode(),
        "book/content.opf": package.encode(),
    }
    pages = _pages(len(names), chapter)
    return _zipped(entries | {f"book/{name}": page for name, page in zip(names, pages, strict=True)}, "book/i", size)


def _pages(count: int, size: int) -> Iterator[bytes]:
    writer = Writer()
    for _ in range(count):
        parts = [f"<h1>{writer.title()}</h1>"]
        while sum(map(len, parts)) < size:
            parts.append(f"<p>{writer.paragraph()} <em>{writer.title()}</em>.</p>")
        body = "\n".join(parts)
        head = '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Made</title></head>'
        yield f"{head}<body>\n{body}\n</body></html>".encode()


def _zipped(entries: dict[str, bytes], pictures: str, size: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries.items():
            made.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
        random, number = np.random.default_rng(0), 0
        while out.tell() < size:
            number += 1
            made.writestr(f"{pictures}{number}.png", random.bytes(min(1_000_000, size - out.tell())))
    return out.getvalue()
