"""The vectors of passages are those of what is embedded for them, and no chunk changes by it."""

from __future__ import annotations

import numpy as np
import pytest

from chunking import embedding, strategies
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search import passages
from chunking.retrieval.search.passages import Passages
from tests.retrieval.made import TOOLS, word_counts

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

SOURCES = (
    CorpusDocument("book", "# Light\n\nThe lamp burns oil.\n\n## Boats\n\nA boat comes on Monday.", "markdown", "en"),
    CorpusDocument("note", "Nobody oils the lamp.", "text", "en", title="Notes"),
)
CUT = "paragraph:min_tokens=0"


def cut(choice: str) -> Passages:
    return passages.cut(SOURCES, {"": strategies.parse(f"{CUT};{choice}", retrieval=True)}, TOOLS)[""]


@pytest.mark.parametrize("choice", ["embed=headings", "embed=title", "embed=late"])
def test_chunks_are_the_same_whatever_is_embedded(choice: str) -> None:
    plain, other = cut("embed=chunk"), cut(choice)
    for name in ("document", "start", "end", "reach", "tokens"):
        assert getattr(plain, name).tolist() == getattr(other, name).tolist()
    assert [plain.text(place, SOURCES) for place in range(len(plain))] == [
        other.text(place, SOURCES) for place in range(len(other))
    ]


def test_what_is_embedded_has_the_headings_or_the_title_before_the_chunk() -> None:
    encoder = embedding.get_encoder(TOOLS.retrieval_encoder)
    for choice, wanted in (("embed=headings", "Light"), ("embed=title", "Notes")):
        found = cut(choice)
        place = next(number for number in range(len(found)) if found.before(number).startswith(wanted))
        text = found.indexed_text(place, SOURCES)
        assert text == found.before(place) + found.text(place, SOURCES)
        made = passages.embed_passages(found, SOURCES, encoder)
        assert np.array_equal(made[place], embedding.embed([text], encoder)[0])


def test_late_vectors_are_in_the_order_of_passages() -> None:
    made = cut("embed=late")
    told: list[tuple[int, int]] = []
    encoder = embedding.get_encoder("all-MiniLM-L6-v2")
    found = passages.embed_passages(made, SOURCES, encoder, progress=lambda *each: told.append(each))
    assert told[-1] == (len(made), len(made))
    alone = passages.embed_passages(cut("embed=chunk"), SOURCES, encoder)
    assert ((found @ alone.T).argmax(axis=1) == np.arange(len(made))).all()
