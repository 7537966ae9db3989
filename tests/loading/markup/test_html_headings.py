from __future__ import annotations

import pytest

from chunking.loading import load

TEXT = "<p>" + "The company sells tea, and it may not find enough of it in every year. " * 12 + "</p>"
"""A paragraph without bold type."""


def headings(*lines: str) -> list[tuple[int, str]]:
    document = load("".join(lines).encode(), "report.html")
    return [(block.level, document.text[block.content : block.end]) for block in document.headings]


def bold(*lines: str) -> str:
    return "".join(f"<p><b>{line}</b></p>" for line in lines)


def test_bold_lines_are_headings_with_levels_by_their_kind() -> None:
    assert headings(
        bold("UNITED STATES", "FORM 10-K", "(Mark One)", "Tea, Inc.", "Washington"),
        TEXT,
        bold("PART I", "Item&nbsp;1. Business"),
        TEXT,
        '<div style="font-weight:700">Products</div>',
        TEXT,
        "<div><span style='font-weight: bold'>OVERVIEW</span></div>",
        TEXT,
        "<table><tr><td><b>Item 1A.</b></td><td><b>Risk Factors</b></td></tr></table>",
        TEXT,
        "<p><strong>NOTE 1</strong>&nbsp;<b>. LEASES</b></p>",
        TEXT,
        bold("PART II", "Item 2. Properties", "PROPERTIES"),
        TEXT,
    ) == [
        (1, "PART I"), (2, "Item\xa01. Business"), (5, "Products"), (4, "OVERVIEW"), (2, "Item 1A. | Risk Factors"),
        (3, "NOTE 1\xa0. LEASES"), (1, "PART II"), (2, "Item 2. Properties"), (4, "PROPERTIES"),
    ]  # fmt: skip


def test_levels_are_below_that_of_the_title() -> None:
    assert headings("<h1>Tea</h1>", TEXT, bold("Black"), TEXT, bold("Green"), TEXT)[1:] == [(2, "Black"), (2, "Green")]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("<h1>a</h1><h2>b</h2>" + TEXT + bold("One") + TEXT + bold("Two") + TEXT, id="marked-headings"),
        pytest.param(TEXT + bold("This is important.") + TEXT + bold("So is this:") + TEXT, id="sentences"),
        pytest.param(TEXT + bold("Note") + TEXT, id="one-line"),
        pytest.param((bold("Tea, Inc.") + TEXT) * 3, id="running-heads"),
        pytest.param((bold("Bold words " * 10) + "<p>Some text.</p>") * 9, id="bold-pages"),
        pytest.param(bold(*(f"Item {number}. Tea" for number in range(9))).replace("<p>", "<ul><li>"), id="lists"),
        pytest.param(TEXT + "<p><b>Tea.</b> Green.</p>" + TEXT + "<p><b>Pot</b> of clay</p>" + TEXT, id="lead-ins"),
        pytest.param(
            (TEXT + "<p style='font-weight:bold'>a <span style='font-weight:400'>b</span></p>") * 2, id="regular-inside"
        ),
        pytest.param(TEXT + bold("1,200", "12 %") + TEXT + bold("(in thousands)") + TEXT, id="figures"),
        pytest.param(bold(*(f"Item {number}" for number in range(1, 9))) + TEXT + TEXT, id="contents"),
    ],
)
def test_other_bold_text_is_no_heading(page: str) -> None:
    marked = page.count("<h")
    expected = [(1, "Item 8")] if "Item 8</b></p>" in page else []
    assert headings(page)[marked:] == expected
