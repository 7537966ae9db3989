"""An evaluation of retrieval as one HTML file that needs nothing else; see :mod:`chunking.figures.page`.

However many strategies and questions there are, the file stays of a size that can be read: what is left out is said,
and is in the results as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from chunking.figures import page
from chunking.figures.cells import NOTHING, percent
from chunking.retrieval.questions.data import TRUTH_TITLES, QuestionSet
from chunking.retrieval.reports import figures, table
from chunking.strategies import REGISTRY

_SPANS = {
    "recall@T": "Recall within T tokens: the share of the answer that stands in the first T tokens of the ranking, the "
    "last passage cut to what is left. It gives every strategy the same room, whatever the size of its passages: the "
    "main comparison.",
    "recall, precision, iou": "Of the first k passages: answer found ÷ answer; answer found ÷ text retrieved; answer "
    "found ÷ both together. By characters, as in Chroma's evaluation (Smith and Troynikov 2024); text that is "
    "retrieved twice counts twice. k passages of unequal size compare little.",
    "precision_omega": "Precision if exactly the passages that hold some of the answer were retrieved: the best that "
    "any search could do with these chunks (Smith and Troynikov 2024).",
    "rr": "1 ÷ rank of the first passage that holds some of the answer; its mean is MRR (Voorhees 1999).",
    "hit@k": "Whether any of the first k passages holds some of the answer. Some programs call this recall.",
    "holds@k": "The same, where a passage must have the text of a whole answer in it, or be a part of it.",
}
_DOCUMENTS = {
    "nDCG@k": "Discounted gain of the relevant documents among the first k, ÷ that of the best order (Järvelin and "
    "Kekäläinen 2002). A document is as good as its best passage. All measures of judged documents are by ir-measures "
    "(MacAvaney, Macdonald and Ounis 2022).",
    "R@k, P@k": "Of the first k documents: relevant ones found ÷ all relevant ones; relevant ones found ÷ k.",
    "RR, AP": "1 ÷ rank of the first relevant document, whose mean is MRR (Voorhees 1999); the mean of the precisions "
    "at each relevant document, whose mean is MAP.",
    "hit@k": "Whether any of the first k passages is of a relevant document. Some programs call this recall.",
}
_ALWAYS = {
    "intervals": "95 %, percentile bootstrap over questions (Efron 1979), paired for differences. Those that decide "
    "(“all together”) are widened so that with 95 % none of all pairs misses (max-T; Westfall and Young 1993, Romano "
    "and Wolf 2005): having picked the best of many is paid for.",
    "dense, bm25, hybrid": "Cosine of the encoder's vectors; BM25 with the parameters of Lucene; both rankings "
    "joined by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).",
}


def definitions(found: dict[str, Any]) -> dict[str, str]:
    """Return the definitions of the measures of an evaluation, by name, with their sources."""
    measures = _DOCUMENTS if found["data"]["truth"] == "documents" else _SPANS
    return measures | _ALWAYS | {"one score": found["score"]}


_QUESTIONS = 25
"""Questions that are shown one by one."""

_COLUMNS = 8
"""Rows whose values of single questions are shown."""

_PAIRS = 100
"""Pairs up to which all of them are shown; with more, those of the best row."""

_LINES = 100
"""Failures and remarks that are shown one by one."""

_LETTERS = 200
"""Of a question."""

_SHORT = 400
"""Letters of a verdict that is set large."""


def words(known: QuestionSet) -> dict[str, str]:
    """Return the questions in words, by id."""
    return {question.id: question.text for question in known.questions}


def html(
    found: dict[str, Any],
    command: str,
    texts: Mapping[str, str] | None = None,
    about: str = "The same on the command line:",
) -> str:
    """Return the report of what :func:`chunking.retrieval.reports.summary.as_dict` gives.

    Args:
        found: the evaluation, with the values of every question or without.
        command: the line that makes it again, shown as it is.
        texts: questions in words by id, where they are known.
        about: what is said before the line.
    """
    main = table.said(found["primary"])
    body = page.sections(
        [
            ("Data, settings and versions", page.defined(facts(found), facts=True)),
            ("Results", results(found)),
            (table.titled(found["primary"]), _means(found)),
            (f"{table.titled(found['primary'])} by corpus", by_corpus(found, found["primary"])),
            ("Recall by context budget", _within(found)),
            ("Size against quality", _pareto(found)),
            ("Sizes of the passages, in tokens", figures.sizes(found)),
            (f"Differences of {main}", _differences(found)),
            *_questions(found, texts or {}),
            ("Cost", _costs(found)),
            ("Notes", page.bullets(found["notes"])),
            ("Failures", failures(found)),
            ("Corrected or excluded data", remarks(found["data"])),
            ("Make it again", f"<p>{page.text(about)}</p><pre>{page.text(command)}</pre>{_method(found)}"),
            ("Definitions", page.defined(definitions(found))),
        ]
    )
    title = f"Retrieval: {found['data']['name']}"
    return page.html(title, f"<h1>{page.text(title)}</h1>{verdict(found)}{body}")


def verdict(found: dict[str, Any]) -> str:
    """Return the verdict on the best row, as HTML."""
    said = page.text(f"{found['verdict'].removesuffix('.')}.")
    look = "verdict" if len(said) < _SHORT else "legend"
    more = "".join(f'<p class="legend">{page.text(line)}</p>' for line in table.conclusions(found))
    return f'<p class="{look}"><span>{page.text(table.measured_by(found))}</span> {said}</p>{more}'


def facts(found: dict[str, Any]) -> dict[str, str]:
    """Return the facts of the setup, by name."""
    data, rows = found["data"], found["strategies"]
    methods = list(dict.fromkeys(row["retriever"] for row in rows.values()))
    shown = {
        "Data set": data["name"],
        **({"SHA-256 of documents and questions": data["sha256"]} if "sha256" in data else {}),
        "Documents": f"{data['documents']:,}",
        "Questions": f"{data['questions']:,}",
        "Truth": TRUTH_TITLES[data["truth"]],
        "Strategies": ", ".join(dict.fromkeys(row["setting"] for row in rows.values())),
        "Search methods": ", ".join(methods),
    }
    if found["search"]:
        shown["Dense search"] = found["search"]["dense"]
    if found["encoder"]:
        shown["Encoder"] = found["encoder"]
    shown["Tokenizer"] = found["tokenizer"]
    if data["truth"] != "documents" and found["budgets"]:
        shown["Context budget (tokens)"] = ", ".join(f"{budget:,}" for budget in found["budgets"])
    order = "one score of sizes and retrieval" if table.scored(found) else table.said(found["primary"])
    return {**shown, "Top k": f"{found['top_k']:,}", "Rows sorted by": order, **found["versions"]}


# --- tables and figures ----------------------------------------------------------------------------------------------

LEGEND = "In %: mean over questions, of the main measure with its 95 % interval."


def results(found: dict[str, Any]) -> str:
    """Return the main table with its legend."""
    # How long a row took stands under what it cost.
    heads = [table.said(name) if name == found["primary"] else name for name in table.columns(found)[:-1]]
    score = f'<p class="legend">{page.text(found["score"])}</p>' if table.scored(found) else ""
    body = page.tabulated(heads, [row[:-1] for row in table.cells(found)], "numbers")
    names = "".join(f'<p class="legend">{page.text(line)}</p>' for line in table.named(found))
    return f'{body}{score}<p class="legend">{LEGEND}</p>{names}'


def by_corpus(found: dict[str, Any], measure: str) -> str:
    """Return a measure by corpus, as HTML; empty where there is one corpus."""
    if not found["corpora"]:
        return ""
    heads = ["strategy", "mean", *table.corpus_heads(found)]
    rows = found["strategies"]
    cells = [
        [name, percent(rows[name][measure], rows[name][f"{measure}_interval"]), *values]
        for name, *values in table.corpus_cells(found, measure)
    ]
    said = (
        "In %, with 95 % intervals; in parentheses the number of questions. The mean is over all questions, and its "
        "interval is for these corpora: questions are resampled within them."
    )
    return f'{page.tabulated(heads, cells, "numbers")}<p class="legend">{said}</p>'


def _intervals(found: dict[str, Any]) -> str:
    """Return every measure with its interval, folded."""
    names = table.measures(found)
    rows = [
        [row, *(percent(known[name], known[f"{name}_interval"]).replace(" [", "\n[") for name in names)]
        for row, known in ((row, found["strategies"][row]) for row in table.ranked(found))
    ]
    body = page.tabulated(["strategy", *names], rows, "numbers")
    return f"<details><summary>Every measure with its 95 % interval</summary>{body}</details>"


def baselines(found: dict[str, Any]) -> frozenset[str]:
    """Return the rows whose strategies go by size alone."""
    families = {name: strategy.family for name, strategy in REGISTRY.items()}
    rows = found["strategies"].items()
    return frozenset(name for name, row in rows if families.get(row["setting"].partition(":")[0]) == "size")


def _means(found: dict[str, Any]) -> str:
    main, rows, quiet = found["primary"], found["strategies"], baselines(found)
    best = max(quiet, key=lambda name: (rows[name][main], name), default=None)
    said = "Dot: mean over questions, in %; bar: 95 % interval."
    if best is not None:
        said += f" Grey: strategies that go by size alone; dashed: the best of them, {best}."
    entries = [(name, rows[name][main], rows[name][f"{main}_interval"]) for name in table.ranked(found)]
    mark = None if best is None else rows[best][main]
    chart = page.chart(entries, mark, f"{table.said(main)} of {len(entries)} rows", percent, quiet)
    return f'<p class="legend">{page.text(said)}</p>{chart}{_intervals(found)}'


def _within(found: dict[str, Any]) -> str:
    chart = figures.within(found, baselines(found))
    *fewer, most = (f"{budget:,}" for budget in sorted(found["budgets"]) or [0])
    said = f"In %, with context budgets of {', '.join(fewer)} and {most} tokens, from the small dot to the large one."
    return f'<p class="legend">{said}</p>{chart}' if chart else ""


def _pareto(found: dict[str, Any]) -> str:
    said = (
        "Mean tokens per passage against the mean over questions, with its 95 % interval. Filled dots, joined by a "
        "line: no other row is both as small and as good by its mean; where intervals overlap, this is uncertain."
    )
    return f'<p class="legend">{said}</p>{figures.pareto(found, found["primary"], "mean")}'


def _differences(found: dict[str, Any]) -> str:
    """Return the differences of all rows from the best, and of all pairs unless there are too many."""
    main, names = found["primary"], table.ranked(found)
    best = names[0]
    against = table.against(found, main, best)
    if not against:
        return ""
    said = (
        f"Difference from {best}, the first row, in points: mean and simultaneous interval. Right of the "
        "line is better; on the line, the difference is not significant."
    )
    chart = page.chart(
        [(each["row"], each["difference"], each["simultaneous"]) for each in against],
        0.0,
        f"{table.said(main)} of {len(against)} rows vs. {best}",
        lambda value: percent(value, sign="+"),
        baselines(found),
    )
    pairs = len(names) * (len(names) - 1) // 2
    if pairs <= _PAIRS:
        rows = page.tabulated(["strategy", "vs.", *table.DIFFERENCE], _pairs(found, names), "pairs")
    else:
        rows = page.tabulated([f"vs. {best}", *table.DIFFERENCE], table.against_cells(against), "numbers")
        rows += _left_out(pairs - len(against), "pairs")
    return f'<p class="legend">{page.text(said)}</p>{chart}{rows}'


def _pairs(found: dict[str, Any], names: Sequence[str]) -> list[list[str]]:
    """Return all pairs, the better row less the other."""
    less = {
        (row, other): cells
        for other in names
        for row, *cells in table.against_cells(table.against(found, found["primary"], other))
    }
    return [[one, other, *less[one, other]] for one, other in combinations(names, 2)]


def _left_out(number: int, what: str) -> str:
    return f'<p class="legend">{number:,} more {what} are in the results as JSON.</p>' if number > 0 else ""


# --- questions -------------------------------------------------------------------------------------------------------


def _questions(found: dict[str, Any], texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the questions that differ most between rows, the worst first; with one row, those that fare worst."""
    ids, names, main = found["questions"], table.ranked(found), found["primary"]
    if not ids or not names:
        return []
    values = np.array([found["strategies"][name]["per_question"][main] for name in names])
    spread, mean = values.max(axis=0) - values.min(axis=0), values.mean(axis=0)
    order = np.lexsort((mean, -spread))[:_QUESTIONS].tolist()
    shown, more = names[:_COLUMNS], len(names) > _COLUMNS
    ends = np.stack((values.min(axis=0), values.max(axis=0)))[: 2 * more]
    heads = ["question", *("lowest", "highest")[: 2 * more], *shown]
    told = np.concatenate((ends, values[: len(shown)]))
    rows = [[_asked(ids[place], texts), *map(percent, told[:, place].tolist())] for place in order]
    title = "Questions that differ most between rows" if spread.any() else "Questions that fare worst"
    body = page.tabulated(heads, rows, "words", names=shown)
    left = [_left_out(len(ids) - len(order), "questions")]
    if more:
        left.append(f'<p class="legend">Of {len(names)} rows, the first {len(shown)} have a column.</p>')
    return [(title, f'<p class="legend">{_said_of_questions(found, values)}</p>{body}{"".join(left)}')]


def _said_of_questions(found: dict[str, Any], values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    said = f"{table.titled(found['primary'])}, in %. Of {values.shape[1]:,} questions, "
    said += f"{int((values == 0).all(axis=0).sum()):,} get 0 under every row"
    if len(values) > 1:
        said += f", and {int((values == values[0]).all(axis=0).sum()):,} the same under all"
    return page.text(f"{said}.")


def _asked(id: str, texts: Mapping[str, str]) -> str:
    """Return a question in words, else its id."""
    text = " ".join(texts.get(id, "").split()) or id
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


# --- what it took ----------------------------------------------------------------------------------------------------

_STEPS = ("cutting", "searching", "measuring")


def _costs(found: dict[str, Any]) -> str:
    heads = ["strategy", "passages", "tokens of the index", "longer than read", *(f"{step}, s" for step in _STEPS)]
    rows = []
    for name in table.ranked(found):
        row = found["strategies"][name]
        chunks = row["chunks"]
        steps = (f"{row['seconds'][step]:.2f}" if step in row["seconds"] else NOTHING for step in _STEPS)
        tokens = f"{chunks['tokens']:,}" if chunks["number"] else "0"
        rows.append([name, f"{chunks['number']:,}", tokens, f"{row['truncated']:,}", *steps])
    said = f"In all: {spent(found)}. Longer than read: passages of which the encoder does not read the end."
    return f'{page.tabulated(heads, rows, "numbers")}<p class="legend">{page.text(said)}</p>'


def spent(found: dict[str, Any]) -> str:
    """Return the time of each step, in words."""
    return ", ".join(f"{step} {seconds:,.1f} s" for step, seconds in found["seconds"].items())


def method(found: dict[str, Any]) -> str:
    """Return how the intervals were computed, in words."""
    known = found["method"]
    return (
        f"{known['resamples']:,} resamples of {known['resampled']}, seed {known['seed']}; the first "
        f"{known['depth']:,} passages of each ranking are evaluated."
    )


def _method(found: dict[str, Any]) -> str:
    return f"<p>{page.text(method(found))}</p>"


# --- remarks and failures --------------------------------------------------------------------------------------------


def failures(found: dict[str, Any]) -> str:
    """Return the documents that a strategy could not cut, with the reason; empty if there are none."""
    rows = [[name, each["id"], each["what"]] for name, row in found["strategies"].items() for each in row["failed"]]
    return _lines(["strategy", "document", "why"], rows, len(rows), "failures")


def remarks(data: dict[str, Any]) -> str:
    """Return the corrected or excluded data; empty if there is none."""
    rows = [[each["file"], str(each["line"] or ""), each["id"], each["what"]] for each in data["remarks"]]
    return _lines(["file", "line", "id", "what"], rows, data["remarks_in_all"], "remarks")


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]], total: int, what: str) -> str:
    if not rows:
        return ""
    said = f'<p class="legend">{_LINES:,} of {total:,} {what}.</p>' if total > _LINES else ""
    return page.tabulated(heads, rows[:_LINES]) + said
