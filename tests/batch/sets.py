"""Small data sets, and an engine that works in this process."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self, TypeVar

from tests.retrieval.questions.test_folders import lines

__all__ = ["lines"]

Job = TypeVar("Job")
Result = TypeVar("Result")

TOPICS = {
    "lamp": "The keeper climbs ninety steps at dusk and lights the lamp. In fog he sounds the horn by hand.",
    "oil": "A boat brings oil every second week. In winter it may be late. The store holds enough for two months.",
    "school": "The village school has eleven pupils. Their teacher comes from the mainland on Mondays.",
    "tide": "The sea rises twice a day. Pools that are left behind hold crabs and small fish. Gulls know them well.",
    "bread": "Dough rests for an hour. The oven is heated with driftwood, and the crust turns dark and hard.",
}


class Here:
    """Does jobs one after the other, in this process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        return map(work, jobs)


class Backwards(Here):
    """Does the last job first."""

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        return map(work, reversed(list(jobs)))


def beir(folder: Path, copies: int = 4) -> Path:
    """Documents that say the same things in other orders; questions are judged, one is a document of its own corpus."""
    names = list(TOPICS)
    corpus: list[object] = []
    for copy in range(copies):
        for place, name in enumerate(names):
            others = [TOPICS[names[(place + step * (copy + 1)) % len(names)]] for step in (0, 1, 2)]
            corpus.append({"_id": f"{name}{copy}", "title": f"{name} {copy}", "text": " ".join(others[: copy % 3 + 1])})
    lines(folder / "corpus.jsonl", corpus)
    asked = [
        "How many steps to the lamp?",
        "When does oil come?",
        "Pupils of the school",
        "Crabs in pools",
        "Dark crust",
    ]
    queries = [
        {"_id": "tide1" if name == "tide" else name, "text": text} for name, text in zip(names, asked, strict=True)
    ]
    lines(folder / "queries.jsonl", queries)
    judged = [
        f"{query['_id']}\t{name}{copy}\t{2 - copy % 2}"
        for query, name in zip(queries, names, strict=True)
        for copy in (0, 1)
    ]
    lines(folder / "qrels" / "test.tsv", ["query-id\tcorpus-id\tscore", *judged])
    return folder


def in_files(folder: Path) -> Path:
    """Documents as files, and questions with spans."""
    texts = {
        "light.md": f"# Light\n\n{TOPICS['lamp']}\n\n## Oil\n\n{TOPICS['oil']}\n",
        "shore.txt": f"{TOPICS['tide']}\n\n{TOPICS['bread']}\n",
        "people.md": f"# School\n\n{TOPICS['school']}\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    answers = [
        ("light.md", "ninety steps"),
        ("light.md", "every second week"),
        ("shore.txt", "crabs"),
        ("people.md", "eleven pupils"),
    ]
    rows = []
    for number, (name, words) in enumerate(answers):
        start = texts[name].index(words)
        rows.append(
            {"_id": str(number), "text": f"Where are {words}?", "doc_id": name, "spans": [[start, start + len(words)]]}
        )
    lines(folder / "questions.jsonl", rows)
    return folder


def parquet(path: Path, rows: Sequence[dict[str, Any]], group: int = 3, **kinds: Any) -> Path:
    """Rows as a Parquet file; columns have the types of their values, or those that are given."""
    arrow: Any = import_module("pyarrow")
    names = {**dict.fromkeys(name for row in rows for name in row), **kinds}
    columns = {name: arrow.array([row.get(name) for row in rows], kinds.get(name)) for name in names}
    path.parent.mkdir(parents=True, exist_ok=True)
    import_module("pyarrow.parquet").write_table(arrow.table(columns), path, row_group_size=group)
    return path


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _halves(rows: Sequence[dict[str, Any]]) -> tuple[Sequence[dict[str, Any]], Sequence[dict[str, Any]]]:
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]


def in_parquet(folder: Path, target: Path, table: str = "corpus", shards: bool = False) -> Path:
    """A set of JSON Lines as Parquet, in a file a table or, as on hubs, in a folder of shards."""
    for name in (table, "queries"):
        rows = _rows(folder / f"{name}.jsonl")
        if shards:
            for number, some in enumerate(_halves(rows)):
                parquet(target / name / f"{name}-{number:05d}-of-00002.parquet", some)
        else:
            parquet(target / f"{name}.parquet", rows)
    if (folder / "qrels").is_dir():
        head, *judged = (folder / "qrels" / "test.tsv").read_text().splitlines()
        cells = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in judged]
        rows = [row | {"score": float(row["score"])} for row in cells]
        parquet(target / "qrels" / ("test-00000-of-00001.parquet" if shards else "test.parquet"), rows)
    return target


def packed(folder: Path, target: Path) -> Path:
    """A set in the layout of BEIR, its documents compressed in two files and its questions in one."""
    for number, some in enumerate(_halves(_rows(folder / "corpus.jsonl"))):
        path = target / "corpus" / f"{number}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in some).encode()))
    (target / "queries.jsonl.gz").write_bytes(gzip.compress((folder / "queries.jsonl").read_bytes()))
    (target / "qrels").mkdir()
    (target / "qrels" / "test.tsv").write_bytes((folder / "qrels" / "test.tsv").read_bytes())
    return target


def with_spans(folder: Path) -> Path:
    """Documents as rows, one of them of Markdown, and questions with spans."""
    texts = {"light": f"# Light\n\n{TOPICS['lamp']}\n", "shore": TOPICS["tide"], "shop": TOPICS["bread"]}
    docs = [{"_id": id, "text": text, "format": "markdown" if id == "light" else "text"} for id, text in texts.items()]
    lines(folder / "docs.jsonl", [{**row, "lang": "en"} if row["_id"] == "shop" else row for row in docs])
    answers = {"light": "ninety steps", "shore": "crabs", "shop": "driftwood"}
    rows = []
    for id, words in answers.items():
        start = texts[id].index(words)
        span = [start, start + len(words)]
        rows.append({"_id": f"q-{id}", "text": f"Where are {words}?", "doc_id": id, "spans": [span]})
    lines(folder / "queries.jsonl", rows)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    """All files that a run wrote for people."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for part in ("data", "results")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }
