"""The commands about what is stored: the library, its backups, and the audit log of a server.

Those of the library work on the documents of whoever uses Chunkscope on this machine. All print JSON, and the list is a
table, too, where that is wanted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from chunking import loading
from chunking.commands.options import add_options, formats, option
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.report.formatting import aligned
from chunking.store import Library, LibraryDocument, NewDocument, Query, open_storage
from chunking.store.archive.backup import Backup, backup, restore
from chunking.store.archive.export import export_to
from chunking.store.archive.importing import import_archive
from chunking.store.audit import Action, AuditLog
from chunking.store.folders import WatchedFolders
from chunking.store.removal import inspect

DAMAGED = 1
"""Exit code of ``library check`` where a file is missing or damaged."""


def add_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library list``."""
    parser.add_argument("--text", default="", metavar="WORDS", help="words of the name, in any case")
    _add_tag(parser, default="", help="only documents with this tag")
    parser.add_argument("--all", action="store_true", help="versions that were replaced as well")
    add_options(parser, formats("json", "table"))
    parser.set_defaults(command=_list)


def add_add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library add``."""
    add_options(parser, "files")
    _add_tag(parser, action="append", default=[], help="tag of the documents; may be repeated")
    add_options(parser, "--language")
    parser.set_defaults(command=_add)


def add_export(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library export``."""
    _add_archive(parser, "the archive to write")
    parser.set_defaults(command=_export)


def add_import(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library import``."""
    _add_archive(parser, "an archive of 'library export'")
    parser.set_defaults(command=_import)


def add_delete(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library delete``."""
    parser.add_argument(
        "documents",
        metavar="DOCUMENT",
        nargs="+",
        help="id, beginning of the key, or name in a link: 'tea.md (0a1b2c)'",
    )
    parser.set_defaults(command=_delete)


def add_scan(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library scan``."""
    parser.add_argument("watched", metavar="FOLDER", type=Path, help="watched from now on, if it is not already")
    parser.set_defaults(command=_scan)


def add_evict(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library evict``."""
    add_options(parser, option("--yes", help="delete it; else it is only shown"))
    parser.set_defaults(command=_evict)


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``library check``."""
    parser.set_defaults(command=_check)


def _add_tag(parser: argparse.ArgumentParser, **how: Any) -> None:
    parser.add_argument("--tag", **how)


def _add_archive(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("archive", metavar="ARCHIVE.zip", type=Path, help=help)


def _library() -> Library:
    return Library(open_storage(), tell_evicted=_tell_evicted)


def _tell_evicted(evicted: Sequence[LibraryDocument]) -> None:
    for document in evicted:
        print(f"evicted to make room: {document.name}", file=sys.stderr)


def _list(options: argparse.Namespace) -> None:
    query = Query(options.text, options.tag, superseded=options.all, limit=1_000_000)
    entries = [_entry(document) for document in _library().list(query).documents]
    if options.format == "json":
        _print(entries)
        return
    rows = [[entry["name"], f"{entry['characters']:,}", ", ".join(entry["tags"]), entry["id"]] for entry in entries]
    print(aligned([["name", "characters", "tags", "id"], *rows]))


def _add(options: argparse.Namespace) -> None:
    library = _library()
    added = []
    for _, name, data in files.find_documents(options.files):
        document = loading.load(data, name, options.language)
        added.append(_entry(library.add(NewDocument(data, document, tags=tuple(options.tag)))))
    _print(added)


def _export(options: argparse.Namespace) -> None:
    result = export_to(_library(), options.archive)
    content = {"documents": result.documents, "sets": result.sets, "reviews": result.reviews}
    _print(content | {"problems": {name: str(error) for name, error in result.problems}})


def _import(options: argparse.Namespace) -> None:
    result = import_archive(_library(), options.archive)
    content = {"added": result.added, "known": result.known, "sets": result.sets, "reviews": result.reviews}
    _print(content | {"problems": [str(error) for error in result.problems]})


def _delete(options: argparse.Namespace) -> None:
    library = _library()
    documents = [_document_of(library, name) for name in options.documents]
    for document_id in dict.fromkeys(document.id for document in documents):
        library.delete(document_id)
    _print({"deleted": [document.name for document in documents]})


def _document_of(library: Library, name: str) -> LibraryDocument:
    try:
        return library.get(name)
    except ChunkscopeError:
        return library.find(name)


def _scan(options: argparse.Namespace) -> None:
    folders = WatchedFolders(_library())
    scan = folders.scan(folders.watch(options.watched).id)
    content: dict[str, Any] = {
        name: [file.path for file in getattr(scan, name)] for name in ("added", "changed", "removed")
    }
    _print(content | {"unchanged": scan.unchanged, "problems": {path: str(error) for path, error in scan.problems}})


def _evict(options: argparse.Namespace) -> None:
    library = _library()
    eviction = library.evict() if options.yes else library.preview_eviction()
    content = {"evicted": [_entry(document) for document in eviction.evicted], "kept": dict(eviction.kept)}
    _print(
        content
        | {"bytes_before": eviction.bytes_before, "bytes_after": eviction.bytes_after, "exceeds": eviction.exceeds}
    )


def _check(_options: argparse.Namespace) -> int:
    inspection = inspect(open_storage())
    damaged = [
        {"content": file.content, "documents": list(file.documents), "problem": str(file.problem)}
        for file in inspection.damaged
    ]
    _print({"files": inspection.files, "damaged": damaged, "collected": inspection.collected})
    return DAMAGED if damaged else 0


def _entry(document: LibraryDocument) -> dict[str, Any]:
    names = ("id", "name", "key", "content", "format", "language", "size", "characters", "tags", "visibility", "added")
    entry = {name: getattr(document, name) for name in (*names, "opened", "previous", "replaced_by", "path", "missing")}
    attached = [
        {"kind": attachment.kind, "name": attachment.name, "size": attachment.size}
        for attachment in document.attachments
    ]
    return entry | {"attachments": attached}


def _print(content: dict[str, Any] | Sequence[dict[str, Any]]) -> None:
    print(json.dumps(content, ensure_ascii=False, indent=2))


def add_backup(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``backup``."""
    _add_folder(parser, "made if it is not there; an earlier backup is updated")
    parser.set_defaults(command=_backup)


def add_restore(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``restore``."""
    _add_folder(parser, "a folder that 'backup' wrote")
    parser.set_defaults(command=_restore)


def _add_folder(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("backup", metavar="FOLDER", type=Path, help=help)


def _backup(options: argparse.Namespace) -> int:
    return _report(backup(open_storage(), options.backup.absolute()))


def _restore(options: argparse.Namespace) -> int:
    return _report(restore(options.backup.absolute()))


def _report(result: Backup) -> int:
    print(json.dumps({"files": result.files, "copied": result.copied, "missing": list(result.missing)}, indent=2))
    return DAMAGED if result.missing else 0


def add_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``audit``."""
    add_options(parser, option("--since", default=""))
    parser.add_argument("--subject", default="", help="only what this person did: issuer|subject")
    parser.add_argument("--action", default="", choices=get_args(Action), help="only acts of this kind")
    parser.set_defaults(command=_audit)


def _audit(options: argparse.Namespace) -> None:
    log = AuditLog(open_storage().database)
    for entry in log.read(_time(options.since), options.subject, options.action):
        print(json.dumps(entry.as_dict(), ensure_ascii=False))


def _time(text: str) -> str:
    """Return a time as entries have it, so that they can be compared."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ChunkscopeError(f"{text!r:.40} is not a time.", "Write it like 2026-11-25 or 2026-11-25T10:00.") from None
    with_zone = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return with_zone.astimezone(UTC).isoformat(timespec="milliseconds")
