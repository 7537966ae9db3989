"""Tables of PostgreSQL with pgvector, by the driver pg8000 and the text syntax of vectors."""

from __future__ import annotations

import json
import ssl
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32
from chunking.runtime.surrogates import change_texts
from chunking.store.database.connections import ssl_context
from chunking.vector_stores.base import METADATA, PAGE, Point, StoredRow, pages, present, store_error

if TYPE_CHECKING:
    from chunking.vector_stores.location import StoreLocation

_SECONDS = 60
_VECTORS = "('vector', 'halfvec', 'sparsevec')"
_IDS = ("id", "langchain_id", "uuid", "node_id")
"""Columns of the ID, in ours and in those of other programs."""

_RECORDS = "json_to_recordset(CAST(:rows AS json)) AS r(id uuid, text text, metadata jsonb, embedding text)"


class PostgresStore:
    """A table with the columns ``id``, ``text``, ``metadata`` and ``embedding``, or that of another program to read.

    A NUL, which PostgreSQL stores in no text, is written as U+FFFD.

    Args:
        module: the module ``pg8000.native``.
        location: where it is.
        collection: name of the table, which may have a schema before a dot.
    """

    def __init__(self, module: Any, location: StoreLocation, collection: str) -> None:
        self._module, self._name = module, str(location)
        schema, dot, table = collection.partition(".")
        self._table = ".".join(module.identifier(part) for part in ((schema, table) if dot else (collection,)))
        options: dict[str, Any] = {}
        if (context := ssl_context(location.options.get("sslmode"), location.options.get("sslrootcert"))) is not None:
            options["ssl_context"] = context
        with self._errors():
            self._connection = module.Connection(
                location.user,
                host=location.host,
                port=location.port,
                database=location.path,
                password=location.key or None,
                application_name="chunkscope",
                timeout=_SECONDS,
                **options,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise the driver's errors as ours: of the server's only its message."""
        try:
            yield
        except (self._module.DatabaseError, self._module.InterfaceError, ssl.SSLError, OSError) as error:
            about = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
            raise store_error(self._name, Exception(about["M"]) if "M" in about else error) from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._connection.run("BEGIN")
            try:
                yield
            except BaseException:
                self._connection.run("ROLLBACK")
                raise
            self._connection.run("COMMIT")

    def exists(self) -> bool:
        """Return whether the table exists."""
        with self._errors():
            return self._connection.run("SELECT to_regclass(:name) IS NOT NULL", name=self._table)[0][0] is True

    def dimension(self) -> int | None:
        """Return the length of the vectors of the table.

        Raises:
            ChunkscopeError: it is no table that push writes to.
        """
        if not self.exists():
            return None
        query = (
            "SELECT attname, typname, atttypmod FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid "
            "WHERE attrelid = to_regclass(:name) AND attnum > 0 AND NOT attisdropped"
        )
        with self._errors():
            columns = {name: (kind, length) for name, kind, length in self._connection.run(query, name=self._table)}
        types = {name: kind for name, (kind, _) in columns.items()}
        if types != {"id": "uuid", "text": "text", "metadata": "jsonb", "embedding": "vector"}:
            raise ChunkscopeError(
                f"The table {self._table} has other columns than id, text, metadata and embedding.",
                "Name another --collection.",
            )
        return int(columns["embedding"][1])

    def create(self, dimension: int) -> None:
        """Make the table with its extension and indexes, for vectors that are compared by their cosine."""
        if not self._has_extension():
            try:
                with self._errors():
                    self._connection.run("CREATE EXTENSION vector")
            except ChunkscopeError as error:
                raise ChunkscopeError(
                    error.problem, "Install pgvector on the server, and CREATE EXTENSION vector in the database."
                ) from None
        with self._transaction():
            self._connection.run(
                f"CREATE TABLE {self._table} (id uuid PRIMARY KEY, text text NOT NULL, metadata jsonb NOT NULL, "
                f"embedding vector({dimension:d}) NOT NULL)"
            )
            self._connection.run(f"CREATE INDEX ON {self._table} ((metadata ->> 'document'))")
            if dimension <= 2000:  # the most that pgvector's index holds
                self._connection.run(f"CREATE INDEX ON {self._table} USING hnsw (embedding vector_cosine_ops)")

    def _has_extension(self) -> bool:
        with self._errors():
            return bool(self._connection.run("SELECT 1 FROM pg_extension WHERE extname = 'vector'"))

    def rows(self, *, text: bool) -> Iterator[StoredRow]:
        """Yield all rows, page by page; of texts only where they are needed, and without the columns of vectors."""
        if not self.exists():
            return
        names = self._columns() if text else ["id", METADATA]
        selected = ", ".join(self._module.identifier(name) for name in names)
        id_column = next((name for name in _IDS if name in names), "")
        with self._errors():
            self._connection.run("BEGIN")
            self._connection.run(f"DECLARE chunks NO SCROLL CURSOR FOR SELECT {selected} FROM {self._table}")
            try:
                number = 0
                while page := self._connection.run(f"FETCH {PAGE} FROM chunks"):
                    for values in page:
                        row = {name: _plain(value) for name, value in zip(names, values, strict=True)}
                        number += 1
                        yield StoredRow(str(row.pop(id_column, number)), row)
            finally:
                self._connection.run("ROLLBACK")

    def _columns(self) -> list[str]:
        query = (
            "SELECT attname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = to_regclass"
            f"(:name) AND attnum > 0 AND NOT attisdropped AND typname NOT IN {_VECTORS} ORDER BY attnum"
        )
        with self._errors():
            return [name for (name,) in self._connection.run(query, name=self._table)]

    def put(self, points: Sequence[Point], vectors: Float32) -> None:
        """Insert points with vectors, ``(n, dimension)`` float32, or replace those with the same IDs."""
        texts = ["[" + ",".join(map(repr, vector)) + "]" for vector in vectors.tolist()]
        statement = (
            f"INSERT INTO {self._table} (id, text, metadata, embedding) "
            f"SELECT id, text, metadata, CAST(embedding AS vector) FROM {_RECORDS} "
            "ON CONFLICT (id) DO UPDATE SET text = EXCLUDED.text, metadata = EXCLUDED.metadata, "
            "embedding = EXCLUDED.embedding"
        )
        self._write(statement, points, texts)

    def update(self, points: Sequence[Point]) -> None:
        """Replace the metadata of points that exist; their texts and vectors stay."""
        statement = f"UPDATE {self._table} t SET metadata = r.metadata FROM {_RECORDS} WHERE t.id = r.id"
        self._write(statement, points, [None] * len(points))

    def _write(self, statement: str, points: Sequence[Point], vectors: Sequence[str | None]) -> None:
        records = [
            {"id": point.id, "text": point.text, "metadata": present(point.metadata), "embedding": vector}
            for point, vector in zip(points, vectors, strict=True)
        ]
        with self._transaction():
            for page in pages(records):
                rows = json.dumps(change_texts(list(page), _without_nul), ensure_ascii=False)
                self._connection.run(statement, rows=rows)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete points."""
        statement = (
            f"DELETE FROM {self._table} WHERE id IN "
            "(SELECT CAST(value AS uuid) FROM json_array_elements_text(CAST(:ids AS json)))"
        )
        with self._transaction():
            for page in pages(ids):
                self._connection.run(statement, ids=json.dumps(list(page)))


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd")


def _plain(value: Any) -> Any:
    """Return a value of a column as JSON could hold it."""
    if isinstance(value, uuid.UUID):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool | list | dict) else str(value)
