"""What readers, reviewers, admins and guests may do on a server with log-in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.login.visitors import Visitor

Make = Callable[[], Visitor]
EXERCISE = b"Exercise"
LOG_IN = b"This server is for people with an account."


def test_the_name_and_the_role_are_shown_with_the_way_out(reader: Visitor) -> None:
    data = reader.run().data
    assert b"Rita Reader" in data and b"Log out" in data


def test_a_reader_may_not_review_and_types_no_name(reader: Visitor) -> None:
    shown = reader.run("review", {"reviewer": "Ada Lovelace"})
    data = shown.data
    assert "Reviewer name" not in shown.fields
    assert b"requires the role reviewer" in data
    assert b"chunkscope_review_desk" not in data


def test_a_reviewer_reviews_under_her_own_name_whatever_the_address_says(visitor: Make) -> None:
    shown = visitor().log_in("ada").run("review", {"reviewer": "Somebody Else"})
    data = shown.data
    assert "Reviewer name" not in shown.fields
    assert b"chunkscope_review_desk" in data and b"Ada Lovelace" in data
    assert b"Somebody Else" not in data


def test_two_people_of_one_name_review_under_two_names(visitor: Make) -> None:
    first = visitor().log_in("ada").run("review").data
    second = visitor().log_in("other-ada").run("review").data
    again = visitor().log_in("ada").run("review").data
    assert b"Ada Lovelace (2)" in second
    assert b"Ada Lovelace (2)" not in first and b"Ada Lovelace (2)" not in again


def test_a_reviewer_opens_class_exercises_and_a_reader_does_not(visitor: Make, reader: Visitor) -> None:
    assert b"_learn_class_open" in visitor().log_in("ada").run("learn").data
    assert b"_learn_class_open" not in reader.run("learn").data


def test_the_teacher_and_an_admin_may_delete_an_exercise_and_nobody_else(
    visitor: Make, exercise: tuple[str, str]
) -> None:
    code, token = exercise
    delete = b"_learn_class_delete"
    assert delete in visitor().log_in("ada").run("learn", {"class": code, "teacher": token}).data
    assert delete in visitor().log_in("grace").run("learn", {"class": code}).data
    for person in ("ada", "rita"):
        assert delete not in visitor().log_in(person).run("learn", {"class": code, "teacher": "guessed"}).data


def test_a_guest_predicts_in_an_exercise_and_reaches_nothing_else(stranger: Visitor, exercise: tuple[str, str]) -> None:
    code, _ = exercise
    data = stranger.run("learn", {"class": code}).data
    assert code.encode() in data and b"The kettle boils water" in data
    for word in (b"_learn_class_open", b"_learn_class_leave", b"_learn_own_text", b"_learn_class_delete", LOG_IN):
        assert word not in data
    for page in ("", "inspect", "compare", "tune", "evaluate", "review", "collection", "library"):
        assert stranger.run(page, {"class": code, "doc": "field-guide-to-backups"}).is_log_in_page


@pytest.mark.parametrize("query", [{}, {"chapter": "2"}, {"class": ""}])
def test_a_guest_who_changes_the_address_is_sent_to_the_log_in(
    stranger: Visitor, exercise: tuple[str, str], query: dict[str, str]
) -> None:
    with stranger.socket() as socket:
        socket.run("learn", {"class": exercise[0]})
        assert LOG_IN in socket.run("learn", query).data
