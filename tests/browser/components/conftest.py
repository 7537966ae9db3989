"""Components on a static page, without a server: Python packs their messages, and the page mounts them."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit
from playwright.sync_api import Browser, ConsoleMessage, Page, Route
from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.shared.components.base import modules
from pages.shared.frame.headers import HEADERS
from tests.browser.conftest import _TABS
from tests.browser.server import ROOT

ORIGIN = "http://localhost"
_MOUNT = Path(__file__).with_name("mount.js")
(_FONT,) = (Path(streamlit.__file__).parent / "static" / "static" / "media").glob("SourceSansVF-Upright.*")
_UPPER = re.compile("[A-Z]")
Script = Callable[[], str]
"""Draws components, as a script of Streamlit does, and returns a text that the page shows above them."""


def _theme(scheme: str) -> str:
    """The properties that Streamlit gives to components under a theme of the app."""
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    values = {name: value for name, value in {**theme, **theme[scheme]}.items() if isinstance(value, str)}
    values["font"] = '"Source Sans", sans-serif'  # what Streamlit makes of "sans-serif"
    return "".join(f"--st-{_UPPER.sub(_dashed, name)}: {value};" for name, value in values.items())


def _dashed(letter: re.Match[str]) -> str:
    return f"-{letter[0].lower()}"


_PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Components</title><style>
@font-face {{ font-family: "Source Sans"; font-weight: 100 900; src: url({_FONT.name}) format("woff2") }}
:root {{ color-scheme: light dark; {_theme("light")} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_theme("dark")} }} }}
body {{ margin: 0; font: 1rem/1.6 var(--st-font); color: var(--st-text-color); background: var(--st-background-color) }}
main {{ display: flex; flex-direction: column; gap: 1rem; padding: 1rem }}
@media (min-width: 54rem) {{ main {{ padding: 1rem 5rem }} }}
output {{ display: block; white-space: pre-line }}
</style><output></output><main></main></html>"""


class ComponentPage:
    """A page of the browser with the components that a script draws.

    Attributes:
        page: the page.
        state: Streamlit's session state, as the script sees it.
        problems: errors in the page, violations of the app's policy, and requests to another host.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.state: dict[str, Any] = {}
        self.problems: list[str] = []
        self._script: Script = str
        self._modules = TestClient(Starlette(routes=modules.routes()), headers={"Accept-Encoding": "identity"})
        self._scripts: dict[str, str] = {}
        self._elements: list[dict[str, Any]] = []
        self._callbacks: dict[str, dict[str, Any]] = {}
        page.add_init_script(path=_MOUNT)
        page.expose_function("reportToScript", self._report)
        page.route("**/*", self._answer)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note_problem)

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        """Let components be mounted here, with the session state of a script that has not run yet."""
        self.state.clear()
        self.problems.clear()
        patch.setattr("streamlit.session_state", self.state)
        # A component calls the first with its script, and then the second with its message.
        patch.setattr("streamlit.components.v2._ensure_component_on_active_runtime", self._note_script)
        patch.setattr("streamlit._bidi_component", self._mount)

    def open(
        self, script: Script, scheme: str = "light", width: int = 1400, height: int = 900, before: str = ""
    ) -> None:
        """Run a script in a new document, in which the statements ``before`` have run."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        self.page.goto(ORIGIN)
        self.page.evaluate(f"async () => {{ await document.fonts.load('1rem Source Sans'); {before}\n}}")
        self._script = script
        self.run()

    def run(self, before: str = "") -> None:
        """Run the script again, at once after statements, and wait until the components have what it draws."""
        self.page.evaluate(f"run => {{ {before}; return drawComponents(run) }}", self._run())

    def _run(self) -> dict[str, Any]:
        self._elements, self._callbacks = [], {}
        return {"text": self._script(), "elements": self._elements}

    def _report(self, key: str, event: str, value: object) -> dict[str, Any]:
        """Run the script with a value that a component triggered, which is gone in the run after that."""
        self.state[key] = {event: value}
        self._callbacks[key][f"on_{event}_change"]()
        run = self._run()
        del self.state[key]
        return run

    def _note_problem(self, message: ConsoleMessage) -> None:
        if message.text.startswith("Chunkscope") or "Content Security Policy" in message.text:
            self.problems.append(message.text)

    def _note_script(self, name: str, html: None, style: None, script: str) -> None:
        self._scripts[name] = script

    def _mount(self, name: str, *, key: str, data: bytes, isolate_styles: bool, **options: Any) -> None:
        message = base64.b64encode(data).decode()
        self._elements.append(
            {"key": key, "name": name, "data": message, "script": self._scripts[name], "isolated": isolate_styles}
        )
        self._callbacks[key] = options

    def _answer(self, route: Route) -> None:
        if route.request.url.startswith(("data:", "blob:")):
            route.continue_()
        elif route.request.url == f"{ORIGIN}/":
            route.fulfill(body=_PAGE, content_type="text/html", headers=HEADERS)
        elif route.request.url == f"{ORIGIN}/{_FONT.name}":
            route.fulfill(path=_FONT)
        elif route.request.url.startswith(f"{ORIGIN}/{modules.FOLDER}/"):
            answer = self._modules.get(route.request.url.removeprefix(ORIGIN))
            route.fulfill(status=answer.status_code, body=answer.content, headers={**answer.headers, **HEADERS})
        else:
            self.problems.append(route.request.url)
            route.abort()


@pytest.fixture(scope="session")
def _component_page(browser: Browser) -> Iterator[ComponentPage]:
    """One tab for all tests: each begins with a new document in it."""
    with browser.new_context() as context:
        yield ComponentPage(context.new_page())


@pytest.fixture
def components(
    request: pytest.FixtureRequest, _component_page: ComponentPage, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ComponentPage]:
    """A page for components; at the end, fails if it met an error, broke the app's policy or asked another host."""
    request.node.stash.setdefault(_TABS, []).append(_component_page.page)
    _component_page.patch(monkeypatch)
    yield _component_page
    _component_page.page.evaluate("0")  # after what the page has reported so far
    assert _component_page.problems == []
