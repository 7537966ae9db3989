"""The files that a page's first HTML names are those that the page begins with, and every module of theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.components.base import modules
from pages.shared.components.base.component import LOADER
from pages.shared.frame import first_html
from tests.app.pages import TIMEOUT, calm, open_page

PAGES = sorted(path.stem for path in (Path(first_html.__file__).parents[2]).glob("*.py"))
_FILES = re.compile(r"loader\.load\(([^)]*)\)")


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """The files of the components that a page draws."""
    files: set[str] = set()

    def note(name: str, html: None, style: None, script: str) -> None:
        match = _FILES.search(script)
        assert match
        files.update(json.loads(f"[{match[1]}]"))
        register(name, html, style, script)

    from streamlit.components import v2

    register: Any = v2._ensure_component_on_active_runtime
    monkeypatch.setattr(v2, "_ensure_component_on_active_runtime", note)
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    return files


def listed(page: str) -> set[str]:
    """The files of a page but those that its frame draws: AppTest opens it without one."""
    names = first_html.PAGE_FILES.get(page, ())
    return {name[1:] if name.startswith("/") else f"pages/shared/components/{name}" for name in names}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_preloads_what_it_draws(root: Path, mounted: set[str], page: str) -> None:
    open_page(root, page, {})
    assert mounted - set(first_html.FRAME_FILES) == listed("" if page == "inspect" else page)


def test_the_frame_preloads_what_it_draws(root: Path, mounted: set[str]) -> None:
    calm(AppTest.from_file(str(root / "app.py"), default_timeout=TIMEOUT).run())
    assert mounted - listed("") == set(first_html.FRAME_FILES) - {LOADER}


@pytest.mark.parametrize("page", ["", "compare", "unknown"])
def test_every_module_is_linked_once_where_it_is_served(page: str) -> None:
    links = re.findall(
        r'<link rel="(modulepreload|preload" as="fetch)" crossorigin href="\./([^"]+)">', first_html.preload_links(page)
    )
    addresses = [address for _, address in links]
    assert len(addresses) == len(set(addresses)) and addresses
    served = {modules.tree().address(path) for path in modules.tree().files}
    assert set(addresses) <= served
    assert all((kind == "modulepreload") == address.endswith(".js") for kind, address in links)
    cuts = modules.tree().address("chunking/web/engine/cuts.js")  # which is imported by what is imported
    assert (cuts in addresses) == (page != "unknown")
