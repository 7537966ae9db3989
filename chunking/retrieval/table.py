"""An evaluation of retrieval as a table of text."""

from __future__ import annotations

from typing import Any

from chunking.evaluation.table import NOTHING, aligned, harmless, percent


def headline(found: dict[str, Any]) -> str:
    """What was evaluated, in a line."""
    data = found["data"]
    return (
        f"{data['name']}: {data['documents']:,} documents, {data['questions']:,} questions with true {data['truth']}; "
        f"encoder {found['encoder']}, the best {found['top_k']} passages, ranked by "
        f"{'score' if scored(found) else found['primary']}"
    )


def scored(found: dict[str, Any]) -> bool:
    """Whether rows are ranked by the score of size and retrieval."""
    return bool(found.get("rank") == "score")


def ranked(found: dict[str, Any]) -> list[str]:
    """The rows, the best first."""
    rows = found["strategies"]
    if scored(found):
        return sorted(rows, key=lambda name: -rows[name]["score"]["total"])
    return sorted(rows, key=lambda name: -rows[name][found["primary"]])


def measures(found: dict[str, Any]) -> list[str]:
    """The names of the measures, the primary one first."""
    rows = found["strategies"].values()
    names = [key.removesuffix("_interval") for key in next(iter(rows), {}) if key.endswith("_interval")]
    return sorted(names, key=lambda name: name != found["primary"])


def columns(found: dict[str, Any]) -> list[str]:
    """The heads of the main table."""
    score = ["score", "of size", "of retrieval"] if scored(found) else []
    return ["strategy", *score, *measures(found), "chunks", "median tokens", "s"]


def cells(found: dict[str, Any]) -> list[list[str]]:
    """The rows of the main table."""
    made = []
    for name in ranked(found):
        row = found["strategies"][name]
        values = [
            percent(row[measure], row[f"{measure}_interval"] if measure == found["primary"] else None)
            for measure in measures(found)
        ]
        score = [f"{row['score'][part]:.1f}" for part in ("total", "size", "retrieval")] if scored(found) else []
        sizes = row["chunks"]
        spent = sum(row["seconds"].values())
        made.append([name, *score, *values, f"{sizes['number']:,}", _median(sizes), f"{spent:.1f}"])
    return made


def _median(sizes: dict[str, Any]) -> str:
    return f"{sizes['median']:,.0f}" if sizes["number"] else NOTHING


def pair_cells(found: dict[str, Any]) -> list[list[str]]:
    """The differences of the primary measure, a pair a row."""
    return [
        [
            pair["one"],
            pair["other"],
            percent(pair["difference"], pair["interval"], "+"),
            f"[{', '.join(f'{100 * end:+.1f}' for end in pair['simultaneous'])}]",
            pair["verdict"],
        ]
        for pair in found["pairs"].get(found["primary"], [])
    ]


def text(found: dict[str, Any]) -> str:
    """The tables and notes, for a terminal."""
    parts = [
        headline(found),
        "In %: mean over questions and its 95 % interval. s is without embedding.",
        aligned([columns(found), *cells(found)]),
        found["score"] if scored(found) else "",
        f"{found['primary']}: {found['verdict']}.",
    ]
    pairs = pair_cells(found)
    if pairs:
        heads = ["strategy", "less", "difference alone", "all together", "verdict"]
        parts.append(f"Differences of {found['primary']} in points:\n" + aligned([heads, *pairs]))
    parts.append("\n".join(f"note: {note}" for note in found["notes"]))
    return "\n\n".join(harmless(part) for part in parts if part) + "\n"
