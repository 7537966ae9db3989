"""An evaluation of retrieval as a table of text."""

from __future__ import annotations

from typing import Any

from chunking.report.formatting import NOTHING, aligned, harmless, percent
from chunking.retrieval.questions.data import TRUTH_TITLES
from chunking.runtime.patterns import compile_pattern
from chunking.strategies import setting

_RECALL_AT = compile_pattern(r"recall@(\d+)")


def headline(summary: dict[str, Any]) -> str:
    """Return a line that says what was evaluated."""
    data = summary["data"]
    return (
        f"{data['name']}: {data['documents']:,} documents, {data['questions']:,} questions with "
        f"{TRUTH_TITLES[data['truth']]}; "
        f"{searched_with(summary)}{_searched(summary)}, the best {summary['top_k']} passages, ranked by "
        f"{'score' if scored(summary) else summary['primary']}"
    )


def searched_with(summary: dict[str, Any]) -> str:
    """Return what searched: the encoder, and BM25 where words were compared."""
    methods = {row["retriever"] for row in summary["strategies"].values()}
    if methods == {"bm25"}:
        return "BM25" + (f" (the encoder {summary['encoder']} only cuts)" if summary["encoder"] else "")
    return f"encoder {summary['encoder']}"


def _searched(summary: dict[str, Any]) -> str:
    """How vectors were compared, behind a comma."""
    way = summary.get("search", {}).get("dense", "")
    return f", dense search {way}" if way else ""


def searched(summary: dict[str, Any]) -> list[str]:
    """How vectors were compared, in sentences; none where they were not."""
    if not summary["search"]:
        return []
    if summary["search"]["dense"] == "exact":
        return ["Dense search is exact: every passage is compared with every question."]
    lines = (f"{name}: {row['search']['said']}." for name, row in summary["strategies"].items() if row["search"])
    return [f"Dense search is {summary['search']['dense']}; what it returns is scored exactly.", *lines]


def said(measure: str) -> str:
    """Return a measure in words."""
    budget = _RECALL_AT.fullmatch(measure)
    return f"recall within {int(budget[1]):,} tokens" if budget else measure


def titled(measure: str) -> str:
    """Return a measure in words, as a title; a name stays as it is."""
    words = said(measure)
    return words if words == measure else words.capitalize()


def measured_by(summary: dict[str, Any]) -> str:
    """Return the measure that the verdict is based on, as its prefix."""
    methods = {row["retriever"] for row in summary["strategies"].values()}
    used = [summary["encoder"]] if methods != {"bm25"} else []
    used += ["BM25"] if methods != {"dense"} else []
    return f"By {said(summary['primary'])}, with {' and '.join(used)}:"


def scored(summary: dict[str, Any]) -> bool:
    """Return whether rows are ranked by the score of size and retrieval."""
    return bool(summary.get("rank") == "score")


def ranked(summary: dict[str, Any]) -> list[str]:
    """Return the rows, the best first."""
    rows = summary["strategies"]
    if scored(summary):
        return sorted(rows, key=lambda name: -rows[name]["score"]["total"])
    return sorted(rows, key=lambda name: -rows[name][summary["primary"]])


def measures(summary: dict[str, Any]) -> list[str]:
    """Return the names of the measures, the primary one first."""
    rows = summary["strategies"].values()
    names = [key.removesuffix("_interval") for key in next(iter(rows), {}) if key.endswith("_interval")]
    return sorted(names, key=lambda name: name != summary["primary"])


def columns(summary: dict[str, Any]) -> list[str]:
    """Return the heads of the main table."""
    score = ["score", "of size", "of retrieval"] if scored(summary) else []
    return ["strategy", *score, *measures(summary), "chunks", "median tokens", "s"]


def cells(summary: dict[str, Any]) -> list[list[str]]:
    """Return the rows of the main table."""
    made = []
    for name in ranked(summary):
        row = summary["strategies"][name]
        values = [
            percent(row[measure], row[f"{measure}_interval"] if measure == summary["primary"] else None)
            for measure in measures(summary)
        ]
        score = [f"{row['score'][part]:.1f}" for part in ("total", "size", "retrieval")] if scored(summary) else []
        sizes = row["chunks"]
        spent = sum(row["seconds"].values())
        made.append([name, *score, *values, f"{sizes['number']:,}", _median(sizes), f"{spent:.1f}"])
    return made


def named(summary: dict[str, Any]) -> list[str]:
    """Return the settings of the rows that were given a name, one line each."""
    settings = {
        name.removesuffix(f" · {row['retriever']}"): row["setting"] for name, row in summary["strategies"].items()
    }
    return setting.named_rows(settings)


RETRIEVERS = {"dense": "dense search", "bm25": "BM25", "hybrid": "hybrid search"}
"""Ways to search, in words."""


def conclusions(summary: dict[str, Any]) -> list[str]:
    """Return, in sentences, which way to search won and whether strategies with chunks of equal size differ."""
    return [*_winner(summary["retrievers"]), *_equal_sizes(summary["equal_sizes"])]


def _winner(compared: dict[str, Any]) -> list[str]:
    if not compared:
        return []
    means = sorted(compared["means"].items(), key=lambda pair: -pair[1])
    best, first = means[0][0], ", ".join(f"{RETRIEVERS[name]} {percent(mean)} %" for name, mean in means)
    lines = [f"By {said(compared['measure'])}, averaged over the strategies: {first}."]
    beaten: list[str] = []
    open_: list[str] = []
    for pair in compared["pairs"]:
        if best in (pair["one"], pair["other"]):
            low, high = pair["simultaneous"]
            other = pair["other"] if pair["one"] == best else pair["one"]
            certain = low > 0 if pair["one"] == best else high < 0
            (beaten if certain else open_).append(RETRIEVERS[other])
    name = f"{RETRIEVERS[best][:1].upper()}{RETRIEVERS[best][1:]}"
    if beaten:
        lines.append(f"{name} is significantly better than {' and '.join(beaten)}.")
    if open_:
        lines.append(f"No significant difference between {RETRIEVERS[best]} and {' or '.join(open_)}.")
    return [" ".join(lines)]


def _equal_sizes(counts: dict[str, Any]) -> list[str]:
    if not counts["pairs"]:
        return []
    share = f"{counts['different']:,} of {counts['pairs']:,}"
    about = f"chunks of about equal size (mean tokens within {100 * counts['ratio'] - 100:.0f} %)"
    words = f"Of the pairs of strategies with {about} and the same retriever, {share} differ significantly"
    if counts["different"] == counts["pairs"]:
        return [f"{words}."]
    return [f"{words}; the others differ by at most {100 * counts['beyond']:.1f} points."]


def corpus_heads(summary: dict[str, Any]) -> list[str]:
    """Return the corpora with their numbers of questions."""
    return [
        f"{name or NOTHING} ({next(iter(rows.values()))['questions']:,})" for name, rows in summary["corpora"].items()
    ]


def corpus_cells(summary: dict[str, Any], measure: str) -> list[list[str]]:
    """Return a measure with its interval by corpus, a row of the evaluation each."""
    return [
        [
            name,
            *(percent(rows[name][measure], rows[name][f"{measure}_interval"]) for rows in summary["corpora"].values()),
        ]
        for name in ranked(summary)
    ]


def _median(sizes: dict[str, Any]) -> str:
    return f"{sizes['median']:,.0f}" if sizes["number"] else NOTHING


def pair_cells(summary: dict[str, Any]) -> list[list[str]]:
    """Return the differences of the primary measure, a pair a row."""
    return [[pair["one"], pair["other"], *_difference(pair)] for pair in summary["pairs"].get(summary["primary"], [])]


def _difference(pair: dict[str, Any]) -> list[str]:
    """Return the difference alone, all together, and the verdict, under :data:`DIFFERENCE`."""
    together = f"[{', '.join(f'{100 * end:+.1f}' for end in pair['simultaneous'])}]"
    return [percent(pair["difference"], pair["interval"], "+"), together, pair["verdict"]]


DIFFERENCE = ("difference alone", "all together", "verdict")
"""The heads of a difference."""


def against(summary: dict[str, Any], measure: str, other: str) -> list[dict[str, Any]]:
    """Return the difference of every row from ``other`` in a measure: row, difference, both intervals, verdict."""
    pairs_by_row = {}
    for pair in summary["pairs"].get(measure, []):
        if pair["other"] == other:
            pairs_by_row[pair["one"]] = pair | {"row": pair["one"]}
        elif pair["one"] == other:
            turned = {name: [-end for end in reversed(pair[name])] for name in ("interval", "simultaneous")}
            pairs_by_row[pair["other"]] = pair | turned | {"row": pair["other"], "difference": -pair["difference"]}
    return [pairs_by_row[row] for row in ranked(summary) if row in pairs_by_row]


def against_cells(pairs: list[dict[str, Any]]) -> list[list[str]]:
    """Return the differences of :func:`against` as table rows: name, single and simultaneous interval, verdict."""
    return [[pair["row"], *_difference(pair)] for pair in pairs]


def text(summary: dict[str, Any]) -> str:
    """Return the tables and notes, for a terminal."""
    parts = [
        headline(summary),
        "In %: mean over questions and its 95 % interval. s is without embedding.",
        aligned([columns(summary), *cells(summary)]),
        "\n".join(named(summary)),
        summary["score"] if scored(summary) else "",
        f"{summary['primary']}: {summary['verdict']}.",
        "\n".join(conclusions(summary)),
    ]
    if summary["corpora"]:
        heads = ["strategy", *corpus_heads(summary)]
        parts.append(
            f"{summary['primary']} by corpus:\n" + aligned([heads, *corpus_cells(summary, summary["primary"])])
        )
    pairs = pair_cells(summary)
    if pairs:
        heads = ["strategy", "less", *DIFFERENCE]
        parts.append(f"Differences of {summary['primary']} in points:\n" + aligned([heads, *pairs]))
    parts.append("\n".join(f"note: {note}" for note in summary["notes"]))
    return "\n\n".join(harmless(part) for part in parts if part) + "\n"
