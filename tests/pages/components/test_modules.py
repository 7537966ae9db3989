"""The scripts and style sheets that browsers get: every file of the pages and no other, at addresses of one version."""

from __future__ import annotations

import gzip
import posixpath
import re
import shutil
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit import config

from chunking import web
from pages.shared.components.base import component, modules
from pages.shared.components.base.modules import ModuleTree, WebFile

CUTS = "chunking/web/engine/cuts.js"
SHEET = "pages/shared/components/gap_picker/gap_picker.css"
IMPORTS = re.compile(r"""^(?:import|export)\s+(?:[\w*\s{},$]+\sfrom\s+)?["']([^"']+)["']""", re.MULTILINE)
"""Any import of any form, unlike the pattern of the product."""


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=modules.routes()))


def address(path: str) -> str:
    return f"/{modules.tree().address(path)}"


def target(module: str, imported: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), imported))


def scripts() -> list[str]:
    return sorted(path for path in modules.tree().files if path.endswith(".js"))


@pytest.mark.parametrize(("path", "media_type"), [(CUTS, "text/javascript"), (SHEET, "text/css")])
def test_a_file_is_kept_for_a_year(client: TestClient, root: Path, path: str, media_type: str) -> None:
    answer = client.get(address(path))
    assert answer.status_code == 200
    assert answer.content == (root / path).read_bytes()
    assert answer.headers["content-type"] == f"{media_type}; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_file_is_compressed_for_who_can_read_it(client: TestClient, root: Path) -> None:
    content = (root / CUTS).read_bytes()
    with client.stream("GET", address(CUTS), headers={"Accept-Encoding": "gzip"}) as answer:
        sent = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip" and answer.headers["vary"] == "Accept-Encoding"
    assert len(sent) < len(content) / 2 and gzip.decompress(sent) == content
    plain = client.get(address(CUTS), headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.content == content


@pytest.mark.parametrize(
    "path",
    [
        "chunking/web/__init__.py",
        "pages/shared/components/messages.d.ts",
        "pages/inspect.py",
        "chunking/standalone/app/main.js",
        "chunking/web/../standalone/app/main.js",
        "chunking/web/..%2F..%2Fapp.py",
        "/etc/passwd",
        "..%2F..%2F..%2Fapp.py",
        "chunking/web/engine",
        "",
    ],
)
def test_no_other_file_is_served(client: TestClient, path: str) -> None:
    assert client.get(f"/{modules.FOLDER}/{modules.tree().version}/{path}").status_code == 404


@pytest.mark.parametrize("version", ["0" * 16, "", "..", "latest"])
def test_another_version_is_refused_and_the_refusal_is_not_kept(client: TestClient, version: str) -> None:
    answer = client.get(f"/{modules.FOLDER}/{version}/{CUTS}")
    assert answer.status_code == 404
    if version == "0" * 16:
        assert answer.headers["cache-control"] == "no-store"
        assert "Reload the page" in answer.text


def test_a_file_is_only_read(client: TestClient) -> None:
    assert client.post(address(CUTS)).status_code == 405
    assert client.head(address(CUTS)).status_code == 200


def test_every_import_of_every_module_is_served(client: TestClient) -> None:
    edges = 0
    for path in scripts():
        for imported in IMPORTS.findall(client.get(address(path)).text):
            assert imported.startswith("."), f"{path} imports {imported}, which no browser can resolve"
            assert client.get(target(address(path), imported)).status_code == 200, f"{path} imports {imported}"
            edges += 1
    assert edges > 100


def test_the_product_sees_the_imports_that_the_browser_sees() -> None:
    """What it overlooks is fetched late in the app, and missing in the self-contained file."""
    files = modules.tree().files
    for path in scripts():
        source = files[path].content.decode()
        direct = {target(path, imported) for imported in IMPORTS.findall(source)}
        order = list(web.with_imports(path, lambda name: files[name].content.decode()))
        assert order[-1] == path and direct <= set(order)


def test_the_tree_is_one_where_the_app_lies_apart_from_the_library(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed app is in a folder of its own, from which no relative path leads to the library."""
    apart = tmp_path / "chunkscope" / "pages" / "shared"
    shutil.copytree(root / "pages" / "shared", apart, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setitem(modules._FOLDERS, "pages/shared", apart)
    assert modules.tree.__wrapped__() == modules.tree()


def test_every_change_of_a_file_has_another_address() -> None:
    one = ModuleTree({"a.js": WebFile(b"1", "text/javascript"), "b.js": WebFile(b"2", "text/javascript")})
    for files in ({"a.js": b"1", "b.js": b"3"}, {"a.js": b"12", "b.js": b""}, {"a.js": b"1", "c.js": b"2"}):
        other = ModuleTree({path: WebFile(content, "text/javascript") for path, content in files.items()})
        assert other.version != one.version
    assert one.address("a.js") == f"modules/{one.version}/a.js"


def test_the_files_are_below_the_path_of_the_app() -> None:
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", "/chunks/")
    try:
        client = TestClient(Starlette(routes=modules.routes()))
    finally:
        config.set_option("server.baseUrlPath", before)
    assert client.get(f"/chunks{address(CUTS)}").status_code == 200
    assert client.get(address(CUTS)).status_code == 404


def test_a_component_of_files_that_browsers_do_not_get_is_refused(root: Path) -> None:
    with pytest.raises(KeyError, match="not among the files"):
        component("chunkscope_none", str(root / "pages" / "shared" / "components" / "lanes" / "x.py"), "none.js")
