"""The types of all messages as TypeScript, out of their Python types: ``python -m pages.shared.components.messages``.

Writes ``messages.d.ts``, against which the scripts are checked; a test holds it against the Python types.
"""

from __future__ import annotations

import importlib
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin, get_type_hints, is_typeddict

from pages.shared.components.base import Message

FILE = Path(__file__).with_name("messages.d.ts")

_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def declarations() -> str:
    """Return an interface for each message of the components, a TypedDict or a dataclass."""
    messages = {name: declared for module in _modules() for name, declared in _messages(module)}
    parts = ["// Made from the Python types of the components by messages.py; do not edit.\n"]
    parts += [_interface(name, messages[name]) for name in sorted(messages)]
    return "\n".join(parts)


def _modules() -> Iterator[ModuleType]:
    for path in sorted(FILE.parent.glob("**/*.py")):
        if path != Path(__file__):
            name = ".".join((__package__ or "", *path.relative_to(FILE.parent).with_suffix("").parts))
            yield importlib.import_module(name.removesuffix(".__init__"))


def _messages(module: ModuleType) -> Iterator[tuple[str, type]]:
    for name, value in vars(module).items():
        if _is_message(value) and value.__module__ == module.__name__:
            yield name, value


def _is_message(value: Any) -> bool:
    return is_typeddict(value) or (isinstance(value, type) and issubclass(value, Message) and is_dataclass(value))


def _interface(name: str, declared: type) -> str:
    hints = get_type_hints(declared, include_extras=True)
    optional: frozenset[str] = getattr(declared, "__optional_keys__", frozenset())
    # Annotations that are strings hide ``Required`` from the class itself.
    optional -= {field for field, hint in hints.items() if get_origin(hint) is Required}
    fields = [f"  {field}{'?' if field in optional else ''}: {_type(hint)};" for field, hint in hints.items()]
    if name.endswith("Head"):
        fields.append("  content: string;")  # added by pack()
    return "\n".join([f"export interface {name} {{", *fields, "}", ""])


def _type(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return str(arguments[1]) if isinstance(arguments[1], str) else _type(arguments[0])
    if origin in (Required, NotRequired):
        return _type(arguments[0])
    if origin in (UnionType, typing.Union):
        return " | ".join(map(_type, arguments))
    if origin in (list, Sequence) or (origin is tuple and arguments[-1] is Ellipsis):
        return f"({_type(arguments[0])})[]"
    if origin is tuple:
        return f"[{', '.join(map(_type, arguments))}]"
    if origin in (dict, Mapping):
        return f"Record<{_type(arguments[0])}, {_type(arguments[1])}>"
    if origin is typing.Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    return hint.__name__ if _is_message(hint) else _PLAIN[hint]


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
