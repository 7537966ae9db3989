"""Functions that make a strategy, a library or an alignment never end, in the process that calls them."""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from chunking import isolation
from chunking.isolation import Limits
from chunking.work import inputs, segmentations


def never_end(*_: Any, **__: Any) -> Any:
    """Match a pattern that takes exponential time."""
    re.fullmatch("(a|a)*b", "a" * 64)


def hold_recursive() -> None:
    """Replace what finds the separators of the strategy ``recursive``."""
    vars(import_module("chunking.strategies.recursive"))["_bounds"] = never_end


def hold_langchain() -> None:
    """Replace what cuts a text in the splitter of LangChain."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    RecursiveCharacterTextSplitter.split_text = never_end  # type: ignore[method-assign]


def hold_alignment() -> None:
    """Replace the index in which other programs' chunks are looked up."""
    vars(import_module("chunking.alignment.align"))["SourceIndex"] = never_end


def hold_references() -> None:
    """Replace what reads reference boundaries and chunks."""
    vars(import_module("chunking.reference.files"))["is_lines"] = never_end
    vars(import_module("chunking.alignment.uploads"))["decode"] = never_end


def hold_relocation() -> None:
    """Replace what finds the places of an older text again."""
    vars(import_module("chunking.review.exchange"))["relocate"] = never_end


def crash() -> None:
    """Replace what finds the separators of the strategy ``recursive`` by what a library in C may do."""
    vars(import_module("chunking.strategies.recursive"))["_bounds"] = lambda *_: ctypes.string_at(0)


HELD = {"recursive": "hold_recursive", "langchain_recursive": "hold_langchain"}
"""Functions that hold strategies, by strategy."""


def hold(monkeypatch: pytest.MonkeyPatch, function: str) -> list[str]:
    """Call a function of this module in each process, which has little time; return the targets of the calls."""
    run, targets = isolation.run, list[str]()

    def held(call: isolation.Call[Any], *arguments: Any) -> Any:
        targets.append(call.function.__name__)
        return run(replace(call, libraries=(*call.libraries, f"tests.work.endless:{function}")), *arguments)

    monkeypatch.setattr(isolation, "run", held)
    monkeypatch.setattr(segmentations, "LIMITS", Limits(cpu=1))
    monkeypatch.setattr(inputs, "LIMITS", Limits(cpu=1))
    return targets
