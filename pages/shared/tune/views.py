"""The Tune page's pictures and words: the landscape, the plane of settings, what gold says, and stability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast, get_args

import numpy as np
import numpy.typing as npt
import streamlit as st

from chunking import embedding as encoders
from chunking.comparison import comparison
from chunking.curves.signals import Signals
from chunking.gold import gold
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.choice import Choice, Estimate, Measure
from chunking.tuning.landscape import Changes, Landscape, Plateau, plateau
from chunking.tuning.plane import Plane
from chunking.tuning.stability import KINDS
from chunking.workspace import Workspace
from pages.shared.components.document_store import document_store
from pages.shared.components.landscape import Present, landscape_chart, landscape_event, landscape_field
from pages.shared.components.plane import Point, digits, plane_chart, plane_event, plane_field
from pages.shared.components.raster import raster_field
from pages.shared.documents import about_document, documents, embedding
from pages.shared.documents.documents import Opened
from pages.shared.frame import markup
from pages.shared.reference import own_chunks
from pages.shared.settings import controls, places, strategy_settings
from pages.shared.tune import data as tune_data
from pages.shared.tune import exports as tune_exports

Ints = npt.NDArray[np.int64]

_SAID = "_tune_said"


@dataclass(frozen=True, eq=False)
class Tuned:
    """The document under the present setting, with what is known of every other setting.

    Attributes:
        opened, workspace, segmentation: the document, and what the setting makes of it.
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
        """What the components call the document."""
        return f"{self.opened.document.key}-{len(self.signals.sentences)}"

    @cached_property
    def key(self) -> str:
        """Names the two curves."""
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
    def changes(self) -> Changes:
        """Where along α boundaries change at the present percentile."""
        return tune_data.changes_of(self.key, self.signals.semantic, self.signals.structural, self.params.percentile)

    @cached_property
    def gold(self) -> Ints:
        """Gaps that a person would cut; empty where nobody said."""
        return gold.gold_gaps(own_chunks.gold_of(self.opened), self.signals.offsets, self.signals.sentences)

    @cached_property
    def keyed_plane(self) -> tuple[str, Plane]:
        """What is known of every setting, and what names it."""
        return tune_data.plane_of(self.key, self.workspace, self.landscape, self.gold)

    @property
    def plane(self) -> Plane:
        """What is known of every setting."""
        return self.keyed_plane[1]

    def choice(self, measure: Measure) -> Choice | None:
        """What gold says; ``None`` where there is none."""
        if not len(self.gold):
            return None
        return tune_data.choice_of(self.key, self.signals.semantic, self.signals.structural, self.gold, measure)

    @property
    def gap(self) -> int | None:
        """The chosen gap."""
        return places.chosen_gap(self.opened.document, len(self.signals))


# --- head ----------------------------------------------------------------------------------------------------------


def head(tuned: Tuned) -> None:
    """Title, figures at a glance, warnings."""
    title = markup.escape(tuned.opened.title)
    kind = markup.escape(about_document.kind(tuned.opened.document, tuned.signals.sentences.splitter))
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        said = f'<b>{title}</b> <span class="cs-quiet cs-kind">{kind}</span>{_figures(tuned)}'
        markup.show(said, width="content")
        if shown(tuned):
            tune_exports.show(tuned.opened.document, tuned.signals, tuned.landscape, lambda: tuned.plane)
    warnings = (*tuned.segmentation.warnings, *tuned.workspace.warnings(tuned.params.window))
    about_document.notes(warnings)


def shown(tuned: Tuned) -> bool:
    """Whether there is something to tune: gaps to compare, and the rule that the pictures are of."""
    return len(tuned.signals) > 1 and tuned.params.threshold == "percentile"


def _figures(tuned: Tuned) -> str:
    cuts, chunks = int(tuned.signals.threshold.exceeded.sum()), len(tuned.segmentation.chunks)
    figures = [
        _figure(len(tuned.signals), "gap"),
        _figure(cuts, "boundary", "boundaries", " before limits"),
        _figure(chunks, "chunk"),
    ]
    if len(tuned.gold):
        figures.append(_figure(len(tuned.gold), "gold boundary", "gold boundaries"))
    return f'<div class="cs-figures">{"".join(figures)}</div>'


def _figure(number: int, one: str, many: str = "", rest: str = "") -> str:
    return f"<div><b>{number:,}</b><span>{one if number == 1 else many or f'{one}s'}{rest}</span></div>"


# --- landscape -----------------------------------------------------------------------------------------------------


def landscape_view(tuned: Tuned) -> None:
    """The landscape, and a line that says what the last click did."""
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
        markup.show(f'<div class="cs-told cs-quiet"><div>{_said(tuned)}</div></div>', width="content")
        if tuned.gap is not None:
            _link(tuned, tuned.gap)
    present = Present(
        tuned.params.alpha,
        tuned.params.percentile,
        np.flatnonzero(signals.threshold.exceeded),
        tuned.gold,
        tuned.plateau.alpha,
        tuned.changes.alphas,
        tuned.changes.until,
    )
    landscape_chart(
        "_landscape", tuned.document_key, field, found.flip.shape, present,
        selected=tuned.gap, view=view, on_event=take,
    )  # fmt: skip


def _take_gap(tuned: Tuned, gap: int, alpha: float) -> None:
    """Choose a gap, and the setting at which it is just a boundary; in a callback."""
    places.put_gap(gap, tuned.opened.document)
    found = tuned.landscape
    row = int(np.abs(found.alphas - alpha).argmin())
    count = int(tune_data.smaller(found)[row, gap])
    percentile = tune_data.just_below(count, len(found))
    flip = 100 * count / (len(found) - 1)
    at = f"α {found.alphas[row]:.2f}"
    if percentile is None:
        said = (
            f"Gap {gap + 1:,} is chosen, and the setting is as it was: at {at} the gap is a boundary only below "
            f"percentile {flip:.4g}, and the control begins at {tuned.params.lookup('percentile').minimum:g}."
        )
        st.session_state[_SAID] = (tuned.key, tuned.params.alpha, tuned.params.percentile, said)
        return
    set_setting(float(found.alphas[row]), percentile)
    said = f"Gap {gap + 1:,} is just a boundary: at {at} and percentile {percentile:g}; from {flip:.5g} on it is none."
    st.session_state[_SAID] = (tuned.key, float(found.alphas[row]), percentile, said)


def _link(tuned: Tuned, gap: int) -> None:
    """The way to a gap on the Inspect page, where the controls stay as they are."""
    label = f"Gap {gap + 1:,} in Inspect"
    icon = ":material/query_stats:"
    if st.button(label, key="_to_inspect", icon=icon, type="tertiary"):
        strategy_settings.come_from(tuned.segmentation.strategy)
        st.switch_page("pages/inspect.py", query_params={"gap": places.gap_text(gap, tuned.opened.document)})


def set_setting(alpha: float, percentile: float) -> None:
    """Move both controls; in a callback, before they are drawn."""
    strategy_settings.change("structural", {"alpha": round(alpha, 2), "percentile": round(percentile, 1)})


_HOW = (
    "Click a gap at some height: α and percentile become those at which it is just a boundary. Drag to zoom, "
    "double-click to see all. Keys: arrows and Enter."
)


def _said(tuned: Tuned) -> str:
    """What the last click did, as long as its setting stands; else how to use the picture."""
    *about, said = st.session_state.get(_SAID, ("",))
    return markup.escape(said) if about == [tuned.key, tuned.params.alpha, tuned.params.percentile] else _HOW


# --- below the landscape -------------------------------------------------------------------------------------------

VIEWS = ("Settings", "Stability")


def chosen_view(tuned: Tuned) -> None:
    """The view that is chosen; the other costs nothing."""
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], label_visibility="collapsed", required=True, **controls.bound("tune", "")
    )
    (plane_view if view == VIEWS[0] else stability_view)(tuned)


# --- the plane of settings -----------------------------------------------------------------------------------------


def plane_view(tuned: Tuned) -> None:
    """The plane of settings beside what is known of the present one, and of the best."""
    left, right = st.columns([3, 2])
    with left:
        names = list(tuned.plane.maps)
        chosen: str = st.segmented_control(
            "Map",
            names,
            format_func=lambda name: tuned.plane.maps[name].title,
            default="f1" if "f1" in names else names[0],
            label_visibility="collapsed",
            required=True,
            **controls.bound("map", ""),
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
                help=f"α {choice.best[0]:.2f} and percentile {choice.best[1]:.1f}: the middle of the settings that are "
                "best on this very text. What that is worth is said below.",
                width="stretch",
                on_click=set_setting,
                args=choice.best,
            )
        markup.show(f'<div class="cs-ledger" style="height: auto">{_setting(tuned)}{_gold_words(tuned, choice)}</div>')


def _plane(tuned: Tuned, shown: str, choice: Choice | None) -> None:
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
        list(found.maps).index(shown),
        found.percentiles,
        len(found.alphas),
        Point(tuned.params.alpha, tuned.params.percentile, (tuned.plateau.alpha, tuned.plateau.percentile)),
        best=choice.best if choice else None,
        region=choice is not None,
        on_event=take,
    )
    st.caption(f"{found.maps[shown].help} Click a setting to use it.")


def _setting(tuned: Tuned) -> str:
    """The present setting in words."""
    row, column = tuned.plane.cell(tuned.params.alpha, tuned.params.percentile)
    rows = "".join(
        f"<tr><td>{markup.escape(each.title)}</td><td>{_value(float(each.values[row, column]), digits(each))}</td></tr>"
        for name, each in tuned.plane.maps.items()
        if name not in get_args(Measure)
    )
    return (
        f"<b>α {tuned.params.alpha:.2f}, percentile {tuned.params.percentile:g}</b>"
        f"<p>No boundary changes for α {_stretch(*tuned.plateau.alpha)} at this percentile, nor for percentile "
        f"{_stretch(*tuned.plateau.percentile)} at this α.</p><table>{rows}</table>"
    )


def _stretch(low: float, high: float) -> str:
    """Two ends, with as many digits as tell them apart."""
    digits_ = 2
    while digits_ < 6 and high > low and f"{low:.{digits_}f}" == f"{high:.{digits_}f}":
        digits_ += 1
    return f"{low:.{digits_}f}–{high:.{digits_}f}"


def _value(value: float, digits_: int) -> str:
    return f"{value:,.{digits_}f}" if np.isfinite(value) else "none"


def _gold_words(tuned: Tuned, choice: Choice | None) -> str:
    """What gold says of the best setting, and what that is worth."""
    if choice is None:
        return (
            '<p class="cs-quiet">No true boundaries of this document are known. Set some on the Review page, or bring '
            "a file on the Compare page, and every setting is measured against them here.</p>"
        )
    row, column = tuned.plane.cell(tuned.params.alpha, tuned.params.percentile)
    name = "F1" if choice.measure == "f1" else "Pk (less is better)"
    now = float(tuned.plane.maps[choice.measure].values[row, column])
    lines = (
        ("this setting", (tuned.params.alpha, tuned.params.percentile), f"{now:.3f}"),
        ("the usual", choice.usual, f"{choice.usual_score:.3f}"),
        ("the best, on this very text", choice.best, f"{choice.apparent:.3f}"),
        ("so chosen, on unseen text", None, _estimate(choice.honest)),
    )
    rows = "".join(f"<tr><td>{title}</td><td>{_pair(at)}</td><td>{score}</td></tr>" for title, at, score in lines)
    share = float(choice.region.mean())
    told = (
        f"<p>{markup.escape(choice.verdict)} Gold cannot tell {_percent(share)} of all settings from the best.</p>"
        f'<p class="cs-quiet">The last row is what choosing by gold is worth: each of {choice.units} '
        f"{_PLURAL[choice.unit]} is measured at the setting that is best on the others, with a 95 % interval.</p>"
    )
    warnings = "".join(f'<div class="cs-quiet">⚠ {markup.escape(warning)}</div>' for warning in choice.warnings)
    head_ = f"<tr><th>by {choice.gold:,} gold boundaries</th><th>α, percentile</th><th>{name}</th></tr>"
    return f"<table>{head_}{rows}</table>{told}{warnings}"


_PLURAL = {"document": "documents", "stretch": "stretches"}


def _estimate(found: Estimate) -> str:
    between = f" [{found.low:.3f}, {found.high:.3f}]" if np.isfinite(found.low) else ""
    return f"{found.value:.3f}{between}"


def _pair(setting: tuple[float, float] | None) -> str:
    return f"{setting[0]:.2f}, {setting[1]:.1f}" if setting else "each its own"


def _percent(share: float) -> str:
    return "less than 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


# --- stability -----------------------------------------------------------------------------------------------------

_TABLE = "_stability_table"


def stability_view(tuned: Tuned) -> None:
    """What each boundary survives, the weakest first."""
    others = [
        documents.workspace(tuned.opened, replace(tuned.workspace.tools, encoder=name))
        for name in encoders.encoder_names()
        if name != tuned.workspace.tools.encoder
    ]
    if not _embedded(tuned, others):
        return
    found = tune_data.stability_of(tuned.workspace, tuned.params, others)
    if not len(found.gaps):
        st.info("Nothing is cut at this setting, so there is no boundary that could stay or go.")
        return
    known = {kind: shares for kind, shares in found.shares.items() if not np.isnan(shares).any()}
    order = np.argsort(found.overall, kind="stable")
    rows = found.gaps[order]
    spans, text = tuned.signals.sentences.spans, tuned.opened.document.text
    columns: dict[str, list[object]] = {
        "gap": (rows + 1).tolist(),
        "survives": (100 * found.overall[order]).tolist(),
        **{kind: (100 * shares[order]).tolist() for kind, shares in known.items()},
    }
    if len(tuned.gold):
        columns["gold"] = ["gold" if gap in set(tuned.gold.tolist()) else "" for gap in rows.tolist()]
    columns["begins"] = [comparison.first_words(text, *spans[gap + 1].tolist()) for gap in rows.tolist()]

    def take() -> None:
        chosen = st.session_state[_TABLE].selection.rows
        if chosen and chosen[0] < len(rows):
            places.put_gap(int(rows[chosen[0]]), tuned.opened.document)

    st.caption(
        f"{len(rows):,} boundaries, the one that survives least first. Click a column's head to sort, a row to see its "
        "gap above; its link leads to why it is cut."
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
        column_config={
            "gap": st.column_config.NumberColumn("gap", width=60),
            "survives": share("survives", "The mean of the columns to the right."),
            **{kind: share(KINDS[kind].title, KINDS[kind].help) for kind in known},
            "gold": st.column_config.Column("gold", width=60),
            "begins": st.column_config.Column("the text after it begins", width=320),
        },
    )


def _embedded(tuned: Tuned, others: list[Workspace]) -> bool:
    """Whether the view can be shown; offers to embed with another encoder, and does so where that was asked for."""
    window = tuned.params.window
    missing = [other for other in others if not other.has_vectors(window)]
    for other in missing:
        name = other.tools.encoder
        asked = (tuned.workspace.key, window, name)
        if st.session_state.get(_ASKED) == asked:
            if not embedding.ready(other, (window,)):
                return False
            del st.session_state[_ASKED]
            continue
        st.button(
            f"Embed with {markup.plain(name)} too",
            key=f"_embed_{name}",
            help="Then the table says how often each boundary is cut with that encoder as well.",
            icon=":material/library_add:",
            on_click=st.session_state.__setitem__,
            args=(_ASKED, asked),
        )
    return True


_ASKED = "_asked_encoder"
