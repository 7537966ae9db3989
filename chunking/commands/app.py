"""The command that opens the app."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec

from chunking import installation
from chunking.errors import ChunkscopeError


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
    words = [sys.executable, "-P", "-m", "streamlit", "run", str(script), *options.rest]
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execv(sys.executable, words)
