from __future__ import annotations

import numpy as np
import pytest

from chunking import DocumentAnalysis, load
from chunking.advice.profile import DocumentProfile, Kind, KindThresholds, measure
from chunking.workspace import Models

HEADED = "# Tea\n\nBoil it. Wait.\n\n# Bread\n\nKnead it. Bake it.\n\n# Soup\n\nCut it. Stir it.\n"


def of(text: str, name: str, maximum: int = 240, encoder: str = "static") -> DocumentProfile:
    return measure(DocumentAnalysis(load(text.encode(), name), Models(encoder=encoder)), maximum)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.py", "def one():\n    return 1\n", "code"),
        ("a.json", '{"a": 1}', "json"),
        ("a.yaml", "tea:\n  water: hot\nbread:\n  flour: rye\nsoup:\n  leek: cut\n", "yaml"),
        ("a.csv", "a,b\n1,2\n3,4\n", "blocks"),
        ("a.md", "```\nx = 1\n```\n", "blocks"),
        ("a.chat", "Ann: Good morning.\nBob: Hello.\nAnn: How are you?\nBob: Well.\n", "dialogue"),
        ("a.md", HEADED, "headings"),
        ("a.md", "# Tea\n\nBoil it. Wait.\n\n# Bread\n\nBake it.\n", "prose"),
        ("a.md", "Boil it. Wait.\n\n- tea\n- bread\n", "technical"),
        ("a.md", "Call `wait(3)` first. Then boil it.\n", "technical"),
        ("a.txt", "He said ``wait'' and she said ``no'' to him. Then they went.\n", "prose"),
        ("a.txt", "", "prose"),
    ],
)
def test_the_kind_is_that_of_the_layout(name: str, text: str, kind: Kind) -> None:
    assert of(text, name).kind() == kind


def test_sections_are_long_by_the_maximum_and_by_the_threshold() -> None:
    assert of(HEADED, "a.md", maximum=5).kind() == "long_sections"
    assert of(HEADED, "a.md", maximum=5).kind(KindThresholds(long_sections=1.0)) == "headings"
    assert of(HEADED, "a.md", maximum=100).kind() == "headings"
    assert of(HEADED.replace("Boil it.", "Boil it. " * 150), "a.md").long_sections == pytest.approx(1 / 3)


def test_in_a_language_that_the_encoder_does_not_know_headings_come_before_meaning() -> None:
    korean = (
        "# 차\n\n물을 끓이세요. 기다리세요.\n\n# 빵\n\n반죽을 치대세요. 구우세요.\n\n# 수프\n\n파를 써세요. 저으세요.\n"
    )
    assert of(korean, "a.md", maximum=5).foreign
    assert of(korean, "a.md", maximum=5).kind() == "headings"
    assert not of(korean, "a.md", maximum=5, encoder="char-ngrams").foreign, "its languages are unknown"


def test_shares_are_of_gaps_and_sentences() -> None:
    found = of(HEADED, "a.md")
    assert (found.headings, found.sentences) == (2, 9)
    assert found.heading_share == pytest.approx(2 / 8)
    assert found.layout
    assert int(found.sections.sum()) > 0 and len(found.sections) == 3
    empty = of("", "a.txt")
    assert (empty.heading_share, empty.block_share, empty.speech, empty.long_sections) == (0, 0, 0, 0)
    assert np.isfinite(empty.long_sections)
