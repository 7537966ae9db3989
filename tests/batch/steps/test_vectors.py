from __future__ import annotations

from pathlib import Path

import numpy as np

from chunking import embedding
from chunking.batch.steps.vectors import VectorFiles
from chunking.batch.storage import files

NAME = "char-ngrams"


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    store = VectorFiles(str(tmp_path), NAME)
    store.embed(["sea", "lamp", "sea"])
    store.embed(["lamp", "oil"])
    assert store.embedded == 3
    keys = [files.key(text) for text in ("oil", "sea", "oil")]
    expected = embedding.embed(["oil", "sea", "oil"], embedding.get_encoder(NAME))
    np.testing.assert_array_equal(store.of(keys), expected)
    again = VectorFiles(str(tmp_path), NAME)
    again.embed(["oil", "lamp", "sea"])
    assert again.embedded == 0
    np.testing.assert_array_equal(again.of(keys), expected)
    assert again.of([]).shape == (0, expected.shape[1])
    assert again.truncated(keys) == 0
    assert files.key("fog") not in again


def test_a_broken_file_is_made_again_as_it_was(tmp_path: Path) -> None:
    VectorFiles(str(tmp_path), NAME).embed(["sea", "lamp"])
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    again = VectorFiles(str(tmp_path), NAME)
    again.embed(["sea", "lamp"])
    assert again.embedded == 2
    assert path.read_bytes() == whole
