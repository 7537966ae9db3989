"""Controls whose values the address of the page shows, one function for each kind of widget.

The key of a widget is the name of its parameter, so that an address reads like the command line. A value that a
control does not take is left out of the address.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar, cast

import streamlit as st

from chunking import ChunkscopeError, embedding, strategies, tokens
from chunking.params import Parameter, Parameters, Value
from chunking.strategies import Strategy
from chunking.workspace import Models
from pages.shared import state
from pages.shared.frame import frame
from pages.shared.state import session

Named = TypeVar("Named", bound=str)
Shape = Literal["usual", "compact", "slider"]
Values = dict[str, Value]


def _one_of(options: Sequence[Named], titles: Callable[[str], str]) -> Callable[[object], Named | None]:
    """Return what finds the option of a name or, in older addresses, of a title."""
    by_words: dict[object, Named] = {titles(option): option for option in options}
    by_words.update({option: option for option in options})
    return by_words.get


def _choice(
    name: str,
    options: Sequence[Named],
    default: Named | None,
    titles: Callable[[str], str],
    retired: Mapping[str, str] | None,
    accept_new: bool = False,
) -> Named:
    """Settle the choice and return it."""
    find = _one_of(options, titles)

    def accept(value: object) -> Any:
        return find(value) or (value.strip() or None if accept_new and isinstance(value, str) else None)

    def read(texts: tuple[str, ...]) -> Any:
        return accept((retired or {}).get(texts[-1], texts[-1]))

    usual = options[0] if default is None else default
    choice: Named = state.address().control(name, usual, read, accept, str)
    return choice


def select(
    label: str,
    options: Sequence[Named],
    *,
    name: str,
    default: Named | None = None,
    titles: Callable[[str], str] = str,
    retired: Mapping[str, str] | None = None,
    **widget: Any,
) -> Named:
    """Draw a list of which one is chosen, and return the choice.

    Args:
        label: of the control.
        options: to choose from.
        name: of the parameter.
        default: the choice that the address leaves out; the first option where it is not given.
        titles: returns the words that an option is shown with.
        retired: former names of options with the present ones, so that old addresses still open.
        widget: further arguments of ``st.selectbox``.
    """
    settled = _choice(name, options, default, titles, retired, bool(widget.get("accept_new_options")))
    begun = state.address().initial(name, settled, options[0])
    index = options.index(begun) if begun in options else 0
    choice: Named = st.selectbox(label, options, index, key=name, format_func=titles, **widget)
    return choice


def segments(
    label: str,
    options: Sequence[Named],
    *,
    name: str,
    default: Named | None = None,
    titles: Callable[[str], str] = str,
    retired: Mapping[str, str] | None = None,
    **widget: Any,
) -> Named:
    """Draw a row of options of which one is chosen, and return the choice; arguments as of :func:`select`."""
    settled = _choice(name, options, default, titles, retired)
    begun = state.address().initial(name, settled, None)
    choice = st.segmented_control(label, options, default=begun, key=name, required=True, format_func=titles, **widget)
    return cast(Named, choice)


def listed(
    label: str, options: Sequence[Named], *, name: str, titles: Callable[[str], str] = str, **widget: Any
) -> Named:
    """Draw options below each other of which one is chosen, and return the choice; arguments as of :func:`select`."""
    settled = _choice(name, options, None, titles, None)
    begun = state.address().initial(name, settled, options[0])
    choice: Named = st.radio(label, options, options.index(begun), key=name, format_func=titles, **widget)
    return choice


def several(
    label: str,
    options: Sequence[Named],
    *,
    name: str,
    default: Sequence[Named],
    kind: Literal["pills", "list"] = "list",
    **widget: Any,
) -> list[Named]:
    """Draw options of which any number is chosen, and return the choice; arguments as of :func:`select`."""
    new = bool(widget.get("accept_new_options"))

    def accept(values: object) -> tuple[Named, ...] | None:
        is_offered = isinstance(values, (list, tuple)) and (new or set(values) <= set(options))
        return tuple(dict.fromkeys(values)) if is_offered and isinstance(values, (list, tuple)) else None

    def read(texts: tuple[str, ...]) -> tuple[Named, ...] | None:
        named = accept([text for text in texts if text and (new or text in options)])
        return named if named or not any(texts) else None

    value = state.address().control(name, tuple(default), read, accept, tuple)
    begun = list(state.address().initial(name, value, ())) or None
    options = list(dict.fromkeys((*options, *(begun or ()))))  # a new one must be among them
    if kind == "pills":
        return list(st.pills(label, options, selection_mode="multi", default=begun, key=name, **widget))
    return list(st.multiselect(label, options, begun, key=name, **widget))


def number(label: str, low: int, high: int, default: int, *, name: str, slider: bool = False, **widget: Any) -> int:
    """Draw a field or a slider for a whole number, and return the number; arguments as of :func:`select`."""

    def accept(value: object) -> int | None:
        return value if isinstance(value, int) and low <= value <= high else None

    def read(texts: tuple[str, ...]) -> int | None:
        with contextlib.suppress(ValueError):
            return accept(int(texts[-1]))
        return None

    value = state.address().control(name, default, read, accept, str)
    draw: Callable[..., int] = st.slider if slider else st.number_input
    return draw(label, low, high, state.address().initial(name, value, default), key=name, **widget)


def text(label: str, *, name: str, max_chars: int, **widget: Any) -> str:
    """Draw a field for a line of text, and return the text; arguments as of :func:`select`."""

    def accept(value: object) -> str | None:
        return value[:max_chars] if isinstance(value, str) else None

    value = state.address().control(name, "", lambda texts: accept(texts[-1]), accept, str)
    begun = state.address().initial(name, value, "")
    return str(st.text_input(label, begun, key=name, max_chars=max_chars, **widget))


def toggle(label: str, *, name: str, **widget: Any) -> bool:
    """Draw a switch that is off by default, and return whether it is on; arguments as of :func:`select`."""
    on = state.address().control(
        name,
        False,
        lambda texts: texts[-1].lower() == "true",
        lambda value: value if isinstance(value, bool) else None,
        lambda value: str(value).lower(),
    )
    return st.toggle(label, state.address().initial(name, on, False), key=name, **widget)


def tokenizer(models: Models) -> str:
    """Draw the choice of the tokenizer that counts tokens, and return it; by default that of the models."""
    names = (AUTO, *tokens.tokenizer_names(), embedding.AS_ENCODER)
    named = state.address().text("tokenizer")
    if named and named not in names:
        remedy = f"The default is used. Available: {', '.join(names)}."
        frame.show_error(ChunkscopeError(f"Unknown tokenizer in the URL: {named:.40}.", remedy))
    help = (
        "Counts tokens. Automatic counts as the encoder that is chosen does, where it has a limit, so that no chunk is "
        "longer than it reads; else with cl100k_base, which OpenAI models use."
    )
    usual = Models(models.encoder).tokenizer
    titles = {AUTO: f"Automatic ({usual})", embedding.AS_ENCODER: "As the encoder"}
    choice = select("Tokenizer", names, name="tokenizer", help=help, titles=lambda name: titles.get(name, name))
    try:
        return usual if choice == AUTO else replace(models, tokenizer=choice).tokenizer
    except ChunkscopeError as error:
        frame.show_error(error)
        return tokens.DEFAULT_TOKENIZER


AUTO = "auto"
"""The choice of the tokenizer that leaves it to the encoder."""


# ---- presets and parameters of strategies and loaders


_PRESET_TITLES = {"reference": "As in the paper", "unlimited": "Without limits"}
_PRESET_HELP = {
    "unlimited": "The boundaries that the text asks for: no minimum and no maximum.",
    "reference": "The settings of the paper's program: 95 % surface structure, single sentences. The program fuses the "
    "distance before it is rescaled; its own cuts come at α = 0.06.",
    "blocks": "Three sentences on each side of a gap, which do not overlap, instead of LangChain's triples.",
}


def presets(strategy: Strategy, params: Parameters, key: str, use: Callable[[str], None]) -> None:
    """Draw a button for each preset of a strategy, if it has any.

    Args:
        strategy: whose presets they are.
        params: what is set now.
        key: begins the keys of the buttons.
        use: takes the name of a preset; in a callback.
    """
    if not strategy.presets:
        return
    st.caption("Preset")
    row = st.container(horizontal=True, gap="small")
    for name in strategy.presets:
        row.button(
            _PRESET_TITLES.get(name, name.capitalize()),
            key=f"{key}_{name}",
            type="primary" if strategies.preset(strategy, name) == params else "secondary",
            width="content",
            help=_PRESET_HELP.get(name, "The default settings of Chunkscope."),
            on_click=use,
            args=(name,),
        )


def parameter(
    parameter: Parameter, key: str, choices: tuple[str, ...] | None = None, *, shape: Shape = "usual", **widget: Any
) -> None:
    """Draw the control of a parameter, whose value is settled already (:func:`accept`).

    Args:
        parameter: whose control it is.
        key: of the widget.
        choices: members to offer, where only some make sense now.
        shape: ``compact`` for a field of one line, for whole numbers whatever their range and for members; ``slider``
            for a slider whatever the range.
        widget: passed on to the widget.
    """
    draw = _SHAPES[shape].get(parameter.type, _WIDGETS[parameter.type])
    draw(parameter, choices or parameter.choices, {"key": key, "help": parameter.help} | widget)


def accept(parameter: Parameter) -> Callable[[object], Value | None]:
    """Return what checks the value that the widget of a parameter reports."""

    def check(value: object) -> Value | None:
        with contextlib.suppress(ChunkscopeError):
            return parameter.check(tuple(value) if isinstance(value, list) else value)
        return None

    return check


def settle(
    parameters: Iterable[Parameter], values: Values, moved: Values, key_of: Callable[[str], str], *, mounted: bool
) -> None:
    """Take what the browser reports of the controls of parameters; to be called before they are drawn.

    Args:
        parameters: that have controls.
        values: of all of them; those of controls that the user has moved are replaced.
        moved: where such values are kept too, each at once (see :meth:`~pages.shared.state.address.Address.receive`).
        key_of: returns the key of the control of a parameter.
        mounted: whether only controls that the browser shows already are settled.
    """
    address = state.address()
    for parameter in parameters:
        name, key = parameter.name, key_of(parameter.name)
        if not mounted or session.has_widget(key):
            values[name], is_moved = address.receive(key, values[name], accept(parameter))
            if is_moved:
                moved[name] = values[name]


def loading_parameter(parameter: Parameter) -> str:
    """Draw the control of a parameter of loading, which the address holds under its own name; return its value."""
    return select(
        parameter.title, parameter.choices, name=parameter.name, default=str(parameter.default), help=parameter.help
    )


def _number(parameter: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> None:
    is_wide = parameter.maximum is not None and parameter.maximum > 20
    (_field if is_wide else _slider)(parameter, choices, options)


def _slider(parameter: Parameter, _: tuple[str, ...], options: dict[str, Any]) -> None:
    _numeric(st.slider, parameter, options)


def _field(parameter: Parameter, _: tuple[str, ...], options: dict[str, Any]) -> None:
    _numeric(st.number_input, parameter, options)


def _numeric(widget: Callable[..., float], parameter: Parameter, options: dict[str, Any]) -> None:
    kind = int if parameter.type == "integer" else float
    low, high, default, step = (
        kind(bound or 0) for bound in (parameter.minimum, parameter.maximum, parameter.default, parameter.step or 1)
    )
    key = options["key"]
    begun = state.address().initial(key, state.widget_value(key, default), default)
    widget(parameter.title, low, high, begun, step, **options)


def _list(parameter: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> None:
    begun = state.address().initial(options["key"], state.widget_value(options["key"], choices[0]), choices[0])
    st.selectbox(parameter.title, choices, choices.index(begun) if begun in choices else 0, **options)


def _pills(parameter: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> None:
    st.pills(parameter.title, choices, selection_mode="multi", default=_begun_members(choices, options), **options)


def _members(parameter: Parameter, choices: tuple[str, ...], options: dict[str, Any]) -> None:
    st.multiselect(parameter.title, choices, _begun_members(choices, options), placeholder="none", **options)


def _begun_members(choices: tuple[str, ...], options: dict[str, Any]) -> list[str] | None:
    key = options["key"]
    begun: Iterable[str] = state.address().initial(key, state.widget_value(key, ()), ()) or ()
    return [choice for choice in begun if choice in choices] or None


_Draw = Callable[[Parameter, tuple[str, ...], dict[str, Any]], None]
_WIDGETS: Mapping[str, _Draw] = {"number": _slider, "integer": _number, "choice": _list, "choices": _pills}
_SHAPES: Mapping[Shape, Mapping[str, _Draw]] = {
    "usual": {},
    "compact": {"integer": _field, "choices": _members},
    "slider": {"integer": _slider},
}


def read(parameter: Parameter, text: str) -> Value | None:
    """Return the value that an address gives a parameter, a fraction of a whole number cut off; else ``None``."""
    with contextlib.suppress(ChunkscopeError):
        return parameter.parse(text)
    if parameter.type == "integer":
        with contextlib.suppress(ValueError, OverflowError, ChunkscopeError):
            return parameter.check(int(float(text)))
    return None


def read_texts(texts: Mapping[str, str], strategy: Strategy) -> tuple[Values, list[ChunkscopeError]]:
    """Return the values that an address gives the parameters of a strategy, and the errors of what it cannot be given.

    Args:
        texts: of the address, by the name of their parameter.
        strategy: that they are for.
    """
    parameters = {parameter.name: parameter for parameter in strategy.params.describe()}
    values: Values = {}
    errors: list[ChunkscopeError] = []
    for name, text in texts.items():
        if name not in parameters:
            reason = f"{strategy.name} has no such parameter."
            errors.append(ChunkscopeError(f"The URL was read without {name:.40}:", reason))
            continue
        value = read(parameters[name], text)
        if value is not None:
            values[name] = value
        try:
            parameters[name].parse(text)
        except ChunkscopeError as error:
            with_it = f"with {name} = {value}" if value is not None else f"without {name}"
            errors.append(ChunkscopeError(f"The URL was read {with_it}:", str(error)))
    return values, errors
