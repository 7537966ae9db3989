"""Makes the reader of Markdown take for ever for a text that begins with ``never-ends``, in a server of a test.

Python imports this module where its folder is in ``PYTHONPATH``: in the server, and in all that it starts. The reader
then is where a pattern of exponential time would hold it. So that the test need not wait long, calls have little time.
"""

import re
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PROCESSOR_SECONDS = 2


def hold(module: Any) -> None:
    """Replace what finds the blocks of Markdown."""
    blocks = module.blocks

    def held(text: str) -> Any:
        if text.startswith("never-ends"):
            re.fullmatch("(a|a)*b", "a" * 64)
        return blocks(text)

    module.blocks = held


def hasten(module: Any) -> None:
    """Give calls little time of the processor."""
    module.USUAL = module.Limits(cpu=PROCESSOR_SECONDS)


CHANGES = {"chunking.loading.text.markdown": hold, "chunking.isolation.calls": hasten}


class Changing(MetaPathFinder):
    """Changes modules after they were executed."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the module's own, whose loader changes it at last."""
        spec = PathFinder.find_spec(name, path, target) if name in CHANGES else None
        if spec and spec.loader:
            spec.loader = _Changed(spec.loader)
        return spec


class _Changed(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        CHANGES[module.__name__](module)


sys.meta_path.insert(0, Changing())
