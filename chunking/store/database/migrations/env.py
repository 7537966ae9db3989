"""Alembic's environment for each command: migrations over the connection and in the transaction of the caller."""

from __future__ import annotations

from chunking.store.database.tables import VERSION


def run() -> None:
    """Run the migrations that the command requires."""
    from alembic import context

    # A transaction that is open already is left to the caller, of SQLite too.
    context.configure(connection=context.config.attributes["connection"], version_table=VERSION)
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # Alembic's name for it; anyone else only imports it
    run()
