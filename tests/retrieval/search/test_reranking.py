"""The second stage of a search: a tiny cross-encoder with made-up weights, and one that counts letters."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chunking import export, strategies
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import EvaluationContext, RetrievalOptions, evaluate
from chunking.retrieval.misses import analysis, causes
from chunking.retrieval.misses.passage_index import PassageIndex
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search import reranking
from chunking.retrieval.search.ranking import Rankings
from chunking.retrieval.search.reranking import Reranking, get_reranker, rerank
from chunking.runtime.arrays import Float32
from chunking.tokens import minilm_folder
from chunking.workspace import Models
from tests import command_line
from tests.retrieval.made import spans

TOOLS = Models(encoder="char-ngrams", splitter="rules")


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cross-encoder with 16 numbers and the tokenizer of all-MiniLM-L6-v2."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("rerankers") / "tiny"
    torch.manual_seed(1)
    config = BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, max_position_embeddings=64
    )
    config.num_labels = 1
    BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(minilm_folder() / name, folder / name)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"model_max_length": 64}))
    return folder


class Letters:
    """Prefers texts with many of the letter z."""

    def scores(self, question: str, texts: Sequence[str]) -> Float32:
        return np.array([text.count("z") for text in texts], dtype=np.float32)


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "get_reranker", lambda name: Letters())
    monkeypatch.setattr("chunking.retrieval.evaluate.get_reranker", lambda name: Letters())


def test_the_first_passages_are_ordered_anew_and_the_others_follow(letters: None) -> None:
    rankings = Rankings(
        (np.array([3, 0, 2, 1]), np.array([], dtype=np.int64)),
        (np.array([9, 8, 7, 6], dtype=np.float32), np.array([], dtype=np.float32)),
    )
    texts = ["zz", "zzz", "z", "z"]
    made = rerank(rankings, ["?", "?"], texts, Reranking("letters", 3))
    assert made.passages[0].tolist() == [0, 3, 2, 1]
    assert made.scores[0].tolist() == [2, 1, 1, 0]
    assert (np.diff(made.scores[0]) <= 0).all()
    assert len(made.passages[1]) == len(made.scores[1]) == 0
    assert made.scores[0].dtype == np.float32


def test_a_cross_encoder_reads_question_and_text(cross_encoder: Path) -> None:
    reranker = get_reranker(str(cross_encoder))
    assert get_reranker(str(cross_encoder)) is reranker
    texts = ["The lamp is lit.", "Oil comes by boat.", "", "word " * 500, "\ud800"]
    scores = reranker.scores("What comes?", texts)
    assert scores.shape == (5,)
    assert scores.dtype == np.float32
    assert np.allclose(scores, reranker.scores("What comes?", texts), atol=1e-6)
    assert (scores != reranker.scores("Who lit the lamp?", texts)).all()
    assert reranker.scores("Who?", []).shape == (0,)


def test_models_that_are_no_reranker(cross_encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(ChunkscopeError, match=r"Unknown reranker 'no/such-model'.*downloads nothing"):
        get_reranker("no/such-model")
    with pytest.raises(ChunkscopeError, match="no sentence-transformers model in the folder"):
        get_reranker(str(tmp_path))
    broken = Path(shutil.copytree(cross_encoder, tmp_path / "broken"))
    (broken / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ChunkscopeError, match="cannot be loaded"):
        get_reranker(str(broken)).scores("Who?", ["She."])
    pickled = Path(shutil.copytree(cross_encoder, tmp_path / "pickled"))
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ChunkscopeError, match="format that can run code"):
        get_reranker(str(pickled))
    several = Path(shutil.copytree(cross_encoder, tmp_path / "several"))
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig.from_pretrained(cross_encoder, num_labels=3)
    BertForSequenceClassification(config).save_pretrained(several, safe_serialization=True)
    with pytest.raises(ChunkscopeError, match="does not give one finite score"):
        get_reranker(str(several)).scores("Who?", ["She."])
    for top in (0, 1001):
        with pytest.raises(ChunkscopeError, match="can be reranked"):
            Reranking("tiny", top)


TEXTS = [
    "The lamp is lit at dusk. The keeper climbs the stairs.",
    "The lamp of the zoo buzzes, zigzags and fizzes.",
    "Oil comes by boat. The store holds a lamp.",
]


@pytest.mark.parametrize("method", ["dense", "bm25", "hybrid"])
def test_an_evaluation_reranks_every_search(letters: None, method: str) -> None:
    known = spans(TEXTS, [("When is the lamp lit?", [(0, "at dusk")])])
    setting = {"whole": strategies.parse("whole")}
    options = RetrievalOptions((method,), tools=TOOLS, rerank=Reranking("letters", 10))  # type: ignore[arg-type]
    evaluation = evaluate(known, setting, options)
    row = evaluation.rows[0]
    assert row.hits.passages[0][0] == 1
    assert (
        row.values["rr"][0] < evaluate(known, setting, RetrievalOptions(("bm25",), tools=TOOLS)).rows[0].values["rr"][0]
    )
    assert "The first 10 passages of every ranking are reranked by letters." in summarize(evaluation).notes
    context = EvaluationContext.of(evaluation)
    trial = context.trial(strategies.parse("whole"), row.method)
    assert trial.hits.passages[0].tolist() == row.hits.passages[0].tolist()
    (missed,) = analysis.analyze(evaluation, row, Cutoff(1), context)
    assert missed.cause == "outranked"
    assert "reranker" in causes.unknown(row.method, None, True)
    index = PassageIndex(evaluation.passages["whole"], known.sources, TOOLS, reranking=Reranking("letters", 10))
    assert index.search("When is the lamp lit?", row.method)[0].document == 1


def test_the_command_reranks(cross_encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = spans(TEXTS, [("When is the lamp lit?", [(0, "at dusk")])])
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"_id": source.id, "text": source.text}) + "\n" for source in known.sources)
    )
    (question,) = known.questions
    row = {"_id": "1", "text": question.text, "doc_id": "d0", "spans": [list(question.spans[0])]}
    (tmp_path / "queries.jsonl").write_text(json.dumps(row))
    words = ["evaluate", "retrieval", str(tmp_path), "--strategies", "whole", "--retriever", "bm25"]
    code, out, err = command_line.run(capsys, *words, "--rerank", cross_encoder, "--rerank-top", "2")
    assert code == 0
    assert json.loads(out)["questions"] == ["1"]
    assert f"The first 2 passages of every ranking are reranked by {cross_encoder}." in err
    for more, problem in (
        (["--rerank-top", "5"], "no effect without --rerank"),
        (["--rerank", "no/such-model"], "Unknown reranker"),
        (["--rerank", str(cross_encoder), "--rerank-top", "0"], "can be reranked"),
    ):
        code, _, err = command_line.run(capsys, *words, *more)
        assert code == 2
        assert problem in err


def test_the_exported_program_reranks(root: Path, cross_encoder: Path, tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text)
    code = export.retrieval_code(
        strategies.parse("whole"), TOOLS, "bm25", str(tmp_path), reranker=(str(cross_encoder), 7)
    ).replace("What is this about?", "lamp")
    assert f"reranking=Reranking({str(cross_encoder)!r}, 7)" in code
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 3
    plain = export.retrieval_code(strategies.parse("whole"), TOOLS, "bm25")
    assert "rerank" not in plain.lower()
