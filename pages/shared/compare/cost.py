"""What it costs to index the document as another lane splits it."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.comparison.report import Comparison
from chunking.report.html import explained
from chunking.retrieval.edit_stability import PLACES, EditStability, edit_stability
from chunking.retrieval.update_cost import UpdateCost, embedded_chunks, update_cost
from chunking.strategies import REGISTRY, Setting
from chunking.workspace import DocumentAnalysis
from pages.shared.compare import lanes
from pages.shared.documents import results, update_costs
from pages.shared.frame import frame, markup
from pages.shared.settings import controls
from pages.shared.state import SessionValue
from pages.shared.storage import forgetting


def show(workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show what an index that has the chunks of one lane costs to have those of the others, and what an edit does."""
    _show_costs(workspace, compared)
    _show_edits(workspace, compared)


def _show_costs(workspace: DocumentAnalysis, compared: Comparison) -> None:
    if len(compared.entries) == 1:
        frame.show_empty("A single lane changes nothing.", "Add a strategy under “Strategies”.")
        return
    titles = {str(number + 1): lanes.lane_title(number, entry) for number, entry in enumerate(compared.entries)}
    left, right, _ = st.columns([3, 3, 5], vertical_alignment="bottom")
    with left:
        indexed = controls.select("In the index", list(titles), name="indexed", titles=lambda number: titles[number])
    with right:
        cents = update_costs.rate()
    costs = zip(titles.values(), _costs(workspace, compared, int(indexed) - 1), strict=True)
    update_costs.show_table(explained("lane"), list(costs), cents)


def _costs(workspace: DocumentAnalysis, compared: Comparison, indexed: int) -> list[UpdateCost]:
    chunks = results.of(workspace).derive(
        ("embedded chunks", workspace.tools.tokenizer),
        compared.entries,
        lambda: [embedded_chunks(entry.segmentation, workspace.tools.tokenizer) for entry in compared.entries],
    )
    return [update_cost(chunks[indexed], others) for others in chunks]


# ---- edits


_MEASURED: SessionValue[str] = SessionValue("_compare_edits_of", str)
"""The document whose edit stability this session has requested."""
_MOST_SENTENCES = 5_000
_INSERTED = (
    "After one word of the text is repeated at one place: the share of the chunks that an index does not have yet, at "
    f"the middle and at the worst of {PLACES} places. A strategy that counts moves all that follows an edit."
)


def _show_edits(workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show the edit stability of each lane, on request: every edited text has to be split."""
    entries = {
        number: entry for number, entry in enumerate(compared.entries) if entry.segmentation.strategy in REGISTRY
    }
    if not entries or len(workspace.sentences) > _MOST_SENTENCES:
        return
    markup.show(f"<b>{explained('edit stability')}</b>")
    settings = [
        Setting(strategies.get(entry.segmentation.strategy), entry.segmentation.params) for entry in entries.values()
    ]
    if _MEASURED.get() != workspace.key:
        st.button(
            f"Insert a word at {PLACES} places", key="_compare_edits", on_click=_MEASURED.set, args=(workspace.key,)
        )
        return
    try:
        stabilities = _stabilities(
            workspace.key, workspace.tools.tokenizer, tuple(setting.text for setting in settings), workspace
        )
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    rows = [
        f'<tr><th class="cs-lane">{markup.escape(lanes.lane_title(number, entry))}</th>'
        f"<td>{100 * stability.median:.0f} %</td><td>{100 * stability.worst:.0f} %</td></tr>"
        for (number, entry), stability in zip(entries.items(), stabilities, strict=True)
    ]
    table = (
        f'<table class="cs-outcome cs-narrow"><tr><th>{explained("lane")}</th><th>median</th><th>worst</th></tr>'
        f"{''.join(rows)}</table>"
    )
    markup.show(f'{markup.wide(table, "Edit stability")}<p class="cs-quiet">{_INSERTED}</p>')


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=16, ttl=3600, show_spinner=False)
def _stabilities(
    key: str, tokenizer: str, settings: tuple[str, ...], _workspace: DocumentAnalysis
) -> list[EditStability]:
    bar = st.progress(0.0, "Splitting the edited text…")

    def tell(_: str, done: int, places: int) -> None:
        bar.progress(done / places, f"Splitting the edited text, {done} of {places}…")

    try:
        return edit_stability(_workspace, [strategies.parse(setting) for setting in settings], tell=tell)
    finally:
        bar.empty()
