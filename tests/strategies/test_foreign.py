"""Another program's chunks as a segmentation."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import from_text
from chunking.alignment.pieces import Piece
from chunking.params import Parameters
from chunking.strategies import Segmentation, foreign
from chunking.workspace import DocumentAnalysis

TEXT = "Alpha one. Beta two.\n\nGamma three. Deltas four.\n\nAlpha one. Epsilon five.\n"


def of(text: str, *pieces: str, nests: bool = False) -> Segmentation:
    workspace = DocumentAnalysis(from_text(text, format="text", language="en"))
    return foreign.segment(
        workspace, "mine", Parameters(), [Piece(piece) for piece in pieces], reason="given", nests=nests
    )


def test_what_a_chunk_repeats_is_its_overlap() -> None:
    made = of(TEXT, "Alpha one. Beta two.", "Beta two.\n\nGamma three.", "Deltas four.", "Alpha one. Epsilon five.")
    assert [chunk.text for chunk in made.chunks] == [
        "Alpha one. Beta two.",
        "\n\nGamma three.",
        "Deltas four.",
        "Alpha one. Epsilon five.",
    ]
    overlap = made.chunks[1].overlap
    assert overlap is not None and made.document.slice(overlap) == "Beta two."
    assert made.chunks[1].overlap_tokens == 3
    assert [chunk.overlap for chunk in made.chunks if chunk.index != 1] == [None, None, None]
    assert [chunk.cut and chunk.cut.offset for chunk in made.chunks] == [None, *(c.start for c in made.chunks[1:])]


def test_what_was_left_out_changed_or_invented_is_told() -> None:
    made = of(
        TEXT, "Alpha one.\nBeta two.", "Gamma four.", "Context: Alpha one. Epsilon five.", "nowhere at all, nothing"
    )
    spaced, shortened, prefixed = made.chunks
    assert spaced.foreign is not None and spaced.notes == ("white space changed",)
    assert shortened.text == "Gamma three. Deltas four."
    assert shortened.foreign is not None
    assert [made.document.slice(span) for span in shortened.foreign.missing] == ["three. Deltas"]
    assert prefixed.foreign is not None and prefixed.foreign.added == ("Context:",)
    assert made.unplaced == ("nowhere at all, nothing",)


def test_parts_know_what_they_are_parts_of() -> None:
    made = of(
        TEXT,
        TEXT.strip(),
        "Alpha one. Beta two.",
        "Alpha one.",
        "Beta two.",
        "Gamma three. Deltas four.",
        nests=True,
    )
    assert [chunk.parent for chunk in made.chunks] == [None, 0, 1, 1, 0]
    assert all(chunk.overlap is None for chunk in made.chunks)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["ab", "c d", "ab ", "\n", "é. "]), min_size=1, max_size=20), st.sets(st.integers(1, 40))
)
def test_chunks_that_tile_come_back_as_they_were(parts: list[str], cuts: set[int]) -> None:
    text = "".join(parts)
    bounds = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    made = of(text, *pieces)
    shown = [chunk.text.split() for chunk in made.chunks if chunk.text.strip()]
    assert shown == [piece.split() for piece in pieces if piece.strip()]
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in made.chunks)
    assert not made.unplaced
