"""``python -m benchmarks``: print all figures, or those of the parts that are named (``engine``, ``page``)."""

from __future__ import annotations

import os
import platform
import sys

from benchmarks import engine, page

PARTS = {"engine": engine.run, "page": page.run}

print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} processors")
for part in sys.argv[1:] or PARTS:
    PARTS[part]()
