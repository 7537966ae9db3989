"""Settings of single documents and the cost of a change on the Collection page, without a browser."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from chunking import samples, strategies
from chunking.chunks.edits import edit_at
from chunking.settings import read_settings
from pages.shared.collection import own_settings
from pages.shared.documents.documents import get
from tests.app.pages import calm, open_page, shown
from tests.app.test_advice import unfolded

GARDEN, HARBOUR = samples.load("community-garden-faq"), samples.load("harbour-report")


def key(sample: samples.Sample) -> str:
    return sample.document.key[:12]


def collection(root: Path, **address: object) -> AppTest:
    return open_page(root, "collection", address)


def own_texts(app: AppTest) -> list[str]:
    value = app.query_params.get("own", [])
    return [value] if isinstance(value, str) else list(value)


def total(app: AppTest) -> list[int]:
    """Return the numbers of all documents: chunks kept, changed, new, removed, tokens to embed and their share."""
    row = re.search(r">All 9</th>(.*?)</tr>", shown(app))
    assert row
    return [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", re.sub(r"<[^>]*>", " ", row[1]))]


def test_a_document_can_have_a_setting_of_its_own(root: Path) -> None:
    app = unfolded(collection(root), "_own_settings_of")
    assert "Every document has the setting of the page" in shown(app)
    calm(app.selectbox(key="_own_document").set_value(key(HARBOUR)).run())
    calm(app.text_input(key="_own_line").set_value("astrology").run())
    assert "Unknown strategy" in shown(app) and "_own_use" not in {button.key for button in app.button}
    calm(app.text_input(key="_own_line").set_value("heading:level=2").run())
    calm(app.button(key="_own_use").click().run())
    assert own_texts(app) == [f"{key(HARBOUR)} heading:level=2"]
    assert "<code>heading:level=2</code>" in shown(unfolded(app, "_own_settings_of"))
    calm(app.button(key=f"_own_remove_{key(HARBOUR)}").click().run())
    assert own_texts(app) == []


def test_a_link_brings_settings_and_what_is_damaged_is_said(root: Path) -> None:
    app = collection(root, own=[f"{key(GARDEN)} whole", f"{key(HARBOUR)} nonsense:x=1"])
    assert "Unknown strategy" in shown(app)
    assert own_texts(app) == [f"{key(GARDEN)} whole"]


def test_the_advice_can_be_taken_for_each_and_the_cost_of_that_is_shown(root: Path) -> None:
    app = unfolded(collection(root), "_collection_cost")
    kept, changed, new, removed, embedded, share = total(app)
    assert kept > 100 and (changed, new, removed, embedded, share) == (0, 0, 0, 0, 0), "nothing has changed"
    app = unfolded(app, "_own_settings_of")
    calm(app.button(key="_own_advised").click().run())
    assert len(own_texts(app)) == 9
    app = unfolded(app, "_collection_cost")
    kept, changed, new, removed, embedded, share = total(app)
    assert changed + new > 0 and embedded > 0 and 0 < share < 100
    calm(app.text_input(key="_cost_indexed").set_value("whole").run())
    assert total(app)[0] == 0, "no chunk of another strategy stays"


def test_the_settings_file_has_documents_and_edits_by_hand(root: Path) -> None:
    garden, harbour = get("community-garden-faq"), get("harbour-report")
    page_setting, own = strategies.parse("structural"), {key(HARBOUR): strategies.parse("heading:level=2")}
    text = garden.document.text
    edits = {garden.document.name: (edit_at(text, "cut", text.index("What kind of soil")),)}
    file = read_settings(own_settings.toml([garden, harbour], page_setting, own, edits).encode(), "mine.toml")
    assert file.setting() == page_setting
    assert file.setting_for(harbour.document.name) == own[key(HARBOUR)]
    assert file.setting_for(garden.document.name) is None
    assert file.edits_for(garden.document.name) == edits[garden.document.name]
