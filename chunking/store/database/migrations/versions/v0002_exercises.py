"""Class exercises and their predictions, apart from reviews.

``exercises``: a text on which a class predicts; ``teacher`` is the hash of the teacher's token, ``ended`` empty while
predictions are taken. ``predictions``: the gaps that a student picked, separated by commas; ``student`` is the hash of
a random number of the browser. There are no names.
"""

from __future__ import annotations

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make both tables."""
    import sqlalchemy as sa
    from alembic import op

    op.create_table(
        "chunkscope_exercises",
        sa.Column("code", sa.Text, primary_key=True),
        sa.Column("teacher", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("setting", sa.Text, nullable=False),
        sa.Column("chapter", sa.Text, nullable=False),
        sa.Column("opened", sa.Text, nullable=False),
        sa.Column("ended", sa.Text, nullable=False),
    )
    op.create_table(
        "chunkscope_predictions",
        sa.Column("exercise", sa.Text, sa.ForeignKey("chunkscope_exercises.code"), primary_key=True),
        sa.Column("student", sa.Text, primary_key=True),
        sa.Column("gaps", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
