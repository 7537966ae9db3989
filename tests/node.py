"""Node.js, which runs the product's scripts for the tests as a browser would."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Ask = Callable[..., dict[str, Any]]

_ANSWERS = Path(__file__).parent / "js" / "answer.js"


@contextmanager
def answering(node: str) -> Iterator[Ask]:
    """Ask one running Node.js what the browser makes of something.

    Args:
        node: the path of Node.js.
    """
    with subprocess.Popen(
        [node, str(_ANSWERS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdin and process.stdout
        questions, answers = process.stdin, process.stdout

        def ask(name: str, **values: Any) -> dict[str, Any]:
            questions.write(json.dumps({"name": name, **values}) + "\n")
            questions.flush()
            answer: dict[str, Any] = json.loads(answers.readline())
            return answer

        yield ask
        questions.close()
