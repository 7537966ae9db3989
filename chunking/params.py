"""Parameters: one definition for the page, the command line, the export and the documentation.

A set of parameters is a frozen dataclass that derives from :class:`Parameters` and declares each field with
:func:`parameter`. From that one declaration come the control on the page, the option on the command line, the
row in ``python -m chunking strategies --json`` and the check of every value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from chunking.errors import ChunkscopeError

Value = float | int | str | tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """What is known of one parameter.

    Attributes:
        name: the one name it has everywhere.
        title: how a control is labelled.
        default: value where none is given; its type is the parameter's type.
        minimum, maximum: inclusive bounds of a number, else ``None``.
        step: what a control moves by.
        unit: of the number, empty where it has none.
        help: one or two sentences.
        choices: the values that are allowed, for text; for a tuple, the members that are.
    """

    name: str
    title: str
    default: Any
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    unit: str = ""
    help: str = ""
    choices: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """``"number"``, ``"integer"``, ``"choice"`` or ``"choices"``."""
        if isinstance(self.default, tuple):
            return "choices"
        if isinstance(self.default, str):
            return "choice"
        return "integer" if isinstance(self.default, int) else "number"

    def check(self, value: object) -> Value:
        """The value in its own type, or a :class:`ChunkscopeError` that says what is allowed."""
        if self.type == "choice":
            return self._check_choice(value)
        if self.type == "choices":
            return self._check_choices(value)
        return self._check_number(value)

    def parse(self, text: str) -> Value:
        """The value that a text (a query parameter, an option) stands for."""
        if self.type == "choices":
            return self.check(tuple(part.strip() for part in text.split("+") if part.strip()))
        return self.check(text.strip() if self.type == "choice" else self._number(text))

    def format(self, value: Value) -> str:
        """The text that :meth:`parse` turns back into ``value``."""
        return "+".join(value) if isinstance(value, tuple) else str(value)

    def describe(self) -> dict[str, Any]:
        """The row of the strategy list."""
        row: dict[str, Any] = {
            "type": self.type,
            "default": list(self.default) if isinstance(self.default, tuple) else self.default,
            "min": self.minimum,
            "max": self.maximum,
            "unit": self.unit,
            "help": self.help,
        }
        return row | ({"choices": list(self.choices)} if self.choices else {})

    def _number(self, text: str) -> float | str:
        try:
            return float(text)
        except ValueError:
            return text

    def _check_number(self, value: object) -> Value:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self._refusal(value)
        whole = self.type == "integer"
        if whole and value != int(value):
            raise self._refusal(value)
        number = int(value) if whole else float(value)
        if (self.minimum is not None and number < self.minimum) or (self.maximum is not None and number > self.maximum):
            raise self._refusal(value)
        return number

    def _check_choice(self, value: object) -> Value:
        if not isinstance(value, str) or value not in self.choices:
            raise self._refusal(value)
        return value

    def _check_choices(self, value: object) -> Value:
        if not isinstance(value, (tuple, list, frozenset, set)) or any(item not in self.choices for item in value):
            raise self._refusal(value)
        return tuple(choice for choice in self.choices if choice in value)

    def _refusal(self, value: object) -> ChunkscopeError:
        shown = f"{value!r:.60}"
        return ChunkscopeError(f"{self.name} cannot be {shown}.", f"It takes {self.allowed}.")

    @property
    def allowed(self) -> str:
        """What values it takes, in words."""
        if self.type == "choice":
            return "one of " + ", ".join(self.choices)
        if self.type == "choices":
            return "any of " + ", ".join(self.choices) + " (joined by +)"
        kind = "a whole number" if self.type == "integer" else "a number"
        return f"{kind} from {self.minimum:g} to {self.maximum:g}"


def parameter(
    default: Value,
    title: str,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    step: float | None = None,
    unit: str = "",
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field that carries its :class:`Parameter`."""
    about = {
        "title": title,
        "help": help,
        "minimum": minimum,
        "maximum": maximum,
        "step": step,
        "unit": unit,
        "choices": choices,
    }
    return field(default=default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Base of all parameter sets: checks every value once, when it is made."""

    def __post_init__(self) -> None:
        for known in self.describe():
            object.__setattr__(self, known.name, known.check(getattr(self, known.name)))
        self.check_together()

    def check_together(self) -> None:
        """Raise :class:`ChunkscopeError` where values that are fine alone contradict each other."""

    @property
    def idle(self) -> frozenset[str]:
        """Names of the parameters that change nothing while the others are as they are."""
        return frozenset()

    @classmethod
    def describe(cls) -> tuple[Parameter, ...]:
        """The parameters in order of declaration, the class's own before those it shares."""
        own = [known for known in fields(cls) if known.name in cls.__annotations__]
        inherited = [known for known in fields(cls) if known.name not in cls.__annotations__]
        return tuple(Parameter(name=known.name, default=known.default, **known.metadata) for known in own + inherited)

    @classmethod
    def lookup(cls, name: str) -> Parameter:
        """The parameter of that name; :class:`ChunkscopeError` where there is none."""
        for known in cls.describe():
            if known.name == name:
                return known
        names = ", ".join(known.name for known in cls.describe())
        raise ChunkscopeError(f"There is no parameter {name!r:.60}.", f"There are: {names}.")

    @classmethod
    def parse(cls, texts: Mapping[str, str], base: Mapping[str, Value] | None = None) -> Self:
        """Parameters from texts, on top of ``base`` (a preset)."""
        return cls(**(dict(base or {}) | {name: cls.lookup(name).parse(text) for name, text in texts.items()}))

    def values(self) -> dict[str, Value]:
        """Every value by name."""
        return {known.name: getattr(self, known.name) for known in self.describe()}

    def changed(self) -> dict[str, Value]:
        """The values that are not at their default."""
        return {
            known.name: self.values()[known.name]
            for known in self.describe()
            if self.values()[known.name] != known.default
        }
