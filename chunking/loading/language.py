"""The language of a text."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE = 5_000
"""Number of characters examined, in :data:`WINDOWS` equal parts spread evenly over the text."""

WINDOWS = 10

MIN_LETTERS = 20
"""Minimum letters for the detection of a language whose script many languages share."""

_SCRIPTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e", ("ko",)),
    ("\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d", ("ja",)),
    ("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", ("zh",)),
    ("\u0e01-\u0e4e", ("th",)),
    ("\u0e81-\u0edf", ("lo",)),
    ("\u1780-\u17d3", ("km",)),
    ("\u1000-\u109f", ("my",)),
    ("\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc", ("ar", "fa", "ur", "ps", "ug")),
    ("\u0590-\u05ff", ("he",)),
    ("\u0400-\u052f", ("ru", "uk", "bg", "sr", "mk", "be", "kk", "ky", "mn")),
    ("\u0370-\u03ff\u1f00-\u1fff", ("el",)),
    ("\u0530-\u058f", ("hy",)),
    ("\u10a0-\u10ff", ("ka",)),
    ("\u0900-\u0963\u0966-\u097f", ("hi", "mr", "ne")),
    ("\u0980-\u09ff", ("bn", "as")),
    ("\u0a00-\u0a7f", ("pa",)),
    ("\u0a80-\u0aff", ("gu",)),
    ("\u0b00-\u0b7f", ("or",)),
    ("\u0b80-\u0bff", ("ta",)),
    ("\u0c00-\u0c7f", ("te",)),
    ("\u0c80-\u0cff", ("kn",)),
    ("\u0d00-\u0d7f", ("ml",)),
    ("\u0d80-\u0dff", ("si",)),
    ("\u1200-\u137f", ("am",)),
)
"""Ranges of a script and the languages that it can be, most common first."""

_COUNTERS = tuple((compile_pattern(f"[{ranges}]"), languages) for ranges, languages in _SCRIPTS)

_CODE = compile_pattern(r"[a-z]{2,3}")

_ADDRESS = compile_pattern(r"\b(?:https?://|www\.)\S{1,500}")


LANGUAGES: dict[str, str] = dict(
    line.split("\t") for line in Path(__file__).with_name("languages.tsv").read_text("utf-8").splitlines()
)
"""Every code that :func:`detect` can give, and the language's English name, in order of name."""


def language_code(tag: str) -> str:
    """Return the ISO 639 code of a language tag: ``"en"`` of ``"en-GB"``; empty if it has none."""
    code = tag.strip().lower().replace("_", "-").partition("-")[0]
    return code if _CODE.fullmatch(code) else ""


def detect(text: str) -> str:
    """Return the ISO 639 code of the language of most of ``text``, with two letters if there is one; ``"und"`` if
    unknown.

    A script decides if it has a quarter of the letters (code and names in Latin letters are common in every
    language) and it belongs to one language: Hangul, kana, Thai, Hebrew, … Han is Chinese if there is hardly any
    kana. Otherwise py3langid (Lui and Baldwin 2012; 139 languages) decides, among the languages of that
    script. The same text always gives the same code.
    """
    sample = _sample(text)
    letters = sum(map(str.isalpha, sample))
    counts = [len(pattern.findall(sample)) for pattern, _ in _COUNTERS]
    kana, han = counts[1], counts[2]
    if 10 * kana >= kana + han > 0:
        counts[1], counts[2] = kana + han, 0
    most = max(counts)
    if most >= 4 and 4 * most >= letters:
        languages = _SCRIPTS[counts.index(most)][1]
        return languages[0] if len(languages) == 1 else _classify(sample, frozenset(languages)) or languages[0]
    if letters < MIN_LETTERS:
        return "und"
    if _is_plainly_english(sample):
        return "en"
    others = frozenset(code for _, languages in _SCRIPTS for code in languages)
    code = _classify(sample, others, inside=False)
    return code if code in LANGUAGES else "und"  # the model has a class for texts in no language


def _is_plainly_english(sample: str) -> bool:
    """Return whether so many words are among the most frequent of English that the model need not be loaded.

    Running English has two of them among five words; texts in other languages have one among nine at most.
    """
    words = _LATIN_WORD.findall(_ADDRESS.sub(" ", sample).lower())
    frequent = sum(word in _FREQUENT for word in words)
    return frequent >= _ENOUGH_FREQUENT and frequent >= _FREQUENT_SHARE * len(words)


_LATIN_WORD = compile_pattern(r"[^\W\d_]+")
_FREQUENT_WORDS = (
    "the of and to a in is that it for was with as on be by this are from or at which an not have his he had but they "
    "you were their been has will would there when who if more its into than"
)
_FREQUENT = frozenset(_FREQUENT_WORDS.split())
_FREQUENT_SHARE = 0.3
_ENOUGH_FREQUENT = 30


_WORD = r"[^\W\d_]++(?:['’-][^\W\d_]++)*+"
_UNSPACED = "\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_RUN = compile_pattern(
    rf"(?<![^\W\d_])(?<![^\W\d_]['’-]){_WORD}(?:[,;]? {_WORD}){{3,}}"
    rf"|[{_UNSPACED}]{{4,}}|[\uac00-\ud7af][\uac00-\ud7af ]+"
)
"""Words in a row: four or more with spaces between, or a run of a script that is written without them, or Hangul."""


def detect_in_data(text: str) -> str:
    """Return the language of the values in JSON, YAML or CSV; ``"und"`` if they are not mostly prose.

    Keys, names, numbers and paths are not in any language. So the language is that of words in a row, if these have at
    least half of the letters.
    """
    sample = _sample(text)
    runs = _RUN.findall(sample)
    letters = sum(map(str.isalpha, sample))
    return detect("\n".join(runs)) if 2 * sum(map(str.isalpha, "".join(runs))) >= letters else "und"


def _sample(text: str) -> str:
    if len(text) <= SAMPLE:
        return text
    size = SAMPLE // WINDOWS
    step = (len(text) - size) / (WINDOWS - 1)
    return " ".join(text[int(window * step) : int(window * step) + size] for window in range(WINDOWS))


def _classify(sample: str, languages: frozenset[str], *, inside: bool = True) -> str | None:
    """Return the likeliest language that is (or, with ``inside=False``, is not) one of ``languages``."""
    # In lower case: the model has seen few texts that are all capitals.
    ranked = _identifier().rank(_ADDRESS.sub(" ", sample).lower())
    return next((str(code) for code, _ in ranked if (code in languages) is inside), None)


def prepare() -> None:
    """Load the model that detects languages, which is unpacked to a file for a moment."""
    _identifier()


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Load the model: about 0.2 s to import and 0.7 s to read, so only if the script does not decide."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
