"""All of a library as one archive, out and in again, and archives that are built to do harm."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chunking import ChunkscopeError, from_text
from chunking.reference.events import Event
from chunking.runtime.structured import SizeLimit
from chunking.store import DocumentSettings, Library, NewDocument
from chunking.store.archive import format as archive_format
from chunking.store.archive import importing
from chunking.store.archive.export import export, export_to
from chunking.store.archive.importing import Imported, import_archive
from chunking.store.attachments import Attachments
from chunking.store.folders import WatchedFolders
from chunking.store.identity import Identity
from chunking.store.reviews import ReviewStore
from chunking.store.sets import DocumentSets, Drafts
from chunking.store.storage import digest_of
from tests.disks import small_disk
from tests.store.places import Manifest, Place, new, pasted, place_of, rewritten


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Place]:
    """A library on another machine."""
    with place_of(f"sqlite:///{tmp_path}/other.sqlite", str(tmp_path / "other")) as found:
        yield found


@pytest.fixture
def full(library: Library, place: Place, tmp_path: Path) -> Library:
    """A library with something of everything."""
    tea = library.add(new(tags=("hot",)))
    tea = library.choose(tea, DocumentSettings(encoder="static", strategy="structural:alpha=0.3"))
    Attachments(library).put(tea.id, "reference", "gold.json", b"[7]")
    note = library.add(pasted("A pasted note, with ünïcode."))
    watched = tmp_path / "watched"
    watched.mkdir()
    (watched / "a.md").write_text("First version.")
    folders = WatchedFolders(library)
    folder = folders.watch(watched)
    (first,) = folders.scan(folder.id).added
    Attachments(library).put(first.id, "reference", "old.json", b"[5]")
    (watched / "a.md").write_text("Second version.")
    folders.scan(folder.id)
    DocumentSets(library).create("Both", [note.id, tea.id])
    Drafts(library).put("question", "Half")
    library.share(library.get(tea.id), "public")
    ReviewStore(place.storage.database.engine).append([Event("t", tea.text_hash, "Ada", "accept", 7)])
    return library


def shown(library: Library) -> Any:
    """What a person sees, without ids and times."""
    own = library.own()
    by_id = {each.id: (each.name, each.content) for each in own}
    documents = sorted(
        (
            each.name,
            each.content,
            each.tags,
            each.choices,
            tuple((one.kind, one.name, one.content) for one in each.attachments),
            library.open(each).document.text,
            by_id.get(each.previous),
            by_id.get(each.replaced_by),
        )
        for each in own
    )
    sets = [(each.name, [by_id[id] for id in each.documents]) for each in DocumentSets(library).list()]
    return documents, sets, Drafts(library).all()


def test_another_library_opens_all_of_it(full: Library, other: Place, tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    done = export_to(full, archive)
    assert (done.documents, done.sets, done.reviews, done.problems) == (4, 1, 1, ())
    assert archive.stat().st_mode & 0o077 == 0
    there = other.library()
    assert import_archive(there, archive) == Imported(4, 0, 1, 1)
    assert shown(there) == shown(full)
    assert {each.visibility for each in there.own()} == {"private"}
    assert {each.link for each in there.own()} == {""}
    (tea,) = [each for each in there.own() if each.name == "tea.md"]
    assert [each.token for each in ReviewStore(other.storage.database.engine).events(tea.text_hash)] == ["t"]
    before = other.contents()
    assert import_archive(there, archive) == Imported(0, 4, 0, 0)
    assert shown(there) == shown(full)
    assert other.contents() == before
    assert import_archive(other.library(Identity("ben", "Ben")), archive).added == 4
    assert other.contents() == before


def test_what_is_there_already_is_kept(full: Library, other: Place, tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    export_to(full, archive)
    there = other.library()
    tea = there.add(new(tags=("mine",)))
    Attachments(there).put(tea.id, "reference", "gold.json", b"[8]")
    DocumentSets(there).create("Both", [tea.id])
    Drafts(there).put("question", "Mine")
    done = import_archive(there, archive)
    assert (done.added, done.known, done.sets) == (3, 1, 1)
    assert "has another attachment named “gold.json”" in str(done.problems[0])
    tea = there.get(tea.id)
    assert tea.tags == ("hot", "mine")
    assert Attachments(there).read(tea, *tea.attachments) == b"[8]"
    assert len(DocumentSets(there).list()[0].documents) == 2
    assert Drafts(there).all() == {"question": "Mine"}


def test_a_damaged_file_is_left_out_and_listed(full: Library, place: Place, other: Place, tmp_path: Path) -> None:
    (note,) = [each for each in full.own() if each.pasted]
    Path(place.storage.files.root, note.content[:2], note.content).write_bytes(b"rust")
    done = export_to(full, tmp_path / "all.zip")
    assert done.documents == 3
    assert [name for name, _ in done.problems] == ["pasted.md"]
    assert import_archive(other.library(), tmp_path / "all.zip").added == 3
    assert [len(each.documents) for each in DocumentSets(other.library()).list()] == [1]


def test_the_archive_is_written_file_by_file_to_what_cannot_be_sought(
    full: Library, other: Place, tmp_path: Path
) -> None:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.parts: list[bytes] = []

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.parts.append(bytes(data))
            return len(data)

    pipe = Pipe()
    export(full, pipe)  # type: ignore[arg-type]
    (tmp_path / "all.zip").write_bytes(b"".join(pipe.parts))
    assert import_archive(other.library(), tmp_path / "all.zip").added == 4


def test_an_archive_on_a_full_disk_leaves_the_one_of_before(library: Library, tmp_path: Path) -> None:
    library.add(new("Small.", "small.md"))
    with small_disk(tmp_path) as disk:
        export_to(library, disk / "all.zip")
        before = (disk / "all.zip").read_bytes()
        library.add(NewDocument(random.Random(1).randbytes(2_000_000), from_text("Large.", "large.bin")))
        with pytest.raises(ChunkscopeError, match=r"cannot be written: No space left on device\. Free some space"):
            export_to(library, disk / "all.zip")
        assert [path.name for path in disk.iterdir()] == ["all.zip"]
        assert (disk / "all.zip").read_bytes() == before


def test_an_archive_that_cannot_be_written_leaves_nothing(full: Library, tmp_path: Path) -> None:
    with pytest.raises(ChunkscopeError, match="cannot be written"):
        export_to(full, tmp_path / "nowhere" / "all.zip")
    before = set(tmp_path.iterdir())
    (tmp_path / "folder.zip").mkdir()
    with pytest.raises(ChunkscopeError, match="cannot be written"):
        export_to(full, tmp_path / "folder.zip")
    assert set(tmp_path.iterdir()) - before == {tmp_path / "folder.zip"}


# Archives that may be malicious


@pytest.fixture
def archive(other: Place, tmp_path: Path) -> Path:
    """An archive with one document, of a library of another."""
    with place_of(f"sqlite:///{tmp_path}/third.sqlite", str(tmp_path / "third")) as third:
        library = third.library()
        entry = library.add(new())
        Attachments(library).put(entry.id, "reference", "gold.json", b"[7]")
        DocumentSets(library).create("S", [entry.id])
        export_to(library, tmp_path / "one.zip")
    return tmp_path / "one.zip"


def document(listed: Manifest) -> dict[str, Any]:
    found: dict[str, Any] = listed["documents"][0]
    return found


def refused(other: Place, archive: Path, words: str | None = None) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        import_archive(other.library(), archive)
    assert other.library().list().total == 0
    assert other.contents() == set()


CHANGES: dict[str, Callable[[Manifest], object]] = {
    "another format": lambda listed: listed.update(format="zoo"),
    "a later version": lambda listed: listed.update(version=2),
    "no documents": lambda listed: listed.pop("documents"),
    "documents that are no list": lambda listed: listed.update(documents={"a": 1}),
    "a document that is none": lambda listed: listed["documents"].append(7),
    "a document twice": lambda listed: listed["documents"].append(document(listed)),
    "a path for a hash": lambda listed: document(listed).update(content="../../etc/passwd"),
    "a hash of another case": lambda listed: document(listed).update(content=document(listed)["content"].upper()),
    "a hash that is no text": lambda listed: document(listed).update(text_hash=["a"]),
    "a missing file": lambda listed: document(listed).update(content="0" * 64),
    "another size": lambda listed: document(listed).update(size=1),
    "a size below zero": lambda listed: document(listed).update(size=-1),
    "a size that is yes": lambda listed: document(listed).update(size=True),
    "a name that is none": lambda listed: document(listed).update(name=None),
    "an empty name": lambda listed: document(listed).update(name="  "),
    "a name without end": lambda listed: document(listed).update(name="x" * 10_000),
    "an unknown format": lambda listed: document(listed).update(format="__class__"),
    "options that are none": lambda listed: document(listed).update(options=[["content", "nothing"]]),
    "an unknown option": lambda listed: document(listed).update(options=[["evil", "all"]]),
    "too many tags": lambda listed: document(listed).update(tags=[str(each) for each in range(99)]),
    "an unknown attachment": lambda listed: document(listed)["attachments"][0].update(kind="program"),
    "sets that are none": lambda listed: listed.update(sets=[{"name": "S"}]),
    "drafts that are none": lambda listed: listed.update(drafts=[1]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_list_in_which_something_is_wrong_is_refused_before_anything_is_stored(
    other: Place, archive: Path, name: str
) -> None:
    refused(other, rewritten(archive, CHANGES[name]))


def test_a_file_that_is_not_what_its_name_says_is_refused(other: Place, archive: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        listed = json.loads(opened.read("manifest.json"))
    name = f"files/{document(listed)['content']}"
    refused(other, rewritten(archive, files={name: b"x" * document(listed)["size"]}), "hash")


@pytest.mark.parametrize("name", ["../../evil.md", "/etc/evil", "files/../../evil", "C:\\evil", "files/evil"])
def test_files_that_nobody_lists_are_not_touched(other: Place, archive: Path, tmp_path: Path, name: str) -> None:
    before = {path for path in tmp_path.rglob("*") if "evil" in path.name}
    done = import_archive(other.library(), rewritten(archive, files={name: b"evil"}))
    assert done.added == 1
    assert len(other.contents()) == 2
    assert {path for path in tmp_path.rglob("*") if "evil" in path.name} == before


def test_a_name_that_leads_out_of_a_folder_is_only_shown(other: Place, archive: Path) -> None:
    import_archive(other.library(), rewritten(archive, lambda listed: document(listed).update(name="../../etc/tea.md")))
    (entry,) = other.library().own()
    assert entry.name == "etc/tea.md"
    assert other.library().open(entry).data == new().data


def test_a_bomb_is_refused(other: Place, archive: Path) -> None:
    refused(other, rewritten(archive, files={"files/bomb": b"\0" * 40_000_000}), "times larger")


@pytest.mark.parametrize(
    ("module", "limit", "value", "words"),
    [
        (importing, "MAX_ENTRIES", 3, "more than 3 files"),
        (importing, "MAX_TOTAL", 20, "GiB"),
        (importing, "MAX_FILE_BYTES", 5, "another size"),
        (archive_format, "LIMIT", SizeLimit(9), "too large"),
    ],
)
def test_an_archive_beyond_the_limits_is_refused(
    other: Place, archive: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, limit: str, value: int, words: str
) -> None:
    monkeypatch.setattr(module, limit, value)
    refused(other, archive, words)


def test_what_is_no_archive_is_refused(other: Place, tmp_path: Path, archive: Path) -> None:
    whole = archive.read_bytes()
    for data in (b"", b"PK\x03\x04", b"not an archive", whole[: len(whole) // 2], whole[:-30]):
        (tmp_path / "some.zip").write_bytes(data)
        refused(other, tmp_path / "some.zip", "no archive of a library, or damaged")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    refused(other, tmp_path / "empty.zip", r"manifest\.json is missing")
    refused(other, tmp_path / "nowhere.zip", "cannot be read")


def test_two_files_of_one_name_are_refused(other: Place, archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as out, pytest.warns(UserWarning, match="Duplicate name"):
        out.writestr("manifest.json", b"{}")
    refused(other, archive, "two files have the same name")


def test_reviews_of_other_texts_are_left_out(other: Place, archive: Path) -> None:
    event = Event("t", "0" * 64, "Eve", "accept", 7)
    lines = "".join(json.dumps(asdict(replace(event, token=token))) + "\n" for token in "ab").encode()
    assert import_archive(other.library(), rewritten(archive, files={"reviews.jsonl": lines})).reviews == 0
    with pytest.raises(ChunkscopeError, match="reviews in the archive are damaged"):
        import_archive(other.library(), rewritten(archive, files={"reviews.jsonl": b'{"evil": 1}\n'}))


def test_versions_in_a_circle_are_left_out(other: Place, archive: Path) -> None:
    def circle(listed: Manifest) -> None:
        document(listed)["replaced_by"] = document(listed)["id"]

    assert import_archive(other.library(), rewritten(archive, circle)).added == 0


def test_a_long_list_is_written_in_parts_that_are_each_within_the_limit(
    full: Library, other: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_format, "LIMIT", SizeLimit(archive_format._ENVELOPE + 900))
    export_to(full, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        parts = [each for each in archive.infolist() if each.filename.startswith("manifest")]
        assert json.loads(archive.read("manifest.json"))["version"] == 2, "an earlier Chunkscope refuses it"
    assert len(parts) > 2 and max(each.file_size for each in parts) <= archive_format.LIMIT.bytes
    assert import_archive(other.library(), tmp_path / "all.zip") == Imported(4, 0, 1, 1)
    assert shown(other.library()) == shown(full)
    monkeypatch.setattr(archive_format, "MOST_PARTS", 2)
    with pytest.raises(ChunkscopeError, match="too large for one archive"):
        export_to(full, tmp_path / "all.zip")


def test_a_large_list_is_refused_before_it_is_unpacked(other: Place, archive: Path) -> None:
    listed = b'{"format":"chunkscope-library","version":1,"documents":[' + b"{}," * 2**21
    rewritten(archive, files={"manifest.json": listed + random.Random(1).randbytes(60_000)})
    tracemalloc.start()
    try:
        refused(other, archive, "too large")
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


def test_an_import_counts_the_bytes_that_are_stored(
    other: Place, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = other.library(Identity("idp|ada", "Ada"))
    rewritten(archive, with_big, {f"files/{digest_of(BIG)}": BIG})
    monkeypatch.setenv("CHUNKSCOPE_UPLOAD_MIB_PER_HOUR", "1")
    assert archive.stat().st_size < 2**20 / 4
    with pytest.raises(ChunkscopeError, match="are more than the 1 MiB that one person may add"):
        import_archive(ada, archive)
    assert ada.list().total == 0 and other.contents() == set()
    monkeypatch.setenv("CHUNKSCOPE_UPLOAD_MIB_PER_HOUR", "2")
    assert import_archive(ada, archive).added == 2
    assert import_archive(ada, archive).known == 2, "what is there is not counted again"


BIG = b"Water is wet. Tea is not water.\n" * 40_000


def with_big(listed: Manifest) -> None:
    more = {"id": "big", "name": "big.txt", "source": "big.txt", "format": "text", "attachments": [], "options": []}
    hashes = {"content": digest_of(BIG), "text_hash": digest_of(BIG), "size": len(BIG)}
    listed["documents"].append({**document(listed), **more, **hashes})


def test_texts_that_json_cannot_hold_come_back(library: Library, other: Place, tmp_path: Path) -> None:
    library.add(new(tags=("a\ud800b",)))
    Drafts(library).put("question", "half \udfff and \x1a001a")
    export_to(library, tmp_path / "all.zip")
    import_archive(other.library(), tmp_path / "all.zip")
    assert shown(other.library()) == shown(library)
