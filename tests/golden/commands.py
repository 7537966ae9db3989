"""What the command line prints for a document or a set of documents, as text."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chunking.__main__ import main
from tests.golden.corpus import OTHERS, SAMPLES, GoldenDocument
from tests.golden.settings import OTHER_SETTINGS, PAPER
from tests.golden.text import CURVE_DECIMALS, compact_json, number

COMPARED = "structural,changepoint,recursive"
EXPORTED = ("jsonl", "csv", "langchain", "llama-index", "haystack")
_EXPORT = "section:max_tokens=400;level=2;overlap=1"


def output_of(*words: str | Path) -> str:
    """Run a command in this process and return its standard output; an error is part of it."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    return out.getvalue() if code != 2 else f"exit {code}: {err.getvalue()}"


def json_of(*words: str | Path) -> Any:
    """Run a command in this process and return the JSON that it prints."""
    return json.loads(output_of(*words))


def signals_text(document: GoldenDocument) -> str:
    """Return the curves of the default and of the paper's program, a gap each, with ``*`` where it is a boundary."""
    sections = []
    for parameters in ((), ("-p", "preset=reference")):
        rows = output_of("signals", document.path, *document.options, *parameters)
        sections += [f"## signals {' '.join(parameters)}".rstrip(), *_gap_lines(rows, first=not parameters)]
    return "\n".join(sections) + "\n"


def _gap_lines(rows: str, first: bool) -> Iterator[str]:
    """Yield a gap each; sentences and their distances, which are the same for both, in the first table alone."""
    gaps = [json.loads(row) for row in rows.splitlines()]
    rescaled = any(gap["structural_raw"] != gap["structural"] for gap in gaps)
    structural = ["structural_raw" if rescaled else "structural"]
    names = ["semantic", *structural, "fused"] if first else [*structural, "fused"]
    if gaps:
        yield f"threshold {number(gaps[0]['threshold'], CURVE_DECIMALS)}"
        yield " ".join(["offset", *["left"] * first, *names])
    for gap in gaps:
        span = ["-".join(map(str, gap["left"]))] if first else []
        curves = [number(gap[name], CURVE_DECIMALS) for name in names]
        yield " ".join([str(gap["offset"]), *span, *curves, *["*"] * gap["boundary"]])


def compare_text(document: GoldenDocument) -> str:
    """Return the comparison of three strategies, with the reference boundaries where there are some."""
    reference = ("--gold", document.path.with_suffix(".json")) if document.is_sample else ()
    options = ("--strategies", COMPARED, "--format", "json", *document.options, *reference)
    comparison = json_of("compare", document.path, *options)
    for row in comparison["strategies"].values():
        del row["params"]
        row["boundaries"], row["gaps"] = len(row["boundaries"]), len(row["gaps"])  # as in split.txt
    for measure in comparison["agreement"].values():
        measure["pairs"] = {name: _values(row) for name, row in measure["pairs"].items()}
    comparison["consensus"] = " ".join(f"{row['gap']}:{number(row['share'], 2)}" for row in comparison["consensus"])
    return compact_json(_relative(comparison))


def _values(row: dict[str, dict[str, float]]) -> dict[str, str]:
    """Return the agreement of a strategy with each other one: the value, and what is left of it beyond chance."""
    return {name: f"{number(values['value'])} {number(values['corrected'])}" for name, values in row.items()}


def check_text(document: GoldenDocument) -> str:
    """Return the violations that a check reports of the default strategy and of a small fixed size, a line each."""
    sections = []
    for words in (("--strategy", "structural"), ("--strategy", "fixed_size", "-p", "max_tokens=250")):
        report = json_of("check", document.path, *words, "--format", "json", *document.options)
        kinds = {kind: row["findings"] for kind, row in report["summary"].items() if row["findings"]}
        summary = {"chunks": report["chunks"], "without_findings": report["without_findings"], **kinds}
        sections += [f"## check {' '.join(words)}", json.dumps(summary), *map(_violation, report["violations"])]
    return "\n".join(sections) + "\n"


def _violation(row: dict[str, Any]) -> str:
    """Return a violation without the name of its document."""
    where = f"{row['line']}:{row['column']} {row['part']}".strip()
    span = f"chunk {row['chunk']} {row['start']}-{row['end']}"
    return f"{row['offset']} ({where}) {row['level']} {row['rule']}: {row['message']}; {span}"


def suggest_text(document: GoldenDocument) -> str:
    """Return the advice for a document; the table of error rates is the same for all of a kind, so it is left out."""
    advice = json_of("suggest", document.path, "--format", "json", *document.options)
    (row,) = advice["documents"]
    row["claim"]["rates"] = len(row["claim"]["rates"])
    return compact_json(_relative(row))


def exports_text(document: GoldenDocument) -> str:
    """Return the last row of each export of one setting, as they are."""
    strategy, _, parameters = _EXPORT.partition(":")
    pairs = [word for pair in parameters.split(";") for word in ("-p", pair)]
    sections = []
    for name in EXPORTED:
        rows = output_of("split", document.path, "--strategy", strategy, *pairs, "--format", name, *document.options)
        sections += [f"## {name}", *(_shortened(row) for row in _last(rows))]
    return "\n".join(sections) + "\n"


def _last(rows: str) -> list[str]:
    lines = rows.splitlines()
    return [f"… {len(lines)} lines", lines[-1]]


def _shortened(row: str) -> str:
    """Return a row without the middle of what is quoted at length."""
    return re.sub(r'"((?:[^"\\]|\\.){30})((?:[^"\\]|\\.){20,})((?:[^"\\]|\\.){30})"', _ends, row)


def _ends(quoted: re.Match[str]) -> str:
    return f'"{quoted[1]}…{len(quoted[2])}…{quoted[3]}"'


def segmentation_set(folder: Path) -> Path:
    """Write the samples as a set of units with their reference boundaries; return the file."""
    rows = []
    for about in sorted(SAMPLES.glob("*.json")):
        path = next(path for path in SAMPLES.glob(f"{about.stem}.*") if path.suffix in (".md", ".txt"))
        text, reference = path.read_text(encoding="utf-8"), set(json.loads(about.read_text(encoding="utf-8"))["gold"])
        starts = [match.start() for match in re.finditer(r"(?<=\n\n)[^\n]|\A[^\n]", text)]
        units = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        boundaries = [unit for unit, start in enumerate(starts) if start in reference]
        rows.append({"id": about.stem, "units": units, "boundaries": boundaries})
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def evaluate_segmentation_text(folder: Path, granularity: str) -> str:
    """Return the evaluation of three strategies on the samples."""
    options = ("--strategies", COMPARED, "--encoder", "static", "--granularity", granularity, "--format", "json")
    return compact_json(_comparable(json_of("evaluate", "segmentation", segmentation_set(folder), *options)))


def evaluate_retrieval_text(*words: str) -> str:
    """Return the evaluation of strategies on the questions of the samples, without what single questions came to."""
    options = ("--format", "json", *words)
    models = ("--encoder", "static", "--splitter", "rules")
    return compact_json(_comparable(json_of("evaluate", "retrieval", SAMPLES, *options, *models)))


def settings_text() -> str:
    """Return the settings file of every recorded setting."""
    lines = [f"{name}:{parameters}" for name, parameters in OTHER_SETTINGS.items()]
    return output_of("settings", "--strategies", ",".join([PAPER, *lines]), "--encoder", "static")


def strategies_text() -> str:
    """Return the list of Chunkscope's strategies with their parameters; texts for people are left out."""
    rows = [row for row in json_of("strategies", "--json") if row["family"] != "peers"]
    for row in rows:
        del row["summary"], row["origin"]
        for parameter in row["params"].values():
            del parameter["help"]
    return compact_json(rows)


def _relative(value: Any) -> Any:
    """Return a value in which files are named without their folder."""
    if isinstance(value, dict):
        return {key: _relative(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_relative(part) for part in value]
    if isinstance(value, str):
        return value.replace(f"{OTHERS}/", "").replace(f"{SAMPLES}/", "")
    return value


def _comparable(value: Any) -> Any:
    """Return a result without what runs and libraries change, and without single documents and questions."""
    if isinstance(value, dict):
        left_out = ("seconds", "embedding_seconds", "versions", "per_question", "data", "documents")
        return {key: _comparable(part) for key, part in value.items() if key not in left_out}
    return [_comparable(part) for part in value] if isinstance(value, list) else value
