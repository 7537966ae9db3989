"""What the results of both parts of Evaluate consist of: blocks of a report, tables of scores, and exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Generic, Literal, TypeVar, cast

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.loading import MAX_FILE_BYTES
from chunking.report import html
from chunking.report.theme import LIGHT, Palette
from chunking.runtime.arrays import Float64
from chunking.workspace import Models
from pages.shared import state
from pages.shared.components.glossary import columns as table_columns
from pages.shared.documents import reading
from pages.shared.documents.uploads import Files, UploadField, keep_latest
from pages.shared.frame import frame, markup
from pages.shared.settings import controls
from pages.shared.state import SessionValue

_SCOPE = ".cs .evaluation"
_MOST_COLORED = 50_000
"""Cells above which colours would slow the browser down."""


def choose_models(chosen: Models | None = None) -> Models:
    """Show the controls of the models; return them.

    Args:
        chosen: where encoder and sentence splitter are chosen elsewhere.
    """
    problem = None
    with st.expander("Models", icon=":material/translate:"):
        if chosen is None:
            encoder, problem = reading.encoder()
            chosen = Models(encoder)
        tokenizer = controls.tokenizer(chosen)
    if problem:
        frame.show_error(problem)
    return replace(chosen, tokenizer=tokenizer)


Uploaded = TypeVar("Uploaded")


class UploadedSets(Generic[Uploaded]):
    """The latest sets that this session has uploaded, and the popover that adds one.

    Args:
        part: begins the keys of the widgets, and of what the session keeps.
        choice: the name of the selected set in the address.
    """

    def __init__(self, part: str, choice: str) -> None:
        self.field = UploadField(f"{part}_upload")
        self._choice = choice
        self._sets: SessionValue[dict[str, Uploaded]] = SessionValue(f"{part}_uploaded", dict)

    def get(self) -> dict[str, Uploaded]:
        """Return the sets by their names."""
        return self._sets.get()

    def keep(self, name: str, uploaded: Uploaded) -> None:
        """Keep a set, and select it."""
        keep_latest(self.get(), name, uploaded)
        state.address().put(self._choice, name)

    def draw(
        self, title: str, about: str, form: str, receive: Callable[[Files], None], *, several: bool = False
    ) -> None:
        """Draw the popover.

        Args:
            title: of the popover.
            about: what can be uploaded.
            form: the form of the files.
            receive: takes the files.
            several: whether a set may be several files.
        """
        label = f"{'Files' if several else 'A file'}, up to {MAX_FILE_BYTES // 2**20} MiB{' each' * several}"
        with st.popover(title, icon=":material/upload_file:", width="stretch", key=f"_add{self.field.key}"):
            st.caption(about)
            self.field.draw(label, receive, accept_multiple_files=several, help=form)
        self.field.show_problem()

    def missing(self, options: Sequence[str]) -> str | None:
        """Return the set that the address names if it is none of the options, before a control replaces it."""
        requested = state.address().text(self._choice)
        return requested if requested and requested not in options else None


def show_missing(what: str, name: str | None, remedy: str) -> None:
    """Show that the set of a link is not there, if its name is given, with what to do."""
    if name:
        frame.show_error(ChunkscopeError(f"The {what} in this link is not available: {name:.60}.", remedy))


def block(body: str) -> None:
    """Show tables and figures of a report in the colours of the page."""
    colors = " ".join(f"--{role.name}: var(--cs-{role.name});" for role in fields(Palette))
    markup.show(f'<style>{_SCOPE} {{{colors}}} {html.style(_SCOPE)}</style><div class="evaluation">{body}</div>')


def notes_block(notes: Sequence[str], sections: Iterable[tuple[str, str]]) -> None:
    """Show the notes on the results, and titled sections of HTML, where they have any."""
    parts = [html.bullets(list(notes)) or "<p>There are no notes: nothing was corrected, left out or failed.</p>"]
    block("".join([*parts, *(f"<p><b>{title}</b></p>{body}" for title, body in sections if body)]))


def score_table(
    key: str,
    columns: Mapping[str, Sequence[Any]],
    scores: Mapping[str, Float64],
    config: Mapping[str, Any],
    *,
    selection: Literal["single-row", "single-cell"],
    height: int,
) -> Any:
    """Show a table with scores from 0 to 1 in percent, the bluer the better, and return what is selected.

    Args:
        key: of the table.
        columns: before the scores, by their names.
        scores: ``(n_rows,)`` floats by the name of their column; NaN where there is none.
        config: of the columns, without the help that the glossary has.
        selection: what can be selected.
        height: of the table at most, in pixels.
    """
    import pandas as pd  # type: ignore[import-untyped]

    table = pd.DataFrame({**columns, **{name: 100 * values for name, values in scores.items()}})
    colored = table if table.size > _MOST_COLORED else table.style.map(_color, subset=list(scores))
    event = st.dataframe(
        colored, key=key, on_select="rerun", selection_mode=selection, hide_index=True,
        height=min(height, 38 + 35 * len(table)), column_config=table_columns.explained(config, config),
    )  # fmt: skip
    return cast(Any, event).selection


def score_column(name: str, help: str) -> Any:
    """Return the configuration of a column of scores."""
    return st.column_config.NumberColumn(name, format="%.0f", width=110, help=help)


def _color(value: float) -> str:
    # Translucent, so that it fits the background of either theme.
    return "" if np.isnan(value) else f"background-color: {LIGHT.semantic}{round(0.6 * 2.55 * value):02x}"


def newly_selected(rows: Sequence[int], ids: Sequence[str], seen: SessionValue[str | None]) -> str | None:
    """Return the id of the selected row if it was just selected: afterwards the address may say something newer.

    Args:
        rows: the selected ones.
        ids: of all rows.
        seen: keeps the id that was selected last.
    """
    selected = ids[rows[0]] if rows and rows[0] < len(ids) else None
    is_new = selected is not None and selected != seen.get()
    seen.set(selected)
    return selected if is_new else None
