"""Where grapheme clusters may not be cut."""

import numpy as np
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from chunking.document import graphemes
from chunking.document.graphemes import between_clusters, cluster_starts, inside_clusters

_PARTS = "ab \r\n\u0301\u200d\u0600\u0d4e\u0915\u094d\u0e48\u1100\u1161\u11ab\uac00\ufe0f\U0001f468\U0001f3fb\U0001f1f3"
mixed = st.text(st.sampled_from(_PARTS) | st.characters(exclude_categories=["Cs"]), max_size=40)


@given(mixed)
@example("\n\u200d")
@example("\r\n\u200d")
def test_nothing_is_cut_inside_what_regex_takes_for_a_character(text: str) -> None:
    spans = [match.span() for match in regex.finditer(r"\X", text)]
    inside = inside_clusters(text)
    assert inside.tolist() == [offset for start, end in spans for offset in range(start + 1, end)]
    starts = [start for start, end in spans for _ in range(start, end)]
    assert cluster_starts(inside, np.arange(len(text))).tolist() == starts
    for start, end in spans:
        assert all(between_clusters(inside, start, stop) == end for stop in range(start + 1, end + 1))


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert inside_clusters("a\ud83d\ude00\ud83d").tolist() == [2]


def test_an_endless_cluster_is_divided() -> None:
    inside = inside_clusters("a" + "\u0301" * 1000)
    assert sorted(set(range(1, 1001)) - set(inside.tolist())) == list(range(graphemes.LONGEST, 1001, graphemes.LONGEST))
