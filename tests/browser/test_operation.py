"""What the operator of a running server reads: measurements, and a log in which no text of a document is."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.browser.conftest import Visit
from tests.browser.server import complete, serve, serve_source, settled
from tests.browser.test_harm import bring, opened, payload

TOKEN = "0123456789abcdef"
WORDS = "Zanzibar quokkas juggle"
"""Words of a document that nothing else says."""


def metrics(address: str, token: str = TOKEN) -> str:
    request = urllib.request.Request(f"{address}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def measured(address: str, token: str = TOKEN) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(metrics(address, token))
    return {
        (each.name, *(value for _, value in sorted(each.labels.items()))): each.value
        for family in families
        for each in family.samples
    }


def lines(log: Path) -> list[dict[str, Any]]:
    """The log, without the lines that Streamlit prints for who starts it at a terminal."""
    return [json.loads(line) for line in log.read_text().splitlines() if line and not line.startswith("  ")]


def test_a_server_is_measured_and_its_log_has_no_text(
    visit: Visit, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_METRICS_TOKEN", TOKEN)
    monkeypatch.setenv("CHUNKSCOPE_LOG", "json")
    with serve(tmp_path) as server:
        page = visit("/", at=server.address)
        bring(
            page, payload("quokkas.md", f"# Island\n\n{WORDS} at noon. They rest.\n\n# Sea\n\nShips pass. They go.\n")
        )
        opened(page, WORDS)
        bring(page, payload("quokkas.docx", WORDS))
        page.locator(".cs-problem").first.wait_for(timeout=60_000)
        visit("/compare", at=server.address, ready=complete)
        found = measured(server.address)
        served = set(re.findall(r"^# TYPE (\w+)", metrics(server.address), re.MULTILINE))
        for wrong in ("", "fedcba9876543210"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                measured(server.address, wrong)
            assert refused.value.code == 401
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.address}/_stcore/metrics", timeout=30)
    page_for_operators = (root / "docs" / "deploy.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`((?:streamlit|chunkscope|process)_\w+)", page_for_operators))
    assert documented <= served
    assert {name for name in served if not name.startswith("process_")} <= documented
    assert found["chunkscope_script_run_seconds_count", "done", "inspect"] >= 3
    assert found["chunkscope_script_run_seconds_count", "done", "compare"] >= 1
    assert found["chunkscope_errors_shown_total", "problem"] >= 1
    assert found["chunkscope_errors_shown_total", "internal"] == 0
    assert found["streamlit_active_sessions",] == 2
    assert found["chunkscope_cache_lookups_total", "segmentations", "miss"] > 0
    (log,) = tmp_path.glob("server-*.log")
    said = lines(log)
    runs = [each for each in said if each["message"] == "A page ran."]
    assert {"inspect", "compare"} <= {each["page"] for each in runs}
    assert len({each["session"] for each in runs}) == 2
    assert all(0 < each["seconds"] < 60 for each in runs)
    problems = [each for each in said if each["message"] == "A problem was shown."]
    assert problems and all(each["at"].startswith("chunking/") for each in problems)
    assert "quokkas" not in log.read_text()


FAILING = """
import streamlit as st
st.text("Before it.")
if "json" in st.query_params:
    from pages.shared.server import logs
    logs.configure()
def read(text):
    return int(text)
read({words!r})
"""


def test_a_page_that_fails_shows_nothing_of_the_inside_and_a_log_in_json_holds_no_words(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_LOG", "json")
    with serve_source(tmp_path, FAILING.format(words=WORDS)) as server:
        page = visit("/", at=server.address, ready=settled)
        page.get_by_text("Before it.").wait_for()
        page.get_by_test_id("stException").wait_for()
        shown = page.locator("body").inner_text()
        (log,) = tmp_path.glob("server-*.log")
        assert WORDS in log.read_text(), "it is for the log, where the app has not set that up"
        before = len(log.read_text())
        visit("/?json=1", at=server.address, ready=settled)
    for secret in (WORDS, "shown.py", "Traceback", "ValueError", str(tmp_path)):
        assert secret not in shown
    said = log.read_text()[before:]
    records = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    (error,) = (record["error"] for record in records if record["level"] == "ERROR")
    assert error["type"] == "builtins.ValueError" and error["at"][-1].endswith(" read")
    assert "quokkas" not in said
