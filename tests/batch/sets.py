"""Small data sets, and an engine that works in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self, TypeVar

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


def lines(path: Path, rows: Iterable[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")


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


def content(folder: Path) -> dict[str, bytes]:
    """All files that a run wrote for people."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for part in ("data", "results")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }
