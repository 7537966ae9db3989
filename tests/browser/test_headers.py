"""What the server says to every browser, and that nothing the page does is refused by it."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Visit
from tests.browser.server import drawn


@pytest.mark.parametrize("path", ["/", "/compare", "/_stcore/health", "/static/media/none", "/_stcore/host-config"])
def test_every_response_carries_the_headers(server: str, path: str) -> None:
    request = urllib.request.Request(server + path)
    try:
        with urllib.request.urlopen(request) as response:
            headers = response.headers
    except urllib.error.HTTPError as error:
        headers = error.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "object-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy and "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_the_policy_refuses_nothing_of_ours_and_stops_what_a_document_could_smuggle_in(visit: Visit) -> None:
    page = visit()
    refused: list[str] = []
    page.on(
        "console", lambda message: refused.append(message.text) if "Content Security Policy" in message.text else None
    )
    page.reload()
    drawn(page)
    assert refused == []
    assert _blocked(page, "document.createElement('img')", "src", "http://127.0.0.1:9/x.png", "img-src")
    assert _blocked(page, "document.createElement('iframe')", "src", "http://127.0.0.1:9/", "frame-src")
    assert _blocked(page, "document.createElement('script')", "textContent", "window.smuggled = 1", "script-src-elem")
    assert page.evaluate("window.smuggled") is None


def _blocked(page: Page, make: str, attribute: str, value: str, directive: str) -> bool:
    """Whether the browser refuses an element, by the directive that it names."""
    found: str = page.evaluate(
        f"""async () => {{
            const told = new Promise(done => document.addEventListener('securitypolicyviolation',
                event => done(event.effectiveDirective), {{once: true}}));
            const made = {make};
            made['{attribute}'] = {value!r};
            document.body.append(made);
            return await Promise.race([told, new Promise(done => setTimeout(() => done('nothing'), 60000))]);
        }}"""
    )
    return found == directive
