"""The library of documents that last.

``library``: a document of an owner; ``content`` is the SHA-256 of its file, ``text_hash`` and ``key`` those of
:class:`chunking.document.Document`, ``folded`` its name for searches, ``source`` the name that it was read by,
``options`` and ``choices`` JSON, ``pasted`` whether it is a text without a file. ``visibility`` is ``private``,
``team`` (``team`` names it) or ``public`` (by ``link``, which nobody can guess). ``previous`` and ``replaced_by`` are
ids of the versions before and after it, empty where there are none. ``folder`` and ``path`` say where a watched file
lies, ``missing`` since when it is gone. ``version`` counts changes, so that a writer that knows an older one is
refused.

``attachments``: files that belong to a document (a reference, own chunks, questions), by content as well.
``sets`` and ``members``: documents under a name, in an order. ``drafts``: text that a person has not sent yet.
``folders``: those that are watched. ``removals``: contents and texts of deleted documents whose files and caches are
still to be deleted.
"""

from __future__ import annotations

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make all of its tables."""
    import sqlalchemy as sa
    from alembic import op

    document = "chunkscope_library.id"
    op.create_table(
        "chunkscope_library",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("characters", sa.BigInteger, nullable=False),
        sa.Column("pasted", sa.Boolean, nullable=False),
        sa.Column("choices", sa.Text, nullable=False),
        sa.Column("visibility", sa.Text, nullable=False),
        sa.Column("team", sa.Text, nullable=False),
        sa.Column("link", sa.Text, unique=True),
        sa.Column("added", sa.Text, nullable=False),
        sa.Column("opened", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("replaced_by", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("missing", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("owner", "content", "name", "replaced_by", name="chunkscope_library_same"),
    )
    op.create_index("chunkscope_library_content", "chunkscope_library", ["content"])
    op.create_index("chunkscope_library_text", "chunkscope_library", ["text_hash"])
    op.create_table(
        "chunkscope_library_tags",
        sa.Column("document", sa.Text, sa.ForeignKey(document), primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
    )
    op.create_table(
        "chunkscope_library_attachments",
        sa.Column("document", sa.Text, sa.ForeignKey(document), primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("added", sa.Text, nullable=False),
    )
    op.create_index("chunkscope_library_attached", "chunkscope_library_attachments", ["content"])
    op.create_table(
        "chunkscope_library_sets",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("owner", "name", name="chunkscope_library_set_name"),
    )
    op.create_table(
        "chunkscope_library_members",
        sa.Column("set_id", sa.Text, sa.ForeignKey("chunkscope_library_sets.id"), primary_key=True),
        sa.Column("document", sa.Text, sa.ForeignKey(document), primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
    )
    op.create_index("chunkscope_library_member", "chunkscope_library_members", ["document"])
    op.create_table(
        "chunkscope_library_drafts",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "chunkscope_library_folders",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("scanned", sa.Text, nullable=False),
        sa.UniqueConstraint("owner", "path", name="chunkscope_library_folder_path"),
    )
    op.create_table(
        "chunkscope_library_removals",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
