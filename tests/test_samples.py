from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunking import samples, sentences
from chunking.reference import reference_gaps


@pytest.fixture(scope="module", params=samples.names())
def sample(request: pytest.FixtureRequest) -> samples.Sample:
    return samples.load(request.param)


def test_there_are_at_least_nine() -> None:
    assert len(samples.names()) >= 9


def test_a_sample_has_a_title_a_lesson_and_enough_sentences(sample: samples.Sample) -> None:
    assert sample.title
    assert sample.teaches
    assert sample.sentences is not None, "run make samples"
    assert 60 <= len(sample.sentences) <= 300


def test_gold_lies_where_a_sentence_or_a_line_begins(sample: samples.Sample) -> None:
    text, gold = sample.document.text, sample.boundaries
    assert list(gold) == sorted(set(gold))
    assert len(gold) >= 8
    for offset in gold:
        assert 0 < offset < len(text)
        assert not text[offset].isspace()
        assert text[offset - 1].isspace()


def test_every_gold_boundary_has_a_gap_of_its_own(sample: samples.Sample) -> None:
    units = sample.sentences
    assert units is not None
    offsets = sentences.gap_offsets(units)
    gaps = reference_gaps(sample.boundaries, offsets, units)
    assert len(gaps) == len(sample.boundaries)
    # A person's mark and the place of the cut may differ by a marker or an indentation, not by words.
    for gap, offset in zip(gaps.tolist(), sample.boundaries, strict=True):
        low, high = sorted((offset, int(offsets[gap])))
        assert not any(character.isalnum() for character in sample.document.text[low:high])


def test_shipped_sentences_are_those_of_the_splitter(sample: samples.Sample) -> None:
    units = sample.sentences
    assert units is not None
    fresh = sentences.split(sample.document)
    assert fresh.splitter == units.splitter
    assert np.array_equal(fresh.spans, units.spans)
    assert np.array_equal(fresh.block, units.block)


def test_sentences_of_another_text_are_not_used(tmp_path: Path) -> None:
    folder = tmp_path
    name = samples.names()[0]
    for path in samples.FOLDER.glob(f"{name}.*"):
        (folder / path.name).write_bytes(path.read_bytes())
    assert samples.load(name, folder).sentences is not None
    text = next(path for path in samples.FOLDER.glob(f"{name}.*") if path.suffix in (".md", ".txt"))
    (folder / text.name).write_text(text.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    assert samples.load(name, folder).sentences is None


def test_commands_name_the_folder_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(samples.FOLDER.parent)
    assert samples.folder_for_commands() == "sample_docs"
    monkeypatch.chdir(tmp_path)
    assert Path(samples.folder_for_commands()) == samples.FOLDER
