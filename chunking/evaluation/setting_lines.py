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
    used_names: set[str] = set()
    own_texts, of_context = _separate(shared, retrieval)

    def parameters(strategy: strategies.Strategy, own_values: dict[str, str]) -> Parameters:
        names = _parameter_names(strategy) & own_texts.keys()
        used_names.update(names)
        return strategies.parameters(
            strategy, {name: own_texts[name] for name in own_texts if name in names} | own_values
        )

    def parse(text: str) -> Setting:
        written_names = setting.split(text)[1]
        added = ";".join(f"{name}={value}" for name, value in of_context.items() if name not in written_names)
        text = f"{text}{';' if ':' in text else ':'}{added}" if added else text
        return setting.parse(text, retrieval, parameters)

    settings = strategies.parse_named(line, parse)
    _refuse_unused(own_texts, used_names)
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
    own_texts, of_context = _separate(shared, retrieval)
    used_names: set[str] = set()

    def override(original: Setting) -> Setting:
        strategy = original.strategy
        texts = {name: text for name, text in own_texts.items() if name in _parameter_names(strategy)}
        used_names.update(texts)
        if "preset" in texts:
            params = strategies.parameters(strategy, texts)
        else:
            params = strategy.params.parse(texts, original.params.values())
        return Setting(strategy, params, ContextParameters.parse(of_context, original.context.values()))

    overridden = {name: override(original) for name, original in settings.items()}
    _refuse_unused(own_texts, used_names)
    return overridden


def _separate(shared: Mapping[str, str], retrieval: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return the parameters of strategies, and those of what is embedded and returned, which retrieval alone has."""
    own_texts, of_context = context.separate(shared)
    if not retrieval:
        context.refuse(of_context, "-p")
    return own_texts, of_context


def _parameter_names(strategy: strategies.Strategy) -> set[str]:
    """Return the names that a strategy takes parameters by."""
    return {parameter.name for parameter in strategy.params.describe()} | ({"preset"} if strategy.presets else set())


def _refuse_unused(shared: Mapping[str, str], used_names: Collection[str]) -> None:
    unknown = [name for name in shared if name not in used_names]
    if unknown:
        raise ChunkscopeError(
            f"None of the strategies has a parameter {unknown[0]!r:.60}.", "List them with 'strategies --json'."
        )
