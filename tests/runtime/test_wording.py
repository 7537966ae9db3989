from __future__ import annotations

import pytest

from chunking.runtime.wording import file_size, plural


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KiB"),
        (12_926, "12.6 KiB"),
        (3 * 2**20, "3.0 MiB"),
        (1500 * 2**30, "1,500.0 GiB"),
    ],
)
def test_sizes_in_words(number: int, words: str) -> None:
    assert file_size(number) == words


def test_a_number_has_its_noun() -> None:
    assert [plural(number, "sentence") for number in (0, 1, 1200)] == ["0 sentences", "1 sentence", "1,200 sentences"]
    assert plural(2, "boundary", "boundaries") == "2 boundaries"
