"""Files to begin with: real ones where they lie beside the repository, the samples, and made ones of every format.

What makes them is imported only where it is needed: a process that loads files makes none.
"""

from __future__ import annotations

import io
import json
from importlib import import_module
from pathlib import Path

from chunking.loading import FORMATS
from chunking.syntax.programs import PROGRAMS
from tests.loading.binary import test_docx, test_epub, test_mail, test_odf, test_pptx, test_sheets, test_ttml, test_xml
from tests.loading.binary.pdf import making
from tests.loading.checks import packed
from tests.loading.markup import parsed
from tests.loading.text import test_code

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "data" / "documents"
LONGEST = 40_000
"""Bytes that are taken of a real file, so that a run is quick."""

_HTML = b"""<!DOCTYPE html><html lang="en"><head><title>Tea</title><style>p {}</style>
</head><body><nav><ul><li>
<a href="/">Home</a></ul></nav>
<main><h1>Tea &amp; bread</h1><p>Boil <b>water</b>.<br>Wait.</p><ul><li>Green<ol><li>Sencha</ol>
<li>Black</ul><table><caption>Prices</caption><tr><th>Tea<th colspan=2>Price<tr><td>Green<td>2<td>3</table>
<pre><code>x = 1
y = 2</code></pre><blockquote>Said he.<p>Twice.</blockquote><figure><img alt="A pot"><figcaption>A pot</figcaption>
</figure><dl><dt>Leaf<dd>What is boiled</dl><script>alert(1)</script></main><footer>Ends</footer></body></html>"""
_TEXTS: dict[str, list[bytes]] = {
    "text": [
        b"CHAPTER I\n\nIt rained. He left.\n\n  1. One\n  2. Two\n\n\fPage 2\n\nMore of it.\n",
        b"It rained all day, and nobody came to the house until four.\n\n" + b"ANN: Hi.\nBOB: Yes.\n" * 3,
    ],
    "markdown": [
        b"# A\n\nText. More.\n\n- a\n  - b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx\n```\n\n> q\n\n[^1]: note\n"
    ],
    "rst": [
        b"Tea\n===\n\nBoil. Wait.\n\n* a\n\n  * b\n\n== ==\na  b\n== ==\n1  2\n== ==\n\n::\n\n  code\n\n.. [1] note\n"
    ],
    "latex": [
        rb"\documentclass{a}\begin{document}\section{Tea}Boil $x$.\begin{itemize}\item a\item b\end{itemize}"
        rb"\begin{tabular}{ll}a&b\\c&d\end{tabular}\footnote{n}\begin{verbatim}x\end{verbatim}\[y\]\end{document}"
    ],
    "json": [b'{"tea": {"water": ["hot", 1, null, true]}, "text": "Boil it. Wait."}', b'{"a": 1}\n{"a": 2}\n'],
    "yaml": [
        b"tea: &t\n  water: hot\n  list:\n    - 1\n    - two\nbread: *t\n"
        b"text: |\n  Boil it.\n  Wait.\n---\nx: {a: [1, 2]}\n"
    ],
    "csv": [b'name,price\n"Tea, green",2\n"a ""b""",3\n', b"a\tb\n1\t2\n", b"a;b\n1,5;2\n"],
    "subtitles": [
        b"1\n00:00:01,000 --> 00:00:02,000\nGood morning.\n\n2\n00:00:03,000 --> 00:00:04,500\n<i>Is it?</i>\n",
        b"WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000 align:start\n"
        b"<v Ann>Good morning.\n\na\n00:03.000 --> 00:04.000\nYes.\n",
        b"[Events]\nFormat: Layer, Start, End, Name, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Ann,{\\i1}Yes.\n",
        b"[ar:Ann]\n[00:01.00]Good morning.\n[00:02.00]Yes.\n",
    ],
    "chat": [
        b"[10:00] Ann: Hi\n[10:01] Bob: Yes.\nAnd no.\n[10:02] Ann: Well.\n",
        b"10/02/2024, 10:30 - Ann: Hi\n10/02/2024, 10:31 - Bob: Yes\n",
    ],
    "html": [_HTML],
    **parsed.SEEDS,
}


def seeds(format: str) -> list[bytes]:
    """Files of a format."""
    made = [*_TEXTS.get(format, ()), *_real(format)]
    if format == "docling":
        made.append(json.dumps(parsed.docling()).encode())
    if format == "notebook":
        made += _notebooks()
    if format == "pdf":
        made += _pdfs()
    if format == "docx":
        made += _docx()
    if format == "epub":
        made += [
            test_epub.book(test_epub.TEA, test_epub.BREAD),
            test_epub.book(_HTML),
            test_epub.book(test_epub.chapter(_NOTES)),
        ]
    made += _office(format)
    if format in PROGRAMS:
        made.append(test_code.SAMPLES[format][0].encode())
        own = sorted((ROOT / "pages" / "shared" / "components").iterdir())
        made += [path.read_bytes()[:LONGEST] for path in own if path.suffix in suffixes(format)]
    return made


def suffixes(format: str) -> tuple[str, ...]:
    """What files of a format are called."""
    return FORMATS[format].suffixes or (".md" if format == "marker" else ".json",)


def _real(format: str) -> list[bytes]:
    paths = [*(ROOT / "sample_docs").glob("*.md"), *(ROOT / "sample_docs").glob("*.txt")]
    paths += list(REAL.glob("*")) if REAL.exists() else []
    fit = sorted(path for path in paths if path.suffix and path.suffix in FORMATS[format].suffixes)
    return [path.read_bytes()[:LONGEST] for path in fit]


_NOTES = (
    '<h1>Tea<sup>1</sup></h1><p>Boil<a epub:type="noteref" href="#n">1</a>.</p>'
    '<aside epub:type="footnote" id="n">Hot.</aside><table><tr><td>a</td></tr></table>'
)


def _notebooks() -> list[bytes]:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["4\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "4", "text/html": "<b>4</b>"}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Sums\n", "\n", "Two and two. Then more."]},
        {"cell_type": "code", "source": "print(2 + 2)", "outputs": outputs},
        {"cell_type": "raw", "source": "raw"},
    ]
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "code", "input": "x = 1", "outputs": []},
                    {"cell_type": "heading", "level": 2, "source": "H"},
                ]
            }
        ],
    }
    return [
        json.dumps(
            {"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": cells}, indent=1
        ).encode(),
        json.dumps(old).encode(),
    ]


def _pdfs() -> list[bytes]:
    def first(canvas: object) -> None:
        making.Pen(canvas).lines(["Ice at Kelby"], 20).text(making.PROSE).lines(["1. One", "2. Two"])

    def second(canvas: object) -> None:
        making.Pen(canvas, width=200).text(making.PROSE)
        making.Pen(canvas, left=320, width=200).text(making.OTHER)

    def table(canvas: object) -> None:
        canvas.grid([72, 200, 300], [700, 680, 660])  # type: ignore[attr-defined]
        making.Pen(canvas, top=150).lines(["a        b", "c        d"]).text(making.OTHER)

    # Streams that are not packed, so that changes reach what they draw.
    return [
        making.drawn(first, second, pageCompression=0),
        making.drawn(table, pageCompression=0),
        making.drawn(first, second, table),
        making.simple(making.HELLO),
    ]


def _office(format: str) -> list[bytes]:
    p = test_odf.p
    if format == "pptx":
        slide = test_pptx.shape(test_pptx.p("Tea"), test_pptx.TITLE) + test_pptx.shape(
            test_pptx.p("Boil."), test_pptx.BODY
        )
        return [packed(test_pptx.files(test_pptx.tree("sld", slide), test_pptx.tree("sld", slide)))]
    if format == "xlsx":
        return [packed(test_sheets.files({"Tea": test_sheets.sheet(("Leaf", "Price"), ("Green", 2))}))]
    if format == "ods":
        cell = f"<table:table-cell office:value-type='string'>{p('Green')}</table:table-cell>"
        body = f"<table:table table:name='Tea'><table:table-row>{cell}</table:table-row></table:table>"
        return [packed(test_odf.files(test_odf.content(body, "spreadsheet"), "spreadsheet"))]
    if format == "odt":
        items = f"<text:list><text:list-item>{p('One')}</text:list-item></text:list>"
        body = f'<text:h text:outline-level="1">Tea</text:h>{p("Boil water. Wait.")}{items}'
        flat = b"<?xml version='1.0'?>" + test_odf.content(body, root="document").encode()
        return [packed(test_odf.files(test_odf.content(body))), flat]
    if format == "odp":
        frame = f'<draw:frame presentation:class="title"><draw:text-box>{p("Tea")}</draw:text-box></draw:frame>'
        body = f"<draw:page>{frame}</draw:page>"
        return [packed(test_odf.files(test_odf.content(body, "presentation"), "presentation"))]
    if format == "mail":
        made = test_mail.message()
        made.add_alternative("<p>Boil <b>water</b>.</p>", subtype="html")
        made.add_attachment(b"a", "image", "png", filename="a.png")
        return [bytes(made), b"From kim Mon Jan  5 10:00:00 2026\n" + bytes(test_mail.message())]
    if format == "rtf":
        return [
            rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}}\pard\outlinelevel0 Tea\par\pard Boil caf\'e9."
            rb" \u8364? it.\par{\listtext 1.\tab}One\par\trowd\pard\intbl a\cell b\cell\row\pard{\footnote n}\par}"
        ]
    if format == "ttml":
        cue = '<p begin="00:00:01.000" end="2s">Good<br/>morning.</p>'
        return [f"{test_ttml.HEAD}<body><div>{cue * 2}</div></body></tt>".encode()]
    if format == "xml":
        return [test_xml.JATS.encode(), test_xml.VOCABULARIES["a feed"][0].encode()]
    return []


def _docx() -> list[bytes]:
    made = import_module("docx").Document()
    made.add_heading("Tea", 1)
    made.add_paragraph("Boil water. ").add_run("Pour it.").bold = True
    made.add_paragraph("Green", style="List Bullet")
    table = made.add_table(2, 2)
    table.cell(0, 0).text = "a"
    made.sections[0].header.paragraphs[0].text = "On tea"
    out = io.BytesIO()
    made.save(out)
    p, part, style = test_docx.p, packed, test_docx.style
    body = (
        p("Tea", "H1")
        + p("Boil water. Wait.")
        + "<w:tbl><w:tr><w:tc>"
        + p("a")
        + "</w:tc><w:tc>"
        + p("b")
        + "</w:tc></w:tr></w:tbl>"
    )
    note = '<w:p><w:r><w:t>More</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = '<w:footnote w:id="2">' + p("A note.") + "</w:footnote>"
    styles = style("Normal", "Normal", default=True) + style("H1", "heading 1", "", "Normal")
    numbering = (
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    item = p("One", properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    raw = part(
        test_docx.files(body + note + item, styles=styles, numbering=numbering, footnotes=notes, header=p("Head"))
    )
    return [out.getvalue(), raw, raw]
