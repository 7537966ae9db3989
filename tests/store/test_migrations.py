from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import Engine

from chunking.errors import ChunkscopeError
from chunking.reference.events import Event
from chunking.store.database import migrations
from chunking.store.database.connections import WRITES
from chunking.store.database.tables import METADATA, NAMES, VERSION
from chunking.store.reviews import ReviewStore
from tests.store.databases import SHARED, Postgres, engine_of, process, run_together

PREPARE = """
import sys
from sqlalchemy import create_engine
from chunking.reference.events import Event
from chunking.store.reviews import ReviewStore
from chunking.store.database.location import engine_options
url = sys.argv[1]
store = ReviewStore(create_engine(url, **engine_options(url)))
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
store.prepare()
store.append([Event(sys.argv[2], "text", "Ada", "accept", 1)])
"""
NEXT = '''
"""A version that is made up, to go on from the newest one."""
revision = "9000"
down_revision = "{newest}"


def upgrade() -> None:
    import sqlalchemy as sa
    from alembic import op

    op.add_column("chunkscope_events", sa.Column("mood", sa.Text, nullable=False, server_default="calm"))
    op.create_index("chunkscope_moods", "chunkscope_events", ["mood"])
'''
FAILING = (
    NEXT
    + """
    op.execute("SELECT mood FROM a_table_that_nobody_made")
"""
)


def names(engine: Engine) -> set[str]:
    return set(sa.inspect(engine).get_table_names())


def content(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """Everything in the database."""
    metadata = sa.MetaData()
    metadata.reflect(engine)
    with engine.connect() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(sa.select(table))] for table in metadata.sorted_tables
        }


def newest() -> str:
    (path,) = sorted(migrations.VERSIONS[0].glob("v*.py"))[-1:]
    return path.name[1:5]


def upgrade(engine: Engine, versions: list[Path]) -> None:
    with engine.connect() as connection:
        connection = connection.execution_options(**{WRITES: True})
        with connection.begin():
            migrations.upgrade(connection, "here", versions)


def made_up(folder: Path, text: str) -> list[Path]:
    folder.mkdir()
    (folder / "v9000_mood.py").write_text(text.format(newest=newest()))
    return [*migrations.VERSIONS, folder]


def test_an_empty_database_gets_the_tables_that_queries_expect(url: str) -> None:
    with engine_of(url) as engine:
        ReviewStore(engine).prepare()
        assert names(engine) == set(NAMES)
        with engine.connect() as connection:
            context = MigrationContext.configure(
                connection,
                opts={"include_object": lambda _object, name, kind, *_: kind != "table" or name != VERSION},
            )
            assert compare_metadata(context, METADATA) == []
            assert connection.execute(sa.text(f"SELECT version_num FROM {VERSION}")).scalars().all() == [newest()]


def test_every_version_has_its_number_and_follows_the_one_before() -> None:
    files = sorted(path.name for path in migrations.VERSIONS[0].glob("v*.py"))
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(migrations.FOLDER), version_locations=[str(migrations.VERSIONS[0])])
    line = [script.revision for script in scripts.walk_revisions()][::-1]
    assert line == [name[1:5] for name in files] == [f"{number:04}" for number in range(1, len(files) + 1)]


def test_a_newer_version_takes_over_what_is_there(url: str, tmp_path: Path) -> None:
    with engine_of(url) as engine:
        store = ReviewStore(engine)
        store.prepare()
        stored = store.append([Event("t", "text", "Ada", "note", 1, note="words")])
        upgrade(engine, made_up(tmp_path / "100 % more", NEXT))
        assert store.events("text") == stored
        with engine.connect() as connection:
            assert connection.execute(sa.text("SELECT token, mood FROM chunkscope_events")).all() == [("t", "calm")]
        assert "chunkscope_moods" in {index["name"] for index in sa.inspect(engine).get_indexes("chunkscope_events")}


def test_a_migration_that_fails_leaves_the_version_before(url: str, tmp_path: Path) -> None:
    with engine_of(url) as engine:
        store = ReviewStore(engine)
        store.prepare()
        stored = store.append([Event("t", "text", "Ada", "accept", 1)])
        before = content(engine)
        with pytest.raises(sa.exc.DBAPIError):
            upgrade(engine, made_up(tmp_path / "100 % more", FAILING))
        assert content(engine) == before
        assert store.events("text") == stored
        store.append([Event("u", "text", "Ada", "accept", 2)])


def test_a_database_of_a_newer_version_is_left_alone(url: str, tmp_path: Path) -> None:
    with engine_of(url) as engine:
        store = ReviewStore(engine)
        store.prepare()
        store.append([Event("t", "text", "Ada", "accept", 1)])
        upgrade(engine, made_up(tmp_path / "100 % more", NEXT))
        before = content(engine)
        with pytest.raises(ChunkscopeError, match="newer version than this program knows") as caught:
            store.prepare()
        assert "update Chunkscope" in caught.value.remedy
        assert content(engine) == before


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE chunkscope_events (what TEXT)"],
        ["CREATE TABLE chunkscope_documents (hash TEXT)", "INSERT INTO chunkscope_documents VALUES ('theirs')"],
        [f"CREATE TABLE {VERSION} (what TEXT)"],
        [f"CREATE TABLE {VERSION} (version_num TEXT)", "CREATE TABLE chunkscope_documents (hash TEXT)"],
    ],
)
def test_tables_of_others_with_our_names_are_left_alone(url: str, statements: list[str]) -> None:
    with engine_of(url) as engine:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))
        before = content(engine)
        with pytest.raises(ChunkscopeError, match="not Chunkscope's"):
            ReviewStore(engine).prepare()
        assert content(engine) == before


def test_a_database_that_is_shared_with_another_program(url: str) -> None:
    with engine_of(url) as engine:
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE alembic_version (version_num TEXT)"))
            connection.execute(sa.text("INSERT INTO alembic_version VALUES ('theirs')"))
            connection.execute(sa.text("CREATE TABLE events (what TEXT)"))
        ReviewStore(engine).prepare()
        assert names(engine) == {*NAMES, "alembic_version", "events"}
        assert content(engine)["alembic_version"] == [("theirs",)]


def test_two_servers_that_start_at_once(url: str) -> None:
    run_together([process(PREPARE, url, name) for name in ("a", "b")])
    with engine_of(url) as engine:
        assert ReviewStore(engine).stored(["a", "b"]) == {"a", "b"}
        ReviewStore(engine).prepare()


def test_a_database_that_cannot_hold_every_text(postgres: Postgres) -> None:
    name = postgres.new_database("ENCODING 'LATIN1' TEMPLATE template0")
    with engine_of(postgres.url(name)) as engine:
        with pytest.raises(ChunkscopeError, match="Text is kept as LATIN1"):
            ReviewStore(engine).prepare()
        assert names(engine) == set()


def test_a_user_who_may_make_no_tables(postgres: Postgres, postgres_url: str) -> None:
    postgres.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    postgres.execute(
        "GRANT USAGE ON SCHEMA public TO guest", database=SHARED
    )  # no more, as PostgreSQL does from version 15 on
    url = sa.make_url(postgres_url).set(username="guest", password="guest").render_as_string(hide_password=False)
    with engine_of(url) as engine:
        store = ReviewStore(engine)
        with pytest.raises(ChunkscopeError, match="may not do that") as caught:
            store.prepare()
        assert "GRANT CREATE" in caught.value.remedy
        postgres.execute("GRANT CREATE ON SCHEMA public TO guest", database=SHARED)
        store.prepare()
        assert store.documents() == []
