"""A bucket on a server that speaks S3, for tests of files at an address."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """The address of a bucket on a server of its own."""
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", "0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert server.stderr is not None
    told = (re.search(r"Running on (http://127\.0\.0\.1:\d+)", line) for line in server.stderr)
    found = next((match[1] for match in told if match), "")
    threading.Thread(target=server.stderr.read, daemon=True).start()  # it tells of every request, and would wait
    with pytest.MonkeyPatch.context() as patch:
        try:
            urllib.request.urlopen(urllib.request.Request(f"{found}/shelf", method="PUT")).close()
            patch.setenv("AWS_ENDPOINT_URL", found)
            patch.setenv("AWS_REGION", "us-east-1")
            for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
                patch.setenv(name, "nobody")
            yield "s3://shelf"
        finally:
            server.terminate()
            server.wait()
