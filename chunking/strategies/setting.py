"""A strategy with its parameters, as one line of text: ``percentile:window=1;percentile=90``.

The same notation is used on the command line, in the address of a page and in exports. Several are joined by
commas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chunking.errors import ChunkscopeError
from chunking.params import Parameters, Value
from chunking.strategies.base import Segmentation, Strategy
from chunking.workspace import Workspace


@dataclass(frozen=True)
class Setting:
    """A strategy with its parameters.

    Attributes:
        strategy: the strategy.
        params: its parameters.
    """

    strategy: Strategy
    params: Parameters

    @property
    def text(self) -> str:
        """The line that :func:`parse` turns back into this setting."""
        return line(self.strategy, self.params.values())

    @property
    def changes(self) -> str:
        """The differences from the strategy's defaults: the name of a preset, or values; empty without any."""
        for name, values in self.strategy.presets.items():
            if values and self.params == self.strategy.params.parse({}, values):
                return name
        changed = self.params.changed().items()
        return ", ".join(f"{self.params.lookup(name).title} {_shown(value)}" for name, value in changed)

    @property
    def title(self) -> str:
        """The strategy's title with the differences from its defaults."""
        return f"{self.strategy.title} · {self.changes}" if self.changes else self.strategy.title

    @property
    def windows(self) -> tuple[int, ...]:
        """The windows whose sentence vectors can be computed before it runs; empty if it computes none, or its own."""
        if self.strategy.family not in ("fused", "semantic"):
            return ()
        return (int(getattr(self.params, "window", 0)),)

    def run(self, workspace: Workspace) -> Segmentation:
        """Run the strategy on a document."""
        return self.strategy.run(workspace, self.params)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def line(strategy: Strategy, values: Mapping[str, Value]) -> str:
    """Return the line of a strategy with these values, which need not be allowed together."""
    known = {each.name: each for each in strategy.params.describe()}
    changed = {name: value for name, value in values.items() if value != known[name].default}
    pairs = ";".join(f"{name}={known[name].format(value)}" for name, value in changed.items())
    return f"{strategy.name}:{pairs}" if pairs else strategy.name


def split(text: str) -> tuple[str, dict[str, str]]:
    """Return the strategy's name and the texts of the parameters that a line gives.

    Raises:
        ChunkscopeError: a part of it is not ``KEY=VALUE``.
    """
    name, _, rest = text.strip().partition(":")
    name = name.strip()
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(";"))):
        key, sign, value = part.partition("=")
        if not sign:
            raise ChunkscopeError(f"{part!r:.60} is not a parameter of {name}.", f"Write {name}:KEY=VALUE;KEY=VALUE.")
        pairs[key.strip()] = value
    return name, pairs


def parse(
    text: str, find: Callable[[str], Strategy], read: Callable[[Strategy, dict[str, str]], Parameters]
) -> Setting:
    """Parse a setting.

    Args:
        text: ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``.
        find: returns the strategy of a name.
        read: parses its parameters.

    Raises:
        ChunkscopeError: the strategy or a parameter is unknown, or a value is not allowed.
    """
    name, pairs = split(text)
    strategy = find(name)
    return Setting(strategy, read(strategy, pairs))
