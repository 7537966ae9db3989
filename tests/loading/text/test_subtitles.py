from __future__ import annotations

import pytest

from chunking.document import Block
from chunking.loading import load
from chunking.loading.text import subtitles
from tests.loading.checks import check_blocks


def checked(text: str) -> list[Block]:
    """The blocks of a text, which hold what every loader's do."""
    return check_blocks(text, subtitles.blocks(text) or ())


def shapes(text: str) -> list[tuple[str, str, str]]:
    return [(block.kind, block.title, text[block.content : block.end]) for block in checked(text)]


WEB = """WEBVTT - Tea

STYLE
::cue { color: red }

REGION
id:one

NOTE a remark
over two lines

intro
00:00:01.000 --> 00:00:02.000 align:start
<v.loud Ada Byron>Is the <i>water</i> hot,

00:02.000 --> 00:03.000
as I asked
before?

00:03.000 --> 00:04.000
<i></i>

00:04.000 --> 00:05.000
- Who is it?
- GRACE: Me.
"""

RIP = """1
00:00:01,000 --> 00:00:02,000
DR. BOB: Yes. Note: no.

2
00:00:02,000 --> 00:00:03,000
>> Cut!
3
00:00:03,000 --> 00:00:04,500
NARRATOR:
{\\an8}Long ago
ANN: Really?
- Only a dash.
"""


def test_webvtt() -> None:
    assert shapes(WEB) == [
        ("speaker_turn", "Ada Byron", "Is the <i>water</i> hot,"),
        ("paragraph", "", "as I asked\nbefore?"),
        ("speaker_turn", "", "Who is it?"),
        ("speaker_turn", "GRACE", "Me."),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_subrip_even_without_a_blank_line_between_cues(end: str) -> None:
    assert shapes(RIP.replace("\n", end)) == [
        ("speaker_turn", "DR. BOB", "Yes. Note: no."),
        ("speaker_turn", "", "Cut!"),
        ("speaker_turn", "NARRATOR", "{\\an8}Long ago"),
        ("speaker_turn", "ANN", f"Really?{end}- Only a dash."),
    ]


def test_marks_are_inside_the_block() -> None:
    assert [RIP[block.start : block.content] for block in checked(RIP)] == [
        "1\n00:00:01,000 --> 00:00:02,000\nDR. BOB: ",
        "2\n00:00:02,000 --> 00:00:03,000\n>> ",
        "3\n00:00:03,000 --> 00:00:04,500\nNARRATOR:\n",
        "ANN: ",
    ]
    assert WEB[checked(WEB)[0].start :].startswith("intro\n00:00:01.000")


def test_a_number_that_is_said_is_kept() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\n42\n\n2\n00:00:02,000 --> 00:00:03,000\nIndeed\n7\n"
    assert shapes(text) == [("paragraph", "", "42"), ("paragraph", "", "Indeed\n7")]


def test_a_line_of_spaces_below_the_times_does_not_end_a_cue() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n \nthe<00:01.500><c> pump</c>\n\n00:02.000 --> 00:03.000\nfailed\n \n"
    assert [words for _, _, words in shapes(text)] == ["the<00:01.500><c> pump</c>", "failed"]


def test_a_voice_follows_a_dash() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n- <v Ada>It failed.</v>\n- <v Ben>Twice?</v>\n"
    assert [(name, words) for _, name, words in shapes(text)] == [("Ada", "It failed.</v>"), ("Ben", "Twice?</v>")]


def test_what_has_no_cue_is_no_subtitles() -> None:
    assert subtitles.blocks("Just words.\n\n1\n\n2\n") is None
    assert subtitles.blocks("") is None
    assert subtitles.blocks("WEBVTT\n") == ()
    assert load(b"Just words. More.\n", "words.srt").format == "text"


def test_they_are_loaded_by_their_suffixes() -> None:
    assert load(RIP.encode(), "tea.srt").format == "subtitles"
    assert load(WEB.encode(), "tea.vtt").blocks == tuple(checked(WEB))
