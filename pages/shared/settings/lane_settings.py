"""The lanes of a comparison: strategies with their parameters, kept in the address, edited in the sidebar."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError, strategies
from chunking.params import Parameter, Parameters, Value
from chunking.signals.features import FEATURES, FeatureSet
from chunking.strategies import Setting, Strategy, gaps
from chunking.strategies.context import RETURN_WINDOW
from pages.shared import state
from pages.shared.frame import frame, markup
from pages.shared.settings import controls
from pages.shared.state import session

ADDRESS = "lanes"
LIMIT = 16
_LONG_REMEDY = 160
"""Characters above which a remedy (the list of all strategies) is replaced by a pointer to the controls."""
SETS: dict[str, str] = {
    "One of each family": "structural,percentile,recursive,section,paragraph,heading",
    "Fused, and a few to compare": "structural,changepoint,percentile,recursive,paragraph,heading",
    "For retrieval": "structural,structural:max_tokens=240,changepoint,changepoint:max_tokens=240,paragraph,recursive",
    "Semantic thresholds": "structural,percentile,standard_deviation,interquartile,gradient,section_semantic",
    "Settings of α": "structural:alpha=0.0,structural:alpha=0.25,structural,structural:alpha=0.75,structural:alpha=1.0",
    "Sizes": "whole,fixed_size,recursive,sentence,semantic_boundary,paragraph",
    "Headings and sections": "section,heading,heading_limited,heading_paragraph,hierarchical,hierarchical_tree",
    "Formats": "markdown,html,json,code",
    "Libraries, by size": "recursive,langchain_recursive,llamaindex_sentence,chonkie_recursive,semchunk,"
    "semantic_text_splitter",
    "Libraries, by meaning": "structural,percentile,langchain_semantic,llamaindex_semantic,chonkie_semantic",
}
_FIRST = "One of each family"
_LANE_CHOICE = "_lane_choice"
"""How the key of the choice of the lane to edit begins."""
_ADD = "_add_strategy"
_SET = "_lane_set"


@dataclass(frozen=True)
class Draft:
    """Values in the controls of a lane that are not allowed together.

    Attributes:
        lane: the line of the lane.
        values: that the controls show.
        problem: why the lane cannot have them.
    """

    lane: str
    values: Mapping[str, Value]
    problem: ChunkscopeError


_LANE = state.SessionValue("_lane", int)
_SELECTIONS = state.SessionValue("_lane_selections", int)
"""How often the page itself chose the lane to edit."""
_LABELS: state.SessionValue[tuple[list[str], int]] = state.SessionValue("_lane_labels", lambda: ([], 0))
"""The labels of the lanes, and how often they have changed."""
_SHOWN = state.SessionValue("_lane_choice_shown", lambda: _LANE_CHOICE)
"""The key of the choice that the browser shows."""
_PROBLEM: state.SessionValue[tuple[str, ChunkscopeError] | None] = state.SessionValue("_lane_problem", session.empty)
_DRAFT: state.SessionValue[Draft | None] = state.SessionValue("_lane_draft", session.empty)
_MOVED: state.SessionValue[dict[str, dict[str, Value]]] = state.SessionValue("_lane_moved", dict)
"""What was moved in the controls of a lane, by its line, until the lane has it: the run may be stopped before."""
_CARRIED = state.SessionValue("_lane_carried", lambda: SETS[_FIRST].split(",")[0])


def current(retrieval: bool = False) -> list[Setting]:
    """Return the settings in the address; report invalid ones and leave them out.

    Args:
        retrieval: whether lanes may choose what is embedded and returned.
    """
    settings, errors = _read_address(retrieval)
    for error in errors:
        frame.show_error(error)
    return settings


def _read_address(retrieval: bool = False) -> tuple[list[Setting], list[ChunkscopeError]]:
    """Return the settings in the address, and the errors of those that were left out."""
    lanes = state.address().text(ADDRESS, SETS[_FIRST])
    settings: dict[str, Setting] = {}
    errors: list[ChunkscopeError] = []
    for part in filter(None, (part.strip() for part in lanes.split(","))):
        try:
            setting = strategies.parse(part, retrieval)
        except ChunkscopeError as error:
            remedy = error.remedy if len(error.remedy) <= _LONG_REMEDY else "Add one below."
            errors.append(ChunkscopeError(f"A lane in the URL was left out. {error.problem}", remedy))
            continue
        settings[setting.text] = setting
    if len(settings) > LIMIT:
        errors.append(ChunkscopeError(f"The URL has more than {LIMIT} lanes.", f"The first {LIMIT} are shown."))
    return list(settings.values())[:LIMIT], errors


def by_name(usual: str, embedding: bool = False) -> dict[str, Setting]:
    """Show the controls; return the settings by their lines, ``usual`` where the address has none.

    Args:
        usual: the settings of an address without any.
        embedding: whether there are controls of what is embedded and returned. Where there are none, the lanes keep
            these choices for the part that has them, and the settings are without.
    """
    if not state.address().text(ADDRESS):
        state.address().put(ADDRESS, usual)
    settings = choose(RETRIEVAL if embedding else KEPT)
    return {setting.text: setting for setting in (settings if embedding else [lane.cutting for lane in settings])}


def carry(first: Setting) -> None:
    """Let the first lane be the setting of Inspect when the user comes from there, unless it was changed here."""
    address = state.address()
    if address.page not in address.arrived_by_menu:
        return
    address.arrived_by_menu.discard(address.page)
    lanes = address.text(ADDRESS, SETS[_FIRST]).split(",")
    if lanes[0] == _CARRIED.get() != first.text:
        address.put(ADDRESS, ",".join([first.text, *(lane for lane in lanes[1:] if lane != first.text)]))
        _CARRIED.set(first.text)


Choices = Literal["cutting", "kept", "retrieval"]
"""Whether lanes may choose what is embedded and returned: not, without controls for it, or with them."""

CUTTING: Final = "cutting"
KEPT: Final = "kept"
RETRIEVAL: Final = "retrieval"


def choose(choices: Choices = CUTTING, problems: DeltaGenerator | None = None) -> list[Setting]:
    """Show the controls of the lanes; return their settings.

    Args:
        choices: whether lanes may choose what is embedded and returned.
        problems: where it is shown what is wrong; among the controls where it is not given.
    """
    with problems or contextlib.nullcontext():
        settings = current(choices != CUTTING)
    lane = min(_LANE.get(), max(len(settings) - 1, 0))
    if settings:
        # First, since another lane may have been chosen just after a control was moved.
        _settle(settings, lane, choices, mounted=True)
    _add(choices)
    if not settings:
        return []
    lane = _choose_lane(settings, lane)
    _buttons(len(settings), lane, choices)
    _editor(settings, lane, choices, problems)
    return settings


def _choose_lane(settings: Sequence[Setting], lane: int) -> int:
    """Show the lanes, one of which is to be edited; return its place."""
    labels = [f"{number} · {markup.plain(setting.title)}" for number, setting in enumerate(settings, 1)]
    index = session.widget_value(_SHOWN.get(), lane)
    if index != lane and index < len(settings):
        _PROBLEM.clear()
        _DRAFT.clear()
        lane = index
    _LANE.set(lane)
    # The browser identifies an option by its label, which changes with the lane's parameters. So new labels, and a lane
    # that the page itself chooses, make a new widget: it begins at its default, and no message can be lost on the way.
    # Labels that return make a new one too: the browser may still know the former choice under the old key.
    before, number = _LABELS.get()
    number += before != labels
    _LABELS.set((labels, number))
    key = f"{_LANE_CHOICE}_{_SELECTIONS.get()}_{number}"
    _SHOWN.set(key)
    st.radio("Strategy to edit", range(len(settings)), lane, key=key, format_func=labels.__getitem__)
    return lane


def lane() -> int:
    """Return the index of the lane to edit."""
    return _LANE.get()


def settings(choices: Choices = CUTTING) -> list[Setting]:
    """Return the settings of the lanes in the address, without any that cannot be read."""
    return _read_address(choices != CUTTING)[0]


def select(lane: int) -> None:
    """Let a lane be the one to edit, whatever was picked before; in a callback."""
    _LANE.set(lane)
    _SELECTIONS.set(_SELECTIONS.get() + 1)
    _SHOWN.clear()


def _write(settings: list[Setting]) -> None:
    state.address().put(ADDRESS, ",".join(setting.text for setting in settings))


def _add(choices: Choices) -> None:
    names = [strategy.name for strategy in strategies.REGISTRY.values()]
    st.selectbox(
        "Strategies",
        names,
        None,
        key=_ADD,
        placeholder="Add a strategy",
        format_func=lambda name: _offered(strategies.get(name)),
        on_change=_take_added,
        args=(choices,),
        help="Add a strategy; the same one can be added again with different parameters.",
    )
    st.selectbox(
        "Sets of strategies",
        SETS,
        None,
        key=_SET,
        placeholder="Use a set of strategies",
        on_change=_take_set,
        label_visibility="collapsed",
    )


def _offered(strategy: Strategy) -> str:
    missing = "" if strategy.installed() else " (not installed)"
    return f"{strategy.family}: {strategy.title}{missing}"


# A callback reads the lanes itself: the workbench may have moved some since they were drawn.


def _take_added(choices: Choices) -> None:
    name = session.widget_value(_ADD)
    session.set_widget(_ADD, None)
    if name is None:
        return
    _PROBLEM.clear()
    setting, lanes = strategies.parse(name), settings(choices)
    texts = [lane.text for lane in lanes]
    if setting.text in texts:
        select(texts.index(setting.text))
        return
    if len(lanes) >= LIMIT:
        _report(ChunkscopeError(f"There are already {LIMIT} lanes, the maximum.", "Remove one first."))
        return
    _write([*lanes, setting])
    select(len(lanes))


def _take_set() -> None:
    title = session.widget_value(_SET)
    session.set_widget(_SET, None)
    if title is not None:
        _PROBLEM.clear()
        _write(list(strategies.parse_all(SETS[title])))
        select(0)


def _buttons(lanes: int, lane: int, choices: Choices) -> None:
    up, down, remove = st.columns(3)
    up.button(
        "", icon=":material/arrow_upward:", help="Move up", key="_lane_up", width="stretch",
        disabled=lane == 0, on_click=_move, args=(choices, lane, lane - 1),
    )  # fmt: skip
    down.button(
        "", icon=":material/arrow_downward:", help="Move down", key="_lane_down", width="stretch",
        disabled=lane == lanes - 1, on_click=_move, args=(choices, lane, lane + 1),
    )  # fmt: skip
    remove.button(
        "", icon=":material/delete:", help="Remove", key="_lane_remove", width="stretch",
        disabled=lanes == 1, on_click=_remove, args=(choices, lane),
    )  # fmt: skip


def _move(choices: Choices, lane: int, to: int) -> None:
    lanes = settings(choices)
    lanes[lane], lanes[to] = lanes[to], lanes[lane]
    _write(lanes)
    select(to)


def _remove(choices: Choices, lane: int) -> None:
    lanes = settings(choices)
    _write(lanes[:lane] + lanes[lane + 1 :])
    select(max(0, min(lane, len(lanes) - 2)))


def _described(setting: Setting, choices: Choices) -> list[Parameter]:
    """Return the parameters of a lane that have controls, without those that have no effect."""
    active = _active(setting.params)
    return active + _active(setting.context) if choices == RETRIEVAL else active


def _active(params: Parameters) -> list[Parameter]:
    return [parameter for parameter in params.describe() if parameter.name not in params.inactive]


def _editor(settings: list[Setting], lane: int, choices: Choices, problems: DeltaGenerator | None) -> None:
    """Show the controls of one lane, and what is wrong with them."""
    setting = settings[lane]
    strategy = setting.strategy
    about(strategy)
    values = _settle(settings, lane, choices)
    draft = _draft(setting)
    with problems or contextlib.nullcontext():
        for problem in (refusal(), draft.problem if draft else None):
            if problem:
                frame.show_error(problem)
    for row in _rows(_described(setting, choices)):
        columns = st.columns(2, gap="small") if len(row) == 2 else [st.container()]
        for parameter, slot in zip(row, columns, strict=True):
            with slot:
                key = key_of(strategy.name, parameter.name)
                controls.parameter(parameter, key, offered_members(parameter, values), shape="compact")
    controls.presets(strategy, setting.params, "_lane_preset", partial(_use_preset, choices, lane))
    show_window_note(setting.params)


def show_window_note(params: Parameters) -> None:
    """Show what to know of overlapping windows, where there are some."""
    note = gaps.window_note(params)
    if note:
        st.caption(markup.plain(note))


def _draft(setting: Setting) -> Draft | None:
    """Return the values in the controls of a lane that are not allowed together, if any."""
    draft = _DRAFT.get()
    return draft if draft and draft.lane == setting.text else None


def _settle(settings: list[Setting], lane: int, choices: Choices, *, mounted: bool = False) -> Mapping[str, Value]:
    """Return the values of a lane's controls after what the browser reports, and change the lane where they moved.

    Args:
        settings: of all lanes; that of the lane is replaced where it changes.
        lane: its place.
        choices: which parameters have controls.
        mounted: whether only controls that the browser shows already are settled.
    """
    setting, waiting = settings[lane], _MOVED.get()
    moved = waiting.setdefault(setting.text, {})
    draft = _draft(setting)
    values = dict(draft.values if draft else setting.values()) | moved
    key = partial(key_of, setting.strategy.name)
    controls.settle(_described(setting, choices), values, moved, key, mounted=mounted)
    if moved:
        _take(settings, lane, values)
    waiting.clear()
    return values


def about(strategy: Strategy) -> None:
    """Show the summary of a strategy on two lines; expanded, all of it and its origin."""
    summary, origin = markup.escape(strategy.summary), markup.escape(strategy.origin)
    markup.show(f'<details class="cs-about cs-quiet"><summary>{summary}</summary>{origin}</details>')


def offered_members(parameter: Parameter, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the options of a control; for disabled features, those of the feature set and those already disabled."""
    off = values.get("features_off")
    if parameter.name != "features_off" or not isinstance(off, tuple):
        return tuple(dict.fromkeys(parameter.choices))
    used = FEATURES[cast(FeatureSet, values["structure"])]
    return tuple(dict.fromkeys([*(feature.name for feature in used), *off]))


_SMALL_TITLE, _SMALL_CHOICE = 14, 10
"""Characters that fit half the width of the sidebar, of a label and of an option."""


def _is_small(parameter: Parameter) -> bool:
    """Return whether the control fits half the width: whole numbers, and choices of short words."""
    choices = parameter.type == "choice" and all(len(choice) <= _SMALL_CHOICE for choice in parameter.choices)
    return len(parameter.title) <= _SMALL_TITLE and (parameter.type == "integer" or choices)


def _rows(parameters: Sequence[Parameter]) -> list[list[Parameter]]:
    """Return parameters in their order, two small ones per row."""
    rows: list[list[Parameter]] = []
    for parameter in parameters:
        if rows and len(rows[-1]) == 1 and _is_small(rows[-1][0]) and _is_small(parameter):
            rows[-1].append(parameter)
        else:
            rows.append([parameter])
    return rows


def _report(problem: ChunkscopeError) -> None:
    """Report why a change was not made, while the lanes stay as they are."""
    _PROBLEM.set((state.address().text(ADDRESS), problem))


def refusal() -> ChunkscopeError | None:
    """Return why the last change was not made; ``None`` where it was."""
    lanes, problem = _PROBLEM.get() or ("", None)
    return problem if lanes == state.address().text(ADDRESS) else None


def key_of(strategy: str, parameter: str) -> str:
    """Return the key of the control of a parameter, in the lane being edited."""
    return f"_lane_{strategy}_{parameter}"


def _take(settings: list[Setting], lane: int, values: Mapping[str, Value]) -> None:
    """Change a lane to what its controls show; what is not allowed stays in them until it is corrected."""
    before = settings[lane]
    if values["return"] != RETURN_WINDOW:
        values = dict(values) | {"neighbours": before.context.lookup("neighbours").default}
    try:
        after = before.with_values(values)
        if after.text in {other.text for other in settings if other is not before}:
            raise ChunkscopeError("Another lane has this setting already.", "Choose another value.")
    except ChunkscopeError as error:
        note = "Until then the previous setting is shown."
        _DRAFT.set(Draft(before.text, values, ChunkscopeError(error.problem, f"{error.remedy} {note}")))
        return
    _change(settings, lane, after)


def move(lane: int, strategy: str, values: Mapping[str, Value]) -> None:
    """Change some parameters of a lane, unless it has another strategy now; in a callback."""
    settings, _ = _read_address()
    if lane >= len(settings) or settings[lane].strategy.name != strategy or not values:
        return
    try:
        setting = settings[lane].with_values({**settings[lane].values(), **values})
    except ChunkscopeError as error:
        _report(error)
        return
    _change(settings, lane, setting)


def _use_preset(choices: Choices, lane: int, name: str) -> None:
    lanes = settings(choices)
    _change(lanes, lane, replace(lanes[lane], params=strategies.preset(lanes[lane].strategy, name)))


def _change(settings: list[Setting], lane: int, setting: Setting) -> None:
    _PROBLEM.clear()
    _DRAFT.clear()
    others = [setting.text for index, setting in enumerate(settings) if index != lane]
    if setting.text in others:
        remedy = "Choose another value; until then the previous setting is shown."
        _report(ChunkscopeError("Another lane has this setting already.", remedy))
        return
    settings[lane] = setting
    _write(settings)
