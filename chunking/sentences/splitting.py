"""The splitters of sentences by name, for texts without layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from chunking.runtime.progress import Progress
from chunking.sentences.contract import Ranges
from chunking.sentences.kiwi import KIWI, split_with_kiwi
from chunking.sentences.rules import split_with_rules
from chunking.sentences.spacy_models import split_with_spacy

RULES = "rules"

SentenceSplitter = Callable[[Sequence[str], str, str, Progress | None], Iterable[Ranges]]
"""Finds the sentences of texts: :func:`split_sentences` or a function with the same signature."""


def split_sentences(texts: Sequence[str], name: str, language: str, progress: Progress | None) -> Iterator[Ranges]:
    """Split each text into sentences. The sentences of a text do not depend on the other texts.

    Args:
        texts: plain prose, without the marks of a quotation.
        name: name of the splitter, any but ``"langchain"``.
        language: ISO 639-1 code; only the rules use it.
        progress: called now and then with the characters done and the total.

    Raises:
        ChunkscopeError: the model of the splitter is not installed.
    """
    if name == KIWI:
        return split_with_kiwi(texts, progress)
    return split_with_rules(texts, language, progress) if name == RULES else split_with_spacy(texts, name, progress)
