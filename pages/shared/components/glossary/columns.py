"""The columns of a table of Streamlit, each with the definition of the term in its head."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from chunking import glossary
from pages.shared.state import widget_value


def explained(names: Iterable[str], config: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the configuration of columns, with the glossary's definition as the help of each that has none.

    Args:
        names: of all columns.
        config: of those that need more than that, by name.
    """
    configs = {name: (config or {}).get(name) or st.column_config.Column() for name in names}
    return {
        name: column | {"help": column["help"] or _help(column["label"] or name)} for name, column in configs.items()
    }


def _help(head: str) -> str | None:
    term = glossary.find(head)
    return term.definition if term else None


def choose_row(
    key: str,
    columns: Mapping[str, Sequence[Any]],
    choose: Callable[[int], None],
    *,
    most_height: int,
    config: Mapping[str, Any] | None = None,
) -> None:
    """Draw a table of which one row can be selected.

    Args:
        key: Streamlit key of the table.
        columns: values by the name of their column.
        choose: called with the index of the selected row; in a callback.
        most_height: of the table, in pixels.
        config: of columns that need more than an explanation, by name.
    """
    count = len(next(iter(columns.values()), ()))

    def take() -> None:
        rows = widget_value(key).selection.rows
        if rows and rows[0] < count:
            choose(rows[0])

    st.dataframe(
        columns, key=key, on_select=take, selection_mode="single-row", hide_index=True,
        height=min(most_height, 38 + 35 * count), column_config=explained(columns, config),
    )  # fmt: skip
