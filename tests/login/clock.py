"""A server whose clock a test can put forward, so that nobody waits for the end of a log-in.

As a module that is run, ``python -m tests.login.clock FILE run app.py``, it is Streamlit with the clock of a file.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Clock:
    """The clock of a server.

    Attributes:
        file: how many seconds it is fast.
    """

    file: Path

    def put_forward(self, seconds: float) -> None:
        """Let it be so many seconds fast."""
        made = self.file.with_suffix(".new")
        made.write_text(str(seconds))
        made.replace(self.file)  # so that the server never reads half of it

    def serve(self) -> None:
        """Run Streamlit's command line by this clock."""
        right = time.time
        time.time = lambda: right() + float(self.file.read_text())
        from streamlit.web import cli  # after that: whoever imports the function by name has this one

        cli.main()


if __name__ == "__main__":
    Clock(Path(sys.argv.pop(1))).serve()
