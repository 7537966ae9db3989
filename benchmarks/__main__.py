"""Run the benchmarks, or the named parts of them, and record the figures in ``RESULTS.md``."""

from __future__ import annotations

import sys

from benchmarks import (
    batch,
    changepoint,
    choices,
    encoders,
    engine,
    known,
    languages,
    loading,
    page,
    peers,
    results,
    retrieval,
    sentences,
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
    "sentences": sentences.main,
    "encoders": encoders.main,
    "known": known.main,
    "retrieval": retrieval.main,
    "batch": batch.main,
    "peers": peers.run,
    "choices": choices.main,
    "page": page.run,
}

for part in sys.argv[1:] or PARTS:
    results.measure(part, PARTS[part])
