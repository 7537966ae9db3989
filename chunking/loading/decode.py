"""Bytes to text: detection of the encoding, and of files that are not text.

The text is unchanged: line endings, NUL characters and unusual spaces are kept. Only a byte order mark at the very
start is removed.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

import charset_normalizer

from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.surrogates import count_surrogates, replace_surrogates
from chunking.runtime.wording import plural

MAX_BYTES = 20 * 1024 * 1024
"""Maximum size of a text, in bytes."""

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32 before UTF-16, since the little-endian mark of the first begins with that of the second."""

_GUESSES: tuple[str, ...] = (
    *(f"cp{number}" for number in (1252, 1250, 1251, *range(1253, 1259), 874, 949, 932)),
    *("euc_jp", "gb18030", "big5", "koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15"),
    *("mac_roman", "cp437", "cp850"),
)
"""Encodings that are guessed; of those that give the same text, the likeliest is first.

With all encodings of Python, charset-normalizer mistakes short German for Turkish on a Macintosh. UTF-16 and UTF-32
are recognised before by their mark or their NUL bytes.
"""

_OTHERS = ("utf-8", "shift_jis", "euc_kr", "gbk", "gb2312", "iso2022_jp", "iso8859_9")

_TEXT_ENCODINGS = frozenset(codecs.lookup(name).name for name in (*_GUESSES, *_OTHERS))
"""Encodings that a file may declare: those of text only, since Python has others (``zlib``, ``unicode_escape``)."""

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive (a DOCX or EPUB is one, and is read when its name ends so)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"%PDF-", "a PDF"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"%!PS-Adobe", "a PostScript file"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
)

_WORDS = (b"GIF87a", b"GIF89a", b"BZh")
"""Signatures that a text may begin with as well."""

_CONTROL = compile_pattern(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Characters that do not occur in plain text; ESC is excluded, since terminal output contains it."""

_CONTROL_BYTES = bytes(byte for byte in range(32) if byte not in b"\t\n\x0b\x0c\r\x1b")


_UNPACK = "Unpack it, and load the files in it."
_REMEDY = "Save it as plain text or Markdown in UTF-8 and load that."


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text.

    Attributes:
        text: the text without a byte order mark and lone surrogates, otherwise unchanged.
        encoding: Python's name of the encoding.
        notes: remarks for the user, a sentence each.
    """

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, name: str = "untitled") -> Decoded:
    """Decode a file's bytes.

    A byte order mark decides; then strict UTF-8; then UTF-16 without a mark, recognised by the positions of its NUL
    bytes; then UTF-8 with a few invalid bytes, which are replaced by U+FFFD; then the guess of charset-normalizer.

    Args:
        data: the whole file.
        name: its name, for messages.

    Raises:
        ChunkscopeError: the file is larger than :data:`MAX_BYTES`, or is not text.
    """
    check_size(len(data), name)
    for signature, description in _SIGNATURES:
        if data.startswith(signature) and not (signature in _WORDS and _is_printable(data)):
            remedy = _UNPACK if " archive" in description else _REMEDY
            raise ChunkscopeError(f"“{name}” is not text: it is {description}.", remedy)
    decoded = _from_mark(data) or _without_mark(data, name)
    if _is_binary(decoded.text):
        raise _not_text(name)
    return _note_characters(decoded)


def decode_as(data: bytes, encoding: str) -> Decoded | None:
    """Decode bytes in a stated encoding; ``None`` if it is unknown, not of text, or does not decode them all."""
    name = _text_encoding(encoding)
    return _note_characters(Decoded(data.decode(name), name)) if name and _decodes(data, name) else None


def clean(text: str) -> Decoded:
    """Remove the mark and surrogates of a decoded text, such as a pasted one, like :func:`decode`."""
    return _note_characters(Decoded(text.removeprefix("\ufeff"), "str"))


def check_size(size: int, name: str, limit: int = MAX_BYTES) -> None:
    """Check the size of a file in bytes.

    Raises:
        ChunkscopeError: it exceeds the limit.
    """
    if size > limit:
        raise ChunkscopeError(
            f"“{name}” has {size / 2**20:.1f} MiB; the limit is {limit // 2**20} MiB.",
            "Split it into smaller files and load one of them.",
        )


def _from_mark(data: bytes) -> Decoded | None:
    for mark, encoding in _BOMS:
        if not data.startswith(mark):
            continue
        body = data[len(mark) :]
        if encoding == "utf-32-le" and not _decodes(body, encoding):
            continue  # UTF-16 whose first character is NUL
        return _decode_with_replacements(body, encoding)
    return None


def _without_mark(data: bytes, name: str) -> Decoded:
    try:
        strict = Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        strict = None
    # UTF-16 of many scripts is valid UTF-8 as well, but full of control characters.
    if strict and not _is_binary(strict.text):
        return strict
    wide = _wide_encoding(data)
    if wide:
        return _decode_with_note(data, wide)
    if strict:
        raise _not_text(name)
    lenient = _decode_with_replacements(data, "utf-8")
    replacement_count = data.count("\ufffd".encode())
    broken_count = lenient.text.count("\ufffd") - replacement_count
    valid_count = len(lenient.text) - len(lenient.text.encode("ascii", "ignore")) - broken_count
    # Bytes of another encoding rarely look like UTF-8: a text with more whole characters than broken ones is UTF-8.
    return lenient if valid_count >= broken_count else _guess(data, name)


def _decode_with_note(data: bytes, encoding: str) -> Decoded:
    decoded = _decode_with_replacements(data, encoding)
    return Decoded(decoded.text, encoding, (f"The encoding was guessed: {encoding}.", *decoded.notes))


def _guess(data: bytes, name: str) -> Decoded:
    if sum(map(data.count, _CONTROL_BYTES)) > len(data) // 50:
        raise _not_text(name)
    declared = _declared_encoding(data)
    if declared:
        return _decode_with_replacements(data, declared)
    # The statistics require some two thousand bytes; a shorter text is repeated.
    sample = data if len(data) >= 2000 else (data + b"\n") * (2000 // (len(data) + 1) + 1)
    best = charset_normalizer.from_bytes(sample, cp_isolation=list(_GUESSES)).best()
    if best is None:
        # A few words with accents, which the statistics cannot tell from noise.
        if _is_printable(data) and _decodes(data, "cp1252") and _is_worded(data.decode("cp1252")):
            return _decode_with_note(data, "cp1252")
        raise _not_text(name)
    return _decode_with_note(data, _likeliest_name(set(data), best.encoding))


_DECLARED = compile_pattern(
    rb"""(?:<meta[^>]{0,200}?charset\s*=\s*["']?|<\?xml[^>]{0,200}?encoding\s*=\s*["']|coding[:=][ \t]*)"""
    rb"([\w.:-]{2,40})",
    re.IGNORECASE,
)
"""The declaration of the encoding in HTML, XML and Python, in the first kilobyte."""


def _is_printable(data: bytes) -> bool:
    """Return whether the start of a file has no control characters."""
    return not any(data[:1000].count(byte) for byte in _CONTROL_BYTES)


def _declared_encoding(data: bytes) -> str | None:
    """Return the declared encoding, if it decodes the file without an error."""
    match = _DECLARED.search(data[:1024])
    name = _text_encoding(match[1].decode("ascii", "replace")) if match else None
    return name if name and _decodes(data, name) else None


def _text_encoding(name: str) -> str | None:
    """Return Python's name of an encoding of text; ``None`` for any other."""
    try:
        name = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    # Like browsers: most authors mean the larger one.
    name = "cp1252" if name in ("iso8859-1", "ascii") else name
    return name if name in _TEXT_ENCODINGS else None


def _likeliest_name(used: set[int], encoding: str) -> str:
    """Return the likeliest single-byte encoding that reads these bytes like ``encoding``."""
    probe = bytes(sorted(used))
    if not _decodes(probe, encoding):
        return encoding
    text = probe.decode(encoding)
    return next((guess for guess in _GUESSES if _decodes(probe, guess) and probe.decode(guess) == text), encoding)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode_with_replacements(data: bytes, encoding: str) -> Decoded:
    """Decode, with U+FFFD for invalid bytes and a note of their number."""
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    return Decoded(text, encoding, (_replacement_note(text.count("\ufffd"), encoding),))


def _replacement_note(count: int, encoding: str) -> str:
    places = plural(count, "place was", "places were")
    return f"{places} not valid {encoding} and became the replacement character U+FFFD."


def _wide_encoding(data: bytes) -> str | None:
    """Return UTF-16 or UTF-32 without a mark, by the places of NUL bytes; None if these are few or irregular.

    Latin text in UTF-16 has a NUL in every second place, always the same; other scripts have them in their spaces
    and line ends.
    """
    nuls = data.count(0)
    if not nuls or nuls * 20 < len(data) or len(data) % 2:
        return None
    lanes = [data[lane::4].count(0) for lane in range(4)]
    even, odd = lanes[0] + lanes[2], lanes[1] + lanes[3]
    # The lane that has the low bytes of a wide encoding has almost no NULs.
    candidates = [("utf-16-le", even), ("utf-16-be", odd)]
    if len(data) % 4 == 0 and nuls * 2 >= len(data):
        candidates = [("utf-32-le", lanes[0]), ("utf-32-be", lanes[3]), *candidates]
    for encoding, low in candidates:
        if low * 50 <= nuls and _decodes(data, encoding) and _is_plausible(data[:4000].decode(encoding, "ignore")):
            return encoding
    return None


def _is_plausible(text: str) -> bool:
    """Return whether nearly all characters are assigned in Unicode and not for private use."""
    odd = sum(unicodedata.category(char) in ("Cn", "Co", "Cs") for char in text)
    return odd * 50 <= len(text) and not _is_binary(text)


def _is_binary(text: str) -> bool:
    """Return whether over a tenth are control characters or a third replaced; a few are always allowed."""
    controls = len(_CONTROL.findall(text))
    return controls > max(8, len(text) // 10) or text.count("\ufffd") > max(8, len(text) // 3)


def _is_worded(text: str) -> bool:
    """Return whether most characters beyond ASCII are letters, and no more than those of ASCII."""
    others = [char for char in text if not char.isascii()]
    return 2 * sum(map(str.isalpha, others)) >= len(others) and 2 * len(others) <= len(text)


def _note_characters(decoded: Decoded) -> Decoded:
    """Replace lone surrogates, which no encoding can write, and note them and control characters."""
    notes = list(decoded.notes)
    text = replace_surrogates(decoded.text)
    if surrogates := count_surrogates(decoded.text):
        notes.append(_replacement_note(surrogates, "Unicode"))
    nuls = text.count("\0")
    others = len(_CONTROL.findall(text)) - nuls
    for count, kind in ((nuls, "NUL"), (others, "other control")):
        if count:
            notes.append(f"{plural(count, f'{kind} character is', f'{kind} characters are')} kept in the text.")
    return Decoded(text, decoded.encoding, tuple(notes))


def _not_text(name: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” is not text: its bytes are those of a program, an image or an archive.", _REMEDY)
