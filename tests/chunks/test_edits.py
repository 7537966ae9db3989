from __future__ import annotations

import base64
import re
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, DocumentAnalysis, Models, explain, from_text, parse, split
from chunking.chunks.edits import (
    ACTIONS,
    BETWEEN,
    Action,
    Edit,
    LocatedEdits,
    digest,
    edit_at,
    locate,
    packed,
    unpacked,
)
from chunking.params import Value
from chunking.runtime.arrays import Int64
from chunking.strategies import REGISTRY, Segmentation
from tests.examples import examples

TEXT = """# The mill

The wheel turns on the ebb. It needs two metres of water. The miller opens the sluice at dusk.

# The bakery

The oven burns oak. Bread is baked at four. The first loaf goes to the miller.

# The quay

Barges come on Mondays. They bring wheat. They leave with flour.
"""


def analysis(text: str = TEXT) -> DocumentAnalysis:
    return DocumentAnalysis(from_text(text, language="en"), Models("char-ngrams", splitter="rules"))


def gaps_of(text: str) -> Int64:
    return analysis(text).offsets


def at(text: str, words: str) -> int:
    return text.index(words)


def starts(segmentation: Segmentation) -> list[str]:
    return [chunk.text.split(".")[0].strip()[:20] for chunk in segmentation.chunks]


def test_a_cut_and_a_join() -> None:
    edits = [edit_at(TEXT, "cut", at(TEXT, "Bread is")), edit_at(TEXT, "join", at(TEXT, "# The bakery"))]
    result = parse("heading").run(analysis().with_edits(edits))
    assert [chunk.text.split("\n")[0] for chunk in result.chunks] == [
        "# The mill",
        "Bread is baked at four. The first loaf goes to the miller.",
        "# The quay",
    ]
    assert [chunk.cut.reason for chunk in result.chunks if chunk.cut] == ["hand", "heading"]
    assert [(cut.reason, cut.detail) for cut in result.kept] == [("heading", "what was joined by hand")]
    assert result.edits == tuple(edits) and not result.warnings


def test_an_edit_holds_where_nothing_is_kept_together_and_without_limits() -> None:
    edits = [edit_at(TEXT, "cut", at(TEXT, "The oven")), edit_at(TEXT, "join", at(TEXT, "# The quay"))]
    for name in REGISTRY:
        strategy = REGISTRY[name]
        if strategy.family == "peers" or not strategy.tiles:
            continue
        values: dict[str, Value] = {"keep_together": "no", "min_tokens": 0, "soft_min_tokens": 0, "max_tokens": 0}
        known = {parameter.name for parameter in strategy.params.describe() if not parameter.minimum}
        params = strategy.params.parse({}, {key: value for key, value in values.items() if key in known})
        result = strategy.run(analysis().with_edits(edits), params)
        chunk_starts = [chunk.start for chunk in result.chunks]
        assert at(TEXT, "The oven") in chunk_starts, name
        assert at(TEXT, "# The quay") not in chunk_starts, name


def test_a_cut_by_hand_parts_what_is_kept_together() -> None:
    heading_alone = edit_at(TEXT, "cut", at(TEXT, "The oven"))
    result = parse("structural").run(analysis().with_edits([heading_alone]))
    assert at(TEXT, "The oven") in [chunk.start for chunk in result.chunks]


def test_no_minimum_removes_a_cut_by_hand() -> None:
    edits = [edit_at(TEXT, "cut", at(TEXT, "They bring"))]
    result = parse("heading:min_tokens=60;max_tokens=200").run(analysis().with_edits(edits))
    assert at(TEXT, "They bring") in [chunk.start for chunk in result.chunks]


def test_the_maximum_holds_over_a_join_and_says_so() -> None:
    text = "".join(f"Sentence {number} tells of a small harbour. " for number in range(40))
    workspace = analysis(text)
    joined = [edit_at(text, "join", offset) for offset in workspace.offsets.tolist()]
    result = parse("sentence:max_tokens=50;overlap=0").run(workspace.with_edits(joined))
    assert max(chunk.tokens for chunk in result.chunks) <= 50
    assert any("not followed: the maximum" in warning for warning in result.warnings)
    (explained,) = {warning.split("“")[0] for warning in result.warnings}
    assert explained == "Edit by hand before "


def test_another_library_takes_no_edits_and_says_so() -> None:
    pytest.importorskip("langchain_text_splitters")
    edits = [edit_at(TEXT, "cut", at(TEXT, "Bread is"))]
    result = parse("langchain_recursive").run(analysis().with_edits(edits))
    assert [warning for warning in result.warnings if "takes no edits" in warning]


def test_an_edit_survives_an_edited_document() -> None:
    edits = [edit_at(TEXT, "cut", at(TEXT, "Bread is")), edit_at(TEXT, "join", at(TEXT, "# The quay"))]
    new = "A note at the top. It is new.\n\n" + TEXT.replace("two metres", "three metres")
    located = locate(edits, new, gaps_of(new))
    assert located == LocatedEdits({0: at(new, "Bread is"), 1: at(new, "# The quay")})


def test_an_edit_whose_text_is_gone_is_lost_with_the_reason() -> None:
    edits = [edit_at(TEXT, "cut", at(TEXT, "Bread is")), edit_at(TEXT, "cut", at(TEXT, "They leave"))]
    new = TEXT[: at(TEXT, "# The bakery")] + TEXT[at(TEXT, "# The quay") :]
    workspace = analysis(new).with_edits(edits)
    assert workspace.located_edits.offsets == {1: at(new, "They leave")}
    (warning,) = parse("heading").run(workspace).warnings
    assert warning.startswith("Edit by hand before “Bread is baked at four.") and "lost: the text" in warning


def test_an_edit_inside_a_sentence_is_lost() -> None:
    located = locate([edit_at(TEXT, "cut", at(TEXT, "metres"))], TEXT, gaps_of(TEXT))
    assert located.lost == {0: BETWEEN}


def test_an_edit_by_its_words_alone() -> None:
    edit = Edit("cut", "The oven burns oak.", "Bread is baked at four.")
    assert locate([edit], TEXT, gaps_of(TEXT)).offsets == {0: at(TEXT, "Bread is")}
    chunks = split(from_text(TEXT, language="en"), "heading", Models(splitter="rules"), edits=[edit])
    assert at(TEXT, "Bread is") in [chunk.start for chunk in chunks]


def test_two_edits_without_offsets_do_not_meet() -> None:
    edits = [Edit("cut", "burns oak.", "Bread is baked"), Edit("join", "to the miller.", "# The quay")]
    assert locate(edits, TEXT, gaps_of(TEXT)).offsets == {0: at(TEXT, "Bread is"), 1: at(TEXT, "# The quay")}


def test_copies_of_a_text_are_told_apart_by_the_offset_alone() -> None:
    text = "Wait for the tide. Row out.\n\n" * 12
    gaps = gaps_of(text)
    edit = edit_at(text, "cut", int(gaps[9]))
    assert locate([edit], text, gaps).offsets == {0: int(gaps[9])}
    assert locate([Edit("cut", "Wait for the tide.", "Row out.")], text, gaps).offsets == {}


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"action": "move"}, "Unknown action 'move'"),
        ({"before": " \n"}, "needs text on both sides"),
        ({"after": ""}, "needs text on both sides"),
        ({"offset": -1}, "is at -1"),
    ],
)
def test_what_is_refused(values: dict[str, object], problem: str) -> None:
    fields = {"action": "cut", "before": "one", "after": "two", "offset": 0} | values
    with pytest.raises(ChunkscopeError, match=problem):
        Edit(**fields)  # type: ignore[arg-type]


def test_of_two_edits_of_a_place_the_last_one_counts() -> None:
    offset = at(TEXT, "Bread is")
    workspace = analysis().with_edits([edit_at(TEXT, "cut", offset), edit_at(TEXT, "join", offset)])
    assert workspace.located_edits.decided(workspace.edits) == {"cut": [], "join": [offset]}
    assert offset not in [chunk.start for chunk in parse("paragraph:min_tokens=0").run(workspace).chunks]


def test_edits_go_through_a_link() -> None:
    edits = [edit_at(TEXT, "cut", at(TEXT, "Bread is")), edit_at(TEXT, "join", at(TEXT, "# The quay"))]
    text = packed(edits)
    assert re.fullmatch(r"[\w-]+", text) and len(text) < 250
    read = unpacked(text)
    assert locate(read, TEXT, gaps_of(TEXT)) == locate(edits, TEXT, gaps_of(TEXT))
    new = "A note at the top.\n\n" + TEXT
    assert locate(read, new, gaps_of(new)).offsets == {0: at(new, "Bread is"), 1: at(new, "# The quay")}
    assert packed([]) == "" and unpacked("") == ()


@pytest.mark.parametrize(
    "data",
    [b"", b"no zlib", zlib.compress(b"[[1]]"), zlib.compress(b'[["move",1,"a","b"]]'), zlib.compress(b" " * 2**22)],
)
def test_a_damaged_link_is_refused(data: bytes) -> None:
    text = base64.urlsafe_b64encode(data).decode().rstrip("=") or "%"
    with pytest.raises(ChunkscopeError, match="damaged"):
        unpacked(text)


@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.text(min_size=1), st.text(min_size=1), st.integers(0, 10**9))))
def test_any_edits_go_through_a_link(rows: list[tuple[Action, str, str, int]]) -> None:
    edits = [Edit(action, f"a{before}", f"{after}z", offset) for action, before, after, offset in rows]
    assert [(edit.action, edit.offset) for edit in unpacked(packed(edits))] == [
        (edit.action, edit.offset) for edit in edits
    ]


def test_a_digest_depends_on_every_value() -> None:
    edits = [Edit("cut", "a", "b"), Edit("join", "a", "b"), Edit("cut", "ab", "b"), Edit("cut", "a", "b", 3)]
    assert len({digest([edit]) for edit in edits}) == len(edits)
    assert digest(edits) != digest(edits[::-1])


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_places_of_an_unchanged_text_are_found(drawn: st.DataObject) -> None:
    words = drawn.draw(
        st.lists(st.sampled_from(["Row out", "Wait", "The tide turns", "Oak burns"]), min_size=2, max_size=30)
    )
    text = "".join(f"{word} now. " for word in words)
    gaps = gaps_of(text)
    chosen = drawn.draw(st.lists(st.sampled_from(gaps.tolist()), unique=True, max_size=5)) if len(gaps) else []
    edits = [edit_at(text, "cut", offset) for offset in chosen]
    assert dict(locate(edits, text, gaps).offsets) == dict(enumerate(chosen))


def test_analyses_share_their_measurements_and_not_their_edits() -> None:
    workspace = analysis()
    edited = workspace.with_edits([edit_at(TEXT, "cut", at(TEXT, "Bread is"))])
    assert edited.instance == workspace.instance and edited.key != workspace.key
    assert edited.sentences is workspace.sentences
    assert not len(workspace.constraints.forced) and edited.constraints.forced.tolist() == [at(TEXT, "Bread is")]


def test_the_explanation_of_a_cut_by_hand() -> None:
    offset = at(TEXT, "Bread is")
    workspace = analysis().with_edits([edit_at(TEXT, "cut", offset)])
    result = parse("structural").run(workspace)
    gap = int(np.searchsorted(workspace.offsets, offset))
    assert explain.explain_gap(result, gap).verdict == "by hand"
