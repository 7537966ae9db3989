"""Changes to files that a parser may stumble over."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Callable, Sequence
from random import Random

MOST = 200_000
"""Bytes that no changed file exceeds."""

NASTY: tuple[bytes, ...] = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\r\n", b"\n\n",
    b"\x0c", b"\x0b", b"\x1c", b"\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xe2\x80\x8b",
    b"\xf0\x9f\x91\xa9\xe2\x80\x8d", b"\xcc\x81", b"\xc3\x9f", b"\xe3\x80\x80", b"\t", b"    ", b"%s%n",
    b"../../etc/passwd", b"\x1b[2J", b"0", b"-1", b"4294967296",
    b"9" * 400,
    b"1e999", b"NaN", b"0x", b"<script>", b"]]>", b"'", b'"', b"\\",
)  # fmt: skip
"""What any format may be given."""

TOKENS: dict[str, tuple[bytes, ...]] = {
    "markdown": (
        b"> ", b"- ", b"1. ", b"# ", b"```\n", b"~~~", b"|", b"|---|\n", b"[", b"](", b"![", b"<!--", b"-->", b"***",
        b"[a]: <", b"<div>", b"</div>", b"$$", b"====\n", b"----\n", b"\t- ", b"&#0;", b"&amp;", b"<![CDATA[",
    ),
    "rst": (
        b"====\n", b".. include:: /etc/passwd\n", b".. raw:: html\n", b"::\n\n", b".. [#] ", b"+--+\n", b"|  |\n",
        b"=== ===\n", b"* ", b"#. ", b".. |a| replace:: |a|\n", b"``", b":field: ", b".. table::\n\n", b"|_|", b"__",
    ),
    "latex": (
        b"\\begin{verbatim}", b"\\end{verbatim}", b"\\begin{itemize}", b"\\item ", b"\\end{itemize}", b"$$", b"$", b"%",
        b"\\def\\a{\\a\\a}\\a", b"\\input{/etc/passwd}", b"{", b"}", b"\\section{", b"\\begin{", b"\\end{", b"\\[",
        b"\\]", b"\\verb|", b"\\\\", b"&", b"\\begin{tabular}{ll}", b"\\footnote{", b"\\caption{",
        b"\\newcommand{\\x}[9]{#9}",
    ),
    "json": (
        b"[", b"]", b"{", b"}", b'{"a":', b",", b":", b'"', b"\\u0000", b"\\ud800", b"null", b"1e999", b"-", b"//",
    ),
    "yaml": (
        b"&a [*a, *a]\n", b"*a", b"&a", b"!!python/object/apply:os.system ['true']", b"? ", b": ", b"- ", b"|\n",
        b">-\n", b"---\n", b"...\n", b"%YAML 9\n", b"<<: *a\n", b"{", b"[", b"\t", b"# ", b"'", b"!!binary |\n",
    ),
    "csv": (
        b'"', b'""', b",", b";", b"\t", b"\n", b"=1+1", b"|", b'"\n', b"\r",
    ),
    "subtitles": (
        b"00:00:01,000 --> 00:00:02,000\n", b"99:99:99,999 --> 0:0\n", b"WEBVTT\n\n", b"NOTE ", b"STYLE\n", b"<v Ann>",
        b"<c.x>", b"</c>", b"<00:00:01.000>", b"1\n", b"-->", b"REGION\n", b"{\\an8}",
        b"0:00:01.000,0:00:02.000\n", b"[Events]\n", b"Format: Start, End, Text\n", b"Dialogue: 0,0:00:01.00,",
        b"[00:01.00]",
        b"[Ann] ",
    ),
    "chat": (
        b"Ann: ", b"[10:00] ", b"10/02/2024, 10:30 - ", b"<@U1>", b">> ", b": ", b"ANN (aside): ", b"12:00 PM",
    ),
    "html": (
        b"<table>", b"<td colspan=999999999 rowspan=99999999>", b"</table>", b"&#x110000;", b"&#xd800;", b"&#0;",
        b"<!--", b"--!>", b"<![CDATA[", b"<svg><style>", b"<math><mi>", b"<plaintext>", b"<template>", b"<noscript>",
        b"<textarea>", b"<pre>\n", b"<li>", b"<ul>", b"<h1>", b"</h1>", b"<p>", b"</p>", b"<br>", b"<select><option>",
        b"<frameset>", b"<a href='javascript:x'>", b"<iframe srcdoc='<p>'>", b"<meta charset=utf-7>",
        b"<base href=//x>", b"<b><i>", b"&NotEqualTilde;", b"&amp", b"<title>", b"<body>", b"</body>", b"</html>",
        b"<nav>", b"<q>", b"<dl><dt><dd>", b"<ruby>a<rt>b", b"<script>", b"</script>", b"<xmp>", b"<details><summary>",
        b"<form>", b"<p hidden>",
    ),
    "notebook": (
        b'"cell_type": "code"', b'"source": []', b'"source": null', b'"outputs": [{}]', b'"nbformat": 3',
        b'{"cells": [', b"[[[[", b"\\ud800", b'"text/html": "<script>"', b'"worksheets": [', b'"attachments": 1',
        b"null", b"-1",
    ),
    "pdf": (
        b" 0 R", b"<<", b">>", b"[", b"]", b"stream\n", b"endstream", b"endobj", b"1 0 obj", b"/Kids [3 0 R 3 0 R]",
        b"/F1", b"/Count 999999999", b"/Filter [/FlateDecode /FlateDecode]", b"/ASCIIHexDecode", b"/Rotate 91",
        b"/UserUnit 1e9", b"/MediaBox [0 0 1e9 1e9]", b"/MediaBox [0 0 0 0]", b"/CropBox [9 9 1 1]", b"BT", b"ET",
        b" Tf", b" Tm", b" Td", b"Tj", b" cm", b"q ", b"Q ", b"(", b")", b"\\", b"/JS (app.alert(1))", b"/OpenAction",
        b"/Encrypt 9 0 R", b"1e38 0 0 1e38 0 0 cm", b"0 0 0 0 0 0 cm", b"/X Do", b" re f", b" l S", b" Tr", b" Tz",
        b" TL", b" Ts", b"-1 0 0 -1", b"/ToUnicode 4 0 R", b"nan",
    ),
    "docx": (
        b"<w:p>", b"</w:p>", b"<w:r><w:t>x</w:t></w:r>", b"<w:tbl><w:tr><w:tc>", b"</w:tc></w:tr></w:tbl>", b"<w:br/>",
        b'<w:gridSpan w:val="99999999"/>', b"<w:vMerge/>", b'<w:numId w:val="-1"/>', b'<w:ilvl w:val="99999"/>',
        b"<w:tab/>", b'<w:sz w:val="1e9"/>', b'<w:outlineLvl w:val="-3"/>', b'<w:pStyle w:val="H1"/>',
        b'<w:basedOn w:val="H1"/>', b"<w:ins>", b'<w:footnoteReference w:id="99"/>', b"<w:fldChar/>",
        b"<w:instrText>INCLUDETEXT", b"<mc:AlternateContent>", b"<w:sdt>", b'TargetMode="External"',
        b'Target="../../../etc/passwd"', b'Target="http://127.0.0.1/x"', b"<!DOCTYPE w>", b"&x;", b'w:val="nonsense"',
        b'w:val=""', b"<w:txbxContent>", b"<m:oMath><m:r><m:t>", b'<w:start w:val="99999999999"/>',
    ),
    "rtf": (
        b"\\par ", b"{", b"}", b"\\*\\x ", b"\\u-10179?", b"\\bin999999999 ", b"\\'ff", b"\\cell\\row", b"\\uc99 ",
        b"\\f9 ",
        b"{\\footnote ", b"{\\pict ", b"\\ansicpg0 ", b"{\\stylesheet{\\s1 heading 1;}}", b"{\\shptxt ", b"\\s1 ",
    ),
    "mail": (
        b"Content-Type: multipart/mixed; boundary=a\n\n--a\n", b"--a--\n", b"\n\n", b"From kim\n",
        b"Content-Transfer-Encoding: base64\n", b"=?utf-8?b?4pyT?=", b"=?x?q?a?=",
        b"Content-Type: text/html; charset=zlib\n",
        b"Content-Type: message/rfc822\n\n", b"Subject: ",
    ),
    "xml": (
        b"<sec>", b"</sec>", b"<title>", b"</title>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"&nbsp;",
        b"<table><tr><td>",
        b"<list><list-item>", b"<fn>", b"<![CDATA[", b"<ref>", b"<label>", b"<contrib-group>", b"<tex-math>",
    ),
    "ttml": (
        b"<p begin='1s'>", b"</p>", b"<div begin='99999999999999s'>", b"<br/>", b" dur='0.5h'", b" ttm:agent='a'",
        b" begin='00:00:01:99'", b"<span>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"- ANN: ",
    ),
    "pptx": (
        b"<a:p>", b"<a:r><a:t>a</a:t></a:r>", b'<a:pPr lvl="99"/>', b'<a:buAutoNum type="x" startAt="-1"/>',
        b"<p:grpSp>",
        b'<p:ph type="title" idx="99999999999"/>', b"<a:tbl><a:tr><a:tc/></a:tr></a:tbl>", b'r:id="r99"', b"<p:sp/>",
    ),
    "xlsx": (
        b'<c r="XFD9" t="s"><v>99</v></c>', b'<row r="-1">', b'<c r="A1" t="e"><v>#N/A</v></c>', b'state="veryHidden"',
        b"<mergeCell ref='A1:ZZ9'/>", b's="99999"', b"<v>1e999</v>", b"<v>-1</v>",
    ),
    "odt": (
        b"<text:p>", b"</text:p>", b"<text:s text:c='999999999'/>", b"<table:table-row>",
        b"<text:list><text:list-item>",
        b"table:number-columns-repeated='99999999'", b"<text:note><text:note-body>", b"text:outline-level='x'",
        b"<draw:frame><draw:text-box>", b"text:start-value='-1'",
    ),
    "epub": (
        b'full-path="../../x"', b'idref="c0"', b'href="%2e%2e/x"', b'href="c0.xhtml#x"', b"<itemref",
        b"<!DOCTYPE html>", b"<!ENTITY a 'b'>", b"&a;", b"<script>", b"<p>", b"</p>", b"<h1>", b"<svg>", b"<![CDATA[",
        b"]]>", b"<table>", b"<td>", b'media-type="image/svg+xml"', b'properties="nav"', b'encoding="utf-16"',
        b'linear="no"', b"<a epub:type='noteref'>",
    ),
    "text": (
        b"\n\n", b"1. ", b"CHAPTER I\n", b"ANN: ", b"\x0c", b"- ", b"-\n", b"    ", b"====\n", b"   a   b\n",
    ),
    "program": (
        b"{", b"}", b"(", b")", b"[", b"]", b'"""', b"'''", b"/*", b"*/", b"//", b"#", b"`", b"<", b">", b"\\\n", b";",
        b"class A", b"def f():", b"function f() {", b"=>", b"@", b"<<EOF\n", b'r#"', b"if ", b"end\n", b"begin ",
        b"fn ", b"    ",
    ),
}  # fmt: skip
"""What a format has of its own."""

_DIGITS = re.compile(rb"\d+")


def changed(data: bytes, format: str, others: Sequence[bytes], chance: Random) -> bytes:
    """A file with one to some changes; of an archive mostly inside of one of its files."""
    tokens = TOKENS.get(format, TOKENS["program"])
    if data.startswith(b"PK") and chance.random() < 0.85:
        return _archive(data, tokens, others, chance)
    return _bytes(data, tokens, others, chance)


def _bytes(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    for _ in range(1 + min(int(chance.expovariate(0.4)), 12)):
        data = chance.choice(_CHANGES)(data, tokens, others, chance)[:MOST]
    return data


def _place(data: bytes, chance: Random) -> int:
    return chance.randrange(len(data) + 1)


def _stretch(data: bytes, chance: Random) -> tuple[int, int]:
    start = _place(data, chance)
    return start, min(start + int(chance.expovariate(1 / 40)) + 1, len(data))


_Change = Callable[[bytes, Sequence[bytes], Sequence[bytes], Random], bytes]


def _flip(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    if not data:
        return data
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 4, 30))):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def _cut(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    start, end = _stretch(data, chance)
    return data[:start] + data[end:]


def _truncate(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    return data[: _place(data, chance)] if chance.random() < 0.5 else data[_place(data, chance) :]


def _insert(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    start = _place(data, chance)
    end = start if chance.random() < 0.7 else min(start + chance.randrange(1, 9), len(data))
    return data[:start] + chance.choice(tokens if chance.random() < 0.7 else NASTY) + data[end:]


def _nest(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    start = _place(data, chance)
    times = int(10 ** chance.uniform(0.3, 3.7))
    return data[:start] + b"".join(chance.choices(tokens, k=chance.randrange(1, 3))) * times + data[start:]


def _repeat(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    start, end = _stretch(data, chance)
    return data[:end] + data[start:end] * int(10 ** chance.uniform(0, 3)) + data[end:]


def _splice(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    other = chance.choice(others)
    start, length = _place(other, chance), int(10 ** chance.uniform(0.5, 4))
    place = _place(data, chance)
    return data[:place] + other[start : start + length] + data[place:]


def _move(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    start, end = _stretch(data, chance)
    rest = data[:start] + data[end:]
    place = _place(rest, chance)
    return rest[:place] + data[start:end] + rest[place:]


def _number(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    window = _place(data, chance)
    found = _DIGITS.search(data, window) or _DIGITS.search(data)
    if found is None:
        return data
    new = chance.choice((b"0", b"-1", b"1", b"65535", b"2147483648", b"99999999999999999999", b"1.5", b"", b"1e400"))
    return data[: found.start()] + new + data[found.end() :]


def _lines(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    lines = data.split(b"\n")
    start = chance.randrange(len(lines))
    some = lines[start : start + chance.randrange(2, 9)]
    chance.shuffle(some)
    lines[start : start + len(some)] = some
    return b"\n".join(lines)


LINE_ENDS: tuple[bytes, ...] = (b"\n", b"\r\n", b"\r", "\u2028".encode(), "\x85".encode())
"""LF, CRLF, CR, U+2028 and NEL, of which the last two end a line for some readers only."""

_LINE_END = re.compile(rb"\r\n|\r|\n|\xe2\x80\xa8|\xc2\x85")


def _ends(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    """Change all line ends to one kind, or each to any."""
    one = chance.choice(LINE_ENDS)
    mixed = chance.random() < 0.3
    return _LINE_END.sub(lambda _: chance.choice(LINE_ENDS) if mixed else one, data)


_CHANGES: tuple[_Change, ...] = (
    *(_flip, _cut, _truncate, _insert, _insert, _insert, _nest, _repeat, _splice, _move, _number, _lines, _ends),
)


_PACKINGS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)


def _archive(data: bytes, tokens: Sequence[bytes], others: Sequence[bytes], chance: Random) -> bytes:
    """An archive with changes inside; as it was where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            parts = [(info.filename, opened.read(info)[:MOST]) for info in opened.infolist()[:60]]
    except Exception:  # it was changed before: zipfile raises whatever it likes
        return _bytes(data, tokens, others, chance)
    if not parts:
        return data
    place = chance.randrange(len(parts))
    name, content = parts[place]
    match chance.randrange(12):
        case 0:
            del parts[place]
        case 1:
            parts.append((name, chance.choice(parts)[1]))
        case 2:
            parts[place] = (
                chance.choice(("../" + name, "/" + name, name.upper(), "C:" + name, "a\0b", "x" * 70_000)),
                content,
            )
        case 3:
            parts[place] = (
                name,
                content.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-32", "cp1252")), "replace"),
            )
        case 4:
            parts[place] = (name, data)
        case _:
            inside = [part for _, part in parts]
            parts[place] = (name, _bytes(content, tokens, inside, chance))
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", chance.choice(_PACKINGS)) as made:
        warnings.simplefilter("ignore")  # two files of one name are meant
        for name, content in parts:
            made.writestr(zipfile.ZipInfo(name[:60_000]), content)
    return out.getvalue()
