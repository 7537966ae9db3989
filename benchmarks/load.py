"""Many people at once: sessions without a browser that open documents, move controls, change pages, review and ask.

``python -m benchmarks.load [--sessions N] [--minutes M] [--think SECONDS] [--idle N] [--address URL]`` measures another
load than ``make bench``, or a server that runs already, such as two processes behind a proxy.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
from sqlalchemy import create_engine

from benchmarks import files
from benchmarks.processes import descendants, processor_seconds, resident_mb
from benchmarks.timing import table
from benchmarks.web_session import WebSession, web_session
from chunking import samples
from chunking.review.store import ReviewStore
from chunking.samples import Sample
from tests.browser.server import Server, serve

FOR_OTHERS = ("--server.allowedHosts=127.0.0.1", "--server.allowedHosts=people.example")
"""Options of a server that is not for this machine alone, where whoever comes has documents of their own."""

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
    """

    sessions: int = 40
    seconds: float = 600.0
    think: float = 5.0
    idle: int = 0


@dataclass
class Seen:
    """What the sessions saw.

    Attributes:
        reactions: seconds from an action to its drawn page, by the kind of the action.
        problems: with how often each came.
        judged: tokens of the judgements that were sent and answered.
    """

    reactions: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    problems: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    judged: set[str] = field(default_factory=set)


class Person:
    """Somebody who uses the app, by chance but the same in every measurement."""

    def __init__(self, number: int, session: WebSession, known: list[Sample], seen: Seen) -> None:
        self._number, self._session, self._known, self._seen = number, session, known, seen
        self._random = random.Random(number)
        self._document = self._random.choice(known)
        self._own = 0

    async def begin(self) -> None:
        """Open the app with a document."""
        await self._timed("open", self._session.open(f"doc={self._document.name}", WITHIN))

    async def act(self) -> None:
        """Do one thing."""
        actions: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (55, self._move), (15, self._choose), (15, self._turn), (10, self._judge), (5, self._ask),
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
        if self._random.random() < 0.1 and any(self._session.has(f"_upload_files_{each}") for each in range(99)):
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
        self._seen.reactions[kind].append(await action)


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
                person = Person(number, session, known, seen)
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


async def _sample_memory(pid: int | None, seconds: float, every: float = 5.0) -> list[float]:
    """Return the memory of a server and its workers, in MB, while they run; nothing without a process."""
    sampled: list[float] = []
    if pid is None:
        return sampled
    for _ in range(max(2, int(seconds / every))):
        sampled.append(_memory(pid))
        await asyncio.sleep(every)
    return sampled


def _memory(pid: int) -> float:
    """Return the resident memory of a process and of those that it began, in MB."""
    return sum(map(resident_mb, (pid, *descendants(pid))))


async def apply(load: Load, address: str, pid: int | None = None) -> tuple[Seen, list[float]]:
    """Let everybody use a server, and return what they saw and the memory of the server meanwhile."""
    seen, known = Seen(), [samples.load(name) for name in samples.names()]
    people = [_live(number, address, load, known, seen) for number in range(load.sessions)]
    idle = [_idle(address, load.seconds, seen) for _ in range(load.idle)]
    memory = asyncio.create_task(_sample_memory(pid, load.seconds))
    await asyncio.gather(*people, *idle)
    return seen, await memory


async def _load_model(server: Server) -> None:
    """Open documents of one's own, and wait until what divides and embeds them is loaded and done.

    spaCy divides the PDF, whose language is none; all-MiniLM-L6-v2 embeds the English text in the background.
    """
    english = " ".join(f"The train with the number {number} leaves in the morning." for number in range(60))
    async with web_session(server.address) as session:
        await session.open("", WITHIN)
        for name, data in (("own-000-0.pdf", await _pdf(3)), ("own-000-1.txt", english.encode())):
            await session.upload(session.key_like("_upload_files_"), name, data, WITHIN)
        quiet = 0
        while quiet < _QUIET:
            used = processor_seconds(server.pid)
            await session.rest(3)
            loaded = "safetensors" in Path(f"/proc/{server.pid}/maps").read_text()
            quiet = quiet + 1 if loaded and processor_seconds(server.pid) - used < _IDLE else 0


_IDLE = 0.3
"""Processor seconds of a server in three seconds, below which nothing runs in the background."""

_QUIET = 3
"""Such three seconds in a row, since a busy machine may let the server wait."""


def report(load: Load, seen: Seen) -> None:
    """Print the reactions, by the kind of the action, and every problem."""
    every = [each for times in seen.reactions.values() for each in times]
    rows = [(kind, *_figures(times)) for kind, times in sorted(seen.reactions.items())]
    table(
        f"{load.sessions} people for {load.seconds / 60:.3g} minutes, {load.think:g} s between actions on average, "
        f"{load.idle} idle sessions (targets: median ≤ 1 s, 95th percentile ≤ 3 s, no problem)",
        ("action", "times", "a second", "median", "95th percentile", "slowest"),
        [
            (kind, count, f"{count / load.seconds:.2f}", *times)
            for kind, count, *times in (*rows, ("all", *_figures(every)))
        ],
    )
    for problem, count in sorted(seen.problems.items()):
        print(f"  problem, {count} times: {problem:.300}")
    print(f"  problems: {sum(seen.problems.values())}")


def _figures(times: list[float]) -> tuple[int, str, str, str]:
    if not times:
        return 0, "", "", ""
    return len(times), f"{median(times):.2f} s", f"{np.percentile(times, 95):.2f} s", f"{max(times):.2f} s"


def measure(load: Load) -> None:
    """Put a load on a fresh server, and print what came of it: reactions, memory, and judgements that were kept."""
    with tempfile.TemporaryDirectory() as folder:
        reviews = Path(folder) / "reviews.sqlite"
        os.environ["CHUNKSCOPE_REVIEWS"] = str(reviews)
        os.environ["CHUNKSCOPE_CACHE"] = folder  # without vectors, so that the model is loaded
        with serve(Path(folder), options=FOR_OTHERS) as server:
            asyncio.run(apply(Load(2, 5, 1), server.address))  # what the first visitor alone waits for
            without = _memory(server.pid)
            asyncio.run(_load_model(server))
            before = _memory(server.pid)
            print(f"  spaCy, all-MiniLM-L6-v2 and their libraries: {before - without:.0f} MB, once on a server")
            start = processor_seconds(server.pid)
            seen, sampled = asyncio.run(apply(load, server.address, server.pid))
            used = processor_seconds(server.pid) - start
            report(load, seen)
            runs = sum(map(len, seen.reactions.values()))
            print(f"  processor time of the server: {1000 * used / max(1, runs):.0f} ms an action")
            print(f"  judgements answered: {len(seen.judged)}, stored: {len(_stored(reviews, seen.judged))}")
            time.sleep(_FORGOTTEN)
            _print_memory(before, sampled, _memory(server.pid))


_FORGOTTEN = 200.0
"""Seconds after which sessions that were left are dropped and their garbage is collected."""


def _print_memory(before: float, sampled: list[float], after: float) -> None:
    third = len(sampled) // 3
    late = median(sampled[-third:]) / median(sampled[third : 2 * third] or sampled)
    print(
        f"  memory: {before:.0f} MB before, at most {max(sampled):.0f} MB, last third ÷ second third {late:.2f}, "
        f"{after:.0f} MB after all have left ({after / before:.2f} times before)"
    )


def _stored(path: Path, tokens: set[str]) -> set[str]:
    """Return which judgements the database holds."""
    return ReviewStore(create_engine(f"sqlite:///{path}")).stored(tokens)


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
    parser.add_argument("--address", help="of a running server; a fresh one without it")
    chosen = parser.parse_args()
    load = Load(chosen.sessions, 60 * chosen.minutes, chosen.think, chosen.idle)
    if chosen.address:
        report(load, asyncio.run(apply(load, chosen.address))[0])
    else:
        measure(load)


if __name__ == "__main__":
    main()
