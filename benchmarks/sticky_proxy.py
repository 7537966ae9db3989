"""A proxy that sends each visitor to the same process, by a cookie, so that processes can be measured without software
that a system has to install. It reads the head of the first request of a connection and copies everything after it.

``python -m benchmarks.sticky_proxy PORT…`` prints the port that it listens on, and runs until it is stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from subprocess import PIPE, Popen

from tests.browser.server import ROOT

COOKIE = "measured_node"

_CHUNK = 65_536
_HEAD_END = b"\r\n\r\n"
_NODE = re.compile(rb"(?:^|[;\s])" + COOKIE.encode() + rb"=(\d+)")


def node_of(head: bytes, count: int) -> int | None:
    """Return the process that the cookie in the head of a request names; ``None`` without one that there is."""
    lines = head.split(b"\r\n")[1:]
    cookies = b"; ".join(line.partition(b":")[2] for line in lines if line.lower().startswith(b"cookie:"))
    found = _NODE.search(cookies)
    return int(found[1]) if found and int(found[1]) < count else None


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(_CHUNK):
            target.write(data)
            await target.drain()
    with contextlib.suppress(OSError, RuntimeError):
        target.write_eof()


class StickyProxy:
    """Passes connections on to processes on this machine.

    Args:
        ports: of the processes.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = ports
        self._turn = itertools.cycle(range(len(ports)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on, and give the visitor a cookie if she has none."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(_HEAD_END)
            known = node_of(head, len(self._ports))
            node = next(self._turn) if known is None else known
            back, forth = await asyncio.open_connection("127.0.0.1", self._ports[node])
            forth.write(head)
            sending = asyncio.create_task(_copy(reader, forth))
            if known is None:
                answer = await back.readuntil(_HEAD_END)
                writer.write(answer[:-2] + f"Set-Cookie: {COOKIE}={node}; Path=/\r\n\r\n".encode())
            await _copy(back, writer)
            sending.cancel()
            forth.close()
        writer.close()


async def _run(ports: Sequence[int]) -> None:
    server = await asyncio.start_server(StickyProxy(ports).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def sticky_proxy(ports: Sequence[int]) -> Iterator[str]:
    """Run the proxy in a process of its own, and yield its address."""
    command = [sys.executable, "-m", "benchmarks.sticky_proxy", *map(str, ports)]
    with Popen(command, cwd=ROOT, stdout=PIPE, text=True) as running:
        try:
            assert running.stdout
            yield f"http://127.0.0.1:{running.stdout.readline().strip()}"
        finally:
            running.terminate()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run([int(word) for word in sys.argv[1:]]))
