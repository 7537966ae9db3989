"""The command ``check``: doubtful chunks of documents, for people and for continuous integration."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from chunking.checks import baseline, rules
from chunking.checks.baseline import Baseline
from chunking.checks.places import FilePlaces
from chunking.checks.reports import FORMATS, CheckedDocument, CheckRun
from chunking.commands.options import (
    READING,
    STRATEGY,
    add_options,
    config,
    cut,
    each_document,
    formats,
    option,
    print_failures,
    setting,
    write,
)
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.runtime import atomic
from chunking.runtime.wording import plural
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis

FOUND = 1
"""Exit code where a rule of ``--fail-on`` is broken."""


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``check``."""
    add_options(parser, "files", *READING, "-p", *STRATEGY)
    levels, names = ", ".join(reversed(rules.LEVELS)), ", ".join(rules.RULES)
    conditions = f"exit with {FOUND} if one of these rules is broken, or one of this level or above: {levels}; {names}"
    add_options(parser, option("--fail-on", help=conditions))
    parser.add_argument(
        "--rules",
        default="",
        metavar="RULE,…",
        help="look at these rules only; without mixed-topics and over-encoder-limit no encoder is needed",
    )
    parser.add_argument(
        "--over",
        type=int,
        metavar="TOKENS",
        help="tokens of a chunk from which it is over-maximum; the setting's if absent",
    )
    parser.add_argument(
        "--under",
        type=int,
        metavar="TOKENS",
        help="tokens of a chunk below which it is under-minimum; the setting's if absent",
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="violations that are accepted: a check reports and fails for new ones alone",
    )
    parser.add_argument(
        "--update-baseline", action="store_true", help="accept all present violations: write them to --baseline"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="report only what --fail-on fails for; as text, nothing where nothing does"
    )
    add_options(parser, formats(*FORMATS), "--output")
    parser.set_defaults(command=_check)


def _check(options: argparse.Namespace) -> int:
    if options.update_baseline and not options.baseline:
        raise ChunkscopeError("--update-baseline writes a file.", "Give it as well: --baseline FILE.")
    file = config(options)
    accepted = _baseline(options)
    strategy_setting = setting(options, file)
    failing = rules.failing_rules(_names(options.fail_on))
    selected = rules.chosen_rules(_names([options.rules]))
    limits = rules.Limits(options.over, options.under)
    failures: list[ChunkscopeError] = []

    def check(path: Path, document: DocumentAnalysis) -> CheckedDocument:
        return _check_document(path, document, strategy_setting, selected, limits)

    checked = tuple(each_document(options, file, failures, check))
    run = CheckRun(checked, selected, failing)
    if options.update_baseline:
        accepted = accepted.updated(run)
        with atomic.replacing(options.baseline) as output:
            output.write(baseline.as_json(accepted))
    if gone := accepted.gone(run):
        print(f"check: {plural(gone, 'accepted violation')} gone; --update-baseline forgets them", file=sys.stderr)
    run = accepted.new(run)
    if options.quiet:
        run = run.failures()
    if run.failed or not (options.quiet and options.format in ("text", "table")):
        write(options, FORMATS[options.format](run))
    code = print_failures(failures)
    return FOUND if run.failed else code


def _baseline(options: argparse.Namespace) -> Baseline:
    """Return the violations that are accepted: none without a file, or before the first one is written."""
    if not options.baseline or (options.update_baseline and not options.baseline.exists()):
        return Baseline()
    return baseline.read(files.read(options.baseline), options.baseline.name)


def _names(texts: Sequence[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _check_document(
    path: Path,
    workspace: DocumentAnalysis,
    strategy_setting: Setting,
    selected: Sequence[rules.Rule],
    limits: rules.Limits,
) -> CheckedDocument:
    segmentation = cut(workspace, strategy_setting, f"{path}: ")[0]
    report = rules.violations(segmentation, workspace, selected, limits)
    places = FilePlaces(workspace.document)
    violations = tuple((violation, places.at(violation.offset)) for violation in report.violations)
    return CheckedDocument(path.as_posix(), violations, report.findings, report.unseen)
