"""Strategies: named ways to divide a document, and the one-line notation of a strategy with its parameters."""

from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.registry import REGISTRY, describe, get, parameters, preset, run
from chunking.strategies.setting import Setting, parse, parse_all, parse_named

__all__ = [
    "REGISTRY",
    "Segmentation",
    "Setting",
    "Strategy",
    "describe",
    "get",
    "parameters",
    "parse",
    "parse_all",
    "parse_named",
    "preset",
    "run",
]
