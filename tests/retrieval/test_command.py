from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.__main__ import main
from tests.retrieval.test_folders import beir, lines

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


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["evaluate", "retrieval", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


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
    assert "2 documents, 2 questions with true documents" in out
    assert "nDCG@10" in out
    assert "100.0 [100.0, 100.0]" in out
    code, _, err = run(capsys, str(folder), "--strategies", "whole", "--budget", "30")
    assert code == 2
    assert "Judged documents have no recall within a number of tokens" in err


def test_rows_may_be_ranked_by_the_score_of_size_and_retrieval(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strategies = "whole,sentence:max_tokens=40"
    found = json.loads(run(capsys, str(folder), "--strategies", strategies, "--rank", "score")[1])
    assert found["rank"] == "score"
    for row in found["strategies"].values():
        score, sizes = row["score"], row["chunks"]
        assert score["total"] == pytest.approx(0.4 * score["size"] + 0.6 * score["retrieval"])
        assert sum(sizes["histogram"]["counts"]) == sizes["number"]
    whole = found["strategies"]["whole"]["score"]
    assert whole["retrieval"] == 100.0  # its one passage has every answer
    tokens = found["strategies"]["whole"]["chunks"]["mean"]
    assert whole["size"] == pytest.approx(0.35 * (200 - tokens) + 0.35 * 200 + 15 + 15)
    _, out, _ = run(capsys, str(folder), "--strategies", strategies, "--rank", "score", "--format", "table")
    assert "ranked by score" in out
    assert "score = 0.4 · size + 0.6 · retrieval" in out
    totals = {name: row["score"]["total"] for name, row in found["strategies"].items()}
    best, worst = sorted(totals, key=lambda name: -totals[name])
    assert out.index(f"\n{best}  ") < out.index(f"\n{worst}  ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--strategies", "astrology"), "There is no strategy 'astrology'"),
        (("--strategies", "whole", "--retriever", "smell"), "There is no way to search 'smell'"),
        (("--strategies", "whole", "--top-k", "0"), "counted from 1"),
        (("--strategies", "whole", "--rank", "taste"), "nvalid choice: 'taste'"),
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


def test_a_second_run_embeds_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from chunking.embedding import get_encoder

    first = json.loads(run(capsys, str(folder), "--strategies", "structural,whole")[1])

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was embedded again")

    monkeypatch.setattr(type(get_encoder()), "encode", refuse)
    again = json.loads(run(capsys, str(folder), "--strategies", "structural,whole")[1])
    for found in (first, again):
        del found["seconds"]
        for row in found["strategies"].values():
            del row["seconds"]
    assert first == again
