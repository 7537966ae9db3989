"""Any Plotly figure, in the colours of the theme and with the Plotly.js that the page has loaded anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.shared.components.base import component, pack
from pages.shared.components.glossary import columns
from pages.shared.components.plotly_js import plotly_path

_figure = component("chunkscope_figure", __file__, "figure.js", isolate_styles=False)


def figure(
    key: str,
    drawn: dict[str, Any],
    label: str,
    table: Mapping[str, Sequence[Any]] | None = None,
    title: str = "Table of this figure",
) -> None:
    """Draw a figure, and below it the table of its values, folded.

    Args:
        key: Streamlit key of the element.
        drawn: ``{"data": …, "layout": …}`` with a height, in the colours of ``chunking.report.theme.ROLES``.
        label: what it shows, for those who do not see it.
        table: its values, by column.
        title: of the table.
    """
    _figure(key=key, data=pack({"plotly": plotly_path()}, {"figure": drawn, "label": label}))
    if table is not None:
        with st.expander(title, icon=":material/table:"):
            st.dataframe(table, hide_index=True, column_config=columns.explained(table))
