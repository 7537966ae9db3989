"""The command ``diff``: what differs between two settings files, and what a change costs an index."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from chunking import strategies
from chunking.commands.options import READING, STRATEGY, add_options, config, formats, option, setting, workspace_of
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.report.formatting import NOTHING, aligned, harmless, percent
from chunking.retrieval.update_cost import EmbeddedChunk, UpdateCost, embedded_chunks, update_cost
from chunking.runtime.wording import plural
from chunking.settings import SettingsFile, difference, difference_text, load_settings
from chunking.strategies import Setting

DIFFERENT = 1
"""Exit code where two settings, or the chunks of two versions, differ, as of ``diff``."""

_DEFAULT = "structural"


def add_diff(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``diff``."""
    parser.add_argument(
        "before", type=Path, metavar="BEFORE", help="a settings file (.toml); or a document, or a folder of documents"
    )
    parser.add_argument("after", type=Path, metavar="AFTER", help="the same in another version")
    parser.add_argument(
        "--cost",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="of the documents, what the change costs an index: chunks kept, changed, new and removed, and tokens to "
        "embed again; two versions of documents need no PATH",
    )
    price = option("--price", type=float, help="what embedding a million tokens costs, in any currency")
    add_options(parser, price, *READING, "-p", *STRATEGY, formats("text", "json"))
    parser.set_defaults(command=_diff)


def _diff(options: argparse.Namespace) -> int:
    are_settings = ".toml" in (options.before.suffix, options.after.suffix)
    if options.price is not None and not options.price >= 0:
        raise ChunkscopeError("A price is not negative.", "Give --price 0 or more.")
    if not are_settings:
        if options.cost:
            raise ChunkscopeError(
                "--cost takes documents where two settings files are compared.",
                "Leave its PATH out, or name two .toml.",
            )
        return _report(options, list(_of_versions(options)))
    given = [name for name in (*READING, "-p", "--strategy") if getattr(options, _attribute(name))]
    if given:
        raise ChunkscopeError(f"Two settings files say all that {given[0]} says.", f"Leave {given[0]} out.")
    changes = difference(load_settings(options.before), load_settings(options.after))
    if options.cost is not None:
        if not options.cost:
            raise ChunkscopeError("It is not said what is in the index.", "Give the documents: --cost PATH….")
        if options.format == "text":
            sys.stdout.write(difference_text(changes, str(options.before), str(options.after)) + "\n")
            if any(change.key == "encoder" for change in changes):
                print("The encoders differ, so that every chunk has to be embedded again.")
        return max(_report(options, list(_of_settings(options))), DIFFERENT if changes else 0)
    if options.format == "json":
        print(json.dumps([asdict(change) for change in changes], ensure_ascii=False, indent=2))
    else:
        sys.stdout.write(difference_text(changes, str(options.before), str(options.after)))
    return DIFFERENT if changes else 0


def _attribute(option: str) -> str:
    return "params" if option == "-p" else option.removeprefix("--").replace("-", "_")


# --- cost ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _DocumentCost:
    """What a change costs for a document."""

    document: str
    cost: UpdateCost


def _of_settings(options: argparse.Namespace) -> Iterator[_DocumentCost]:
    """Yield what it costs to give each document the setting of the other file."""
    both = [load_settings(path) for path in (options.before, options.after)]
    chosen = [file.setting(options.setting) if file.settings else strategies.parse(_DEFAULT) for file in both]
    other_encoder = both[0].encoder != both[1].encoder
    for path, name, data in files.find_documents(options.cost):
        before, after = (
            _chunks(data, name, file, file.setting_for(str(path)) or default)
            for file, default in zip(both, chosen, strict=True)
        )
        if other_encoder:  # no vector of one serves in the space of the other
            before = [replace(chunk, id=f"{chunk.id} {both[0].encoder}") for chunk in before]
        yield _DocumentCost(str(path), update_cost(before, after))


def _of_versions(options: argparse.Namespace) -> Iterator[_DocumentCost]:
    """Yield what it costs to bring an index from a version of documents to another."""
    file = config(options)
    default = setting(options, file, _DEFAULT)
    before, after = _versions(options.before), _versions(options.after)
    if options.before.is_file() and options.after.is_file() and len(before) == len(after) == 1:
        name = next(iter(after))  # the new version of a document may have another name
        before = {name: next(iter(before.values()))}
    for name in dict.fromkeys((*before, *after)):
        chosen = file.setting_for(str(after[name].path if name in after else before[name].path)) or default
        chunks = [
            _chunks(version[name].data, name, file, chosen) if name in version else [] for version in (before, after)
        ]
        yield _DocumentCost(name, update_cost(*chunks))


class _File(NamedTuple):
    """A document in a version."""

    path: Path
    data: bytes


def _versions(path: Path) -> dict[str, _File]:
    """Return the documents of a version by their path in it."""
    documents = [_File(file, data) for file, _, data in files.find_documents([path])]
    return {file.path.relative_to(path).as_posix() if file.path != path else path.name: file for file in documents}


def _chunks(data: bytes, name: str, file: SettingsFile, chosen: Setting) -> list[EmbeddedChunk]:
    workspace = workspace_of(name, data, file)
    return embedded_chunks(chosen.run(workspace), workspace.tools.tokenizer)


def _report(options: argparse.Namespace, documents: Sequence[_DocumentCost]) -> int:
    """Print what a change costs; return the exit code."""
    total = sum((row.cost for row in documents), UpdateCost())
    if options.format == "json":
        rows = [{"document": row.document} | _as_dict(row.cost, options.price) for row in documents]
        print(json.dumps({"documents": rows, "total": _as_dict(total, options.price)}, ensure_ascii=False, indent=2))
    else:
        sys.stdout.write(_text(documents, total, options.price))
    return DIFFERENT if total.differs else 0


def _as_dict(cost: UpdateCost, rate: float | None) -> dict[str, Any]:
    return asdict(cost) | ({} if rate is None else {"price": cost.price(rate)})


_HEAD = ("document", "kept", "changed", "new", "removed", "tokens to embed", "of")


def _text(documents: Sequence[_DocumentCost], total: UpdateCost, rate: float | None) -> str:
    number: Callable[[int], str] = "{:,}".format
    rows = [list(_HEAD)]
    for row in documents:
        counts = [row.cost.kept, row.cost.changed, row.cost.new, row.cost.removed, row.cost.embedded, row.cost.tokens]
        rows.append([row.document, *map(number, counts)])
    unchanged = sum(not row.cost.differs for row in documents)
    shown = [rows[0], *(cells for cells, row in zip(rows[1:], documents, strict=True) if row.cost.differs)]
    lines = [aligned(shown)] if len(shown) > 1 else []
    lines += [f"{plural(unchanged, 'document')} without a change"] if unchanged else []
    price = "" if rate is None else f", {total.price(rate):,.4f} at {rate:g} for a million"
    lines.append(
        f"In all: {plural(total.kept, 'chunk')} kept, {total.changed:,} changed, {total.new:,} new, "
        f"{total.removed:,} removed; {total.embedded:,} of {total.tokens:,} tokens to embed "
        f"({percent(total.share) if total.tokens else NOTHING} %){price}."
    )
    return harmless("\n".join(lines)) + "\n"
