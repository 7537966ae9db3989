"""Any bytes under any name: a document that keeps its promises, or an error for people, in good time."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, MAX_BYTES, MAX_FILE_BYTES, clean_name, format_of, load
from tests.examples import examples
from tests.fuzz import mutate, seeds, target

SUFFIXES = [suffix for format in FORMATS.values() for suffix in format.suffixes]
BINARY = [name for name, format in FORMATS.items() if format.kind == "binary"]
HEADS = (
    b"",
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"\x89PNG\r\n",
    b"<!DOCTYPE html>",
    b"{",
    b"---\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"#!",
)
BYTES = st.builds(bytes.__add__, st.sampled_from(HEADS), st.binary(max_size=400))
PARTS = (
    "..",
    ".",
    "",
    "/",
    "\\",
    "C:",
    "~",
    "\0",
    "\n",
    "\r\t",
    "\u202e",
    "\u2066",
    "\ud800",
    "<b>",
    "%2e",
    "a",
    "é",
    "|",
    "*",
)
SEEDS = st.integers(0, 2**32)
NAMES = st.lists(st.sampled_from(PARTS) | st.text(max_size=6), max_size=12).map("/".join) | st.text(max_size=300)


def survives(data: bytes, name: str) -> None:
    """Load through the front door, so a binary format in a process of its own."""
    try:
        document = load(data, name)
    except ChunkscopeError as error:
        assert error.problem and error.remedy
    else:
        target.check(document)


def fails(data: bytes, name: str) -> str:
    """What goes wrong without a process of its own; empty where nothing does."""
    outcome = target.run(data, name)
    return outcome.failure and outcome.detail


@given(BYTES, st.sampled_from(SUFFIXES))
@settings(max_examples=examples(300))
def test_any_bytes_with_any_suffix(data: bytes, suffix: str) -> None:
    assert not fails(data, f"a{suffix}")


@pytest.mark.parametrize("format", FORMATS)
@given(SEEDS)
@settings(max_examples=examples(20, quick=5))
def test_changed_files_of_every_format(format: str, seed: int) -> None:
    known, chance = seeds.seeds(format), Random(seed)
    original = chance.choice(known)
    if format not in BINARY:
        original = original[:4000]
    data = mutate.changed(original, format, known, chance)
    data = data if format in BINARY else data[:20_000]
    assert not fails(data, f"a{chance.choice(seeds.suffixes(format))}")


@pytest.mark.parametrize("format", BINARY)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.extended)])
def test_changed_files_through_the_process(format: str, seed: int) -> None:
    known, chance = seeds.seeds(format), Random(seed)
    survives(mutate.changed(chance.choice(known), format, known, chance), f"a{seeds.suffixes(format)[0]}")


@pytest.mark.parametrize("format", FORMATS)
def test_every_first_file_is_of_its_format(format: str) -> None:
    """What is changed are files that load, or nothing would be tried in earnest."""
    for data in seeds.seeds(format):
        document = target.loaded(data, f"a{seeds.suffixes(format)[0]}")
        assert document.format == format
        assert document.blocks
        target.check(document)


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_file_of_every_format(format: str) -> None:
    for data in (b"", b"\0", b" \n", b"\xff"):
        survives(data, f"a{seeds.suffixes(format)[0]}")


@given(NAMES)
def test_names_lead_nowhere_and_show_nothing_odd(name: str) -> None:
    shown = clean_name(name)
    assert shown and len(shown) <= 120
    assert not any(part in ("", ".", "..") for part in shown.split("/"))
    assert "\\" not in shown
    assert shown.isprintable() or not any(ord(char) < 32 or char in "\u202e\u2066\ud800" for char in shown)
    assert clean_name(shown) == shown


@given(NAMES, st.sampled_from(SUFFIXES))
@settings(max_examples=60)
def test_a_name_changes_nothing_but_the_format(name: str, suffix: str) -> None:
    assert not fails(b"Boil water. Wait.", name + suffix)
    assert format_of(b"%PDF-1.7", name + suffix).name == "pdf"


@pytest.mark.parametrize("format", FORMATS)
def test_files_over_the_limit_are_refused(format: str) -> None:
    most = MAX_FILE_BYTES if FORMATS[format].kind == "binary" else MAX_BYTES
    with pytest.raises(ChunkscopeError, match="MiB|MB|large"):
        load(b"a" * (most + 1), f"a{seeds.suffixes(format)[0]}")
