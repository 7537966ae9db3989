"""Reports of checks: what code hosts and build servers read of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.checks import RULES, violations
from chunking.checks.places import FilePlace, FilePlaces
from chunking.checks.reports import FORMATS, CheckedDocument, CheckRun
from chunking.checks.rules import failing_rules
from tests.checks.test_checks import BOAT, LIST, PIER, TABLE, cut

sarif_model = pytest.importorskip("pydantic_sarif.model", reason="needs requirements-dev.txt")
TEXT = f"# Light\n\n{PIER}\n\n{TABLE}\n{LIST}\n{BOAT}\n"


def checked(path: str, text: str = TEXT, *words: str) -> CheckedDocument:
    segmentation, workspace = cut(text, *sorted(text.index(word) for word in words or ("| west", "amps")))
    report = violations(segmentation, workspace)
    places = FilePlaces(workspace.document)
    found = tuple((each, places.at(each.offset)) for each in report.violations)
    return CheckedDocument(path, found, report.findings, report.unseen)


@pytest.fixture
def run() -> CheckRun:
    clean = checked("docs/clean note.md", f"# Light\n\n{PIER}\n\n# Boats\n\n{BOAT}\n", "# Boats")
    return CheckRun((checked("docs/light.md"), clean), tuple(RULES.values()), failing_rules(["error"]))


def log_of(run: CheckRun) -> dict[str, Any]:
    text = FORMATS["sarif"](run)
    # The model is made from the schema of the standard and takes no field that is not in it.
    sarif_model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(text)
    found: dict[str, Any] = json.loads(text)
    return found


def test_sarif_is_valid_and_has_a_result_for_each_violation(run: CheckRun) -> None:
    log = log_of(run)
    (only,) = log["runs"]
    assert (log["version"], only["tool"]["driver"]["name"]) == ("2.1.0", "Chunkscope")
    names = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    assert names == list(RULES)
    assert [each["location"]["uri"] for each in only["artifacts"]] == ["docs/light.md", "docs/clean%20note.md"]
    found = run.documents[0].violations
    assert len(only["results"]) == len(found) > 3
    for result, (each, place) in zip(only["results"], found, strict=True):
        assert (result["ruleId"], names[result["ruleIndex"]], result["level"]) == (
            each.rule.name,
            each.rule.name,
            each.rule.level,
        )
        where = result["locations"][0]["physicalLocation"]
        assert where["region"] == {"startLine": place.line, "startColumn": place.column}
        assert where["artifactLocation"] == {"uri": "docs/light.md", "index": 0}
        assert each.message in result["message"]["text"].replace("\\", "")


def test_an_address_outside_the_folder_is_whole(run: CheckRun) -> None:
    moved = replace(run, documents=(replace(run.documents[0], path="/docs/a b.md"),))
    assert log_of(moved)["runs"][0]["artifacts"][0]["location"]["uri"] == "file:///docs/a%20b.md"


def test_a_word_of_a_document_makes_no_link_in_sarif() -> None:
    text = f"{PIER} But [click](https://example.invalid) brings oil.\n"
    run = CheckRun((checked("a.md", text, "But"),), tuple(RULES.values()), frozenset())
    messages = [result["message"]["text"] for result in log_of(run)["runs"][0]["results"]]
    (shown,) = [message for message in messages if "click" in message]
    assert "\\[click\\](" in shown


def test_a_place_without_a_line_has_no_region(run: CheckRun) -> None:
    found = tuple((each, FilePlace(part="page 2")) for each, _ in run.documents[0].violations)
    pdf = replace(run, documents=(replace(run.documents[0], path="a.pdf", violations=found),))
    for result in log_of(pdf)["runs"][0]["results"]:
        assert "region" not in result["locations"][0]["physicalLocation"]
        assert "(page 2)" in result["message"]["text"]
    assert FORMATS["text"](pdf).startswith("a.pdf:page 2: ")


def test_junit_has_a_test_for_each_rule_and_document(run: CheckRun) -> None:
    suites = ElementTree.fromstring(FORMATS["junit"](run))
    assert [suite.get("name") for suite in suites] == ["docs/light.md", "docs/clean note.md"]
    for suite in suites:
        assert [case.get("name") for case in suite] == list(RULES)
        assert suite.get("tests") == str(len(RULES))
        for name, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
    broken = {each.rule.name for each, _ in run.documents[0].violations}
    failures = {case.get("name") for case in suites[0] if case.find("failure") is not None}
    outputs = {case.get("name") for case in suites[0] if case.find("system-out") is not None}
    assert failures == broken & run.failing
    assert outputs == broken - run.failing
    assert {"cut-table", "cut-list-item"} <= failures
    assert suites.get("failures") == str(len(failures))
    (table,) = [case for case in suites[0] if case.get("name") == "cut-table"]
    assert "docs/light.md:8:1: error cut-table: after row 3 of a table of 4" in (table.findtext("failure") or "")
    assert not suites[1].findall("testcase/failure")


def test_text_has_a_line_for_each_violation_and_a_summary(run: CheckRun) -> None:
    *lines, summary = FORMATS["text"](run).splitlines()
    assert len(lines) == len(run.documents[0].violations)
    assert "docs/light.md:8:1: error cut-table: after row 3 of a table of 4 (chunk 1)" in lines
    assert summary.startswith("5 chunks in 2 documents: ") and "errors" in summary
    clean = replace(run, documents=run.documents[1:])
    assert FORMATS["text"](clean) == "2 chunks in 1 document: no violation\n"


def test_json_adds_up_over_documents(run: CheckRun) -> None:
    found = json.loads(FORMATS["json"](run), parse_constant=pytest.fail)
    assert (found["chunks"], found["failed"]) == (5, True)
    assert [each["chunks"] for each in found["documents"]] == [3, 2]
    assert found["summary"]["cut"] == {"findings": 2, "chunks": 2, "share": 0.4}
    assert sum(row["findings"] for row in found["summary"].values()) == len(found["findings"])
    first = found["violations"][0]
    assert TEXT[first["offset"] :].startswith(TEXT.splitlines()[first["line"] - 1][first["column"] - 1 :])
    assert {each["file"] for each in found["findings"]} == {"docs/light.md"}


def test_only_what_may_not_be_broken_fails(run: CheckRun) -> None:
    assert run.failed
    assert not replace(run, failing=failing_rules(["duplicate"])).failed
    assert not replace(run, documents=run.documents[1:]).failed


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=12), st.text(max_size=20))
def test_any_name_and_message_leaves_every_report_readable(path: str, message: str) -> None:
    document = checked("a.md")
    found = tuple((replace(each, message=message), place) for each, place in document.violations)
    odd = CheckRun((replace(document, path=path, violations=found),), tuple(RULES.values()), frozenset(RULES))
    for name, make in FORMATS.items():
        text = make(odd)
        text.encode()
        if name == "junit":
            ElementTree.fromstring(text)
        if name == "sarif":
            log_of(odd)
        if name == "text":
            assert len(text.split("\n")) == len(found) + 2
            assert all(character.isprintable() for character in text.replace("\n", ""))
