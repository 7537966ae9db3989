"""The command ``push``: chunks with their vectors into a collection of Qdrant, Chroma or PostgreSQL."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from chunking import embedding
from chunking.commands.options import print_notes, progress
from chunking.commands.split import STANDARD_INPUT, add_documents, document_config, document_setting, find_inputs
from chunking.commands.split_many import DocumentCounts, Input, Rows, Splitter, skipped_text, split_documents
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.runtime.progress import Tell, quiet
from chunking.runtime.wording import plural
from chunking.vector_stores.index import CollectionIndex
from chunking.vector_stores.location import FORMS, KEYS, open_store, parse_location
from chunking.vector_stores.points import points_of
from chunking.vector_stores.push import CollectionWriter, PushCounts

OUTPUT_FORMAT = "vectors"
"""The output format by which the hash of a document differs from that of other outputs."""


def add_store(parser: argparse.ArgumentParser, flag: str) -> None:
    """Add the options that name a collection of a store.

    Args:
        parser: of the command.
        flag: the option of the address.
    """
    keys = ", ".join(KEYS.values())
    parser.add_argument(
        flag,
        dest="store",
        required=True,
        metavar="URL",
        help=f"the store: {FORMS}; a key or password that the address lacks is taken from {keys}",
    )
    parser.add_argument(
        "--collection",
        required=True,
        metavar="NAME",
        help="the collection; a table of PostgreSQL, which may have a schema before a dot",
    )


def add_push(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``push``."""
    add_documents(parser)
    add_store(parser, "--to")
    parser.add_argument(
        "--delete-absent",
        action="store_true",
        help="also delete the chunks of documents that are in the collection and not among the PATHs",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would be done; embed and write nothing")
    parser.set_defaults(command=_push)


@dataclass(frozen=True)
class PointSplitter(Splitter):
    """Splits documents into the points of a vector store.

    Attributes:
        encoder_key: identity of the encoder of the vectors.
    """

    encoder_key: str = ""

    def rows(self, path: str, data: bytes, tell: Tell = quiet) -> Rows:
        """Return the points of a document among others, each as ``{"point": …}``; ``tell`` receives the progress."""
        setting, segmentation, workspace = self.split(path, data, tell=tell)
        digest = self.digest(path, data).hex()
        return [{"point": point} for point in points_of(segmentation, workspace, setting, digest)]

    def digest(self, path: str, data: bytes) -> bytes:
        """Return a hash of a document and all that its chunks and vectors depend on."""
        return super().digest(path, data + self.encoder_key.encode())


@dataclass(frozen=True)
class _StoreSink:
    """Brings the chunks of documents into a collection."""

    splitter: PointSplitter
    writer: CollectionWriter

    def digest(self, path: str, data: bytes) -> bytes:
        return self.splitter.digest(path, data)

    def keep_unchanged(self, path: str, digest: bytes) -> bool:
        return self.writer.keep_unchanged(path, digest.hex())

    def keep(self, path: str) -> None:
        self.writer.keep(path)

    def take(self, path: str, digest: bytes, rows: Rows) -> None:
        self.writer.add(path, digest.hex(), [row["point"] for row in rows])


def _push(options: argparse.Namespace) -> int:
    location = parse_location(options.store)
    file = document_config(options)
    setting = document_setting(options, file)
    name = file.tools.retrieval_encoder
    embedding.check_installed(name)
    encoder = embedding.get_encoder(name)
    splitter = PointSplitter(file, setting, OUTPUT_FORMAT, default_cache(), encoder.key)
    failures: list[ChunkscopeError] = []
    search = files.Search(tuple(options.include), tuple(options.exclude), failures.append)
    found = _by_name(find_inputs(options, search))
    with (
        open_store(location, options.collection, create=not options.dry_run) as store,
        CollectionIndex() as index,
        progress() as tell,
    ):
        cache, dry_run = default_cache(), options.dry_run
        writer = CollectionWriter(store, options.collection, encoder, cache, index, tell, dry_run=dry_run)
        writer.prepare()
        if not (first := list(islice(found, 1))):
            raise failures[0]
        counts = split_documents(splitter, chain(first, found), _StoreSink(splitter, writer), options.workers, failures)
        writer.flush()
        is_whole = not failures  # what could not be found may still be there
        if options.delete_absent and is_whole:
            writer.delete_absent()
            absent = 0
        else:
            absent = writer.count_absent()
    if absent:
        print_notes([_absent_note(absent, is_whole)])
    sentence = _sentence(counts, writer.counts, dry_run=options.dry_run)
    print(f"push: {sentence}; {location}, collection {options.collection}, {encoder.name}{skipped_text(search)}")
    sys.stdout.flush()
    return counts.exit_code()


def _by_name(documents: Iterator[Input]) -> Iterator[Input]:
    """Yield documents, with standard input under its name."""
    for path, name, data in documents:
        yield path.with_name(name) if path == STANDARD_INPUT else path, name, data


def _absent_note(absent: int, is_whole: bool) -> str:
    verb = "is" if absent == 1 else "are"
    end = "--delete-absent deletes their chunks." if is_whole else "They stay, since a file could not be found."
    return f"{plural(absent, 'document')} of the collection {verb} not among the PATHs. {end}"


def _sentence(documents: DocumentCounts, chunks: PushCounts, *, dry_run: bool) -> str:
    """Return what was done, or would be, in words."""
    words = [plural(documents.split, "document"), f"{documents.unchanged:,} unchanged"]
    words += [f"{documents.failed:,} failed"] if documents.failed else []
    would = " to be" if dry_run else ""
    parts = [f"{plural(chunks.embedded, 'chunk')}{would} embedded"]
    parts += [f"{chunks.updated:,}{would} updated", f"{chunks.deleted:,}{would} deleted"]
    return f"{', '.join(words)}: {', '.join(parts)}"
