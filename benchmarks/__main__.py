"""``python -m benchmarks``: all figures, or those of the named parts (``engine``, ``peers``, ``page``)."""

from __future__ import annotations

import os
import platform
import sys

from benchmarks import engine, page, peers

PARTS = {"engine": engine.run, "peers": peers.run, "page": page.run}

print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} processors")
for part in sys.argv[1:] or PARTS:
    PARTS[part]()
