from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import from_text, strategies
from chunking.checks import CheckThresholds, Finding, check, checks, reports
from chunking.chunks import TokenCounts
from chunking.document import Span
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples

FAST = Models(encoder="char-ngrams")


def cut(text: str, *offsets: int, format: str = "markdown", overlap: int = 0) -> tuple[Segmentation, DocumentAnalysis]:
    """Chunks that begin at some offsets, each with so many characters before it repeated."""
    workspace = DocumentAnalysis(from_text(text, format=format), FAST)
    whole = strategies.parse("whole").run(workspace)
    (chunk,) = whole.chunks
    bounds = [0, *offsets, len(text)]
    chunks = []
    for index, (start, end) in enumerate(pairwise(bounds)):
        piece = replace(chunk, index=index, start=start, end=end, text=text[start:end], counts=TokenCounts((50, 0, 50)))
        if overlap and start:
            before = Span(max(start - overlap, 0), start)
            piece = replace(piece, overlap=before, counts=TokenCounts((50, 5, 55)))
        chunks.append(piece)
    return replace(whole, chunks=tuple(chunks)), workspace


def found(
    kind: str, made: tuple[Segmentation, DocumentAnalysis], thresholds: CheckThresholds | None = None
) -> list[Finding]:
    return [finding for finding in check(*made, thresholds).findings if finding.kind == kind]


def reasons(kind: str, made: tuple[Segmentation, DocumentAnalysis]) -> list[tuple[int, str]]:
    return [(finding.chunk, finding.reason) for finding in found(kind, made)]


# --- duplicates ----------------------------------------------------------------------------------------------------

PIER = "The keeper climbs ninety steps at dusk and lights the lamp above the pier."
BOAT = "A boat brings oil and letters every second week unless the wind is in the north."


def test_chunks_with_the_same_words_are_found() -> None:
    text = f"{PIER}\n\n{BOAT}\n\n{PIER.upper()}\n\n{BOAT[:-1]} again.\n"
    starts = [text.index(word) for word in ("A boat", "THE KEEPER")] + [text.rindex("A boat")]
    findings = found("duplicate", cut(text, *starts))
    assert [(finding.chunk, finding.other) for finding in findings] == [(2, 0), (3, 1)]
    assert findings[0].reason == "the same words"
    assert findings[1].reason == "92 % of the runs of 5 words are shared"


def test_a_part_and_what_holds_it_are_no_duplicates() -> None:
    segmentation, workspace = cut(f"{PIER}\n", 10)
    (first, second) = segmentation.chunks
    nested = replace(second, start=0, text=first.text + second.text)
    assert not found("duplicate", (replace(segmentation, chunks=(nested, replace(nested, index=1))), workspace))


letters = st.lists(st.sampled_from("abcdefg"), max_size=7).map(" ".join)
shares = st.sampled_from([0.2, 0.25, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.75, 0.8, 1.0])


@settings(max_examples=examples(400))
@given(st.lists(letters, min_size=1, max_size=6), shares, st.integers(1, 2))
def test_duplicates_are_those_of_comparing_all_pairs(texts: list[str], share: float, run: int) -> None:
    text, offsets = "", []
    for piece in texts:
        offsets.append(len(text))
        text += piece + "\n\n"
    thresholds = CheckThresholds(duplicate=share, run=run)
    segmentation, workspace = cut(text, *offsets[1:], format="text")
    expected: dict[int, float] = {}
    runs = [checks._runs(chunk.text, run) for chunk in segmentation.chunks]
    for one, other in combinations(range(len(runs)), 2):
        if runs[one] and runs[other]:
            alike = len(runs[one] & runs[other]) / len(runs[one] | runs[other])
            if alike >= share:
                expected[other] = max(expected.get(other, 0.0), alike)
    findings = found("duplicate", (segmentation, workspace), thresholds)
    assert {finding.chunk for finding in findings} == set(expected)
    for finding in findings:
        assert finding.other is not None
        assert finding.other < finding.chunk
        shared, both = runs[finding.other] & runs[finding.chunk], runs[finding.other] | runs[finding.chunk]
        assert len(shared) / len(both) == expected[finding.chunk]


# --- orphans -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        ("However, the oil ran out.", "opens with words that continue the text before: 'However, the'"),
        ("This was not enough.", "opens with words that refer to the text before: 'This was'"),
        ("The following boat was late.", None),
        ("Oil was cheap that year.", None),
    ],
)
def test_a_chunk_that_goes_on_is_an_orphan(opening: str, reason: str | None) -> None:
    text = f"{PIER}\n\n{opening} {BOAT}\n"
    start = text.index(opening)
    assert reasons("orphan", cut(text, start)) == ([(1, reason)] if reason else [])
    assert reasons("orphan", cut(text, start, overlap=start)) == []  # what is before is repeated with it
    assert reasons("orphan", cut(text)) == []


TABLE = "| port | depth |\n|---|---|\n| east | nine |\n| west | six |\n"
LIST = "- ropes\n- lamps\n- oil\n"


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        (f"{PIER}\n\n{TABLE}", "| west", "rows of a table without its head"),
        (f"{PIER}\n\n```\nfirst()\n\nsecond()\n```\n", "second", "code without its beginning"),
        (f"The store has:\n\n{LIST}", "- ropes", "list item without the line that announces it"),
        (f"{PIER}\n\n{LIST}", "- lamps", "items of a list without its beginning"),
        (f"{PIER}\n\n{LIST}", "- ropes", None),
        (f"# Light\n\n{PIER}\n\n{BOAT}\n", "The keeper", "text without its heading"),
        (f"# Light\n\n{PIER}\n\n{BOAT}\n", "A boat", None),
        (f"{PIER}\n\n# However\n\n{BOAT}\n", "# However", None),
    ],
)
def test_a_chunk_without_its_beginning_is_an_orphan(text: str, at: str, reason: str | None) -> None:
    assert reasons("orphan", cut(text, text.index(at))) == ([(1, reason)] if reason else [])


# --- fragments -----------------------------------------------------------------------------------------------------


def test_small_chunks_and_headings_alone_are_fragments() -> None:
    text = f"# Light\n\n{PIER}\n\n{BOAT}\n"
    segmentation, workspace = cut(text, text.index("The keeper"), text.index("A boat"))
    sizes = zip(segmentation.chunks, (3, 20, 19), strict=True)
    chunks = [replace(chunk, counts=TokenCounts((tokens, 0, tokens))) for chunk, tokens in sizes]
    made = replace(segmentation, chunks=tuple(chunks)), workspace
    assert reasons("fragment", made) == [(0, "nothing but headings, 3 tokens"), (2, "19 tokens")]
    alone = replace(segmentation, chunks=(replace(chunks[0], end=len(text), text=text),)), workspace
    assert reasons("fragment", alone) == []


def test_what_is_repeated_before_a_chunk_is_there() -> None:
    text = f"# Light\n\n{PIER}\n\n{LIST}\n"
    start = text.index("- lamps")
    assert reasons("orphan", cut(text, start)) == [(1, "items of a list without its beginning")]
    assert reasons("orphan", cut(text, start, overlap=len("- ropes\n"))) == []
    rows = f"{PIER}\n\n{TABLE}"
    west = rows.index("| west")
    assert reasons("orphan", cut(rows, west, overlap=len("| east | nine |\n"))) != []
    assert reasons("orphan", cut(rows, west, overlap=west - rows.index("| port"))) == []


def test_a_cut_right_after_a_sentence_is_none_inside_it() -> None:
    assert reasons("fragment", cut(f"{PIER} {BOAT}\n", len(PIER))) == []


def test_a_cut_inside_a_sentence_makes_two_fragments() -> None:
    text = f"{PIER} {BOAT}\n"
    made = cut(text, text.index("climbs"), text.index("letters"))
    assert reasons("fragment", made) == [
        (0, "ends inside a sentence"),
        (1, "begins and ends inside a sentence"),
        (2, "begins inside a sentence"),
    ]
    assert reasons("fragment", cut(text, text.index("A boat"))) == []
    repeated = cut(text, text.index("climbs"), overlap=text.index("climbs"))
    assert reasons("fragment", repeated) == [(0, "ends inside a sentence")]


# --- topics --------------------------------------------------------------------------------------------------------

SEA = "The tide is high at noon. The waves reach the wall. A gull sits on the mast. The tide falls at dusk."
TAX = "Taxes are due in April. The form asks for income. Send the form to the office. Late taxes cost more."
TEA = "Boil water for the tea. Warm the pot with water. Add leaves of black tea. Let the tea stand for long."


def mixed_topics(share: float, *parts: str) -> list[tuple[int, str]]:
    """Where topics change in the middle of a chunk by the built-in model, in chunks of so many parts."""
    text = "\n\n".join(parts) + "\n"
    starts = [place for place in range(1, len(text)) if text[place - 2 : place] == "\n\n"]
    segmentation, workspace = cut(text, *starts)
    findings = found("mixed", (segmentation, DocumentAnalysis(workspace.document)), CheckThresholds(mixed=share))
    return [(finding.chunk, text[finding.at : finding.end]) for finding in findings]


def test_two_topics_in_one_chunk_are_found_where_they_part() -> None:
    ((chunk, rest),) = mixed_topics(0.0, SEA, TAX, TEA, SEA, TAX, TEA, f"{SEA} {TAX}", TEA)
    assert chunk == 6 and rest.startswith("Taxes are due")


def test_one_topic_in_a_chunk_is_none_too_many() -> None:
    assert mixed_topics(0.5, SEA, TAX, TEA, SEA, TAX, f"{SEA} {SEA}", TEA) == []


def test_a_topic_has_as_many_sentences_as_are_compared() -> None:
    odd = f"The tide is high at noon. {TAX} {TAX}"
    assert mixed_topics(0.0, SEA, TAX, TEA, SEA, TAX, TEA, odd, SEA) == []


def test_topics_are_not_looked_for_with_too_few_cuts() -> None:
    report = check(*cut(f"{SEA} {TAX}\n\n{TEA}\n", len(SEA) + len(TAX) + 3))
    assert report.unseen == (("mixed", "fewer than 4 cuts between sentences to compare with"),)
    assert "note: mixed was not looked for" in reports.findings_table(report)


# --- cuts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        (f"{PIER}\n\n{TABLE}", "| west", "after row 3 of a table of 4"),
        (f"{PIER}\n\n{TABLE}", "| port", None),
        (f"{PIER}\n\n```\nfirst()\n\nsecond()\n```\n", "second", "after line 3 of a block of code of 5"),
        (f"{PIER}\n\n{LIST}", "- oil", "after item 2 of a list of 3"),
        (f"{PIER}\n\n{LIST}", "amps", "inside an item of a list"),
        (f"{PIER}\n\n{LIST}\n{BOAT}\n", "A boat", None),
    ],
)
def test_a_cut_inside_a_list_a_table_or_code_is_found(text: str, at: str, reason: str | None) -> None:
    assert reasons("cut", cut(text, text.index(at))) == ([(1, reason)] if reason else [])


# --- the encoder's reach -------------------------------------------------------------------------------------------


def test_a_chunk_that_the_encoder_does_not_read_to_its_end_is_found() -> None:
    text = f"{PIER}\n\n{' '.join([PIER, BOAT] * 12)}\n\n{BOAT}\n"
    segmentation, workspace = cut(text, text.index(PIER, 10), text.rindex(BOAT))
    mini = DocumentAnalysis(workspace.document, Models())
    (finding,) = found("unread", (segmentation, mini))
    long = segmentation.chunks[1].text
    limit, (tokens,) = mini.retrieval_encoder.max_tokens, mini.retrieval_encoder.token_counts([long])
    assert finding.chunk == 1
    assert finding.reason == f"{tokens} tokens of all-MiniLM-L6-v2, which reads {limit}"
    assert finding.at is not None
    read = long[: finding.at - finding.start]
    assert (
        mini.retrieval_encoder.token_counts([read])[0]
        <= limit
        < mini.retrieval_encoder.token_counts([f"{read} more and more"])[0]
    )
    assert checks.unread(segmentation, mini.retrieval_encoder) == {1: tokens}
    assert not found("unread", (segmentation, workspace))  # letters have no end


def test_the_overlap_before_a_chunk_is_read_first() -> None:
    text = " ".join([PIER, BOAT] * 8)
    segmentation, workspace = cut(text, len(text) // 2, overlap=len(text) // 2)
    assert list(checks.unread(segmentation, DocumentAnalysis(workspace.document, Models()).retrieval_encoder)) == [1]
