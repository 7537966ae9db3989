"""Views beside and below the map of the Tune page: exports, scores by the reference, and stability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
import streamlit as st

from chunking import embedding as encoders
from chunking import export
from chunking.comparison import chunk_sizes
from chunking.document import Document
from chunking.reference import partial_score
from chunking.report.html import explained
from chunking.report.theme import PALETTES, TICK_FORMAT
from chunking.runtime.wording import plural
from chunking.signals.signals import Signals
from chunking.tuning.choice import ScoreEstimate
from chunking.tuning.landscape import Landscape
from chunking.tuning.plane import Plane, nearest
from chunking.tuning.stability import KINDS
from chunking.workspace import DocumentAnalysis
from pages.shared.components.glossary import columns as table_columns
from pages.shared.documents import about_document, documents, embedding, exports
from pages.shared.frame import frame, markup
from pages.shared.reference import partial
from pages.shared.settings import address_positions, controls
from pages.shared.state import SessionValue, session
from pages.shared.tune.tuned_document import TunedDocument

VIEWS = ("Settings", "Stability")


def exports_of(tuned: TunedDocument) -> None:
    """Show the popover with downloads."""
    _show_exports(tuned.opened.document, tuned.signals, lambda: tuned.landscape, lambda: tuned.plane)


def below(tuned: TunedDocument) -> None:
    """Show the document, and the selected view; the other one is not computed."""
    markup.show(markup.title(tuned.opened.title, about_document.kind(tuned.workspace)) + _figures(tuned))
    about_document.notes((*tuned.segmentation.warnings, *tuned.workspace.warnings(tuned.params.window)))
    titles = {"Settings": "How sure is this?", "Stability": "Which boundaries are stable?"}
    view = controls.segments("View", VIEWS, name="tune", titles=titles.__getitem__, label_visibility="collapsed")
    if view == VIEWS[0]:
        markup.show(f'<div class="cs-ledger" style="height: auto">{_setting(tuned)}{_reference_scores(tuned)}</div>')
    else:
        stability_view(tuned)


def _figures(tuned: TunedDocument) -> str:
    cuts, chunks = int(tuned.signals.threshold.exceeded.sum()), len(tuned.segmentation.chunks)
    figures = [
        markup.figure(len(tuned.signals), "gap"),
        markup.figure(cuts, "boundary", "boundaries", rest=" before limits"),
        markup.figure(chunks, "chunk"),
    ]
    if len(tuned.reference_gaps):
        figures.append(markup.figure(len(tuned.reference_gaps), "reference boundary", "reference boundaries"))
    return markup.figures(*figures)


# --- how sure the scores are ------------------------------------------------------------------------------------


def _setting(tuned: TunedDocument) -> str:
    """Return a description of the current setting as HTML."""
    return (
        f"<b>α {tuned.params.alpha:.2f}, percentile {tuned.params.percentile:g}</b>"
        f"<p>The boundaries are the same for α {_interval(*tuned.plateau.alpha)} at this percentile, and for "
        f"percentile {_interval(*tuned.plateau.percentile)} at this α.</p>"
    )


def _interval(low: float, high: float) -> str:
    """Return an interval, with enough digits to distinguish its ends."""
    digits_ = 2
    while digits_ < 6 and high > low and f"{low:.{digits_}f}" == f"{high:.{digits_}f}":
        digits_ += 1
    return f"{low:.{digits_}f}–{high:.{digits_}f}"


def _reference_scores(tuned: TunedDocument) -> str:
    """Return the scores of the current and the best setting against the reference, as HTML."""
    choice = tuned.choice
    if choice is None and tuned.reference.partial:
        cuts = np.flatnonzero(tuned.signals.threshold.exceeded)
        score = partial_score(tuned.reference, cuts, tuned.signals.offsets, tuned.signals.sentences)
        return partial.html(tuned.reference, {"This setting": score})
    if choice is None:
        return markup.empty(
            "This document has no reference boundaries.",
            "Set them on the Review page, or upload a file on the Compare page, to score every setting here.",
        )
    row, column = nearest(choice.alphas, tuned.params.alpha), nearest(choice.percentiles, tuned.params.percentile)
    name, now = explained("F1"), float(choice.mean[row, column])
    lines = (
        ("Current setting", (tuned.params.alpha, tuned.params.percentile), f"{now:.3f}"),
        ("Default setting", choice.usual, f"{choice.usual_score:.3f}"),
        ("Best setting on this document", choice.best, f"{choice.apparent:.3f}"),
        ("Cross-validated", None, _estimate(choice.honest)),
    )
    heads = (
        f"{choice.n_boundaries:,} {explained('reference boundaries')}",
        f"{explained('α')}, {explained('percentile')}",
        name,
    )
    table = markup.table(heads, ((explained(title), _pair(at), score) for title, at, score in lines))
    share = float(choice.region.mean())
    summary = (
        f"<p>{markup.escape(choice.verdict)} {_percent(share)} of all settings are not "
        f"{explained('significantly different', 'significant')} from the best.</p>"
        f'<p class="cs-quiet">Cross-validated: each of {plural(choice.units, choice.unit)} is scored at the setting '
        f"that is best on the others, with a {explained('95 % interval')}.</p>"
    )
    warnings = "".join(f'<div class="cs-quiet">⚠ {markup.escape(warning)}</div>' for warning in choice.warnings)
    return f"{table}{summary}{warnings}"


def _estimate(estimate: ScoreEstimate) -> str:
    between = f" [{estimate.low:.3f}, {estimate.high:.3f}]" if np.isfinite(estimate.low) else ""
    return f"{estimate.value:.3f}{between}"


def _pair(setting: tuple[float, float] | None) -> str:
    return f"{setting[0]:.2f}, {setting[1]:.1f}" if setting else "varies"


def _percent(share: float) -> str:
    return "less than 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


# --- stability -----------------------------------------------------------------------------------------------------


def stability_view(tuned: TunedDocument) -> None:
    """Show the stability of each boundary, the least stable first."""
    others = [
        documents.workspace(tuned.opened, replace(tuned.workspace.tools, encoder=name))
        for name in (encoders.MiniLM.name, *encoders.BOUNDARY_ENCODERS)
        if name != tuned.workspace.encoder.name
    ]
    if not _embedded(tuned, others):
        return
    stability = tuned.stability(others)
    if not len(stability.gaps):
        frame.show_empty(
            "This setting cuts no gap, so there are no boundaries to test.", "Lower the percentile to get some."
        )
        return
    complete = {kind: shares for kind, shares in stability.shares.items() if not np.isnan(shares).any()}
    order = np.argsort(stability.overall, kind="stable")
    rows = stability.gaps[order]
    spans, text = tuned.signals.sentences.spans, tuned.opened.document.text
    columns: dict[str, list[object]] = {
        "gap": (rows + 1).tolist(),
        "stability": (100 * stability.overall[order]).tolist(),
        **{kind: (100 * shares[order]).tolist() for kind, shares in complete.items()},
    }
    if len(tuned.reference_gaps):
        columns["reference"] = ["yes" if gap in set(tuned.reference_gaps.tolist()) else "" for gap in rows.tolist()]
    columns["beginning"] = [chunk_sizes.first_words(text, *spans[gap + 1].tolist()) for gap in rows.tolist()]

    boundaries = "boundary" if len(rows) == 1 else "boundaries"
    st.caption(
        f"{len(rows):,} {boundaries}, least stable first. Click a column header to sort, or a row to "
        "select its gap above."
    )

    def share(title: str, help: str) -> Any:
        return st.column_config.ProgressColumn(
            title, help=help, min_value=0, max_value=100, format="%.0f %%", width=130
        )

    table_columns.choose_row(
        "_stability_table",
        columns,
        lambda row: address_positions.put_gap(int(rows[row]), tuned.opened.document),
        most_height=480,
        config={
            "gap": st.column_config.NumberColumn("gap", width=60),
            "stability": share("stability", "Mean of the columns to the right."),
            **{kind: share(KINDS[kind].title, KINDS[kind].help) for kind in complete},
            "reference": st.column_config.Column("reference", width=80),
            "beginning": st.column_config.Column("beginning of the next chunk", width=320),
        },
    )


def _embedded(tuned: TunedDocument, others: list[DocumentAnalysis]) -> bool:
    """Return whether the view can be shown; offer to embed with another encoder, and do so on request."""
    window = tuned.params.window
    missing = [other for other in others if not other.has_vectors(window)]
    for other in missing:
        name = other.encoder.name
        requested = (tuned.workspace.key, window, name)
        if _REQUESTED.get() == requested:
            if not embedding.ready(other, (window,)):
                return False
            _REQUESTED.clear()
            continue
        st.button(
            f"Also embed with {markup.plain(name)}",
            key=f"_embed_{name}",
            help="Adds a column with the share of settings at which that encoder cuts the same gap.",
            icon=":material/library_add:",
            on_click=_REQUESTED.set,
            args=(requested,),
        )
    return True


_REQUESTED: SessionValue[tuple[str, int, str] | None] = SessionValue("_asked_encoder", session.empty)


_LOWEST = 50.0
_PALE = "#bcd3ea"
"""Colours of gaps that only a low percentile cuts."""


def _show_exports(
    document: Document, signals: Signals, landscape: Callable[[], Landscape], plane: Callable[[], Plane]
) -> None:
    """Show the popover with downloads; each file is made when its button is pressed."""
    stem = PurePath(document.name).stem
    with exports.popover("_tune_export") as popover:
        if not popover.open:
            return
        files: list[exports.Download] = [
            ("Landscape, CSV", f"{stem}-landscape.csv", "text/csv", lambda: landscape_csv(signals, landscape())),
            ("Landscape, HTML", f"{stem}-landscape.html", "text/html", lambda: landscape_html(landscape())),
            ("Settings, CSV", f"{stem}-settings.csv", "text/csv", lambda: plane_csv(plane())),
        ]
        exports.downloads(files, "_tune")


def landscape_csv(signals: Signals, landscape: Landscape) -> str:
    """Return one row per gap: its offset, its distances, and for each α the percentile below which it is cut."""
    names = [f"alpha_{alpha:.2f}" for alpha in landscape.alphas]
    columns = landscape.flip.T.round(4).tolist()
    facts = (signals.offsets, signals.semantic, signals.structural)
    gaps = zip(*(values.tolist() for values in facts), columns, strict=True)
    rows = [
        {"gap": gap + 1, "offset": offset, "semantic": semantic, "structural": structural}
        | dict(zip(names, flips, strict=True))
        for gap, (offset, semantic, structural, flips) in enumerate(gaps)
    ]
    return export.table(rows, ("gap", "offset", "semantic", "structural", *names))


def plane_csv(plane: Plane) -> str:
    """Return one row per setting, with the value of each map."""
    alphas, percentiles = np.meshgrid(plane.alphas, plane.percentiles, indexing="ij")
    values = [setting_map.values.astype(np.float64).round(6) for setting_map in plane.maps.values()]
    cells = zip(*(array.ravel().tolist() for array in (alphas, percentiles, *values)), strict=True)
    names = ("alpha", "percentile", *plane.maps)
    rows = [
        {name: None if value != value else value for name, value in zip(names, cell, strict=True)} for cell in cells
    ]
    return export.table(rows, names)


def landscape_html(landscape: Landscape) -> str:
    """Return the landscape as an HTML page that contains Plotly and needs no network."""
    import plotly.graph_objects as go  # takes half a second: import only where a figure object is needed

    palette = PALETTES["light"]
    heatmap = go.Heatmap(
        z=landscape.flip.round(2),
        x=np.arange(1, len(landscape) + 1),
        y=landscape.alphas,
        zmin=_LOWEST,
        zmax=100.0,
        # The scale gives more colours to the few gaps at the top.
        colorscale=[[0.0, palette.surface], [0.6, _PALE], [1.0, palette.semantic]],
        colorbar={"title": {"text": "boundary below percentile"}},
        hovertemplate="gap %{x}, α %{y:.2f}: boundary below percentile %{z:.2f}<extra></extra>",
    )
    layout = {"height": 520, "paper_bgcolor": palette.surface, "font": {"color": palette.text}}
    figure = go.Figure(heatmap, layout)
    figure.update_xaxes(title="gap").update_yaxes(title="α", tickformat=TICK_FORMAT)
    return exports.plotly_page(figure)
