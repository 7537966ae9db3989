"""The exercise that follows another, so that a class reaches the next chapter under the link that it has.

``exercises.successor``: its code; empty where none follows.
"""

from __future__ import annotations

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column."""
    import sqlalchemy as sa
    from alembic import op

    op.add_column("chunkscope_exercises", sa.Column("successor", sa.Text, nullable=False, server_default=""))
