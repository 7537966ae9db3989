"""What a load is put on: one process of the app, or several behind a proxy, as a server for others."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from benchmarks.processes import descendants, own_mb, processor_seconds
from benchmarks.sticky_proxy import sticky_proxy
from pages.shared.server import metrics
from tests.browser.server import Server, serve

_FOR_OTHERS = ("--server.allowedHosts=127.0.0.1", "--server.allowedHosts=people.example")
"""Options of a server that is not for this machine alone, where whoever comes has documents of their own."""


@dataclass(frozen=True)
class Served:
    """Processes of the app that serve one address.

    Attributes:
        address: where people come.
        servers: the processes.
        token: for their measurements.
    """

    address: str
    servers: tuple[Server, ...]
    token: str

    @property
    def family(self) -> Iterator[int]:
        """Identifiers of the processes and of their workers."""
        for server in self.servers:
            yield server.pid
            yield from descendants(server.pid)

    def memory(self) -> tuple[float, float]:
        """Return the memory of the processes, and of their workers, in MB, without mapped files."""
        own = sum(own_mb(server.pid) for server in self.servers)
        return own, sum(map(own_mb, self.family)) - own

    def processor(self) -> float:
        """Return the seconds of a core that the processes have used, without those of their workers."""
        return sum(processor_seconds(server.pid) for server in self.servers)

    def processor_with_workers(self) -> float:
        """Return the seconds of a core that the processes and their workers have used."""
        return sum(map(processor_seconds, self.family))

    def loaded(self, library: str) -> int:
        """Return how many processes and workers have a library in memory."""
        return sum(library in _maps(process) for process in self.family)

    async def jobs(self) -> dict[str, int]:
        """Return the number of background jobs of all processes by state."""
        found: dict[str, int] = {}
        for server in self.servers:
            for sample in await measurements(server.address, self.token, "chunkscope_jobs"):
                if "state" in sample.labels:  # those that have ended are counted by result
                    state = sample.labels["state"]
                    found[state] = found.get(state, 0) + int(sample.value)
        return found


async def measurements(address: str, token: str, beginning: str) -> list[Sample]:
    """Return the measurements of a server whose names begin with a text."""
    async with httpx.AsyncClient(timeout=60) as http:
        answer = await http.get(f"{address}/metrics", headers={"Authorization": f"Bearer {token}"})
    answer.raise_for_status()
    families = text_string_to_metric_families(answer.text)
    return [sample for family in families if family.name.startswith(beginning) for sample in family.samples]


def _maps(process: int) -> str:
    try:
        return Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return ""


@contextmanager
def served(count: int = 1, reviews: str = "") -> Iterator[Served]:
    """Run processes of the app that share their storage, and yield them.

    Args:
        count: of the processes; more than one are behind a proxy that sends each visitor to the same one.
        reviews: URL of the database of reviews; a SQLite file of their own without it.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        token = secrets.token_hex()
        os.environ |= {
            "CHUNKSCOPE_REVIEWS": reviews or str(folder / "reviews.sqlite"),
            "CHUNKSCOPE_LIBRARY": str(folder / "library"),
            "CHUNKSCOPE_CACHE": str(folder / "cache"),  # without vectors, so that the model is loaded
            metrics.TOKEN: token,
        }
        servers = tuple(stack.enter_context(serve(folder, options=_FOR_OTHERS)) for _ in range(count))
        ports = [urlsplit(server.address).port or 0 for server in servers]
        address = servers[0].address if count == 1 else stack.enter_context(sticky_proxy(ports))
        yield Served(address, servers, token)
