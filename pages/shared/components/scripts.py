"""One script out of the ES modules of a component.

Streamlit takes the script of a component as one string, which cannot import other files. The modules are therefore
joined: each once, after the modules it imports, without its ``import`` lines and ``export`` words. Names at the top
level of modules must differ, which a test checks for every component.
"""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async function|function|class|const|let)", re.MULTILINE)


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
            add((module.parent / imported).resolve())
        parts.append(_EXPORT.sub("", _IMPORT.sub("", source)))

    add(path.resolve())
    return "\n".join(parts)
