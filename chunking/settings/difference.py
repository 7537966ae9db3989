"""The differences of two settings, and of two settings files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from chunking.report.formatting import NOTHING, harmless
from chunking.settings.settings_file import DOCUMENTS, EDITS, STRATEGY, SettingsFile
from chunking.strategies import Setting


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs.

    Attributes:
        setting: name of the setting, ``"documents"`` or ``"edits"``; empty for how documents are read and measured.
        key: the parameter, the pattern of documents, or the place of an edit; ``"strategy"`` for a setting as a whole.
        before, after: the values as texts; ``None`` where a file has none.
    """

    setting: str
    key: str
    before: str | None
    after: str | None


def difference(before: SettingsFile, after: SettingsFile) -> tuple[Change, ...]:
    """Return what differs between two files, parameters at their default included.

    Settings are compared by name; where each file has one, these two are compared. Of two strategies the whole lines
    are given, as their parameters do not correspond.
    """
    old, new = before.reading(), after.reading()
    changes = [Change("", key, old.get(key), new.get(key)) for key in dict.fromkeys((*old, *new))]
    pairs = _pairs(before, after)
    changes += [change for name, one, other in pairs for change in _changes(name, one, other)]
    lines = [{pattern: setting.text for pattern, setting in file.documents.items()} for file in (before, after)]
    changes += [Change(DOCUMENTS, key, lines[0].get(key), lines[1].get(key)) for key in dict.fromkeys(chain(*lines))]
    by_hand = [dict(_edit_lines(file)) for file in (before, after)]
    changes += [Change(EDITS, key, by_hand[0].get(key), by_hand[1].get(key)) for key in dict.fromkeys(chain(*by_hand))]
    return tuple(change for change in changes if change.before != change.after)


def setting_difference(before: Setting, after: Setting) -> tuple[Change, ...]:
    """Return the parameters in which two settings differ; of two strategies one change, with the whole lines."""
    return tuple(change for change in _changes("", before, after) if change.before != change.after)


def _edit_lines(file: SettingsFile) -> Iterator[tuple[str, str]]:
    """Yield the place of each edit by hand, and what it decides."""
    for pattern, edits in file.edits.items():
        for edit in edits:
            yield f"{pattern}, “{edit.quote_before}” | “{edit.quote}”", edit.action


def _pairs(before: SettingsFile, after: SettingsFile) -> Iterator[tuple[str, Setting | None, Setting | None]]:
    if len(before.settings) == len(after.settings) == 1:
        names = dict.fromkeys((*before.settings, *after.settings))
        yield " / ".join(names), before.setting(), after.setting()
        return
    for name in dict.fromkeys((*before.settings, *after.settings)):
        yield name, before.settings.get(name), after.settings.get(name)


def _changes(name: str, before: Setting | None, after: Setting | None) -> Iterator[Change]:
    if before is None or after is None or before.strategy.name != after.strategy.name:
        yield Change(name, STRATEGY, before.text if before else None, after.text if after else None)
        return
    old, new = before.params.values(), after.params.values()
    for parameter in before.strategy.params.describe():
        yield Change(name, parameter.name, parameter.format(old[parameter.name]), parameter.format(new[parameter.name]))


def difference_text(changes: Sequence[Change], before: str, after: str) -> str:
    """Return the differences for a terminal.

    Args:
        changes: what :func:`difference` returned.
        before, after: names of the files.
    """
    if not changes:
        return harmless(f"{before} and {after} hold the same settings.") + "\n"
    lines, last = [f"{before} → {after}"], ""
    for change in changes:
        if change.setting != last:
            lines.append(f"[{change.setting}]")
        last = change.setting
        indent = "  " if change.setting else ""
        lines.append(f"{indent}{change.key}: {_format_value(change.before)} → {_format_value(change.after)}")
    return harmless("\n".join(lines)) + "\n"


def _format_value(value: str | None) -> str:
    return NOTHING if value is None else value or '""'
