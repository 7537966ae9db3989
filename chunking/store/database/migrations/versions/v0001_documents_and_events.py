"""Documents, and what reviewers did on them.

``documents``: a text by its hash; where it was never opened for review but came with its events, its name and language
are empty and it has 0 characters. ``events``: see :class:`chunking.reference.events.Event`; ``number`` counts those
of a document from 1, in the order in which they were stored, without a gap.
"""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    import sqlalchemy as sa
    from alembic import op

    op.create_table(
        "chunkscope_documents",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("characters", sa.BigInteger, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
    )
    op.create_table(
        "chunkscope_events",
        sa.Column("document", sa.Text, sa.ForeignKey("chunkscope_documents.hash"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("token", sa.Text, nullable=False, unique=True),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("target", sa.BigInteger),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("undoes", sa.Text, nullable=False),
        sa.Column("proposed", sa.Text, nullable=False),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("decides", sa.Boolean, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
