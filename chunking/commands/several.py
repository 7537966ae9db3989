"""Commands that take several settings: those of their option, or else those of a settings file, and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chunking import evaluation, strategies
from chunking.commands.options import pairs
from chunking.comparison import report
from chunking.errors import ChunkscopeError
from chunking.settings import SettingsFile
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis


def settings(
    line: str | None,
    file: SettingsFile,
    params: Sequence[str] = (),
    *,
    option: str = "--strategies",
    retrieval: bool = False,
) -> Mapping[str, Setting]:
    """Return the settings that the options name, or those of the settings file.

    Args:
        line: the strategies of the option; ``None`` if it is absent.
        file: the settings file.
        params: parameters as ``KEY=VALUE``, for each strategy that has them. A line's own win over them, and they win
            over those of the file.
        option: name of the option, for messages.
        retrieval: whether settings may choose what is embedded and returned, see :mod:`chunking.strategies.context`.

    Raises:
        ChunkscopeError: no strategy is named, one is unknown, or a parameter has no value or no strategy.
    """
    if line is not None:
        first = strategies.parse_all(line, retrieval)[0].strategy
        return evaluation.read_settings(line, pairs(params, first), retrieval)
    if not file.settings:
        raise ChunkscopeError("No strategy was given.", f"Give {option} A,B,…, or --config FILE.toml with settings.")
    first = next(iter(file.settings.values())).strategy
    return evaluation.override_settings(file.settings, pairs(params, first), retrieval)


def run_all(
    settings: Mapping[str, Setting], workspace: DocumentAnalysis
) -> tuple[list[report.ComparisonEntry], dict[str, str]]:
    """Run each setting on the document; return the segmentations and the failures, or raise if all fail."""
    entries, failed = [], {}
    for label, setting in settings.items():
        try:
            entries.append(report.entry(setting, setting.run(workspace), label))
        except ChunkscopeError as error:
            failed[label] = str(error)
            if len(failed) == len(settings):
                raise
    return entries, failed
