"""The processor time that a run of each page costs the server, and which code spends it.

What runs in threads of its own (embedding, retrieval) is over before anything is measured. Times are of the processor,
so that other work on the machine changes them little.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import made, watched_server
from benchmarks.served import measurements
from benchmarks.timing import table
from benchmarks.web_session import WebSession, web_session
from chunking import samples
from pages.shared.server import metrics
from tests.browser.server import ROOT, Server, serve_command

Act = Callable[[WebSession, int], Awaitable[float]]

WITHIN = 120.0
RUNS = 12
WARM = 4
SIZES = (150, 1_000)
_IDLE = 0.1
"""Processor seconds in half a second below which the server works at nothing."""

_QUIET = 4
"""Such half seconds in a row, since what runs in the background may wait for a moment."""

_LEAST = 1.0
"""Milliseconds of a part that is printed."""


@dataclass(frozen=True)
class Visit:
    """A page, and what is done on it.

    Attributes:
        title: of the row.
        path: of the page.
        query: of its address.
        move: of its main control, and its words; without one only a run that changes nothing is measured.
    """

    title: str
    path: str = ""
    query: str = ""
    move: tuple[str, Act] | None = None


async def _again(session: WebSession, _: int) -> float:
    """Run the page, and change nothing."""
    return await session.again(WITHIN)


def _slide(key: str, *values: float) -> Act:
    """Return what moves a slider to and fro."""
    return lambda session, number: session.set(key, WITHIN, double_array_value={"data": [values[number % len(values)]]})


def _type(key: str, *values: float) -> Act:
    return lambda session, number: session.set(key, WITHIN, double_value=values[number % len(values)])


async def _judge(session: WebSession, number: int) -> float:
    document = samples.load("field-guide-to-backups").document
    event = {
        "token": uuid.uuid4().hex,
        "document": document.text_hash,
        "reviewer": "Ann",
        "action": "accept",
        "offset": 1 + number,
    }
    return await session.report("_desk", "sent", {"document": document.text_hash, "events": [event]}, WITHIN)


async def _turn(session: WebSession, number: int) -> float:
    return await session.set("chapter", WITHIN, string_array_value={"data": ["12"[number % 2]]})


ALPHAS = (0.3, 0.4, 0.5, 0.6)
OF_DOCUMENT = (
    Visit("Inspect", move=("α", _slide("structural_alpha", *ALPHAS))),
    Visit("Compare", "compare", move=("α of a lane", _slide("_lane_structural_alpha", *ALPHAS))),
    Visit("Tune", "tune", move=("α", _slide("structural_alpha", *ALPHAS))),
    Visit("Review", "review", "reviewer=Ann"),
)
OTHERS = (
    Visit("Review", "review", "reviewer=Ann", ("judgement", _judge)),
    Visit("Evaluate: boundaries", "evaluate", move=("tolerance", _type("f1_tolerance", 0, 1))),
    Visit("Collection", "collection", move=("α", _slide("structural_alpha", *ALPHAS))),
    Visit("Learn", "learn", move=("chapter", _turn)),
    Visit("Evaluate: retrieval", "evaluate", "measured=Retrieval", ("top k", _type("top_k", 5, 6))),
)


@dataclass(frozen=True)
class Cost:
    """What a run cost.

    Attributes:
        script: milliseconds of the thread that ran the script.
        server: milliseconds of the whole process.
        collection: milliseconds of garbage collections, part of both.
        kilobytes: sent to the browser.
        parts: looks at running code, by part.
    """

    script: float
    server: float
    collection: float
    kilobytes: float
    parts: Mapping[str, float]


class Watched:
    """A server whose runs are measured."""

    def __init__(self, server: Server, token: str) -> None:
        self._server, self._token = server, token

    @property
    def address(self) -> str:
        """Its address."""
        return self._server.address

    async def cost(self, session: WebSession, act: Act) -> Cost:
        """Do something several times, and return the mean cost of a run."""
        for number in range(WARM):
            await act(session, number)
        await self._rest(session)
        before, received = await self._read(), session.received
        for number in range(RUNS):
            await act(session, number)
        await session.rest(0.1)
        after = await self._read()
        spent = {name: value - before.get(name, 0) for name, value in after.items()}
        looks = {name[1:]: value for name, value in spent.items() if name.startswith("/") and value}
        if session.problems:
            raise RuntimeError(f"The page has problems: {session.problems}")
        return Cost(
            1000 * spent["watched_script_seconds_total"] / RUNS,
            1000 * spent["watched_process_seconds_total"] / RUNS,
            1000 * spent["watched_collection_seconds_total"] / RUNS,
            (session.received - received) / 1000 / RUNS,
            looks,
        )

    async def _rest(self, session: WebSession) -> None:
        """Wait until the server works at nothing."""
        quiet = 0
        for _ in range(500):
            before = await self._read()
            await session.rest(0.5)
            after = await self._read()
            spent = after["watched_process_seconds_total"] - before["watched_process_seconds_total"]
            quiet = quiet + 1 if spent < _IDLE else 0
            if quiet == _QUIET:
                return
        raise RuntimeError("The server does not come to rest.")

    async def _read(self) -> dict[str, float]:
        return {
            "/" + sample.labels["part"] if "part" in sample.labels else sample.name: sample.value
            for sample in await measurements(self.address, self._token, "watched_")
        }


async def _costs(server: Watched, folder: Path) -> dict[tuple[str, str, str], Cost]:
    """Return the cost of a run, by page, document and what was done."""
    found: dict[tuple[str, str, str], Cost] = {}
    documents = {"sample": None, **{f"{size:,} sentences": made.file(folder, size) for size in SIZES}}
    for name, file in documents.items():
        async with web_session(server.address) as session:
            await session.open("", WITHIN)
            if file:
                await session.upload(session.key_like("_upload_files_"), file.name, file.read_bytes(), WITHIN)
            for visit in OF_DOCUMENT if file else (*OF_DOCUMENT[:-1], *OTHERS):
                await session.go(visit.path, WITHIN, visit.query)
                await session.rest(1)
                for words, act in (("nothing", _again), *([visit.move] if visit.move else ())):
                    found[visit.title, name, words] = await server.cost(session, act)
    return found


def _measure(folder: Path, *, split: bool) -> dict[tuple[str, str, str], Cost]:
    token = secrets.token_hex()
    environment = {**os.environ, "MALLOC_ARENA_MAX": "2", metrics.TOKEN: token}
    environment |= {"CHUNKSCOPE_REVIEWS": str(folder / f"reviews-{split}.sqlite")}
    environment |= {watched_server.SPLIT: "1"} if split else {}
    command = [sys.executable, "-m", "benchmarks.watched_server", "run", "app.py"]
    with serve_command(command, folder, ROOT, environment) as server:
        return asyncio.run(_costs(Watched(server, token), folder))


def main() -> None:
    """Measure every page, then its parts on another server, where looking costs time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["CHUNKSCOPE_CACHE"] = name
        costs, split = _measure(folder, split=False), _measure(folder, split=True)
    table(
        f"Processor time of a run, mean of {RUNS} after {WARM} (target: the script ≤ 60 ms)",
        ("page", "document", "what was moved", "script", "whole server", "of it collecting garbage", "sent"),
        [
            (
                *key,
                f"{cost.script:.1f} ms",
                f"{cost.server:.1f} ms",
                f"{cost.collection:.1f} ms",
                f"{cost.kilobytes:.0f} kB",
            )
            for key, cost in costs.items()
        ],
    )
    parts = sorted({part for cost in split.values() for part in cost.parts})
    shown = [key for key in split if key[1] == "sample"]
    rows = []
    for part in parts:
        shares = [split[key].parts.get(part, 0) / sum(split[key].parts.values()) for key in shown]
        spent = [share * costs[key].server for share, key in zip(shares, shown, strict=True)]
        if max(spent) >= _LEAST:
            rows.append((part, *(f"{each:.1f}" for each in spent)))
    table(
        f"The same by code, in ms, those parts that take {_LEAST:g} ms somewhere",
        ("part", *(f"{title}, {moved}" for title, _, moved in shown)),
        rows,
    )


if __name__ == "__main__":
    main()
