"""The app without a browser: what the pages do with what they are given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from chunking import samples, strategies
from chunking.settings import read_settings
from chunking.workspace import DocumentAnalysis, Models
from pages.shared.documents import session_documents
from pages.shared.settings import strategy_settings
from tests.app.pages import TIMEOUT, calm, give, paste, workbench


def opened(root: Path, **address: str) -> AppTest:
    app = AppTest.from_file(str(root / "app.py"), default_timeout=TIMEOUT)
    for name, value in address.items():
        app.query_params[name] = value
    return calm(app.run())


def key(app: AppTest, parameter: str) -> str:
    """Return the key of the control of a parameter of the strategy that is shown."""
    chosen = [each.value for each in app.selectbox if each.key == "strategy"]
    return f"{chosen[0] if chosen else 'structural'}_{parameter}"


def go_back(app: AppTest, **address: str) -> None:
    """Open an older address of the session, as the browser does when the user goes back in its history."""
    app.query_params.clear()
    for name, value in {**address, "back": str(id(address))}.items():
        app.query_params[name] = value
    calm(app.run())


def shown(app: AppTest) -> str:
    """All text of the page that is neither a control nor a component."""
    return "\n".join(str(element.proto) for kind in ("html", "text") for element in app.get(kind))


def figures(app: AppTest) -> str:
    return next(str(element.proto.body) for element in app.get("html") if "cs-figures" in element.proto.body)


def gap(app: AppTest) -> int | None:
    """Return the gap that is selected, from 1 as in the address."""
    selected = workbench(app)["selected"]
    return None if selected is None else selected + 1


@pytest.mark.parametrize("name", samples.names())
def test_every_sample_opens(root: Path, name: str) -> None:
    app = opened(root, doc=name)
    assert app.selectbox(key="doc").value == name
    assert "sentences" in figures(app)


def test_the_first_view_imports_neither_models_nor_what_a_log_in_needs(root: Path) -> None:
    code = (
        "import sys\nfrom streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({str(root / 'app.py')!r}, default_timeout={TIMEOUT}).run()\n"
        "assert not app.exception, app.exception\n"
        "assert any('cs-figures' in element.proto.body for element in app.get('html'))\n"
        "unwanted = {'torch', 'spacy', 'sentence_transformers', 'transformers', 'authlib', 'joserfc'}\n"
        "print(sorted(unwanted & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.strip().splitlines()[-1] == "[]"


def test_a_link_restores_the_setting_and_the_gap(root: Path) -> None:
    app = opened(root, doc="harbour-report", alpha="0.8", percentile="90", overlap="2", gap="40", structure="reference")
    assert app.slider(key=key(app, "alpha")).value == 0.8
    assert app.slider(key=key(app, "percentile")).value == 90
    assert app.number_input(key=key(app, "overlap")).value == 2
    assert app.selectbox(key=key(app, "structure")).value == "reference"
    assert gap(app) == 40


WRONG: list[tuple[dict[str, str], str]] = [
    *(({"alpha": text}, "read without alpha: alpha cannot be") for text in ("7", "warm")),
    ({"percentile": "-1e999"}, "read without percentile"),
    ({"threshold": "astrology"}, "read without threshold"),
    ({"max_tokens": "NaN"}, "read without max_tokens"),
    ({"features_off": "<script>"}, "read without features_off"),
    ({"overlap": "1.5"}, "read with overlap = 1"),
    ({"strategy": "astrology"}, "Unknown strategy in the URL: astrology"),
    ({"strategy": "<b>"}, "Unknown strategy in the URL: &lt;b&gt;"),
    ({"strategy": "percentile", "alpha": "0.8"}, "read without alpha: percentile has no such parameter"),
    ({"strategy": "percentile", "percentile": "20"}, "read without percentile: percentile cannot be 20.0"),
    ({"tokenizer": "abacus"}, "Unknown tokenizer in the URL: abacus"),
    ({"doc": "letter.txt (012345)"}, "The document in this link is not available"),
    *(({"view": text}, "Invalid view in the URL") for text in ("5", "a-b", "nan-nan", "-1-4")),
    *(({"gap": text}, "Invalid gap in the URL") for text in ("0", "-3", "1e3", "x", "٣", "9" * 40)),
    *(({"gap": text}, "") for text in ("99999", "3@0000")),  # of another document
]


@pytest.mark.parametrize(("wrong", "told"), WRONG)
def test_what_an_address_names_wrongly_is_told_and_the_rest_is_read(
    root: Path, wrong: dict[str, str], told: str
) -> None:
    app = opened(root, **{"gap": "12", "min_tokens": "20"} | wrong)
    assert told in shown(app) and "<span>chunk" in figures(app)
    assert gap(app) == (None if wrong.keys() & {"gap", "doc"} else 12), "a gap belongs to its document"
    assert app.number_input(key=key(app, "min_tokens")).value == 20
    named = {"structural", *([] if "<b>" in wrong.values() or "astrology" in wrong.values() else wrong.values())}
    assert strategy(app) in named


def test_a_link_whose_limits_contradict_keeps_everything_else(root: Path) -> None:
    app = opened(root, alpha="1", min_tokens="100", max_tokens="50", gap="40")
    assert "larger than max_tokens" in shown(app)
    assert gap(app) == 40 and workbench(app)["lanes"][0]["setting"]["alpha"] == 1


def test_the_oldest_document_is_let_go_but_not_the_open_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_documents, "LIMIT", 3)
    app = opened(root)
    calm(app.toggle(key="_do_not_keep").set_value(True).run())
    for number in range(5):
        upload(app, f"note-{number}.txt", f"Note number {number}. It ends here.".encode())
    options = [option for option in app.selectbox(key="doc").options if option.startswith("note-")]
    assert [option[:6] for option in options] == ["note-2", "note-3", "note-4"]
    assert "note-1" in shown(app) and "removed to make room" in shown(app)
    app.selectbox(key="doc").set_value(options[0])
    calm(app.run())
    upload(app, "note-9.txt", b"One more. It ends here.")
    options = [option for option in app.selectbox(key="doc").options if option.startswith("note-")]
    assert [option[:6] for option in options] == ["note-2", "note-4", "note-9"], "the open one stays"


def test_presets_set_every_control(root: Path) -> None:
    app = opened(root, overlap="2")
    calm(app.button(key="_preset_reference").click().run())
    assert app.slider(key=key(app, "alpha")).value == 0.05
    assert app.selectbox(key=key(app, "structure")).value == "reference"
    assert app.slider(key=key(app, "block")).value == 1
    assert app.number_input(key=key(app, "overlap")).value == 2, "a preset leaves the chunk sizes alone"
    calm(app.button(key="_preset_default").click().run())
    assert app.selectbox(key=key(app, "structure")).value == "cues"
    assert app.button(key="_preset_default").proto.type == "secondary", "with an overlap, it is not the default"
    assert opened(root).button(key="_preset_default").proto.type == "primary"


def test_contradicting_limits_are_told_and_the_view_stays(root: Path) -> None:
    app = opened(root, max_tokens="200")
    before = figures(app)
    calm(app.number_input(key=key(app, "min_tokens")).set_value(300).run())
    assert "larger than max_tokens" in shown(app)
    assert figures(app) == before
    calm(app.number_input(key=key(app, "min_tokens")).set_value(100).run())
    assert "larger than max_tokens" not in shown(app)


# ---- strategies


def strategy(app: AppTest) -> str:
    return str(app.selectbox(key="strategy").value)


@pytest.mark.parametrize("name", strategy_settings.CURVED)
def test_every_strategy_with_curves_is_shown_with_its_own_parameters(root: Path, name: str) -> None:
    app = opened(root, doc="harbour-report", strategy=name, gap="40")
    assert strategy(app) == name
    assert gap(app) == 40
    assert "<span>chunk" in figures(app)
    widgets = [*app.slider, *app.number_input, *app.selectbox, *app.multiselect, *app.get("button_group")]
    keys = {getattr(widget, "key", None) for widget in widgets}
    params = strategies.get(name).params()
    for known in params.describe():
        assert (f"{name}_{known.name}" in keys) == (known.name not in params.inactive), known.name
    assert bool([button for button in app.button if str(button.key).startswith("_preset")]) == bool(
        strategies.get(name).presets
    )


def test_the_strategies_with_curves_come_first(root: Path) -> None:
    sample = samples.load("on-walking-to-work")
    workspace = DocumentAnalysis(sample.document)
    own = [known for known in strategies.REGISTRY.values() if known.family != "peers" and known.name != "json"]
    curved = {known.name for known in own if strategies.run(known.name, workspace).signals is not None}
    assert curved == set(strategy_settings.CURVED)
    assert opened(root).selectbox(key="strategy").options == list(strategy_settings.SHOWN)
    assert set(strategy_settings.SHOWN) == set(strategies.REGISTRY)


@pytest.mark.parametrize("name", [name for name in strategy_settings.SHOWN if name not in strategy_settings.CURVED])
def test_a_strategy_without_curves_is_shown_with_its_reasons_and_no_slider(root: Path, name: str) -> None:
    app = opened(root, doc="harbour-report", strategy=name, gap="40")
    assert strategy(app) == name
    if name == "llamaindex_code":  # for programs alone
        assert "is not known from its name. Set language" in shown(app)
        return
    state = workbench(app)
    (lane,) = state["lanes"]
    assert lane["setting"] is None and lane["label"] == name and state["selected"] == 39
    assert "<span>chunk" in figures(app)


def address(app: AppTest) -> dict[str, str]:
    """What the address says of the setting."""
    found = {name: list(value) if isinstance(value, list) else [value] for name, value in app.query_params.items()}
    return {name: "+".join(value) for name, value in found.items() if any(value) and name not in ("doc", "gap")}


def test_each_strategy_keeps_its_own_setting(root: Path) -> None:
    app = opened(root, doc="harbour-report", alpha="0.8", percentile="80", overlap="2", gap="40")
    calm(app.selectbox(key="strategy").set_value("changepoint").run())
    assert app.slider(key=key(app, "alpha")).value == 0.35 and app.slider(key=key(app, "percentile")).value == 0
    assert address(app) == {"strategy": "changepoint"}
    calm(app.slider(key=key(app, "percentile")).set_value(70.0).run())
    assert address(app) == {"strategy": "changepoint:percentile=70.0"}
    calm(app.selectbox(key="strategy").set_value("percentile").run())
    assert app.slider(key=key(app, "percentile")).value == 95
    assert gap(app) == 40, "the chosen gap stays"
    calm(app.selectbox(key="strategy").set_value("structural").run())
    assert address(app) == {"strategy": "structural:alpha=0.8;percentile=80.0;overlap=2"}
    assert app.slider(key=key(app, "alpha")).value == 0.8 and app.number_input(key=key(app, "overlap")).value == 2
    calm(app.selectbox(key="strategy").set_value("changepoint").run())
    assert address(app) == {"strategy": "changepoint:percentile=70.0"}
    assert app.slider(key=key(app, "percentile")).value == 70


def goto(app: AppTest, page: str) -> None:
    """Go to another page as the menu does, which leaves the address of this one behind."""
    app.query_params.clear()
    calm(app.switch_page(page).run())


def test_the_pages_of_structural_keep_it_and_the_way_back_leads_to_the_strategy(root: Path) -> None:
    app = opened(root, strategy="changepoint", alpha="0.6")
    goto(app, "pages/tune.py")
    assert app.slider(key=key(app, "alpha")).value == 0.5
    calm(app.slider(key=key(app, "alpha")).set_value(0.7).run())
    goto(app, "pages/inspect.py")
    assert strategy(app) == "changepoint"
    assert app.slider(key=key(app, "alpha")).value == 0.6
    calm(app.selectbox(key="strategy").set_value("structural").run())
    assert app.slider(key=key(app, "alpha")).value == 0.7


def test_a_number_of_boundaries_greys_the_percentile(root: Path) -> None:
    app = opened(root, doc="field-guide-to-backups", strategy="changepoint", percentile="80")
    calm(app.number_input(key=key(app, "boundaries")).set_value(5).run())
    assert app.slider(key=key(app, "percentile")).disabled and app.slider(key=key(app, "fineness")).disabled
    assert "5</b><span>boundaries" in figures(app)
    calm(app.number_input(key=key(app, "boundaries")).set_value(0).run())
    assert app.slider(key=key(app, "percentile")).value == 80 and not app.slider(key=key(app, "percentile")).disabled


def test_a_finer_division_has_more_boundaries_and_is_in_the_address(root: Path) -> None:
    app = opened(root, strategy="changepoint", gap="10")
    before = figures(app)
    assert "Supported" in dict(workbench(app)["facts"])
    calm(app.slider(key=key(app, "fineness")).set_value(1.0).run())
    assert address(app) == {"strategy": "changepoint:fineness=1.0"}
    assert figures(app) != before and "× 2^1" in dict(workbench(app)["facts"])["Supported"]
    calm(app.slider(key=key(app, "percentile")).set_value(80.0).run())
    assert (
        app.slider(key=key(app, "fineness")).disabled
        and "another number is given" in dict(workbench(app)["facts"])["Supported"]
    )


def test_features_of_another_set_stay_visible_until_they_are_switched_on(root: Path) -> None:
    app = opened(root, structure="reference", features_off="characters")
    assert address(app) == {"strategy": "structural:structure=reference;features_off=characters"}
    calm(app.selectbox(key=key(app, "structure")).set_value("cues").run())
    assert address(app) == {"strategy": "structural:features_off=characters"}


@pytest.mark.parametrize("choice", [{"encoder": "all-MiniLM-L6-v2"}, {"tokenizer": "encoder"}, {"max_tokens": "160"}])
def test_chunks_beyond_the_encoder_are_counted_unless_they_fit_it(root: Path, choice: dict[str, str]) -> None:
    assert "the encoder limit" in figures(opened(root, doc="field-guide-to-backups", strategy="changepoint"))
    within = opened(root, doc="field-guide-to-backups", strategy="changepoint", **choice)
    assert "the encoder limit" not in figures(within)


def test_the_tokenizer_is_that_of_an_encoder_with_a_limit_unless_another_is_chosen(root: Path) -> None:
    for encoder, counted_by in {"static": "cl100k_base", "all-MiniLM-L6-v2": "all-MiniLM-L6-v2"}.items():
        app = opened(root, encoder=encoder)
        assert app.selectbox("tokenizer").options[0] == f"Automatic ({counted_by})"
        assert "tokenizer" not in app.query_params


def test_the_setting_can_be_downloaded_as_a_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(
        DeltaGenerator, "download_button", lambda _, label, make, *__, **___: made.update({label: make})
    )
    app = opened(root, strategy="changepoint", alpha="0.6", splitter="rules")
    app.session_state["_export"] = True
    calm(app.run())
    assert {"Settings, TOML", "Haystack documents", "Hugging Face dataset"} <= made.keys()
    file = read_settings(made["Settings, TOML"]().encode(), "settings.toml")
    assert file.setting().text == "changepoint:alpha=0.6"
    assert (file.splitter, file.language) == ("rules", "en")
    code = "\n".join(str(block.value) for block in app.code)
    assert "--strategy changepoint" in code and "alpha=0.6" in code


# ---- documents


def uploader(app: AppTest) -> str:
    return next(str(each.key) for each in app.file_uploader if str(each.key).startswith("_upload_files"))


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    return give(app, "_upload_files", name, data)


def test_an_uploaded_document_opens_and_its_bytes_are_let_go(root: Path) -> None:
    app = opened(root)
    first = uploader(app)
    upload(app, "tea.md", b"# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n")
    assert "tea.md" in shown(app)
    assert uploader(app) != first
    assert "6</b><span>sentences" in figures(app)


HARMFUL = {
    "picture.txt": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
    "archive.md": b"PK\x03\x04" + bytes(300) + b"\xff\xfe\x00" * 200,
    "large.txt": b"word " * (5 * 2**20),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_file_that_is_no_text_is_refused_and_the_view_stays(root: Path, name: str) -> None:
    app = opened(root)
    before = figures(app)
    upload(app, name, HARMFUL[name])
    assert "⚠" in shown(app)
    assert figures(app) == before


ODD = {
    "empty.txt": b"",
    "blank.txt": b" \n\t\n  ",
    "one.md": b"Just one sentence.",
    "nul.txt": b"A word.\0 Another word. " * 9 + b"End.",
    "latin.txt": ("Caf\xe9 cr\xe8me, s'il vous pla\xeet. La journ\xe9e est belle. " * 12).encode("latin-1"),
    "broken.txt": b"Good text here. And some more. " * 30 + b"\xff\xfe\xfa" + b" The end comes. " * 9,
    "mixed.md": b"# One\r\n\r\nText here.\rMore text.\n\n- item\r\n- item two\n",
    "emoji.txt": "😀 Happy day. 👩‍👩‍👧 A family walks. שלום עולם. مرحبا بالعالم. ".encode() * 4,
    "code.md": b"```python\nprint(1)\n\n# not a heading\n```\n",
    "table.md": b"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "markup.md": (
        b"<script>alert(1)</script> <img src=x onerror=alert(2)>\n\n![x](http://example.invalid/a.png) Text. "
        b"<style>*{display:none}</style>\n\n[a](javascript:alert(3)) More.\n"
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_documents_open(root: Path, name: str) -> None:
    app = upload(opened(root, overlap="1", max_tokens="40"), name, ODD[name])
    assert name in shown(app)
    assert "<span>chunk" in figures(app)


def test_markup_in_a_name_and_a_text_is_only_text(root: Path) -> None:
    app = upload(opened(root), "<img src=x onerror=alert(1)>.md", ODD["markup.md"])
    go_back(app, gap="1", doc=app.session_state["doc"])
    for element in app.get("html"):
        body = element.proto.body
        assert "<img" not in body
        assert "<script" not in body


def test_pasted_text_opens_and_an_empty_paste_is_told(root: Path) -> None:
    app = opened(root)
    paste(app, "First thought. Second thought.")
    assert "2</b><span>sentences" in figures(app)
    paste(app, "   ")
    assert "The pasted text is empty" in shown(app)
    assert "2</b><span>sentences" in figures(app)


def test_embedding_can_be_stopped_and_goes_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(root, encoder="all-MiniLM-L6-v2")
    text = b"The kettle sings. The bread is warm. A letter came. Nobody read it."
    app.session_state["_cancelled_embedding"] = None
    upload(app, "letter.txt", text)
    name = app.session_state["doc"]
    # A window of other sentences is another job; as if Stop had been pressed while it ran:
    document = app.session_state["_own_documents"][name].document
    app.session_state["_cancelled_embedding"] = (DocumentAnalysis(document, Models("all-MiniLM-L6-v2")).key, (1,))
    calm(app.slider(key=key(app, "window")).set_value(1).run())
    assert any("stopped" in element.proto.body for element in app.get("html"))
    calm(next(button for button in app.button if button.label == "Resume").click().run())
    assert "4</b><span>sentences" in figures(app)


def test_overlapping_windows_have_a_note_until_the_preset_replaces_them(root: Path) -> None:
    app = opened(root, doc="harbour-report", strategy="percentile")
    assert any("miss the gap" in caption.value for caption in app.caption)
    calm(next(button for button in app.button if button.key == "_preset_blocks").click().run())
    address = app.query_params["strategy"]
    assert (address if isinstance(address, str) else address[0]) == "percentile:window=0;block=3"
    assert not any("miss the gap" in caption.value for caption in app.caption)


def test_the_encoder_s_own_tokens_can_be_counted_or_are_refused(root: Path) -> None:
    app = opened(root, doc="harbour-report", tokenizer="encoder")
    assert app.selectbox(key="tokenizer").value == "encoder"
    assert "has no tokenizer" not in shown(app)
    app = opened(root, doc="harbour-report", tokenizer="encoder", encoder="char-ngrams")
    assert "has no tokenizer that can be used here" in shown(app)


def test_the_workbench_is_sent_once_for_all_settings_of_a_strategy(root: Path) -> None:
    app = opened(root)
    first = workbench(app)
    calm(app.slider(key=key(app, "alpha")).set_value(0.8).run())
    moved = workbench(app)
    assert moved["lanes"][0]["source"] == first["lanes"][0]["source"] and moved["lanes"][0]["setting"]["alpha"] == 0.8
    assert moved["revision"] == first["revision"] + 1, "the browser must follow"
    calm(app.run())
    assert workbench(app)["revision"] == moved["revision"]
    calm(app.selectbox(key="strategy").set_value("percentile").run())
    changed = workbench(app)
    assert changed["lanes"][0]["source"] != first["lanes"][0]["source"]
    assert changed["source"] == first["source"], "the text is not sent again"


def test_a_file_that_cannot_be_read_is_named(root: Path) -> None:
    app = opened(root)
    upload(app, "broken-report.pdf", b"%PDF-1.4 garbage")
    assert "“broken-report.pdf”: The file is not a PDF, or it is damaged." in shown(app)
    upload(app, "empty.txt", b"  ")
    assert "“empty.txt” is empty" in shown(app) and shown(app).count("“empty.txt”") == 1
