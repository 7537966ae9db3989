"""The controls of the strategies that have curves: one is chosen, and what the others were set to is kept.

The address holds the setting, each parameter under its own name (``strategy=changepoint&alpha=0.5``); without
``strategy`` it is that of ``structural``. Controls show what the address says and write into it when they are moved.
They are not bound to it by Streamlit, since parameters of one name have other defaults and bounds in other strategies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.chunks import SizeParameters
from chunking.curves.thresholds import AMOUNT_OF
from chunking.params import Parameter, Parameters, Value
from chunking.strategies import Setting, Strategy
from pages.shared.frame import frame
from pages.shared.settings import controls, lane_settings

CURVED: tuple[str, ...] = (
    "structural",
    "changepoint",
    "changepoint_tree",
    "percentile",
    "standard_deviation",
    "interquartile",
    "gradient",
)
"""The strategies whose segmentations have signals; the first is that of an address that names none."""

KEY = "strategy"
"""Of the choice, in the address too."""

_NOW = "_strategy_now"
_KEPT = "_kept_settings"
_NAMES = tuple(dict.fromkeys(known.name for name in CURVED for known in strategies.get(name).params.describe()))
_DECIDERS = ("threshold", "boundaries")
"""Parameters that say which others change nothing."""
_FOLDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Meaning": (":material/psychology:", ("block", "window")),
    "Structure": (":material/account_tree:", ("structure", "features_off")),
}
"""Groups that are folded away, with their icons; a control that is alone in its group stands in the open."""
_SIZES = frozenset(known.name for known in SizeParameters.describe())


def choose() -> tuple[Setting, list[ChunkscopeError]]:
    """The choice of a strategy and its controls.

    Returns:
        The setting they make, and what the address asked for that there is not.
    """
    if frame.arrived() and not _said():
        _restore(st.session_state.get(_NOW, CURVED[0]))
    strategy, told = _asked()
    told += refused(strategy)
    if st.session_state.get(KEY) != strategy.name:
        st.session_state[KEY] = strategy.name
    st.selectbox(
        "Strategy",
        CURVED,
        key=KEY,
        on_change=_take_strategy,
        help="Those that measure every gap. All others, which have no curves, are in Compare.",
    )
    lane_settings.about(strategy)
    st.session_state[_NOW] = strategy.name
    return Setting(strategy, _chosen(strategy)), told


def choose_for(strategy: Strategy) -> Parameters:
    """All controls of a strategy on a page that is made for it alone, and the parameters they make."""
    if frame.arrived() and not _said():
        _restore(strategy.name)
    return _chosen(strategy)


def refused(strategy: Strategy) -> list[ChunkscopeError]:
    """What the address asked of a strategy that it does not take; to be called before its controls are drawn."""
    own = strategy.params.describe()
    return controls.refused(own, strange=set(_NAMES) - {known.name for known in own}, of=strategy.name)


def put(setting: Setting) -> None:
    """Let a setting be what the pages restore when the user comes to them: a link from another page."""
    st.session_state.setdefault(_KEPT, {})[setting.strategy.name] = setting.params.changed()
    st.session_state[_NOW] = setting.strategy.name


def come_from(name: str) -> None:
    """Let a strategy be the chosen one on the page of all, on the way there from a page that is made for it."""
    st.session_state[_NOW] = name


def change(name: str, values: Mapping[str, Value]) -> None:
    """Set some parameters of a strategy on the page that shows it; in a callback, before the controls are drawn."""
    strategy = strategies.get(name)
    _write(strategy, {**_read(strategy), **values})


def settings_of_session() -> list[Setting]:
    """The settings that this session looked at, without those that contradict themselves."""
    found = []
    for name, values in st.session_state.get(_KEPT, {}).items():
        params, problem = allowed(strategies.get(name), values)
        found += [] if problem else [Setting(strategies.get(name), params)]
    return found


# ---- the address


def _said() -> bool:
    """Whether the address says anything of a setting."""
    return any(_texts(name) for name in (KEY, *_NAMES))


def _texts(name: str) -> list[str]:
    """What the address says of a name; a name that was taken out of it may be there without any text."""
    return [text for text in st.query_params.get_all(name) if text]


def _asked() -> tuple[Strategy, list[ChunkscopeError]]:
    """The strategy that the address names; what is none is told and taken out."""
    name = next(iter(_texts(KEY)), CURVED[0])
    if name in CURVED:
        return strategies.get(name), []
    del st.query_params[KEY]
    there = f"The address was read without; here there are {', '.join(CURVED)}."
    problem = ChunkscopeError(f"The address names a strategy that is none: {name:.40}.", there)
    if name in strategies.REGISTRY:
        problem = ChunkscopeError(f"The strategy {name} has no curves; it is in Compare.", there)
    return strategies.get(CURVED[0]), [problem]


def _read(strategy: Strategy) -> dict[str, Value]:
    """The values of all parameters: what the address says where it can be read, else the default."""
    found = {}
    for known in strategy.params.describe():
        value = controls.read(known, _texts(known.name))
        found[known.name] = known.default if value is None else value
    return found


def _write(strategy: Strategy, values: Mapping[str, Value]) -> None:
    """Put a setting into the address, without what is at its default, and take any other setting out of it.

    In one message, or the browser would go back through the steps: a name without texts is left out of an address.
    """
    wanted: dict[str, list[str]] = {KEY: [] if strategy.name == CURVED[0] else [strategy.name]}
    for known in strategy.params.describe():
        value = values.get(known.name, known.default)
        wanted[known.name] = [] if value == known.default else _said_as(value)
    wanted |= {name: [] for name in _NAMES if name not in wanted}
    changed = {name: texts for name, texts in wanted.items() if texts != _texts(name)}
    if changed:
        st.query_params.update(changed)
    _keep(strategy, values)


def _said_as(value: Value) -> list[str]:
    if isinstance(value, tuple):
        return list(value)
    return [f"{value:.12g}" if isinstance(value, float) else str(value)]


def _restore(name: str) -> None:
    """Put into the address what a strategy was set to last."""
    strategy = strategies.get(name)
    _write(strategy, {**strategy.params().values(), **st.session_state.get(_KEPT, {}).get(name, {})})


def _keep(strategy: Strategy, values: Mapping[str, Value]) -> None:
    st.session_state.setdefault(_KEPT, {})[strategy.name] = dict(values)


def _take_strategy() -> None:
    _restore(st.session_state[KEY])


def _take(name: str, parameter: str) -> None:
    value = st.session_state[parameter]
    if isinstance(value, list):
        value = strategies.get(name).params.lookup(parameter).check(value)
    change(name, {parameter: value})


# ---- controls


def _chosen(strategy: Strategy) -> Parameters:
    """The controls of a strategy with what the address says, and the parameters that this makes."""
    values = _read(strategy)
    _write(strategy, values)  # without what could not be read
    params, problem = allowed(strategy, values)
    if strategy.presets:
        presets(strategy, params)
    _controls(strategy, values)
    if problem:
        frame.show_error(problem)
    return params


def _control(strategy: Strategy, known: Parameter, values: Mapping[str, Value], **options: Any) -> None:
    """The control of a parameter, set to its value: only where it is not so already, since a value that is on its way
    from the browser must not be overtaken."""
    value = values[known.name]
    if _unlike(st.session_state.get(known.name), value):
        st.session_state[known.name] = list(value) if isinstance(value, tuple) else value
    controls.control(
        replace(known, default=value),
        lane_settings.offered_members(known, values),
        key=known.name,
        bind=None,
        persist_state=None,
        on_change=_take,
        args=(strategy.name, known.name),
        **options,
    )


def _unlike(shown: object, value: Value) -> bool:
    return sorted(shown) != sorted(value) if isinstance(shown, list) and isinstance(value, tuple) else shown != value


def _controls(strategy: Strategy, values: Mapping[str, Value]) -> None:
    """A control for each parameter of a strategy."""
    known = {each.name: each for each in strategy.params.describe()}
    folds = {title: [name for name in names if name in known] for title, (_, names) in _FOLDS.items()}
    folds = {title: names for title, names in folds.items() if len(names) > 1}
    folded = {name for names in folds.values() for name in names}
    shown = [each for each in known.values() if each.name not in folded | _SIZES]
    idle = strategy.params(**{name: values[name] for name in _DECIDERS if name in values}).idle
    for each in shown:
        if each.name not in idle:
            _control(strategy, each, values)
        elif "threshold" not in known or each.name not in AMOUNT_OF.values():  # each rule's own takes the same place
            _control(strategy, each, values, disabled=True)
    for title, names in folds.items():
        with st.expander(title, icon=_FOLDS[title][0]):
            for name in names:
                _control(strategy, known[name], values)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        _control(strategy, known["overlap"], values)
    with right:
        _control(strategy, known["overlap_unit"], values, label_visibility="collapsed")
    left, right = st.columns(2)
    with left:
        _control(strategy, known["min_tokens"], values)
    with right:
        _control(strategy, known["max_tokens"], values)


def allowed(strategy: Strategy, values: Mapping[str, Any]) -> tuple[Parameters, ChunkscopeError | None]:
    """The parameters; where sizes contradict each other, without the minimum, else without the overlap, and why.

    The same values always give the same view, whatever was shown before.
    """
    problem = None
    for without in ((), ("min_tokens",), ("overlap",), ("min_tokens", "overlap")):
        try:
            params = strategy.params(**{name: value for name, value in values.items() if name not in without})
        except ChunkscopeError as error:
            problem = problem or error
            continue
        if problem:
            shown = f"Until then the view is without {' and '.join(without)}."
            problem = ChunkscopeError(problem.problem, f"{problem.remedy} {shown}")
        return params, problem
    raise AssertionError("without minimum and overlap no sizes contradict each other")


def presets(strategy: Strategy, params: Parameters) -> None:
    """Buttons that set every control of the method at once."""
    st.caption("Preset")
    for column, name in zip(st.columns(len(strategy.presets)), strategy.presets, strict=True):
        method = _method(strategies.preset(strategy, name))
        column.button(
            name.capitalize(),
            key=f"_preset_{name}",
            type="primary" if method == _method(params) else "secondary",
            width="stretch",
            help="The paper's method with its program's settings: 95 % surface structure, single sentences. The "
            "program fuses the distance before it is rescaled; its own cuts come at α = 0.06."
            if name == "reference"
            else "Chunkscope's own setting.",
            on_click=change,
            args=(strategy.name, method),
        )


def _method(params: Parameters) -> dict[str, Value]:
    """The values that presets speak of: all but overlap and limits."""
    return {name: value for name, value in params.values().items() if name not in _SIZES}
