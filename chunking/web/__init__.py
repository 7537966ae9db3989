"""The scripts that compute in a browser what Python computes here, for the app and for files that need no server.

Streamlit takes the script of a component as one string, and a self-contained file has no other files to import. The
ES modules are therefore joined: each once, after the modules it imports, without its ``import`` lines and ``export``
words. Names at the top level of modules must differ, which a test checks for every script.
"""

from __future__ import annotations

import re
from pathlib import Path

from chunking.runtime.patterns import compile_pattern

FOLDER = Path(__file__).parent
"""Where the shared modules are."""

_IMPORT = compile_pattern(r'^(?:import|export) \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = compile_pattern(r"^export (?=async function|function|class|const|let)", re.MULTILINE)
_SHARED = compile_pattern(r"^(?:\.\./)+chunking/web/(?=.)")


def joined_script(path: Path) -> str:
    """Return one ES module that holds a module and all that it imports."""
    parts: list[str] = []
    seen: set[Path] = set()

    def add(module: Path) -> None:
        if module in seen:
            return
        seen.add(module)
        source = module.read_text(encoding="utf-8")
        for imported in _IMPORT.findall(source):
            add(_resolved(module, imported))
        parts.append(_EXPORT.sub("", _IMPORT.sub("", source)))

    add(path.resolve())
    return "\n".join(parts)


def _resolved(module: Path, imported: str) -> Path:
    """Return the file that a module imports. The app and the library lie apart once they are installed."""
    shared = _SHARED.sub("", imported)
    return (FOLDER / shared if shared != imported else module.parent / imported).resolve()
