"""The HTML that the browser begins with has what keeps a page from jumping; any other answer is as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared.frame import first_html, markup

INDEX = Path(streamlit.__file__).parent / "static" / "index.html"
PAGE = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def client() -> TestClient:
    """The middleware around Streamlit's own page, which is compressed, and around a text."""

    def page(_: Request) -> Response:
        return FileResponse(INDEX)

    def text(_: Request) -> Response:
        return PlainTextResponse("</body>")

    inner = Starlette(routes=[Route("/text", text), Route("/{path:path}", page)])
    inner.add_middleware(GZipMiddleware)
    return TestClient(first_html.FirstHtml(inner))


def test_a_page_has_the_sheet_and_scripts_that_exist(client: TestClient) -> None:
    found = client.get("/", headers=PAGE)
    assert found.text.count(f"<style>{markup.sheet()}</style>") == 1
    assert "</style></body>" in found.text
    assert int(found.headers["content-length"]) == len(found.content)
    for element in first_html._ELEMENTS:
        (script,) = (INDEX.parent / "static" / "js").glob(f"{element}.*.js")
        assert f'href="./static/js/{script.name}"' in found.text


@pytest.mark.parametrize("page", first_html.PAGE_FILES)
def test_every_page_has_the_room_for_its_sidebar_from_the_start(client: TestClient, page: str) -> None:
    module = Path(first_html.__file__).parents[2] / f"{page or 'inspect'}.py"
    hides_it = "sidebar=False" in module.read_text(encoding="utf-8")
    assert (first_html._WITHOUT_SIDEBAR in client.get(f"/{page}", headers=PAGE).text) == hides_it


def test_every_page_is_known(root: Path) -> None:
    pages = {path.stem for path in (root / "pages").glob("*.py")} - {"inspect"}
    assert pages | {""} == set(first_html.PAGE_FILES)


def test_a_page_is_never_answered_with_what_the_browser_has(client: TestClient) -> None:
    tag = client.get("/").headers["etag"]
    found = client.get("/", headers={**PAGE, "If-None-Match": tag, "Range": "bytes=0-9"})
    assert found.status_code == 200 and "etag" not in found.headers
    assert markup.sheet() in found.text


def test_other_answers_are_as_they_were(client: TestClient) -> None:
    assert client.get("/text", headers=PAGE).text == "</body>"
    assert client.get("/").text == INDEX.read_text(encoding="utf-8")
