"""How much of a server one person may use: files added within an hour, and heavy jobs at once.

What counts is kept in the database, so that the processes of a server share it. Without a log-in nothing is limited,
since there is nobody to count for. How large the library of a person may become is in :mod:`chunking.store.limits`.

The clock may jump. Where it was set back, what seems to come from the future counts as of now: nobody is refused for
longer than one window after that, and no more is granted. Where it was set forward, what is older than the window by
the new time counts no more.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.runtime.environment import whole_number
from chunking.runtime.wording import plural
from chunking.store.database.database import Database, hold
from chunking.store.database.sql import sa, tables
from chunking.store.identity import Identity

if TYPE_CHECKING:
    from types import TracebackType

    from sqlalchemy import Connection

UPLOADS_VARIABLE, JOBS_VARIABLE = "CHUNKSCOPE_UPLOADS_PER_HOUR", "CHUNKSCOPE_JOBS_PER_PERSON"
MIB_VARIABLE = "CHUNKSCOPE_UPLOAD_MIB_PER_HOUR"
"""The environment variables of the quotas; absent for none."""

HOUR = 3_600_000
"""The window of uploads, in milliseconds."""

LEASE = 180_000
"""How long a job counts whose process does not renew it, in milliseconds: it was killed."""

_RENEWAL_SECONDS = 60.0
_KEPT = 86_400_000

_Kind = Literal["upload", "bytes", "job"]


class Use(NamedTuple):
    """What a person used at a time, in milliseconds since 1970."""

    at: int
    amount: int


def wait_for(uses: Sequence[Use], now: int, limit: int, amount: int, window: int = HOUR) -> int | None:
    """Return after how many milliseconds an amount may be used so that no window has more than the limit; 0: now.

    Args:
        uses: so far, in any order; those after ``now`` count as of now.
        now: the time.
        limit: what a window may have.
        amount: the requested amount.
        window: its length, in milliseconds; it begins after a moment and has its end.

    Returns:
        The time to wait; ``None`` if the amount is more than any window may have.
    """
    if amount > limit:
        return None
    in_window = sorted(Use(min(use.at, now), use.amount) for use in uses if use.at > now - window)
    used = sum(use.amount for use in in_window)
    wait = 0
    for use in in_window:
        if used + amount <= limit:
            break
        used -= use.amount
        wait = use.at + window - now
    return wait


@dataclass(frozen=True)
class Quotas:
    """What one person may use.

    Attributes:
        uploads: files added within an hour; ``None`` for no limit.
        jobs: heavy jobs at once; ``None`` for no limit.
        bytes: of the files added within an hour, as they are stored; ``None`` for no limit.
    """

    uploads: int | None = None
    jobs: int | None = None
    bytes: int | None = None


def quotas_of_environment() -> Quotas:
    """Return the quotas that the settings name.

    Raises:
        ChunkscopeError: one is not a whole number above 0.
    """
    mib = whole_number(MIB_VARIABLE)
    return Quotas(whole_number(UPLOADS_VARIABLE), whole_number(JOBS_VARIABLE), None if mib is None else mib * 2**20)


def limit_of_jobs(person: Identity, quotas: Quotas) -> int | None:
    """Return how many heavy jobs a person may have at once; ``None`` for any number."""
    return quotas.jobs if person.is_known else None


def _clock() -> int:
    return time.time_ns() // 1_000_000


class UsageQuota:
    """Counts what people use of a server. Any number of these, threads and processes may share a database.

    Args:
        database: prepared.
        quotas: what one person may use.
        clock: tells the time, in milliseconds since 1970.
    """

    def __init__(self, database: Database, quotas: Quotas, clock: Callable[[], int] = _clock) -> None:
        self._database = database
        self._quotas = quotas
        self._clock = clock

    def count_uploads(self, person: Identity, files: int = 1, size: int = 0) -> None:
        """Count files that a person adds.

        Args:
            person: who adds them.
            files: how many are stored; those in an archive count each.
            size: of all of them as they are stored, in bytes.

        Raises:
            ChunkscopeError: that is more than she may add within an hour; nothing was counted.
        """
        if not person.is_known:
            return
        token, now = uuid.uuid4().hex, self._clock()
        uses: list[_RequestedUse] = []
        if self._quotas.uploads is not None and files:
            uses.append(_RequestedUse(person.subject, "upload", files, self._quotas.uploads, HOUR, token))
        if self._quotas.bytes is not None and size:
            uses.append(_RequestedUse(person.subject, "bytes", size, self._quotas.bytes, HOUR, f"{token} bytes"))
        if uses and (refusal := self._database.run(partial(_use_all, uses=uses, now=now), writes=True)):
            raise refusal

    def begin_job(self, person: Identity) -> Job:
        """Count a heavy job until it ends, or its process is killed.

        Raises:
            ChunkscopeError: she has as many as she may have at once.
        """
        limit = limit_of_jobs(person, self._quotas)
        if limit is None:
            return Job()
        token = uuid.uuid4().hex
        use = _RequestedUse(person.subject, "job", 1, limit, LEASE, token)
        if self._database.run(partial(_use, use=use, now=self._clock()), writes=True):
            raise ChunkscopeError(
                f"You have {plural(limit, 'job')} on this server, the most that one person may have at once.",
                "Wait until one is done, or stop it; then start this one again.",
            )
        return _CountedJob(self._database, token, self._clock)


class Job:
    """A heavy job of a person for whom nothing is counted."""

    def end(self) -> None:
        """End the job; ending it again is harmless."""

    def __enter__(self) -> Job:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


class _CountedJob(Job):
    """A heavy job that counts, and is renewed until it ends or nobody holds it any more.

    Args:
        database: where it is counted.
        token: of the job.
        clock: tells the time.
    """

    def __init__(self, database: Database, token: str, clock: Callable[[], int]) -> None:
        self._database, self._token, self._ended = database, token, threading.Event()
        renewal = (weakref.ref(self), self._ended, database, partial(_renew_at, token=token, clock=clock))
        threading.Thread(target=_renew_until, args=renewal, name="chunkscope-job", daemon=True).start()

    def end(self) -> None:
        self._ended.set()
        _try(self._database, partial(_end, token=self._token))


def _renew_until(
    job: weakref.ref[_CountedJob], ended: threading.Event, database: Database, work: Callable[[Connection], None]
) -> None:
    while not ended.wait(_RENEWAL_SECONDS) and job() is not None:
        _try(database, work)


def _renew_at(connection: Connection, token: str, clock: Callable[[], int]) -> None:
    _renew(connection, token, clock())


def _try(database: Database, work: Callable[[Connection], None]) -> None:
    try:
        database.run(work, writes=True)
    except ChunkscopeError as error:
        # The job is worth more than its count, which ends by itself.
        logging.getLogger(__name__).warning("A job could not be counted.", exc_info=error)


class _RequestedUse(NamedTuple):
    subject: str
    kind: _Kind
    amount: int
    limit: int
    window: int
    token: str


def _use(connection: Connection, use: _RequestedUse, now: int) -> int | None:
    """Count a use if there is room for it, and return the time to wait for that."""
    table = tables.usage
    hold(connection, [f"usage {use.kind} {use.subject}"])
    of_person = (table.c.subject == use.subject, table.c.kind == use.kind)
    connection.execute(sa.update(table).where(*of_person, table.c.at > now).values(at=now))
    connection.execute(sa.delete(table).where(*of_person, table.c.at < now - _KEPT))
    if connection.execute(sa.select(table.c.id).where(table.c.id == use.token)).first():
        return 0  # counted by a first try whose answer was lost
    uses = [Use(row.at, row.amount) for row in connection.execute(sa.select(table).where(*of_person))]
    wait = wait_for(uses, now, use.limit, use.amount, use.window)
    if wait == 0:
        row = {"id": use.token, "subject": use.subject, "kind": use.kind}
        connection.execute(sa.insert(table).values(row | {"amount": use.amount, "at": now}))
    return wait


def _use_all(connection: Connection, uses: Sequence[_RequestedUse], now: int) -> ChunkscopeError | None:
    """Count several uses, or none of them and return why."""
    for number, use in enumerate(uses):
        if (wait := _use(connection, use, now)) != 0:
            for counted in uses[:number]:
                _end(connection, counted.token)
            return _quota_error(use, wait)
    return None


def _quota_error(use: _RequestedUse, wait: int | None) -> ChunkscopeError:
    files = use.kind == "upload"
    limit = plural(use.limit, "file") if files else f"{use.limit / 2**20:,.0f} MiB"
    if wait is None:
        amount = f"{use.amount:,} files are" if files else f"{use.amount / 2**20:,.1f} MiB are"
        limit = f"{use.limit:,}" if files else limit
        return ChunkscopeError(
            f"{amount} more than the {limit} that one person may add here within an hour.", "Add fewer at a time."
        )
    return ChunkscopeError(
        f"This would exceed the {limit} that one person may add here within an hour.",
        f"Add it in {plural(math.ceil(wait / 60_000), 'minute')}.",
    )


def _renew(connection: Connection, token: str, now: int) -> None:
    connection.execute(sa.update(tables.usage).where(tables.usage.c.id == token).values(at=now))


def _end(connection: Connection, token: str) -> None:
    connection.execute(sa.delete(tables.usage).where(tables.usage.c.id == token))
