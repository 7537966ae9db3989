"""When the chunks of subtitles and transcripts are spoken, and where they may be cut."""

from __future__ import annotations

import csv
import io

import pytest

from chunking import export, load, strategies
from chunking.checks import check
from chunking.document import Document
from chunking.workspace import DocumentAnalysis, Models

CUES = [f"{number} mills stood by the river, and all of them turned. Then {number} closed." for number in range(2, 14)]


def clock(seconds: int, comma: str) -> str:
    return f"00:{seconds // 60:02}:{seconds % 60:02}{comma}500"


SRT = "".join(
    f"{number}\n{clock(20 * number, ',')} --> {clock(20 * number + 10, ',')}\n{words}\n\n"
    for number, words in enumerate(CUES, 1)
)
VTT = "WEBVTT\n\n" + "".join(
    f"{clock(20 * number, '.')} --> {clock(20 * number + 10, '.')} align:start\n<v Ada>{words}\n\n"
    for number, words in enumerate(CUES, 1)
)
SETTINGS = (
    "fixed_size:max_tokens=40;overlap=0",
    "fixed_size:max_tokens=60;overlap=0",
    "recursive:size=90;overlap=0",
    "recursive:size=25;overlap=0",
    "sentence:max_tokens=40;overlap=0",
    "percentile:max_tokens=40",
    "sentence:max_tokens=60;overlap=0",
    "structural:max_tokens=120",
    "percentile:percentile=50",
    "paragraph:min_tokens=0",
    "section:max_tokens=80",
    "changepoint",
)


def segment(document: Document, setting: str) -> strategies.Segmentation:
    parsed = strategies.parse(setting)
    return strategies.run(
        parsed.strategy.name, DocumentAnalysis(document, Models("char-ngrams", splitter="rules")), parsed.params
    )


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("text", "file"), [(SRT, "mill.srt"), (VTT, "mill.vtt"), (SRT.replace("\n", "\r\n"), "mill.srt")]
)
def test_no_strategy_cuts_between_the_number_or_times_of_a_cue_and_its_words(
    setting: str, text: str, file: str
) -> None:
    document = load(text.encode(), file, language="en")
    chunks = segment(document, setting).chunks
    assert "".join(chunk.text for chunk in chunks) == document.text
    marks = [(block.start, block.content) for block in document.blocks]
    assert len(marks) == len(CUES)
    assert not [chunk.start for chunk in chunks for start, content in marks if start < chunk.start <= content]


def test_chunks_have_their_times_and_speakers_in_every_export() -> None:
    segmentation = segment(load(VTT.encode(), "mill.vtt", language="en"), "section:max_tokens=120")
    rows = export.chunk_rows(segmentation)
    assert len(rows) > 2
    assert (rows[0]["start_time"], rows[-1]["end_time"]) == (20.5, 20 * len(CUES) + 10.5)
    assert all(row["speakers"] == ["Ada"] and row["start_time"] < row["end_time"] for row in rows)
    table = list(csv.DictReader(io.StringIO(export.table(rows, export.CHUNK_COLUMNS))))
    assert [row["start_time"] for row in table] == [str(row["start_time"]) for row in rows]
    assert {row["speakers"] for row in table} == {"Ada"}
    for metadata in (
        row["metadata"] for row in [*export.langchain_rows(segmentation), *export.llama_index_rows(segmentation)]
    ):
        assert metadata["speakers"] == "Ada"
        assert isinstance(metadata["end_time"], float)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("[00:00:04] HOST: Is it so, my friend?\n[00:01:09.5] GUEST: It is so indeed.\n" * 2, (4.0, 4.0)),
        ("00:01\nIt failed twice.\n02:04\nIt ran hot then.\n", (1.0, 124.0)),
        ("[00:00:01.000 --> 00:00:04.000]  It failed.\n[01:00:04.000 --> 01:00:08.000]  It ran hot.\n", (1.0, 3604.0)),
    ],
)
def test_transcripts_have_times(text: str, times: tuple[float, float]) -> None:
    timeline = load(text.encode(), "talk.txt").timeline
    begins = [begin for begin, _ in timeline.times]
    assert (begins[0], begins[1 if len(begins) == 2 else 2]) == times


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-02, 08:14 - Ada: is it there?\n2026-03-02, 08:15 - Ben: not with me\n" * 2,
        "10:31 Ada: is it there?\n10:32 Ben: not with me, no\n" * 2,
        "Just text at 00:01.\n",
    ],
)
def test_the_time_of_a_clock_is_no_time_of_a_recording(text: str) -> None:
    assert load(text.encode(), "talk.txt").timeline.times == ()


def test_a_check_of_how_a_chunk_opens_skips_the_mark_of_its_cue() -> None:
    cues = ("The mill stood by the river.", "They pay for it, and it turns.")
    text = "".join(
        f"{number}\n{clock(number, ',')} --> {clock(number + 1, ',')}\n{words}\n\n"
        for number, words in enumerate(cues, 1)
    )
    analysis = DocumentAnalysis(load(text.encode(), "mill.srt", language="en"), Models("char-ngrams", splitter="rules"))
    setting = strategies.parse("recursive:size=70;overlap=0")
    segmentation = strategies.run(setting.strategy.name, analysis, setting.params)
    assert "orphan" in [finding.kind for finding in check(segmentation, analysis).findings]
