"""Parameters: one definition for the page, the command line, the export and the documentation.

A set of parameters is a frozen dataclass that derives from :class:`Parameters` and declares each field with
:func:`parameter`. The control on the page, the option on the command line, the row in
``python -m chunking strategies --json`` and the validation of each value derive from that declaration.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any, Self

from chunking.errors import ChunkscopeError

Value = float | int | str | tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """The definition of one parameter.

    Attributes:
        name: its name, the same everywhere.
        title: label of the control.
        default: default value; its type is the parameter's type.
        minimum, maximum: inclusive bounds of a number, else ``None``.
        step: step of the control.
        unit: unit of the number; empty if it has none.
        help: one or two sentences.
        choices: allowed values of a text; allowed members of a tuple.
        retired: members that older settings name, which are ignored.
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
    retired: frozenset[str] = frozenset()

    @cached_property
    def attribute(self) -> str:
        """The attribute of its value: its name, with an underscore where Python reserves the name (``return``)."""
        return f"{self.name}_" if keyword.iskeyword(self.name) else self.name

    @cached_property
    def type(self) -> str:
        """``"number"``, ``"integer"``, ``"choice"`` or ``"choices"``."""
        if isinstance(self.default, tuple):
            return "choices"
        if isinstance(self.default, str):
            return "choice"
        return "integer" if isinstance(self.default, int) else "number"

    def check(self, value: object) -> Value:
        """Return the value, converted to the parameter's type.

        Raises:
            ChunkscopeError: the value is not allowed.
        """
        if self.type == "choice":
            return self._check_choice(value)
        if self.type == "choices":
            return self._check_choices(value)
        return self._check_number(value)

    def parse(self, text: str) -> Value:
        """Return the value of a text (a query parameter, an option), checked."""
        if self.type == "choices":
            return self.check(tuple(part.strip() for part in text.split("+") if part.strip()))
        return self.check(text.strip() if self.type == "choice" else self._number(text))

    def format(self, value: Value) -> str:
        """Return the text that :meth:`parse` turns back into ``value``."""
        return "+".join(value) if isinstance(value, tuple) else str(value)

    def describe(self) -> dict[str, Any]:
        """Return the entry of the strategy list."""
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
            raise self._invalid(value)
        is_integer = self.type == "integer"
        if is_integer and value != int(value):
            raise self._invalid(value)
        number = int(value) if is_integer else float(value)
        if (self.minimum is not None and number < self.minimum) or (self.maximum is not None and number > self.maximum):
            raise self._invalid(value)
        return number

    def _check_choice(self, value: object) -> Value:
        if not isinstance(value, str) or value not in self.choices:
            raise self._invalid(value)
        return value

    def _check_choices(self, value: object) -> Value:
        allowed_choices = {*self.choices, *self.retired}
        if not isinstance(value, (tuple, list, frozenset, set)):
            raise self._invalid(value)
        if any(not isinstance(item, str) or item not in allowed_choices for item in value):
            raise self._invalid(value)
        return tuple(choice for choice in self.choices if choice in value)

    def _invalid(self, value: object) -> ChunkscopeError:
        shown_value = f"{value!r:.60}"
        return ChunkscopeError(f"{self.name} cannot be {shown_value}.", f"Use {self.allowed}.")

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
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
    retired: Collection[str] = (),
) -> Any:
    """Return a dataclass field that carries its :class:`Parameter`."""
    metadata = {
        "title": title,
        "help": help,
        "minimum": minimum,
        "maximum": maximum,
        "step": step,
        "unit": unit,
        "choices": choices,
        "retired": frozenset(retired),
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The base of all parameter sets; checks every value on creation."""

    def __post_init__(self) -> None:
        for definition in self.describe():
            object.__setattr__(self, definition.attribute, definition.check(getattr(self, definition.attribute)))
        self.validate()

    def validate(self) -> None:
        """Raise :class:`ChunkscopeError` if values contradict each other."""

    @property
    def inactive(self) -> frozenset[str]:
        """Names of the parameters without effect at the values of the others."""
        return frozenset()

    @classmethod
    @cache
    def describe(cls) -> tuple[Parameter, ...]:
        """Return the parameters in order of declaration, the class's own before inherited ones."""
        own_fields = [class_field for class_field in fields(cls) if class_field.name in cls.__annotations__]
        inherited = [class_field for class_field in fields(cls) if class_field.name not in cls.__annotations__]
        return tuple(
            Parameter(name=class_field.name.removesuffix("_"), default=class_field.default, **class_field.metadata)
            for class_field in own_fields + inherited
        )

    @classmethod
    def lookup(cls, name: str) -> Parameter:
        """Return the parameter of that name; raise :class:`ChunkscopeError` if there is none."""
        for definition in cls.describe():
            if definition.name == name:
                return definition
        names = ", ".join(definition.name for definition in cls.describe())
        raise ChunkscopeError(f"Unknown parameter {name!r:.60}.", f"Choose one of: {names}.")

    @classmethod
    def parse(cls, texts: Mapping[str, str], base: Mapping[str, Value] | None = None) -> Self:
        """Return parameters from texts, on top of ``base`` (a preset)."""
        values = dict(base or {}) | {name: cls.lookup(name).parse(text) for name, text in texts.items()}
        attributes = {definition.name: definition.attribute for definition in cls.describe()}
        return cls(**{attributes.get(name, name): value for name, value in values.items()})

    def values(self) -> dict[str, Value]:
        """Return every value by name."""
        return {definition.name: getattr(self, definition.attribute) for definition in self.describe()}

    def changed(self) -> dict[str, Value]:
        """Return the values that differ from their default."""
        values = self.values()
        return {
            definition.name: values[definition.name]
            for definition in self.describe()
            if values[definition.name] != definition.default
        }

    def pairs(self) -> list[str]:
        """Return ``NAME=VALUE`` of each value that differs from its default."""
        return [f"{name}={self.lookup(name).format(value)}" for name, value in self.changed().items()]
