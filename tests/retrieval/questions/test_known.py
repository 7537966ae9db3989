"""A small part of SciFact, from the files to the measure, against the same written once more without any of it."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from chunking import embedding, strategies
from chunking.embedding.vector_cache import VectorCache
from chunking.retrieval.evaluate import evaluate
from chunking.retrieval.questions import folders
from tests import shared_data

SCIFACT = Path(__file__).resolve().parents[3] / "../shared/data/retrieval/beir/scifact"
QUESTIONS, DOCUMENTS = 6, 14


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """The first questions, their documents, and the first others."""
    with (SCIFACT / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.reader(opened, delimiter="\t"))
    asked = list(dict.fromkeys(row[0] for row in rows[1:]))[:QUESTIONS]
    judged = [row for row in rows[1:] if row[0] in asked]
    wanted = {row[1] for row in judged}
    corpus = (SCIFACT / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    chosen = [line for place, line in enumerate(corpus) if place < DOCUMENTS or json.loads(line)["_id"] in wanted]
    queries = (SCIFACT / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text("\n".join(chosen), encoding="utf-8")
    kept = [line for line in queries if json.loads(line)["_id"] in asked]
    (tmp_path / "queries.jsonl").write_text("\n".join(kept), encoding="utf-8")
    lines = ["\t".join(row) for row in (rows[0], *judged)]
    (tmp_path / "qrels" / "test.tsv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(not SCIFACT.is_dir(), reason=shared_data.MISSING)
def test_ndcg_of_whole_abstracts_is_that_of_a_plain_program(part: Path) -> None:
    known = folders.read(part)
    cache = VectorCache(part / "vectors.sqlite3")
    found = evaluate(known, {"whole": strategies.parse("whole")}, cache=cache)
    encoder = embedding.get_encoder()
    vectors = embedding.embed([source.text for source in known.sources], encoder, cache)
    asked = embedding.embed([question.text for question in known.questions], encoder, cache)
    expected = []
    for question, vector in zip(known.questions, asked, strict=True):
        order = np.argsort(-(vectors @ vector), kind="stable")[:10].tolist()
        gains = [question.grades.get(place, 0) / math.log2(2 + rank) for rank, place in enumerate(order)]
        ideal = sorted(question.grades.values(), reverse=True)[:10]
        expected.append(sum(gains) / sum(grade / math.log2(2 + rank) for rank, grade in enumerate(ideal)))
    values = found.rows[0].values["nDCG@10"]
    assert len(values) == QUESTIONS
    assert values.tolist() == pytest.approx(expected)
    assert 0.3 < float(values.mean()) <= 1.0
