"""The controls of the strategies: one is chosen, and the settings of the others are kept.

The session holds a setting for each strategy. The address shows the chosen one as the command line writes it
(``strategy=changepoint:alpha=0.5``); without ``strategy`` it is ``structural`` at its defaults. Older addresses, which
give each parameter a name of its own (``strategy=changepoint&alpha=0.5``), are still read. Each strategy has controls
of its own, since parameters of one name have other defaults and bounds in other strategies.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError, strategies
from chunking.params import Parameter, Parameters, Value
from chunking.signals.thresholds import AMOUNT_OF
from chunking.strategies import Setting, Strategy
from chunking.strategies import setting as grammar
from chunking.strategies.gaps import StructuralParameters
from pages.shared import state
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

SHOWN: tuple[str, ...] = (*CURVED, *(name for name in strategies.REGISTRY if name not in CURVED))
"""All strategies, those with signals first."""

KEY = "strategy"
"""Of the choice, in the address too."""


@dataclass
class _Choice:
    """The strategy that the session shows: an object that stays, so that a choice is kept in one step."""

    name: str = CURVED[0]


_NOW = state.SessionValue("_strategy_now", _Choice)
_KEPT: state.SessionValue[dict[str, dict[str, Value]]] = state.SessionValue("_kept_settings", dict)
_NAMES = tuple(dict.fromkeys(parameter.name for name in CURVED for parameter in strategies.get(name).params.describe()))
_DECIDERS = ("threshold", "percentile", "boundaries")
"""Parameters that decide which others have no effect."""
_FOLDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Semantic": (":material/psychology:", ("block", "window")),
    "Structural": (":material/account_tree:", ("structure", "features_off")),
}
"""Folded groups with their icons; a control that is alone in its group is shown unfolded."""
_SIZES = ("overlap", "overlap_unit", "min_tokens", "max_tokens", "soft_min_tokens", "keep_together", "fit_encoder")
"""The parameters of sizes, two of them beside each other."""


def choose(more: DeltaGenerator | None = None) -> tuple[Setting, list[ChunkscopeError]]:
    """Draw the choice of a strategy and its controls.

    Args:
        more: where the controls are drawn; below the choice where it is not given.

    Returns:
        The setting, and the errors of the address.
    """
    errors = _read_address(SHOWN)
    current = _NOW.get()
    # A control may have been moved just before another strategy was chosen.
    _settle(strategies.get(current.name), mounted=True)
    current.name, _ = state.address().receive(KEY, current.name, lambda value: value if value in SHOWN else None)
    name, strategy = current.name, strategies.get(current.name)
    st.selectbox(
        "Strategy",
        SHOWN,
        SHOWN.index(state.address().initial(KEY, name, SHOWN[0])),
        key=KEY,
        help="How the text is cut. The first ones score every gap, and have sliders.",
        label_visibility="visible" if more is None else "collapsed",
        width="stretch" if more is None else 210,
    )
    with more or contextlib.nullcontext():
        lane_settings.about(strategy)
        params = _chosen(strategy)
        lane_settings.show_window_note(params)
    return Setting(strategy, params), errors


def choose_for(strategy: Strategy) -> tuple[Parameters, list[ChunkscopeError]]:
    """Draw all controls of a strategy on a page that is made for it alone; return as :func:`choose`."""
    errors = _read_address((strategy.name,))
    return _chosen(strategy), errors


def change(name: str, values: Mapping[str, Value]) -> None:
    """Set some parameters of a strategy; in a callback, before its controls are drawn."""
    _KEPT.get().setdefault(name, {}).update(values)


def open_(setting: Setting) -> None:
    """Show a setting of a strategy with curves; in a callback, before its controls are drawn."""
    _NOW.get().name = setting.strategy.name
    change(setting.strategy.name, setting.params.values())


def restore(line: str) -> None:
    """Show a setting that was stored, unless the address names one; before the controls of a strategy are drawn."""
    address = state.address()
    try:
        setting = strategies.parse(line)
    except ChunkscopeError:
        return  # of another version
    if address.page not in address.unread_pages:
        open_(setting)
    elif not any(address.texts(name) for name in (KEY, *_NAMES)):
        address.put(KEY, line)


def now() -> Setting:
    """Return the setting that Inspect shows."""
    strategy = strategies.get(_NOW.get().name)
    return Setting(strategy, allowed(strategy, _values(strategy))[0])


def moved(strategy: Strategy) -> Setting:
    """Return what a strategy is set to, of which a callback has changed parameters, and put it into the address."""
    _put(text(strategy.name))
    return Setting(strategy, allowed(strategy, _values(strategy))[0])


def is_shown(strategy: Strategy) -> bool:
    """Return whether Inspect shows a strategy."""
    return _NOW.get().name == strategy.name


def _put(line: str) -> None:
    """Put the line of the setting that is shown into the address."""
    address = state.address()
    address.put(KEY, line if line != CURVED[0] or address.explicit else None)


def text(name: str) -> str:
    """Return the line of what a strategy is set to."""
    strategy = strategies.get(name)
    return grammar.line(strategy, _values(strategy))


def settings_of_session() -> list[Setting]:
    """Return the settings that this session looked at, without those that contradict themselves."""
    settings = []
    for name in _KEPT.get():
        strategy = strategies.get(name)
        params, problem = allowed(strategy, _values(strategy))
        settings += [] if problem else [Setting(strategy, params)]
    return settings


# ---- the address and the session


def _read_address(offered: tuple[str, ...]) -> list[ChunkscopeError]:
    """Read the setting of an address that the user opened; return its errors."""
    # All that the session keeps is at hand first: the run may be stopped where it is looked for, but not after that.
    address, values_by_strategy, current = state.address(), _KEPT.get(), _NOW.get()
    if address.page not in address.unread_pages:
        return []
    address.unread_pages.discard(address.page)
    errors: list[ChunkscopeError] = []
    # Older addresses give each parameter a name of its own.
    texts_by_name = {name: "+".join(texts) for name in _NAMES if (texts := address.texts(name))}
    for name in texts_by_name:
        address.put(name, None)
    name = offered[0]
    try:
        named, pairs = grammar.split(address.text(KEY, name))
        if named in offered:
            name, texts_by_name = named, texts_by_name | pairs
        else:
            errors.append(_unknown(named, offered))
    except ChunkscopeError as error:
        errors.append(ChunkscopeError("The URL was read without its strategy:", str(error)))
    values_by_strategy[name], problems = controls.read_texts(texts_by_name, strategies.get(name))
    if len(offered) > 1:
        current.name = name
    return errors + problems


def _unknown(name: str, offered: tuple[str, ...]) -> ChunkscopeError:
    remedy = f"The default is used. Available here: {', '.join(offered)}."
    if name in strategies.REGISTRY:
        return ChunkscopeError(f"The strategy {name} is not available on this page. Open it in Inspect.", remedy)
    return ChunkscopeError(f"Unknown strategy in the URL: {name:.40}.", remedy)


def _values(strategy: Strategy) -> dict[str, Value]:
    """Return the values of all parameters, with defaults where nothing was set."""
    return strategy.params().values() | _KEPT.get().get(strategy.name, {})


def key_of(strategy: str, parameter: str) -> str:
    """Return the key of the control of a parameter."""
    return f"{strategy}_{parameter}"


def _settle(strategy: Strategy, *, mounted: bool = False) -> dict[str, Value]:
    """Return the values of all parameters after what the browser reports; of ``mounted`` ones alone."""
    values, kept = _values(strategy), _KEPT.get().setdefault(strategy.name, {})
    controls.settle(strategy.params.describe(), values, kept, partial(key_of, strategy.name), mounted=mounted)
    return values


# ---- controls


def _chosen(strategy: Strategy) -> Parameters:
    """Draw the controls of a strategy, and return the parameters that they make."""
    values = _settle(strategy)
    _put(grammar.line(strategy, values))
    params, problem = allowed(strategy, values)
    controls.presets(strategy, params, "_preset", partial(_use_preset, strategy))
    _controls(strategy, values)
    if problem:
        frame.show_error(problem)
    return params


def _control(strategy: Strategy, parameter: Parameter, values: Mapping[str, Value], **options: Any) -> None:
    """Draw the control of a parameter."""
    members = lane_settings.offered_members(parameter, values)
    controls.parameter(parameter, key_of(strategy.name, parameter.name), members, **options)


def _controls(strategy: Strategy, values: Mapping[str, Value]) -> None:
    """Show a control for each parameter of a strategy."""
    parameters = {parameter.name: parameter for parameter in strategy.params.describe()}
    folds = {title: [name for name in names if name in parameters] for title, (_, names) in _FOLDS.items()}
    folds = {title: names for title, names in folds.items() if len(names) > 1}
    folded = {name for names in folds.values() for name in names}
    visible = [parameter for parameter in parameters.values() if parameter.name not in {*folded, *_SIZES}]
    idle = strategy.params(**{name: values[name] for name in _DECIDERS if name in values}).inactive
    others = AMOUNT_OF.values() if "threshold" in parameters else ()
    for parameter in visible:
        is_idle = parameter.name in idle
        if not (is_idle and parameter.name in others):  # the amounts of other rules are hidden
            _control(strategy, parameter, values, disabled=is_idle)
    for title, names in folds.items():
        with st.expander(title, icon=_FOLDS[title][0]):
            for name in names:
                _control(strategy, parameters[name], values)
    sizes = [name for name in _SIZES if name in parameters]
    for first in range(0, len(sizes), 2):
        for column, name in zip(st.columns(2, vertical_alignment="bottom"), sizes[first : first + 2], strict=False):
            beside = {"label_visibility": "collapsed"} if name == "overlap_unit" else {}
            with column:
                _control(strategy, parameters[name], values, **beside)


def allowed(strategy: Strategy, values: Mapping[str, Any]) -> tuple[Parameters, ChunkscopeError | None]:
    """Return the parameters; where sizes contradict each other, without the minimum or overlap, and the error.

    The same values always give the same result, whatever was shown before.
    """
    problem = None
    for without in ((), ("min_tokens",), ("overlap",), ("min_tokens", "overlap")):
        try:
            params = strategy.params(**{**values, **dict.fromkeys(without, 0)})
        except ChunkscopeError as error:
            problem = problem or error
            continue
        if problem:
            note = f"Until then the view ignores {' and '.join(without)}."
            problem = ChunkscopeError(problem.problem, f"{problem.remedy} {note}")
        return params, problem
    return strategy.params(), problem  # other parameters contradict each other


def _use_preset(strategy: Strategy, name: str) -> None:
    """Set what a preset sets: all but the overlap."""
    values = strategies.preset(strategy, name).values()
    change(strategy.name, {name: value for name, value in values.items() if name not in ("overlap", "overlap_unit")})


STRUCTURAL = strategies.get("structural")


def choose_structural() -> tuple[StructuralParameters, list[ChunkscopeError]]:
    """Draw all controls of the strategy; return their setting, and the errors of the address."""
    params, errors = choose_for(STRUCTURAL)
    return cast(StructuralParameters, params), errors
