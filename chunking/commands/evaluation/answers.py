"""The command ``evaluate answers``."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from chunking.commands import several
from chunking.commands.evaluation.endpoint import add_consent, add_model, chat_model, confirmed, cost, location
from chunking.commands.evaluation.retrieval import (
    add_data,
    add_reranking,
    add_search,
    methods,
    read_questions,
    with_models,
)
from chunking.commands.options import (
    MODELS,
    SOME_FAILED,
    SPLITTER,
    add_options,
    config,
    formats,
    option,
    print_notes,
    print_summary,
    print_unused,
    progress,
)
from chunking.embedding.vector_cache import default_cache
from chunking.retrieval.answers import table
from chunking.retrieval.answers.exchanges import Exchanges
from chunking.retrieval.answers.model_calls import ask_model
from chunking.retrieval.answers.plan import (
    AnswerCost,
    AnswerPlan,
    check_quotes,
    choose_questions,
    estimate_cost,
    plan_answers,
)
from chunking.retrieval.answers.summary import summarize_answers
from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.chat import ChatModel
from chunking.runtime.wording import plural

_BUDGET = 1000

_OUTPUT = (
    "what is sent and what comes back, JSON Lines, kept after every reply. The same command, or one with other "
    "strategies, continues the file: what it has is not sent again"
)


def add_answers(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``evaluate answers``."""
    add_data(parser)
    add_model(parser)
    add_options(
        parser,
        option("--output", metavar="FILE.jsonl", required=True, help=_OUTPUT),
        option("--number", help="questions, a random choice of them; all if absent"),
        option("--seed", help="of the choice of questions; 0 if absent"),
    )
    parser.add_argument(
        "--no-judge",
        action="store_true",
        help="let the words of an answer and of the quote decide whether it is right, without a request to the model",
    )
    add_consent(parser)
    add_search(parser)
    add_reranking(parser)
    add_options(parser, formats("json", "table"), *MODELS, *SPLITTER, "--config")
    parser.set_defaults(command=_evaluate_answers, top_k=None)


def _evaluate_answers(options: argparse.Namespace) -> int:
    model = chat_model(options)
    file = config(options)
    settings = several.settings(options.strategies, file, options.params, retrieval=True)
    print_unused(file, ("splitter",))
    questions = read_questions(options)
    check_quotes(questions)
    places = choose_questions(questions, options.number, options.seed)
    exchanges = Exchanges(options.output, model)
    within = _within(options)
    search = RetrievalOptions(methods(options.retriever), Cutoffs(within.passages, within.kept.budgets))
    search = with_models(options, file, settings, search)
    with progress() as tell:
        evaluated = evaluate(questions, settings, search, default_cache(), tell)
        plan = plan_answers(evaluated, within, places, judged=not options.no_judge, tell=tell)
    expected = estimate_cost(plan, exchanges)
    if expected.requests:
        print_notes(_estimate(options, plan, model, expected))
        if not confirmed(options):
            print_notes(["Nothing was sent."])
            return SOME_FAILED
    with progress() as tell:
        ask_model(plan, model, exchanges, datetime.now(UTC).date().isoformat(), tell)
    if expected.requests:
        print_notes([_sent(model)])
    print_summary(options, summarize_answers(plan, exchanges), table.text)
    return 0


def _within(options: argparse.Namespace) -> Cutoff:
    """Return what of a ranking is sent: so many passages or tokens, 1,000 tokens if the options say neither."""
    if options.top_k is not None:
        return Cutoff(options.top_k)
    return Cutoff(tokens=_BUDGET if options.budget is None else options.budget)


def _estimate(options: argparse.Namespace, plan: AnswerPlan, model: ChatModel, expected: AnswerCost) -> list[str]:
    """Return what is about to be sent, in words."""
    price = cost(options, expected.tokens_sent, expected.tokens_received)
    notes = [
        f"{plural(len(plan.questions), 'question')} with the passages of "
        f"{plural(len(plan.rows), 'strategy', 'strategies')} to {location(model)}: at most "
        f"{plural(expected.requests, 'request')}, about {expected.tokens_sent:,} tokens sent and "
        f"{expected.tokens_received:,} received{price}."
    ]
    if expected.kept:
        notes.append(f"{options.output} has {plural(expected.kept, 'reply', 'replies')} that are not requested again.")
    return notes


def _sent(model: ChatModel) -> str:
    counted = f", {model.tokens_sent:,} tokens sent and {model.tokens_received:,} received" if model.tokens_sent else ""
    return f"{plural(model.calls, 'request')}{counted}."
