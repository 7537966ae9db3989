from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import streamlit as st

from chunking import from_text
from chunking.document import Document
from pages.shared.storage import forgetting

ONE, OTHER = from_text("Boats wait."), from_text("Tides rise.")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the caches of a test have made."""
    monkeypatch.setattr(forgetting.MEMORY, "parts", [])
    yield []


def cached(made: list[str]) -> Callable[[str, object], object]:
    @forgetting.cleared_on_deletion
    @st.cache_resource(show_spinner=False)
    def make(key: str, _given: object) -> object:
        made.append(key)
        return object()

    make.clear()
    return make


def look(make: Callable[[str, object], object], *calls: tuple[str, object]) -> None:
    for call in calls:
        make(*call)


@pytest.mark.parametrize(
    "call",
    [
        lambda document: ("by document", document),
        lambda document: (f"{document.key}/static/rules", None),
        lambda document: (document.text_hash, None),
    ],
)
def test_a_deletion_leaves_what_is_cached_of_others(
    made: list[str], call: Callable[[Document], tuple[str, object]]
) -> None:
    forgetting.note(ONE)
    forgetting.note(OTHER)
    make = cached(made)
    calls = [(f"{name} {key}", given) for name, (key, given) in (("one", call(ONE)), ("other", call(OTHER)))]
    look(make, *calls, *calls)
    forgetting.forget(ONE.text_hash)
    look(make, *calls)
    assert [key.split()[0] for key in made] == ["one", "other", "one"]


def test_what_belongs_to_nobody_known_goes_with_every_deletion(made: list[str]) -> None:
    make = cached(made)
    unknown = from_text("Nobody has noted this.")
    calls = [("anything", None), (unknown.key, None)]
    look(make, *calls, *calls)
    forgetting.forget(ONE.text_hash)
    look(make, *calls)
    assert len(made) == 4


def test_what_is_shown_of_a_page_goes_with_the_page(made: list[str]) -> None:
    page, main = from_text("Home. Boats wait for the tide."), from_text("Boats wait for the tide.")
    forgetting.note(main, page)
    make = cached(made)
    look(make, (main.key, None))
    forgetting.forget(page.text_hash)
    look(make, (main.key, None))
    assert len(made) == 2
