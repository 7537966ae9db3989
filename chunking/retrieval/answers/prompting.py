"""The requests for an answer and for its judgement, and what identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from chunking.retrieval.prompts import Prompts, load_prompts

Prompt = tuple[str, str]
"""A system and a user prompt."""

_PROMPTS = Path(__file__).with_name("answer_prompts.toml")


def answer_prompts() -> Prompts:
    """Return the prompts by what they are for: ``answer`` and ``judge``."""
    return load_prompts(_PROMPTS)


def answer_prompt(question: str, passages: Sequence[str]) -> Prompt:
    """Return the request to answer a question from passages, the best first."""
    numbered = "\n\n".join(f"[{number}]\n{passage.strip()}" for number, passage in enumerate(passages, 1))
    return answer_prompts().fill("answer", question=question, passages=numbered)


def judge_prompt(question: str, reference: str, answer: str) -> Prompt:
    """Return the request to judge an answer by a reference."""
    return answer_prompts().fill("judge", question=question, reference=reference, answer=answer)


def request_key(prompt: Prompt) -> str:
    """Return what identifies a request to a model: 32 hex digits of the SHA-256 of its prompt."""
    return hashlib.sha256("\0".join(prompt).encode("utf-8", "backslashreplace")).hexdigest()[:32]
