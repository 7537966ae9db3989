"""Storage of class exercises and of their predictions.

A student is the hash of a random number that the browser keeps: a second prediction of a student replaces the first,
and nothing leads from it to a person. A teacher is whoever has the token, of which only the hash is stored.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

from chunking.errors import ChunkscopeError
from chunking.store.audit import Action, AuditEvent, record
from chunking.store.database.sql import sa, tables
from chunking.store.identity import LOCAL, Identity
from chunking.store.reviews import ReviewStore

if TYPE_CHECKING:
    from sqlalchemy import Connection

Manager = Literal["teacher", "admin"]
"""Who manages an exercise: whoever has its token, or an admin."""

CODE_LENGTH = 6
MOST_PREDICTIONS = 500
"""Students of one exercise: beyond this somebody floods it."""

TEXT_LIMIT, MOST_GAPS = 20_000, 2_000
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters that are not taken for each other when they are read aloud or from a wall."""


@dataclass(frozen=True)
class Exercise:
    """A text on which a class predicts.

    Attributes:
        code: by which students find it.
        text: the text.
        setting: the strategy that is shown beside the predictions, as one line.
        chapter: the chapter whose task is set.
        opened, ended: ISO 8601 in UTC; ``ended`` is empty while predictions are taken.
        successor: code of the exercise that follows it; empty where none does.
    """

    code: str
    text: str
    setting: str
    chapter: str
    opened: str
    ended: str = ""
    successor: str = ""


class MissingExercise(ChunkscopeError):
    """A code that no exercise has, or has any more."""


class ExerciseStore:
    """The exercises in the database of the reviews.

    Args:
        store: the reviews, prepared.
        identity: who uses them, for the audit log.
    """

    def __init__(self, store: ReviewStore, identity: Identity = LOCAL) -> None:
        self._store = store
        self._identity = identity

    def open(self, text: str, setting: str, chapter: str) -> tuple[Exercise, str]:
        """Open an exercise, and return it with the token of its teacher, which cannot be had again.

        Raises:
            ChunkscopeError: the text is too long, or the database cannot store it.
        """
        if not text.strip() or len(text) > TEXT_LIMIT:
            raise ChunkscopeError("The text is empty or too long.", f"Use a text of at most {TEXT_LIMIT:,} characters.")
        token = secrets.token_urlsafe(24)
        table, teacher = tables.exercises, _hash(token)
        while True:
            exercise = Exercise(_code(), text, setting, chapter, _now())

            def insert(connection: Connection, exercise: Exercise = exercise) -> bool:
                holder = sa.select(table.c.teacher).where(table.c.code == exercise.code)
                if (existing := connection.execute(holder).scalar()) is not None:
                    return bool(existing == teacher)  # of a first try whose answer was lost
                connection.execute(sa.insert(table).values(**vars(exercise), teacher=teacher))
                return True

            if self._store.run(insert, writes=True):
                return exercise, token

    def get(self, code: str) -> Exercise:
        """Return an exercise.

        Raises:
            MissingExercise: there is none of that code.
            ChunkscopeError: the database cannot be read.
        """
        return self._store.run(partial(_exercise, code=code))

    def latest(self, code: str) -> Exercise:
        """Return an exercise, or the last of those that follow it.

        Raises:
            MissingExercise: there is none of that code.
            ChunkscopeError: the database cannot be read.
        """
        exercise = self.get(code)
        while exercise.successor:
            exercise = self.get(exercise.successor)
        return exercise

    def advance(self, code: str, text: str, chapter: str, by: Manager = "teacher") -> Exercise:
        """End an exercise, and return the one that follows it: with the same teacher and setting, for another chapter.

        An exercise that another follows already keeps it.

        Raises:
            MissingExercise: there is none of that code.
            ChunkscopeError: the database cannot store it.
        """
        table = tables.exercises

        def work(connection: Connection) -> Exercise:
            before = _exercise(connection, code, hold=True)
            if before.successor:
                return _exercise(connection, before.successor)
            following = Exercise(_free_code(connection), text, before.setting, chapter, _now())
            teacher = connection.execute(sa.select(table.c.teacher).where(table.c.code == code)).scalar_one()
            connection.execute(sa.insert(table).values(**vars(following), teacher=teacher))
            changes = {"successor": following.code, "ended": before.ended or _now()}
            connection.execute(sa.update(table).where(table.c.code == code).values(changes))
            self._record(connection, "end", code, by)
            return following

        return self._store.run(work, writes=True)

    def is_teacher(self, code: str, token: str) -> bool:
        """Return whether a token is that of the teacher, in a time that says nothing about how much of it is right."""
        query = sa.select(tables.exercises.c.teacher).where(tables.exercises.c.code == code)
        teacher = self._store.run(lambda connection: connection.execute(query).scalar())
        return hmac.compare_digest((teacher or "").encode(), _hash(token).encode())

    def predict(self, code: str, student: str, gaps: Sequence[int]) -> None:
        """Store a prediction; one that the student sent before is replaced.

        Args:
            code: of the exercise.
            student: a random text that the student's browser keeps.
            gaps: the picked gaps.

        Raises:
            ChunkscopeError: the exercise has ended or does not exist, it is full, or the database cannot be used.
        """
        if len(gaps) > MOST_GAPS:
            raise ChunkscopeError("Too many gaps are picked.", f"Pick at most {MOST_GAPS:,}.")
        table, key = tables.predictions, {"exercise": code, "student": _hash(student)}
        values = {"gaps": ",".join(map(str, sorted(set(gaps)))), "at": _now()}

        def store(connection: Connection) -> None:
            if _exercise(connection, code, hold=True).ended:
                raise ChunkscopeError("The exercise has ended.", "It takes no more predictions.")
            condition = sa.and_(*(table.c[name] == value for name, value in key.items()))
            if connection.execute(sa.update(table).where(condition).values(values)).rowcount:
                return
            count = sa.select(sa.func.count()).select_from(table).where(table.c.exercise == code)
            if connection.execute(count).scalar_one() >= MOST_PREDICTIONS:
                raise ChunkscopeError(
                    f"The exercise has {MOST_PREDICTIONS} predictions, the maximum.", "Open another one."
                )
            connection.execute(sa.insert(table).values(key | values))

        self._store.run(store, writes=True)

    def predictions(self, code: str) -> list[tuple[int, ...]]:
        """Return the picked gaps of each student, ascending, in an order that says nothing about who they are."""
        query = sa.select(tables.predictions.c.gaps).where(tables.predictions.c.exercise == code)
        rows = self._store.run(lambda connection: connection.execute(query).scalars().all())
        return sorted(tuple(map(int, filter(None, gaps.split(",")))) for gaps in rows)

    def end(self, code: str, by: Manager = "teacher") -> None:
        """End an exercise: it takes no more predictions. One that has ended stays as it is."""
        columns = tables.exercises.c
        update = sa.update(tables.exercises).where(columns.code == code, columns.ended == "").values(ended=_now())

        def work(connection: Connection) -> None:
            if connection.execute(update).rowcount:
                self._record(connection, "end", code, by)

        self._store.run(work, writes=True)

    def delete(self, code: str, by: Manager = "teacher") -> None:
        """Delete an exercise with all of its predictions, and so those that it follows and that follow it."""
        exercises, predictions = tables.exercises, tables.predictions

        def work(connection: Connection) -> None:
            for each in _series(connection, code):
                is_it = exercises.c.code == each
                connection.execute(sa.select(exercises.c.code).where(is_it).with_for_update()).all()
                connection.execute(sa.delete(predictions).where(predictions.c.exercise == each))
                if connection.execute(sa.delete(exercises).where(is_it)).rowcount:
                    self._record(connection, "delete", each, by)

        self._store.run(work, writes=True)

    def _record(self, connection: Connection, action: Action, code: str, by: Manager) -> None:
        record(connection, self._identity, AuditEvent(action, "exercise", code, detail={"by": by}))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _code() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(CODE_LENGTH))


def _free_code(connection: Connection) -> str:
    """Return a random code that no exercise has."""
    column = tables.exercises.c.code
    while True:
        code = _code()
        if connection.execute(sa.select(column).where(column == code)).scalar() is None:
            return code


def _series(connection: Connection, code: str) -> list[str]:
    """Return the codes of the exercises of one class, in order: those before an exercise, itself, those after it."""
    columns = tables.exercises.c
    codes = [code]
    while before := connection.execute(sa.select(columns.code).where(columns.successor == codes[0])).scalar():
        codes.insert(0, before)
    while after := connection.execute(sa.select(columns.successor).where(columns.code == codes[-1])).scalar():
        codes.append(after)
    return codes


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _exercise(connection: Connection, code: str, hold: bool = False) -> Exercise:
    """Return an exercise; ``hold`` it until the end of the transaction, so that nobody ends or deletes it meanwhile."""
    query = sa.select(tables.exercises).where(tables.exercises.c.code == code)
    row = connection.execute(query.with_for_update() if hold else query).mappings().one_or_none()
    if row is None:
        raise MissingExercise("There is no such exercise.", "Check the link; the exercise may have been deleted.")
    return Exercise(**{name: value for name, value in row.items() if name != "teacher"})
