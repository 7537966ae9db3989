"""The worst files that are known for each format: ``python -m tests.loading.worst_cases [NAME…] [--size BYTES]``.

Each was slow or large once, or is the shape that a parser or a loop of ours takes longest for. Prints processor seconds
and memory of each, read, split into sentences, measured and rendered.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunking import rendering, sentences
from chunking.chunks import outline
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.signals.features import measure

MIB = 2**20


def _repeat(unit: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        return (before + unit * (size // len(unit.encode()) + 1) + after).encode()

    return make


def _numbered(form: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """Return a file of a form whose units are numbered, so that each differs."""

    def make(size: int) -> bytes:
        count = size // len(form.format(n=10_000).encode()) + 1
        return (before + "".join(form.format(n=number) for number in range(count)) + after).encode()

    return make


def _wide_table(size: int) -> bytes:
    columns = 10_000 if size >= MIB // 2 else size // 100
    row = "|" + "a|" * columns + "\n"
    return (row + "|" + "-|" * columns + "\n" + row * (size // len(row))).encode()


def _nested(open_: str, close: str) -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        depth = size // len(open_ + close)
        return (open_ * depth + close * depth).encode()

    return make


def _notebook(size: int) -> bytes:
    cell = {"cell_type": "markdown", "metadata": {}, "source": "*a **b _c " * (size // 10)}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode()


WORST: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "letters": ("a.txt", _repeat("a")),
    "text-lines": ("a.txt", _repeat("ab\n")),
    "text-words": ("a.txt", _repeat("word ")),
    "text-stops": ("a.txt", _repeat("A. ")),
    "text-blank-crlf": ("a.txt", _repeat("\r\n", "a", "b")),
    "text-rules": ("a.txt", _repeat("-----\n")),
    "text-columns": ("a.txt", _repeat("a    b\n")),
    "text-items": ("a.txt", _repeat("1. a\n")),
    "text-nel": ("a.txt", _repeat("a\x85")),
    "md-letters": ("a.md", _repeat("a")),
    "md-table": ("a.md", _repeat("| a | b |\n", "| a | b |\n|---|---|\n")),
    "md-table-columns": ("a.md", _wide_table),
    "md-definitions": ("a.md", _numbered('[a{n}]: http://x "title"\n')),
    "md-open-titles": ("a.md", _numbered('[a{n}]: http://x "title\n')),
    "md-front-matter": ("a.md", _repeat("a: b\r\n", "---\r\n")),
    "md-front-comments": ("a.md", _repeat("# a\r\n", "---\r\n")),
    "md-blank-crlf": ("a.md", _repeat("\r\n", "---\r\n", "a")),
    "md-emphasis": ("a.md", _repeat("*a **b _c ")),
    "md-brackets": ("a.md", _repeat("[")),
    "md-links": ("a.md", _repeat("[a](")),
    "md-backticks": ("a.md", lambda size: " ".join("`" * n for n in range(1, int((2 * size) ** 0.5))).encode()),
    "md-entities": ("a.md", _repeat("&a")),
    "md-html": ("a.md", _repeat("<a ")),
    "md-quotes": ("a.md", _repeat("> ")),
    "md-quote-lines": ("a.md", _repeat("> a\n")),
    "md-lists": ("a.md", _repeat("- a\n")),
    "md-nested-lists": ("a.md", lambda size: "".join(" " * (n % 200) + "- a\n" for n in range(size // 100)).encode()),
    "md-headings": ("a.md", _repeat("# a\n")),
    "md-hashes": ("a.md", _repeat("# ", "# a ")),
    "md-admonitions": ("a.md", _repeat("!!! note\n    a\n")),
    "md-directives": ("a.md", _repeat("```{note}\n")),
    "md-open-tags": ("a.md", _repeat("<Ab a={\n")),
    "md-open-tables": ("a.md", _repeat("<table>\n\n# a\n\n")),
    "md-exports": ("a.md", _repeat("export {\n\n")),
    "md-footnotes": ("a.md", _repeat("[^1]:\n")),
    "md-images": ("a.md", _repeat("![")),
    "html-letters": ("a.html", _repeat("a")),
    "html-body": ("a.html", _repeat("a", "<html><body><p>", "</p></body></html>")),
    "html-words": ("a.html", _repeat("word ", "<html><body><p>", "</p></body></html>")),
    "html-entities": ("a.html", _repeat("&nosuch", "<html><body><p>")),
    "html-number-entities": ("a.html", _repeat("&#xfffffff", "<html><body><p>")),
    "html-paragraphs": ("a.html", _repeat("<p>a")),
    "html-inline": ("a.html", _repeat("<b>a</b>")),
    "html-open-inline": ("a.html", _repeat("<b>a<p>")),
    "html-table": ("a.html", _repeat("<tr><td>a<td>b", "<table>")),
    "html-cells": ("a.html", _repeat("<td>a", "<table><tr>")),
    "html-attributes": ("a.html", _repeat('<a title="<script ">b</a>', "<table><tr><td>")),
    "html-xmp": ("a.html", _repeat("<xmp")),
    "html-doctype": ("a.xhtml", _repeat("<!DOCTYPE")),
    "html-comments": ("a.html", _repeat("<!--")),
    "html-formulas": ("a.html", _nested("<math><mi>x</mi>", "</math>")),
    "html-spaces": ("a.html", _repeat(" ", "<p>a", "b")),
    "latex": ("a.tex", _repeat("\\hline ", "\\begin{tabular}{l}a\\\\")),
    "latex-braces": ("a.tex", _repeat("{")),
    "latex-begin": ("a.tex", _repeat("\\begin{a}")),
    "latex-sections": ("a.tex", _repeat("\\section{a}\n")),
    "latex-dollars": ("a.tex", _repeat("$a ")),
    "rst": ("a.rst", _repeat("a\n=\n\n")),
    "rst-border": ("a.rst", _repeat("= ", "", "\n")),
    "rst-fields": ("a.rst", _repeat(":a: b\n")),
    "rst-table": ("a.rst", _repeat("+-+-+\n|a|b|\n")),
    "rst-spaces": ("a.rst", _repeat("`a" + " " * 9_000 + "\n\n")),
    "rst-inline": ("a.rst", _repeat("*a ``b |c ")),
    "json-list": ("a.json", _repeat("1,", "[", "1]")),
    "json-strings": ("a.json", _repeat('"a",', "[", '"a"]')),
    "json-nested": ("a.json", _nested("[", "]")),
    "json-objects": ("a.json", _numbered('"a{n}":{{"b":1}},', "{", '"z":1}')),
    "jsonl": ("a.jsonl", _repeat('{"a":1}\n')),
    "yaml-list": ("a.yaml", _repeat("- a\n")),
    "yaml-keys": ("a.yaml", _numbered("a{n}: b\n")),
    "yaml-spaces": ("a.yaml", _repeat(" ", "a: b", "c\n")),
    "yaml-flow": ("a.yaml", _repeat("[")),
    "csv": ("a.csv", _repeat("a,b\n", "x,y\n")),
    "csv-columns": ("a.csv", _repeat("a,")),
    "csv-quotes": ("a.csv", _repeat('"a\n', "x,y\n")),
    "subtitles": ("a.srt", _numbered("{n}\n00:00:01,000 --> 00:00:02,000\na\n\n")),
    "subtitles-voice": ("a.vtt", _repeat("<v a>b ", "WEBVTT\n\n00:01.000 --> 00:02.000\n")),
    "subtitles-events": ("a.ass", _repeat("Dialogue: 0,0:00:01.00,0:00:02.00,,A,0,0,0,,{a}b\n", "[Events]\n")),
    "subtitles-commas": ("a.ass", _repeat(",", "[Events]\nFormat: " + "a," * 50 + "\nDialogue: ")),
    "subtitles-lyrics": ("a.lrc", _repeat("[00:01.00]a\n")),
    "subtitles-times": ("a.lrc", _repeat("[00:01.00]")),
    "subtitles-brackets": ("a.srt", _repeat("[A", "1\n00:00:01,000 --> 00:00:02,000\n")),
    "md-grid": ("a.md", _repeat("+--+\n| a |\n")),
    "md-columns": ("a.md", _repeat("-----\na\n-- --\nb\n\n")),
    "md-open-columns": ("a.md", _repeat("a\n\n", "-- --\n")),
    "html-superscripts": ("a.html", _repeat("a<sup>2</sup>")),
    "html-open-superscripts": ("a.html", _repeat("<sup>a ")),
    "chat": ("a.chat", _repeat("[10:00] Ann: Hi\n[10:01] Bob: Yes\n")),
    "chat-in-text": ("a.txt", _repeat("ANN: Hi to you.\nBOB: Yes, and to you.\n")),
    "chat-names": ("a.chat", _numbered("Ann{n}: Hi\n")),
    "chat-words": ("a.chat", _repeat("a b c d e f g h ")),
    "cpp": ("a.cpp", _repeat("int f(){}\n")),
    "cpp-templates": ("a.cpp", _repeat("a<")),
    "cpp-parens": ("a.cpp", _repeat("((a)")),
    "cpp-errors": ("a.cpp", _repeat("} int { ( ")),
    "python": ("a.py", _repeat("def f(): pass\n")),
    "python-nested": ("a.py", _repeat("(")),
    "python-statements": ("a.py", _repeat("a=1\n")),
    "python-backslashes": ("a.py", _repeat("\\\n")),
    "javascript": ("a.js", _repeat("a=>{")),
    "typescript": ("a.ts", _repeat("a<")),
    "java": ("A.java", _repeat("int a;")),
    "go": ("a.go", _repeat("func f(){}\n", "package a\n")),
    "rust": ("a.rs", _repeat("fn f(){}\n")),
    "bash": ("a.sh", _repeat("a $(")),
    "ruby": ("a.rb", _repeat("def f;end\n")),
    "php": ("a.php", _repeat("function f(){}\n", "<?php\n")),
    "notebook": ("a.ipynb", _notebook),
}
"""The name of a file and a function of a size in bytes to its content, by the name of the case."""


@dataclass(frozen=True)
class Cost:
    """Processor seconds of each step on a file."""

    load: float
    split: float
    measure: float
    render: float
    refused: str = ""

    @property
    def total(self) -> float:
        """All steps together."""
        return self.load + self.split + self.measure + self.render


def cost(name: str, size: int) -> Cost:
    """Work on a worst case and return what each step took."""
    file, make = WORST[name]
    data = make(size)
    times = [time.thread_time()]

    def mark() -> None:
        times.append(time.thread_time())

    try:
        document: Document = load(data, file)
    except ChunkscopeError as error:
        return Cost(time.thread_time() - times[0], 0.0, 0.0, 0.0, error.problem)
    mark()
    split = sentences.split(document, "rules")
    mark()
    measure(split, "cues")
    outline.strength(split)
    mark()
    rendering.render(document)
    mark()
    loading, splitting, measuring, drawing = (after - before for before, after in pairwise(times))
    return Cost(loading, splitting, measuring, drawing)


SHORT = 0.05
"""Processor seconds below which a file says nothing of growth."""


def _report(name: str, size: int, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    early = cost(name, size // 4)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = cost(name, size)
    exponent = math.log(found.total / max(early.total, 1e-6), 4) if found.total > SHORT else 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    steps = f"{found.load:7.2f}{found.split:7.2f}{found.measure:7.2f}{found.render:7.2f}"
    print(
        f"{name:<22}{steps}{peak / 1024:7.0f} MB (+{(peak - before) / 1024:.0f}) ^{exponent:4.1f}  {found.refused}",
        flush=True,
    )


def main(words: Sequence[str] | None = None) -> None:
    """Print what the worst cases cost, each in a process of its own that is killed after a minute."""
    parser = argparse.ArgumentParser(prog="python -m tests.loading.worst_cases")
    parser.add_argument("names", nargs="*", default=list(WORST), metavar="NAME")
    parser.add_argument("--size", type=int, default=MIB, help="bytes")
    arguments = parser.parse_args(words)
    print(f"{'':<22}   load  split measure render  memory")
    context = multiprocessing.get_context("fork")
    for name in arguments.names:
        cost(name, 1_000)  # so that what is imported and compiled once is not measured
    for name in arguments.names:
        process = context.Process(target=_report, args=(name, arguments.size, 4 * 2**30))
        process.start()
        process.join()
        if process.exitcode:
            print(f"{name:<22} ended with {process.exitcode}", flush=True)


if __name__ == "__main__":
    main()
