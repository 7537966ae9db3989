"""The server's log as JSON, without any text of documents.

With ``CHUNKSCOPE_LOG=json`` each line is an object: time, level, logger, message, and where known the page, the session
and the duration. A message is the text in our source code with its numbers; words that it is given are left out, since
they may come from a document. So are the messages of exceptions, and all messages of other libraries: of both the log
says the kind and the place in the source code.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import streamlit.logger
from streamlit import config
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunking.runtime.log_fields import FIELDS, fields

SETTING = "CHUNKSCOPE_LOG"
"""The environment variable that makes each line of the log a JSON object, by the value ``json``."""

_OWN = ("chunking", "pages")
_TRUSTED = (*_OWN, "streamlit", "uvicorn")
"""Loggers whose messages, without the words that they are given, quote no document."""

_KEY = secrets.token_bytes(16)
_FOLDERS = sorted({Path(folder or ".").resolve().as_posix() for folder in sys.path}, key=len, reverse=True)
_MOST_FRAMES = 30


def configure() -> None:
    """Make every line of the log a JSON object if the setting says so; to be called again is harmless."""
    if os.environ.get(SETTING, "") != "json":
        return
    # Streamlit gives each of its loggers a handler of its own, also to those that it makes later.
    streamlit.logger.setup_formatter = _set_formatter
    # Where the package rich is installed, errors are printed with their words and never logged.
    config.set_option("logger.enableRich", False)
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
    loggers = [root, *(logger for logger in root.manager.loggerDict.values() if isinstance(logger, logging.Logger))]
    for handler in {handler for logger in loggers for handler in logger.handlers}:
        if isinstance(handler, logging.StreamHandler):
            handler.setFormatter(JsonFormatter())
    for name in _OWN:
        logging.getLogger(name).setLevel(logging.INFO)
    warnings.showwarning = _log_warning
    sys.excepthook = _log_uncaught
    sys.unraisablehook = lambda uncaught: _log_uncaught(uncaught.exc_type, uncaught.exc_value, uncaught.exc_traceback)
    threading.excepthook = lambda uncaught: _log_uncaught(uncaught.exc_type, uncaught.exc_value, uncaught.exc_traceback)


def _set_formatter(logger: logging.Logger) -> None:
    """Take the place of Streamlit's function: one handler on the console for a logger, which writes JSON."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    json_handler = logging.StreamHandler()
    json_handler.setFormatter(JsonFormatter())
    logger.addHandler(json_handler)


class JsonFormatter(logging.Formatter):
    """Writes a record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
            **_session(),
            **getattr(record, FIELDS, {}),
        }
        error = record.exc_info[1] if record.exc_info else record.msg
        if isinstance(error, BaseException):
            line["error"] = _described(error)
        return json.dumps(line)


def _message(record: logging.LogRecord) -> str:
    """Return the message of a record without the words that it was given, or the place that it came from."""
    if not isinstance(record.msg, str) or record.name.split(".")[0] not in _TRUSTED:
        return f"{record.levelname.lower()} at {_place(record.pathname, record.lineno, record.funcName or '')}"
    arguments = record.args
    try:
        if isinstance(arguments, Mapping):
            return record.msg % {name: _masked(value) for name, value in arguments.items()}
        return record.msg % tuple(map(_masked, arguments)) if arguments else record.msg
    except (TypeError, ValueError, KeyError):
        return record.msg  # a number is wanted where a word was given


class _Word:
    """Stands for a word that is left out."""

    def __str__(self) -> str:
        return "…"

    __repr__ = __str__


def _masked(value: object) -> object:
    return value if isinstance(value, bool | int | float) else _Word()


def _session() -> dict[str, str]:
    """Return page and session of this thread; a digest names the session, and no other start of the server makes it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return {}
    digest = hashlib.blake2b(context.session_id.encode(), digest_size=6, key=_KEY).hexdigest()
    return {"session": digest, "page": page()}


def page() -> str:
    """Return the page that the running session shows; empty outside a session and before its first page is known."""
    context = get_script_run_ctx(suppress_warning=True)
    entry = context.pages_manager.get_pages().get(context.page_script_hash) if context else None
    return Path(entry["script_path"]).stem if entry else ""


def _described(error: BaseException) -> dict[str, Any]:
    """Return the kind of an error, the way to it, and what caused it; its message may quote a document."""
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    description: dict[str, Any] = {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        "at": [_place(frame.filename, frame.lineno or 0, frame.name) for frame in frames],
    }
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        description["cause"] = _described(before)
    return description


def origin(error: BaseException) -> str:
    """Return where an error was raised; empty for one that was not."""
    frames = traceback.extract_tb(error.__traceback__)
    return _place(frames[-1].filename, frames[-1].lineno or 0, frames[-1].name) if frames else ""


def _place(file: str, line: int, function: str) -> str:
    """Return a place in the source code, without the folder that it is installed in."""
    path = Path(file).as_posix()
    for folder in _FOLDERS:
        if path.startswith(f"{folder}/"):
            path = path.removeprefix(f"{folder}/")
            break
    return f"{path}:{line} {function}".strip()


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    about = fields(category=category.__name__, at=_place(filename, lineno, ""))
    logging.getLogger("pages.warnings").warning("A warning of Python.", extra=about)


def _log_uncaught(kind: type[BaseException], error: BaseException | None, trace: types.TracebackType | None) -> None:
    raised = error or kind()
    logging.getLogger("pages.errors").error("An error ended a thread.", exc_info=(kind, raised, trace))
