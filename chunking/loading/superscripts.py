"""Superscripts and subscripts in plain text, the same for every format that marks them.

================ =====================================================================================================
in the file      here
================ =====================================================================================================
number, formula  characters of Unicode where it has all (``10⁻³``, ``H₂O``, ``xⁱ⁺¹``), else ``x^(1/2)``, ``V_max``
note reference   in brackets, so that it does not run into its word (``the method[12]``); a sign such as ``*`` stays
ordinal          plain letters (``1st``, ``Mme``), ``º`` and ``ª``; ``TM`` and ``SM`` are one character
raised words     plain, with a space before them
================ =====================================================================================================

Whether a raised number is an exponent or refers to a note is stated by few files: the characters around it decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

Script = Literal["", "super", "sub", "note"]
"""Where characters are: on the line, above or below it, or above it as a reference to a note."""

MAX_LENGTH = 40
"""Length from which a text is never written as a superscript or subscript."""

_LONGEST_NOTE = 6
"""Length of the longest reference to a note that is put into brackets."""

_FAR = 24
"""Characters before and after a superscript that decide what it is."""

_SUPERSCRIPTS = str.maketrans(
    "0123456789+-−–=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθφχ",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ",
)
_SUBSCRIPTS = str.maketrans("0123456789+-−–=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
_PLAIN = {raised: plain for plain, raised in (*_SUPERSCRIPTS.items(), *_SUBSCRIPTS.items())} | {
    ord(sign): plain for sign, plain in zip("⁻₋ºª", "--oa", strict=True)
}
_TABLES = {"super": _SUPERSCRIPTS, "sub": _SUBSCRIPTS}
_SIGNS = {"TM": "™", "SM": "℠"}

_REFERENCE = compile_pattern(r"(?:[0-9]{1,4}|[a-z])(?:\s?[,;–-]\s?(?:[0-9]{1,4}|[a-z*†‡§])){0,12}[*†‡§]?,?")
_LIST = compile_pattern(r"[0-9a-z]{1,4}\s?[,;].*")
_LETTER = r"[^\W\d_\u02b0-\u02b8\u1d2c-\u1dbf\u2090-\u209c\u2c7c\u2c7d]"
"""A letter on the line."""

_LAST_WORD = compile_pattern(rf"(?<!{_LETTER}){_LETTER}++\Z")
_UNITS = word_set(
    "µm μm nm mm cm dm km ft yd mi in sq sec min hr mol kg mg lb deg rad bar psi px pt ha cc dx dy dz мм см дм км sin "
    "cos tan cot sec csc sinh cosh tanh log exp lim det max"
)
"""Words that have exponents: units and functions."""

_ORDINALS = word_set("st nd rd th er re ère ème ième e r te ter nde")
_VOWELS = frozenset("aeiouyAEIOUY")
_ROMAN = compile_pattern(r"[IVXLCDM]{2,}")
_NAME = compile_pattern(r"[^\W\d_]{3}")
"""Letters that are hard to read and to find as small ones."""

_LONG_WORD = compile_pattern(r"[^\W\d_]{4}")


class ScriptText(NamedTuple):
    """How characters are written in plain text: ``text``, with what is put before and after it."""

    before: str
    text: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}{self.text}{self.after}"


def join_scripts(runs: Iterable[tuple[str, Script]]) -> str:
    """Return the text of runs of characters, of which some are superscripts or subscripts."""
    runs = list(runs)
    if not any(script for _, script in runs):
        return "".join(text for text, _ in runs)
    return "".join(map(str, convert_scripts(runs)))


def convert_scripts(runs: Sequence[tuple[str, Script]]) -> list[ScriptText]:
    """Return how each run of characters is written; runs of one script that touch are one superscript or subscript."""
    filled = [index for index, (text, _) in enumerate(runs) if text]
    converted = [ScriptText("", text, "") for text, _ in runs]
    before, count = "", 0
    for script, group in groupby(filled, lambda index: _merged(runs[index][1])):
        indices = list(group)
        count += len(indices)
        if script:
            is_note = any(runs[index][1] == "note" for index in indices)
            after = _following([runs[index] for index in filled[count : count + _FAR]])
            texts = [runs[index][0] for index in indices]
            written = _written(texts, "note" if is_note else script, before, after)
            for index, text in zip(indices, written, strict=True):
                converted[index] = text
        before = (before + "".join(str(converted[index]) for index in indices))[-_FAR:]
    return converted


def fold_scripts(text: str) -> str:
    """Return a text of the same length with plain characters for superscripts and subscripts."""
    return text if text.isascii() else text.translate(_PLAIN)


def _merged(script: Script) -> Script:
    return "super" if script == "note" else script


def _following(runs: Sequence[tuple[str, Script]]) -> str:
    """Return the first characters on the line of runs."""
    text = ""
    for words, script in runs:
        text += "" if script else words[:_FAR]
        if script or len(text) >= _FAR:
            break
    return text


def _written(texts: list[str], script: Script, before: str, after: str) -> list[ScriptText]:
    """Return how the runs of one superscript or subscript are written."""
    whole = "".join(texts)
    words = whole.strip()
    is_alone = not before.strip() and not after.strip()
    if not words or is_alone or len(words) > MAX_LENGTH:
        return [ScriptText("", text, "") for text in texts]
    if words in _SIGNS and script != "sub":
        return [ScriptText("", whole.replace(words, _SIGNS[words]), ""), *[ScriptText("", "", "")] * (len(texts) - 1)]
    before = " " if whole[0].isspace() else before
    after = " " if whole[-1].isspace() else after
    marks = _subscript(words) if script == "sub" else _superscript(words, script == "note", before, after)
    return _around(texts, *marks)


def _around(texts: list[str], first: str, table: Mapping[int, int], last: str) -> list[ScriptText]:
    """Return texts with the characters of a table, and marks before their first word and after the last."""
    filled = [index for index, text in enumerate(texts) if text.strip()]
    written = []
    for index, text in enumerate(texts):
        lead = text[: len(text) - len(text.lstrip())] if first and index == filled[0] else ""
        tail = text[len(text.rstrip()) :] if last and index == filled[-1] else ""
        core = text[len(lead) : len(text) - len(tail)].translate(table)
        begin, end = (lead + first) * (index == filled[0]), (last + tail) * (index == filled[-1])
        written.append(ScriptText(begin, core, end))
    return written


_Marks = tuple[str, Mapping[int, int], str]
"""What is put before the words, the characters that replace theirs, and what is put after them."""

_UNCHANGED: _Marks = "", {}, ""


def _subscript(words: str) -> _Marks:
    if words[0] + words[-1] == "()":  # the mark of a note
        return _UNCHANGED
    if not _NAME.search(words) and all(ord(char) in _SUBSCRIPTS for char in words):
        return "", _SUBSCRIPTS, ""
    if not any(map(str.isalnum, words)):
        return _UNCHANGED
    return ("_", {}, "") if words.isalnum() else ("_(", {}, ")")


def _superscript(words: str, is_note: bool, before: str, after: str) -> _Marks:
    if not any(map(str.isalnum, words)) and words not in ("+", "-", "−", "–"):
        return _UNCHANGED
    if words[0] in "[(" and words[-1] in "])":
        return _UNCHANGED
    is_start = not before or before[-1].isspace()
    if is_note and len(words) > _LONGEST_NOTE:
        return _UNCHANGED
    if is_start and (_REFERENCE.fullmatch(words) or is_note):
        return _at_start(words, is_note, before, after)
    if is_note or (_REFERENCE.fullmatch(words) and _refers(words, before)):
        return "[", {}, "]"
    if _is_plain(words, before):
        is_raised_word = len(words) > 2 and words not in _ORDINALS and _LONG_WORD.search(before[-4:])
        return (" ", {}, "") if is_raised_word else _UNCHANGED
    if words in ("o", "a") and (before[-1:].isdigit() or before[-2:].strip() in ("n", "N")):
        return "", {ord("o"): ord("º"), ord("a"): ord("ª")}, ""
    if all(ord(char) in _SUPERSCRIPTS for char in words) and not _NAME.search(words):
        return "", _SUPERSCRIPTS, ""
    return "^(", {}, ")"


def _at_start(words: str, is_note: bool, before: str, after: str) -> _Marks:
    """Return the marks of a number after white space: of a note, of an isotope, or the label of what follows."""
    is_followed = bool(after) and not after[0].isspace()
    if is_note and before.strip():
        return "[", {}, "]"
    if is_followed and _LONG_WORD.match(after):
        return "", {}, " "
    is_raised = is_followed and after[0].isalpha() and all(ord(char) in _SUPERSCRIPTS for char in words)
    return ("", _SUPERSCRIPTS, "") if is_raised else _UNCHANGED


def _refers(words: str, before: str) -> bool:
    """Return whether a number or letter above the line refers to a note, by what is before it."""
    if _LIST.fullmatch(words):
        return True
    last = before[-1]
    if last.isdecimal() or (not words[0].isdecimal() and last.isdigit()):
        return False
    if not last.isalpha():
        return not (last in ")]}|′'" and ((len(words) == 1 and words in "23") or words.isalpha()))
    word = _LAST_WORD.search(before)
    base = word[0] if word else last
    if base in _UNITS:
        return False
    if words.isalpha():
        return len(base) > 2 and not _ROMAN.fullmatch(base)
    # mc², and residues of chemistry: OR⁹
    is_short = len(base) == 2 and (base.isupper() or _VOWELS.isdisjoint(base))
    return not (len(base) == 1 or (is_short and len(words) == 1)) or last > "\u2e7f"


def _is_plain(words: str, before: str) -> bool:
    """Return whether letters above the line are the end of an ordinal or of an abbreviation, or words of their own."""
    if words in _ORDINALS:
        return True
    base = _LAST_WORD.search(before)
    is_variable = base is not None and len(base[0]) == 1 and base[0].islower()
    letters = "".join(words.split())
    return letters.isalpha() and len(letters) > 1 and not (is_variable and len(letters) == 2)
