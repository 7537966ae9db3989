"""Rules: which are broken where, what fails, and which places of files are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking import ChunkscopeError, from_text, strategies
from chunking.checks import KINDS, RULES, Limits, rules
from chunking.checks.places import FilePlace, FilePlaces
from chunking.checks.rules import chosen_rules, failing_rules, violations
from chunking.chunks import TokenCounts
from chunking.loading import load
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis
from tests.checks.test_checks import BOAT, LIST, PIER, TABLE, cut

CODE = "```\nfirst()\n\nsecond()\n```\n"


def broken(made: tuple[Segmentation, DocumentAnalysis], **options: Limits) -> list[tuple[str, int, int]]:
    return [(each.rule.name, each.chunk, each.offset) for each in violations(*made, **options).violations]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "at", "rule"),
    [
        (f"{PIER}\n\n{TABLE}", "| west", "cut-table"),
        (f"{PIER}\n\n{CODE}", "second", "cut-code"),
        (f"{PIER}\n\n{LIST}", "amps", "cut-list-item"),
        (f"{PIER}\n\n{LIST}", "- oil", "cut-list"),
        (f"{PIER} {BOAT}\n", "brings", "cut-sentence"),
        (f"{PIER}\n\n# Boats\n\n{BOAT}\n", "A boat", "split-heading"),
        (f"{PIER} But a boat brings oil.\n", "But", "missing-context"),
    ],
)
def test_a_cut_breaks_its_rule_at_its_place(text: str, at: str, rule: str) -> None:
    place = text.index(at)
    assert (rule, 1, place) in [(name, max(chunk, 1), offset) for name, chunk, offset in broken(cut(text, place))]


def test_a_cut_between_paragraphs_breaks_no_rule() -> None:
    text = f"# Light\n\n{PIER}\n\n# Boats\n\n{BOAT}\n"
    assert broken(cut(text, text.index("# Boats"))) == []


def test_a_cut_inside_a_sentence_is_one_violation() -> None:
    text = f"{PIER} {BOAT}\n"
    found = [each for each in broken(cut(text, text.index("brings"))) if each[0] == "cut-sentence"]
    assert found == [("cut-sentence", 0, text.index("brings"))]


@pytest.mark.parametrize(
    ("text", "at", "whole"),
    [
        (f"{PIER}\n\n{TABLE}", "| west", "table"),
        (f"{PIER}\n\n{CODE}", "second", "block of code"),
        (f"{PIER}\n\n{LIST}", "amps", "sentence"),
        (f"{PIER} {BOAT}\n", "brings", "sentence"),
    ],
)
def test_a_cut_in_what_alone_exceeds_the_maximum_is_no_fault(text: str, at: str, whole: str) -> None:
    made, workspace = cut(text, text.index(at))
    for maximum, is_error in ((400, True), (1, False)):
        limited = replace(made, params=strategies.parse(f"whole:max_tokens={maximum}").params)
        report = violations(limited, workspace)
        place = [
            each
            for each in report.violations
            if each.offset == text.index(at) and each.rule.name.startswith(("cut", "un"))
        ]
        assert {each.rule.level == "error" for each in place} == {is_error}
        if not is_error:
            assert f"the {whole} alone has" in "".join(each.message for each in place)


def test_an_overlap_that_holds_the_heading_keeps_it_with_its_text() -> None:
    text = f"{PIER}\n\n# Boats\n\n{BOAT}\n"
    assert "split-heading" not in [name for name, *_ in broken(cut(text, text.index("A boat"), overlap=9))]


def test_limits_are_those_that_are_given_or_those_of_the_setting() -> None:
    text = f"{PIER}\n\n{BOAT}\n"
    made = cut(text, text.index("A boat"))
    assert broken(made) == []
    assert broken(made, limits=Limits(maximum=49)) == [
        ("over-maximum", 0, 0),
        ("over-maximum", 1, text.index("A boat")),
    ]
    assert broken(made, limits=Limits(minimum=51))[0] == ("under-minimum", 0, 0)
    assert broken(made, limits=Limits(maximum=50, minimum=50)) == []
    for line in ("sentence:max_tokens=40;min_tokens=0;overlap=0", "markdown:size=40"):
        own = (replace(made[0], params=strategies.parse(line).params), made[1])
        assert [name for name, *_ in broken(own)] == ["over-maximum", "over-maximum"]
    assert broken(own, limits=Limits(maximum=0)) == []
    with pytest.raises(ChunkscopeError, match="no number of tokens"):
        Limits(maximum=-1)


def test_what_contains_other_chunks_has_no_limit() -> None:
    text = f"{PIER}\n\n{BOAT}\n"
    segmentation, workspace = cut(text, text.index("A boat"))
    parent = replace(segmentation.chunks[0], end=len(text), text=text, counts=TokenCounts((100, 0, 100)))
    parts = [replace(chunk, index=chunk.index + 1, parent=0) for chunk in segmentation.chunks]
    nested = replace(segmentation, chunks=(parent, *parts))
    found = violations(nested, workspace, chosen_rules(["over-maximum"]), Limits(maximum=60))
    assert found.violations == ()


def test_every_cause_has_a_rule_and_every_rule_a_kind_or_limit() -> None:
    assert {kind for rule in RULES.values() for kind in rule.kinds} == {*KINDS}
    assert [name for name, rule in RULES.items() if not rule.kinds] == [rules.OVER, rules.UNDER]
    levels = [rules.LEVELS.index(rule.level) for rule in RULES.values()]
    assert levels == sorted(levels, reverse=True)


def test_conditions_are_rules_or_levels_and_above() -> None:
    assert failing_rules([]) == frozenset()
    assert failing_rules(["note"]) == set(RULES)
    errors = {name for name, rule in RULES.items() if rule.level == "error"}
    assert failing_rules(["error"]) == errors
    assert failing_rules(["error", "duplicate"]) == errors | {"duplicate"}
    assert failing_rules(["warning"]) == {name for name, rule in RULES.items() if rule.level != "note"}
    with pytest.raises(
        ChunkscopeError, match=r"Unknown condition 'fatal'\. Choose one of: note, warning, error, cut-t"
    ):
        failing_rules(["fatal"])
    with pytest.raises(ChunkscopeError, match=r"Unknown rule 'error'\. Choose one of: cut-table"):
        chosen_rules(["error"])


def test_only_the_rules_that_need_it_load_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    segmentation, workspace = cut(f"{PIER}\n\n{TABLE}", len(PIER) + 30)
    monkeypatch.setattr(DocumentAnalysis, "encoder", property(lambda _: pytest.fail("the encoder was loaded")))
    needless = [name for name in RULES if name not in ("mixed-topics", "over-encoder-limit")]
    assert violations(segmentation, workspace, chosen_rules(needless)).violations


def test_a_rule_that_could_not_be_looked_at_is_named() -> None:
    report = violations(*cut(f"{PIER}\n\n{BOAT}\n", len(PIER) + 2))
    assert dict(report.unseen) == {"mixed-topics": "fewer than 4 cuts between sentences to compare with"}


# --- places --------------------------------------------------------------------------------------------------------


def test_lines_end_as_editors_end_them() -> None:
    document = from_text("a\r\nb\rc\n\nd🙂e", "note.txt", "text")
    places = [FilePlaces(document).at(document.text.index(letter)) for letter in "abcde"]
    assert [(place.line, place.column) for place in places] == [(1, 1), (2, 1), (3, 1), (5, 1), (5, 3)]
    assert str(places[4]) == "5:3"


def test_a_place_of_a_page_is_one_in_its_source() -> None:
    source = "<html><body>\n<h1>Tea &amp; bread</h1>\n  <p>Boil the water.</p></body></html>"
    document = load(source.encode(), "page.html")
    place = FilePlaces(document).at(document.text.index("Boil"))
    assert (place.line, place.column, place.part) == (3, 6, "")
    added = FilePlaces(document).at(document.text.index("Boil") - 1)
    assert added == place, "the blank line before it is not in the source"
    assert FilePlaces(document).at(len(document.text)).line == 3


def test_a_place_of_a_notebook_is_in_a_cell() -> None:
    cell = '{"cell_type": "markdown", "metadata": {}, "source": ["# Tea\\n", "Boil."]}'
    data = f'{{"cells": [{cell}, {cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
    document = load(data.encode(), "tea.ipynb")
    place = FilePlaces(document).at(document.text.rindex("Boil"))
    assert str(place) == "cell 2:2:1"


def test_a_document_without_text_has_no_lines_but_the_first() -> None:
    assert FilePlaces(from_text("")).at(0) == FilePlace(1, 1)
    assert str(FilePlaces(load(b"<html></html>", "empty.html")).at(0)) == ""
