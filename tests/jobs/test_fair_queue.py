"""Properties of the queue that hold whatever people do."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from chunking.jobs.fair_queue import FairQueue

PEOPLE = st.sampled_from("abcde")
KEYS = st.integers(0, 9)
MOST = 4


class People(RuleBasedStateMachine):
    """People who come and go, and a plain record of who waits for what, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: FairQueue[int] = FairQueue(MOST)
        self.waiting: dict[str, list[int]] = {}
        self.turns_before: dict[str, int] = {}

    @rule(person=PEOPLE, key=KEYS)
    def add(self, person: str, key: int) -> None:
        own = self.waiting.get(person, [])
        fits = key in own or len(own) < MOST
        assert self.queue.add(person, key) == fits
        if fits and key not in own:
            if not own:
                self.turns_before[person] = len(self.waiting)
            self.waiting[person] = [*own, key]

    @rule(person=PEOPLE, key=KEYS)
    def withdraw(self, person: str, key: int) -> None:
        self.queue.withdraw(person, key)
        self.waiting[person] = [each for each in self.waiting.get(person, []) if each != key]
        self._tidy()

    @rule(key=KEYS)
    def remove(self, key: int) -> None:
        self.queue.remove(key)
        self._drop(key)

    @rule()
    def take(self) -> None:
        key = self.queue.take()
        if not self.waiting:
            assert key is None
            return
        assert key is not None
        first = [person for person, keys in self.waiting.items() if keys[0] == key]
        assert first, "somebody's first job is taken"
        # Nobody is passed over: who waits behind k - 1 others has a turn after k - 1 jobs at most.
        for person in self.waiting:
            if person not in first:
                self.turns_before[person] -= 1
                assert self.turns_before[person] >= 0
        served = min(first, key=lambda person: self.turns_before[person])
        self._drop(key)
        if served in self.waiting:
            self.turns_before[served] = len(self.waiting) - 1

    @invariant()
    def places_are_exact(self) -> None:
        order = self.queue.order()
        assert sorted(order) == sorted({key for keys in self.waiting.values() for key in keys})
        assert len(self.queue) == len(order)
        assert [self.queue.place(key) for key in order] == list(range(1, len(order) + 1))
        assert all((key in self.queue) == (key in order) for key in range(10))
        # A job is never behind one that the same person asked for later, unless others want that one too.
        for person, keys in self.waiting.items():
            shared = {key for other, theirs in self.waiting.items() if other != person for key in theirs}
            own = [self.queue.place(key) for key in keys if key not in shared]
            assert own == sorted(own)

    def teardown(self) -> None:
        order = self.queue.order()
        assert [self.queue.take() for _ in order] == order
        assert self.queue.take() is None

    def _drop(self, key: int) -> None:
        self.waiting = {person: [each for each in keys if each != key] for person, keys in self.waiting.items()}
        self._tidy()

    def _tidy(self) -> None:
        self.waiting = {person: keys for person, keys in self.waiting.items() if keys}


TestPeople = People.TestCase
TestPeople.settings = settings(max_examples=60, stateful_step_count=30)


def test_a_job_of_several_people_has_the_best_of_their_places() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(3):
        queue.add("ada", f"of ada {number}")
    queue.add("ada", "shared")
    assert queue.place("shared") == 4
    queue.add("bob", "shared")
    assert queue.place("shared") == 2
    queue.withdraw("bob", "shared")
    assert queue.place("shared") == 4
    queue.withdraw("ada", "shared")
    assert queue.place("shared") == 0 and "shared" not in queue
