"""How long one person waits for a slider while the server embeds the long document of another: threads and workers.

``python -m benchmarks.busy [--seconds S]`` measures for longer than ``make bench``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import numpy as np

from benchmarks import made
from benchmarks.load import WITHIN
from benchmarks.served import Served, served
from benchmarks.timing import table
from benchmarks.web_session import WebSession, web_session
from chunking import samples
from chunking.jobs.settings import WORKERS

_SENTENCES = 20_000
"""Of the long document: more than can be embedded while it is measured."""

_PAUSE = 0.3
"""Seconds between two moves of the slider."""


async def _moves(session: WebSession, seconds: float) -> list[float]:
    """Return the seconds until each move of a slider was drawn."""
    times: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = (7 * len(times) % 100) / 100
        times.append(await session.set("structural_alpha", WITHIN, double_array_value={"data": [value]}))
        await asyncio.sleep(_PAUSE)
    return times


async def _measure(on: Served, seconds: float) -> tuple[list[float], list[float], float]:
    """Return the times of moves on a quiet and on a busy server, and the memory of the busy one in MB."""
    async with web_session(on.address) as person:
        await person.open(f"doc={samples.names()[1]}", WITHIN)
        await _moves(person, 3)
        quiet = await _moves(person, seconds)
    async with web_session(on.address) as person, web_session(on.address) as other:
        await person.open(f"doc={samples.names()[1]}", WITHIN)
        await other.open("splitter=rules&language=English", WITHIN)  # the text is of no language
        await other.upload(other.key_like("_upload_files_"), "long.md", made.text(_SENTENCES).encode(), 2 * WITHIN)
        await asyncio.sleep(5)  # the model is loaded
        busy = await _moves(person, seconds)
        if not (await on.jobs()).get("running"):
            raise RuntimeError("The long document was embedded before the end, or not at all.")
        return quiet, busy, sum(on.memory())


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def measure(seconds: float) -> None:
    """Measure a server with threads and one with workers, and print both."""
    rows = []
    for title, workers in (("threads", "0"), ("workers", "1")):
        with _environment(**{WORKERS: workers}), served() as on:
            quiet, busy, memory = asyncio.run(_measure(on, seconds))
        times = [median(quiet), median(busy), float(np.percentile(busy, 95)), max(busy)]
        rows.append((title, *(f"{each:.2f} s" for each in times), f"{times[1] / times[0]:.1f}", f"{memory:.0f} MB"))
    table(
        f"A slider is moved for {seconds:.0f} s on a quiet server, then while {_SENTENCES:,} sentences of others "
        "are embedded",
        ("heavy work in", "quiet, median", "busy, median", "95th percentile", "slowest", "busy ÷ quiet", "memory"),
        rows,
    )


def run() -> None:
    """Measure for twenty seconds each, as a part of ``make bench``."""
    measure(20)


def main() -> None:
    """Measure as long as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=20.0)
    measure(parser.parse_args().seconds)


if __name__ == "__main__":
    main()
