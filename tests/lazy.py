"""Modules that are imported once a test uses them: what a test module imports is paid whenever tests are collected."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest


class LazyModule:
    """A module that is imported when an attribute of it is first read.

    Where it is not installed and a reason is given, the test that reads the attribute is skipped.
    """

    def __init__(self, name: str, skip_reason: str = "") -> None:
        self._name, self._skip_reason = name, skip_reason

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest asks all that a test module holds for names like __test__
            raise AttributeError(attribute)
        if self._skip_reason:
            return getattr(pytest.importorskip(self._name, reason=self._skip_reason), attribute)
        return getattr(import_module(self._name), attribute)
