"""Files that were changed at random, given to every loader: ``python -m tests.fuzz.fuzz --minutes 10 --keep FOLDER``.

Each is loaded in a process that has the limits of a parser's. What leaves a loader must be a document that keeps its
promises or an error for people, in good time. An input that fails is made smaller by leaving parts of it out, and kept.
An input that gives a kind of result that was not there before is changed further.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import multiprocessing.connection
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chunking.loading import FORMATS
from tests.fuzz import mutate, seeds, target
from tests.fuzz.target import Outcome

SLOW = 10.0
"""Seconds after which a file of at most :data:`mutate.MOST` bytes is taken for one that hangs."""

BATCH = 2000
"""Inputs that a process is given before it is replaced."""

CORPUS = 400
"""Inputs of a format that are changed further, besides the first."""

SHRINKS = 150
"""Tries to make a failing input smaller."""

Target = Callable[[bytes, str], Outcome]


def _serve(pipe: multiprocessing.connection.Connection, run: Target, lock: Callable[[], None]) -> None:
    lock()
    pipe.send("ready")
    while True:
        data, name = pipe.recv()
        pipe.send(tuple(run(data, name)))


class Runner:
    """A process that loads inputs, replaced when it dies, hangs or has done many."""

    def __init__(self, run: Target = target.run, lock: Callable[[], None] = target.lock, slow: float = SLOW) -> None:
        self._make = (run, lock)
        self._slow = slow
        self._process: multiprocessing.process.BaseProcess | None = None
        self._left = 0

    def __call__(self, data: bytes, name: str) -> Outcome:
        """What becomes of an input; a death or a hang is a failure."""
        if self._process is None or self._left <= 0:
            self._start()
        self._left -= 1
        started = time.perf_counter()
        try:
            self._pipe.send((data, name))
            if self._pipe.poll(self._slow):
                return Outcome(*self._pipe.recv())
            how = "hangs"
        except (EOFError, ConnectionError):
            assert self._process
            self._process.join(5)
            how = f"dies with {self._process.exitcode}"
        self.close()
        return Outcome(how, how, time.perf_counter() - started, how)

    def _start(self) -> None:
        self.close()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, *self._make), daemon=True)
        process.start()
        theirs.close()
        self._pipe.recv()
        self._process, self._left = process, BATCH

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


@dataclass
class Tally:
    """What a format's inputs came to."""

    runs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_input: bytes = b""
    shapes: set[str] = field(default_factory=set)
    failures: Counter[str] = field(default_factory=Counter)


def shrunk(data: bytes, fails: Callable[[bytes], bool], tries: int = SHRINKS) -> bytes:
    """A shorter input that fails too: halves are left out, then quarters, and so on, while any can be."""
    size = max(len(data) // 2, 1)
    while tries > 0:
        place, before = 0, len(data)
        while place < len(data) and tries > 0:
            tries -= 1
            shorter = data[:place] + data[place + size :]
            if fails(shorter):
                data = shorter
            else:
                place += size
        if size == 1 and len(data) == before:
            break
        size = max(size // 2, 1)
    return data


def fuzz(
    format: str,
    seconds: float,
    chance: random.Random,
    runner: Runner,
    keep: Callable[[str, str, bytes, Outcome], None],
    tally: Tally,
) -> None:
    """Change files of a format and load them for so long."""
    first = seeds.seeds(format)
    corpus = list(first)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        data = chance.choice(first if chance.random() < 0.4 else corpus)
        data = mutate.changed(data, format, corpus, chance)
        name = f"file{chance.choice(seeds.suffixes(format))}"
        outcome = runner(data, name)
        tally.runs += 1
        tally.seconds += outcome.seconds
        if outcome.seconds > tally.slowest:
            tally.slowest, tally.slowest_input = outcome.seconds, data
        if outcome.failure:
            tally.failures[outcome.failure] += 1
            if tally.failures[outcome.failure] == 1:
                keep(format, name, _smallest(data, name, outcome, runner), outcome)
        elif outcome.shape not in tally.shapes:
            tally.shapes.add(outcome.shape)
            if len(corpus) < len(first) + CORPUS:
                corpus.append(data)


def _smallest(data: bytes, name: str, outcome: Outcome, runner: Runner) -> bytes:
    tries = SHRINKS if outcome.failure != "hangs" else 8
    return shrunk(data, lambda shorter: runner(shorter, name).failure == outcome.failure, tries)


def _keeper(folder: Path | None) -> Callable[[str, str, bytes, Outcome], None]:
    def keep(format: str, name: str, data: bytes, outcome: Outcome) -> None:
        print(f"{format}: {outcome.failure} ({len(data)} bytes)", flush=True)
        if folder is None:
            print(f"  {data[:300]!r}\n{outcome.detail}")
            return
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{format}-{hashlib.sha256(data).hexdigest()[:10]}{Path(name).suffix}"
        path.write_bytes(data)
        path.with_name(path.name + ".why").write_text(f"{outcome.failure}\n\n{outcome.detail}", encoding="utf-8")

    return keep


def _report(tallies: dict[str, Tally]) -> None:
    print(f"{'format':<12}{'runs':>9}{'minutes':>9}{'shapes':>8}{'failures':>10}  slowest")
    for format, tally in tallies.items():
        print(
            f"{format:<12}{tally.runs:>9,}{tally.seconds / 60:>9.2f}{len(tally.shapes):>8}"
            f"{tally.failures.total():>10}  {tally.slowest:.2f} s ({len(tally.slowest_input):,} bytes)"
        )
    runs, seconds = sum(tally.runs for tally in tallies.values()), sum(tally.seconds for tally in tallies.values())
    print(f"{'all':<12}{runs:>9,}{seconds / 60:>9.2f}")


def _keep_slowest(tallies: dict[str, Tally], folder: Path | None) -> None:
    for format, tally in tallies.items():
        if folder and tally.slowest > SLOW / 10:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"slowest-{format}{seeds.suffixes(format)[0]}").write_bytes(tally.slowest_input)


def main(words: Sequence[str] | None = None) -> int:
    """Fuzz all formats or one; the exit code is 1 where anything failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.fuzz", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="in all, shared by the formats")
    parser.add_argument("--format", action="append", choices=list(FORMATS), help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for inputs that fail")
    asked = parser.parse_args(words)
    tallies: dict[str, Tally] = {}
    formats = asked.format or list(FORMATS)
    runner = Runner()
    try:
        for format in formats:
            tallies[format] = Tally()
            chance = random.Random(f"{asked.seed} {format}")
            fuzz(format, 60 * asked.minutes / len(formats), chance, runner, _keeper(asked.keep), tallies[format])
    finally:
        runner.close()
        _report(tallies)
        _keep_slowest(tallies, asked.keep)
    return int(any(tally.failures for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
