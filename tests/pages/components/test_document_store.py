"""The browser shows of a layout what Python says that a reader sees."""

from __future__ import annotations

import base64

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.loading import from_text
from chunking.rendering import render
from chunking.rendering.columns import columns_of
from pages.shared.components.base import pack
from tests.examples import examples
from tests.pages.conftest import Ask
from tests.rendering.test_markdown import TEXTS


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, data=st.data())
def test_the_parts_of_a_layout_are_its_whole_wherever_it_is_cut(ask: Ask, text: str, data: st.DataObject) -> None:
    document = from_text(text)
    rendering = render(document)
    cuts = data.draw(st.sets(st.integers(0, len(document.text))))
    edges = sorted({0, *cuts, len(document.text)})
    message = base64.b64encode(pack({}, columns_of(rendering))).decode()
    parts = ask("laid", bytes=message, text=document.text, edges=edges)["parts"]
    assert "".join("".join(parts).split()) == "".join(rendering.shown(document.text).split())
