"""Measure how the processor time of every pattern of ``chunking`` grows: ``python -m tests.runtime.pump [--full]``.

For each repeat of a pattern, texts are built from the pattern's own syntax tree: what comes before the repeat, then the
repeated unit many times, with each kind of white space, line end and wide character that its classes match, then a
suffix that fails. Prints JSON: a list of :class:`Finding`, the steepest first.
"""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import json
import math
import pkgutil
import re
import resource
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import chunking
from chunking.runtime.patterns import registered_patterns

Pattern = re.Pattern[str] | re.Pattern[bytes]

EXPONENT = 1.2
"""Highest growth of processor time that passes: 1 is linear, 2 quadratic."""

QUICK = {8_192: 0.003, 65_536: 0.1}
"""Processor seconds, by the size of a text, below which it says nothing of growth, and freezes nobody."""

RUNS = 10
"""Measurements of a text of which the quickest counts, as long as it looks too steep."""

STUCK = 0.5
"""Processor seconds after which a single text is taken for exponential."""

LINE_ENDS = ("\n", "\r\n", "\r", "\x0b", "\x85", "\u2028")
CHARACTERS = tuple("aA1i \n\r\t\xa0\u3000\u2028\x85\fé字。）กا.-_=|#*<>()[]{}\\$`~+&;:,!?'\"/@%^")
"""Members of classes that are tried."""

COMMON = (*LINE_ENDS, *" \t\xa0\u3000aA1字", "\n\n", "\r\n\r\n", " \n", "a ", "a\n", "a. ", "1.")
"""Units with which every pattern is pumped."""

MOST = 3600
"""Processor seconds after which the whole measurement is killed."""

SUFFIXES = ("", "\x00", "\n!")
SEARCHING = frozenset(("search", "sub", "subn", "split", "findall", "finditer"))
ANCHORED = frozenset(("match", "fullmatch"))


@dataclass(frozen=True)
class Finding:
    """The text on which a pattern's processor time grows most."""

    exponent: float
    seconds: float
    size: int
    where: str
    pattern: str
    method: str
    prefix: str
    unit: str
    suffix: str


class StuckError(Exception):
    """A text took :data:`STUCK` seconds."""


# Uses ---------------------------------------------------------------------------------------------------------------


def import_all() -> list[Any]:
    """Import and return every module of ``chunking``, but for programs and adapters of other libraries."""
    names = [module.name for module in pkgutil.walk_packages(chunking.__path__, "chunking.")]
    return [
        importlib.import_module(name)
        for name in names
        if not name.endswith("__main__") and not name.startswith("chunking.adapters.")
    ]


def build_all() -> list[Pattern]:
    """Return patterns that functions build from what they find, as an example of each."""
    from chunking.loading.text import csv, values
    from chunking.sentences import blocks

    commented = [pattern for mark in ("#", "//") for pattern in values._comment_patterns(mark)]
    return [csv._cell(";", True), csv._cell("|", False), *commented, blocks._prefix_pattern(100)]


def _patterns_in(value: object, depth: int = 3) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from _patterns_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from _patterns_in(item, depth - 1)


def methods(modules: Sequence[Any]) -> dict[Pattern, set[str]]:
    """Return the methods by which each pattern is used.

    Of a constant, these are the calls on its name, here or where it is imported; ``lines`` is a match from a place. A
    pattern that is an item of a collection or an argument is used by any of the calls on a variable in its module, else
    in its package.
    """
    named: dict[str, set[str]] = {}
    variable: dict[str, set[str]] = {}
    for module in modules:
        nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
        # A match from a place to the end of the text is often one of a loop over lines.
        from_places = {
            node.func
            for node in nodes
            if isinstance(node, ast.Call) and len(node.args) == 2 and _is_of_pattern(node.func)
            if not isinstance(node.args[1], ast.Starred)
        }
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in SEARCHING | ANCHORED:
                owner = ast.unparse(node.value).split(".")
                method = "lines" if node in from_places else node.attr
                if owner[-1].isupper():
                    named.setdefault(".".join((module.__name__, *owner[-1:])), set()).update((node.attr, method))
                elif node.attr != "split":  # of strings too
                    for scope in (module.__name__, _package(module)):
                        variable.setdefault(scope, set()).update((node.attr, method))
    found: dict[Pattern, set[str]] = {}
    for module in modules:
        for name, value in vars(module).items():
            for pattern in _patterns_in(value):
                found.setdefault(pattern, set()).update(named.get(f"{module.__name__}.{name}", ()))
    for where, pattern in registered_patterns():
        if not found.get(pattern):
            found[pattern] = variable.get(where) or variable.get(_package(sys.modules[where])) or set()
    return found


def _is_of_pattern(function: ast.expr) -> bool:
    """Return whether a function is called on a pattern, and not on the module :mod:`re`."""
    return isinstance(function, ast.Attribute) and function.attr in ANCHORED and ast.unparse(function.value) != "re"


def _package(module: Any) -> str:
    return str(module.__spec__.parent)


def calls(pattern: Pattern, used: set[str]) -> list[tuple[str, Callable[[Any], object]]]:
    """Return the ways to apply a pattern that cover its uses; of unseen uses, all."""
    searching = not used or used & SEARCHING
    ways: list[tuple[str, Callable[[Any], object]]] = []
    if searching:
        ways.append(("finditer", lambda text: deque(pattern.finditer(text), 0)))
    if not searching or "match" in used:
        ways.append(("match", pattern.match))
    if "lines" in used:
        ways.append(("lines", lambda text: deque((pattern.match(text, start) for start in _line_starts(text)), 0)))
    if "fullmatch" in used:
        ways.append(("fullmatch", pattern.fullmatch))
    return ways


_LINE_START = re.compile(r"(?<=[\n\r])|\A")


def _line_starts(text: str | bytes) -> list[int]:
    return [match.start() for match in _LINE_START.finditer(text if isinstance(text, str) else text.decode("latin-1"))]


# Texts --------------------------------------------------------------------------------------------------------------


def _members(items: Sequence[Any], flags: int) -> list[str]:
    """Return the characters of a class that are tried, or else any one of it."""
    compiled = re.compile(_class_text(items), flags & ~re.VERBOSE)
    members = [char for char in CHARACTERS if compiled.match(char)]
    return members or [next(chr(code) for code in range(sys.maxunicode) if compiled.match(chr(code)))]


_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


def _class_text(items: Sequence[Any]) -> str:
    parts = []
    for code, value in items:
        if code is codes.NEGATE:
            parts.append("^")
        elif code is codes.LITERAL:
            parts.append(f"\\U{value:08x}")
        elif code is codes.RANGE:
            parts.append(f"\\U{value[0]:08x}-\\U{value[1]:08x}")
        else:
            parts.append(_CATEGORIES[value])
    return f"[{''.join(parts)}]"


class Sampler:
    """Texts that parts of a pattern match."""

    def __init__(self, flags: int) -> None:
        self._flags = flags & ~re.ASCII
        self._cache: dict[str, list[str]] = {}

    def members(self, items: Sequence[Any]) -> list[str]:
        key = repr(items)
        if key not in self._cache:
            self._cache[key] = _members(items, self._flags)
        return self._cache[key]

    def text(self, nodes: Any, variant: int = 0) -> str:
        """Return a short text that the nodes match; the variants differ in members and branches."""
        return "".join(self._node(code, value, variant) for code, value in nodes)

    def _node(self, code: Any, value: Any, variant: int) -> str:
        if code is codes.LITERAL:
            return chr(value)
        if code is codes.NOT_LITERAL:
            return "b" if value == ord("a") else "a"
        if code is codes.ANY:
            return "a"
        if code is codes.IN:
            members = self.members(value)
            return members[variant % len(members)]
        if code in REPEATS:
            return self.text(value[2], variant) * int(value[0])
        if code is codes.SUBPATTERN:
            return self.text(value[3], variant)
        if code is codes.ATOMIC_GROUP:
            return self.text(value, variant)
        if code is codes.BRANCH:
            return self.text(value[1][variant % len(value[1])], variant)
        if code is codes.ASSERT and value[0] < 0:
            return self.text(value[1], variant)
        return ""

    def units(self, nodes: Any) -> set[str]:
        """Return texts of a repeated part: with each member where it is one class, else some variants."""
        if len(nodes) == 1 and nodes[0][0] is codes.IN:
            members = set(self.members(nodes[0][1]))
            return members | ({"\r\n"} if {"\r", "\n"} <= members else set())
        if len(nodes) == 1 and nodes[0][0] in (codes.ANY, codes.NOT_LITERAL):
            return {"a", " ", "字"}
        return {self.text(nodes, variant) for variant in range(12)}

    def pumps(self, nodes: Any, before: str = "") -> Iterator[tuple[str, str]]:
        """Yield the prefix and the unit of every repeat that has no small bound."""
        for index, (code, value) in enumerate(nodes):
            prefix = before + self.text(nodes[:index])
            if code in REPEATS:
                if value[1] is codes.MAXREPEAT or value[1] > 50:
                    following = self.text(nodes[index + 1 : index + 2])
                    for unit in self.units(value[2]):
                        yield from ((prefix, unit), ("", prefix + unit), (prefix, unit + following))
                        yield from ((prefix, unit + end) for end in ("\n", "\r\n"))
                yield from self.pumps(value[2], prefix)
            elif code is codes.SUBPATTERN:
                yield from self.pumps(value[3], prefix)
            elif code is codes.ATOMIC_GROUP:
                yield from self.pumps(value, prefix)
            elif code is codes.BRANCH:
                for branch in value[1]:
                    yield from self.pumps(branch, prefix)
            elif code in (codes.ASSERT, codes.ASSERT_NOT):
                yield from self.pumps(value[1], prefix)
            yield ("", prefix)


REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def texts(pattern: Pattern) -> Iterator[tuple[str, str]]:
    """Yield pairs of a prefix and a unit with which a pattern is pumped, each once."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    seen: set[tuple[str, str]] = set()
    for pair in (*Sampler(pattern.flags).pumps(tree), *(("", unit) for unit in COMMON)):
        if pair[1] and pair not in seen:
            seen.add(pair)
            yield pair


# Measuring ----------------------------------------------------------------------------------------------------------


@contextmanager
def _limit() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, STUCK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def raise_stuck(*_: object) -> None:
    """Handle the signal that a text takes too long."""
    raise StuckError


def seconds(call: Callable[[Any], object], text: str | bytes) -> float:
    """Return the processor time of a call; infinity where it is stuck."""
    started = time.thread_time()
    try:
        with _limit():
            call(text)
    except StuckError:
        return math.inf
    return time.thread_time() - started


def exponent(
    cost: Callable[[int, int], float], size: int, quick: float, bound: float = EXPONENT
) -> tuple[float, float]:
    """Return the growth and the cost at a size, measured again where it looks too steep.

    The time is that of the thread: while a timer of processor time runs, the system counts the time of a process in
    ticks of some milliseconds. The two sizes are measured in turn, so that both meet what else the machine does, and
    from the second time on for as long: where a processor changes its speed within milliseconds, what is shorter meets
    its quickest moments more easily.

    Args:
        cost: the processor time of a size in a run, which has a number so that it may avoid what caches have.
        size: the largest size; the growth is that from a fourth of it.
        quick: processor seconds of the largest size below which it says nothing of growth: beside busy processes, a
            hundredth of a second may well take three.
        bound: growth up to which it is not measured again.
    """
    if cost(size // 8, 0) * 64 < quick:  # if it were quadratic, it would still be quick
        return 0.0, 0.0
    large = small = math.inf
    for run in range(RUNS):
        if run == 1:
            large = small = math.inf
        times = 4 if run else 1
        large = min(large, cost(size, run))
        small = min(small, sum(cost(size // 4, run * 4 + turn) for turn in range(times)) / times)
        if large < quick:
            return 0.0, large
        growth = math.inf if large == math.inf else math.log(large / max(small, 1e-6), 4)
        if growth <= bound or (run and large == math.inf):  # what is stuck twice is no noise
            break
    return growth, large


@dataclass(frozen=True)
class Trial:
    """A call of a pattern on texts of one form."""

    method: str
    call: Callable[[Any], object]
    prefix: str
    unit: str
    suffix: str
    is_bytes: bool

    def text(self, size: int) -> str | bytes:
        """Return the text of a size."""
        pumped = self.prefix + self.unit * (size // len(self.unit) + 1) + self.suffix
        return pumped.encode("utf-8", "replace") if self.is_bytes else pumped


def trials(pattern: Pattern, used: set[str]) -> Iterator[Trial]:
    """Yield the calls with which a pattern is measured."""
    for prefix, unit in texts(pattern):
        for suffix in SUFFIXES:
            for method, call in calls(pattern, used):
                yield Trial(method, call, prefix, unit, suffix, isinstance(pattern.pattern, bytes))


def measure(where: str, pattern: Pattern, used: set[str], size: int) -> Finding:
    """Return the steepest growth over all texts of a pattern."""
    worst = Finding(0.0, 0.0, 0, where, str(pattern.pattern), "", "", "", "")
    for trial in trials(pattern, used):

        def cost_of(length: int, _run: int, trial: Trial = trial) -> float:
            return seconds(trial.call, trial.text(length))

        growth, cost = exponent(cost_of, size, QUICK[size])
        if (growth, cost) > (worst.exponent, worst.seconds):
            form = (trial.method, trial.prefix, trial.unit, trial.suffix)
            worst = Finding(growth, cost, size, where, str(pattern.pattern), *form)
        if growth > EXPONENT and cost > 5 * QUICK[size]:
            return worst
    return worst


def main(words: Sequence[str]) -> None:
    """Measure all patterns and print what was found."""
    full = "--full" in words
    signal.signal(signal.SIGPROF, raise_stuck)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST))
    modules = import_all()
    built = build_all()
    used = methods(modules)
    for pattern in built:
        used[pattern] = used[pattern] or {"match", "search"}
    gc.disable()
    sizes = sorted(QUICK) if full else (min(QUICK),)
    findings = []
    for where, pattern in registered_patterns():
        worst = Finding(0.0, 0.0, 0, where, "", "", "", "", "")
        for size in sizes:
            worst = max(worst, measure(where, pattern, used.get(pattern, set()), size), key=lambda each: each.exponent)
            if worst.exponent > EXPONENT:
                break
        findings.append(worst)
        if "-v" in words and worst.exponent > EXPONENT:
            print(worst, file=sys.stderr, flush=True)
    findings.sort(key=lambda each: (each.exponent, each.seconds), reverse=True)
    json.dump([asdict(finding) for finding in findings], sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
