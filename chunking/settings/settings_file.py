"""Settings files in TOML: strategies with their parameters, and how documents are read and measured.

Each message about a file names the file, the key and the values that are allowed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, TypeVar

import tomli_w

from chunking import embedding, sentences, strategies, tokens
from chunking.chunks.edits import MOST, Edit
from chunking.errors import ChunkscopeError
from chunking.export import encodable
from chunking.loading import LoadParameters, check_language, files
from chunking.params import Parameter, Value
from chunking.report.formatting import harmless
from chunking.runtime import structured
from chunking.strategies import REGISTRY, Segmentation, Setting, Strategy, context
from chunking.workspace import Models

T = TypeVar("T")

STRATEGY, PRESET, SETTINGS, DOCUMENTS = "strategy", "preset", "settings", "documents"
"""Keys of a setting beside its parameters, and the tables that hold the settings and say which documents have which."""

EDITS, DOCUMENT = "edits", "document"
"""The tables of edits by hand, and the key that says of which document one is."""


@dataclass(frozen=True)
class SettingsFile:
    """Named settings, and how documents are read and measured.

    Attributes:
        settings: strategies with their parameters by name, in the order of the file; may be empty.
        encoder, tokenizer, splitter: as of :class:`~chunking.workspace.Models`; a tokenizer ``"encoder"`` is that of
            the encoder that is finally used, an empty one the default.
        language: ISO 639-1 code; ``None`` to detect it.
        loading: further parameters of loading.
        name: the file's name, for messages.
        documents: settings of single documents, by a pattern of their path or of the end of it (``api/*.md``), in which
            ``*`` stands for slashes too.
        edits: edits by hand of single documents, see :mod:`chunking.chunks.edits`, by such a pattern.
    """

    settings: Mapping[str, Setting] = field(default_factory=dict)
    encoder: str | None = None
    tokenizer: str = ""
    splitter: str | None = None
    language: str | None = None
    loading: LoadParameters = field(default_factory=LoadParameters)
    name: str = "settings"
    documents: Mapping[str, Setting] = field(default_factory=dict)
    edits: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)

    def setting_for(self, path: str) -> Setting | None:
        """Return the setting of the first pattern that matches the path of a document; ``None`` without one."""
        return next((setting for pattern, setting in self.documents.items() if _matches(path, pattern)), None)

    def edits_for(self, path: str) -> tuple[Edit, ...]:
        """Return the edits by hand of all patterns that match the path of a document."""
        return tuple(chain.from_iterable(edits for pattern, edits in self.edits.items() if _matches(path, pattern)))

    @property
    def tools(self) -> Models:
        """The models that documents are measured with."""
        return Models(self.encoder, self.tokenizer, self.splitter)

    def reading(self) -> dict[str, str]:
        """Return how documents are read and measured, by key of the file, without what is left to a default."""
        values = {name: getattr(self, name) for name in READING} | self.loading.values()
        return {name: str(value) for name, value in values.items() if value not in (None, "")}

    def with_reading(self, replacements: Mapping[str, str | None]) -> SettingsFile:
        """Return the file with some of its values of reading replaced; ``None`` keeps one.

        Raises:
            ChunkscopeError: a parameter of loading has another value than those that are allowed.
        """
        values = {name: value for name, value in replacements.items() if value is not None}
        reading = {name: value for name, value in values.items() if name in READING}
        loading = {name: value for name, value in values.items() if name not in READING}
        return replace(self, **reading, loading=LoadParameters.parse(loading, self.loading.values()))  # type: ignore[arg-type]

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


def _matches(path: str, pattern: str) -> bool:
    """Return whether a path, or the end of it, is the one that a pattern describes."""
    file = PurePath(path)
    ends = (PurePath(*file.parts[start:]).as_posix() for start in range(len(file.parts)))
    return any(end == pattern or fnmatchcase(end, pattern) for end in ends)


READING = (*(model_field.name for model_field in fields(Models)), "language")
"""Keys of the models and of the language; those of loading are the names of :class:`LoadParameters`."""


def load_settings(path: str | Path) -> SettingsFile:
    """Read the settings file at a path.

    >>> from chunking import load_settings, split
    >>> file = load_settings("chunkscope.toml")  # doctest: +SKIP
    >>> split(document, file.setting(), file.tools)  # doctest: +SKIP

    Raises:
        ChunkscopeError: it cannot be read, is not TOML, or has an unknown key or a value that is not allowed.
    """
    path = Path(path)
    return read_settings(files.read(path), str(path))


LIMIT = structured.SizeLimit(2**20)
"""Limit of a settings file."""


def read_settings(data: bytes, name: str, parse: Callable[[bytes, str], dict[str, Any]] | None = None) -> SettingsFile:
    """Read a settings file.

    Args:
        data: its bytes.
        name: its name, for messages.
        parse: what reads TOML; :func:`parse_toml` by default, for which a hostile file may take all memory.

    Raises:
        ChunkscopeError: it is not TOML, or has an unknown key or a value that is not allowed.
    """
    structured.check_file(data, name, LIMIT)
    table = (parse or parse_toml)(data, name)
    loading = [parameter.name for parameter in LoadParameters.describe()]
    _refuse_unknown(table, (*READING, *loading, SETTINGS, DOCUMENTS, EDITS), name)
    values = {key: _within(name, _text, key, table[key]) for key in (*READING, *loading) if key in table}
    for key, check in _CHECKS.items():
        if key in values:
            _within(f"{name}, {key}", check, values[key])
    rows = table.get(SETTINGS, {})
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        raise ChunkscopeError(
            f"{name}: {SETTINGS} is not a set of tables.", f"Write [{SETTINGS}.NAME] above a setting."
        )
    settings = {label: _within(f"{name}, [{SETTINGS}.{harmless(label)}]", _setting, row) for label, row in rows.items()}
    documents = _documents(table.get(DOCUMENTS, {}), settings, name)
    file = SettingsFile(settings, name=name, documents=documents, edits=_edits(table.get(EDITS, []), name))
    return _within(name, file.with_reading, values)


def _edits(rows: object, name: str) -> dict[str, tuple[Edit, ...]]:
    """Return the edits by hand by the pattern of their document."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ChunkscopeError(f"{name}: {EDITS} is not a list of tables.", f"Write [[{EDITS}]] above each edit.")
    if len(rows) > MOST:
        raise ChunkscopeError(f"{name} has {len(rows):,} edits.", f"Leave {MOST:,} at most.")
    edits: dict[str, tuple[Edit, ...]] = {}
    for number, row in enumerate(rows, 1):
        pattern, edit = _within(f"{name}, [[{EDITS}]] {number}", _edit, row)
        edits[pattern] = (*edits.get(pattern, ()), edit)
    return edits


def _edit(row: Mapping[str, Any]) -> tuple[str, Edit]:
    _refuse_unknown(row, (DOCUMENT, *(part.name for part in fields(Edit))), "It")
    texts = {key: _text(key, row.get(key)) for key in (DOCUMENT, "action", "before", "after")}
    offset = row.get("offset", 0)
    if not isinstance(offset, int) or isinstance(offset, bool) or offset >= 2**63:
        raise ChunkscopeError("offset is not a whole number.", "Leave it out, or count characters.")
    return texts.pop(DOCUMENT), Edit(**texts, offset=offset)  # type: ignore[arg-type]


def _documents(rows: object, settings: Mapping[str, Setting], name: str) -> dict[str, Setting]:
    """Return the settings of documents by pattern: each is the name of a setting of the file, or a line."""
    if not isinstance(rows, dict):
        raise ChunkscopeError(f"{name}: {DOCUMENTS} is not a table.", f"Write [{DOCUMENTS}] above the patterns.")
    documents = {}
    for pattern, text in rows.items():
        where = f"{name}, [{DOCUMENTS}] {harmless(pattern)!r:.60}"
        line = _within(where, _text, "The setting", text)
        documents[pattern] = settings[line] if line in settings else _within(where, strategies.parse, line)
    return documents


def parse_toml(data: bytes, name: str) -> dict[str, Any]:
    """Return the table of a TOML file.

    Raises:
        ChunkscopeError: it is not TOML.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ChunkscopeError(f"{name} is not in UTF-8.", "Save it as UTF-8, which TOML requires.") from error
    except (ValueError, RecursionError) as error:  # not only its own error: a number may have too many digits
        reason = "too many brackets" if isinstance(error, RecursionError) else str(error)
        raise ChunkscopeError(f"{name} is not valid TOML: {reason}.", "Correct it.") from error


def _within(where: str, make: Callable[..., T], *arguments: Any) -> T:
    """Return what a function makes; an error says where in the file its cause is."""
    try:
        return make(*arguments)
    except ChunkscopeError as error:
        raise ChunkscopeError(f"{where}: {error.problem}", error.remedy) from error


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ChunkscopeError(f"{key} is not a text.", "Write one in quotes.")
    return value


def _refuse_unknown(table: Mapping[str, Any], allowed_keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in allowed_keys:
            raise ChunkscopeError(f"{where}: Unknown key {key!r:.60}.", f"Use {', '.join(allowed_keys)}.")


def _tokenizer(name: str) -> None:
    # The encoder's own tokenizer has a name of its own, which loads nothing until it counts.
    if name != embedding.AS_ENCODER:
        tokens.get_tokenizer(name)


_CHECKS: Mapping[str, Callable[[str], object]] = {
    "encoder": embedding.get_encoder,
    "tokenizer": _tokenizer,
    "splitter": sentences.check_splitter,
    "language": check_language,
}
"""What raises where a name is unknown."""


def _setting(row: Mapping[str, Any]) -> Setting:
    if STRATEGY not in row:
        raise ChunkscopeError(f"It has no {STRATEGY}.", f"Add {STRATEGY} = one of: {', '.join(REGISTRY)}.")
    strategy = strategies.get(_text(STRATEGY, row[STRATEGY]))
    texts = {key: value for key, value in row.items() if key not in (STRATEGY, PRESET)}
    context.refuse({key: str(value) for key, value in texts.items() if key in context.NAMES}, strategy.name)
    values = {key: _value(strategy.params.lookup(key), value) for key, value in texts.items()}
    return Setting(strategy, strategy.params.parse({}, _base(strategy, row) | values))


def _value(parameter: Parameter, value: object) -> Value:
    # TOML's own range; a larger number has no float, and may have too many digits to be shown.
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ChunkscopeError(f"{parameter.name} is not a number of 64 bits.", f"Use {parameter.allowed}.")
    return parameter.check(value)


def _base(strategy: Strategy, row: Mapping[str, Any]) -> dict[str, Value]:
    if PRESET not in row:
        return {}
    return strategies.preset(strategy, _text(PRESET, row[PRESET])).values()


def settings_of(segmentation: Segmentation, tools: Models) -> SettingsFile:
    """Return the file that makes the same chunks again: setting, models, language, how the document was loaded, and its
    edits by hand.
    """
    document, strategy = segmentation.document, REGISTRY[segmentation.strategy]
    edits = {document.name: segmentation.edits} if segmentation.edits else {}
    file = SettingsFile({strategy.name: Setting(strategy, segmentation.params)}, edits=edits)
    language = None if document.language == "und" else document.language
    return file.with_reading(vars(tools) | dict(document.load_options) | {"language": language})


def settings_toml(file: SettingsFile) -> str:
    """Return the text that :func:`~chunking.settings.read_settings` reads back.

    Every parameter is written, those at their default too: the file makes the same chunks when a default has changed.
    Left out is what has no effect at the values of the others, and an encoder that the language chose: named, it would
    also search.
    """
    rows = {name: _row(setting) for name, setting in file.settings.items()}
    documents = {pattern: _named(file, setting) for pattern, setting in file.documents.items()}
    edits = [
        {DOCUMENT: pattern, "action": edit.action, "before": edit.before, "after": edit.after}
        | ({"offset": edit.offset} if edit.offset else {})
        for pattern, of_document in file.edits.items()
        for edit in of_document
    ]
    table: dict[str, Any] = {**file.reading(), SETTINGS: rows}
    table |= {key: part for key, part in ((DOCUMENTS, documents), (EDITS, edits)) if part}
    return encodable(tomli_w.dumps(table))


def _named(file: SettingsFile, setting: Setting) -> str:
    """Return the name of a setting in a file, or its line."""
    return next((name for name, named in file.settings.items() if named == setting), setting.text)


def _row(setting: Setting) -> dict[str, Any]:
    idle = setting.params.inactive
    active_values = {name: _plain(value) for name, value in setting.params.values().items() if name not in idle}
    return {STRATEGY: setting.strategy.name, **active_values}


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value
