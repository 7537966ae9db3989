"""What a person may still add, as the pages ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from chunking import ChunkscopeError
from chunking.jobs.queue import Kind
from chunking.store.identity import LOCAL, Identity, Role
from chunking.store.quotas import JOBS_VARIABLE, UPLOADS_VARIABLE
from pages.shared import identity
from pages.shared.documents import uploads as documents_uploads
from pages.shared.storage import quota

READER: frozenset[Role] = frozenset({"reader"})
ADA = Identity("https://login|ada", "Ada", roles=READER)


@dataclass
class Upload:
    """A file as the uploader has it."""

    size: int
    file_id: str = "f"


@pytest.fixture(autouse=True)
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    monkeypatch.setattr(identity, "current", lambda: ADA)


def admitted(*sizes: int) -> tuple[list[Any], list[ChunkscopeError]]:
    problems: list[ChunkscopeError] = []
    uploads: list[Any] = [Upload(size) for size in sizes]
    return list(documents_uploads.admit(uploads, problems.append)), problems


def test_files_beyond_the_quota_are_refused_together_and_those_within_are_admitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(UPLOADS_VARIABLE, "3")
    released: list[Any] = []
    monkeypatch.setattr(documents_uploads, "release", released.append)
    assert [each.size for each in admitted(1, 2)[0]] == [1, 2]
    kept, (problem,) = admitted(3, 4)
    assert kept == [] and [each.size for each in released] == [3, 4]
    assert "Add it in 60 minutes" in str(problem)
    quota.count_uploads(1)
    with pytest.raises(ChunkscopeError):
        quota.count_uploads(1)


def test_one_person_may_have_as_many_jobs_as_the_quota_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(JOBS_VARIABLE, "1")
    end = quota.begin_job("evaluation")
    free: tuple[Kind, ...] = ("document", "vectors")
    for kind in get_args(Kind):
        if kind not in free:
            with pytest.raises(ChunkscopeError, match="You have 1 job on this server"):
                quota.begin_job(kind)
    for kind in free:
        quota.begin_job(kind)()
    end()
    quota.begin_job("causes")()


def test_without_a_log_in_nothing_is_asked_of_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UPLOADS_VARIABLE, "1")
    monkeypatch.setattr(identity, "current", lambda: LOCAL)
    assert len(admitted(*range(5))[0]) == 5
    assert not (tmp_path / "reviews.sqlite").exists()
