from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.retrieval.questions import folders
from chunking.retrieval.search import index
from chunking.retrieval.search.index import usable
from tests import command_line
from tests.retrieval.questions.test_folders import beir, lines

KEEPER = (
    "The keeper climbs ninety steps at dusk and lights the lamp. In fog he sounds the horn by hand.\n\n"
    "A boat brings oil every second week. In winter it may be late, and the store holds enough for two months.\n\n"
    "The school in the village has eleven pupils. Their teacher comes from the mainland on Mondays."
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    answers = {
        "How many steps?": "ninety steps",
        "How often does oil come?": "every second week",
        "Pupils?": "eleven pupils",
    }
    rows = [
        {
            "_id": str(number),
            "text": text,
            "doc_id": "keeper",
            "spans": [[KEEPER.index(words), KEEPER.index(words) + len(words)]],
        }
        for number, (text, words) in enumerate(answers.items())
    ]
    lines(tmp_path / "docs.jsonl", [{"_id": "keeper", "text": KEEPER}])
    lines(tmp_path / "queries.jsonl", rows)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    return command_line.run(capsys, "evaluate", "retrieval", *words)


STRATEGIES = "sentence:max_tokens=40,whole"


def test_spans_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(folder), "--strategies", STRATEGIES, "--top-k", "1", "--retriever", "dense,bm25")
    assert code == 0
    found = json.loads(out)
    assert list(found["strategies"]) == [
        f"{name} · {way}" for name in STRATEGIES.split(",") for way in ("dense", "bm25")
    ]
    whole = found["strategies"]["whole · dense"]
    assert whole["recall"] == 1.0
    assert whole["precision"] == pytest.approx(
        sum(map(len, ("ninety steps", "every second week", "eleven pupils"))) / 3 / len(KEEPER)
    )
    assert whole["per_question"]["recall"] == [1.0, 1.0, 1.0]
    assert found["questions"] == ["0", "1", "2"]
    assert found["strategies"]["sentence:max_tokens=40 · dense"]["precision"] > whole["precision"]
    assert found["data"] == {
        "name": folder.name,
        "sha256": folders.read(folder).content_hash,
        "truth": "spans",
        "documents": 1,
        "questions": 3,
        "remarks": [],
        "remarks_in_all": 0,
    }
    assert {pair["one"] for pair in found["pairs"]["recall"]} < set(found["strategies"])
    assert "3 questions are few" in err


def test_a_budget_in_tokens(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, str(folder), "--strategies", STRATEGIES, "--budget", "30")
    found = json.loads(out)
    assert found["primary"] == "recall@30"
    assert found["strategies"]["whole"]["recall@30"] < 1.0


def test_how_vectors_were_compared_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (str(folder), "--strategies", STRATEGIES, "--retriever", "dense,bm25")
    found = json.loads(run(capsys, *common)[1])
    assert found["search"] == {"asked": "auto", "dense": "exact"}
    assert found["strategies"]["whole · dense"]["search"] == {"dense": "exact"}
    assert found["strategies"]["whole · bm25"]["search"] == {}
    assert "dense search exact" in run(capsys, *common, "--format", "table")[1]
    only_words = json.loads(run(capsys, *common[:3], "--retriever", "bm25")[1])
    assert only_words["search"] == {}


@pytest.mark.skipif(not usable(), reason="FAISS is not here")
def test_what_an_index_misses_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (str(folder), "--strategies", STRATEGIES, "--index", "faiss")
    code, out, err = run(capsys, *common)
    assert code == 0
    found = json.loads(out)
    assert found["search"] == {"asked": "faiss", "dense": "by an index, FAISS IVF"}
    rows = found["strategies"]
    row = rows["sentence:max_tokens=40"]["search"]
    assert (row["dense"], row["index"], row["checked"], row["checked_on"]) == ("index", "FAISS IVF", 3, "questions")
    assert row["recall_of_exact@10"] >= 0.98
    assert "note: Dense search of sentence:max_tokens=40: FAISS IVF, " in err
    assert "measured on 3 questions" in err
    assert "dense search by an index, FAISS IVF" in run(capsys, *common, "--format", "table")[1]


def test_an_index_that_is_not_there_is_missed_before_anything_is_done(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "find_spec", lambda name: None)
    code, out, err = run(capsys, str(folder), "--strategies", STRATEGIES, "--index", "faiss")
    assert (code, out) == (2, "")
    assert "FAISS cannot be used here" in err
    assert "[cluster]" in err
    assert run(capsys, str(folder), "--strategies", STRATEGIES)[0] == 0


def test_documents_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus: list[object] = [
        {"_id": "oil", "title": "Supplies", "text": "A boat brings oil every second week."},
        {"_id": "school", "title": "School", "text": "Eleven pupils, and a teacher from the mainland."},
    ]
    queries: list[object] = [
        {"_id": "a", "text": "How does oil come?"},
        {"_id": "b", "text": "Who teaches the pupils?"},
    ]
    folder = beir(tmp_path, corpus, queries, ["query-id\tcorpus-id\tscore", "a\toil\t1", "b\tschool\t1"])
    code, out, _ = run(capsys, str(folder), "--strategies", "whole,fixed_size:max_tokens=64", "--format", "table")
    assert code == 0
    assert "2 documents, 2 questions with judged documents" in out
    assert "nDCG@10" in out
    assert "100.0 [100.0, 100.0]" in out
    code, _, err = run(capsys, str(folder), "--strategies", "whole", "--budget", "30")
    assert code == 2
    assert "Judged documents have no recall within a number of tokens" in err


@pytest.mark.parametrize("form", ["json", "table"])
def test_a_report_is_written_beside_what_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    path = tmp_path / "report.html"
    words = (str(folder), "--strategies", STRATEGIES, "--retriever", "bm25", "--format", form, "--report", str(path))
    code, out, _ = run(capsys, *words)
    assert code == 0 and "recall@1000" in out
    source = path.read_text(encoding="utf-8")
    assert "How many steps?" in source and "By recall within 1,000 tokens, with BM25:" in source
    assert f"python -m chunking evaluate retrieval {folder} --strategies" in source


def test_a_report_that_cannot_be_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "absent" / "report.html"
    code, out, err = run(capsys, str(tmp_path), "--strategies", "whole", "--report", str(place))
    assert (code, out) == (2, "")
    assert "report.html cannot be written" in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--strategies", "whole:embed=summary"), "Use one of headings, chunk, title, late"),
        (("--strategies", "whole:return=all"), "Use one of chunk, parent, window"),
        (("--strategies", "whole:neighbours=2"), "Write return=window;neighbours=2"),
        (("--strategies", "whole:return=parent"), "Use return=window, or a strategy with parents"),
        (("--strategies", "whole:embed=late", "--encoder", "static"), "embed=late would equal embed=chunk"),
        (("--strategies", "astrology"), "Unknown strategy 'astrology'"),
        (("--strategies", "whole", "--retriever", "smell"), "There is no way to search 'smell'"),
        (("--strategies", "whole", "--top-k", "0"), "counted from 1"),
        (("--strategies", "whole", "--rank", "taste"), "nvalid choice: 'taste'"),
        (("--strategies", "whole", "--index", "abacus"), "nvalid choice: 'abacus'"),
        (("--strategies", "whole", "--split", "x", "--top-k", "2", "--budget", "5"), "not allowed with"),
        (("--strategies", "whole", "--encoder", "nobody/knows"), "nobody/knows"),
    ],
)
def test_what_is_wrong_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], problem: str
) -> None:
    code, out, err = run(capsys, str(folder), *arguments)
    assert (code, out) == (2, "")
    assert problem in err
