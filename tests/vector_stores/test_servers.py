"""Stores that run as servers: Chroma's own, and one that answers as Qdrant does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.command_line import run
from tests.servers import serving
from tests.store.databases import free_port

FAST = ("--strategy", "heading", "--splitter", "rules", "--encoder", "static")


@pytest.fixture
def chroma(tmp_path: Path) -> Iterator[str]:
    """The address of a Chroma server."""
    program, port = Path(sys.executable).with_name("chroma"), free_port()
    command = [str(program), "run", "--path", str(tmp_path / "server"), "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "false"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as server:
        try:
            assert server.stdout
            lines = iter(server.stdout.readline, "")
            assert any("listening" in line for line in lines)
            yield f"chroma+http://127.0.0.1:{port}"
        finally:
            server.kill()


def test_a_server_of_chroma_is_written_and_audited(
    capsys: pytest.CaptureFixture[str], folder: Path, chroma: str
) -> None:
    words = ("--collection", "chunks")
    for expected in ("0 unchanged: 6 chunks embedded", "3 unchanged: 0 chunks embedded"):
        code, out, error = run(capsys, "push", "docs", "--to", chroma, *words, *FAST)
        assert code == 0 and expected in out, (out, error)
    code, out, error = run(capsys, "audit-store", "docs", "--from", chroma, *words, "--json")
    assert code == 0 and json.loads(out)["chunks"] == 6, error


def test_a_key_is_sent_to_a_server_of_qdrant_and_never_shown(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[tuple[str, str]] = []

    async def answer(scope: dict[str, Any], receive: object, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        if scope["type"] != "http":
            return
        requests.append((scope["path"], dict(scope["headers"]).get(b"api-key", b"").decode()))
        is_lookup = scope["path"].endswith("/exists")
        body = {"result": {"exists": False}} if is_lookup else {"status": {"error": "Wrong input: no room"}}
        head = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200 if is_lookup else 400, "headers": head})
        await send({"type": "http.response.body", "body": json.dumps(body | {"time": 0.0}).encode()})

    monkeypatch.setenv("QDRANT_API_KEY", "s3cret")
    with serving(uvicorn.Config(answer, log_level="error", lifespan="off")) as port:
        words = ("--to", f"qdrant+http://127.0.0.1:{port}/prefix", "--collection", "chunks", *FAST)
        code, out, error = run(capsys, "push", "docs", *words, "--dry-run")
        assert code == 0 and "6 chunks to be embedded" in out, error
        assert set(requests) == {("/prefix/collections/chunks/exists", "s3cret")}
        code, out, error = run(capsys, "push", "docs", *words)
    assert (code, out) == (2, "")
    assert "no room" in error and "s3cret" not in error and error.count("\n") == 1
