"""Who wrote an event, on a server with log-in.

``events.subject``: the identity that was logged in; empty where the name was typed, as all names were before.
``accounts``: the name under which an identity reviews, which no other one has.
"""

from __future__ import annotations

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column and make the table."""
    import sqlalchemy as sa
    from alembic import op

    op.add_column("chunkscope_events", sa.Column("subject", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "chunkscope_accounts",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
    )
