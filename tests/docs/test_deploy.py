"""The page for operators: its numbers are those of the code, and its commands are commands."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from streamlit import config
from streamlit.web.server.starlette import starlette_server_config as streamlit_server

from chunking.__main__ import argument_parser
from chunking.alignment import uploads
from chunking.isolation import workers
from chunking.isolation.workers import USUAL_LIMITS
from chunking.jobs import fair_queue
from chunking.reference import files as reference_files
from chunking.runtime import disk_cache, structured
from chunking.settings import settings_file
from chunking.store import quotas
from pages.shared.frame import runs
from pages.shared.server import audit, connections, garbage, metrics, watchdog

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
MIB = 2**20

_COMMAND = re.compile(r"^ +(?:.* -m chunking|chunkscope) (.*?)(?: +#.*)?$", re.MULTILINE)


@pytest.mark.parametrize(
    "said",
    [
        f"does not answer for {watchdog.seconds({})} seconds",
        f"ends; {watchdog.seconds({})} by default, `0` for never",
        f"{fair_queue.MAX_WAITING} waiting jobs a person and queue",
        f"{uploads.LIMIT.bytes // MIB} MiB; {reference_files.LIMIT.bytes // MIB} MiB; "
        f"{settings_file.LIMIT.bytes // MIB} MiB; "
        f"{structured.MOST_VALUES // 10**6} million values of JSON in each",
        f"{connections.SECONDS:.0f} seconds, and a second more for every "
        f"{connections.SLOWEST_REQUEST // 2**10} KiB of it",
        f"to the next; {USUAL_LIMITS.cpu} by default",
        f"what its process has; {USUAL_LIMITS.memory // MIB} by default",
        f"tried again every {disk_cache.REST_SECONDS:.0f} seconds",
        f"more than {streamlit_server.WEBSOCKET_MAX_SEND_QUEUE_SIZE} messages wait for it",
        f"`server.websocketPingInterval` ({streamlit_server.DEFAULT_WEBSOCKET_PING_INTERVAL} seconds)",
        f"`server.disconnectedSessionTTL` ({config.get_option('server.disconnectedSessionTTL')} seconds)",
    ],
)
def test_a_number_is_that_of_the_code(said: str) -> None:
    assert said in WORDS


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("counts for three more minutes", quotas.LEASE == 3 * 60_000),
        ("ended after five minutes without a task", workers.IDLE_SECONDS == 5 * 60),
        ("Once a minute the server drops sessions", garbage._EVERY == 60),
        ("as long as it takes a kilobyte a second", connections.SLOWEST == 1024),
        ("There are four queues", len(get_args(runs.Queue)) == 4),
        ("each process records a hundred refused log-ins an hour", audit._MOST_UNKNOWN == 100 and audit._HOUR == 3600),
        ("of 16 characters or more", metrics._SHORTEST == 16),
    ],
)
def test_a_number_in_words_is_that_of_the_code(said: str, holds: bool) -> None:
    assert said in WORDS and holds


def test_the_limit_of_a_file_is_the_one_of_the_settings() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]
    assert f"| one file | {settings['maxUploadSize']} MB | `server.maxUploadSize` |" in PAGE


def test_every_command_is_one() -> None:
    parser = argument_parser("chunkscope")
    commands = [shlex.split(command) for command in _COMMAND.findall(PAGE)]
    assert {"backup", "restore", "library", "audit"} <= {command[0] for command in commands}
    for command in commands:
        parser.parse_args(command)
