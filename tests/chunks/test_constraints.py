from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import DocumentAnalysis, Models, explain, from_text, samples, strategies
from chunking.checks import check
from chunking.chunks import limits
from chunking.chunks.constraints import CODE, FREE, KINDS, constraints_of
from chunking.document import Block, Document
from chunking.export.tables import limits_in_words
from chunking.loading import load

TEXT = """# The mill

## Tides

The wheel turns on the ebb. It needs two metres of water.

What the miller checks:

- the sluice
- the paddles
- the stones

| tide | hours |
|------|-------|
| spring | 7 |
| neap | 4 |

```
open(sluice)

wait(2)

grind()
```

## Stones

They are dressed twice a year. A dresser comes from the town. He stays a week.
"""


def analysis(text: str = TEXT, format: str = "markdown") -> DocumentAnalysis:
    return DocumentAnalysis(from_text(text, format=format, language="en"), Models("char-ngrams", splitter="rules"))


def kinds_at(document: Document, *words: str) -> list[str]:
    """Return what holds the start of the line of each of some words, ``""`` where a chunk may begin."""
    starts = [document.text.rindex("\n", 0, document.text.index(word)) + 1 for word in words]
    codes = constraints_of(document).at(np.array(starts, dtype=np.int64)).tolist()
    return ["" if code == FREE else KINDS[code - 1] for code in codes]


def test_what_belongs_together_is_held_and_all_else_is_free() -> None:
    document = analysis().document
    assert kinds_at(document, "## Tides", "The wheel", "What the", "- the sluice", "- the paddles") == [
        "heading",
        "heading",
        "",
        "lead-in",
        "",
    ]
    assert kinds_at(document, "| tide", "|------", "| spring", "| neap") == ["", "table", "table", ""]
    assert kinds_at(document, "```\nopen", "wait", "grind", "## Stones", "They are") == [
        "",
        "code",
        "code",
        "",
        "heading",
    ]


def test_answers_captions_and_marks() -> None:
    turns = [("Q", "When?"), ("A", "At dawn."), ("Q", "Who?"), ("THE COURT", "Answer."), ("A", "The miller.")]
    text, blocks = "", []
    for speaker, words in turns:
        start = len(text)
        text += f"{speaker}. {words}\n"
        content = start + len(speaker) + 2
        blocks.append(Block("speaker_turn", start, len(text) - 1, content=content, title=speaker))
    constraints = constraints_of(Document(text, tuple(blocks)))
    starts = np.array([block.start for block in blocks])
    held = [KINDS[code - 1] if code else "" for code in constraints.at(starts).tolist()]
    assert held == ["", "answer", "", "", ""]
    contents = np.array([block.content for block in blocks])
    assert {KINDS[code - 1] for code in constraints.at(contents).tolist()} == {"mark"}

    text = "Table 1. Tides\nspring 7\nneap 4\n"
    table = Document(text, (Block("caption", 0, 14), Block("table", 15, 30)))
    assert [KINDS[code - 1] for code in constraints_of(table).at(np.array([15, 24])).tolist()] == ["caption", "table"]


@pytest.mark.parametrize(
    ("name", "text", "first_words"),
    [
        ("a.md", '!!! note "Cold water"\n    It cracks the stones.\n\n    It may freeze.\n', "It cracks"),
        ("a.md", ":::tip Cold water\n\nIt cracks the stones.\n\nIt may freeze.\n\n:::\n", "It cracks"),
        ("a.md", '=== "Cold water"\n\n    - It cracks the stones.\n\n    It may freeze.\n', "- It cracks"),
        ("a.md", "<details><summary>Cold water</summary>\n\nIt cracks the stones.\n\nIt may freeze.\n", "It cracks"),
        ("a.rst", ".. admonition:: Cold water\n\n   It cracks the stones.\n\n   It may freeze.\n", "   It cracks"),
        (
            "a.html",
            "<details><summary>Cold water</summary><p>It cracks.</p><p>It may freeze.</p></details>",
            "It cracks",
        ),
        ("a.html", '<p class="admonition-title">Cold water</p><p>It cracks.</p><p>It may freeze.</p>', "It cracks"),
    ],
)
def test_the_title_of_an_admonition_is_held_by_its_first_words(name: str, text: str, first_words: str) -> None:
    document = load(text.encode(), name, "en")
    assert kinds_at(document, first_words, "It may") == ["title", ""]


def test_the_first_words_of_a_note_are_no_title() -> None:
    document = from_text(".. note:: It cracks.\n\n   It may freeze.\n", format="rst", language="en")
    assert kinds_at(document, "   It may") == [""]


@pytest.mark.parametrize("format", ["python", "json"])
def test_a_program_and_values_are_no_code_in_a_text(format: str) -> None:
    text = {"python": "def mill():\n    a = 1\n\n    return a\n", "json": '{"a": [1,\n 2]}\n'}[format]
    assert CODE not in constraints_of(from_text(text, format=format, language="en")).codes.tolist()


@pytest.mark.parametrize(
    "name", ["structural", "changepoint", "percentile", "paragraph", "section", "fixed_size", "sentence"]
)
@settings(deadline=None, max_examples=25)
@given(maximum=st.sampled_from([0, 12, 20, 40, 90]), soft=st.sampled_from([0, 15, 40]))
def test_nothing_is_parted_unless_the_maximum_forces_it(name: str, maximum: int, soft: int) -> None:
    workspace = analysis()
    strategy = strategies.get(name)
    least = {"max_tokens": maximum or strategy.params().values()["max_tokens"], "overlap": 0, "min_tokens": 0}
    params = strategy.params(**least, soft_min_tokens=soft, keep_together="yes")  # type: ignore[call-arg]
    result = strategies.run(name, workspace, params)
    cuts = [chunk.cut for chunk in result.chunks if chunk.cut]
    codes = workspace.constraints.at(np.array([cut.offset for cut in cuts], dtype=np.int64)).tolist()
    parting = [cut for cut, code in zip(cuts, codes, strict=True) if code != FREE]
    assert all(cut.driver in ("limit", None) and maximum for cut in parting)
    if name not in ("fixed_size", "sentence"):
        for cut in parting:
            assert cut.reason == "oversized_sentence" or cut.detail.startswith("parts "), cut
    assert "".join(chunk.text for chunk in result.chunks) == TEXT
    for cut in result.kept:
        assert cut.offset not in {own.offset for own in cuts}


def test_a_heading_stays_with_the_first_piece_of_what_is_too_long() -> None:
    lines = "\n\n".join(f"step({number})" for number in range(30))
    workspace = analysis(f"# Steps\n\n```\n{lines}\n```\n")
    result = strategies.parse("structural:max_tokens=60").run(workspace)
    assert {chunk.cut.reason for chunk in result.chunks if chunk.cut} == {"oversized_sentence"}
    assert result.chunks[0].text.startswith("# Steps\n\n```\nstep(0)")
    assert all(chunk.tokens <= 60 for chunk in result.chunks)
    apart = strategies.parse("structural:max_tokens=60;keep_together=no").run(workspace)
    assert apart.chunks[0].text == "# Steps\n\n"


def test_code_is_parted_before_a_heading_is() -> None:
    places = np.arange(4)
    kept = np.array([KINDS.index("heading") + 1, CODE, FREE, CODE], dtype=np.int8)
    assert limits._least_parting(places, kept).tolist() == [2]
    assert limits._least_parting(places[:2], kept[:2]).tolist() == [1]
    assert limits._least_parting(places[:1], kept[:1]).tolist() == [0]


def test_a_soft_minimum_merges_up_to_headings_and_a_minimum_across_them() -> None:
    text = (
        "# One\n\nFirst here. Then there.\n\n# Two\n\nFirst here. Then there.\n\n# Three\n\nFirst here. Then there.\n"
    )
    soft = strategies.parse("structural:preset=unlimited;percentile=50;soft_min_tokens=200").run(analysis(text))
    assert [chunk.text.split("\n")[0] for chunk in soft.chunks] == ["# One", "# Two", "# Three"]
    hard = strategies.parse("structural:preset=unlimited;percentile=50;min_tokens=200").run(analysis(text))
    assert len(hard.chunks) == 1


def test_what_was_left_out_is_told_and_check_has_nothing_to_blame() -> None:
    sample = samples.load("remote-work-policy")
    workspace = DocumentAnalysis(sample.document)
    apart, together = (
        strategies.parse(f"structural:preset=unlimited;keep_together={keep}").run(workspace) for keep in ("no", "yes")
    )
    assert "a heading and what follows it" in {cut.detail for cut in together.kept} and not apart.kept
    notes = [note for chunk in together.chunks for note in chunk.notes]
    assert sum(int(note.split()[0]) for note in notes if "keep together" in note) == len(together.kept)
    assert f"{len(together.kept)} cuts left out, to keep together" in limits_in_words(together)
    verdicts = explain.verdicts(together)
    assert [gap for gap, verdict in enumerate(verdicts) if verdict == "kept"] == list(together.kept_gaps)
    alone = [
        sum("nothing but headings" in finding.reason for finding in check(made, workspace, kinds=["fragment"]).findings)
        for made in (apart, together)
    ]
    assert alone[0] and not alone[1]
