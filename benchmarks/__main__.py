"""``python -m benchmarks``: all figures, or those of the named parts."""

from __future__ import annotations

import os
import platform
import sys

from benchmarks import (
    batch,
    changepoint,
    engine,
    known,
    languages,
    loading,
    page,
    peers,
    retrieval,
    structure,
    tuning,
)

PARTS = {
    "engine": engine.run,
    "loading": loading.main,
    "structure": structure.main,
    "changepoint": changepoint.main,
    "tuning": tuning.main,
    "languages": languages.main,
    "known": known.main,
    "retrieval": retrieval.main,
    "batch": batch.main,
    "peers": peers.run,
    "page": page.run,
}

print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} processors")
for part in sys.argv[1:] or PARTS:
    PARTS[part]()
