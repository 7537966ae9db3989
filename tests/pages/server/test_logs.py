"""The log as JSON: what a line says, and that no text of a document gets into it by any way."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.runtime.log_fields import fields
from pages.shared.server import logs

SECRET = "\ue000the text of a document\ue000"
TEXTS = st.text(max_size=60).map(lambda text: f"\ue000{text}\ue000")
"""Texts that can be found again wherever they get into a line."""


def line(log: Callable[[logging.Logger], object], name: str = "chunking.test") -> dict[str, Any]:
    """What is written when something is logged; it must be one line of ASCII without the marks of a text."""
    out, logger = io.StringIO(), logging.Logger(name)
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.JsonFormatter())
    logger.addHandler(handler)
    log(logger)
    written = out.getvalue()
    assert written.count("\n") == 1 and written.endswith("\n") and written.isascii()
    assert "\\ue000" not in written
    found: dict[str, Any] = json.loads(written)
    return found


def raise_quoting(text: str) -> None:
    try:
        int(text)
    except ValueError as error:
        raise RuntimeError(f"{text} cannot be read") from error


def log_error(text: str) -> Callable[[logging.Logger], object]:
    def log(logger: logging.Logger) -> None:
        try:
            raise_quoting(text)
        except RuntimeError:
            logger.exception("%s failed at sentence %d", text, 7)

    return log


def test_a_line_has_its_time_level_logger_and_message() -> None:
    found = line(lambda logger: logger.warning("Too many: %d of %.1f", 3, 2.5))
    assert found.pop("time").endswith("+00:00")
    assert found == {"level": "WARNING", "logger": "chunking.test", "message": "Too many: 3 of 2.5"}


def test_a_line_has_the_fields_that_it_is_given() -> None:
    found = line(lambda logger: logger.info("A page ran.", extra=fields(seconds=0.25, outcome="done")))
    assert (found["seconds"], found["outcome"]) == (0.25, "done")


def test_words_are_left_out_of_messages() -> None:
    assert line(lambda logger: logger.info("%s has %d sentences", SECRET, 12))["message"] == "… has 12 sentences"
    assert line(lambda logger: logger.info("%(text)r", {"text": SECRET}))["message"] == "…"
    assert line(lambda logger: logger.info("%d sentences", SECRET))["message"] == "%d sentences"


def test_an_error_has_its_kind_and_place_and_cause_but_not_its_words() -> None:
    error = line(log_error(SECRET))["error"]
    assert error["type"] == "builtins.RuntimeError"
    assert error["at"][-1].startswith("tests/pages/server/test_logs.py:") and error["at"][-1].endswith("raise_quoting")
    assert error["cause"]["type"] == "builtins.ValueError"


def test_an_error_as_the_message() -> None:
    found = line(lambda logger: logger.warning(ValueError(SECRET)))
    assert found["error"]["type"] == "builtins.ValueError"


def test_other_libraries_are_not_quoted() -> None:
    found = line(lambda logger: logger.warning(f"discarding data: {SECRET}"), "trafilatura.core")
    assert found["message"].startswith("warning at tests/pages/server/test_logs.py:")
    assert "discarding" in line(lambda logger: logger.warning("discarding data"), "streamlit.web")["message"]


@given(TEXTS, st.sampled_from(("chunking.a", "pages.b", "streamlit.c", "uvicorn.error", "chunking_of_others", "lxml")))
def test_no_text_gets_into_a_line(text: str, name: str) -> None:
    line(log_error(text), name)
    line(lambda logger: logger.error("%s %r", text, {text: [text]}), name)
    if name in ("lxml", "chunking_of_others"):
        line(lambda logger: logger.error(text), name)


PROGRAM = """
import logging, sys, threading, warnings
from streamlit.logger import get_logger
before = get_logger("streamlit.before")
from pages.shared.server import logs
logs.configure()
text = chr(0xe000) + "the text of a document"
before.warning("Early: %s", text)
get_logger("streamlit.after").warning("Late: %s", text)
logging.getLogger("pages.own").info("Own: %s", text)
logging.getLogger("lxml").info(text)
logging.getLogger("lxml").warning(text)
warnings.warn(text)
def fail(): raise ValueError(text)
thread = threading.Thread(target=fail); thread.start(); thread.join()
class Bad:
    def __del__(self): fail()
Bad()
fail()
"""


def run(root: Path, setting: str) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=root,
        env={"PATH": "", "CHUNKSCOPE_LOG": setting},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert found.returncode == 1
    return found.stderr.splitlines()


def test_everything_that_a_process_says_is_json(root: Path) -> None:
    written = run(root, "json")
    found = [json.loads(each) for each in written]
    assert "\\ue000" not in "".join(written)
    assert [(each["logger"], each["message"][:8]) for each in found[:5]] == [
        ("streamlit.before", "Early: …"),
        ("streamlit.after", "Late: …"),
        ("pages.own", "Own: …"),
        ("lxml", "warning "),
        ("pages.warnings", "A warnin"),
    ]
    assert [each["error"]["type"] for each in found[5:]] == ["builtins.ValueError"] * 3


def test_without_the_setting_the_log_is_as_it_was(root: Path) -> None:
    written = run(root, "")
    assert any("the text of a document" in each for each in written)
    assert not any(each.startswith("{") for each in written)


def test_a_log_without_a_session_names_none() -> None:
    assert logs.page() == ""
    assert "session" not in line(lambda logger: logger.info("Nobody is here."))


def test_a_session_is_named_by_what_no_other_start_of_the_server_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    def named(session: str) -> str:
        pages = SimpleNamespace(get_pages=dict)
        context = SimpleNamespace(session_id=session, pages_manager=pages, page_script_hash="")
        monkeypatch.setattr(logs, "get_script_run_ctx", lambda suppress_warning: context)
        return str(line(lambda logger: logger.info("Somebody is here."))["session"])

    first = named("of Ada")
    assert named("of Ada") == first != named("of Ben")
    assert first != hashlib.blake2b(b"of Ada", digest_size=6).hexdigest()
    monkeypatch.setattr(logs, "_KEY", b"of another start")
    assert named("of Ada") != first


@pytest.mark.parametrize("error", [ValueError("a"), KeyError("b")])
def test_an_error_that_was_never_raised_has_no_origin(error: Exception) -> None:
    assert logs.origin(error) == ""
