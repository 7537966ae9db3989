"""The columns of a table of Streamlit, each with the definition of the term in its head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from chunking import glossary


def explained(names: Iterable[str], config: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the configuration of columns, with the glossary's definition as the help of each that has none.

    Args:
        names: of all columns.
        config: of those that need more than that, by name.
    """
    given = {name: (config or {}).get(name) or st.column_config.Column() for name in names}
    return {name: each | {"help": each["help"] or _help(each["label"] or name)} for name, each in given.items()}


def _help(head: str) -> str | None:
    term = glossary.find(head)
    return term.meaning if term else None
