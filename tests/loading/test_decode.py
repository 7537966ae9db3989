from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.loading import from_text, load
from chunking.loading.decode import MAX_BYTES, clean, decode

FRENCH = "Le café est fermé aujourd’hui, à midi. Je reviendrai demain, où il sera ouvert."
RUSSIAN = "Привет, как дела? Сегодня хорошая погода, и мы идём гулять."
KOREAN = "안녕하세요. 오늘은 날씨가 좋습니다. 우리는 산책을 갑니다."
JAPANESE = "こんにちは。今日は天気がいいです。散歩に行きましょう。"

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\r\t"), max_size=200)


@given(TEXT)
def test_utf8_comes_back_character_for_character(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded.text == text.removeprefix("\ufeff")
    assert decoded.notes == ()


@given(TEXT.filter(lambda text: not text.startswith(("\0", "\ufeff"))))
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
        (b"\0\0\xfe\xff", "utf-32-be"),
    ],
)
def test_byte_order_marks_decide_and_are_taken_off(mark: bytes, encoding: str, text: str) -> None:
    decoded = decode(mark + text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.notes) == (text, encoding, ())


def test_line_endings_and_odd_spaces_are_kept() -> None:
    text = "a\r\nb\rc\nd\u2028e\u00a0f\fg"
    assert decode(text.encode()).text == text


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (FRENCH, "cp1252", "cp1252"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8_r"),
        (KOREAN, "cp949", "cp949"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        ("你好。今天天气很好，我们去散步吧。", "gb18030", "gb18030"),
        (FRENCH, "utf-16-le", "utf-16-le"),
        (RUSSIAN, "utf-16-be", "utf-16-be"),
        (FRENCH, "utf-32-le", "utf-32-le"),
        (KOREAN, "utf-32-be", "utf-32-be"),
    ],
)
def test_other_encodings_are_guessed_and_noted(text: str, encoding: str, name: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.notes == (f"The encoding was guessed: {name}.",)


def test_a_few_broken_bytes_in_utf8_are_replaced_and_counted() -> None:
    decoded = decode("größer und schöner, ".encode() * 3 + b"\xff und \xfe.")
    assert decoded.text == "größer und schöner, " * 3 + "\ufffd und \ufffd."
    assert decoded.encoding == "utf-8"
    assert "2 places" in decoded.notes[0]


def test_replacement_characters_of_the_source_are_not_counted_as_broken() -> None:
    assert decode("a \ufffd b".encode()).notes == ()


def test_lone_surrogates_never_get_through() -> None:
    utf16 = b"\xff\xfe" + "ab".encode("utf-16-le") + b"\x00\xd8" + "cd".encode("utf-16-le")
    assert decode(utf16).text == "ab\ufffdcd"
    assert clean("a\ud800b").text == "a\ufffdb"
    assert from_text("a\ud800b").text == "a\ufffdb"
    assert not any(
        "\ud800" <= char <= "\udfff" for char in decode(b"caf\xc3\xa9 \xed\xa0\x80 \xc3\xa9\xc3\xa9\xc3\xa9").text
    )


def test_a_few_nuls_are_kept_and_noted() -> None:
    document = load(b"Good text\0 with NUL. " * 10, "a.txt")
    assert document.text.count("\0") == 10
    assert any("10 NUL" in note for note in document.notes)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        b"PK\x03\x04" + b"text" * 50,
        b"\x7fELF\x02\x01\x01" + bytes(60),
        bytes(100),
        bytes(range(256)) * 10,
        random.Random(1).randbytes(5_000),
        b"RIFF\x24\x08\0\0WAVEfmt " + random.Random(2).randbytes(4_000),
        "plain".encode("utf-16-le") + random.Random(3).randbytes(1_000),
    ],
    ids=["png", "zip", "elf", "nuls", "all bytes", "random", "wav", "mixed"],
)
def test_binary_files_are_refused_with_a_remedy(data: bytes) -> None:
    with pytest.raises(ChunkscopeError, match="not text") as caught:
        load(data, "renamed.txt")
    assert "renamed.txt" in caught.value.problem
    assert "UTF-8" in caught.value.remedy or "Unpack it" in caught.value.remedy


def test_a_zip_is_told_that_its_name_may_be_wrong() -> None:
    with pytest.raises(ChunkscopeError, match="a DOCX or EPUB is one, and is read when its name ends so"):
        load(b"PK\x03\x04" + b"text" * 50, "renamed.txt")


def test_the_size_limit_names_size_and_limit() -> None:
    with pytest.raises(ChunkscopeError, match=r"20\.5 MiB.*limit is 20 MiB"):
        load(b"x" * (MAX_BYTES + 2**19), "big.txt")
    with pytest.raises(ChunkscopeError, match="limit is 20 MiB"):
        from_text("é" * (MAX_BYTES // 2 + 1))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('<html><head><meta charset="windows-1251"></head><body><p>', "a.html"),
        ("<html><head><meta http-equiv='Content-Type' content='text/html; charset=windows-1251'></head><p>", "a.html"),
        ("<?xml version='1.0' encoding='windows-1251'?><html><body><p>", "a.xhtml"),
        ("# -*- coding: windows-1251 -*-\n# ", "a.py"),
    ],
)
def test_what_a_file_says_of_its_encoding_is_believed(head: str, name: str) -> None:
    # So short, and in capitals, that statistics take it for another encoding.
    document = load((head + "ЁЖ ЩЪ ЭЮ").encode("cp1251"), name)
    assert "ЁЖ ЩЪ ЭЮ" in document.text


@pytest.mark.parametrize("named", ["rot13", "zlib", "unicode_escape", "no-such", "utf-16", "idna"])
def test_an_encoding_that_is_none_of_text_is_not_believed(named: str) -> None:
    data = f"<html><meta charset={named}><p>".encode() + "Grüße aus Köln, die Bäckerei öffnet früh.".encode("cp1252")
    assert "Köln" in load(data, "a.html").text


@pytest.mark.parametrize("text", ["BZhou wrote this.", "GIF89a is a format of pictures.", "BZh9 and more"])
def test_words_that_begin_like_a_picture_or_an_archive_are_text(text: str) -> None:
    assert decode(text.encode()).text == text


@pytest.mark.parametrize("text", ["## können\n\näöüß\n", "señor, ¿cómo?", "öäü für alle"])
def test_a_few_words_with_accents_are_text(text: str) -> None:
    decoded = decode(text.encode("cp1252"))
    assert decoded.text == text
    assert "guessed" in decoded.notes[0]


@pytest.mark.parametrize("data", [bytes(range(128, 256)), b"BZh91AY&SY\x00\x01"])
def test_bytes_that_are_no_words_are_refused(data: bytes) -> None:
    with pytest.raises(ChunkscopeError, match="not text"):
        decode(data)
