"""The commands that copy reviews and library elsewhere, and back."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from chunking.commands.library import DAMAGED
from chunking.store import open_storage
from chunking.store.archive.backup import Backup, backup, restore


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


def _report(done: Backup) -> int:
    print(json.dumps({"files": done.files, "copied": done.copied, "missing": list(done.missing)}, indent=2))
    return DAMAGED if done.missing else 0
