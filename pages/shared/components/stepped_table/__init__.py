"""A table for each value of a control, of which the one is shown that the control says while it is moved.

For what no script of the browser computes and what is small enough to be sent for every value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from pages.shared.components.base import component, pack

_table = component("chunkscope_stepped_table", __file__, "stepped_table.js", isolate_styles=False)


class Bar(TypedDict):
    """A cell that shows a share from 0 to 1, in the colour of a class of the page's style sheet."""

    share: float
    role: str


class SteppedTable(TypedDict):
    """The table of one value.

    ``lead`` is a text above it, empty for none; ``rows`` hold cells, and ``head`` their titles where they have any.
    """

    caption: str
    lead: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | Bar]]


class SteppedTableHead(TypedDict):
    """The part of a message that is read each time: the control, and its value as Python knows it."""

    control: str
    value: float


class SteppedTableBody(TypedDict):
    """The values from which a table holds, ascending, and the table of each."""

    values: Sequence[float]
    tables: Sequence[SteppedTable]


def stepped_table(key: str, control: str, value: float, tables: Mapping[float, SteppedTable]) -> None:
    """Draw the table of the value that a control has.

    Args:
        key: Streamlit key of the element.
        control: Streamlit key of a slider or of a field for a number.
        value: of the control.
        tables: by the value from which each holds, one or more.
    """
    head: SteppedTableHead = {"control": control, "value": value}
    values = sorted(tables)
    body: SteppedTableBody = {"values": values, "tables": [tables[start] for start in values]}
    _table(key=key, data=pack(head, body), height="content")
