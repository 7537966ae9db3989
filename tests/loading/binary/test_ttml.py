"""Timed Text Markup."""

from __future__ import annotations

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import ttml
from chunking.loading.parsed import LoadParameters
from tests.loading.checks import check_parsed

HEAD = (
    '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="en" '
    'xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ttp:frameRate="25" ttp:tickRate="1000"><head><styling><style/>'
    '</styling><metadata><ttm:agent xml:id="a"><ttm:name>Ada</ttm:name></ttm:agent></metadata></head>'
)


def cues(body: str) -> list[tuple[str, str, str]]:
    result = ttml.parse(f"{HEAD}<body><div>{body}</div></body></tt>".encode(), "tea.ttml", LoadParameters())
    check_parsed(result)
    assert not result.text or result.language == "en"
    return [(block.kind, block.title, result.text[block.content : block.end]) for block in result.blocks]


def test_cues_have_words_and_speakers() -> None:
    body = (
        '<p begin="00:00:01.000" end="00:00:03.200" ttm:agent="a">Is it <span>hot</span>,<br/>as  I\nasked &lt;?</p>'
        '<p begin="4s" end="5s">- No.<br/>- BEN: Yes.</p><p begin="5s" end="6s"> <br/></p><p begin="6s"><metadata>'
        "<x>not shown</x></metadata>Oh.</p>"
    )
    assert cues(body) == [
        ("speaker_turn", "Ada", "Is it hot,\nas I asked <?"),
        ("speaker_turn", "", "No."),
        ("speaker_turn", "BEN", "Yes."),
        ("paragraph", "", "Oh."),
    ]


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ('begin="00:01:02.5"', 'end="00:01:03:05"', (62.5, 63.2)),
        ('begin="90f"', 'dur="2000t"', (3.6, 5.6)),
        ('begin="1.5m"', 'end="0.1h"', (90.0, 360.0)),
        ('begin="500ms"', "", (0.5, 0.5)),
        ('begin="nonsense"', 'end="2s"', (0.0, 2.0)),
    ],
)
def test_times_of_every_kind(begin: str, end: str, expected: tuple[float, float]) -> None:
    document = load(f"{HEAD}<body><div><p {begin} {end}>Tea.</p></div></body></tt>".encode(), "tea.dfxp")
    assert document.timeline.between(0, len(document.text)) == expected


def test_times_are_counted_from_what_is_around() -> None:
    text = f'{HEAD}<body begin="10s"><div begin="5s"><p begin="1s" end="2s">Tea.</p></div></body></tt>'
    document = load(f'<?xml version="1.0"?>{text}'.encode(), "tea.xml")
    assert (document.format, document.timeline.between(0, 99)) == ("ttml", (16.0, 17.0))


def test_harmful_files_are_refused() -> None:
    deep = "<div>" * 200 + "</div>" * 200
    for text, words in ((f"{HEAD}<body>{deep}</body></tt>", "nested"), ("<tt><p>", "well-formed")):
        with pytest.raises(ChunkscopeError, match=words):
            ttml.parse(text.encode(), "tea.ttml", LoadParameters())
