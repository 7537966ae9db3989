"""Chunks as a dataset folder of Hugging Face: a Parquet file, and a dataset card that says where it is."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping

from chunking.export.origin import origin_of
from chunking.export.parquet_files import parquet
from chunking.export.tables import encodable
from chunking.strategies.base import Segmentation

DATA = "data/train-00000-of-00001.parquet"
CARD = "README.md"

COLUMNS: Mapping[str, str] = {
    "index": "position of the chunk, from 0",
    "start": "where the chunk starts in the text of the document, in characters",
    "end": "where it ends",
    "text": "its text, without overlap",
    "overlap_start": "where the text begins that is repeated before it; null without overlap",
    "overlap_end": "where that text ends",
    "tokens": "tokens of its text",
    "overlap_tokens": "tokens of its overlap",
    "heading_path": "headings above it",
    "notes": "what the size limits did to it",
    "cut_reason": "why it begins where it does; null for the first",
    "cut_score": "the value that was compared with the threshold",
    "cut_threshold": "the threshold",
    "cut_detail": "more about the reason",
    "parent": "index of the chunk that it is a part of",
    "library_text": "what another library made of the text, if that differs",
    "table_header": "the header of the table that it continues",
    "start_time": "seconds from the start of the recording at which the chunk begins, of subtitles and transcripts",
    "end_time": "seconds at which it ends",
    "speakers": "who speaks in it",
    "id": "UUID of all that is embedded for it, which an edit elsewhere does not change",
}
"""Meaning of each column of the Parquet file."""

_MOMENT = (1980, 1, 1, 0, 0, 0)
"""Time of the files in the archive: the same chunks give the same bytes."""


def dataset_files(segmentation: Segmentation) -> dict[str, bytes]:
    """Return the files of a folder that ``datasets.load_dataset`` reads, by their path in it.

    The only split is ``train``, a row for each chunk, with the columns of :func:`~chunking.export.parquet`.

    Raises:
        ChunkscopeError: pyarrow is not installed.
    """
    return {CARD: encodable(_card(segmentation)).encode(), DATA: parquet(segmentation)}


def dataset_zip(segmentation: Segmentation) -> bytes:
    """Return the files of :func:`dataset_files` in a ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in dataset_files(segmentation).items():
            archive.writestr(zipfile.ZipInfo(path, _MOMENT), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _card(segmentation: Segmentation) -> str:
    language = segmentation.document.language
    front = ["configs:", "- config_name: default", "  data_files:", "  - split: train", "    path: data/*.parquet"]
    front += [] if language == "und" else ["language:", f'- "{language}"']
    # Inside a block of code, whatever the document is named is no markup.
    origin = json.dumps(origin_of(segmentation), ensure_ascii=False, indent=2)
    rows = [f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()]
    return "\n".join(
        [
            *("---", *front, "---", "", "# Chunks of a document", ""),
            *(f"{len(segmentation.chunks):,} chunks, made with Chunkscope from:", "", "```json", origin, "```", ""),
            *('Read them with `datasets.load_dataset("FOLDER", split="train")`.', ""),
            *("| column | meaning |", "|---|---|", *rows, ""),
        ]
    )
