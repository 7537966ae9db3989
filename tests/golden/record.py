"""Write the recorded outputs anew: ``make golden``.

A file whose numbers differ from the recorded ones in the last decimal alone is left as it is, so that another machine
changes nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.golden.outputs import LIMIT, RECORDED, all_outputs, recorded_bytes, stale_files
from tests.golden.text import differences
from tests.node import answering


def main() -> int:
    """Write what has changed, delete what is no longer an output, and print both."""
    node = shutil.which("node")
    if node is None:
        print("Node.js is missing: install nodejs to record what the browser's engine computes.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, answering(node) as ask:
        os.environ |= {"CHUNKSCOPE_CACHE": folder, "CHUNKSCOPE_WORKERS": "0"}
        outputs = dict(all_outputs(Path(folder), ask))
        written = [path for path, output in outputs.items() if _write(path, output())]
    for path in stale_files(set(outputs)):
        path.unlink()
        print(f"removed {path.relative_to(RECORDED)}")
    print(f"{len(written)} of {len(outputs)} files changed; {recorded_bytes():,} bytes, of at most {LIMIT:,}")
    return 0


def _write(path: Path, output: str) -> bool:
    """Write an output where it differs from what is recorded; return whether it does."""
    if path.exists() and not differences(path.read_text(encoding="utf-8"), output):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(output, encoding="utf-8", newline="\n")
    print(f"wrote {path.relative_to(RECORDED)}")
    return True


if __name__ == "__main__":
    sys.exit(main())
