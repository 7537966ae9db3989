"""One process of the app against several behind a proxy that sends each visitor to the same one, under the same load.

``python -m benchmarks.scale [--processes N] [--rounds N] [--minutes M] [--reviews URL]`` measures in turns. The people,
the proxy and the processes share the processors of this machine: each needs some of its own for the ratio to show.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from benchmarks.load import Load, apply
from benchmarks.processes import processor_seconds
from benchmarks.served import served
from benchmarks.timing import table
from chunking.runtime.wording import plural

LOAD = Load(sessions=32, seconds=60, think=0.1, heavy=False)
"""More than one process can do, and of runs of scripts alone: what is heavy is done beside the processes."""


@dataclass(frozen=True)
class Turn:
    """What came of a load on a number of processes.

    Attributes:
        processes: how many.
        rate: actions a second.
        middle, slow: median and 95th percentile of the reactions, in seconds.
        processor: seconds of a core that the processes used, for an action.
        busy: seconds of a core that the people used, for a second.
        problems: with how often each came.
    """

    processes: int
    rate: float
    middle: float
    slow: float
    processor: float
    busy: float
    problems: Mapping[str, int]


def _measure(count: int, load: Load, reviews: str) -> Turn:
    with served(count, reviews) as on:
        for server in on.servers:
            asyncio.run(apply(Load(2, 5, 1), server.address))  # what the first visitor alone waits for
        before, own = on.processor(), processor_seconds(os.getpid())
        seen = asyncio.run(apply(load, on.address))
        used = on.processor() - before
        busy = (processor_seconds(os.getpid()) - own) / load.seconds
    times = [each.seconds for each in seen.reactions]
    slow = float(np.percentile(times, 95))
    return Turn(count, len(times) / load.seconds, median(times), slow, used / len(times), busy, seen.problems)


def measure(counts: tuple[int, ...] = (1, 2), rounds: int = 2, load: Load = LOAD, reviews: str = "") -> None:
    """Measure in turns, so that what else the machine does meets all alike, and print the ratio.

    Args:
        counts: numbers of processes.
        rounds: how often each is measured.
        load: on each.
        reviews: URL of the database; a new SQLite file for each turn without it.
    """
    turns: list[Turn] = []
    for count in counts * rounds:
        turns.append(_measure(count, load, reviews))
        print(turns[-1], file=sys.stderr, flush=True)
    table(
        f"{load.sessions} people for {load.seconds:.0f} s, {load.think:g} s between actions on average, "
        f"{os.cpu_count()} processors for everything (target: 1.7 times as many with 2 processes, where each has one)",
        ("processes", "actions a second", "median", "95th percentile", "processor an action", "people", "problems"),
        [
            (
                turn.processes,
                f"{turn.rate:.2f}",
                f"{turn.middle:.2f} s",
                f"{turn.slow:.2f} s",
                f"{1000 * turn.processor:.0f} ms",
                f"{turn.busy:.0%}",
                sum(turn.problems.values()),
            )
            for turn in turns
        ],
    )
    for problem, times in Counter(each[:200] for turn in turns for each in turn.problems).items():
        print(f"  problem, in {plural(times, 'turn')}: {problem}")
    rates = {count: median(turn.rate for turn in turns if turn.processes == count) for count in counts}
    for count in counts[1:]:
        print(f"  {count} processes ÷ {counts[0]}: {rates[count] / rates[counts[0]]:.2f} times the actions a second")


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=LOAD.seconds / 60)
    parser.add_argument("--reviews", default="", help="URL of a database; a SQLite file without it")
    chosen = parser.parse_args()
    load = replace(LOAD, seconds=60 * chosen.minutes)
    measure((1, chosen.processes), chosen.rounds, load, chosen.reviews)


if __name__ == "__main__":
    main()
