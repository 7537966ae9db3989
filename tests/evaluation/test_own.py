"""Data sets of laid-out documents with gold: they hold what was set, and strategies see what they always see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, evaluation, from_text, samples, strategies
from chunking.comparison import agreement
from chunking.embedding import MiniLM
from chunking.evaluation import SegmentationOptions, own
from chunking.evaluation.data import read
from chunking.reference import reference_gaps
from chunking.sentences import gap_offsets, split
from chunking.workspace import DocumentAnalysis, Models

TEXT = "# Tea\n\nTea wants water. It must boil.\n\n# Bread\n\nBread wants flour. It must rest.\n"
FEW = SegmentationOptions(tools=Models("char-ngrams"))


def marked(name: str, text: str, *words: str) -> own.MarkedDocument:
    """A Markdown document whose reference boundaries are where these words begin."""
    return own.marked(from_text(text, name=name, language="en"), [text.index(word) for word in words], "rules")


def test_units_are_sentences_and_boundaries_the_gaps_of_gold() -> None:
    found = own.data_set("Mine", [marked("b.md", TEXT, "# Bread"), marked("a.md", TEXT, "It must boil", "# Bread")])
    assert [each.id for each in found.documents] == ["a.md", "b.md"], "in the order of their names, as of a file"
    a, b = found.documents
    assert a.units == ("Tea", "Tea wants water.", "It must boil.", "Bread", "Bread wants flour.", "It must rest.")
    assert (a.reference.tolist(), b.reference.tolist()) == ([1, 2], [2])
    assert (a.language, a.line, a.group) == ("en", 0, None)


def test_formats_are_groups_where_there_are_several() -> None:
    plain = own.marked(from_text(TEXT, name="c.txt", format="text", language="en"), [TEXT.index("# Bread")], "rules")
    found = own.data_set("Mine", [marked("a.md", TEXT, "# Bread"), plain])
    assert {each.id: each.group for each in found.documents} == {"a.md": "Markdown", "c.txt": "Plain text"}


def test_a_document_without_a_gap_is_left_out_and_told() -> None:
    found = own.data_set("Mine", [marked("one.md", "Alone.\n"), marked("a.md", TEXT, "# Bread")])
    assert [(each.id, each.line) for each in found.left_out] == [("one.md", 0)]
    settings = evaluation.read_settings("heading", {})
    shown = evaluation.summarize(evaluation.evaluate(found, settings, FEW))
    assert any(note.startswith("one.md was left out: ") for note in shown.notes)


def test_what_is_no_set_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match=r"Two documents have the name 'a\.md'"):
        own.data_set("Mine", [marked("a.md", TEXT, "# Bread"), marked("a.md", TEXT, "# Bread")])
    for nothing in ([], [marked("one.md", "Alone.\n")]):
        with pytest.raises(ChunkscopeError, match="No document"):
            own.data_set("Mine", nothing)


def test_strategies_see_the_layout_and_without_it_the_sentences_alone() -> None:
    data = own.data_set("Mine", [marked("a.md", TEXT, "# Bread")])
    settings = evaluation.read_settings("heading", {})
    with_layout = evaluation.evaluate(data, settings, FEW).rows[0]
    assert (with_layout.values["f1"].tolist(), with_layout.cuts.tolist()) == ([1.0], [1.0])
    alone = evaluation.evaluate(own.without_layout(data), settings, FEW).rows[0]
    assert (alone.values["f1"].tolist(), alone.cuts.tolist()) == ([0.0], [0.0])


def test_another_language_is_that_of_the_document_that_strategies_see() -> None:
    data = own.data_set("Mine", [marked("a.md", TEXT, "# Bread")])
    settings = evaluation.read_settings("heading", {})
    assert evaluation.evaluate(data, settings, FEW).languages == ("en",)
    assert evaluation.evaluate(data, settings, SegmentationOptions(tools=FEW.tools, language="ko")).languages == ("ko",)


def test_samples_need_no_model_and_score_as_on_the_other_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("no model is loaded")

    monkeypatch.setattr(MiniLM, "encode", refuse)
    data = own.of_samples()
    assert [each.id for each in data.documents] == samples.names()
    line = "structural,percentile:window=1"
    found = evaluation.evaluate(data, evaluation.read_settings(line, {}))
    for row, setting in zip(found.rows, strategies.parse_all(line), strict=False):
        for place, name in enumerate(samples.names()):
            sample = samples.load(name)
            workspace = DocumentAnalysis(sample.document)
            made = setting.before_limits.run(workspace)
            cuts = [chunk.cut.gap for chunk in made.chunks if chunk.cut and chunk.cut.gap is not None]
            true = reference_gaps(sample.boundaries, workspace.offsets, workspace.sentences)
            wanted = agreement.boundary_f1(true, np.array(cuts, dtype=np.int64))
            assert row.values["f1"][place] == pytest.approx(wanted)


def test_each_document_gets_the_vectors_of_its_own_language() -> None:
    korean = own.marked(from_text(KOREAN, name="b.md", language="ko"), (KOREAN.index("# 빵"),), "rules")
    given = [marked("a.md", TEXT, "# Bread"), korean, marked("c.md", TEXT.replace("rest", "rise"), "# Bread")]
    settings = evaluation.read_settings("structural", {})
    mixed = evaluation.evaluate(own.data_set("Mine", given), settings)
    single = [evaluation.evaluate(own.data_set("Mine", [each]), settings) for each in given]
    assert mixed.rows[0].cuts.tolist() == [each.rows[0].cuts[0] for each in single]
    assert mixed.embedded == sum(each.embedded for each in single)
    assert evaluation.summarize(mixed).encoder == "char-ngrams, static"
    assert [evaluation.summarize(each).encoder for each in single] == ["static", "char-ngrams", "static"]


KOREAN = "# 밀물\n\n물은 하루에 두 번 오른다. 배는 기다린다.\n\n# 빵\n\n반죽을 한다. 그리고 굽는다.\n"


WORDS = st.text(max_size=8)


@given(
    st.lists(st.lists(WORDS, min_size=2, max_size=6).map("\n\n".join), min_size=1, max_size=3),
    st.lists(st.integers(0, 60), max_size=4),
)
def test_the_file_of_a_set_holds_its_sentences_and_boundaries(texts: list[str], offsets: list[int]) -> None:
    documents = [from_text(text, name=f"{place}.txt", language="en") for place, text in enumerate(texts)]
    units = [split(document, "rules") for document in documents]
    given = [own.MarkedDocument(each.document.name, each, tuple(offsets)) for each in units]
    if not any(len(each) > 1 for each in units):
        return
    data = own.data_set("Mine", given)
    again = read(own.jsonl(data).encode("utf-8"), "mine.jsonl")
    assert [each.id for each in again.documents] == [each.id for each in data.documents]
    several = [each for each in units if len(each) > 1]
    for one, other, known in zip(data.documents, again.documents, several, strict=True):
        assert one.units == other.units == known.texts
        assert one.reference.tolist() == other.reference.tolist()
        assert one.reference.tolist() == reference_gaps(offsets, gap_offsets(known), known).tolist()
        assert other.language == "en"


def test_what_utf_8_cannot_hold_does_not_keep_a_set_from_its_file() -> None:
    data = own.data_set("Mine", [marked("a\ud800.md", TEXT, "# Bread")])
    assert [each.id for each in own.without_layout(data).documents] == ["a\ufffd.md"]


def test_the_key_of_a_set_tells_what_it_holds() -> None:
    def key(name: str = "Mine", text: str = TEXT, word: str = "# Bread", layout: bool = True) -> str:
        data = own.data_set(name, [marked("a.md", text, word)])
        return (data if layout else own.without_layout(data)).key

    assert key() == key()
    others = [key("Yours"), key(text=TEXT.replace("boil", "foam")), key(word="It must boil"), key(layout=False)]
    assert len({key(), *others}) == 5


@pytest.mark.parametrize("mine", [False, True])
def test_the_program_evaluates_the_same(root: Path, tmp_path: Path, mine: bool) -> None:
    settings = evaluation.read_settings("heading,recursive:size=200", {})
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    boundaries = {"a.md": [TEXT.index("# Bread")]} if mine else None
    out = subprocess.run(
        [sys.executable, "-c", own.code(boundaries, settings, FEW)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    data = own.data_set("My documents", [marked("a.md", TEXT, "# Bread")]) if mine else own.of_samples()
    shown = evaluation.summarize(evaluation.evaluate(data, settings, FEW))
    table = out[out.index("strategy") : out.index("Paired differences")]
    printed = {line.split()[0]: line.split()[1] for line in table.splitlines() if line.strip()}
    for name in settings:
        assert printed[name] == f"{100 * (shown.strategies[name].measures['f1'].mean or 0):.1f}"
