"""An advice as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chunking.advice import Advice, MeasuredClaim, SharedAdvice, Statement
from chunking.advice.rates import COMMAND
from chunking.advice.summary import document_rows, rate_rows
from pages.shared.frame.markup import escape


def one(advice: Advice) -> str:
    """Return the advice for a document."""
    parts = [
        _headline(advice.setting),
        _evidence(advice.evidence),
        _part("Second best", [f"<code>{escape(advice.second.setting)}</code> {escape(advice.second.difference)}"]),
        _part("What would change the advice", map(escape, advice.changes)),
        _claim(advice.claim),
        _rates(advice),
    ]
    return _region(parts)


def several(found: SharedAdvice) -> str:
    """Return the advice for several documents."""
    head, *rows = document_rows(found)
    parts = [
        _headline(found.setting),
        _evidence(found.evidence),
        _claim(found.claim),
        _table(head, rows),
        '<p class="cs-quiet">* Another strategy is advised for this document.</p>' if found.differing else "",
    ]
    return _region(parts)


def _region(parts: Iterable[str]) -> str:
    """Return the panel, which a keyboard can scroll."""
    return f'<div class="cs-advice" tabindex="0" role="region" aria-label="Advice">{"".join(parts)}</div>'


def _headline(setting: str) -> str:
    return f'<div class="cs-advised"><code>{escape(setting)}</code></div>'


def _evidence(statements: Sequence[Statement]) -> str:
    cells = "".join(
        f'<div class="cs-quiet">{escape(each.name)}</div><div>{escape(each.text)}</div>' for each in statements
    )
    return f'<div class="cs-facts">{cells}</div>'


def _claim(claim: MeasuredClaim) -> str:
    return _part("What is claimed", [escape(claim.text)])


def _part(title: str, items: Iterable[str]) -> str:
    """Return a titled part of paragraphs, which are HTML."""
    return f"<h5>{title}</h5>" + "".join(f"<p>{item}</p>" for item in items)


def _rates(advice: Advice) -> str:
    if not advice.claim.rates:
        return ""
    head, *rows = rate_rows(advice)
    made = f'<p class="cs-quiet">Measured by <code>{escape(COMMAND)}</code>.</p>'
    return f"<details><summary>Error rates by set, in %</summary>{_table(head, rows)}{made}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="cs-wide"><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>'
