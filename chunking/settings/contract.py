"""What a settings file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from chunking import embedding, tokens
from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters
from chunking.strategies import Setting
from chunking.workspace import Tools

STRATEGY, PRESET, SETTINGS = "strategy", "preset", "settings"
"""Keys of a setting beside its parameters, and the table that holds the settings."""


@dataclass(frozen=True)
class SettingsFile:
    """Named settings, and how documents are read and measured.

    Attributes:
        settings: strategies with their parameters by name, in the order of the file; may be empty.
        encoder, tokenizer, splitter: as of :class:`~chunking.workspace.Tools`; a tokenizer ``"encoder"`` is that of
            the encoder that is finally used.
        language: ISO 639-1 code; ``None`` to detect it.
        loading: further parameters of loading.
        name: the file's name, for messages.
    """

    settings: Mapping[str, Setting] = field(default_factory=dict)
    encoder: str = embedding.DEFAULT_ENCODER
    tokenizer: str = tokens.DEFAULT_TOKENIZER
    splitter: str | None = None
    language: str | None = None
    loading: LoadParameters = field(default_factory=LoadParameters)
    name: str = "settings"

    @property
    def tools(self) -> Tools:
        """The models that documents are measured with."""
        return Tools(self.encoder, self.tokenizer, self.splitter)

    def reading(self) -> dict[str, str]:
        """Return how documents are read and measured, by key of the file, without what is left to a default."""
        values = {name: getattr(self, name) for name in READING} | self.loading.values()
        return {name: str(value) for name, value in values.items() if value is not None}

    def with_reading(self, given: Mapping[str, str | None]) -> SettingsFile:
        """Return the file with some of its values of reading replaced; ``None`` keeps one.

        Raises:
            ChunkscopeError: a parameter of loading has another value than those that are allowed.
        """
        chosen = {name: value for name, value in given.items() if value is not None}
        own = {name: value for name, value in chosen.items() if name in READING}
        loading = {name: value for name, value in chosen.items() if name not in READING}
        return replace(self, **own, loading=LoadParameters.parse(loading, self.loading.values()))  # type: ignore[arg-type]

    def setting(self, name: str | None = None) -> Setting:
        """Return the setting of a name, or the only one.

        Raises:
            ChunkscopeError: there is none of that name, none at all, or several and no name.
        """
        names = ", ".join(self.settings)
        if not self.settings:
            raise ChunkscopeError(f"{self.name} has no setting.", f"Add a table [{SETTINGS}.NAME] with a strategy.")
        if name is None and len(self.settings) == 1:
            return next(iter(self.settings.values()))
        if name is None:
            raise ChunkscopeError(f"{self.name} has several settings.", f"Name one of: {names}.")
        if name not in self.settings:
            raise ChunkscopeError(f"{self.name} has no setting {name!r:.60}.", f"Choose one of: {names}.")
        return self.settings[name]


READING = (*(each.name for each in fields(Tools)), "language")
"""Keys of the models and of the language; those of loading are the names of :class:`LoadParameters`."""
