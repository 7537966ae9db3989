"""The command that opens the app."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec

from chunking import installation
from chunking.errors import ChunkscopeError

STREAMLIT = (
    "import runpy, sys\nsys.modules['uvloop'] = None\n"  # which Streamlit would take
    "runpy.run_module('streamlit', run_name='__main__', alter_sys=True)"
)
"""The program that runs Streamlit on Python's own event loop. Streamlit takes uvloop wherever another package brings it
(a client of Chroma does); on it, going back in the browser while a control is moved left the old document open in 4 of
14 tries on a busy machine, on Python's own in none of 8."""


def add_app(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``app``: those of Streamlit, which it is given."""
    parser.usage = "%(prog)s [OPTION…]"
    parser.description = "Open the app in a browser. Options are those of `streamlit run`, such as --server.port=8600."
    parser.set_defaults(command=_app, takes_rest=True)


def _app(options: argparse.Namespace) -> None:
    if find_spec("streamlit") is None:
        command = installation.install_command("app")
        raise ChunkscopeError("The app needs streamlit, which is not installed.", f"Install it: {command}.")
    script = installation.app_folder() / "app.py"
    # -P: a file of the folder that one happens to be in must not take the place of a module.
    words = [sys.executable, "-P", "-c", STREAMLIT, "run", str(script), *options.rest]
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execv(sys.executable, words)
