"""A pinned setting: kept beside the one that is shown while its controls or the document change.

The address holds it as the command line writes it (``pinned=changepoint:alpha=0.5``). What it makes of the document is
cached with the segmentations of comparisons, so that a move of a control computes nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.chunks import leaves
from chunking.comparison import cut_changes
from chunking.comparison.cut_changes import CutChanges
from chunking.comparison.report import ComparisonEntry, at_gaps, entry
from chunking.comparison.revision import Version
from chunking.loading import clean_name
from chunking.report.curves import PinnedCurves
from chunking.runtime.arrays import Int64
from chunking.settings import SettingsFile, read_settings, setting_difference
from chunking.strategies import Segmentation, Setting
from chunking.work import inputs
from chunking.workspace import DocumentAnalysis, Models
from pages.shared import state
from pages.shared.documents import results
from pages.shared.documents.uploads import Files, UploadField
from pages.shared.frame import frame, markup
from pages.shared.settings import address_positions, lane_settings, strategy_settings
from pages.shared.state import session

NAME = "pinned"
"""Of the parameter."""


@dataclass(frozen=True, eq=False)
class Pinned:
    """A pinned setting beside the one that is shown, on one document.

    Attributes:
        current, setting: the setting that is shown, and the pinned one.
        workspace: the document.
        shown_entry, entry: what they make of it.
    """

    current: Setting
    setting: Setting
    workspace: DocumentAnalysis
    shown_entry: ComparisonEntry
    entry: ComparisonEntry

    @cached_property
    def changes(self) -> CutChanges:
        """The boundaries as offsets: ``appeared`` are only in the shown setting, ``gone`` only in the pinned one."""
        sentences, gaps = self.workspace.sentences, self.workspace.offsets
        before, after = (at_gaps(entry.offsets, sentences, gaps) for entry in (self.entry, self.shown_entry))
        return cut_changes.changes(before, after)

    @cached_property
    def boundaries(self) -> Int64:
        """``(n_cuts,)`` int64: the gaps that the pinned setting cuts."""
        return self._gaps_at(np.union1d(self.changes.kept, self.changes.gone))

    @cached_property
    def differing(self) -> Int64:
        """``(n,)`` int64: the gaps that only one of the two cuts."""
        return self._gaps_at(np.union1d(self.changes.appeared, self.changes.gone))

    def _gaps_at(self, offsets: Int64) -> Int64:
        return np.flatnonzero(np.isin(self.workspace.offsets, offsets)).astype(np.int64)

    @cached_property
    def curves(self) -> PinnedCurves:
        """What the chart draws."""
        signals = self.entry.segmentation.signals
        if signals is None or len(signals) != len(self.workspace.offsets):
            return PinnedCurves(self.boundaries)
        # The slope of a gradient has no place on the axis of the distances.
        threshold = float("nan") if signals.threshold.rule == "gradient" else signals.threshold.value
        return PinnedCurves(self.boundaries, signals.fused, threshold)


# ---- the address


def _read_address() -> tuple[Setting | None, ChunkscopeError | None]:
    """Return the setting that the address pins, if any, and why it cannot be read."""
    text = state.address().text(NAME)
    try:
        return strategies.parse(text) if text else None, None
    except ChunkscopeError as error:
        problem = ChunkscopeError(f"The pinned setting in the URL cannot be read. {error.problem}", error.remedy)
        return None, problem


def windows(current: Setting) -> tuple[int, ...]:
    """Return the windows whose vectors are needed: those of the setting that is shown, and those of the pinned one."""
    setting, _ = _read_address()
    return tuple(dict.fromkeys((*current.windows, *(setting.windows if setting else ()))))


def beside(workspace: DocumentAnalysis, current: Setting, segmentation: Segmentation) -> Pinned | None:
    """Return what is pinned beside a setting and its segmentation; show why it cannot be used, where it cannot."""
    pinned, problem = find(workspace, current, segmentation)
    if problem is not None:
        frame.show_error(problem)
        st.button("Unpin", key="_unpin_unusable", icon=":material/keep_off:", on_click=_unpin)
    return pinned


def find(
    workspace: DocumentAnalysis, current: Setting, segmentation: Segmentation
) -> tuple[Pinned | None, ChunkscopeError | None]:
    """Return what is pinned beside a setting and its segmentation, and why it cannot be used, where it cannot."""
    setting, problem = _read_address()
    if setting is None:
        return None, problem
    try:
        cache = results.of(workspace)
        if cache.find(workspace, setting) is None:
            with st.spinner(f"{markup.plain(setting.title)}…"):
                cache.get(workspace, setting)
        return Pinned(current, setting, workspace, entry(current, segmentation), cache.get(workspace, setting)), None
    except ChunkscopeError as error:
        return None, ChunkscopeError(f"The pinned setting cannot be used here. {error.problem}", error.remedy)


def _pin(setting: Setting) -> None:
    state.address().put(NAME, setting.text)


def _unpin() -> None:
    state.address().put(NAME, None)


def _swap(pinned: Pinned) -> None:
    _pin(pinned.current)
    strategy_settings.open_(pinned.setting)


def _compare(pinned: Pinned) -> None:
    lanes = ",".join(dict.fromkeys((pinned.current.text, pinned.setting.text)))
    state.go("pages/compare.py", {lane_settings.ADDRESS: lanes})


def entries(pinned: Pinned | None) -> list[ComparisonEntry]:
    """Return both settings as entries of a comparison, each once; none where none is pinned."""
    if pinned is None:
        return []
    same = pinned.entry.label == pinned.shown_entry.label
    return [pinned.shown_entry] if same else [pinned.shown_entry, pinned.entry]


def curves(pinned: Pinned | None) -> PinnedCurves | None:
    """Return what the chart draws of the pinned setting."""
    return pinned.curves if pinned else None


# ---- the page


def offer(said: str, setting: Setting, workspace: DocumentAnalysis) -> None:
    """Show a line of HTML, with what pins the setting that is shown, or one from a file, at its end."""
    with st.container(key="_pin_row", horizontal=True, vertical_alignment="center"):
        markup.show(said)
        st.button(
            "Pin this setting", key="_pin", type="tertiary", icon=":material/keep:", on_click=_pin, args=(setting,),
            disabled=state.address().text(NAME) == setting.text, help=_HELP,
        )  # fmt: skip
        _offer_upload(workspace.tools)


_HELP = (
    "Keep this setting beside the one you change: its curve and its boundaries stay in the chart, and what differs is "
    "listed below."
)


def show(pinned: Pinned | None, selected: int | None) -> None:
    """Show what differs from the pinned setting, and what to do with it; nothing where none is pinned."""
    if pinned is None:
        return
    with st.container(key="_pinned", gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            markup.show(f'<div class="cs-pinned">{settings_words(pinned)}</div>')
            _buttons(pinned)
        with st.container(horizontal=True, vertical_alignment="center"):
            markup.show(figures(pinned) + ("" if selected is None else verdict(pinned, selected)), "content")
            _steps(pinned, selected)


def _buttons(pinned: Pinned) -> None:
    st.button(
        "Swap", key="_swap_pinned", type="tertiary", icon=":material/swap_horiz:", on_click=_swap, args=(pinned,),
        help="Show the pinned setting, and pin the one that is shown.",
    )  # fmt: skip
    st.button(
        "Compare", key="_compare_pinned", type="tertiary", icon=":material/view_column:", on_click=_compare,
        args=(pinned,), help="Open both settings in Compare, with their chunks side by side.",
    )  # fmt: skip
    st.button(
        "Unpin", key="_unpin", type="tertiary", icon=":material/keep_off:", on_click=_unpin,
        help="The setting that is shown stays.",
    )  # fmt: skip


def _steps(pinned: Pinned, selected: int | None) -> None:
    """Show buttons to the differences before and after the selected gap."""
    gaps = pinned.differing
    if not len(gaps):
        return
    at = -1 if selected is None else selected
    before, after = gaps[gaps < at], gaps[gaps > at]
    for key, icon, help, to in (
        ("_previous_difference", "chevron_left", "Previous difference", before[-1:]),
        ("_next_difference", "chevron_right", "Next difference", after[:1]),
    ):
        gap = int(to[0]) if len(to) else None
        st.button(
            "", key=key, type="tertiary", icon=f":material/{icon}:", help=help, disabled=gap is None,
            on_click=_select, args=(pinned, gap),
        )  # fmt: skip


def _select(pinned: Pinned, gap: int) -> None:
    address_positions.put_gap(gap, pinned.workspace.document)


# ---- words


def settings_words(pinned: Pinned) -> str:
    """Return the pinned setting, and the parameters in which it differs from the one that is shown, as HTML."""
    strategy = pinned.setting.strategy
    if strategy.name != pinned.current.strategy.name:
        then, now = (markup.escape(setting.title) for setting in (pinned.setting, pinned.current))
        return f"<b>Pinned:</b> {then}. <b>Shown:</b> {now}."
    parts = []
    for change in setting_difference(pinned.setting, pinned.current):
        title = markup.escape(strategy.params.lookup(change.key).title)
        now, then = (markup.escape(value or "none") for value in (change.after, change.before))
        parts.append(f"{title} <b>{now}</b> shown, <b>{then}</b> pinned")
    if not parts:
        return f"<b>Pinned:</b> {markup.escape(pinned.setting.title)}, as shown. Change a control to see what differs."
    return f"<b>Pinned:</b> {markup.escape(strategy.title)} · {'; '.join(parts)}."


def figures(pinned: Pinned) -> str:
    """Return how many boundaries both settings have, or one alone, and the pinned chunks, as a line of HTML."""
    changes = pinned.changes
    parts = [
        markup.figure(len(changes.kept), "boundary in both", "boundaries in both"),
        markup.figure(len(changes.appeared), "only shown", "only shown"),
        markup.figure(len(changes.gone), "only pinned", "only pinned"),
    ]
    inside = len(changes.appeared) + len(changes.gone) - len(pinned.differing)
    if inside:
        help = "A cut inside a sentence lies at no gap, so the chart has no place for it. Compare shows it."
        parts.append(markup.figure(inside, "of these inside a sentence", "of these inside sentences", help=help))
    chunks = leaves(pinned.entry.segmentation.chunks)
    median = np.median([chunk.tokens for chunk in chunks] or [0])
    parts.append(
        f"<div><span>pinned:</span><b>{len(chunks):,}</b><span>{'chunk' if len(chunks) == 1 else 'chunks'}, median "
        f"tokens</span><b>{median:,.0f}</b></div>"
    )
    return markup.figures(*parts)


def verdict(pinned: Pinned, gap: int) -> str:
    """Return what the pinned setting makes of a gap, as HTML."""
    workspace = pinned.workspace
    decision = Version(workspace.sentences, workspace.offsets, pinned.entry.segmentation).decision(gap)
    reason = f", {markup.escape(decision.reason)}" if decision.reason else ""
    return f'<p class="cs-quiet">Pinned setting: <b>{"cut" if decision.is_cut else "not cut"}</b>{reason}.</p>'


# ---- a settings file, whose settings are offered to be pinned


MAX_BYTES = 2**20
"""Of a settings file; one with thousands of settings is smaller."""

_FILE: state.SessionValue[SettingsFile | None] = state.SessionValue("_settings_file", session.empty)
_UPLOAD = UploadField("_settings_upload")
_UPLOAD_HELP = "As Export writes it, and as the command line reads it. Its strategies and their parameters are used."


def _offer_upload(tools: Models) -> None:
    """Show the popover with the upload, and the settings of the file; ``tools`` are those of the page."""
    icon, help = ":material/upload_file:", "Pin a setting from a settings file"
    with st.popover("", icon=icon, type="tertiary", key="_settings_upload", help=help):
        _UPLOAD.draw("A settings file (TOML)", _receive_file, help=_UPLOAD_HELP)
        _UPLOAD.show_problem()
        file = _FILE.get()
        if file is not None:
            _choose_setting(file, tools)


def _choose_setting(file: SettingsFile, tools: Models) -> None:
    """Show the settings of a file, and report where it names other models than those of the page."""
    name = st.selectbox(f"Setting of {markup.plain(file.name)}", list(file.settings), key="_setting_of_file")
    st.button("Pin it", key="_pin_from_file", width="stretch", on_click=_pin, args=(file.settings[name],))
    models = (("encoder", file.encoder, tools.encoder), ("sentence splitter", file.splitter, tools.splitter))
    others = [f"{title} {model}" for title, model, chosen_model in models if model and model != chosen_model]
    if others:
        listed = markup.plain(" and ".join(others))
        st.caption(f"The file has {listed}. Both settings are measured with the models chosen on this page.")


def _receive_file(files: Files) -> None:
    for path, data in files:
        name = clean_name(path)
        if len(data) > MAX_BYTES:
            raise ChunkscopeError(f"{name} has more than {MAX_BYTES // 2**20} MiB.", "Choose a settings file.")
        file = read_settings(data, name, inputs.parse_toml)
        first = file.setting() if len(file.settings) < 2 else None  # of an empty file, raises with what to add
        _FILE.set(file)
        if first is not None:
            _pin(first)
