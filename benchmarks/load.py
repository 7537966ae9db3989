"""Many people at once: sessions without a browser that open documents, move controls, change pages, review and ask.

``python -m benchmarks.load [--sessions N] [--minutes M] [--think SECONDS] [--idle N] [--processes N] [--address URL]``
measures another load than ``make bench``, or a server that runs already.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from sqlalchemy import create_engine

from benchmarks import files
from benchmarks.processes import processor_seconds
from benchmarks.served import Served, served
from benchmarks.timing import table
from benchmarks.web_session import WebSession, web_session
from chunking import samples
from chunking.samples import Sample
from chunking.store.reviews import ReviewStore

WITHIN = 60.0
"""Seconds after which a run that is not drawn counts as lost."""

_PAGES = ("compare", "tune", "review", "collection", "learn", "")
_QUESTIONS = (
    "How often is it measured?",
    "Who pays for it?",
    "What happened in the winter?",
    "Which parts are closed?",
)


@dataclass(frozen=True)
class Load:
    """How many people do how much.

    Attributes:
        sessions: people at once.
        seconds: how long they go on.
        think: mean of the seconds between the end of a run and the next action; exponentially distributed.
        idle: further sessions that open a page and then do nothing.
        heavy: whether they also add documents of their own and ask, which is work for parsers and workers.
    """

    sessions: int = 40
    seconds: float = 600.0
    think: float = 5.0
    idle: int = 0
    heavy: bool = True


@dataclass(frozen=True)
class Reaction:
    """How long an action took.

    Attributes:
        kind: of the action.
        seconds: from the action to its drawn page.
        at: when it was drawn, in seconds of the monotonic clock.
    """

    kind: str
    seconds: float
    at: float


@dataclass(frozen=True)
class Use:
    """What the processes used at a moment.

    Attributes:
        at: the moment, in seconds of the monotonic clock.
        memory, of_workers: in MB.
        waiting, running: background jobs.
    """

    at: float
    memory: float
    of_workers: float
    waiting: int
    running: int


@dataclass
class Seen:
    """What the sessions saw.

    Attributes:
        reactions: in the order of their ends.
        problems: with how often each came.
        judged: tokens of the judgements that were sent and answered.
    """

    reactions: list[Reaction] = field(default_factory=list)
    problems: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    judged: set[str] = field(default_factory=set)


class Person:
    """Somebody who uses the app, by chance but the same in every measurement."""

    def __init__(self, number: int, session: WebSession, heavy: bool, known: list[Sample], seen: Seen) -> None:
        self._number, self._session, self._heavy, self._known, self._seen = number, session, heavy, known, seen
        self._random = random.Random(number)
        self._document = self._random.choice(known)
        self._own = 0

    async def begin(self) -> None:
        """Open the app with a document."""
        await self._timed("open", self._session.open(f"doc={self._document.name}", WITHIN))

    async def act(self) -> None:
        """Do one thing."""
        actions: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (55, self._move), (15, self._choose), (15, self._turn), (10, self._judge), (5 * self._heavy, self._ask),
        ]  # fmt: skip
        await self._random.choices([each for _, each in actions], [weight for weight, _ in actions])[0]()

    async def _move(self) -> None:
        """Move a slider, on Inspect or where there is one."""
        keys = [key for key in ("structural_alpha", "structural_percentile") if self._session.has(key)]
        if not keys:
            await self._timed("page", self._session.go("", WITHIN))
            return
        key = self._random.choice(keys)
        value = self._random.randrange(100) / 100 if key.endswith("alpha") else 50 + self._random.randrange(100) / 2
        await self._timed("slider", self._session.set(key, WITHIN, double_array_value={"data": [value]}))

    async def _choose(self) -> None:
        """Open a sample; one in ten is a PDF of one's own."""
        if (
            self._heavy
            and self._random.random() < 0.1
            and any(self._session.has(f"_upload_files_{each}") for each in range(99))
        ):
            self._own += 1
            pages = 3 + self._random.randrange(5)
            name, key = f"own-{self._number:03d}-{self._own}.pdf", self._session.key_like("_upload_files_")
            await self._timed("own PDF", self._session.upload(key, name, await _pdf(pages), WITHIN))
        elif self._session.has("doc"):
            self._document = self._random.choice(self._known)
            await self._timed("document", self._session.set("doc", WITHIN, string_value=self._document.name))

    async def _turn(self) -> None:
        await self._timed("page", self._session.go(self._random.choice(_PAGES), WITHIN))

    async def _judge(self) -> None:
        """Judge a boundary on Review, under a name of one's own."""
        query = f"doc={self._document.name}&reviewer=Person {self._number}"
        await self._timed("page", self._session.go("review", WITHIN, query.replace(" ", "%20")))
        document = self._document.document
        event = {
            "token": uuid.UUID(int=self._random.getrandbits(128)).hex,
            "document": document.text_hash,
            "reviewer": f"Person {self._number}",
            "action": "accept",
            "offset": self._random.randrange(1, len(document.text)),
        }
        await self._timed(
            "judgement",
            self._session.report("_desk", "sent", {"document": document.text_hash, "events": [event]}, WITHIN),
        )
        self._seen.judged.add(str(event["token"]))

    async def _ask(self) -> None:
        """Ask a document something on Evaluate."""
        if not self._session.has("ask"):
            await self._timed("page", self._session.go("evaluate", WITHIN, "measured=Retrieval&look=Ask"))
        if self._session.has("ask"):
            await self._timed(
                "question", self._session.set("ask", WITHIN, string_value=self._random.choice(_QUESTIONS))
            )

    async def _timed(self, kind: str, action: Awaitable[float]) -> None:
        seconds = await action
        self._seen.reactions.append(Reaction(kind, seconds, time.monotonic()))


async def _pdf(pages: int) -> bytes:
    """Return a PDF, made once."""
    if pages not in _PDFS:
        _PDFS[pages] = await asyncio.to_thread(files.pdf, pages)
    return _PDFS[pages]


_PDFS: dict[int, bytes] = {}
_MARK = re.compile(rb"own-(\d{3})-")


async def _live(number: int, address: str, load: Load, known: list[Sample], seen: Seen) -> None:
    """Be a person until the time is over; whoever loses the connection opens the app again."""
    chance = random.Random(-number)
    end = time.monotonic() + load.seconds
    await asyncio.sleep(chance.random() * load.think)
    while time.monotonic() < end:
        try:
            async with web_session(address, lambda data: _foreign(number, data)) as session:
                person = Person(number, session, load.heavy, known, seen)
                await person.begin()
                while time.monotonic() < end:
                    await asyncio.sleep(chance.expovariate(1 / load.think))
                    await person.act()
                for problem in session.problems:
                    seen.problems[problem] += 1
        except Exception as error:  # whatever it is, a person would meet it
            seen.problems[f"{type(error).__name__}: {error}"] += 1
            await asyncio.sleep(1)


def _foreign(number: int, data: bytes) -> str | None:
    """Return a problem where a message names the document of another person."""
    strange = {int(each) for each in _MARK.findall(data)} - {number}
    return f"the document of another person: {sorted(strange)}" if strange else None


async def _idle(address: str, seconds: float, seen: Seen) -> None:
    """Open the app, and leave it open."""
    try:
        async with web_session(address) as session:
            await session.open("", WITHIN)
            await session.rest(seconds)
    except Exception as error:  # as above
        seen.problems[f"{type(error).__name__}: {error}"] += 1


async def _sample(on: Served, seconds: float, every: float = 5.0) -> list[Use]:
    """Return what the processes use while they run, now and then."""
    sampled: list[Use] = []
    for _ in range(max(2, int(seconds / every))):
        jobs = await on.jobs()
        sampled.append(Use(time.monotonic(), *on.memory(), jobs.get("waiting", 0), jobs.get("running", 0)))
        await asyncio.sleep(every)
    return sampled


async def apply(load: Load, address: str) -> Seen:
    """Let everybody use a server, and return what they saw."""
    seen, known = Seen(), [samples.load(name) for name in samples.names()]
    people = [_live(number, address, load, known, seen) for number in range(load.sessions)]
    idle = [_idle(address, load.seconds, seen) for _ in range(load.idle)]
    await asyncio.gather(*people, *idle)
    return seen


async def _apply_watched(load: Load, on: Served) -> tuple[Seen, list[Use]]:
    """Let everybody use the processes, and return what they saw and what the processes used meanwhile."""
    use = asyncio.create_task(_sample(on, load.seconds))
    return await apply(load, on.address), await use


async def _load_model(on: Served, number: int) -> None:
    """Open documents of one's own on a process and send a query, and wait until all models are loaded.

    spaCy splits the PDF, whose language is unknown; all-MiniLM-L6-v2 embeds the English text in a worker, and the query
    in the process.
    """
    english = " ".join(f"The train with the number {number}{each} leaves in the morning." for each in range(60))
    async with web_session(on.servers[number].address) as session:
        await session.open("", WITHIN)
        for name, data in (("own-000-0.pdf", await _pdf(3)), ("own-000-1.txt", english.encode())):
            await session.upload(session.key_like("_upload_files_"), name, data, WITHIN)
        await session.go("evaluate", WITHIN, f"doc={samples.names()[0]}&measured=Retrieval&look=Ask")
        await session.set("ask", WITHIN, string_value=_QUESTIONS[0])
        quiet, until = 0, time.monotonic() + _LOADED_WITHIN
        while quiet < _QUIET and time.monotonic() < until:
            used = on.processor_with_workers()
            await session.rest(3)
            quiet = quiet + 1 if on.loaded("safetensors") > number and on.processor_with_workers() - used < _IDLE else 0
        if quiet < _QUIET:
            raise RuntimeError("The model is not loaded, or the server does not come to rest.")


_LOADED_WITHIN = 180.0
"""Seconds within which the model is loaded."""

_IDLE = 0.3
"""Processor seconds of a server in three seconds, below which nothing runs in the background."""

_QUIET = 3
"""Such three seconds in a row, since a busy machine may let the server wait."""


def report(load: Load, seen: Seen) -> None:
    """Print the reactions, by the kind of the action, and every problem."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for each in seen.reactions:
        kinds[each.kind].append(each.seconds)
        kinds["all"].append(each.seconds)
    table(
        f"{load.sessions} people for {load.seconds / 60:.3g} minutes, {load.think:g} s between actions on average, "
        f"{load.idle} idle sessions (targets: median ≤ 1 s, 95th percentile ≤ 3 s, no problem)",
        ("action", "times", "a second", "median", "95th percentile", "slowest"),
        [
            (kind, len(times), f"{len(times) / load.seconds:.2f}", *_figures(times), f"{max(times):.2f} s")
            for kind, times in sorted(kinds.items(), key=lambda item: (item[0] == "all", item[0]))
        ],
    )
    for problem, count in sorted(seen.problems.items()):
        print(f"  problem, {count} times: {problem:.300}")
    print(f"  problems: {sum(seen.problems.values())}")


def _figures(times: Sequence[float]) -> tuple[str, str]:
    return (f"{median(times):.2f} s", f"{np.percentile(times, 95):.2f} s") if times else ("", "")


_PARTS = 10
"""Rows of a curve."""

_CURVE = (
    "from",
    "actions",
    "median",
    "95th percentile",
    "memory",
    "of workers",
    "waiting jobs",
    "at most",
    "running jobs",
)


def _print_curve(load: Load, seen: Seen, use: Sequence[Use]) -> None:
    """Print how reactions, memory and the queue went with time."""
    step = load.seconds / _PARTS
    rows = []
    for number in range(_PARTS):
        begin = use[0].at + number * step
        times = [each.seconds for each in seen.reactions if begin <= each.at < begin + step]
        now = [each for each in use if begin <= each.at < begin + step]
        if now:
            rows.append((f"{number * step:.0f} s", len(times), *_figures(times), *_use(now)))
    table("The same in the course of time", _CURVE, rows)


def _use(now: Sequence[Use]) -> tuple[str, str, str, int, str]:
    return (
        f"{median(each.memory for each in now):.0f} MB",
        f"{median(each.of_workers for each in now):.0f} MB",
        f"{np.mean([each.waiting for each in now]):.1f}",
        max(each.waiting for each in now),
        f"{np.mean([each.running for each in now]):.1f}",
    )


def measure(load: Load, processes: int = 1) -> None:
    """Put a load on fresh processes, and print what came of it: reactions, memory, and judgements that were kept."""
    with served(processes) as on:
        _prepare(on)
        before, workers = on.memory()
        what = "process" if processes == 1 else "processes behind a proxy"
        print(f"\n{processes} {what}, {os.cpu_count()} processors for everything")
        print(f"  with what is loaded once: {before:.0f} MB, and {workers:.0f} MB of workers")
        start, own = on.processor(), processor_seconds(os.getpid())
        seen, use = asyncio.run(_apply_watched(load, on))
        used, own = on.processor() - start, processor_seconds(os.getpid()) - own
        report(load, seen)
        _print_curve(load, seen, use)
        actions = max(1, len(seen.reactions))
        print(f"  processor time of the server: {1000 * used / actions:.0f} ms an action", end="")
        print(f"; the people: {own / load.seconds:.0%} of a core")
        stored = ReviewStore(create_engine(f"sqlite:///{os.environ['CHUNKSCOPE_REVIEWS']}")).stored(seen.judged)
        print(f"  judgements answered: {len(seen.judged)}, stored: {len(stored)}")
        time.sleep(_FORGOTTEN)
        _print_memory(before, [each.memory for each in use], *on.memory())


def _prepare(on: Served) -> None:
    """Let every process load what it loads once, for which the first visitors alone wait."""
    for server in on.servers:
        asyncio.run(apply(Load(2, 5, 1), server.address))
    for number in range(len(on.servers)):
        asyncio.run(_load_model(on, number))


_FORGOTTEN = 200.0
"""Seconds after which sessions that were left are dropped and their garbage is collected."""


def _print_memory(before: float, sampled: Sequence[float], after: float, workers: float) -> None:
    third = len(sampled) // 3
    late = median(sampled[-third:]) / median(sampled[third : 2 * third] or sampled)
    print(
        f"  memory: {before:.0f} MB before, at most {max(sampled):.0f} MB, last third ÷ second third {late:.2f}, "
        f"{after:.0f} MB after all have left ({after / before:.2f} times before; "
        f"target: ≤ 1.15), and {workers:.0f} MB of workers, which end after five minutes without a task"
    )


def run() -> None:
    """Measure for three minutes, as a part of ``make bench``."""
    measure(Load(seconds=180))


def main() -> None:
    """Measure the load that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sessions", type=int, default=Load.sessions)
    parser.add_argument("--minutes", type=float, default=Load.seconds / 60)
    parser.add_argument("--think", type=float, default=Load.think)
    parser.add_argument("--idle", type=int, default=Load.idle)
    parser.add_argument("--processes", type=int, default=1, help="behind a proxy, where there are several")
    parser.add_argument("--address", help="of a running server; a fresh one without it")
    chosen = parser.parse_args()
    load = Load(chosen.sessions, 60 * chosen.minutes, chosen.think, chosen.idle)
    if chosen.address:
        report(load, asyncio.run(apply(load, chosen.address)))
    else:
        measure(load, chosen.processes)


if __name__ == "__main__":
    main()
