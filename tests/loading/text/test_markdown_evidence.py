"""Markdown in files with the name of plain text."""

from __future__ import annotations

import pytest

from chunking.loading import from_text, load
from chunking.loading.text.markdown_evidence import is_markdown

PROSE = "The mill stands by the river. Its wheel turns on the ebb, and the miller checks the sluice every morning.\n"

MARKDOWN = {
    "headings and prose": f"# The mill\n\n{PROSE}\n## Tides\n\n{PROSE}\n### Spring\n\n{PROSE}",
    "headings and links": f"# The mill\n\nSee [tides](https://a.org/t) and [stones](stones.md).\n\n# Tides\n\n{PROSE}",
    "headings and code": f"# The mill\n\n```sh\n# open\nopen sluice\n```\n\n# Tides\n\n{PROSE}",
    "headings and a table": "# Tides\n\n| tide | hours |\n|------|------|\n| spring | 7 |\n\n# Stones\n\nNone.\n",
    "underlined": f"The mill\n====\n\n{PROSE}\nTides\n---\n\nSee [a](a/b) and [b](http://b.org), `c`, `d`, **e**.\n",
    "a quoted command": f"# The mill\n\n{PROSE}\n## Tides\n\n\\begin{{x}}\n\n## A\n\n## B\n\n## C\n\n{PROSE}",
}

OTHERS = {
    "comments of a program": f"# {PROSE}# and more of it\nopen = 1\n\n# the sluice\nclose = 2\n\n## again\nturn = 3\n",
    "requirements": "# tests\n\npytest==8.0\nhypothesis\n\n## docs\n\nmkdocs==1.6\n",
    "reStructuredText": f"The mill\n========\n\n.. note:: {PROSE}\nTides\n-----\n\n.. code-block:: sh\n\n   open\n",
    "plain headings": f"The mill\n========\n\n{PROSE}\nTides\n-----\n\n{PROSE}",
    "a licence": f"          LICENCE\n\n1. Definitions.\n\n   {PROSE}\n   [1] https://a.org\n\n2. Grant.\n\n   {PROSE}",
    "a log": "# started\n2026-05-01 01:00 pump [1](ok)\n\n# stopped\n2026-05-01 02:00 pump [2](ok)\n" * 9,
    "a mail": f"On Monday *all* of us met.\n\n> {PROSE}\n# 1 on the list\n\n{PROSE}\n--\nAda\n",
    "a novel": f"CHAPTER ONE\n\n{PROSE}\n* * *\n\n{PROSE}\nCHAPTER TWO\n\n_It_ turned. {PROSE}",
    "numbers": f"# 12 of 14\n\n{PROSE}\n#13 is missing.\n\n{PROSE}",
}


@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_several_marks_together_are_markdown(text: str) -> None:
    assert is_markdown(text)
    assert load(text.encode(), "mill.txt").format == "markdown"
    assert load(text.replace("\n", "\r\n").encode(), "MILL").format == "markdown"
    assert from_text(text, format="text").format == "text"


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_texts_are_not(text: str) -> None:
    assert not is_markdown(text)
    assert load(text.encode(), "mill.txt").format != "markdown"


@pytest.mark.parametrize("token", ["# a\n\n", "```\n", "[a](b/", "**a", "`", "|---", "[a]: /b\n", "#", "\n", "[" * 40])
def test_many_of_one_mark_take_linear_time(token: str) -> None:
    is_markdown(token * (200_000 // len(token)))
