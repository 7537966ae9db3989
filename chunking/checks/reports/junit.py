"""Results of checks as JUnit XML, which build servers show: a test for each rule and document."""

from __future__ import annotations

from xml.etree import ElementTree

from chunking.checks.reports.contract import CheckedDocument, CheckRun
from chunking.checks.reports.text import lines_of
from chunking.checks.rules import Rule
from chunking.export import encodable
from chunking.report.formatting import harmless


def junit_xml(run: CheckRun) -> str:
    """Return a suite for each document; a test fails where the rule is broken and may not be."""
    suites = ElementTree.Element("testsuites", name="chunkscope check")
    for document in run.documents:
        suites.append(_suite(document, run))
    for name in ("tests", "failures", "errors"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(document: CheckedDocument, run: CheckRun) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=_plain(document.path))
    cases = [_case(document, rule, rule.name in run.failing) for rule in run.rules]
    suite.extend(cases)
    suite.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    return suite


def _case(document: CheckedDocument, rule: Rule, failing: bool) -> ElementTree.Element:
    path = _plain(document.path)
    case = ElementTree.Element("testcase", classname=path, name=rule.name, file=path)
    chosen = [
        line for line, (each, _) in zip(lines_of(document), document.violations, strict=True) if each.rule == rule
    ]
    if rule.name in document.unseen:
        ElementTree.SubElement(case, "skipped", message=_plain(document.unseen[rule.name]))
    elif chosen and failing:
        message = f"{rule.text} {len(chosen):,} in this document."
        ElementTree.SubElement(case, "failure", type=rule.level, message=message).text = _plain("\n".join(chosen))
    elif chosen:
        ElementTree.SubElement(case, "system-out").text = _plain("\n".join(chosen))
    return case


def _plain(text: str) -> str:
    """Return text of characters that XML can hold."""
    return encodable(harmless(text))
