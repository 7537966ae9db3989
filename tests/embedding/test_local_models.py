"""sentence-transformers models on this machine: a tiny one with made-up weights is saved, found, loaded and refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import embedding
from chunking.embedding import describe_encoder, embed, encoder_names, get_encoder, truncated
from chunking.errors import ChunkscopeError
from chunking.tokens import minilm_folder

CARD = "---\nlanguage:\n- de\n- no\n- zh-CN\n- multilingual\nlicense: mit\n---\n# Tiny\n"


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model with 16 numbers and the tokenizer of all-MiniLM-L6-v2."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("models") / "tiny"
    torch.manual_seed(1)
    config = BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, max_position_embeddings=40
    )
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(minilm_folder() / name, folder / name)
    write(folder / "modules.json", json.loads((minilm_folder() / "modules.json").read_text()))
    write(folder / "sentence_bert_config.json", {"max_seq_length": 24, "do_lower_case": False})
    pooling = json.loads((minilm_folder() / "1_Pooling" / "config.json").read_text())
    write(folder / "1_Pooling" / "config.json", {**pooling, "word_embedding_dimension": 16})
    (folder / "README.md").write_text(CARD)
    return folder


@pytest.fixture
def model(tiny: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(tiny, tmp_path / "tiny"))


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))


def test_a_folder_is_an_encoder(tiny: Path) -> None:
    encoder = get_encoder(str(tiny))
    assert get_encoder(str(tiny)) is encoder
    assert encoder.name == str(tiny)
    assert (encoder.dimension, encoder.max_tokens, encoder.languages) == (16, 24, ("de", "no", "zh"))
    texts = ["One is here.", "", "\ud800 and \x00", "word " * 100]
    vectors = embed(texts, encoder)
    assert vectors.shape == (4, 16)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=2e-3)
    assert not np.allclose(vectors[0], vectors[3], atol=1e-2)
    assert encoder.encode([]).shape == (0, 16)
    assert encoder.token_counts(["river river"]).tolist() == [4]
    assert truncated(texts, encoder).tolist() == [False, False, False, True]
    info = describe_encoder(str(tiny))
    assert (info.title, info.languages, info.sends_to) == ("tiny", ("de", "no", "zh"), None)
    assert str(tiny) not in encoder_names()


def test_a_folder_below_this_one(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny.parent)
    assert get_encoder("./tiny").key == get_encoder(str(tiny)).key
    assert get_encoder(f"..{os.sep}{tiny.parent.name}{os.sep}tiny").dimension == 16


def test_the_key_is_that_of_the_content(tiny: Path, model: Path) -> None:
    first = get_encoder(str(model))
    assert first.key == get_encoder(str(tiny)).key
    (model / "README.md").write_text("another card")
    assert get_encoder(str(model)) is first
    write(model / "sentence_bert_config.json", {"max_seq_length": 12})
    changed = get_encoder(str(model))
    assert changed is not first
    assert changed.key != first.key
    assert changed.max_tokens == 12
    assert [encoder for encoder in embedding._encoders.values() if encoder.name == str(model)] == [changed]


def test_the_prompt_of_its_settings_is_used(tiny: Path, model: Path) -> None:
    prompts = {"query": "question: ", "passage": "river river river "}
    write(model / "config_sentence_transformers.json", {"prompts": prompts, "default_prompt_name": "query"})
    plain, prompted = get_encoder(str(tiny)), get_encoder(str(model))
    assert prompted.token_counts(["a"]).tolist() == [6]
    assert np.allclose(prompted.encode(["a"]), plain.encode(["river river river a"]), atol=1e-5)
    write(model / "config_sentence_transformers.json", {"prompts": {"q": "sea "}, "default_prompt_name": "q"})
    assert np.allclose(get_encoder(str(model)).encode(["a"]), plain.encode(["sea a"]), atol=1e-5)
    write(model / "config_sentence_transformers.json", {"prompts": {"query": "sea "}, "default_prompt_name": None})
    assert np.allclose(get_encoder(str(model)).encode(["a"]), plain.encode(["a"]), atol=1e-5)


def test_a_layer_that_changes_the_dimension(tiny: Path, model: Path) -> None:
    """Settings tell the dimension of the usual models; of others the model does, and both agree."""
    from safetensors.numpy import save_file

    modules = json.loads((model / "modules.json").read_text())
    kind = modules[1]["type"].replace("Pooling", "Dense")
    write(model / "modules.json", [*modules[:2], {"idx": 2, "name": "2", "path": "2_Dense", "type": kind}])
    dense = {"in_features": 16, "out_features": 5, "bias": False}
    write(model / "2_Dense" / "config.json", {**dense, "activation_function": "torch.nn.modules.linear.Identity"})
    save_file({"linear.weight": np.eye(5, 16, dtype=np.float32)}, model / "2_Dense" / "model.safetensors")
    encoder = get_encoder(str(model))
    assert encoder.dimension == 5
    assert encoder.encode(["a"]).shape == (1, 5)
    assert np.isclose(np.linalg.norm(encoder.encode(["a"])), 1, atol=1e-5)


def refused(model: Path, *words: str) -> None:
    with pytest.raises(ChunkscopeError) as caught:
        get_encoder(str(model))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_weights_that_can_run_code_are_refused(model: Path) -> None:
    (model / "pytorch_model.bin").write_bytes(b"beside safetensors, never read")
    assert get_encoder(str(model)).dimension == 16
    (model / "model.safetensors").unlink()
    refused(model, "pytorch_model.bin", "can run code")
    (model / "pytorch_model.bin").unlink()
    refused(model, "no weights in safetensors")


def test_weights_of_a_further_layer_that_can_run_code_are_refused(model: Path) -> None:
    write(model / "2_Dense" / "config.json", {"in_features": 16, "out_features": 5})
    (model / "2_Dense" / "pytorch_model.bin").write_bytes(b"")
    refused(model, "pytorch_model.bin", "can run code")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", {"model_type": "bert", "auto_map": {"AutoModel": "evil.Model"}}),
        ("modules.json", [{"idx": 0, "name": "0", "path": "", "type": "os.system"}]),
        ("2_Dense/config.json", {"activation_function": "os.system"}),
    ],
)
def test_a_model_with_code_of_its_own_is_refused(model: Path, file: str, content: Any) -> None:
    write(model / file, content)
    refused(model, "requires custom code")


def test_settings_that_cannot_be_read(model: Path) -> None:
    (model / "modules.json").write_text("{")
    refused(model, "modules.json cannot be read")


def test_weights_that_are_none(model: Path) -> None:
    (model / "model.safetensors").write_bytes(b"\0" * 100)
    encoder = get_encoder(str(model))
    with pytest.raises(ChunkscopeError, match="cannot be loaded"):
        encoder.encode(["a"])


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("---\nlanguage: en\n---\n", ("en",)),
        ("---\r\nlanguage: [en, FR]\r\n---\r\n", ("en", "fr")),
        ("---\nlanguage: multilingual\n---\n", ()),
        ("---\nlanguage:\n  en: fr\n---\n", ()),
        ("---\nlicense: mit\n---\n", ()),
        ("---\n[: {\n---\n", ()),
        ("no front matter", ()),
    ],
)
def test_the_languages_of_a_card(model: Path, card: str, languages: tuple[str, ...]) -> None:
    (model / "README.md").write_bytes(card.encode())
    assert get_encoder(str(model)).languages == languages


@pytest.mark.parametrize("name", ["/nowhere/at/all", "./nowhere", "~nobody-at-all/x", "/\0"])
def test_a_folder_without_a_model(name: str) -> None:
    with pytest.raises(ChunkscopeError, match="no sentence-transformers model in the folder"):
        get_encoder(name)


@pytest.mark.parametrize(
    "name", ["nobody/nothing-at-all", "nothing-at-all", "a/b/c", "", "..", "x y", "a\nb", "é" * 999]
)
def test_a_name_that_is_not_in_the_cache(name: str) -> None:
    with pytest.raises(ChunkscopeError, match="Unknown encoder .*hf download"):
        get_encoder(name)


def test_a_model_in_the_cache_is_found_without_a_network(tiny: Path, tmp_path: Path) -> None:
    store = tmp_path / "hub" / "models--somebody--tiny"
    shutil.copytree(tiny, store / "snapshots" / "0123abc")
    (store / "refs").mkdir()
    (store / "refs" / "main").write_text("0123abc")
    code = """
        import socket

        def refuse(*args, **kwargs):
            raise AssertionError(f"network: {args}")

        socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
        import sys
        from chunking.embedding import get_encoder
        encoder = get_encoder("somebody/tiny")
        told = encoder.dimension, encoder.max_tokens, "torch" in sys.modules
        print(*told, encoder.encode(["a", "b"]).shape)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HF_HOME": str(tmp_path)},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "16 24 False (2, 16)"
