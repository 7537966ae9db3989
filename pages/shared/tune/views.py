"""The views of the Tune page: the landscape, the plane of settings with its reference scores, and stability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast, get_args

import numpy as np
import streamlit as st

from chunking import embedding as encoders
from chunking.comparison import chunk_sizes
from chunking.curves.signals import Signals
from chunking.gold import Reference, gold_gaps, partial_score
from chunking.runtime.arrays import Int64
from chunking.runtime.wording import plural
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import Choice, Measure, ScoreEstimate
from chunking.tuning.landscape import BoundaryChanges, Landscape, Plateau, plateau
from chunking.tuning.plane import Plane
from chunking.tuning.stability import KINDS
from chunking.workspace import Workspace
from pages.shared.components.document_store import document_store
from pages.shared.components.glossary import columns as table_columns
from pages.shared.components.glossary import explained
from pages.shared.components.landscape import Present, landscape_chart, landscape_event, landscape_field
from pages.shared.components.plane import PlaneView, Point, digits, plane_chart, plane_event, plane_field
from pages.shared.components.raster import raster_field
from pages.shared.documents import about_document, documents, embedding
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.reference import own_chunks, partial
from pages.shared.settings import controls, live, places, strategy_settings
from pages.shared.state import Slot, go, session, widget_value
from pages.shared.tune import data as tune_data
from pages.shared.tune import exports as tune_exports

_STATUS: Slot[tuple[str, float, float, str]] = Slot("_tune_said", lambda: ("", 0.0, 0.0, ""))


@dataclass(frozen=True, eq=False)
class TunedDocument:
    """A document at the current setting, with the data of every other setting.

    Attributes:
        opened, workspace, segmentation: the document and its segmentation at the current setting.
    """

    opened: Opened
    workspace: Workspace
    segmentation: Segmentation

    @property
    def signals(self) -> Signals:
        """The curves."""
        return cast(Signals, self.segmentation.signals)

    @property
    def params(self) -> StructuralParameters:
        """The setting."""
        return cast(StructuralParameters, self.segmentation.params)

    @property
    def document_key(self) -> str:
        """Key of the document in the components."""
        return f"{self.opened.document.key}-{len(self.signals.sentences)}"

    @cached_property
    def key(self) -> str:
        """Key of the two curves."""
        return tune_data.curves_key(self.workspace, self.params)

    @cached_property
    def landscape(self) -> Landscape:
        """Every setting at once."""
        return tune_data.landscape_of(self.key, self.signals.semantic, self.signals.structural)

    @cached_property
    def plateau(self) -> Plateau:
        """How far the setting can be moved."""
        return plateau(self.signals.semantic, self.signals.structural, self.params.alpha, self.params.percentile)

    @cached_property
    def changes(self) -> BoundaryChanges:
        """Where along α boundaries change at the current percentile."""
        return tune_data.changes_of(self.key, self.signals.semantic, self.signals.structural, self.params.percentile)

    @cached_property
    def reference(self) -> Reference:
        """The reference of the document."""
        return own_chunks.reference_of(self.opened)

    @cached_property
    def gold(self) -> Int64:
        """Gaps of the boundaries of a complete reference; empty where there is none."""
        return gold_gaps(self.reference.gold, self.signals.offsets, self.signals.sentences)

    @cached_property
    def keyed_plane(self) -> tuple[str, Plane]:
        """The plane of settings, and its key."""
        return tune_data.plane_of(self.key, self.workspace, self.landscape, self.gold)

    @property
    def plane(self) -> Plane:
        """The plane of settings."""
        return self.keyed_plane[1]

    def choice(self, measure: Measure) -> Choice | None:
        """Return the setting that the reference supports; ``None`` without reference boundaries."""
        if not len(self.gold):
            return None
        return tune_data.choice_of(self.key, self.signals.semantic, self.signals.structural, self.gold, measure)

    @property
    def gap(self) -> int | None:
        """The selected gap."""
        return places.chosen_gap(self.opened.document, len(self.signals))


# --- head ----------------------------------------------------------------------------------------------------------


def head(tuned: TunedDocument) -> None:
    """Show title, key figures, and warnings."""
    title = markup.escape(tuned.opened.title)
    kind = markup.escape(about_document.kind(tuned.workspace))
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        heading = f'<b>{title}</b> <span class="cs-quiet cs-kind">{kind}</span>{_figures(tuned)}'
        markup.show(heading, width="content")
        if tunable(tuned):
            tune_exports.show(tuned.opened.document, tuned.signals, tuned.landscape, lambda: tuned.plane)
    warnings = (*tuned.segmentation.warnings, *tuned.workspace.warnings(tuned.params.window))
    about_document.notes(warnings)


def tunable(tuned: TunedDocument) -> bool:
    """Return whether there is something to tune: at least two gaps, and the percentile rule."""
    return len(tuned.signals) > 1 and tuned.params.threshold == "percentile"


def _figures(tuned: TunedDocument) -> str:
    cuts, chunks = int(tuned.signals.threshold.exceeded.sum()), len(tuned.segmentation.chunks)
    figures = [
        markup.figure(len(tuned.signals), "gap"),
        markup.figure(cuts, "boundary", "boundaries", rest=" before limits"),
        markup.figure(chunks, "chunk"),
    ]
    if len(tuned.gold):
        figures.append(markup.figure(len(tuned.gold), "reference boundary", "reference boundaries"))
    return f'<div class="cs-figures">{"".join(figures)}</div>'


# --- landscape -----------------------------------------------------------------------------------------------------


def landscape_view(tuned: TunedDocument) -> None:
    """Show the landscape, and a line on the effect of the last click."""
    document, signals, found = tuned.opened.document, tuned.signals, tuned.landscape
    document_store(tuned.document_key, document.text, signals.sentences.spans, signals.sentences.kinds)
    field = f"landscape-{tuned.key}"
    raster_field("_landscape_field", field, lambda: landscape_field(tune_data.smaller(found)))
    view = places.wanted_view(document, len(signals))

    def take() -> None:
        event = landscape_event("_landscape", tuned.document_key, view=view)
        places.put_view(event.view, document)
        if event.cleared:
            places.put_gap(None, document)
        elif event.gap is not None and event.alpha is not None and event.gap < len(signals):
            _take_gap(tuned, event.gap, event.alpha)

    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        markup.show(f'<div class="cs-status cs-quiet"><div>{_status(tuned)}</div></div>', width="content")
        if tuned.gap is not None:
            _link(tuned, tuned.gap)
    present = Present(
        tuned.params.alpha,
        tuned.params.percentile,
        np.flatnonzero(signals.threshold.exceeded),
        gold_gaps(tuned.reference.boundaries, signals.offsets, signals.sentences),
        tuned.plateau.alpha,
        tuned.changes.alphas,
        tuned.changes.until,
    )
    landscape_chart(
        "_landscape", tuned.document_key, field, found.flip.shape, present,
        selected=tuned.gap, view=view, on_event=take,
        live=live.curves(tuned.workspace, tuned.segmentation, strategy_settings.key_of),
    )  # fmt: skip


def _take_gap(tuned: TunedDocument, gap: int, alpha: float) -> None:
    """Select a gap, and the setting at which it just becomes a boundary; for a callback."""
    places.put_gap(gap, tuned.opened.document)
    found = tuned.landscape
    row = int(np.abs(found.alphas - alpha).argmin())
    count = int(tune_data.smaller(found)[row, gap])
    percentile = tune_data.just_below(count, len(found))
    flip = 100 * count / (len(found) - 1)
    at = f"α {found.alphas[row]:.2f}"
    if percentile is None:
        status = (
            f"Gap {gap + 1:,} is selected; the setting is unchanged. At {at} the gap is a boundary only below "
            f"percentile {flip:.4g}, and the minimum of the control is {tuned.params.lookup('percentile').minimum:g}."
        )
        _STATUS.set((tuned.key, tuned.params.alpha, tuned.params.percentile, status))
        return
    set_setting(float(found.alphas[row]), percentile)
    status = (
        f"Gap {gap + 1:,} just becomes a boundary at {at} and percentile {percentile:g}; at {flip:.5g} it is not cut."
    )
    _STATUS.set((tuned.key, float(found.alphas[row]), percentile, status))


def _link(tuned: TunedDocument, gap: int) -> None:
    """Show a link to the gap on the Inspect page, with the same setting."""
    label = f"Open gap {gap + 1:,} in Inspect"
    icon = ":material/query_stats:"
    texts = {
        strategy_settings.KEY: strategy_settings.text(tuned.segmentation.strategy),
        "gap": places.gap_text(gap, tuned.opened.document),
    }
    st.button(label, key="_to_inspect", icon=icon, type="tertiary", on_click=go, args=("pages/inspect.py", texts))


def set_setting(alpha: float, percentile: float) -> None:
    """Set both controls; for a callback, before they are drawn."""
    strategy_settings.change("structural", {"alpha": round(alpha, 2), "percentile": round(percentile, 1)})


_HOW = (
    "Click a gap at the height of an α: α and percentile are set so that it just becomes a boundary. Drag to zoom, "
    "double-click to reset. Keys: arrows and Enter."
)


def _status(tuned: TunedDocument) -> str:
    """Return the effect of the last click while its setting is current, else how to use the figure."""
    *about, status = _STATUS.get()
    return markup.escape(status) if about == [tuned.key, tuned.params.alpha, tuned.params.percentile] else _HOW


# --- below the landscape -------------------------------------------------------------------------------------------

VIEWS = ("Settings", "Stability")


def chosen_view(tuned: TunedDocument) -> None:
    """Show the selected view; the other one is not computed."""
    view = controls.segments("View", VIEWS, name="tune", label_visibility="collapsed")
    (plane_view if view == VIEWS[0] else stability_view)(tuned)


# --- the plane of settings -----------------------------------------------------------------------------------------


def plane_view(tuned: TunedDocument) -> None:
    """Show the plane of settings beside the values of the current and the best setting."""
    left, right = st.columns([3, 2])
    with left:
        names = list(tuned.plane.maps)
        chosen = controls.segments(
            "Map",
            names,
            name="map",
            default="f1" if "f1" in names else names[0],
            titles=lambda name: tuned.plane.maps[name].title,
            label_visibility="collapsed",
        )
        measure: Measure = "pk" if chosen == "pk" else "f1"
        choice = tuned.choice(measure)
        _plane(tuned, chosen, choice)
    with right:
        if choice:
            st.button(
                "Use the best setting",
                key="_use_best",
                icon=":material/star:",
                help=f"α {choice.best[0]:.2f} and percentile {choice.best[1]:.1f}: the middle of the settings with the "
                "best score on this document. The cross-validated score is below.",
                width="stretch",
                on_click=set_setting,
                args=choice.best,
            )
        markup.show(
            f'<div class="cs-ledger" style="height: auto">{_setting(tuned)}{_reference_scores(tuned, choice)}</div>'
        )


def _plane(tuned: TunedDocument, shown: str, choice: Choice | None) -> None:
    key, found = tuned.keyed_plane
    field, region = f"plane-{key}", None
    if choice:
        field = f"{field}-{choice.measure}"
        region = choice.region[np.searchsorted(choice.alphas, found.alphas)]
    raster_field("_plane_field", field, lambda: plane_field(list(found.maps.values()), region))

    def take() -> None:
        event = plane_event("_plane", key)
        if event.alpha is not None and event.percentile is not None:
            row, column = found.cell(event.alpha, event.percentile)
            set_setting(float(found.alphas[row]), float(found.percentiles[column]))

    plane_chart(
        "_plane",
        key,
        field,
        PlaneView(
            map=list(found.maps).index(shown),
            percentiles=found.percentiles,
            rows=len(found.alphas),
            point=Point(tuned.params.alpha, tuned.params.percentile, (tuned.plateau.alpha, tuned.plateau.percentile)),
            best=choice.best if choice else None,
            region=choice is not None,
        ),
        on_event=take,
    )
    st.caption(f"{found.maps[shown].help} Click a setting to use it.")


def _setting(tuned: TunedDocument) -> str:
    """Return a description of the current setting as HTML."""
    row, column = tuned.plane.cell(tuned.params.alpha, tuned.params.percentile)
    rows = "".join(
        f"<tr><td>{explained(each.title)}</td><td>{_value(float(each.values[row, column]), digits(each))}</td></tr>"
        for name, each in tuned.plane.maps.items()
        if name not in get_args(Measure)
    )
    return (
        f"<b>α {tuned.params.alpha:.2f}, percentile {tuned.params.percentile:g}</b>"
        f"<p>The boundaries are the same for α {_interval(*tuned.plateau.alpha)} at this percentile, and for "
        f"percentile {_interval(*tuned.plateau.percentile)} at this α.</p><table>{rows}</table>"
    )


def _interval(low: float, high: float) -> str:
    """Return an interval, with enough digits to distinguish its ends."""
    digits_ = 2
    while digits_ < 6 and high > low and f"{low:.{digits_}f}" == f"{high:.{digits_}f}":
        digits_ += 1
    return f"{low:.{digits_}f}–{high:.{digits_}f}"


def _value(value: float, digits_: int) -> str:
    return f"{value:,.{digits_}f}" if np.isfinite(value) else "none"


def _reference_scores(tuned: TunedDocument, choice: Choice | None) -> str:
    """Return the scores of the current and the best setting against the reference, as HTML."""
    if choice is None and tuned.reference.partial:
        cuts = np.flatnonzero(tuned.signals.threshold.exceeded)
        score = partial_score(tuned.reference, cuts, tuned.signals.offsets, tuned.signals.sentences)
        return partial.html(tuned.reference, {"This setting": score})
    if choice is None:
        return markup.empty(
            "This document has no reference boundaries.",
            "Set them on the Review page, or upload a file on the Compare page, to score every setting here.",
        )
    row, column = tuned.plane.cell(tuned.params.alpha, tuned.params.percentile)
    name = explained("F1") if choice.measure == "f1" else f"{explained('Pk')} (lower is better)"
    now = float(tuned.plane.maps[choice.measure].values[row, column])
    lines = (
        ("Current setting", (tuned.params.alpha, tuned.params.percentile), f"{now:.3f}"),
        ("Default setting", choice.usual, f"{choice.usual_score:.3f}"),
        ("Best setting on this document", choice.best, f"{choice.apparent:.3f}"),
        ("Cross-validated", None, _estimate(choice.honest)),
    )
    rows = "".join(
        f"<tr><td>{explained(title)}</td><td>{_pair(at)}</td><td>{score}</td></tr>" for title, at, score in lines
    )
    share = float(choice.region.mean())
    summary = (
        f"<p>{markup.escape(choice.verdict)} {_percent(share)} of all settings are not "
        f"{explained('significantly different', 'significant')} from the best.</p>"
        f'<p class="cs-quiet">Cross-validated: each of {plural(choice.units, choice.unit)} is scored at the setting '
        f"that is best on the others, with a {explained('95 % interval')}.</p>"
    )
    warnings = "".join(f'<div class="cs-quiet">⚠ {markup.escape(warning)}</div>' for warning in choice.warnings)
    head_ = (
        f"<tr><th>{choice.gold:,} {explained('reference boundaries')}</th>"
        f"<th>{explained('α')}, {explained('percentile')}</th><th>{name}</th></tr>"
    )
    return f"<table>{head_}{rows}</table>{summary}{warnings}"


def _estimate(found: ScoreEstimate) -> str:
    between = f" [{found.low:.3f}, {found.high:.3f}]" if np.isfinite(found.low) else ""
    return f"{found.value:.3f}{between}"


def _pair(setting: tuple[float, float] | None) -> str:
    return f"{setting[0]:.2f}, {setting[1]:.1f}" if setting else "varies"


def _percent(share: float) -> str:
    return "less than 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


# --- stability -----------------------------------------------------------------------------------------------------

_TABLE = "_stability_table"


def stability_view(tuned: TunedDocument) -> None:
    """Show the stability of each boundary, the least stable first."""
    others = [
        documents.workspace(tuned.opened, replace(tuned.workspace.tools, encoder=name))
        for name in encoders.encoder_names()
        if name != tuned.workspace.tools.encoder
    ]
    if not _embedded(tuned, others):
        return
    found = tune_data.stability_of(tuned.workspace, tuned.params, others)
    if not len(found.gaps):
        frame.show_empty(
            "This setting cuts no gap, so there are no boundaries to test.", "Lower the percentile to get some."
        )
        return
    known = {kind: shares for kind, shares in found.shares.items() if not np.isnan(shares).any()}
    order = np.argsort(found.overall, kind="stable")
    rows = found.gaps[order]
    spans, text = tuned.signals.sentences.spans, tuned.opened.document.text
    columns: dict[str, list[object]] = {
        "gap": (rows + 1).tolist(),
        "stability": (100 * found.overall[order]).tolist(),
        **{kind: (100 * shares[order]).tolist() for kind, shares in known.items()},
    }
    if len(tuned.gold):
        columns["reference"] = ["yes" if gap in set(tuned.gold.tolist()) else "" for gap in rows.tolist()]
    columns["beginning"] = [chunk_sizes.first_words(text, *spans[gap + 1].tolist()) for gap in rows.tolist()]

    def take() -> None:
        chosen = widget_value(_TABLE).selection.rows
        if chosen and chosen[0] < len(rows):
            places.put_gap(int(rows[chosen[0]]), tuned.opened.document)

    boundaries = "boundary" if len(rows) == 1 else "boundaries"
    st.caption(
        f"{len(rows):,} {boundaries}, least stable first. Click a column header to sort, or a row to "
        "select its gap above."
    )

    def share(title: str, help: str) -> Any:
        return st.column_config.ProgressColumn(
            title, help=help, min_value=0, max_value=100, format="%.0f %%", width=130
        )

    st.dataframe(
        columns,
        key=_TABLE,
        on_select=take,
        selection_mode="single-row",
        hide_index=True,
        height=min(480, 38 + 35 * len(rows)),
        column_config=table_columns.explained(
            columns,
            {
                "gap": st.column_config.NumberColumn("gap", width=60),
                "stability": share("stability", "Mean of the columns to the right."),
                **{kind: share(KINDS[kind].title, KINDS[kind].help) for kind in known},
                "reference": st.column_config.Column("reference", width=80),
                "beginning": st.column_config.Column("beginning of the next chunk", width=320),
            },
        ),
    )


def _embedded(tuned: TunedDocument, others: list[Workspace]) -> bool:
    """Return whether the view can be shown; offer to embed with another encoder, and do so on request."""
    window = tuned.params.window
    missing = [other for other in others if not other.has_vectors(window)]
    for other in missing:
        name = other.tools.encoder
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


_REQUESTED: Slot[tuple[str, int, str] | None] = Slot("_asked_encoder", session.empty)
