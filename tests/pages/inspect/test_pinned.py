from __future__ import annotations

import re

import numpy as np
import pytest

from chunking import from_text, samples, strategies
from chunking.comparison.report import entry
from chunking.runtime.arrays import Int64
from chunking.workspace import DocumentAnalysis, Models
from pages.shared.inspect import pinned
from pages.shared.inspect.pinned import Pinned


@pytest.fixture(scope="module")
def workspace() -> DocumentAnalysis:
    sample = samples.load("on-walking-to-work")
    return DocumentAnalysis(sample.document)


def pair(workspace: DocumentAnalysis, shown: str, other: str) -> Pinned:
    first, second = strategies.parse(shown), strategies.parse(other)
    entries = [entry(each, each.run(workspace)) for each in (first, second)]
    return Pinned(first, second, workspace, *entries)


def numbers(html: str) -> list[int]:
    return [int(found) for found in re.findall(r"<b>(\d+)</b>", html)]


@pytest.mark.parametrize("other", ["structural", "structural:alpha=0.9;percentile=70.0", "changepoint", "recursive"])
def test_every_boundary_is_in_both_settings_or_in_one(workspace: DocumentAnalysis, other: str) -> None:
    found = pair(workspace, "structural", other)
    text = workspace.document.text

    def letters(offsets: Int64) -> list[int]:
        """Letters before each place: two places between which there is only space are one."""
        return [len("".join(text[:offset].split())) for offset in offsets.tolist()]

    shown, kept = set(letters(found.shown_entry.offsets)), set(letters(found.entry.offsets))
    assert numbers(pinned.figures(found))[:3] == [len(shown & kept), len(shown - kept), len(kept - shown)]
    gaps = {place: gap for gap, place in enumerate(letters(workspace.offsets))}
    assert found.boundaries.tolist() == sorted(gaps[offset] for offset in kept if offset in gaps)
    assert found.differing.tolist() == sorted(gaps[offset] for offset in shown ^ kept if offset in gaps)


def test_the_words_name_both_values_of_each_parameter_that_differs(workspace: DocumentAnalysis) -> None:
    words = pinned.settings_words(pair(workspace, "structural:alpha=0.8", "structural:overlap=2"))
    assert "α <b>0.8</b> shown, <b>0.5</b> pinned" in words
    assert "Overlap <b>0</b> shown, <b>2</b> pinned" in words and words.count("shown,") == 2
    assert "as shown" in pinned.settings_words(pair(workspace, "structural", "structural"))
    other = pinned.settings_words(pair(workspace, "structural", "recursive"))
    assert strategies.get("recursive").title in other and strategies.get("structural").title in other


def test_a_gap_is_judged_by_both_settings(workspace: DocumentAnalysis) -> None:
    found = pair(workspace, "structural", "structural:percentile=70.0")
    cut, uncut = int(found.boundaries[0]), int(np.setdiff1d(np.arange(len(workspace.offsets)), found.boundaries)[0])
    assert re.search(r"<b>cut</b>, 0\.\d{3} &gt; 0\.\d{3}", pinned.verdict(found, cut))
    assert re.search(r"<b>not cut</b>, 0\.\d{3} ≤ 0\.\d{3}", pinned.verdict(found, uncut))
    recursive = pair(workspace, "structural", "recursive")
    assert "<b>cut</b>, a separator" in pinned.verdict(recursive, int(recursive.boundaries[0]))


def test_cuts_inside_a_sentence_are_counted_and_are_at_no_gap() -> None:
    document = from_text("Short one. " + "word " * 200 + "end. Last one.", name="long.txt")
    found = pair(DocumentAnalysis(document, Models("char-ngrams")), "structural", "structural:max_tokens=30")
    inside = set(found.entry.offsets.tolist()) - set(found.workspace.offsets.tolist())
    assert inside and f"<b>{len(inside)}</b><span>of these inside sentences" in pinned.figures(found)
    assert len(found.curves.boundaries) == len(found.entry.offsets) - len(inside)


@pytest.mark.parametrize("text", ["", "One sentence only."])
def test_a_document_without_gaps_has_nothing_to_compare(text: str) -> None:
    found = pair(DocumentAnalysis(from_text(text, name="small.txt"), Models("char-ngrams")), "structural", "recursive")
    assert numbers(pinned.figures(found))[:3] == [0, 0, 0] and len(found.curves.boundaries) == 0


def test_a_gradient_has_no_threshold_on_the_axis_of_distances(workspace: DocumentAnalysis) -> None:
    assert np.isnan(pair(workspace, "structural", "gradient").curves.threshold)
    assert pair(workspace, "structural", "recursive").curves.fused is None
