"""The Learn page without a browser: predict, see, answer; and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Radio

from pages.shared.learn import classroom
from pages.shared.learn.chapter import NUMBERS
from pages.shared.learn.lesson import SAMPLE, sample, sample_of
from pages.shared.learn.texts import CHAPTERS, load
from tests.app.pages import calm, open_page

ENGLISH = load("en")


def place(name: str) -> str:
    return f"{name}.{sample_of(name).short_key}"


def opened(root: Path, stored: dict[str, str] | None = None, **address: str) -> AppTest:
    """The page, with what the browser keeps of earlier visits."""
    kept = {"_learn_store": {"items": {"document": "chunkscope.learn", "items": stored}}}
    return open_page(root, "learn", address, None if stored is None else kept)


def shown(app: AppTest) -> str:
    said = (str(element.proto.body) for element in app.get("html"))
    return "\n".join(text for text in said if "<style>" not in text)


def options(app: AppTest) -> list[Radio[Any]]:
    """What answers the question of a chapter, where it offers options; the list of the chapters is none."""
    return [radio for radio in app.radio if radio.key != "chapter"]


def picks(app: AppTest, name: str, gaps: list[int], final: bool = True) -> AppTest:
    """What the browser sends when a learner picks gaps."""
    app.session_state["_learn_set"] = {f"cuts.{place(name)}": ",".join(map(str, gaps)) + ("!" if final else "")}
    return calm(app.run())


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_hides_its_result_until_it_is_predicted(root: Path, name: str) -> None:
    app = opened(root, chapter=name)
    assert ENGLISH.chapters[name].title in shown(app)
    assert "cs-learn-result" not in shown(app)
    assert not options(app) and {each.key for each in app.text_input} == {"_number_sent"}
    picks(app, name, [4], final=False)
    assert "cs-learn-result" not in shown(app)
    picks(app, name, [4, 9])
    assert "cs-learn-result" in shown(app)
    assert options(app) or app.text_input


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_a_number_is_checked(root: Path, name: str) -> None:
    app, right = picks(opened(root, chapter=name), name, [4]), NUMBERS[name](sample(SAMPLE))
    calm(app.text_input[0].set_value(f"{right + 1:g}").run())
    assert "Not yet." in shown(app) and "0 of 10" in shown(app)
    calm(app.text_input[0].set_value("one").run())
    assert ENGLISH["no_number"] in shown(app)
    calm(app.text_input[0].set_value(f"{right:.2f}".replace(".", ",")).run())
    assert "Right." in shown(app)
    assert "1 of 10 chapters done" in shown(app)


@pytest.mark.parametrize("name", [name for name in CHAPTERS if name not in NUMBERS])
def test_a_choice_is_checked_and_every_option_has_its_feedback(root: Path, name: str) -> None:
    known = ENGLISH.chapters[name]
    app = picks(opened(root, chapter=name), name, [4])
    for option, why in enumerate(known.feedback):
        calm(options(app)[0].set_value(option).run())
        assert ("Right." if option == known.correct else "Not yet.") in shown(app)
        assert why.replace("'", "&#x27;")[:40] in shown(app)


def test_what_the_browser_kept_is_shown_again(root: Path) -> None:
    kept = {f"cuts.{place('6')}": "4,10!", "answer.6": "1 right", "done.6": "1", "done.2": "1"}
    app = opened(root, kept, chapter="6")
    assert "cs-learn-result" in shown(app)
    assert options(app)[0].value == 1
    assert "2 of 10 chapters done" in shown(app)


def test_what_a_browser_sends_is_not_trusted(root: Path) -> None:
    kept = {f"cuts.{place('6')}": "4,999,x,-1!", "answer.6": "77 right", "done.6": "1", "text": "One."}
    app = opened(root, kept, chapter="6")
    assert "fewer than three sentences" in shown(app)
    assert "cs-learn-result" in shown(app)
    assert options(app)[0].value is None


def test_progress_is_deleted_and_the_own_text_stays(root: Path) -> None:
    text = "A cat sleeps. A dog barks. The sun shines. It rains."
    app = opened(root, {"done.1": "1", "text": text}, chapter="1")
    calm(app.button(key="_learn_reset").click().run())
    assert "0 of 10 chapters done" in shown(app)
    assert app.session_state["_learn_set"] == {"done.1": ""}
    assert app.text_area[0].value == text


def test_an_own_text_is_used_and_given_back(root: Path) -> None:
    app = opened(root, chapter="5")
    calm(app.text_area[0].set_value("A cat sleeps. A dog barks. <b>The sun</b> shines. It rains.").run())
    calm(app.button(key="_learn_use_text").click().run())
    assert app.session_state["_learn_set"]["text"].startswith("A cat")
    assert "_learn_sample" in [button.key for button in app.button]
    calm(app.button(key="_learn_sample").click().run())
    assert app.session_state["_learn_set"]["text"] == ""


def test_a_text_that_is_too_long_is_refused_with_words_and_stays_in_its_field(root: Path) -> None:
    app, text = opened(root, chapter="5"), "A cat sleeps. " * 1_500
    calm(app.text_area[0].set_value(text).run())
    calm(app.button(key="_learn_use_text").click().run())
    assert ENGLISH["too_long"] in shown(app)
    assert app.text_area[0].value == text
    assert "text" not in app.session_state["_learn_set"]


def test_the_address_holds_the_chapter_and_its_controls(root: Path) -> None:
    app = picks(opened(root, chapter="5", alpha="0.9"), "5", [4])
    assert app.slider(key="alpha").value == 0.9
    calm(app.button(key="_learn_next").click().run())
    assert ENGLISH.chapters["6"].title in shown(app)
    assert app.query_params["chapter"] in ("6", ["6"])


@pytest.mark.parametrize("chapter", ["0", "11", "x", "1;2"])
def test_an_unknown_chapter_in_the_address_opens_the_first(root: Path, chapter: str) -> None:
    assert ENGLISH.chapters["1"].title in shown(opened(root, chapter=chapter))


@pytest.fixture
def own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.mark.usefixtures("own_database")
def test_a_class_predicts_and_the_teacher_sees_it(root: Path) -> None:
    teacher = opened(root, chapter="10")
    calm(teacher.button(key="_learn_class_open").click().run())
    assert "0 predictions" in shown(teacher) and "cs-learn-qr" in shown(teacher)
    code = str(teacher.query_params["class"]).strip("[]'")
    student = opened(root, {}, **{"class": code})
    assert "0 predictions" not in shown(student)
    for gaps in ([4], [4, 10]):
        classroom.store().predict(code, "a", gaps)
        calm(student.run())
    calm(teacher.toggle(key="results").set_value(True).run())
    assert "1 prediction<" in shown(teacher) and "changepoint" in shown(teacher)
    stranger = opened(root, {}, **{"class": code, "teacher": "guessed"})
    assert "_learn_class_end" not in [button.key for button in stranger.button]
    calm(teacher.button(key="_learn_class_end").click().run())
    calm(student.run())
    assert "has ended" in shown(student) and "cs-learn-lanes" in shown(student)
    calm(teacher.checkbox(key="_learn_class_sure").check().run())
    calm(teacher.button(key="_learn_class_delete").click().run())
    assert "no such exercise" in shown(opened(root, {}, **{"class": code}))


@pytest.mark.usefixtures("own_database")
def test_a_teacher_compares_the_class_with_several_strategies(root: Path) -> None:
    teacher = opened(root, chapter="10")
    calm(teacher.button(key="_learn_class_open").click().run())
    code = str(teacher.query_params["class"]).strip("[]'")
    for student, gaps in (("a", [4]), ("b", [4, 10])):
        classroom.store().predict(code, student, gaps)
    calm(teacher.toggle(key="results").set_value(True).run())
    settings = ["changepoint", "structural:alpha=0.3", "sentence:max_tokens=80"]
    calm(teacher.multiselect(key="compared").set_value(settings).run())
    lanes = shown(teacher).split('<table class="cs-learn-lanes"')[1].split("</table>")[0]
    rows = lanes.split("<tr>")[2:]
    assert [row.split("<div")[0].split("<td>")[1] for row in rows] == [
        "<b>2 predictions</b>", ENGLISH["gold"], *settings, f"{ENGLISH['class_same']}</td>",
    ]  # fmt: skip
    assert all(" – " in row for row in rows[1:]), "each has its interval"
    assert teacher.query_params["compared"] == settings
    calm(teacher.multiselect(key="compared").set_value(["changepoint", "no such strategy"]).run())
    assert "no such strategy" in shown(teacher)
    assert "changepoint" in shown(teacher).split('<table class="cs-learn-lanes"')[1]


@pytest.mark.usefixtures("own_database")
def test_a_screen_that_the_class_sees_shows_neither_results_nor_the_teachers_link(root: Path) -> None:
    teacher = opened(root, chapter="10")
    calm(teacher.button(key="_learn_class_open").click().run())
    code = str(teacher.query_params["class"]).strip("[]'")
    token = teacher.session_state["_learn_set"][f"teacher.{code}"]
    assert classroom.store().is_teacher(code, token) and "teacher" not in teacher.query_params
    assert "0 predictions" in shown(teacher) and "cs-learn-qr" in shown(teacher)
    assert "cs-learn-lanes" not in shown(teacher) and token not in shown(teacher)
    calm(teacher.toggle(key="results").set_value(True).run())
    assert "cs-learn-lanes" in shown(teacher)


@pytest.mark.usefixtures("own_database")
def test_the_teachers_own_link_is_kept_by_the_browser_and_leaves_the_address(root: Path) -> None:
    exercise, token = classroom.store().open("One. Two. Three. Four.", "changepoint", "10")
    teacher = opened(root, {}, **{"class": exercise.code, "teacher": token})
    assert "_learn_class_end" in [button.key for button in teacher.button]
    assert "teacher" not in teacher.query_params
    again = opened(root, {f"teacher.{exercise.code}": token}, **{"class": exercise.code})
    assert "_learn_class_end" in [button.key for button in again.button]


@pytest.mark.usefixtures("own_database")
def test_a_click_leads_the_whole_class_to_the_next_chapter_under_the_same_link(root: Path) -> None:
    teacher = opened(root, chapter="4")
    calm(teacher.button(key="_learn_class_open").click().run())
    first = str(teacher.query_params["class"]).strip("[]'")
    student = opened(root, {}, **{"class": first})
    assert ENGLISH.chapters["4"].task in shown(student)
    calm(teacher.button(key="_learn_class_next").click().run())
    assert ENGLISH.chapters["5"].task in shown(teacher) and "_learn_class_end" in [each.key for each in teacher.button]
    calm(student.run())
    assert ENGLISH.chapters["5"].task in shown(student)
    assert str(student.query_params["class"]).strip("[]'") == str(teacher.query_params["class"]).strip("[]'") != first
    late = opened(root, {}, **{"class": first})
    assert ENGLISH.chapters["5"].task in shown(late), "the link that was projected leads on, too"


@pytest.mark.usefixtures("own_database")
@pytest.mark.parametrize(("setting", "text"), [("no such strategy", ""), ("structural:alpha=7", ""), ("", "One.")])
def test_no_exercise_is_opened_with_a_setting_or_a_text_that_does_not_work(root: Path, setting: str, text: str) -> None:
    teacher = opened(root, {"text": text} if text else None, chapter="10", **({"strategy": setting} if setting else {}))
    calm(teacher.button(key="_learn_class_open").click().run())
    assert "class" not in teacher.query_params
    assert "cs-problem" in shown(teacher)


@pytest.mark.usefixtures("own_database")
def test_an_exercise_on_sentences_is_compared_with_the_splitter_alone(root: Path) -> None:
    teacher = opened(root, chapter="1")
    calm(teacher.button(key="_learn_class_open").click().run())
    assert "_learn_class_end" in [button.key for button in teacher.button]
    assert not teacher.multiselect


def test_the_summary_says_what_was_predicted_and_answered(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {f"cuts.{place('5')}": "4,8,12!", "answer.5": "0.35 right", "done.5": "1", f"cuts.{place('7')}": "1!"}
    app = opened(root, kept, chapter="summary")
    rows = shown(app).split('class="cs-learn-summary"')[1].split("<tr>")[2:]
    assert [ENGLISH.chapters[name].title in row for name, row in zip(CHAPTERS, rows, strict=True)] == [True] * 10
    assert "F1 1.00" in rows[4] and "answered rightly" in rows[4] and "5 ✓" in rows[4]
    assert ENGLISH["summary_made"] in rows[6], "its text has no boundary to compare with"
    assert rows[0].count(ENGLISH["summary_open"]) == 2
    assert "1 of 10 chapters done" in shown(app)
    went: list[str] = []
    monkeypatch.setattr(st, "switch_page", lambda page, query_params: went.append(page))
    calm(app.button(key="_learn_inspect").click().run())
    assert went == ["pages/inspect.py"]


def test_german_has_its_own_numbers_and_no_warning_of_the_engine(root: Path) -> None:
    german = load("de")
    app = picks(opened(root, chapter="6", lang="de", rule="standard_deviation", deviations="3"), "6", [4, 9])
    assert german["no_cut"] in shown(app), "mean plus three standard deviations lies above every gap"
    assert german["f1_beyond"] in shown(app) and "(+0,00)" in shown(app)
    assert not app.warning and "threshold" not in shown(app).lower()


def change(app: AppTest, name: str, text: str) -> AppTest:
    """Change the text of a chapter in its field, and see what that changes."""
    calm(app.button(key="_learn_change").click().run())
    calm(app.text_area(key=f"_learn_changed_text_{place(name)}").set_value(text).run())
    return calm(app.button(key="_learn_change_apply").click().run())


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_changed_text_tells_which_cuts_flip_and_why(root: Path, name: str) -> None:
    app = picks(opened(root, chapter=name), name, [4])
    text = sample_of(name).workspace.document.text
    paragraphs = text.split("\n\n")
    calm(change(app, name, "\n\n".join([*paragraphs[:2], "Flour and water make a dough.", *paragraphs[2:]])))
    assert "cs-learn-flips" in shown(app)
    if name == "1":
        count = len(sample_of(name))
        assert f"Sentences: {count} before, {count + 1} after the change." in shown(app)
    elif name in ("4", "6", "8"):
        assert "New cut before" in shown(app) and "now cut, 0." in shown(app)
    calm(app.button(key="_learn_change_back").click().run())
    assert "cs-learn-flips" not in shown(app) and "cs-learn-result" in shown(app)


def test_a_changed_text_that_is_too_short_stays_in_its_field(root: Path) -> None:
    app = change(picks(opened(root, chapter="6"), "6", [4]), "6", "One sentence.")
    assert "fewer than three sentences" in shown(app)
    assert app.text_area(key=f"_learn_changed_text_{place('6')}").value == "One sentence."


def test_a_text_that_is_not_changed_flips_nothing(root: Path) -> None:
    app = picks(opened(root, chapter="5"), "5", [4])
    change(app, "5", f"{sample_of('5').workspace.document.text}\n")
    assert ENGLISH["flips_none"] in shown(app)
