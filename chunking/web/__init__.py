"""The scripts that compute in a browser what Python computes here, for the app and for files that need no server.

They are ES modules. The app serves them as they are; a self-contained file has no other files to import, so that the
modules are joined for it: each once, after the modules it imports, without its ``import`` lines and ``export`` words.
Names at the top level of joined modules must differ, which a test checks.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from chunking.runtime.patterns import compile_pattern

FOLDER = Path(__file__).parent
"""Where the shared modules are."""

_IMPORT = compile_pattern(r'^(?:import|export) \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_COMMENT = compile_pattern(r"/\*\* [^*\n]*\*/ ?")
_EXPORT = compile_pattern(r"^export (?=async function|function|class|const|let)", re.MULTILINE)


def with_imports(path: str, read: Callable[[str], str]) -> dict[str, str]:
    """Return the sources of a module and all that it imports, by path, each after those that it imports itself.

    Args:
        path: of the module, with slashes.
        read: returns the source at a path.
    """
    sources: dict[str, str] = {}
    entered: set[str] = set()

    def enter(module: str) -> None:
        if module in entered:
            return
        entered.add(module)
        source = read(module)
        for imported in _IMPORT.findall(source):
            enter(posixpath.normpath(posixpath.join(posixpath.dirname(module), imported)))
        sources[module] = source

    enter(path)
    return sources


def joined_script(path: Path) -> str:
    """Return one ES module that holds a module and all that it imports, without comments but those behind ``//``
    at the end of a line.
    """
    sources = with_imports(path.resolve().as_posix(), lambda name: Path(name).read_text(encoding="utf-8"))
    return "".join(_without_comments(_EXPORT.sub("", _IMPORT.sub("", source))) for source in sources.values())


def _without_comments(source: str) -> str:
    lines: list[str] = []
    is_comment = False
    for line in source.splitlines(keepends=True):
        code = line.strip()
        # A line may go on with code behind a comment.
        is_comment = is_comment or (code.startswith("/**") and code.find("*/") in (-1, len(code) - 2))
        if not is_comment and not code.startswith("//"):
            lines.append(_COMMENT.sub("", line))
        is_comment = is_comment and not code.endswith("*/")
    return "".join(lines)
