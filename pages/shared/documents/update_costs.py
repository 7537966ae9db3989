"""The table of what changes cost an index, for all pages."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.report.html import explained
from chunking.retrieval.update_cost import UpdateCost
from pages.shared.frame import markup
from pages.shared.settings import controls

_HEADS = ("chunks kept", "chunks changed", "new chunks", "chunks removed", "tokens to embed")

_NOTE = "An index of another encoder has to be embedded as a whole."


def rate() -> int:
    """Draw the field of the price of a million tokens, and return it in cents; 0 for none."""
    return controls.number("Cents for a million tokens", 0, 10_000, 0, name="rate", help=_PRICE)


_PRICE = "What embedding a million tokens costs, in cents of any currency; 0 shows no price."


def show_table(first_head: str, costs: Sequence[tuple[str, UpdateCost]], cents: int) -> None:
    """Show a row of costs under each title.

    Args:
        first_head: over the titles, HTML.
        costs: by title.
        cents: for a million tokens; 0 shows no price.
    """
    rows = [f'<tr><th class="cs-lane">{markup.escape(title)}</th>{_cells(cost, cents)}</tr>' for title, cost in costs]
    heads = "".join(f"<th>{explained(head)}</th>" for head in (*_HEADS, *(["cost of embedding"] if cents else [])))
    table = f'<table class="cs-outcome"><tr><th class="cs-lane">{first_head}</th>{heads}</tr>{"".join(rows)}</table>'
    markup.show(f'{markup.wide(table, "Cost of a change")}<p class="cs-quiet">{_NOTE}</p>')


def _cells(cost: UpdateCost, cents: int) -> str:
    values = [f"{number:,}" for number in (cost.kept, cost.changed, cost.new, cost.removed, cost.embedded)]
    values[-1] += f" <small>{100 * cost.share:.0f} %</small>"
    values += [f"{cost.price(cents / 100):.4f}"] if cents else []
    return "".join(f"<td>{value}</td>" for value in values)
