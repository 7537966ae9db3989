from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import archive
from chunking.loading.archive import check_office_xml, is_inside, open_archive, small_xml
from chunking.loading.formats import format_of
from tests.loading import checks


def packed(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    return checks.packed(files, method)


def test_files_are_read() -> None:
    data = packed(("a.txt", b"tea"), ("folder/", b""), ("folder/b.txt", b"bread" * 1000))
    opened = open_archive(data, "x.zip")
    assert list(opened.entries) == ["a.txt", "folder/b.txt"]
    assert (opened.read("a.txt"), opened.read("folder/b.txt")) == (b"tea", b"bread" * 1000)
    assert "a.txt" in opened
    assert opened.ignored == 0


def test_zip64_is_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made, made.open("a.txt", "w", force_zip64=True) as stream:
        stream.write(b"tea")
    assert open_archive(out.getvalue(), "x.zip").read("a.txt") == b"tea"


def test_a_part_that_is_missing_or_too_large_is_refused() -> None:
    opened = open_archive(packed(("a.txt", b"tea")), "x.zip")
    with pytest.raises(ChunkscopeError, match="lacks"):
        opened.read("b.txt")
    with pytest.raises(ChunkscopeError, match="too large"):
        opened.read("a.txt", 2)


def flat() -> bytes:
    return packed(("a.xml", bytes(300_000_000)))


def many() -> bytes:
    return packed(*((f"{number}.xml", bytes(10_000_000)) for number in range(21)))


def of_many_names() -> bytes:
    return packed(*((str(number), b"") for number in range(archive.MAX_ENTRIES + 1)))


def of_heads_alone() -> bytes:
    """As many entries as are not allowed, in what is no archive: they are counted before it is opened."""
    return b"PK\x03\x04" + b"PK\x01\x02" * (archive.MAX_ENTRIES + 1)


def overlapping() -> bytes:
    """Two names in the directory for one packed stretch."""
    data = packed(("a.txt", b"tea"), ("b.txt", b"tea"))
    place = data.rindex(b"PK\x01\x02")
    return data[: place + 42] + struct.pack("<I", 0) + data[place + 46 :]


def quoting() -> bytes:
    """A file that reaches over the header of the next, as in the bomb of David Fifield."""
    data = bytearray(packed(("a.txt", b"tea" * 50), ("b.txt", b"tea"), method=zipfile.ZIP_STORED))
    place = data.index(b"PK\x01\x02")
    data[place + 20 : place + 28] = struct.pack("<II", 170, 170)
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(packed(("a.txt", b"tea")))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def doubled() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate"):
        return packed(("a.txt", b"tea"), ("a.txt", b"bread"))


def huge_by_its_own_words() -> bytes:
    data = bytearray(packed(("a.txt", b"tea")))
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 2**32 - 2)
    return bytes(data)


def compound(stream: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + stream.encode("utf-16-le")


REFUSED: list[tuple[Callable[[], bytes], str]] = [
    (flat, "more than 200 MiB"),
    (lambda: packed(("a.xml", bytes(60_000_000))), "more than 200 times"),
    (many, "more than 200 MiB"),
    (of_many_names, "10,000 files"),
    (of_heads_alone, "10,000 files"),
    (overlapping, "inconsistent"),
    (quoting, "inconsistent"),
    (encrypted, "password"),
    (doubled, "two files of the same name"),
    (huge_by_its_own_words, "200 MiB"),
    (lambda: packed(("a.txt", b"tea"), method=zipfile.ZIP_LZMA), "compression method"),
    (lambda: packed(("a.txt", b"tea"), method=zipfile.ZIP_BZIP2), "compression method"),
    (lambda: packed(("a.txt", b"tea"))[:-10], "not a complete ZIP"),
    (lambda: packed(("a.txt", b"tea" * 100))[:40], "not a complete ZIP"),
    (lambda: b"", "not a complete ZIP"),
    (lambda: b"just text", "not a complete ZIP"),
    (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "Word before 2007"),
    (
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le"),
        "password",
    ),
    *(
        (partial(compound, stream), words)
        for stream, words in (
            ("PowerPoint Document", r"PowerPoint before 2007 \(\.ppt\)"),
            ("__substg1.0_001A001E", r"a message of Outlook \(\.msg\)"),
            ("Workbook", r"Excel before 2007 \(\.xls\)"),
            ("BOOK", r"Excel before 2007 \(\.xls\)"),
        )
    ),
]


@pytest.mark.parametrize(("make", "words"), REFUSED)
def test_what_may_do_harm_is_refused_before_it_is_unpacked(make: Callable[[], bytes], words: str) -> None:
    data = make()
    tracemalloc.start()
    with pytest.raises(ChunkscopeError, match=words) as told:
        open_archive(data, "x.zip")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told.value.remedy
    assert peak < 20_000_000


def test_the_names_of_a_directory_without_end_are_not_read() -> None:
    assert archive.names_in(packed(("a.txt", b"tea"), ("b.txt", b""))) == {"a.txt", "b.txt"}
    assert archive.names_in(of_many_names()) == frozenset()


def test_an_archive_in_an_archive_stays_packed() -> None:
    inner = packed(("a.xml", bytes(300_000_000)))
    assert open_archive(packed(("inner.zip", inner)), "x.zip").read("inner.zip") == inner


@pytest.mark.parametrize(("place", "what"), [(30, "name"), (33, "data"), (-1, "checksum")])
def test_damage_is_told_when_a_part_is_read(place: int, what: str) -> None:
    data = bytearray(packed(("a", b"tea and bread"), ("b", b"")))
    data[data.index(b"PK\x01\x02") + 16 if what == "checksum" else place] ^= 0x55
    with pytest.raises(ChunkscopeError, match="damaged"):
        _read_all(bytes(data))


def _read_all(data: bytes) -> None:
    opened = open_archive(data, "x.zip")
    for name in opened.entries:
        opened.read(name)


OUTSIDE = ["../a", "a/../../b", "/etc/passwd", "C:/a", "C:a", "a\\b", "..", "a\nb", "", "x/..", "a\0b"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_names_that_lead_out_are_ignored(path: str) -> None:
    assert not is_inside(path)
    if "\0" not in path and path:
        opened = open_archive(packed((path, b"x"), ("good.txt", b"tea")), "x.zip")
        assert (list(opened.entries), opened.ignored) == (["good.txt"], 1)


def test_ordinary_names_are_inside() -> None:
    assert all(map(is_inside, ["a", "word/document.xml", "a..b", "OEBPS/Kapitel 1.xhtml", "книга.xhtml"]))


LAUGHS = (
    b"<!DOCTYPE w ["
    + b'<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    + b"]>"
)

BOMBS = {
    "laughs": LAUGHS + b"<w>&a11;</w>",
    "laughs in an attribute": LAUGHS + b'<w b="&a11;"/>',
    "an external entity": b'<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w>&x;</w>',
    "an entity of parameters": b'<!DOCTYPE w [<!ENTITY % x SYSTEM "http://127.0.0.1/x.dtd"> %x;]><w/>',
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_xml_bombs_are_refused(bomb: bytes, encoding: str) -> None:
    data = bomb.decode().encode(encoding)
    with pytest.raises(ChunkscopeError, match="declares"):
        check_office_xml(data, "word/document.xml", "x.docx")
    with pytest.raises(ChunkscopeError):
        small_xml(data, "content.opf", "x.epub")


@pytest.mark.parametrize("encoding", ["utf-7", "cp037", "utf-16", "x" * 30])
def test_xml_that_hides_in_an_encoding_is_refused(encoding: str) -> None:
    data = b"\xef\xbb\xbf<?xml version='1.0' encoding='" + encoding.encode() + b"'?>+ADwAIQ-DOCTYPE w><w/>"
    with pytest.raises(ChunkscopeError, match="declares"):
        check_office_xml(data, "word/document.xml", "x.docx")


@pytest.mark.parametrize("head", ["", "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_ordinary_xml_passes(head: str, encoding: str) -> None:
    check_office_xml((head + "<w>차</w>").encode(encoding), "word/document.xml", "x.docx")


def test_small_xml_may_name_a_document_type() -> None:
    root = small_xml(b'<!DOCTYPE package PUBLIC "x" "http://127.0.0.1/x.dtd"><package><a>tea</a></package>', "a", "b")
    assert root.findtext("a") == "tea"


@pytest.mark.parametrize("data", [b"", b"<a>", b"<a>&b;</a>", b"<?xml encoding='x'?><a/>", b"\0", b"<a" * 100_000])
def test_xml_that_is_not_well_formed_is_refused(data: bytes) -> None:
    with pytest.raises(ChunkscopeError, match="damaged"):
        small_xml(data, "content.opf", "x.epub")


@pytest.mark.parametrize(
    ("streams", "name", "format"),
    [
        (("Workbook",), "a", "xlsx"),
        (("BOOK",), "a.xls", "xlsx"),
        (("Book", "WordDocument"), "a.xls", "xlsx"),
        (("Workbook", "WordDocument"), "a.doc", "docx"),
        (("Workbook", "WordDocument"), "a", "docx"),
        (("WordDocument",), "a.xls", "docx"),
    ],
)
def test_a_file_of_office_before_2007_inside_another_does_not_decide(
    streams: tuple[str, ...], name: str, format: str
) -> None:
    data = b"".join(compound(f"{stream}\0") for stream in streams)
    assert format_of(data, name).name == format
