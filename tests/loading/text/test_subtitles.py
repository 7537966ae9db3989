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


def times(data: str, name: str) -> list[tuple[float, float | None] | None]:
    document = load(data.encode(), name)
    assert document.format == "subtitles"
    return [document.timeline.between(block.start, block.end) for block in document.blocks]


def test_names_in_brackets_are_speakers_where_many_cues_begin_with_one() -> None:
    cue = "{0}\n00:00:0{0},000 --> 00:00:0{0},500\n{1}\n\n".format
    named = cue(1, "[Ada] It failed.\n[Ben Lee] Twice?") + cue(2, "[Door slams]")
    assert [shape[:2] for shape in shapes(named)] == [
        ("speaker_turn", "Ada"),
        ("speaker_turn", "Ben Lee"),
        ("paragraph", ""),
    ]
    sounds = "".join(cue(number, "Well.") for number in range(4)) + cue(5, "[Laughs] Well.")
    assert {kind for kind, *_ in shapes(sounds)} == {"paragraph"}
    assert shapes(sounds + cue(6, "[SPEAKER_01]: Well."))[-1] == ("speaker_turn", "SPEAKER_01", "Well.")


def test_subtitles_of_youtube() -> None:
    text = "0:00:01.000,0:00:03.000\n>> Is it hot,\nas I asked?\n\n0:00:03.500,0:00:04.000\nNo.\n"
    assert shapes(text) == [("speaker_turn", "", "Is it hot,\nas I asked?"), ("paragraph", "", "No.")]
    assert times(text, "tea.sbv") == [(1.0, 3.0), (3.5, 4.0)]


ALPHA = """[Script Info]
Title: Dialogue: 0,0:00:00.00,0:00:00.50,a,b,0,0,0,,no

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:03.50,Default,Ada,0,0,0,,{\\i1}Is it{\\i0} hot,\\Nas I asked?
Comment: 0,0:00:01.00,0:00:03.50,Default,,0,0,0,,a remark
Dialogue: 0,0:00:04.00,0:00:05.50,Default,,0,0,0,,No.
Dialogue: 0,0:00:06.00,0:00:06.50,Default,,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}
Dialogue: 0,0:00:07.00,0:00:07.50,Default,,0,0,0,,{\\an8}\\N
Dialogue: broken
"""


def test_substation_alpha() -> None:
    assert shapes(ALPHA) == [
        ("speaker_turn", "Ada", "{\\i1}Is it{\\i0} hot,\\Nas I asked?"),
        ("paragraph", "", "No."),
    ]
    assert times(ALPHA, "tea.ass") == [(1.0, 3.5), (4.0, 5.5)]
    fields = "Format: Marked, Start, End, Actor, Text"
    older = f"[Events]\r\n{fields}\r\nDialogue: Marked=0,0:00:01.00,0:00:02.00,Ben,No, no.\r\n"
    assert shapes(older) == [("speaker_turn", "Ben", "No, no.")]


def test_lyrics() -> None:
    text = "[ar:Ada]\n[00:01.00]It <00:01.50>failed\n[00:04.00][01:10.00]Again\n[00:06.00]\n[00:07.10]No more\n"
    assert shapes(text) == [
        ("paragraph", "", "It <00:01.50>failed"),
        ("paragraph", "", "Again"),
        ("paragraph", "", "No more"),
    ]
    assert times(text, "song.lrc") == [(1.0, 4.0), (4.0, 7.1), (7.1, None)]
