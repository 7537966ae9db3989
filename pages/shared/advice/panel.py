"""The popover with the advice; nothing is computed before it is opened, and it moves nothing on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from chunking import ChunkscopeError, advice
from chunking.advice import Advice, MeasuredClaim, SharedAdvice, Statement
from chunking.advice.rates import COMMAND
from chunking.advice.summary import document_rows, in_words, rate_rows
from chunking.reference import Reference
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.documents import embedding, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup
from pages.shared.frame.markup import escape
from pages.shared.reference import own_chunks
from pages.shared.settings import lane_settings, strategy_settings
from pages.shared.storage import forgetting

TITLE = "What should I use?"
WINDOW = 0
"""Neighbours on either side that the candidates embed with each sentence."""


def show(opened: OpenDocument, workspace: DocumentAnalysis) -> None:
    """Show the popover with the advice for the open document."""
    popover = _popover("_advice")
    if not popover.open:
        return
    with popover:
        if not embedding.ready(workspace, (WINDOW,)):
            return
        try:
            document_advice = advised(workspace, own_chunks.reference_of(opened))
        except ChunkscopeError as error:
            frame.show_error(error)
            return
        markup.show(advice_html(document_advice))
        _buttons(opened.name, document_advice.setting, document_advice.second.setting)


def show_all(
    open_documents: Sequence[OpenDocument], workspaces: Mapping[str, DocumentAnalysis], open_name: str
) -> None:
    """Show the popover with the advice for several documents.

    Args:
        open_documents: the documents.
        workspaces: by the name of the document.
        open_name: name of the open document, in which the setting is opened.
    """
    popover = _popover("_advice_all")
    if not popover.open:
        return
    with popover:
        problems = dict(embedding.ready_all(workspaces, WINDOW))
        per_document: list[Advice] = []
        for opened in open_documents:
            workspace = workspaces[opened.name]
            if opened.name in problems or not workspace.has_vectors(WINDOW):
                continue
            try:
                per_document.append(advised(workspace, own_chunks.reference_of(opened)))
            except ChunkscopeError as error:
                problems[opened.name] = error
        for name, problem in problems.items():
            frame.show_error(ChunkscopeError(f"{name}: {problem.problem}", problem.remedy))
        if not per_document:
            return
        together = advice.shared(per_document)
        markup.show(shared_advice_html(together))
        other = next((single.second.setting for single in per_document if single.strategy == together.strategy), "")
        _buttons(open_name, together.setting, other)


def _popover(key: str) -> PopoverContainer:
    return frame.popover(TITLE, key, icon="assistant_direction", width="content")


def advised(workspace: DocumentAnalysis, reference: Reference) -> Advice:
    """Return the advice for a document, shared by all sessions with the same text, tools and reference."""
    return _advice(workspace.key, workspace.tools.tokenizer, repr(reference), workspace, reference)


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=128, ttl=6 * 3600, show_spinner="Comparing the candidates…")
def _advice(key: str, tokenizer: str, judged: str, _workspace: DocumentAnalysis, _reference: Reference) -> Advice:
    return advice.advise(_workspace, _reference)


def _buttons(name: str, setting: str, second: str) -> None:
    """Show what applies a setting to a document on Inspect, and what compares it with the second best."""
    left, right = st.columns(2)
    left.button(
        "Apply", key="_advice_open", icon=":material/check:", type="primary", width="stretch",
        on_click=_open, args=(name, setting),
    )  # fmt: skip
    lanes = ",".join(dict.fromkeys(filter(None, (setting, second))))
    right.button(
        "Compare with the second best", key="_advice_compare", icon=":material/view_column:", width="stretch",
        on_click=_compare, args=(name, lanes),
    )  # fmt: skip


def _open(name: str, setting: str) -> None:
    frame.close_popovers()  # it would stand before what it opens
    gap = state.address().text("gap") if state.address().page == "pages/inspect.py" else ""
    texts = {session_documents.CHOICE: name, strategy_settings.KEY: setting, "gap": gap}
    state.go("pages/inspect.py", texts)


def _compare(name: str, lanes: str) -> None:
    frame.close_popovers()
    state.go("pages/compare.py", {session_documents.CHOICE: name, lane_settings.ADDRESS: lanes})


# ---- the advice as HTML


def advice_html(advice: Advice) -> str:
    """Return the advice for a document."""
    why = [
        _evidence(advice.evidence),
        _section("Second best", [f"<code>{escape(advice.second.setting)}</code> {escape(advice.second.difference)}"]),
        _section("What would change the advice", map(escape, advice.changes)),
        _claim(advice.claim),
        _rates(advice),
    ]
    return _region([_headline(advice.setting, advice.kind), _folded(why)])


def shared_advice_html(shared: SharedAdvice) -> str:
    """Return the advice for several documents."""
    head, *rows = document_rows(shared)
    table = [
        _table(head, rows),
        '<p class="cs-quiet">* Another strategy is advised for this document.</p>' if shared.differing else "",
    ]
    why = [_evidence(shared.evidence), _claim(shared.claim)]
    return _region([_headline(shared.setting, shared.kind), *table, _folded(why)])


def _region(parts: Iterable[str]) -> str:
    """Return the panel, which a keyboard can scroll."""
    return f'<div class="cs-advice" tabindex="0" role="region" aria-label="Advice">{"".join(parts)}</div>'


def _headline(setting: str, kind: str) -> str:
    return f'<div class="cs-advised">{escape(in_words(setting, kind))}</div><code>{escape(setting)}</code>'


def _folded(parts: Iterable[str]) -> str:
    return f"<details><summary>Why, and how sure that is</summary>{''.join(parts)}</details>"


def _evidence(statements: Sequence[Statement]) -> str:
    cells = "".join(
        f'<div class="cs-quiet">{escape(statement.name)}</div><div>{escape(statement.text)}</div>'
        for statement in statements
    )
    return f'<div class="cs-facts">{cells}</div>'


def _claim(claim: MeasuredClaim) -> str:
    return _section("What is claimed", [escape(claim.text)])


def _section(title: str, items: Iterable[str]) -> str:
    """Return a titled part of paragraphs, which are HTML."""
    return f"<h5>{title}</h5>" + "".join(f"<p>{item}</p>" for item in items)


def _rates(advice: Advice) -> str:
    if not advice.claim.rates:
        return ""
    head, *rows = rate_rows(advice)
    source = f'<p class="cs-quiet">Measured by <code>{escape(COMMAND)}</code>.</p>'
    return f"<details><summary>Error rates by set, in %</summary>{_table(head, rows)}{source}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f'<div class="cs-wide">{markup.table(map(escape, head), (map(escape, row) for row in rows))}</div>'
