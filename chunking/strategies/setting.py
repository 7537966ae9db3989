"""A strategy with its parameters, as one line of text: ``percentile:window=1;percentile=90``.

The same line names a setting on the command line, in the address of a page and in an export. Several are joined by
commas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chunking.errors import ChunkscopeError
from chunking.params import Parameters
from chunking.strategies.base import Segmentation, Strategy
from chunking.workspace import Workspace


@dataclass(frozen=True)
class Setting:
    """A strategy with its parameters.

    Attributes:
        strategy: the strategy.
        params: of its type.
    """

    strategy: Strategy
    params: Parameters

    @property
    def text(self) -> str:
        """The line that :func:`parse` turns back into this setting."""
        changed = self.params.changed().items()
        pairs = ";".join(f"{name}={self.params.lookup(name).format(value)}" for name, value in changed)
        return f"{self.strategy.name}:{pairs}" if pairs else self.strategy.name

    @property
    def changes(self) -> str:
        """What differs from the strategy's defaults, in words: the name of a preset, or values; else empty."""
        for name, values in self.strategy.presets.items():
            if values and self.params == self.strategy.params.parse({}, values):
                return name
        changed = self.params.changed().items()
        return ", ".join(f"{self.params.lookup(name).title} {_shown(value)}" for name, value in changed)

    @property
    def title(self) -> str:
        """The strategy's title with what differs from its defaults."""
        return f"{self.strategy.title} · {self.changes}" if self.changes else self.strategy.title

    @property
    def windows(self) -> tuple[int, ...]:
        """The windows that it embeds sentences with; what strategies of other families embed, they embed themselves."""
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


def parse(
    text: str, find: Callable[[str], Strategy], read: Callable[[Strategy, dict[str, str]], Parameters]
) -> Setting:
    """Return the setting that a line stands for.

    Args:
        text: ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``.
        find: the strategy of a name.
        read: its parameters from texts.

    Raises:
        ChunkscopeError: there is no such strategy or parameter, or a value is not allowed.
    """
    name, _, rest = text.strip().partition(":")
    strategy = find(name.strip())
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(";"))):
        key, sign, value = part.partition("=")
        if not sign:
            raise ChunkscopeError(
                f"{part!r:.60} is no parameter of {strategy.name}.", f"Write {strategy.name}:KEY=VALUE;KEY=VALUE."
            )
        pairs[key.strip()] = value
    return Setting(strategy, read(strategy, pairs))
