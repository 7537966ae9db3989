"""The sentences of texts, by the splitter of a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from chunking.sentences.contract import Progress, Ranges
from chunking.sentences.kiwi import KIWI, by_kiwi
from chunking.sentences.rules import by_rules
from chunking.sentences.spacy_models import by_spacy

RULES = "rules"

Teller = Callable[[Sequence[str], str, str, Progress | None], Iterable[Ranges]]
"""What finds the sentences of texts: :func:`tell`, or something that answers as it does."""


def tell(texts: Sequence[str], name: str, language: str, progress: Progress | None) -> Iterator[Ranges]:
    """The sentences of each text. What a text's are does not depend on the others.

    Args:
        texts: what to split.
        name: of the splitter, any but ``"langchain"``.
        language: code, which the rules look at.
        progress: told now and then how far it is, in characters.

    Raises:
        ChunkscopeError: its model is not installed.
    """
    if name == KIWI:
        return by_kiwi(texts, progress)
    return by_rules(texts, language, progress) if name == RULES else by_spacy(texts, name, progress)
