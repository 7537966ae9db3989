"""Controls made from parameters: one widget each, bound to the address of the page.

The widget's key is the parameter's name, so the address of a view reads like the command line. What an address says
that a control cannot take is put aside by Streamlit, and :func:`refused` finds it out, so that it can be told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from chunking import ChunkscopeError, tokens
from chunking.params import Parameter, Value
from pages.shared.frame import frame

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


def bound(name: str, help: str, retired: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the options of every control of a view: the address holds its value, and a rerun keeps it.

    Args:
        name: of the control, and of its query parameter.
        help: shown in its tooltip.
        retired: former labels of its options with the present ones, so that old links still open.
    """
    label = st.query_params.get(name, "")
    if retired and label in retired and name not in st.session_state:
        st.session_state[name] = retired[label]
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


def refused(known: Iterable[Parameter], strange: Collection[str] = (), of: str = "") -> list[ChunkscopeError]:
    """What the address asked for that its parameter does not take; told once in a session.

    To be called before the widgets are drawn, since they take what they refuse out of the address.

    Args:
        known: the parameters that have a control.
        strange: names of parameters that others have; they are taken out of the address.
        of: the strategy that does not know them.
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
            value = read(parameter, [asked[parameter.name]])
            with_it = f"with {parameter.name} = {value}" if value is not None else f"without {parameter.name}"
            problems.append(ChunkscopeError(f"The address was read {with_it}:", str(error)))
    for name in sorted(set(strange) & set(asked)):
        problems.append(ChunkscopeError(f"The address was read without {name}:", f"{of} has no such parameter."))
        del st.query_params[name]
    return problems


def read(known: Parameter, texts: Sequence[str]) -> Value | None:
    """What an address says of a parameter: a fraction of a whole number is cut off; ``None`` where it says nothing."""
    with contextlib.suppress(ChunkscopeError):
        if texts:
            return known.check(tuple(texts)) if known.type == "choices" else known.parse(texts[-1])
    if texts and known.type == "integer":
        with contextlib.suppress(ValueError, OverflowError, ChunkscopeError):
            return known.check(int(float(texts[-1])))
    return None
