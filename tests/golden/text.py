"""Outputs as text of which a change can be read in a diff."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import Any

LINE = 160
"""Characters of a line, where it can be broken."""

CURVE_DECIMALS = 6
"""Decimals of the distances of gaps."""

DECIMALS = 4
"""Decimals of all other numbers."""

_REAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.])")


def number(value: float, decimals: int = DECIMALS) -> str:
    """Return a number with the decimals that are recorded."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0: never -0.0000


def compact_json(value: Any) -> str:
    """Return JSON in which what fits on a line is one, with rounded numbers."""
    return f"{_json(_rounded(value), '')}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DECIMALS) + 0.0
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else value


def _json(value: Any, indent: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= LINE or not isinstance(value, dict | list):
        return line
    inner = f"{indent} "
    if isinstance(value, dict):
        rows = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {_json(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if any(isinstance(part, dict | list) for part in value):
        return "[\n" + ",\n".join(inner + _json(part, inner) for part in value) + f"\n{indent}]"
    return "[\n" + wrapped([json.dumps(part, ensure_ascii=False) for part in value], ", ", inner) + f"\n{indent}]"


def wrapped(parts: list[str], separator: str, indent: str) -> str:
    """Return parts in lines of at most :data:`LINE` characters."""
    lines, line = [], indent
    for part in parts[:-1]:
        if len(line) + len(part) > LINE and line != indent:
            lines.append(line.rstrip())
            line = indent
        line += part + separator
    return "\n".join([*lines, line + parts[-1]] if parts else lines)


def differences(recorded: str, computed: str) -> list[str]:
    """Return the lines that differ, as a diff would show them.

    Two numbers with decimals are equal within two of the last of them: processors round the last bits in their own way.
    """
    before, after = recorded.splitlines(), computed.splitlines()
    matcher = SequenceMatcher(None, [_masked(line) for line in before], [_masked(line) for line in after], False)
    lines: list[str] = []
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            pairs = zip(range(start, end), before[start:end], after[new_start:new_end], strict=True)
            changes = [(row, old, new) for row, old, new in pairs if not _equal(old, new)]
            lines += [line for row, old, new in changes for line in (f"@ line {row + 1}", f"-{old}", f"+{new}")]
        else:
            lines += [f"@ line {start + 1}", *(f"-{line}" for line in before[start:end])]
            lines += [f"+{line}" for line in after[new_start:new_end]]
    return lines


def _masked(line: str) -> str:
    return _REAL.sub("#", line)


def _equal(recorded: str, computed: str) -> bool:
    """Return whether two lines that differ in numbers alone are equal within the last decimals."""
    return recorded == computed or all(
        abs(float(before) - float(after)) <= 2.1 * 10.0 ** -len(before.partition(".")[2])
        for before, after in zip(_REAL.findall(recorded), _REAL.findall(computed), strict=True)
    )


def short(note: str) -> str:
    """Return a note on a chunk without the words that every one of its kind has."""
    for words in (", to keep together what belongs together", " to keep the limits", " removed to reach", " tokens"):
        note = note.replace(words, "")
    return note
