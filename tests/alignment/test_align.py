from __future__ import annotations

import html
import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunking import samples
from chunking.alignment.align import align
from chunking.alignment.pieces import Piece, Placed
from tests.examples import examples

PROSE = (
    "The harbour was built in 1873, after the great storm. Ships from the north unloaded timber and salt there. "
    "When the railway came, most of the trade moved inland! Only the fishermen stayed; they still mend nets on the "
    "old quay. Visitors ask for the lighthouse, which burned down long ago. Its stones are in the church wall now."
)
SENTENCES = re.split(r"(?<=[.!]) ", PROSE)


def found(source: str, *texts: str) -> list[Placed]:
    placed = align(source, [Piece(text) for text in texts])
    assert all(placed), placed
    return [one for one in placed if one]


def spans(source: str, *texts: str) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in found(source, *texts)]


def bare(text: str) -> str:
    return "".join(text.split())


def missing(source: str, one: Placed) -> list[str]:
    return [source[start:end] for start, end in one.missing]


# Unchanged texts ---------------------------------------------------------------------------------------------------


def test_exact_pieces_are_where_they_were() -> None:
    placed = found(PROSE, *SENTENCES)
    assert [PROSE[one.start : one.end] for one in placed] == SENTENCES
    assert all(one.exact and not one.missing and not one.added for one in placed)
    assert bare("".join(kept(PROSE, one) for one in placed)) == bare(PROSE)


def test_each_repeat_goes_to_its_own_place() -> None:
    source = "The same again. " * 10
    assert [start for start, _ in spans(source, *["The same again."] * 10)] == list(range(0, 160, 16))


def test_repeats_that_overlap_fill_the_source() -> None:
    source = "The same again. " * 10
    assert [start for start, _ in spans(source, *["The same again. The same again."] * 9)] == list(range(0, 144, 16))


def test_more_repeats_than_are_listed() -> None:
    source = "Row of zeros.\n" * 500 + "An end." + "Row of zeros.\n" * 500
    texts = ["Row of zeros."] * 500 + ["An end."] + ["Row of zeros."] * 500
    placed = spans(source, *texts)
    assert all(left < right for left, right in pairwise(placed))
    assert bare("".join(source[start:end] for start, end in placed)) == bare(source)


def test_a_repeat_leaves_room_for_those_after_it() -> None:
    source = "Yes. No. Yes. Maybe. Yes. No. Stop."
    assert spans(source, "Yes.", "Maybe.", "Yes.", "No.", "Stop.") == [(0, 4), (14, 20), (21, 25), (26, 29), (30, 35)]


def test_a_piece_out_of_order_bends_nothing() -> None:
    order = [SENTENCES[5], *SENTENCES[:5]]
    assert [PROSE[start:end] for start, end in spans(PROSE, *order)] == order


def test_a_repeat_out_of_order_takes_the_place_that_is_free() -> None:
    source = "Note. One stands here. Two stands here. Three stands here. Note."
    texts = ["One stands here.", "Two stands here.", "Three stands here.", "Note.", "Note."]
    assert {start for start, _ in spans(source, *texts)[3:]} == {0, source.rindex("Note.")}


def test_parents_before_children_and_parents_among_children() -> None:
    rows = [f"Same line. Row number {number}. " for number in range(12)]
    source = "".join(rows)
    parents = ["".join(rows[at : at + 4]) for at in (0, 4, 8)]
    children = [part for row in rows for part in ("Same line. ", row[11:])]
    starts = [at for row in range(12) for at in (source.index(rows[row]), source.index(rows[row]) + 11)]
    breadth = spans(source, *parents, *children)
    assert [start for start, _ in breadth] == [source.index(parent) for parent in parents] + starts
    depth = spans(source, parents[0], *children[:8], parents[1], *children[8:16], parents[2], *children[16:])
    assert [start for start, _ in depth[:1] + depth[9:10] + depth[18:19]] == [source.index(one) for one in parents]


def test_the_whole_list_twice() -> None:
    source = "Alpha beta. Again. Gamma delta. Again. Epsilon."
    texts = ["Alpha beta.", "Again.", "Gamma delta.", "Again.", "Epsilon."]
    placed = spans(source, *texts, *texts)
    assert placed[:5] == placed[5:]
    assert sorted(placed[:5]) == placed[:5]


# Offsets that are given --------------------------------------------------------------------------------------------


def test_true_offsets_choose_between_repeats() -> None:
    source = "Same. Same. Same. Same."
    placed = align(source, [Piece("Same.", 6, 11), Piece("Same.", 18)])
    assert [one and one.start for one in placed] == [6, 18]


def test_offsets_that_are_wrong_count_for_nothing() -> None:
    pieces = [Piece(text, 3 * at, 3 * at + 5) for at, text in enumerate(SENTENCES)]
    assert align(PROSE, pieces) == tuple(found(PROSE, *SENTENCES))
    assert align("abc", [Piece("abc", -3, 99)]) == (Placed(0, 3, (), (), True),)


def test_offsets_found_by_searching_from_the_beginning() -> None:
    source = "The same again. " * 10
    placed = align(source, [Piece("The same again.", 0, 15)] * 10)
    assert [one and one.start for one in placed] == list(range(0, 160, 16))


# White space -------------------------------------------------------------------------------------------------------


def test_white_space_changed() -> None:
    source = "First  line\nbroken here.\r\n\r\n\tSecond one,\u00a0with tabs.  \n"
    expected = ["First  line\nbroken here.", "Second one,\u00a0with tabs."]
    for change in (" ".join, "".join, "\n\n".join, lambda words: f"  {'  '.join(words)}\n"):
        placed = found(source, *(change(text.split()) for text in expected))
        assert [source[one.start : one.end] for one in placed] == expected
        assert not any(one.missing or one.added for one in placed)


def test_white_space_at_the_ends_belongs_to_a_piece_that_has_it() -> None:
    source = "One.\n\n  Two.\n\nThree."
    assert found(source, "One.\n\n", "  Two.", "\n\nThree.") == [
        Placed(0, 6, (), (), True),
        Placed(6, 12, (), (), True),
        Placed(12, 20, (), (), True),
    ]
    assert found(source, " Three. ") == [Placed(14, 20, (), (), False)]


def test_blank_and_empty_pieces() -> None:
    assert align("One.\n\nTwo.", [Piece("One."), Piece("\n\n"), Piece(""), Piece("Two.")])[1:3] == (
        Placed(4, 6, (), (), True),
        None,
    )
    assert align("", [Piece("x"), Piece("")]) == (None, None)
    assert align("x", []) == ()


# Altered texts -----------------------------------------------------------------------------------------------------


def test_tags_removed() -> None:
    source = "<p>a <b>c</b></p>"
    (one,) = found(source, "a c")
    assert (source[one.start : one.end], missing(source, one), one.added, one.exact) == ("a <b>c", ["<b>"], (), False)


def test_a_page_of_html_loses_only_its_markup() -> None:
    rows = "".join(
        f'<div class="row-{at}"><h2>Part {at}</h2><p>{text.replace("the ", "<i>the</i> ")}</p></div>\n'
        for at, text in enumerate(SENTENCES)
    )
    texts = [f"Part {at}\n{text}" for at, text in enumerate(SENTENCES)]
    placed = found(rows, *texts)
    for text, one in zip(texts, placed, strict=True):
        assert bare(re.sub("<[^>]*>", "", rows[one.start : one.end])) == bare(text)
        assert one.added == ()
        assert bare(re.sub("<[^>]*>", "", "".join(missing(rows, one)))) == ""
    assert [rows[one.start : one.end][:6] for one in placed] == [text[:6] for text in texts]


def test_signs_between_tags_are_found() -> None:
    source = '<ul><li><a href="/a/">Index page</a> |</li> <li><a href="/b/">Next page</a> »</li></ul>'
    (one,) = found(source, "Index page | Next page »")
    assert one.added == ()
    assert bare(kept(source, one)) == "Indexpage|Nextpage»"


def test_tags_are_no_distance() -> None:
    """A sign after a long tag is found, and the words inside tags are not taken for those outside."""
    source = (
        '<ul><li><a href="general-index.html" title="General index of all the pages" accesskey="I">index</a></li>\n'
        '<li><a href="fields.html" title="5. Control files" accesskey="N">next</a> |</li></ul>\n'
        '<h1>Source packages<a class="headerlink" href="#source-packages" title="Permalink to this headline">¶</a></h1>'
    )
    row, head = found(source, "index\nnext\n|", "Source packages\n¶")
    assert (row.added, head.added) == ((), ())
    assert re.sub("<[^>]*>", " ", source[row.start : row.end]).split() == ["index", "next", "|"]
    assert source[head.start : head.end].startswith("Source packages<a") and source[head.end - 1] == "¶"


def test_holes_are_at_the_ends_of_words() -> None:
    short, long = "Alpha one. Gamma four. Epsilon five.", "Alpha one. Gamma three. Delta four. Epsilon five."
    (left_out,) = found(long, short)
    assert (missing(long, left_out), left_out.added) == (["three. Delta"], ())
    (put_in,) = found(short, long)
    assert (put_in.missing, put_in.added) == ((), ("three. Delta",))
    lines = "First line here.\nAnother line here.\nThe last line."
    (without,) = found(lines, "First line here.\nThe last line.")
    assert missing(lines, without) == ["Another line here."]


def test_a_place_that_comes_to_nothing_is_left_for_another() -> None:
    source = (
        "The Requires-Root field is described below. " + "Filler words stand here between. " * 20
        + "<h3>4.9.2 <code>debian rules</code> and <code>Requires-Root field</code></h3> Its text."
    )  # fmt: skip
    (one,) = found(source, "4.9.2 debian rules and Requires-Root field ¶")
    assert source[one.start : one.end] == source[source.index("4.9.2") : source.index("</code></h3>")]
    assert one.added == ("¶",)


def test_repeated_rows_of_html_stay_in_order() -> None:
    source = "".join(f'<tr class="r{at}"><td>Same value here</td><td>{at}</td></tr>\n' for at in range(40))
    placed = spans(source, *(f"Same value here | {at}" for at in range(40)))
    assert [source.count("\n", 0, start) for start, _ in placed] == list(range(40))


def test_entities_decoded() -> None:
    source = "<p>Fish &amp; chips cost &pound;5 at the caf&eacute; on Main Street.</p>"
    text = html.unescape(re.sub("<[^>]*>", "", source))
    (one,) = found(source, text)
    assert source[one.start : one.end] == source[3:-4]
    assert "".join(missing(source, one)) == "amp;&pound;&eacute;"
    assert "".join(one.added) == "£é"


def test_markdown_stripped_and_header_lines_dropped() -> None:
    source = "# Guide\n\n## Setup\n\nRun **make** with `all` to [start](http://example.org/x) it.\n\n## Use\n\n"
    source += "- open it\n- look\n"
    first, second = found(source, "Run make with all to start it.", "open it\nlook")
    assert source[first.start : first.end] == "Run **make** with `all` to [start](http://example.org/x) it."
    assert missing(source, first) == ["**", "**", "`", "`", "[", "](http://example.org/x)"]
    assert source[second.start : second.end] == "open it\n- look"


def test_json_flattened() -> None:
    source = '{"meta": {"title": "Harbour notes", "year": 1873}, "rows": [{"text": "Nets on the quay"}]}'
    first, second = found(source, "meta title Harbour notes\nmeta year 1873", "rows text Nets on the quay")
    assert (source[first.start : first.end], first.added) == (source[2:48], ("meta",))
    assert source[second.start : second.end] == 'rows": [{"text": "Nets on the quay'
    assert second.added == ()


def test_plain_quotes_dashes_and_small_letters() -> None:
    source = "Before it. “Well – it’s Over,” he said. After it."
    (one,) = found(source, '"Well - it\'s over," he said.')
    assert source[one.start : one.end] == "“Well – it’s Over,” he said."
    assert [source[start:end] for start, end in one.missing] == ["“", "–", "’", "O", "”"]
    assert one.added == ('"', "-", "'", "o", '"')
    both = '"Well" and “Well”'
    assert spans(both, "“Well”") == [(11, 17)]


def test_a_truncated_piece() -> None:
    (one,) = found(PROSE, PROSE[110:290] + "…")
    assert (PROSE[one.start : one.end], one.added) == (PROSE[110:290].strip(), ("…",))


def test_a_context_before_each_piece() -> None:
    source = "\n\n".join(SENTENCES)
    texts = [f"Document: Harbour notes. Section {at}: history.\n\n{text}" for at, text in enumerate(SENTENCES)]
    for at, (one, text) in enumerate(zip(found(source, *texts), SENTENCES, strict=True)):
        assert source[one.start : one.end] == text
        assert one.added == (f"Document: Harbour notes. Section {at}: history.",)
        assert one.missing == ()


def test_a_context_longer_than_the_piece() -> None:
    summary = "What follows is taken from a longer paper whose subject, scope and purpose differ; " * 3
    (one,) = found(PROSE, summary + SENTENCES[1])
    assert PROSE[one.start : one.end] == SENTENCES[1]


def test_scripts_without_spaces() -> None:
    source = "港は一八七三年に建てられた。北からの船が木材と塩を降ろした。鉄道が来ると貿易は内陸に移った。"
    (one,) = found(source, "北からの船が塩を降ろした。")
    assert (source[one.start : one.end], missing(source, one)) == ("北からの船が木材と塩を降ろした。", ["木材と"])


def test_a_bad_piece_does_not_derail_the_next() -> None:
    source = "\n".join(f"{text} Then again." for text in SENTENCES * 3)
    texts = [f"{text} Then again." for text in SENTENCES * 3]
    expected = spans(source, *texts)
    broken = [*texts[:7], "Wholly unrelated words: zebra, quince, vortex.", *texts[8:]]
    placed = align(source, [Piece(text) for text in broken])
    assert placed[7] is None
    assert [(one.start, one.end) for one in placed if one] == expected[:7] + expected[8:]


def test_what_is_not_there_is_not_found() -> None:
    assert align(PROSE, [Piece("Quarks zip by."), Piece("zzz"), Piece("?")]) == (None, None, None)


def test_repetition_without_end() -> None:
    for source in ("ab ab ab" * 20_000, "a" * 100_000):
        texts = [source[at : at + 997] for at in range(0, len(source), 997)]
        placed = found(source, *texts)
        assert bare("".join(kept(source, one) for one in placed)) == bare(source)
        junk = found(source, *(f"{text}#" for text in texts[:40]))
        assert all(one.added == ("#",) and abs(one.end - one.start - 997) < 8 for one in junk)
        assert all(abs(one.start - 997 * at) < 50 for at, one in enumerate(junk))


# Properties --------------------------------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.text("ab \n", max_size=60),
    st.lists(st.sampled_from(["ab", "ab.", "ba", "\n\n", "Ünï “x”", "漢字", "a"]), max_size=40).map(" ".join),
)


def cut(source: str, cuts: list[int]) -> list[int]:
    return sorted({0, len(source), *(at % (len(source) + 1) for at in cuts)})


@settings(max_examples=examples(400))
@given(TEXTS, st.lists(st.integers(0, 200), max_size=12), st.sampled_from(["", " ", "\n "]) | st.none())
def test_tiles_come_back_as_tiles(source: str, cuts: list[int], joint: str | None) -> None:
    edges = cut(source, cuts)
    tiles = [source[start:end] for start, end in pairwise(edges)]
    tiles = [tile for tile in tiles if tile.strip()]
    texts = tiles if joint is None else [joint.join(tile.split()) for tile in tiles]
    placed = found(source, *texts)
    assert [bare(source[one.start : one.end]) for one in placed] == [bare(tile) for tile in tiles]
    assert all(left.end <= right.start for left, right in pairwise(placed))
    assert bare("".join(kept(source, one) for one in placed)) == bare(source)
    assert all(one.exact == (source[one.start : one.end] == text) for one, text in zip(placed, texts, strict=True))
    assert not any(one.missing or one.added for one in placed)


@settings(max_examples=examples(400))
@given(TEXTS, st.lists(st.tuples(st.integers(0, 200), st.integers(1, 30)), max_size=12), st.booleans())
def test_any_stretches_have_their_own_characters(source: str, places: list[tuple[int, int]], in_order: bool) -> None:
    places = sorted(places) if in_order else places
    texts = [source[start : start + size] for start, size in places]
    for one, text in zip(align(source, [Piece(text) for text in texts]), texts, strict=True):
        if text.strip():
            assert one is not None
            assert bare(source[one.start : one.end]) == bare(text)
            assert one.exact == (source[one.start : one.end] == text)


WORDS = st.lists(st.sampled_from(PROSE.lower().split()), min_size=30, max_size=80)


@settings(max_examples=examples(200))
@given(WORDS, st.integers(3, 20), st.integers(1, 8), st.text("@#§ ", min_size=1, max_size=20))
@example(PROSE.lower().split(), 3, 8, "@ @")
def test_what_is_taken_out_and_put_in_is_told_and_nothing_else(
    words: list[str], start: int, size: int, junk: str
) -> None:
    source = " ".join(words)
    shorter = " ".join(words[:start] + words[start + size :])
    (one,) = found(source, shorter)
    assert one.added == ()
    left = bare(source)
    assert len(left) - sum(len(bare(text)) for text in missing(source, one)) - outside(source, one) == len(
        bare(shorter)
    )
    assert bare(kept(source, one)) == bare(shorter)
    (one,) = found(source, " ".join([*words[:start], junk, *words[start:]]))
    assert (one.start, one.end, one.missing) == (0, len(source), ())
    assert bare("".join(one.added)) == bare(junk)


def outside(source: str, one: Placed) -> int:
    """Characters of the source before and after the span."""
    return len(bare(source[: one.start])) + len(bare(source[one.end :]))


def kept(source: str, one: Placed) -> str:
    """The text of a span without what is missing."""
    edges = [one.start, *(at for span in one.missing for at in span), one.end]
    return "".join(source[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


@settings(max_examples=examples(300))
@given(TEXTS, TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_a_placement_accounts_for_every_character(source: str, other: str, start: int, size: int) -> None:
    texts = [other, source[start : start + size] + other, source[:start] + source[start + size :]]
    for one, text in zip(align(source, [Piece(text) for text in texts]), texts, strict=True):
        if one is None:
            continue
        assert 0 <= one.start < one.end <= len(source)
        assert all(one.start <= begin < end <= one.end and source[begin:end].strip() for begin, end in one.missing)
        assert all(added.strip() for added in one.added)
        rest = text
        for added in one.added:
            assert added in text
        shared = len(bare(rest)) - sum(len(bare(added)) for added in one.added)
        assert shared == len(bare(kept(source, one)))
        assert one.exact == (source[one.start : one.end] == text)


def test_a_short_text_of_another_document_is_nowhere() -> None:
    source = "Streaming servers learn to listen. Where others sell answers, none of them relents. " * 9
    assert align(source, [Piece("Nothing of this."), Piece("Quite unlike.")]) == (None, None)


FOREIGN = ("And then the end.", "It is what it is.", "Nor does this one.", "Zebras graze at noon.", "one")


def test_foreign_pieces_are_not_placed_at_stray_words() -> None:
    source = samples.load("field-guide-to-backups").document.text
    assert any(align(source, [Piece(text), Piece(source[:200])])[0] for text in FOREIGN), "alone they would be"
    assert align(source, [Piece(text) for text in FOREIGN]) == (None,) * len(FOREIGN)


def test_short_pieces_of_a_source_are_found_though_some_are_foreign() -> None:
    source = "One two. Three four. Five six. Seven eight."
    placed = align(source, [Piece(text) for text in ("One two.", "Three four.", "Five six.", "Zebra?")])
    assert [each is not None for each in placed] == [True, True, True, False]
