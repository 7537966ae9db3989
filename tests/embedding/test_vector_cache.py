"""The cache of vectors: true, whole, bounded, shared and never in the way."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import uuid
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chunking.embedding import vector_cache
from chunking.embedding.vector_cache import VectorCache
from chunking.runtime.arrays import Bools, Float32, Float64
from tests.disks import unprivileged

DIMENSION = 48
LATER = SimpleNamespace(monotonic=lambda: time.monotonic() + 1000)
"""A clock that is ahead, for a module that asks how long something was."""


def vectors_of(texts: Sequence[str], dimension: int = DIMENSION) -> Float32:
    """Vectors that can be told from the text alone."""
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") for text in texts]
    rows = [np.random.default_rng(seed).standard_normal(dimension, dtype=np.float32) for seed in seeds]
    return np.array(rows, dtype=np.float32).reshape(len(texts), dimension)


def names(start: int, stop: int) -> list[str]:
    return [f"text {i}" for i in range(start, stop)]


def fill(cache: VectorCache, texts: Sequence[str]) -> None:
    cache.put_many("k", texts, vectors_of(texts))


def check(cache: VectorCache, texts: Sequence[str]) -> Bools:
    """All that is found must be right; says what was found."""
    vectors, found = cache.get_many("k", texts, DIMENSION)
    expected = np.where(found[:, None], vectors_of(texts), 0)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, expected)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "vectors.sqlite3"


# --- what goes in comes out ------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(alphabet=st.characters(), max_size=8), min_size=1, max_size=8, unique=True),
    st.data(),
)
def test_vectors_come_back_bit_by_bit(path: Path, texts: list[str], data: st.DataObject) -> None:
    shape = (len(texts), data.draw(st.integers(1, 5)))
    vectors = data.draw(hnp.arrays(np.float32, shape, elements=st.floats(width=32, allow_nan=False)))
    path = path.with_name(f"{uuid.uuid4().hex}.sqlite3")
    cache = VectorCache(path)
    cache.put_many("k", texts, vectors)
    cache.close()
    order = [*data.draw(st.permutations(range(len(texts)))), 0]
    got, found = VectorCache(path).get_many("k", [texts[i] for i in order], shape[1])
    assert found.all()
    assert got.tobytes() == vectors[order].tobytes()


def test_what_was_not_stored_is_missing(path: Path) -> None:
    cache = VectorCache(path)
    fill(cache, ["a", "c"])
    vectors, found = cache.get_many("k", ["a", "b", "c", "b", "a"], DIMENSION)
    assert found.tolist() == [True, False, True, False, True]
    assert np.array_equal(vectors[[0, 2, 4]], vectors_of(["a", "c", "a"]))
    assert not vectors[[1, 3]].any()


def test_more_texts_than_one_query_takes(path: Path) -> None:
    cache = VectorCache(path)
    fill(cache, names(0, 2500))
    found = check(cache, names(1000, 4000))
    assert found.tolist() == [True] * 1500 + [False] * 1500


@pytest.mark.parametrize("vectors", [np.zeros((1, 3)), np.zeros(2), np.zeros((2, 2, 2))])
def test_vectors_must_be_one_row_a_text(path: Path, vectors: Float64) -> None:
    with pytest.raises(ValueError, match="one row a text"):
        VectorCache(path).put_many("k", ["a", "b"], vectors)


# --- bounded ---------------------------------------------------------------------------------------------------


def test_the_least_recently_used_go_first(path: Path) -> None:
    now = [1_000_000.0]
    cache = VectorCache(path, max_bytes=512 * 1024, clock=lambda: now[0])
    fill(cache, names(0, 200))
    now[0] += 10_000
    fill(cache, names(200, 400))
    now[0] += 10_000
    assert check(cache, names(0, 100)).all()  # a use: 100 to 199 are now the oldest
    now[0] += 10_000
    total = 400
    while len(cache) == total:
        fill(cache, names(total, total + 100))
        total += 100
    assert cache.size <= 512 * 1024
    found = check(cache, names(0, total))
    assert found[:100].all()
    assert not found[100:200].any()
    assert found[400:].all()


def test_the_bound_holds_whatever_is_stored(path: Path) -> None:
    bound = 256 * 1024
    cache = VectorCache(path, max_bytes=bound)
    for start in range(0, 5000, 500):
        fill(cache, names(start, start + 500))
        assert cache.size <= bound
        check(cache, names(0, start + 500))
    assert len(cache) > 0
    assert path.stat().st_size < 3 * bound


def test_a_bound_below_an_empty_database_stores_nothing(path: Path) -> None:
    cache = VectorCache(path, max_bytes=1)
    fill(cache, names(0, 50))
    assert len(cache) == 0
    assert not check(cache, names(0, 50)).any()


# --- damage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE id = 1",
        "UPDATE vectors SET vector = substr(vector, 1, length(vector) - 1) WHERE id = 1",
        "UPDATE vectors SET vector = 'text' WHERE id = 1",
        "UPDATE vectors SET dimension = dimension + 1 WHERE id = 1",
        "UPDATE vectors SET checksum = checksum + 1 WHERE id = 1",
        "UPDATE vectors SET (vector, checksum) = (SELECT vector, checksum FROM vectors WHERE id = 2) WHERE id = 1",
    ],
)
def test_a_damaged_row_is_missing_and_can_be_replaced(path: Path, damage: str) -> None:
    cache = VectorCache(path)
    texts = names(0, 5)
    fill(cache, texts)
    with sqlite3.connect(path) as other:
        assert other.execute(damage).rowcount == 1
    other.close()
    assert check(cache, texts).tolist() == [False, True, True, True, True]
    fill(cache, texts)
    assert check(cache, texts).all()


def test_another_dimension_is_missing_and_replaced(path: Path) -> None:
    cache = VectorCache(path)
    cache.put_many("k", ["a"], [[1.0, 2.0, 3.0]])
    assert not cache.get_many("k", ["a"], 2)[1].any()
    cache.put_many("k", ["a"], [[4.0, 5.0]])
    assert cache.get_many("k", ["a"], 2)[0].tolist() == [[4, 5]]


def _scramble_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"not a database at all")


def _cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _scramble_pages(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        for start in range(4096, size, 4096):
            file.seek(start)
            file.write(b"\xff" * 64)


def _drop_a_table(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE vectors")
    other.close()


@pytest.mark.parametrize("damage", [_scramble_header, _cut_in_half, _scramble_pages, _drop_a_table])
def test_a_corrupt_database_is_set_aside(path: Path, damage: object) -> None:
    texts = names(0, 3000)
    before = VectorCache(path)
    fill(before, texts)
    before.close()
    assert callable(damage)
    damage(path)
    damaged = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache = VectorCache(path)
        check(cache, texts)
        fill(cache, texts)
        assert check(cache, texts).all()
        assert check(VectorCache(path), texts).all()
    assert path.with_name("vectors.sqlite3.corrupt").stat().st_size == len(damaged)


def test_files_of_other_versions_stay_as_they_are(path: Path) -> None:
    """A file bears the version of its layout in its name, so an older and a newer app share a folder."""
    path.parent.mkdir()
    newer = path.with_name("vectors-2.sqlite3")
    newer.write_bytes(b"of a version to come")
    cache = VectorCache(path.with_name(vector_cache.default_cache().path.name))
    fill(cache, names(0, 5))
    cache.close()
    assert newer.read_bytes() == b"of a version to come"


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE accounts (name TEXT)")
    other.close()
    before = path.read_bytes()
    cache = VectorCache(path)
    with pytest.warns(RuntimeWarning, match="another program"):
        fill(cache, ["a"])
    assert not check(cache, ["a"]).any()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


# --- nowhere to write ------------------------------------------------------------------------------------------


def test_a_full_disk_stops_storing_but_not_reading(path: Path) -> None:
    """A limit on the size of files makes writes fail as a full disk does."""
    fill(VectorCache(path), names(0, 20))
    run = _run(
        path,
        """
        import resource, signal, warnings
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        fill(cache, ["opened"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for start in range(0, 20_000, 1000):
                fill(cache, names(1000 + start, 2000 + start))
                assert check(cache, names(0, 20)).all()
        assert len(caught) == 1, caught
        assert "cannot be stored" in str(caught[0].message)
        assert not check(cache, names(20_000, 21_000)).any()
        """,
    )
    assert run.wait() == 0
    after = VectorCache(path)
    assert check(after, [*names(0, 20), "opened"]).all()
    fill(after, names(20, 40))
    assert check(after, names(0, 40)).all()


@pytest.mark.parametrize("how", ["deleted", "moved away", "another in its place"])
def test_a_folder_that_goes_while_the_file_is_open_is_made_again(path: Path, how: str) -> None:
    """What is written goes into the file that others find, and never into one that has no name any more."""
    cache = VectorCache(path)
    fill(cache, names(0, 20))
    if how == "deleted":
        shutil.rmtree(path.parent)
    else:
        path.parent.rename(path.parent.with_name("away"))
    if how == "another in its place":
        other = VectorCache(path)
        fill(other, names(100, 110))
        other.close()
        assert check(cache, names(100, 110)).all()
    assert not check(cache, names(0, 20)).any()
    fill(cache, names(0, 30))
    assert check(cache, names(0, 30)).all()
    assert check(VectorCache(path), names(0, 30)).all()


@pytest.mark.parametrize("obstacle", ["may only be read", "is a file", "has a folder for its file"])
def test_a_place_that_cannot_be_used_is_told_once_and_used_when_it_can_be(
    monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    with unprivileged() as above:
        folder = above / "cache"
        if obstacle == "is a file":
            folder.write_text("a file")
        elif obstacle == "may only be read":
            folder.mkdir(mode=0o555)
        else:
            (folder / "vectors.sqlite3").mkdir(parents=True)
        cache = VectorCache(folder / "vectors.sqlite3")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(3):
                fill(cache, names(0, 5))
                assert not check(cache, names(0, 5)).any()
            assert (len(cache), cache.size) == (0, 0)
        assert [warning.category for warning in caught] == [RuntimeWarning]
        if obstacle == "is a file":
            folder.unlink()
        elif obstacle == "may only be read":
            folder.chmod(0o755)
        else:
            (folder / "vectors.sqlite3").rmdir()
        assert not check(cache, names(0, 5)).any(), "it is left alone for a while"
        monkeypatch.setattr("chunking.runtime.disk_cache.time", LATER)
        fill(cache, names(0, 5))
        assert check(cache, names(0, 5)).all()
        cache.close()


# --- clocks that jump ------------------------------------------------------------------------------------------

YEAR = 365 * 86_400.0


@pytest.mark.parametrize("jump", [-3600.0, YEAR])
def test_after_a_clock_has_jumped_and_returned_what_is_new_stays(path: Path, jump: float) -> None:
    now = [2 * YEAR]
    cache = VectorCache(path, max_bytes=512 * 1024, clock=lambda: now[0])
    fill(cache, names(0, 400))
    now[0] += jump
    fill(cache, names(400, 1600))
    now[0] -= jump
    for start in range(1600, 2600, 100):
        now[0] += 1
        fill(cache, names(start, start + 100))
        assert check(cache, names(start, start + 100)).all()
    assert cache.size <= 512 * 1024


# --- together --------------------------------------------------------------------------------------------------

_PRELUDE = """
import sys, warnings
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
warnings.simplefilter("error")
from test_vector_cache import VectorCache, check, fill, names
cache = VectorCache(Path({path!r}))
"""


def _run(path: Path, code: str) -> subprocess.Popen[str]:
    here = Path(__file__).parent
    prelude = _PRELUDE.format(tests=str(here), root=str(here.parents[1]), path=str(path))
    return subprocess.Popen(
        [sys.executable, "-c", prelude + textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )


def test_threads_share_a_cache(path: Path) -> None:
    cache = VectorCache(path)
    failures: list[BaseException] = []
    gate = threading.Barrier(6)

    def work(number: int) -> None:
        try:
            gate.wait()
            for start in range(0, 400, 40):
                texts = names(start + 10 * number, start + 10 * number + 60)
                check(cache, texts)
                fill(cache, texts)
                assert check(cache, texts).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert check(cache, names(0, 400)).all()


@pytest.mark.extended
def test_killed_writers_leave_only_whole_vectors(path: Path) -> None:
    """Writers are killed at any moment; every batch they had finished is there, and each vector found is right."""
    code = """
        number = int(sys.stdin.readline())
        for start in range(0, 10**9, 30):
            fill(cache, names(10**6 * number + start, 10**6 * number + start + 30))
            print(start + 30, flush=True)
    """
    finished: dict[int, int] = {}
    for round_ in range(3):
        runs = {number: _run(path, code) for number in (2 * round_ + 1, 2 * round_ + 2)}
        for number, run in runs.items():
            assert run.stdin is not None
            run.stdin.write(f"{number}\n")
            run.stdin.flush()
        for number, run in runs.items():
            assert run.stdout is not None
            for _ in range(5 + 3 * round_):
                finished[number] = int(run.stdout.readline())
        for number, run in runs.items():
            run.send_signal(signal.SIGKILL)
            assert run.wait() == -signal.SIGKILL
            assert run.stdout is not None
            finished[number] = max([finished[number], *map(int, run.stdout.read().split())])
        cache = VectorCache(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for number, count in finished.items():
                texts = names(10**6 * number, 10**6 * number + count + 60)
                found = check(cache, texts)
                assert found[:count].all()
                assert not found[count + 30 :].any()
            fill(cache, ["after the kill"])
        cache.close()
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert other.execute("SELECT count(*) FROM vectors").fetchone() == (
            other.execute("SELECT count(*) FROM vectors JOIN uses USING (key)").fetchone()
        )
    other.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_opens_the_file_for_itself(path: Path) -> None:
    run = _run(
        path,
        """
        import os
        fill(cache, names(0, 10))
        child = os.fork()
        if not child:
            fill(cache, names(10, 20))
            os._exit(0 if check(cache, names(0, 20)).all() else 1)
        assert os.waitpid(child, 0)[1] == 0
        fill(cache, names(20, 30))
        assert check(cache, names(0, 30)).all()
        """,
    )
    assert run.wait() == 0


# --- where it is -----------------------------------------------------------------------------------------------


def test_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert vector_cache.default_folder() == tmp_path / "mine"
    assert vector_cache.default_cache().path.parent == tmp_path / "mine"
    monkeypatch.delenv("CHUNKSCOPE_CACHE")
    assert vector_cache.default_folder() == tmp_path / "xdg" / "chunkscope"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert vector_cache.default_folder() == tmp_path / "home" / ".cache" / "chunkscope"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert vector_cache.default_folder() == tmp_path / "home" / ".cache" / "chunkscope"

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", staticmethod(homeless))
    assert vector_cache.default_folder().name == f"chunkscope-{os.getuid()}"
    monkeypatch.delattr(os, "getuid")
    assert vector_cache.default_folder().name == "chunkscope"


# --- what is to be forgotten -----------------------------------------------------------------------------------

A, B = (hashlib.sha256(text).hexdigest() for text in (b"a", b"b"))


def test_what_was_made_of_a_text_is_overwritten_and_all_of_unknown_origin(path: Path) -> None:
    cache = VectorCache(path)
    texts = names(0, 6)
    cache.put_many("k", texts[:4], vectors_of(texts[:4]), [A, A, B, B])
    cache.put_many("k", texts[4:], vectors_of(texts[4:]))
    blob = vectors_of(texts)[0].tobytes()
    size = cache.size
    assert cache.forget(A)
    assert check(cache, texts).tolist() == [False, False, True, True, False, False]
    assert cache.size == size / 3
    assert len(cache) == 2
    cache.close()
    kept = b"".join(each.read_bytes() for each in path.parent.iterdir())
    assert blob not in kept
    assert vectors_of(texts)[2].tobytes() in kept


def test_the_first_origin_of_a_text_stays_its_origin(path: Path) -> None:
    cache = VectorCache(path)
    texts = names(0, 1)
    for origin in (A, B):
        cache.put_many("k", texts, vectors_of(texts), [origin])
    assert cache.forget(B)
    assert check(cache, texts).all()
    assert cache.forget(A)
    assert not check(cache, texts).any()


def test_a_file_of_an_earlier_version_takes_origins(path: Path) -> None:
    old = VectorCache(path)
    fill(old, names(0, 3))
    old.close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP INDEX vectors_by_origin")
        connection.execute("ALTER TABLE vectors DROP COLUMN origin")
    connection.close()
    cache = VectorCache(path)
    assert check(cache, names(0, 3)).all()
    cache.put_many("k", names(3, 4), vectors_of(names(3, 4)), [A])
    assert cache.forget(B)
    assert check(cache, names(0, 4)).tolist() == [False, False, False, True]


def test_nothing_is_made_to_forget_in_a_file_that_is_not_there(path: Path) -> None:
    assert VectorCache(path).forget(A)
    assert not path.parent.exists()
