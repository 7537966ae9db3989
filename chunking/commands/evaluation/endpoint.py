"""The options of a chat model behind an endpoint, and the question whether to send anything there."""

from __future__ import annotations

import argparse
import os
import sys

from chunking.commands.options import add_options, option
from chunking.embedding.openai_client import make_endpoint
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.chat import ChatModel

_PRICE = "what a million tokens costs that are sent, and that are received if they cost more, for the estimate"


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the options of the endpoint and of its model, both required."""
    parser.add_argument(
        "--endpoint",
        required=True,
        metavar="URL",
        help="address with OpenAI's protocol, such as http://localhost:11434/v1 (Ollama, llama.cpp, vLLM, …), to which "
        "passages of the documents are sent; its key, if it needs one, is in OPENAI_API_KEY",
    )
    parser.add_argument("--model", required=True, metavar="NAME", help="the model's name at the endpoint")


def add_consent(parser: argparse.ArgumentParser) -> None:
    """Add the options of the estimate, and of sending without a question."""
    add_options(
        parser,
        option("--price", metavar="RATE[,RATE]", type=_price, help=_PRICE),
        option("--yes", help="send without a question"),
    )


def _price(text: str) -> tuple[float, float]:
    rates = [float(rate) for rate in text.split(",")]
    if not 1 <= len(rates) <= 2 or not all(0 <= rate < float("inf") for rate in rates):
        raise argparse.ArgumentTypeError(f"{text!r:.40} is not one or two prices")
    return rates[0], rates[-1]


def chat_model(options: argparse.Namespace) -> ChatModel:
    """Return the model that the options name.

    Raises:
        ChunkscopeError: its address, key or name is invalid.
    """
    key = os.environ.get("OPENAI_API_KEY", "")
    return ChatModel(make_endpoint(options.endpoint, key, "endpoint", "--endpoint"), options.model)


def location(model: ChatModel) -> str:
    """Return the model and where texts are sent for it, in words."""
    where = "in your own network" if model.where.is_local else "on the internet"
    return f"{model.name} at {model.where.host}, {where}"


def cost(options: argparse.Namespace, sent: int, received: int) -> str:
    """Return the price of tokens as the end of a phrase; empty where no rate was given."""
    if options.price is None:
        return ""
    rate_sent, rate_received = options.price
    return f", about {(rate_sent * sent + rate_received * received) / 1e6:,.4f} at this price"


def confirmed(options: argparse.Namespace) -> bool:
    """Return whether to send: with ``--yes``, or if the user agrees at a terminal.

    Raises:
        ChunkscopeError: there is no terminal.
    """
    if options.yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ChunkscopeError("Passages of the documents would be sent, and nobody can be asked.", "Give --yes.")
    print("Send? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
