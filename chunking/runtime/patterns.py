"""The one module that compiles regular expressions, so that a test can hold each to linear time.

A document may be hostile: a pattern that tries the same characters again and again freezes whoever opens it. Every
pattern of Chunkscope is compiled here, and ``tests/runtime/test_patterns.py`` measures each repeat in each of them.

Four shapes take more than linear time, and each has a linear form:

- Two repeats in a row that match the same characters (``\\s*\\n\\s*``): exclude the characters from one of the two, or
  make the first possessive (``\\s*+``), or put it into an atomic group (``(?>...)``).
- A repeat inside a repeat (``(?:\\s*\\r?\\n)*``): the same, with one way to match each character.
- A repeat at the start of a pattern that is searched: ``search``, ``sub``, ``split`` and ``finditer`` try it from each
  character of a run (``\\s+$``). Start only where a run starts (``(?<!\\s)\\s+$``), or bound the repeat.
- A repeat up to an end that never comes (``<!--.*?-->``): exclude the start from the repeated part, or bound it.
"""

from __future__ import annotations

import re
import sys
from typing import AnyStr
from weakref import WeakKeyDictionary

_MODULES: WeakKeyDictionary[re.Pattern[str] | re.Pattern[bytes], str] = WeakKeyDictionary()


def compile_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a compiled pattern like :func:`re.compile`, and register it for as long as it is referenced.

    Args:
        pattern: regular expression; takes linear time in every way in which it is used.
        flags: flags of :mod:`re`.

    Raises:
        re.error: the pattern is not a regular expression.
    """
    compiled = re.compile(pattern, flags)
    _MODULES.setdefault(compiled, sys._getframe(1).f_globals.get("__name__", ""))
    return compiled


def registered_patterns() -> list[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Return each registered pattern with the name of the module that compiled it first."""
    return sorted(((module, pattern) for pattern, module in list(_MODULES.items())), key=repr)
