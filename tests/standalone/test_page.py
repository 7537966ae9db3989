from __future__ import annotations

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, Models, __version__, compare, from_text, inspect, load
from chunking.standalone import packing
from chunking.web import FOLDER, joined_script
from tests.pages.conftest import Ask
from tests.standalone.test_engine import data_of

TOOLS = Models("char-ngrams", splitter="rules")
TEXT = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Let it rise. Bake it.\n"
HOSTILE = (
    "# </script><script>alert(1)</script>\n\n<!-- <img src=x onerror=alert(2)> Boil \u2028 it\u2029. & Wait &lt; "
    "\"quoted\" 'single'.\n\n]]> <style>*{display:none}</style> \0 \x1b Rise \u202e now. \ud800 End.\n\n- </article>\n"
)


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.links += [name for name, _ in attrs if name in ("src", "href", "action", "data", "poster", "srcset")]
        self.links += [name for name, _ in attrs if name.startswith("on")]


def elements(html: str) -> Elements:
    parser = Elements()
    parser.feed(html)
    return parser


def test_the_text_of_a_document_is_never_markup() -> None:
    hostile = inspect(from_text(HOSTILE, "<img src=x>.md"), "structural:percentile=50;overlap=1", TOOLS)
    found = elements(hostile.html)
    assert found.found.count("script") == 2
    assert "img" not in found.found
    assert found.found.count("style") == 1
    assert found.links == []
    assert "<!--" not in hostile.html.split("<body>")[1]
    assert not re.search("[\u2028\u2029]", hostile.html.split('id="data">')[1].split("</script>")[0])
    assert data_of(hostile)["text"]["text"] == HOSTILE.replace("\ud800", "\ufffd")


@given(st.recursive(st.text(max_size=20) | st.integers(), lambda inner: st.lists(inner, max_size=4)))
def test_json_cannot_end_its_element(value: object) -> None:
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", packing.as_json(value))


def test_the_page_allows_its_own_script_alone() -> None:
    html = inspect(TEXT, tools=TOOLS).html
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    parts = dict(part.strip().split(" ", 1) for part in policy[1].split(";"))
    assert parts.keys() == {"default-src", "style-src", "script-src"}
    assert parts["default-src"] == "'none'"
    assert re.fullmatch("'sha256-[A-Za-z0-9+/=]{44}'", parts["script-src"])
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "") and "https://" not in html


def test_the_script_is_one_module_that_html_can_hold(node: str, tmp_path: Path) -> None:
    script = joined_script(FOLDER / "standalone" / "main.js")
    assert "</script" not in script and "<!--" not in script and "\nimport " not in script
    place = tmp_path / "joined.mjs"
    place.write_text(script, encoding="utf-8")
    run = subprocess.run([node, "--check", str(place)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_the_same_input_gives_the_same_bytes() -> None:
    first, again = (compare(TEXT, ["structural", "recursive"], TOOLS).html for _ in range(2))
    assert first == again


def test_without_a_script_the_page_is_a_report() -> None:
    found = inspect(from_text(TEXT, "tea.md"), "structural:percentile=60;overlap=1", TOOLS)
    html = re.sub(r"<script.*?</script>", "", found.html, flags=re.DOTALL)
    document = found.workspace.document
    for words in (document.text_hash, __version__, "char-ngrams", "cl100k_base", "Boil the water.", "tea.md"):
        assert words in html
    assert "-p percentile=60.0 -p overlap=1" in html
    assert re.search(r'<path id="curve-fused" d="M0\.5 \d+L1\.5 ', html)
    for chunk in found.segmentations[0].chunks[1:]:
        assert chunk.cut is not None and f"{chunk.cut.score:.3f} &gt; {chunk.cut.threshold:.3f}" in html


def test_a_comparison_has_its_lanes_sizes_and_agreement() -> None:
    found = compare(TEXT, ["structural:percentile=60", "heading", "sentence:max_tokens=30"], TOOLS)
    assert [lane["strategy"] for lane in data_of(found)["lanes"]] == ["structural", "heading", "sentence"]
    assert found.html.count('class="lane ') == 3
    assert "Agreement" in found.html and "Sizes in tokens" in found.html
    assert "--strategies structural:percentile=60.0,heading,sentence:max_tokens=30" in found.html.replace("&#x27;", "")


@pytest.mark.parametrize(
    "text", ["", "One.", "word" * 300, "```\ncode = 1\n```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"]
)
@pytest.mark.parametrize("setting", ["structural", "gradient", "changepoint", "recursive"])
def test_small_and_odd_documents_have_a_page(ask: Ask, text: str, setting: str) -> None:
    found = inspect(text, setting, TOOLS)
    answer = ask("segmentation", page=data_of(found), lane=0, moved={})
    assert "".join(text[chunk["start"] : chunk["end"]] for chunk in answer["chunks"]) == text


def test_a_notebook_gets_a_frame_that_can_reach_nothing() -> None:
    found = inspect(from_text(HOSTILE), tools=TOOLS)
    frame = elements(found._repr_html_())
    assert frame.found == ["iframe"]
    assert 'sandbox="allow-scripts"' in found._repr_html_()


def test_a_page_is_saved(tmp_path: Path) -> None:
    found = inspect(TEXT, tools=TOOLS)
    assert found.save(tmp_path / "page.html").read_text(encoding="utf-8") == found.html
    with pytest.raises(ChunkscopeError, match="cannot be written"):
        found.save(tmp_path / "missing" / "page.html")


def test_bad_input_says_what_to_do() -> None:
    with pytest.raises(ChunkscopeError, match="No setting"):
        compare(TEXT, [])
    with pytest.raises(ChunkscopeError, match="nonsense"):
        inspect(TEXT, "nonsense")


def test_a_long_document_makes_a_small_file() -> None:
    sentences = [
        f"Vessel {number} came in on the tide with timber and left with grain for the south." for number in range(2000)
    ]
    text = "\n\n".join(" ".join(sentences[start : start + 8]) for start in range(0, 2000, 8))
    found = inspect(load(text.encode(), "log.md"), "structural:overlap=1", TOOLS)
    assert len(found.workspace.sentences) == 2000
    assert len(found.html.encode()) < 1_500_000
