"""Any sentence-transformers model on this machine: by its folder, or by its name in the Hugging Face cache.

Nothing is ever downloaded. Only weights in safetensors are loaded, and no code that comes with a model is run: a model
that needs either is refused, with the reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from chunking.embedding.encoders import UNLIMITED, EncoderInfo, go_offline, open_model
from chunking.embedding.transformer import TransformerModel
from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern
from chunking.tokens import well_formed

_FRONT_MATTER = compile_pattern(r"---\r?\n(.*?)\r?\n---\s", re.DOTALL)

_NAME = compile_pattern(r"(?:[\w.-]{1,96}/)?[\w.-]{1,96}")
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle", "*.joblib")
_HARMLESS_BIN = ("training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state.pth")
"""Files left over from training, never loaded."""

_SUFFIXES = (".json", ".safetensors", ".txt", ".model", ".vocab", ".jinja")
"""Suffixes of the files that vectors can depend on."""

_CHOOSE_ANOTHER = "Choose another model, or one of the built-in encoders."
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")


def find(name: str) -> Path | None:
    """Return the folder of a model; ``None`` if there is none of that name.

    Raises:
        ChunkscopeError: the name is a folder that does not exist or holds no model.
    """
    if name.startswith(("./", "../", ".\\", "..\\", "~")) or Path(name).is_absolute():
        try:
            folder = Path(name).expanduser().resolve()
            is_model = (folder / "config.json").is_file() or (folder / "modules.json").is_file()
        except (OSError, RuntimeError, ValueError):
            is_model = False
        if not is_model:
            raise ChunkscopeError(
                f"There is no sentence-transformers model in the folder {name!r:.200}.",
                "Name a folder with modules.json or config.json and model.safetensors.",
            )
        return folder
    if not _NAME.fullmatch(name) or ".." in name:
        return None
    # Like sentence-transformers, also look for a bare name under its own organisation.
    return next(
        filter(None, map(_cached_folder, [name] if "/" in name else [f"sentence-transformers/{name}", name])), None
    )


def _cached_folder(repository: str) -> Path | None:
    """Return the folder of a model's latest fetched revision in the Hugging Face cache."""
    go_offline()
    hub: Any = optional("huggingface_hub", "models", f"The encoder {repository}")
    try:
        for file in ("config.json", "modules.json"):
            path = hub.try_to_load_from_cache(repository, file)
            if isinstance(path, str):
                return Path(path).parent
    except (hub.errors.HFValidationError, OSError):
        return None
    return None


def stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, times and sizes of a model's files, to detect changes without reading them."""
    return tuple((str(path.resolve()), *_state(path)) for path in _files(folder))


def _state(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files that vectors can depend on, in order of name, without other formats of the same model."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        skipped = any(part.startswith(".") or part in ("onnx", "openvino") for part in parts)
        if not skipped and path.suffix in _SUFFIXES and path.is_file():
            yield path


@lru_cache(maxsize=4096)
def _digest(path: str, mtime_ns: int, size: int) -> bytes:
    """Return the SHA-256 of a file, cached while its time and size are unchanged."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _settings(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one if there is none."""
    content = _json(path)
    return content if isinstance(content, dict) else {}


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise ChunkscopeError(f"The model's file {path.name} cannot be read: {error}.", _CHOOSE_ANOTHER) from error


def _modules(folder: Path) -> list[dict[str, Any]]:
    """Return the modules of a model, in order; none for a plain transformer."""
    content = _json(folder / "modules.json")
    return [module for module in content if isinstance(module, dict)] if isinstance(content, list) else []


def check_loadable(folder: Path, name: str) -> None:
    """Raise for a model that cannot be loaded without running code that comes with it."""
    weights = [path.parent for path in _files(folder) if path.suffix == ".safetensors"]
    for pattern in _PICKLES:
        for path in folder.rglob(pattern):
            used = not {"onnx", "openvino"} & set(path.relative_to(folder).parts) and path.name not in _HARMLESS_BIN
            if used and path.parent not in weights and not path.name.startswith("sentencepiece"):
                raise ChunkscopeError(
                    f"The model {name!r:.120} has weights in {path.name}, a format that can run code when loaded.",
                    "Use a model with weights in model.safetensors, or convert it.",
                )
    if not weights:
        raise ChunkscopeError(
            f"The model {name!r:.120} has no weights in safetensors.",
            "Fetch all of its files, or choose another model.",
        )
    types = [str(module.get("type")) for module in _modules(folder)]
    activations = [str(_settings(path).get("activation_function", "torch.")) for path in folder.glob("*/config.json")]
    custom = [kind for kind in types if not kind.startswith("sentence_transformers.")]
    custom += [kind for kind in activations if not kind.startswith("torch.")]
    if custom or any("auto_map" in _settings(path) for path in folder.rglob("*config.json")):
        raise ChunkscopeError(f"The model {name!r:.120} requires custom code, which is not run.", _CHOOSE_ANOTHER)


class LocalModel(TransformerModel):
    """A sentence-transformers model in a folder, run in float32, loaded when first needed.

    Sentences are encoded as parts of a document: with the model's prompt for ``document``, ``passage`` or ``corpus``,
    else with its default prompt, if any.

    Args:
        name: its name.
        folder: its folder.

    Raises:
        ChunkscopeError: its weights are not in safetensors, or it requires custom code.
    """

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__()
        check_loadable(folder, name)
        self.name = name
        self._folder = folder

    @cached_property
    def key(self) -> str:
        """SHA-256 of the names and contents of its weights, settings and tables."""
        digest = hashlib.sha256()
        for path in _files(self._folder):
            digest.update(str(path.relative_to(self._folder).as_posix()).encode("utf-8", "surrogateescape") + b"\0")
            digest.update(_digest(str(path.resolve()), *_state(path)))
        return f"sentence-transformers/{digest.hexdigest()}{self._version}"

    @cached_property
    def dimension(self) -> int:
        """Length of a vector: from the settings of the usual models, else from the model itself."""
        return self._declared_dimension() or int(self._model.get_embedding_dimension())

    def _declared_dimension(self) -> int | None:
        """Return the dimension in the settings of the last module that sets it, if all modules are of known kinds."""
        dimension = None
        for module in _modules(self._folder):
            kind = str(module.get("type", "")).rpartition(".")[2]
            settings = _settings(self._folder / str(module.get("path", "")) / "config.json")
            if kind == "Pooling":
                size = settings.get("word_embedding_dimension", settings.get("embedding_dimension"))
                modes = sum(value is True for key, value in settings.items() if key.startswith("pooling_mode_"))
                dimension = size if modes == 1 else None
            elif kind == "Dense":
                dimension = settings.get("out_features")
            elif kind not in ("Transformer", "Normalize", "Dropout"):
                return None
        truncated = _settings(self._folder / "config_sentence_transformers.json").get("truncate_dim")
        return dimension if isinstance(dimension, int) and truncated is None else None

    @cached_property
    def max_tokens(self) -> int:
        """Most tokens of a text that are read, by its settings; :data:`UNLIMITED` if they have none."""
        declared = [
            _settings(self._folder / file).get(setting)
            for file, setting in (
                ("sentence_bert_config.json", "max_seq_length"),
                ("tokenizer_config.json", "model_max_length"),
                ("config.json", "max_position_embeddings"),
            )
        ]
        limits = [int(limit) for limit in declared if isinstance(limit, int | float) and 0 < limit < UNLIMITED]
        return min(limits) if limits else UNLIMITED

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """ISO 639-1 codes in its model card; empty if it has none or says it is multilingual."""
        return _card_languages(self._folder / "README.md")

    @property
    def info(self) -> EncoderInfo:
        """Its description."""
        training = f"trained on {', '.join(self.languages)}" if self.languages else "its card names no languages"
        about = f"A sentence-transformers model that runs on this machine; {training}."
        return EncoderInfo(self.name, Path(self.name).name or self.name, about, self.languages)

    @cached_property
    def _prompt(self) -> str:
        settings = _settings(self._folder / "config_sentence_transformers.json")
        prompts = settings.get("prompts")
        prompts = prompts if isinstance(prompts, dict) else {}
        names = [*_DOCUMENT_PROMPTS, settings.get("default_prompt_name")]
        return next((str(prompts[name]) for name in names if name in prompts), "")

    def _load(self) -> Any:
        try:
            return open_model(self._folder, self._precision)
        except ChunkscopeError:
            raise
        except Exception as error:  # whatever is wrong with the user's folder
            raise ChunkscopeError(
                f"The model {self.name!r:.120} cannot be loaded: {type(error).__name__}: {error!s:.300}",
                _CHOOSE_ANOTHER,
            ) from error

    def _lengths(self, texts: Sequence[str]) -> Int64:
        """Return the tokens of each text, or more than it has if they cannot be counted: ``(n,)`` int64."""
        if self._tokenizer is not None:
            return self.token_counts(texts)
        sizes = (len((self._prompt + text).encode("utf-8")) + 2 for text in texts)
        return np.fromiter(sizes, dtype=np.int64, count=len(texts))

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return the tokens of each text with prompt and special tokens: ``(n,)`` int64; zeros if they cannot be
        counted.
        """
        tokenizer = self._tokenizer
        if tokenizer is None:
            return np.zeros(len(texts), dtype=np.int64)
        encodings = tokenizer.encode_batch([self._prompt + well_formed(text) for text in texts])
        return np.fromiter(map(len, encodings), dtype=np.int64, count=len(texts))

    @cached_property
    def words_apart(self) -> bool:
        """Whether its tokenizer first divides a text at white space, so that no token contains any."""
        if self._tokenizer is None:
            return False
        pre_tokenizer = json.loads(self._tokenizer.to_str()).get("pre_tokenizer") or {}
        first = next(iter(pre_tokenizer.get("pretokenizers") or [pre_tokenizer]))
        return first.get("type") in ("BertPreTokenizer", "WhitespaceSplit", "Whitespace")

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizers: Any = optional("tokenizers", "models", f"The encoder {self.name}")
        folders = [self._folder, *sorted(path.parent for path in self._folder.glob("*/tokenizer.json"))]
        for folder in folders:
            with contextlib.suppress(Exception):  # the library raises bare Exception for unreadable files
                tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                return tokenizer
        return None


_CODE = compile_pattern(r"([a-z]{2,3})(?:[-_].*)?", re.IGNORECASE)


def _card_languages(card: Path) -> tuple[str, ...]:
    """Return the codes under ``language`` in a model card's front matter."""
    try:
        with card.open(encoding="utf-8", errors="replace") as file:
            text = file.read(100_000)
    except OSError:
        return ()
    front = _FRONT_MATTER.match(text)
    if not front:
        return ()
    yaml: Any = importlib.import_module("yaml")
    try:
        declared = yaml.load(front[1], yaml.BaseLoader)  # strings alone: Norwegian, "no", would be false
    except (yaml.YAMLError, ValueError, RecursionError):
        return ()
    value = declared.get("language") if isinstance(declared, dict) else None
    codes = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    codes = [code for code in codes if isinstance(code, str)]
    languages = [match[1].lower() for code in codes if (match := _CODE.fullmatch(code.strip()))]
    return tuple(dict.fromkeys(languages))
