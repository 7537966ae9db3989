"""Run the benchmarks, or the named parts of them, and record the figures in ``RESULTS.md``."""

from __future__ import annotations

import sys

from benchmarks import (
    advice,
    batch,
    boundaries,
    busy,
    changepoint,
    choices,
    classroom,
    encoders,
    engine,
    interchange,
    known,
    languages,
    load,
    loading,
    order,
    page,
    peers,
    processor,
    proxies,
    results,
    retrieval,
    runtimes,
    scale,
    sentences,
    standalone,
    structure,
    tuning,
    workbench,
)

PARTS = {
    "engine": engine.run,
    "loading": loading.main,
    "structure": structure.main,
    "changepoint": changepoint.main,
    "boundaries": boundaries.main,
    "order": order.main,
    "tuning": tuning.main,
    "advice": advice.main,
    "languages": languages.main,
    "sentences": sentences.main,
    "encoders": encoders.main,
    "runtimes": runtimes.main,
    "known": known.main,
    "retrieval": retrieval.main,
    "proxies": proxies.main,
    "batch": batch.main,
    "peers": peers.run,
    "choices": choices.main,
    "standalone": standalone.main,
    "classroom": classroom.main,
    "interchange": interchange.main,
    "page": page.run,
    "workbench": workbench.run,
    "processor": processor.main,
    "load": load.run,
    "busy": busy.run,
    "scale": scale.measure,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        results.measure(part, PARTS[part])
