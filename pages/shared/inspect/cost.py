"""What it costs an index to have the chunks that are shown, in place of a pinned setting's or of those before edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from chunking.retrieval.update_cost import embedded_chunks, update_cost
from chunking.strategies import Segmentation
from pages.shared.documents import update_costs


def show(segmentation: Segmentation, indexed: Sequence[tuple[str, Segmentation]], tokenizer: str) -> None:
    """Show the cost, folded: nothing is computed before it is opened, and nothing is shown without another version.

    Args:
        segmentation: the chunks that are shown.
        indexed: chunks that an index may have instead, under their titles.
        tokenizer: name of what counts their tokens.
    """
    if not indexed:
        return
    box = st.expander("Cost of a change", key="_inspect_cost", icon=":material/payments:", on_change="rerun")
    if not box.open:
        return
    with box:
        after = embedded_chunks(segmentation, tokenizer)
        costs = [
            (title, update_cost(embedded_chunks(_renamed(before, segmentation.document.name), tokenizer), after))
            for title, before in indexed
        ]
        update_costs.show_table("in the index now", costs, update_costs.rate())


def _renamed(segmentation: Segmentation, name: str) -> Segmentation:
    """Return a segmentation of a document under another name: an edited copy takes the place of its original."""
    return replace(segmentation, document=replace(segmentation.document, name=name))
