from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.signals import change_points
from chunking.signals.change_points import SegmentCosts
from chunking.tokens import SpanTokens, get_tokenizer
from tests.vectors import topic_gaps, topics, unit


def scatter(vectors: np.ndarray, first: int, last: int) -> float:
    """The plain definition: squared distances from the mean, added."""
    part = vectors[first:last].astype(np.float64)
    return float(((part - part.mean(axis=0)) ** 2).sum())


def divisions(vectors: np.ndarray, penalties: np.ndarray, window: int) -> dict[tuple[int, ...], float]:
    """Every division with parts of up to ``window`` vectors, and what it costs."""
    n, found = len(vectors), {}
    for number in range(n):
        for cuts in combinations(range(n - 1), number):
            bounds = [0, *(cut + 1 for cut in cuts), n]
            spans = list(pairwise(bounds))
            if max(last - first for first, last in spans) <= window:
                found[cuts] = sum(scatter(vectors, *span) for span in spans) + sum(penalties[list(cuts)])
    return found


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    n = draw(st.integers(2, 8))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    vectors = random.standard_normal((n, 3)).astype(np.float32)
    penalties = random.random(n - 1) * draw(st.sampled_from((0.5, 2.0, 6.0))) - draw(st.sampled_from((0.0, 0.4)))
    return vectors, penalties, draw(st.integers(2, n))


@given(problems())
def test_the_division_is_the_cheapest_of_all(problem: tuple[np.ndarray, np.ndarray, int]) -> None:
    vectors, penalties, window = problem
    every = divisions(vectors, penalties, window)
    best = min(every, key=lambda cuts: every[cuts])
    found = change_points.divide(change_points.segment_costs(vectors, window), penalties)
    assert every[tuple(found.tolist())] == pytest.approx(every[best], abs=1e-4)


@given(problems())
def test_gains_are_what_it_costs_to_decide_otherwise(problem: tuple[np.ndarray, np.ndarray, int]) -> None:
    vectors, penalties, window = problem
    every = divisions(vectors, penalties, window)
    cuts, gains = change_points.gains(change_points.segment_costs(vectors, window), penalties)
    for gap, gain in enumerate(gains.tolist()):
        cut = min(cost for gaps, cost in every.items() if gap in gaps)
        whole = min((cost for gaps, cost in every.items() if gap not in gaps), default=np.inf)
        assert gain == pytest.approx(whole - cut, abs=1e-4)
        if abs(gain) > 1e-4:
            assert (gain > 0) == (gap in cuts)
    assert every[tuple(cuts.tolist())] == pytest.approx(min(every.values()), abs=1e-4)


@given(problems(), st.integers(1, 6), st.integers(6, 20))
def test_limits_are_kept_inside(problem: tuple[np.ndarray, np.ndarray, int], minimum: int, maximum: int) -> None:
    """With limits it is the cheapest of the divisions that keep them, and short of that the fewest small parts."""
    vectors, penalties, _ = problem
    n = len(vectors)
    words = ["one two three four five six seven"[: 4 + 5 * (place % 6)] + ". " for place in range(n)]
    text, counter = "".join(words), get_tokenizer()
    ends = np.concatenate(([0], np.cumsum([len(word) for word in words])))
    tokens = SpanTokens(text, ends, counter)
    limited = change_points.segment_costs(vectors, n).within(tokens, minimum, np.full(n, maximum or 1 << 40), 1000.0)
    found = change_points.divide(limited, penalties)

    def cost(cuts: tuple[int, ...], scattered: float) -> float:
        bounds = [0, *(cut + 1 for cut in cuts), n]
        sizes: list[int] = [counter.count([text[ends[a] : ends[b]]])[0] for a, b in pairwise(bounds)]
        lengths = np.diff(bounds)
        if any(size > maximum and length > 1 for size, length in zip(sizes, lengths, strict=True)):
            return float("inf")
        small = sum(size < minimum for size in sizes)
        return scattered + 1000.0 * small

    every = {cuts: cost(cuts, known) for cuts, known in divisions(vectors, penalties, n).items()}
    assert every[tuple(found.tolist())] == pytest.approx(min(every.values()), abs=1e-2)


@pytest.mark.parametrize("n", [1, 255, 256, 257, 600])
def test_scatter_is_its_definition_across_slabs(n: int) -> None:
    vectors = np.random.default_rng(n).standard_normal((n, 5)).astype(np.float32) + 3
    known = change_points.segment_costs(vectors, min(n, 300))
    random = np.random.default_rng(1)
    for _ in range(60):
        end = int(random.integers(n))
        column = int(random.integers(known.window))
        begin = end + 1 - known.window + column
        expected = scatter(vectors, begin, end + 1) if begin >= 0 else np.inf
        assert known.scatter[end, column] == pytest.approx(expected, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("sizes", [[5, 9, 4, 12, 7], [40, 3, 80], [1, 6, 1, 6]])
def test_planted_topics_are_found(sizes: list[int]) -> None:
    vectors, cuts = topics(sizes, noise=0.6), topic_gaps(sizes)
    known = change_points.segment_costs(vectors)
    none = np.zeros(len(vectors) - 1)
    penalty = change_points.penalty_for(known, none, len(cuts))
    assert change_points.divide(known, penalty - none).tolist() == cuts


@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_cuts_grow_fewer_with_the_penalty(seed: int, n: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((n, 4))
    known = change_points.segment_costs(vectors)
    counts = [len(change_points.divide(known, np.full(n - 1, penalty))) for penalty in np.linspace(-0.5, 20, 25)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == n - 1
    credit = np.random.default_rng(seed + 1).random(n - 1)
    for wanted in {0, 1, n // 2, n - 1}:
        penalty = change_points.penalty_for(known, credit, wanted)
        least = len(change_points.divide(known, penalty - credit))
        above = len(change_points.divide(known, penalty + 1e-3 - credit))
        assert least >= wanted and (least == wanted or above <= wanted)


@given(problems(), st.integers(0, 7))
def test_thinned_cuts_are_so_many_and_some_of_them(problem: tuple[np.ndarray, np.ndarray, int], wanted: int) -> None:
    vectors, penalties, _ = problem
    known = change_points.segment_costs(vectors, len(vectors))
    every = np.arange(len(penalties))
    found = change_points.thin(known, penalties, every, wanted)
    assert len(found) == min(wanted, len(every)) and set(found.tolist()) <= set(every.tolist())
    if wanted == len(every) - 1:
        costs = divisions(vectors, penalties, len(vectors))
        least = min(cost for cuts, cost in costs.items() if len(cuts) == wanted)
        assert costs[tuple(found.tolist())] == pytest.approx(least, abs=1e-4)


def test_equal_cuts_are_thinned_evenly_and_in_little_time() -> None:
    """Removing one after the other of many equal cuts looks at each a few times, not at all for each."""
    n = 4_096
    known = change_points.segment_costs(np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (n, 1)))
    found = change_points.thin(known, np.full(n - 1, 0.5), np.arange(n - 1), n // 16 - 1)
    assert len(found) == n // 16 - 1
    lengths = np.diff(np.concatenate(([-1], found, [n - 1])))
    assert lengths.min() >= 8 and lengths.max() <= 32


def test_a_window_keeps_the_cuts_it_needs() -> None:
    vectors = np.random.default_rng(4).standard_normal((60, 6))
    known, none = change_points.segment_costs(vectors, 10), np.zeros(59)
    penalty = change_points.penalty_for(known, none, 1)
    assert penalty < 1000, "no penalty without an end"
    cuts = change_points.divide(known, penalty - none)
    assert len(cuts) == 5
    assert change_points.thin(known, penalty - none, cuts, 1).tolist() == cuts.tolist()


def test_equal_vectors_are_never_parted() -> None:
    vectors = np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (50, 1))
    known = change_points.segment_costs(change_points.normalize(vectors))
    cuts, gains = change_points.gains(known, np.full(49, 0.5))
    assert not len(cuts)
    assert gains == pytest.approx(np.full(49, -0.5), abs=1e-6)


def test_none_and_one() -> None:
    for n in (0, 1):
        known = change_points.segment_costs(change_points.normalize(np.ones((n, 3), dtype=np.float32)))
        assert not len(change_points.divide(known, np.zeros(0)))
        cuts, gains = change_points.gains(known, np.zeros(0))
        assert not len(cuts) and not len(gains)


def test_prepared_vectors_have_length_one_on_average_and_no_common_part() -> None:
    vectors = np.random.default_rng(2).standard_normal((30, 8)).astype(np.float32) + 4
    found = change_points.normalize(unit(vectors))
    assert np.square(found).sum(axis=1).mean() == pytest.approx(1)
    before = unit(vectors)
    assert np.linalg.norm(found.mean(axis=0)) < 0.8 * np.linalg.norm(before.mean(axis=0))
    given_vectors = np.eye(3, dtype=np.float32)
    change_points.normalize(given_vectors)
    assert np.array_equal(given_vectors, np.eye(3)), "what is given stays as it is"


def test_work_and_memory_grow_with_the_length_and_not_its_square() -> None:
    sizes = [100, 2_048, 10_000, 100_000, 1_000_000]
    cells = [n * change_points.window_for(n) for n in sizes]
    assert cells[0] == 100**2 and cells[1] == 2_048**2, "all parts are looked at"
    assert cells[2] <= 2**22
    assert [count // n for count, n in zip(cells[3:], sizes[3:], strict=True)] == [256, 256]


def test_the_scatter_of_nothing_is_level() -> None:
    known = change_points.segment_costs(np.random.default_rng(0).standard_normal((6, 2)), 4)
    level = known.without_scatter()
    assert isinstance(level, SegmentCosts)
    assert np.array_equal(np.isfinite(level.scatter), np.isfinite(known.scatter))
    assert not level.scatter[np.isfinite(level.scatter)].any()


def test_means_of_parts_are_of_length_one() -> None:
    vectors = np.array([[3.0, 0.0], [1.0, 4.0], [0.0, 2.0], [1.0, 0.0], [-1.0, 0.0]])
    found = change_points.means(vectors, np.array([1, 2]))
    assert found == pytest.approx(np.array([[2**-0.5, 2**-0.5], [0.0, 1.0], [0.0, 0.0]]))
    assert change_points.means(vectors, np.zeros(0, dtype=np.int64)).shape == (1, 2)
