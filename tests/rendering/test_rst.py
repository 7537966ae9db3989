from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.loading import from_text
from tests.examples import examples
from tests.rendering.checks import check, outline


def lines(text: str) -> list[str]:
    return outline(from_text(text, format="rst", language="en"))


def test_marks_become_elements() -> None:
    text = "A ``x = 1``, **strong** and *soft*; `words <http://a.example>`_, `target`_ and :func:`~os.path`.\n"
    assert lines(text) == [
        "paragraph: A x = 1, strong and soft; words, target and ~os.path.",
        "  literal: x = 1",
        "  strong: strong",
        "  emphasis: soft",
        "  link <http://a.example>: words",
        "  link: target",
        "  literal: ~os.path",
    ]


def test_stars_that_mark_nothing_are_shown() -> None:
    text = "2 * 3 * 4, *args and **options, x*y*z, a `word` and ``open.\n"
    assert lines(text) == [f"paragraph: {text.strip()}"]


def test_of_two_colons_before_code_one_is_seen() -> None:
    assert [line for line in lines("So::\n\n   x\n\nThus ::\n\n   y\n") if "paragraph" in line] == [
        "paragraph: So:", "paragraph: Thus",
    ]  # fmt: skip


MARKS = ["*", "**", "``", "`", "`_", ":a:`", "<u>", " ", "a", "b c", "\n", "\n\n", "::", "- ", "(", ")", "\\", "  "]


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=40).map("".join))
def test_the_invariants_hold(text: str) -> None:
    check(from_text(text, format="rst", language="en"))
