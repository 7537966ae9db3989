"""Results of checks as text, tables, JSON, SARIF and JUnit XML."""

from collections.abc import Callable, Mapping

from chunking.checks.reports.contract import CheckedDocument, CheckRun
from chunking.checks.reports.json import json_text
from chunking.checks.reports.junit import junit_xml
from chunking.checks.reports.sarif import sarif_text
from chunking.checks.reports.text import line_text, table_text

FORMATS: Mapping[str, Callable[[CheckRun], str]] = {
    "json": json_text,
    "table": table_text,
    "text": line_text,
    "sarif": sarif_text,
    "junit": junit_xml,
}
"""What makes the report of each format."""

__all__ = ["FORMATS", "CheckRun", "CheckedDocument"]
