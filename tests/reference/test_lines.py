"""References of reviews as JSON Lines: what is written is read, and what is wrong is put right or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, evaluation, from_text
from chunking.alignment.relocation import anchor
from chunking.reference import files as reference_files
from chunking.reference import lines
from chunking.reference.lines import ReferenceLine
from chunking.reference.reference import Reference
from chunking.reference.state import Judgement

TEXT = (
    "Bees live in hives. A hive has one queen.\n\nHoney is made of nectar. It keeps for years.\n\n"
    "Wax is built into cells. Each cell has six walls.\n"
)
DOCUMENT = from_text(TEXT, format="text", language="en", name="bees.txt")
HONEY, WAX = TEXT.index("Honey"), TEXT.index("Wax")


def row(**changed: Any) -> dict[str, Any]:
    known = [anchor(TEXT, offset) for offset in (HONEY, WAX)]
    found = {
        "id": "bees",
        "lang": "en",
        "units": TEXT.split("\n\n"),
        "boundaries": [1, 2],
        "document": DOCUMENT.text_hash,
        "name": "bees.txt",
        "characters": len(TEXT),
        "offsets": [HONEY, WAX],
        "before": [each.before for each in known],
        "after": [each.after for each in known],
        "reviews": {"Ada": [{"offset": HONEY, "verdict": "accept", "note": "new topic"}]},
    } | changed
    return {key: value for key, value in found.items() if value is not ...}


def data(*rows: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in rows).encode()


def read(**changed: Any) -> ReferenceLine:
    [line] = lines.read(data(row(**changed)), "gold.jsonl")
    return line


text = st.text(st.characters(codec="utf-8"), max_size=12)
offset = st.integers(1, len(TEXT) - 1)
judgement = st.builds(
    Judgement, offset, st.sampled_from(["accept", "reject", "skip"]), text, text, st.booleans(), before=text, after=text
) | st.builds(Judgement, offset, st.just("moved"), target=offset, at=st.just("2024-05-06T07:08:09+00:00"))


@given(
    st.sets(offset),
    st.dictionaries(text.filter(str.strip), st.lists(judgement, max_size=4).map(tuple), max_size=3),
    st.lists(judgement, max_size=2).map(tuple),
    st.dictionaries(offset, text.filter(bool), min_size=1, max_size=2),
)
def test_what_is_written_is_read(
    offsets: set[int],
    reviews: dict[str, tuple[Judgement, ...]],
    decisions: tuple[Judgement, ...],
    words: dict[int, str],
) -> None:
    known = [anchor(TEXT, each) for each in sorted(offsets)]
    before, after = (tuple(getattr(each, side) for each in known) for side in ("before", "after"))
    line = ReferenceLine(
        "id", "hash", tuple(sorted(offsets)), before, after, "name", len(TEXT), "en", ("One.", "Two."), (1,), reviews,
        dict.fromkeys(reviews, words), decisions, line=1,
    )  # fmt: skip
    written = lines.dump([line])
    assert written.count("\n") == 1
    assert lines.read(written.encode(), "x") == (line,)


def test_evaluate_reads_the_same_file() -> None:
    found = evaluation.read(data(row(complete=True), row(id="other", units=..., boundaries=...)), "gold.jsonl")
    assert [(each.id, each.reference.tolist(), each.language) for each in found.documents] == [("bees", [0, 1], "en")]
    assert [(each.id, each.line) for each in found.left_out] == [("other", 2)]


def test_what_has_one_meaning_is_put_right() -> None:
    known = [anchor(TEXT, each) for each in (WAX, HONEY)]
    line = read(
        offsets=[WAX, 0, HONEY, WAX, len(TEXT)],
        before=[known[0].before, "", known[1].before, known[0].before, ""],
        after=[known[0].after, "", known[1].after, known[0].after, ""],
    )
    assert (line.offsets, line.before) == ((HONEY, WAX), (known[1].before, known[0].before))
    assert line.repaired == (
        "offsets sorted",
        "1 offset that came twice left out",
        "an offset at the very start or end of the text left out",
    )
    assert read(before=..., after=...).before == ("", "")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"offsets": ...}, "no offsets"),
        ({"offsets": 5}, "offsets is not a list"),
        ({"offsets": [1.5, 2]}, "1.5 is not a whole number"),
        ({"offsets": [True, 2]}, "true is not a whole number"),
        ({"offsets": [-1, 2]}, "-1 lies outside"),
        ({"offsets": [HONEY, 10_000]}, "10000 lies outside the text of"),
        ({"offsets": [HONEY, 10**60], "characters": None}, "lies outside the text"),
        ({"characters": "many"}, "characters .many. is not a whole"),
        ({"before": ["x"]}, "before has 1 entries for 2"),
        ({"after": [1, 2]}, "after is not text"),
        ({"document": 7}, "document is not text"),
        ({"units": [1, 2, 3]}, "units is not text"),
        ({"boundaries": [9]}, "boundaries 9 lies outside"),
        ({"reviews": []}, "reviews is not an object"),
        ({"reviews": {" ": []}}, "a reviewer has no name"),
        ({"reviews": {"x" * 99: []}}, "reviewer's name has 99"),
        ({"reviews": {"Ada": {}}}, "Ada is not a list"),
        ({"reviews": {"Ada": [3]}}, "not an object"),
        ({"reviews": {"Ada": [{"offset": 3, "verdict": "maybe"}]}}, "unknown verdict .maybe"),
        ({"reviews": {"Ada": [{"offset": 3}]}}, "unknown verdict null"),
        ({"reviews": {"Ada": [{"verdict": "skip"}]}}, "offset null is not a whole"),
        ({"reviews": {"Ada": [{"offset": 3, "verdict": "moved"}]}}, "target"),
        ({"reviews": {"Ada": [{"offset": 3, "verdict": "skip", "target": 4}]}}, "target"),
        ({"reviews": {"Ada": [{"offset": 3, "verdict": "skip", "note": "n" * 2001}]}}, "note has 2,001"),
        ({"decisions": [1]}, "not an object"),
    ],
)
def test_what_could_mean_several_things_is_refused_with_its_line(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ChunkscopeError, match=f"gold.jsonl, line 2: .*{said}"):
        lines.read(data(row(), row(**changed)), "gold.jsonl")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(row())), json_values))
def test_whatever_a_line_holds_it_is_read_or_refused(changed: dict[str, Any]) -> None:
    try:
        [line] = lines.read(data(row(**changed)), "gold.jsonl")
        reference_files.match_document([line], DOCUMENT, "gold.jsonl")
    except ChunkscopeError as error:
        assert error.problem


def test_a_line_with_reviews_is_complete_only_where_it_says_so() -> None:
    def reference(**more: Any) -> Reference:
        return reference_files.match_document(lines.read(data(row(**more)), "g"), DOCUMENT, "g").reference

    assert not reference().complete
    assert reference(reviews={}).complete and reference(reviews={}).added == (HONEY, WAX)
    assert reference(complete=True).complete
    said = [{"offset": HONEY, "verdict": "accept"}, {"offset": 5, "verdict": "reject"}]
    assert reference(reviews={"Ada": said}).rejected == (5,)
    found = reference(reviews={"Ada": said}, rejected=[7], added=[WAX, 9])
    assert (found.rejected, found.added) == ((7,), (WAX,))
    with pytest.raises(ChunkscopeError, match="neither true nor false"):
        reference(complete="yes")


def test_the_line_of_a_document_is_told_by_its_hash() -> None:
    other = row(id="2", document="f" * 64, offsets=[3], before=["abc"], after=["def"])
    found = reference_files.match_document(lines.read(data(other, row()), "gold.jsonl"), DOCUMENT, "gold.jsonl")
    assert (found.reference.boundaries, found.changed, found.notes, found.line.line) == ((HONEY, WAX), False, (), 2)


def test_in_a_text_that_has_changed_the_places_are_found_again() -> None:
    document = from_text("Of bees.\n\n" + TEXT.replace("one queen", "a queen"), format="text", language="en")
    found = reference_files.match_document(lines.read(data(row()), "gold.jsonl"), document, "gold.jsonl")
    assert found.changed
    assert [document.text[each:][:3] for each in found.reference.boundaries] == ["Hon", "Wax"]
    assert found.notes == ("The text has changed since its reference was set: 2 of 2 boundaries were found again.",)


def test_what_is_lost_is_told() -> None:
    long = "".join(f"Sentence number {each} is about item {each * 7}. " for each in range(60))
    offsets = [long.index(f"Sentence number {each} ") for each in (10, 30, 50)]
    known = [anchor(long, each) for each in offsets]
    line = row(
        document="0" * 64, characters=len(long), offsets=offsets,
        before=[each.before for each in known], after=[each.after for each in known], reviews=...,
    )  # fmt: skip
    kept = long[: offsets[1] - 200] + long[offsets[1] + 200 :]
    found = reference_files.match_document(
        lines.read(data(line), "g"), from_text(kept, format="text", language="en"), "g"
    )
    assert len(found.reference.boundaries) == 2
    assert "2 of 3 boundaries were found again; lost: " + str(offsets[1]) in found.notes[0]


def test_gold_of_other_documents_is_refused_by_name() -> None:
    others = [
        row(
            id=str(each),
            name=f"doc{each}.txt",
            document=f"{each:064x}",
            offsets=[50],
            before=["qua " * 20],
            after=["ack " * 20],
        )
        for each in range(7)
    ]
    with pytest.raises(ChunkscopeError, match="no reference of this document: it is of “doc0.txt”.* and 2 more"):
        reference_files.match_document(lines.read(data(*others), "g"), DOCUMENT, "g")


def test_two_lines_of_one_document_are_refused() -> None:
    with pytest.raises(ChunkscopeError, match="Lines 1, 2 of g are of the same document"):
        reference_files.match_document(lines.read(data(row(), row(id="again")), "g"), DOCUMENT, "g")


def test_an_offset_outside_the_text_that_it_claims_to_be_of_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="g, line 1: offset 5000 lies outside"):
        reference_files.match_document(lines.read(data(row(characters=..., offsets=[HONEY, 5000])), "g"), DOCUMENT, "g")


def test_one_of_thousands_of_lines_is_found() -> None:
    others = [
        row(
            id=str(each),
            document=f"{each:064x}",
            offsets=[90],
            before=[f"words {each} " * 8],
            after=[f"more {each} " * 8],
        )
        for each in range(3000)
    ]
    found = reference_files.match_document(lines.read(data(*others, row(document="9" * 64)), "g"), DOCUMENT, "g")
    assert (found.line.line, found.reference.boundaries) == (3001, (HONEY, WAX))


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="holds no document"):
        lines.read(b"\n\n", "g")
