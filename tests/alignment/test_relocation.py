"""Places found again in a text that has changed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.alignment import relocation
from chunking.alignment.relocation import CONTEXT, Anchor, anchor, matching_shares, relocate


def prose(seed: int, words: int) -> str:
    """Words of no language, hardly any of them twice."""
    drawn = random.Random(seed)
    return " ".join("".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=drawn.randint(3, 9))) for _ in range(words))


TEXT = prose(1, 600)
spots = st.sets(st.integers(0, len(TEXT)), max_size=12)


def places(text: str, offsets: set[int] | list[int]) -> list[Anchor]:
    return [anchor(text, offset) for offset in offsets]


@given(spots)
def test_nothing_moves_in_the_same_text(offsets: set[int]) -> None:
    assert relocate(places(TEXT, offsets), TEXT).offsets == {offset: offset for offset in sorted(offsets)}


@given(st.text("ab \n", min_size=1, max_size=400), st.data())
def test_nothing_moves_in_the_same_text_however_it_repeats_itself(text: str, data: st.DataObject) -> None:
    offsets = data.draw(st.sets(st.integers(0, len(text)), max_size=8))
    found = relocate(places(text, offsets), text)
    assert found.offsets == {offset: offset for offset in sorted(offsets)}
    assert not found.lost and not found.edited


@given(spots, st.integers(0, len(TEXT)), st.integers(1, 300))
def test_what_is_put_in_shifts_what_comes_after(offsets: set[int], at: int, words: int) -> None:
    added = f" {prose(2, words)} "
    clear = {each for each in offsets if abs(each - at) >= CONTEXT}
    found = relocate(places(TEXT, offsets), TEXT[:at] + added + TEXT[at:])
    assert {each: found.offsets.get(each) for each in clear} == {
        each: each + len(added) * (each > at) for each in clear
    }


@given(spots, st.integers(0, len(TEXT)), st.integers(0, 1500))
def test_what_is_taken_out_is_lost_and_nothing_else(offsets: set[int], start: int, length: int) -> None:
    end = min(start + length, len(TEXT))
    found = relocate(places(TEXT, offsets), TEXT[:start] + TEXT[end:])
    clear = {each for each in offsets if each + CONTEXT <= start or each - CONTEXT >= end}
    gone = {each for each in offsets if each - CONTEXT >= start and each + CONTEXT <= end}
    assert {each: found.offsets.get(each) for each in clear} == {
        each: each - (end - start) * (each >= end) for each in clear
    }
    assert {lost.offset: why for lost, why in found.lost if lost.offset in gone} == dict.fromkeys(gone, relocation.GONE)


@given(spots, st.lists(st.tuples(st.integers(0, len(TEXT)), st.sampled_from("xyz")), max_size=80), st.integers(0, 9))
def test_two_places_never_become_one(offsets: set[int], edits: list[tuple[int, str]], cut: int) -> None:
    text = TEXT
    for at, letter in edits:
        text = text[:at] + letter + text[at + 1 :]
    text = text[: len(text) // (cut + 1)] + text[len(text) // (cut + 1) + 40 * cut :]
    found = relocate(places(TEXT, offsets), text)
    assert len({*found.offsets.values()}) == len(found.offsets)
    assert {*found.offsets} | {lost.offset for lost, _ in found.lost} == offsets
    assert found.edited <= {*found.offsets}
    assert all(0 <= each <= len(text) for each in found.offsets.values())


def test_words_that_were_edited_are_found() -> None:
    old = "The kettle sings in the kitchen every morning.\n\nOutside, the garden waits for rain and for the gardener."
    new = "The kettle sings in our kitchen each morning.\n\nOutside, a garden waits for the rain and for its gardener."
    at = old.index("Outside")
    found = relocate([anchor(old, at)], prose(3, 400) + " " + new + " " + prose(4, 400))
    assert found.edited == {at}
    assert found.offsets[at] == len(prose(3, 400)) + 1 + new.index("Outside")


def test_other_space_between_is_no_matter() -> None:
    old = "The kettle sings in the kitchen every morning. Outside, the garden waits for rain and for the gardener."
    new = old.replace(". Outside", ".\n\n\nOutside")
    at = old.index("Outside")
    assert relocate([anchor(old, at)], new).offsets == {at: new.index("Outside")}


def test_what_is_put_in_at_the_place_itself_belongs_to_no_side() -> None:
    at = len(TEXT) // 2
    at += TEXT[at:].index(" ") + 1
    short, long = "Even so, ", "A whole new sentence that nobody has seen before. "
    assert relocate([anchor(TEXT, at)], TEXT[:at] + short + TEXT[at:]).offsets == {at: at}
    assert [why for _, why in relocate([anchor(TEXT, at)], TEXT[:at] + long + TEXT[at:]).lost] == [relocation.SPLIT]


def test_copies_are_told_apart_by_what_is_around_them() -> None:
    notice = "All rights are kept by the author. " * 6
    text = prose(5, 60) + notice + prose(6, 60) + notice + prose(7, 60)
    first = text.index(notice) + 100
    second = text.rindex(notice) + 100
    anchors = [30, len(prose(5, 60)) + len(notice) + 150, len(text) - 100]
    offsets = [first, second, *anchors]
    new = "A new beginning. " + text
    assert relocate(places(text, offsets), new).offsets == {each: each + 17 for each in sorted(offsets)}


def test_what_could_be_either_copy_is_lost() -> None:
    line = prose(8, 60)
    old = line
    at = 200
    new = f"{prose(9, 40)} {line} {prose(10, 12)} {line} {prose(11, 40)}"
    [(_, why)] = relocate([anchor(old, at)], new).lost
    assert why == relocation.AMBIGUOUS


def test_without_words_around_it_a_place_is_lost() -> None:
    found = relocate([Anchor(4, "", ""), Anchor(9, "", "")], "any text")
    assert [why for _, why in found.lost] == [relocation.BARE] * 2
    assert relocate([], "any text").offsets == {}
    assert [why for _, why in relocate([anchor(TEXT, 300)], "").lost] == [relocation.GONE]


def test_a_place_that_comes_twice_counts_once() -> None:
    assert relocate([anchor(TEXT, 50), anchor(TEXT, 50)], TEXT).offsets == {50: 50}


def test_shares_tell_whose_text_it_is() -> None:
    mine, other = places(TEXT, list(range(100, 2000, 200))), places(prose(12, 400), [100, 500])
    assert matching_shares([mine, other, []], TEXT) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("size", [1, 11, 12, 13, 16, 17, 160])
def test_runs_reach_both_ends(size: int) -> None:
    text = prose(13, 50)[:size]
    found = relocation._runs(text)
    assert all(text[start : start + len(run)] == run for start, run in found)
    assert (not found) == (size < 12)
    if found:
        assert found[0][0] == 0 and found[-1][0] + len(found[-1][1]) == size


def test_the_edited_one_of_two_copies_is_not_taken_for_the_other() -> None:
    block = (
        "The wheel turns once a minute and the bell rings twice an hour; nobody in the valley knows who built it. " * 2
    )
    text = f"{prose(14, 60)} {block}{prose(15, 200)} {block}{prose(16, 60)}"
    first, second = text.index("the bell"), text.rindex("nobody")
    offsets = [40, first, len(text) // 2, second, len(text) - 90]
    edited = text[: first + 20] + "thrice" + text[first + 26 :]
    found = relocate(places(text, offsets), edited)
    assert found.offsets == {offset: offset for offset in offsets}
    assert found.edited == {first}


def test_a_part_that_was_moved_is_found_where_it_went() -> None:
    parts = [prose(seed, 80) + "\n\n" for seed in (17, 18, 19, 20)]
    old, new = "".join(parts), "".join(parts[each] for each in (0, 2, 3, 1))
    offsets = [len(parts[0]) // 2, len(parts[0]) + 200, len(parts[0] + parts[1]) + 200, len(old) - 200]
    found = relocate(places(old, offsets), new).offsets
    assert [new[found[each] :][:40] for each in offsets] == [old[each:][:40] for each in offsets]
