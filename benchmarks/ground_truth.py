"""Documents read by Chunkscope and by others, beside what somebody has written down of them in Markdown.

``python -m benchmarks.ground_truth FOLDER [--python PYTHON]`` takes each file that has ``NAME.EXTENSION.md`` or
``NAME.md`` beside it. PYTHON is the interpreter of the environment that has the other programs; those that it does not
have are left out. ``--files`` prints the files on which Chunkscope loses most, with words that it misses and adds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from statistics import mean
from typing import Any

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from benchmarks.readers import READERS
from benchmarks.timing import table

OURS = "Chunkscope"
SHOWN = 12
"""Words of a file that are listed."""

_WORD = re.compile(r"[^\W_]+")
_HEADINGS = "h1, h2, h3, h4, h5, h6"
_LINES = "p, li, td, th, tr, table, h1, h2, h3, h4, h5, h6, pre, blockquote, br, div, dt, dd, figcaption, hr, section"


@dataclass(frozen=True)
class Contents:
    """The words of a document in order, and the words of each of its headings."""

    words: list[str]
    headings: list[tuple[str, ...]]


@dataclass(frozen=True)
class Scores:
    """How far the contents of a document agree with its ground truth.

    Attributes:
        recall, precision: share of the words of the ground truth, or of the reader, that the other has as well.
        trigrams: share of the runs of three words of the ground truth.
        order: share of the words that occur once in both which stand in the same order.
        common, headings, read: headings that both have, those of the ground truth, and those of the reader.
        missed, added: words of one alone, the most frequent first.
    """

    recall: float
    precision: float
    trigrams: float
    order: float
    common: int
    headings: int
    read: int
    missed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def contents_of_html(html: str) -> Contents:
    """Return the contents of HTML."""
    tree = LexborHTMLParser(html)
    for node in tree.css("script, style, template, head"):
        node.decompose()
    headings = [heading_words(node.text(separator=" ")) for node in tree.css(_HEADINGS)]
    for node in tree.css(_LINES):
        node.insert_before(" ")
        node.insert_after(" ")
    body = tree.body
    return Contents(words(body.text() if body else ""), [heading for heading in headings if heading])


def contents(content: str, markup: str, headings: Iterable[str] = ()) -> Contents:
    """Return the contents of text or markup, with headings that it does not mark itself."""
    if markup == "text":
        return Contents(words(content), [found for heading in headings if (found := heading_words(heading))])
    if markup == "markdown":
        content = MarkdownIt("commonmark").enable("table").render(content)
    return contents_of_html(content)


def words(text: str) -> list[str]:
    """Return the words of a text without case: runs of letters and digits, however they are written."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def heading_words(text: str) -> tuple[str, ...]:
    """Return the words of a heading without its number, which some programs write and others do not."""
    found = words(text)
    return tuple(dropwhile(str.isdecimal, found)) or tuple(found)


def score(read: Contents, truth: Contents) -> Scores:
    """Return how far the contents that were read agree with the ground truth."""
    ours, theirs = Counter(read.words), Counter(truth.words)
    common = (ours & theirs).total()
    headings = Counter(read.headings) & Counter(truth.headings)
    runs = _trigrams(truth.words)
    return Scores(
        _share(common, theirs.total()),
        _share(common, ours.total()),
        _share((_trigrams(read.words) & runs).total(), runs.total()),
        order(read.words, truth.words),
        headings.total(),
        len(truth.headings),
        len(read.headings),
        *(tuple(word for word, _ in rest.most_common(SHOWN)) for rest in (theirs - ours, ours - theirs)),
    )


def _trigrams(found: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(zip(found, found[1:], found[2:], strict=False))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def order(read: Sequence[str], truth: Sequence[str]) -> float:
    """Return the share of the words that occur once in both whose order is the same in both."""
    ours, theirs = ({word for word, times in Counter(each).items() if times == 1} for each in (read, truth))
    both = ours & theirs
    places = {word: place for place, word in enumerate(read) if word in both}
    tails = list[int]()
    for place in (places[word] for word in truth if word in both):
        index = bisect_left(tails, place)
        tails[index : index + 1] = [place]
    return _share(len(tails), len(both))


# --- files ---------------------------------------------------------------------------------------------------------


def pairs(folder: Path) -> dict[Path, Path]:
    """Return the files of a folder that have their ground truth beside them, and that."""
    found = dict[Path, Path]()
    for file in sorted(folder.iterdir()):
        beside = (file.with_name(f"{file.name}.md"), file.with_suffix(".md"))
        truth = next((each for each in beside if each.is_file() and each != file), None)
        if truth and file.is_file() and file.suffix != ".md":
            found[file] = truth
    return found


@dataclass(frozen=True)
class Result:
    """What one reader makes of the files that it can read.

    Attributes:
        scores: by file; those of nothing where it failed.
        seconds: by file.
        memory: peak of its process and of those that it starts, in MB.
        problems: why it failed, by file.
    """

    scores: Mapping[Path, Scores]
    seconds: Mapping[Path, float]
    memory: float
    problems: Mapping[Path, str]

    def mean(self, name: str) -> float:
        """Return the mean of a score over the files."""
        return float(mean(getattr(each, name) for each in self.scores.values()))

    @property
    def heading_f1(self) -> float:
        """F1 of the headings of all files together."""
        common, theirs, read = (
            sum(getattr(each, name) for each in self.scores.values()) for name in ("common", "headings", "read")
        )
        return _share(2 * common, theirs + read)


def result(name: str, files: Mapping[Path, Path], python: str) -> Result | None:
    """Return what a reader makes of files; None where it is not installed or reads none of them."""
    readable = [file for file in files if file.suffix in READERS[name].endings]
    if not readable or not is_installed(READERS[name].module, python):
        return None
    command = [python, "-m", "benchmarks.readers", name, *map(str, readable)]
    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        why = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        print(f"left out: {name}, {why[-1]}", file=sys.stderr)
        return None
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    readings = dict(zip(readable, answer["readings"], strict=True))
    return Result(
        {file: _scored(reading, READERS[name].markup, files[file]) for file, reading in readings.items()},
        {file: reading["seconds"] for file, reading in readings.items()},
        answer["own_mb"] + answer["started_mb"],
        {file: reading["problem"] for file, reading in readings.items() if reading["problem"]},
    )


def _scored(reading: Mapping[str, Any], markup: str, truth: Path) -> Scores:
    known = contents(truth.read_text(encoding="utf-8"), "markdown")
    return score(contents(reading["content"], markup, reading["headings"]), known)


def is_installed(module: str, python: str) -> bool:
    """Return whether an interpreter has a module."""
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", look], env=os.environ | {"PYTHONPATH": os.getcwd()}).returncode == 0


def show(results: Mapping[str, Result]) -> None:
    """Print the scores of each reader, and its time and memory as ratios to ours on the same files."""
    rows, ours = [], results[OURS]
    for name, each in results.items():
        figures = (each.mean("recall"), each.mean("precision"), each.mean("trigrams"), each.mean("order"))
        both = [file for file in each.seconds if each.seconds[file] and ours.seconds[file]]
        time = sum(each.seconds[file] for file in both) / sum(ours.seconds[file] for file in both)
        ratios = f"{time:.2f}", f"{each.memory / ours.memory:.2f}"
        scores = (f"{figure:.3f}" for figure in (*figures, each.heading_f1))
        rows.append((name, len(each.scores), *scores, *ratios, len(each.problems)))
    head = ("reader", "files", "recall", "precision", "trigrams", "order", "heading F1")
    table("Beside ground truth", (*head, "time ÷ ours", "memory ÷ ours", "failed"), rows)


def show_files(ours: Result) -> None:
    """Print the files of ours, those with the least recall and precision first."""
    rows = [
        (
            file.name,
            *(f"{getattr(each, name):.3f}" for name in ("recall", "precision", "order")),
            f"{each.common} of {each.headings}, {each.read} read",
            " ".join(each.missed),
            " ".join(each.added),
        )
        for file, each in sorted(ours.scores.items(), key=lambda item: item[1].recall + item[1].precision)
    ]
    table("Files", ("file", "recall", "precision", "order", "headings", "missed", "added"), rows)


def main(folder: Path, python: str, files: bool) -> None:
    """Measure each reader on each kind of file."""
    known = pairs(folder)
    for ending in sorted({file.suffix for file in known}):
        chosen = {file: truth for file, truth in known.items() if file.suffix == ending}
        found = {name: result(name, chosen, sys.executable if name == OURS else python) for name in READERS}
        results = {name: each for name, each in found.items() if each}
        if OURS in results:
            print(f"\n{ending}")
            show(results)
            if files:
                show_files(results[OURS])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the other programs")
    parser.add_argument("--files", action="store_true", help="print each file")
    options = parser.parse_args()
    main(options.folder, options.python, options.files)
