"""Settings of several strategies in one line, with parameters that they share."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from chunking import strategies
from chunking.errors import ChunkscopeError
from chunking.params import Parameters
from chunking.strategies import Setting, context, setting
from chunking.strategies.context import ContextParameters


def read_settings(line: str, shared: Mapping[str, str], retrieval: bool = False) -> dict[str, Setting]:
    """Return the settings of a line, each under the name that is given there, else as it was written.

    Args:
        line: settings that commas part, see :mod:`chunking.strategies.setting`.
        shared: parameters for every strategy that has them, where the line does not give its own.
        retrieval: whether they may choose what is embedded and returned, see :mod:`chunking.strategies.context`.

    Raises:
        ChunkscopeError: there is none, one is wrong, or no strategy of the line has a shared parameter.
    """
    used: set[str] = set()
    own, of_context = _separate(shared, retrieval)

    def parameters(strategy: strategies.Strategy, written: dict[str, str]) -> Parameters:
        names = _parameter_names(strategy) & own.keys()
        used.update(names)
        return strategies.parameters(strategy, {name: own[name] for name in own if name in names} | written)

    def parse(text: str) -> Setting:
        written = setting.split(text)[1]
        added = ";".join(f"{name}={value}" for name, value in of_context.items() if name not in written)
        text = f"{text}{';' if ':' in text else ':'}{added}" if added else text
        return setting.parse(text, retrieval, parameters)

    settings = strategies.parse_named(line, parse)
    _refuse_unused(own, used)
    return settings


def override_settings(
    settings: Mapping[str, Setting], shared: Mapping[str, str], retrieval: bool = False
) -> dict[str, Setting]:
    """Return settings with shared parameters in place of their own; a preset replaces all parameters of a strategy.

    Args:
        settings: by name.
        shared: parameters for every strategy that has them.
        retrieval: whether they may choose what is embedded and returned, see :mod:`chunking.strategies.context`.

    Raises:
        ChunkscopeError: a value is not allowed, or no strategy has a shared parameter.
    """
    own, of_context = _separate(shared, retrieval)
    used: set[str] = set()

    def override(original: Setting) -> Setting:
        strategy = original.strategy
        texts = {name: text for name, text in own.items() if name in _parameter_names(strategy)}
        used.update(texts)
        if "preset" in texts:
            params = strategies.parameters(strategy, texts)
        else:
            params = strategy.params.parse(texts, original.params.values())
        return Setting(strategy, params, ContextParameters.parse(of_context, original.context.values()))

    overridden = {name: override(original) for name, original in settings.items()}
    _refuse_unused(own, used)
    return overridden


def _separate(shared: Mapping[str, str], retrieval: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return the parameters of strategies, and those of what is embedded and returned, which retrieval alone has."""
    own, of_context = context.separate(shared)
    if not retrieval:
        context.refuse(of_context, "-p")
    return own, of_context


def _parameter_names(strategy: strategies.Strategy) -> set[str]:
    """Return the names that a strategy takes parameters by."""
    return {known.name for known in strategy.params.describe()} | ({"preset"} if strategy.presets else set())


def _refuse_unused(shared: Mapping[str, str], used: Collection[str]) -> None:
    unknown = [name for name in shared if name not in used]
    if unknown:
        raise ChunkscopeError(
            f"None of the strategies has a parameter {unknown[0]!r:.60}.", "List them with 'strategies --json'."
        )
