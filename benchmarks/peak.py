"""Peak memory of loading one file, in a process of its own; prints JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.grow import _begin_peak
from benchmarks.processes import peak_mb
from chunking.loading import load


def main(path: Path) -> dict[str, Any]:
    """Return the seconds of loading a file, and in MB the peaks of this process and of the one that parses for it.

    ``base_mb`` is what this process holds before: Python, libraries and the model that tells languages.
    """
    load(b"What any text makes it load.", "first.txt")
    base = _begin_peak()
    start = time.perf_counter()
    document = load(path.read_bytes(), path.name)
    taken = time.perf_counter() - start
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    chars = len(document.text)
    return {"seconds": taken, "base_mb": base, "own_mb": peak_mb(os.getpid()), "worker_mb": worker, "chars": chars}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
