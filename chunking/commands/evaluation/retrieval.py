"""The command ``evaluate retrieval``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from chunking import embedding
from chunking.commands import several
from chunking.commands.options import (
    MODELS,
    SPLITTER,
    add_options,
    config,
    formats,
    option,
    print_summary,
    print_unused,
    progress,
)
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import files, is_archive
from chunking.report import html
from chunking.retrieval.evaluate import RetrievalOptions, evaluate, uses_encoder
from chunking.retrieval.measures import BUDGETS, Cutoffs
from chunking.retrieval.questions import folders, own
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import report, table
from chunking.retrieval.reports.results import RANKS
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search.index import AT_ONCE, CHOICES, Choice
from chunking.retrieval.search.ranking import METHODS, Method
from chunking.retrieval.search.reranking import TOP, Reranking
from chunking.settings import SettingsFile
from chunking.strategies import Setting
from chunking.strategies.context import ContextParameters
from chunking.workspace import Models

_STRATEGIES = (
    "strategies, as in 'compare', each with what is embedded and returned for a chunk: "
    + "; ".join(f"{parameter.name}={'|'.join(parameter.choices) or 'N'}" for parameter in ContextParameters.describe())
    + ", as in 'structural:alpha=0.3;embed=headings;return=parent'. embed=late reads windows of the encoder's limit, "
    "which is 256 tokens of all-MiniLM-L6-v2. The context budget counts what is returned"
)

_QUESTIONS = (
    "questions with spans on the documents of FOLDER, such as 'questions proxies' and 'questions generate' write; "
    "those in FOLDER are not used"
)


def add_retrieval(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``evaluate retrieval``."""
    add_data(parser)
    add_search(parser)
    add_reranking(parser)
    parser.add_argument(
        "--index",
        choices=CHOICES,
        default="auto",
        help="dense search: compare every passage (exact), or only those that a vector index selects, with its recall "
        "measured. 'auto' uses the index "
        f"from {AT_ONCE.passages:,} passages and {AT_ONCE.questions:,} questions",
    )
    parser.add_argument(
        "--rank",
        choices=RANKS,
        default="measure",
        help="order of the rows: by the main measure, or by one score of sizes and retrieval",
    )
    add_options(parser, formats("json", "table"), "--report", *MODELS, *SPLITTER, "--config")
    parser.set_defaults(command=_evaluate_retrieval)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the options of the question set and of the strategies."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=f"or ZIP, with {', or '.join(folders.LAYOUTS)}")
    add_options(parser, option("--strategies", help=_STRATEGIES), "-p")
    add_options(parser, option("--questions", help=_QUESTIONS))


def add_reranking(parser: argparse.ArgumentParser) -> None:
    """Add the options of a second stage after every search."""
    parser.add_argument(
        "--rerank",
        metavar="NAME",
        help="let a cross-encoder of sentence-transformers read each question with the first passages, and order them: "
        "its folder, or its name in the Hugging Face cache; nothing is downloaded. It takes about as long as embedding "
        "the passages anew for every question",
    )
    parser.add_argument(
        "--rerank-top", type=int, metavar="N", help=f"passages of each ranking that are reranked, {TOP} if absent"
    )


def add_search(parser: argparse.ArgumentParser) -> None:
    """Add the options of a search and of its judgements."""
    parser.add_argument("--retriever", default="dense", metavar="A,B,…", help=f"ways to search: {', '.join(METHODS)}")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--top-k", type=int, default=10, metavar="K", help="evaluate the first K passages of each ranking"
    )
    group.add_argument(
        "--budget",
        type=int,
        metavar="TOKENS",
        help="evaluate as many passages as fit into TOKENS (span judgements only)",
    )
    parser.add_argument("--split", metavar="NAME", help="judgements to use: 'test' for qrels/test.tsv")


def search_options(options: argparse.Namespace, tools: Models, index: Choice = "auto") -> RetrievalOptions:
    """Return the search that the options of :func:`add_search` describe."""
    cutoffs = Cutoffs(options.top_k, (options.budget,) if options.budget else BUDGETS)
    return RetrievalOptions(methods(options.retriever), cutoffs, tools, index)


def _evaluate_retrieval(options: argparse.Namespace) -> None:
    file = config(options)
    settings = several.settings(options.strategies, file, options.params, retrieval=True)
    print_unused(file, ("splitter",))
    if options.report:
        html.check_path(options.report)
    questions = read_questions(options)
    if options.budget and questions.truth == "documents":
        raise ChunkscopeError(
            "Judged documents have no recall within a number of tokens.", "Give --top-k, or a set with spans."
        )
    search = with_models(options, file, settings, search_options(options, Models(), options.index))
    with progress() as tell:
        evaluated = evaluate(questions, settings, search, default_cache(), tell)
        summary = summarize(evaluated, rank=options.rank, tell=tell)
    print_summary(options, summary, table.text)
    if options.report:
        html.write(options.report, report.page(summary, options.line, report.words(questions)))


def read_questions(options: argparse.Namespace) -> QuestionSet:
    """Return the question set that the options of :func:`add_data` name.

    Raises:
        ChunkscopeError: options contradict each other, or there is no such set.
    """
    if not options.questions:
        return question_set(options.folder, options.split)
    if options.split:
        raise ChunkscopeError("--split names judgements of FOLDER, and --questions replaces them.", "Give one of them.")
    return own.on_folder(options.folder, files.read(options.questions), options.questions.name)


def with_models(
    options: argparse.Namespace, file: SettingsFile, settings: Mapping[str, Setting], search: RetrievalOptions
) -> RetrievalOptions:
    """Return a search with the models of the options and of a settings file, and with their reranker.

    Raises:
        ChunkscopeError: a model would not be used.
    """
    counts = embedding.counts_as(file.tools.tokenizer, file.tools.retrieval_encoder)
    _refuse_unused(options.encoder, counts or uses_encoder(settings.values(), search.methods))
    if options.rerank_top is not None and options.rerank is None:
        raise ChunkscopeError("--rerank-top has no effect without --rerank.", "Name a cross-encoder, or leave it out.")
    top = TOP if options.rerank_top is None else options.rerank_top
    return replace(search, tools=file.tools, rerank=Reranking(options.rerank, top) if options.rerank else None)


def _refuse_unused(encoder: str | None, used: bool) -> None:
    """Refuse an encoder of the command line that is unknown, or that nothing would use; a settings file may name one.

    Raises:
        ChunkscopeError: it is one of these.
    """
    if encoder is None:
        return
    embedding.get_encoder(encoder)
    if not used:
        raise ChunkscopeError(
            f"The encoder {encoder!r:.120} would not be used: BM25 compares words, and no strategy here needs vectors.",
            "Leave --encoder out, or add dense or hybrid to --retriever.",
        )


def question_set(path: Path, split: str | None) -> QuestionSet:
    """Read the set of a folder, or of an archive of one."""
    if not path.is_file() or not is_archive(data := files.read(path), path.name):
        return folders.read(path, split)
    return own.of_files({path.name: data}, path.name, split)


def methods(line: str) -> tuple[Method, ...]:
    """Return the ways to search that a line names."""
    names = tuple(dict.fromkeys(name.strip() for name in line.split(",") if name.strip()))
    return names  # type: ignore[return-value]  # Options refuses what is none
