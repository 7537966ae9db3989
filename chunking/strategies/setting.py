"""A strategy with its parameters, as one line of text: ``percentile:window=1;percentile=90``.

The same notation is used on the command line, in the address of a page and in exports. Several are joined by
commas. On the command line each may have a name, which is what tables call it: ``tight=percentile:percentile=80``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from chunking.chunks import NO_LIMITS, RetrievalSizeParameters
from chunking.errors import ChunkscopeError
from chunking.params import Parameter, Parameters, Value
from chunking.strategies import context
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.context import ContextParameters
from chunking.strategies.registry import REGISTRY, get, parameters
from chunking.workspace import DocumentAnalysis


@dataclass(frozen=True)
class Setting:
    """A strategy with its parameters.

    Attributes:
        strategy: the strategy.
        params: its parameters.
        context: what is embedded for a chunk and returned for it, where it is used for retrieval; no chunk depends on
            it.
    """

    strategy: Strategy
    params: Parameters
    context: ContextParameters = field(default_factory=ContextParameters)

    @property
    def text(self) -> str:
        """The line that :func:`parse` turns back into this setting."""
        return line(self.strategy, self.values())

    @property
    def cutting(self) -> Setting:
        """The setting without its choices of retrieval: all that its chunks depend on."""
        return replace(self, context=ContextParameters())

    @property
    def before_limits(self) -> Setting:
        """The setting with the boundaries that people judge: without sizes, unless others than the default are set."""
        has_sizes = any(name in self.params.changed() for name in NO_LIMITS)
        if has_sizes or not isinstance(self.params, RetrievalSizeParameters):
            return self
        return self.with_values(self.values() | NO_LIMITS)

    def for_retrieval(self, maximum: int) -> Setting:
        """Return the setting with the sizes that suit retrieval, and with this maximum in tokens.

        Raises:
            ChunkscopeError: the other parameters leave no room in the maximum.
        """
        sizes = RetrievalSizeParameters(max_tokens=maximum).values()
        values = self.values()
        retrieval_sizes = {name: sizes[name] for name in sizes.keys() & values if not name.startswith("overlap")}
        return self.with_values(values | retrieval_sizes)

    @property
    def changes(self) -> str:
        """The differences from the strategy's defaults: the name of a preset, or values; empty without any."""
        return ", ".join(filter(None, (self._changes_of_strategy(), _changes(self.context))))

    def _changes_of_strategy(self) -> str:
        for name, values in self.strategy.presets.items():
            if values and self.params == self.strategy.params.parse({}, values):
                return name
        return _changes(self.params)

    def values(self) -> dict[str, Value]:
        """Return the values of all parameters by name: the strategy's, then those of retrieval."""
        return self.params.values() | self.context.values()

    def with_values(self, values: Mapping[str, Value]) -> Setting:
        """Return the strategy with these values in place of all of its own.

        Raises:
            ChunkscopeError: one is not allowed, or they contradict each other.
        """
        own_values, context_params = context.separate_values(values)
        return Setting(self.strategy, self.strategy.params.parse({}, own_values), context_params)

    @property
    def title(self) -> str:
        """The strategy's title with the differences from its defaults."""
        return f"{self.strategy.title} · {self.changes}" if self.changes else self.strategy.title

    @property
    def embeds(self) -> bool:
        """Whether it needs the encoder to cut a document."""
        return bool(self.windows) or (self.strategy.family == "peers" and self.strategy.name.endswith("_semantic"))

    @property
    def windows(self) -> tuple[int, ...]:
        """The windows whose sentence vectors can be computed before it runs; empty if it computes none, or its own."""
        return self.strategy.windows(self.params)

    def run(self, workspace: DocumentAnalysis) -> Segmentation:
        """Run the strategy on a document."""
        return self.strategy.run(workspace, self.params)


def _changes(params: Parameters) -> str:
    """Return the differences of parameters from their defaults, in words."""
    return ", ".join(f"{params.lookup(name).title} {_format_value(value)}" for name, value in params.changed().items())


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def line(strategy: Strategy, values: Mapping[str, Value]) -> str:
    """Return the line of a strategy with these values, which need not be allowed together."""
    parameters_by_name = {parameter.name: parameter for parameter in described(strategy)}
    changed = {name: value for name, value in values.items() if value != parameters_by_name[name].default}
    pairs = ";".join(f"{name}={parameters_by_name[name].format(value)}" for name, value in changed.items())
    return f"{strategy.name}:{pairs}" if pairs else strategy.name


def described(strategy: Strategy) -> tuple[Parameter, ...]:
    """Return all parameters that a setting of a strategy can have: its own, then those of retrieval."""
    return (*strategy.params.describe(), *ContextParameters.describe())


def named(text: str) -> tuple[str, str]:
    """Return the name that a line gives to its setting, and the setting's own line, which is its name if it gives none.

    Raises:
        ChunkscopeError: the name is empty.
    """
    text = text.strip()
    head, colon, rest = text.partition(":")
    name, sign, strategy = head.partition("=")
    if not sign:
        return text, text
    if not name.strip():
        raise ChunkscopeError(f"{text!r:.60} has an empty name.", "Write NAME=STRATEGY:KEY=VALUE, or no name.")
    return name.strip(), f"{strategy.strip()}{colon}{rest}"


def named_rows(rows: Mapping[str, str]) -> list[str]:
    """Return ``name = setting`` for each row whose name does not tell its strategy.

    Args:
        rows: settings by name; of a baseline it is empty.
    """
    return [
        f"{name} = {text}"
        for name, text in rows.items()
        if text and name.partition(":")[0].strip() != text.partition(":")[0]
    ]


def split(text: str) -> tuple[str, dict[str, str]]:
    """Return the strategy's name and the texts of the parameters that a line gives.

    Raises:
        ChunkscopeError: a part of it is not ``KEY=VALUE``, or a parameter is given twice.
    """
    name, _, rest = text.strip().partition(":")
    name = name.strip()
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(";"))):
        key, sign, value = part.partition("=")
        if not sign:
            raise ChunkscopeError(f"{part!r:.60} is not a parameter of {name}.", f"Write {name}:KEY=VALUE;KEY=VALUE.")
        add_pair(pairs, key, value)
    return name, pairs


def add_pair(pairs: dict[str, str], name: str, text: str) -> None:
    """Add the text of a parameter to those of others.

    Raises:
        ChunkscopeError: the parameter is among them already.
    """
    name = name.strip()
    if name in pairs:
        raise ChunkscopeError(
            f"{name!r:.60} is given twice, as {pairs[name]!r:.60} and {text!r:.60}.", "Give each parameter once."
        )
    pairs[name] = text


def parse(
    text: str, retrieval: bool = False, read: Callable[[Strategy, dict[str, str]], Parameters] = parameters
) -> Setting:
    """Parse a setting.

    Args:
        text: ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``.
        retrieval: whether the setting is for retrieval, so that it may have :class:`ContextParameters`.
        read: parses the parameters of a strategy.

    Raises:
        ChunkscopeError: the strategy or a parameter is unknown, or a value is not allowed.
    """
    name, pairs = split(text)
    strategy = get(name)
    own_texts, context_texts = context.separate(pairs)
    if not retrieval:
        context.refuse(context_texts, name)
    return Setting(strategy, read(strategy, own_texts), ContextParameters.parse(context_texts))


def parse_all(text: str, retrieval: bool = False) -> tuple[Setting, ...]:
    """Parse settings separated by commas, as :func:`parse` does; repeated ones are dropped."""
    settings = parse_named(text, lambda line: parse(line, retrieval))
    return tuple({setting.text: setting for setting in settings.values()}.values())


def parse_named(text: str, make: Callable[[str], Setting] = parse) -> dict[str, Setting]:
    """Parse settings separated by commas, each ``NAME=SETTING`` or a setting that is its own name.

    Args:
        text: the settings.
        make: parses a setting without its name.

    Raises:
        ChunkscopeError: there is none, one is wrong, or two have the same name.
    """
    settings: dict[str, Setting] = {}
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for before, part in pairwise(parts):
        _refuse_comma(named(before)[1], part)
    for name, line in map(named, parts):
        setting = make(line)
        if settings.get(name, setting) != setting:
            raise ChunkscopeError(f"Two settings are named {name!r:.60}.", "Give each a name of its own.")
        settings[name] = setting
    if not settings:
        raise ChunkscopeError("No strategy was given.", f"Choose one or more of: {', '.join(REGISTRY)}.")
    return settings


def _refuse_comma(before: str, part: str) -> None:
    """Raise for a parameter that a comma separates from its strategy, as in ``recursive:size=500,overlap=0``."""
    name, colon, _ = before.partition(":")
    key, sign, value = (text.strip() for text in part.partition("="))
    if name not in REGISTRY or not sign or value.partition(":")[0].strip() in REGISTRY or ":" in key:
        return
    keys = {"preset", *(parameter.name for parameter in REGISTRY[name].params.describe())}
    if key in keys or (colon and not value[:1].isalpha()):  # what begins with a letter may be a misspelt strategy
        corrected = f"{before}{';' if colon else ':'}{part}"
        raise ChunkscopeError(
            f"Commas separate strategies, so {part!r:.60} is not a parameter of {name}.",
            f"Separate parameters with a semicolon, in quotes: '{corrected:.200}'.",
        )
