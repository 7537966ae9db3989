"""What it costs to index the document as another lane splits it."""

from __future__ import annotations

import streamlit as st

from chunking.comparison.report import Comparison
from chunking.report.html import explained
from chunking.retrieval.update_cost import UpdateCost, embedded_chunks, update_cost
from chunking.workspace import DocumentAnalysis
from pages.shared.compare import lanes
from pages.shared.documents import results
from pages.shared.frame import frame, markup
from pages.shared.settings import controls

_HEADS = ("chunks kept", "chunks changed", "new chunks", "chunks removed", "tokens to embed")

_NOTE = "An index of another encoder has to be embedded as a whole."


def show(workspace: DocumentAnalysis, compared: Comparison) -> None:
    """Show what an index that has the chunks of one lane costs to have those of the others."""
    if len(compared.entries) == 1:
        frame.show_empty("A single lane changes nothing.", "Add a strategy under “Strategies”.")
        return
    titles = {str(number + 1): lanes.lane_title(number, entry) for number, entry in enumerate(compared.entries)}
    left, right, _ = st.columns([3, 3, 5], vertical_alignment="bottom")
    with left:
        indexed = controls.select("In the index", list(titles), name="indexed", titles=lambda number: titles[number])
    with right:
        cents = controls.number("Cents for a million tokens", 0, 10_000, 0, name="rate", help=_PRICE)
    rows = []
    for number, cost in enumerate(_costs(workspace, compared, int(indexed) - 1)):
        title = f'<th class="cs-lane">{markup.escape(titles[str(number + 1)])}</th>'
        rows.append(f"<tr>{title}{_cells(cost, cents)}</tr>")
    heads = "".join(f"<th>{explained(head)}</th>" for head in (*_HEADS, *(["cost of embedding"] if cents else [])))
    table = (
        f'<table class="cs-outcome"><tr><th class="cs-lane">{explained("lane")}</th>{heads}</tr>{"".join(rows)}</table>'
    )
    markup.show(f'{markup.wide(table, "Cost of a change")}<p class="cs-quiet">{_NOTE}</p>')


_PRICE = "What embedding a million tokens costs, in cents of any currency; 0 shows no price."


def _costs(workspace: DocumentAnalysis, compared: Comparison, indexed: int) -> list[UpdateCost]:
    chunks = results.of(workspace).derive(
        ("embedded chunks", workspace.tools.tokenizer),
        compared.entries,
        lambda: [embedded_chunks(entry.segmentation, workspace.tools.tokenizer) for entry in compared.entries],
    )
    return [update_cost(chunks[indexed], others) for others in chunks]


def _cells(cost: UpdateCost, cents: int) -> str:
    values = [f"{number:,}" for number in (cost.kept, cost.changed, cost.new, cost.removed, cost.embedded)]
    values[-1] += f" <small>{100 * cost.share:.0f} %</small>"
    values += [f"{cost.price(cents / 100):.4f}"] if cents else []
    return "".join(f"<td>{value}</td>" for value in values)
