"""What people did on a server with log-in, and how much they use it.

``audit``: an act with its time, who acted (``subject``; empty where nobody is known) and by which ``provider``,
``action``, and what it was done to: ``kind`` and ``target`` (an id, never a name or a text), ``owner`` where that is
somebody else, ``detail`` as JSON. Rows are added, and deleted once they are too old; a trigger refuses any change.
``usage``: what counts against the quotas of a person: ``amount`` of a ``kind`` at a time, in milliseconds since 1970.
"""

from __future__ import annotations

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables and the trigger."""
    import sqlalchemy as sa
    from alembic import op

    op.create_table(
        "chunkscope_audit",
        sa.Column("id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("at", "subject", "provider", "action")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("kind", "target", "owner", "detail")),
    )
    op.create_index("chunkscope_audit_at", "chunkscope_audit", ["at"])
    op.create_table(
        "chunkscope_usage",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("chunkscope_usage_subject", "chunkscope_usage", ["subject", "kind"])
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL:
        op.execute(statement)


_SQLITE = (
    "CREATE TRIGGER chunkscope_audit_unchanged BEFORE UPDATE ON chunkscope_audit "
    "BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never changed'); END",
)
_POSTGRESQL = (
    "CREATE FUNCTION chunkscope_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "RAISE EXCEPTION 'entries of the audit log are never changed'; END $$",
    "CREATE TRIGGER chunkscope_audit_unchanged BEFORE UPDATE ON chunkscope_audit "
    "FOR EACH ROW EXECUTE FUNCTION chunkscope_audit_refuse()",
)
