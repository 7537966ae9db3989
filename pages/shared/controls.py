"""Controls made from parameters: one widget each, bound to the address of the page.

The widget's key is the parameter's name, so the address of a view reads like the command line. What an address says
that a control cannot take is put aside by Streamlit, and :func:`refused` finds it out, so that it can be told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from chunking import ChunkscopeError, strategies, tokens
from chunking.chunks import SizeParameters
from chunking.params import Parameter, Parameters, Value
from chunking.strategies import Strategy
from pages.shared import frame

_SEEN = "_seen_address"


def control(
    known: Parameter, choices: tuple[str, ...] | None = None, *, compact: bool = False, **options: Any
) -> Value:
    """The widget of a parameter; returns its value.

    Args:
        known: the parameter.
        choices: members to offer, where only some make sense now.
        compact: as a field of one line: whole numbers whatever their range, and members.
        options: passed on to the widget.
    """
    make = _COMPACT.get(known.type, _WIDGETS[known.type]) if compact else _WIDGETS[known.type]
    value: Value = make(known, choices or known.choices, bound(known.name, known.help) | options)
    return value


def bound(name: str, help: str) -> dict[str, Any]:
    """What every control of a view is given, so that the address holds its value and a rerun does not lose it."""
    return {"key": name, "help": help, "bind": "query-params", "persist_state": "session"}


def _number(known: Parameter, _: tuple[str, ...], options: dict[str, Any]) -> float:
    wide = known.maximum is not None and known.type == "integer" and known.maximum > 20
    return _numeric(st.number_input if wide else st.slider, known, options)


def _field(known: Parameter, _: tuple[str, ...], options: dict[str, Any]) -> float:
    return _numeric(st.number_input, known, options)


def _numeric(widget: Callable[..., float], known: Parameter, options: dict[str, Any]) -> float:
    kind = int if known.type == "integer" else float
    return widget(
        known.title,
        kind(known.minimum or 0),
        kind(known.maximum or 0),
        kind(known.default),
        kind(known.step or 1),
        **options,
    )


def _choice(known: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> Any:
    place = choices.index(str(known.default))
    return st.selectbox(
        known.title,
        choices,
        place,
        **options,
    )


def _choices(known: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> tuple[str, ...]:
    chosen: list[str] = st.pills(
        known.title,
        choices,
        selection_mode="multi",
        default=list(known.default),
        **options,
    )
    return tuple(chosen)


def _members(known: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> tuple[str, ...]:
    chosen: list[str] = st.multiselect(known.title, choices, list(known.default), placeholder="none", **options)
    return tuple(chosen)


_COMPACT: Mapping[str, Callable[[Parameter, tuple[str, ...], dict[str, Any]], Any]] = {
    "integer": _field,
    "choices": _members,
}
_WIDGETS: Mapping[str, Callable[[Parameter, tuple[str, ...], dict[str, Any]], Any]] = {
    "number": _number,
    "integer": _number,
    "choice": _choice,
    "choices": _choices,
}


def tokenizer() -> str:
    """What tokens are counted with."""
    asked, names = st.query_params.get("tokenizer"), tokens.tokenizer_names()
    if asked and asked not in names:
        remedy = f"It was read without; there are {', '.join(names)}."
        frame.show_error(ChunkscopeError(f"The address names a tokenizer that is none: {asked:.40}.", remedy))
    chosen: str = st.selectbox(
        "Tokens of",
        names,
        **bound(
            "tokenizer", "cl100k_base is that of OpenAI's models; the encoder's own tells what fits into what it reads."
        ),
    )
    return chosen


def apply_preset(strategy: Strategy, name: str) -> None:
    """Set every control of the method to a preset; meant as a callback, before the widgets are drawn."""
    for known, value in _method(strategies.preset(strategy, name)).items():
        st.session_state[known] = list(value) if isinstance(value, tuple) else value


def _method(params: Parameters) -> dict[str, Value]:
    """The values that presets speak of: all but overlap and limits."""
    sizes = {known.name for known in SizeParameters.describe()}
    return {name: value for name, value in params.values().items() if name not in sizes}


def matching_preset(strategy: Strategy, params: Parameters) -> str | None:
    """The preset whose method this is."""
    for name in strategy.presets:
        if _method(strategies.preset(strategy, name)) == _method(params):
            return name
    return None


def refused(known: Iterable[Parameter]) -> list[ChunkscopeError]:
    """What the address asked for that its parameter does not take; told once in a session.

    To be called before the widgets are drawn, since they take what they refuse out of the address.
    """
    asked = st.query_params.to_dict()
    if st.session_state.get(_SEEN):
        return []
    st.session_state[_SEEN] = True
    problems = []
    for parameter in known:
        if parameter.name not in asked:
            continue
        try:
            if parameter.type == "choices":
                parameter.check(st.query_params.get_all(parameter.name))
            else:
                parameter.parse(asked[parameter.name])
        except ChunkscopeError as error:
            problems.append(ChunkscopeError(_how_read(parameter, asked[parameter.name]), str(error)))
    return problems


def _how_read(known: Parameter, text: str) -> str:
    """What Streamlit makes of a value that a parameter does not take: it cuts a fraction off, and drops the rest."""
    if known.type == "integer":
        with contextlib.suppress(ValueError, OverflowError):
            whole = int(float(text))
            if (known.minimum or 0) <= whole <= (known.maximum or 0):
                return f"The address was read with {known.name} = {whole}:"
    return f"The address was read without {known.name}:"
