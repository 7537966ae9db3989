"""A process that has imported what the calls need, and is forked for each of them.

Its arguments are the modules, or functions of them (``MODULE:FUNCTION``) to call. Its standard input is a socket: the
caller sends one byte with two descriptors: the socket on which the child is to answer, as of
:mod:`chunking.isolation.child`, and one for its end. On the latter the caller asks to kill the child, by a byte or by
closing it, and learns how it ended: the status and the most memory it had, in KiB.

The process runs no code of a call and has one thread, so that forking is safe. It ends, with all its children, when the
caller closes the socket or is gone. Where it is killed they are killed too: nobody else could kill them.
"""

from __future__ import annotations

import ctypes
import gc
import os
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import NoReturn

from chunking.isolation import child

READY = b"R"
"""What the process sends once it has imported everything."""

ENDED = struct.Struct("!iQ")
"""How a child ended: its status as of ``wait``, and the most memory that it had, in KiB."""

_SIGNAL_OF_PARENTS_DEATH = 1
"""``PR_SET_PDEATHSIG`` of Linux."""


def main() -> NoReturn:
    """Import the modules, then serve the socket."""
    for name in sys.argv[1:]:
        with suppress(Exception):  # a call of one of its functions reports why
            child.prepare(name)
    gc.collect()
    gc.freeze()  # a collection in a child would copy all that is shared
    Server(socket.socket(fileno=os.dup(0))).serve()


class Server:
    """Forks a child for each call, kills those that are to end, and tells how each ended.

    Args:
        control: socket of the caller.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._ends: dict[int, socket.socket] = {}
        self._pid = os.getpid()
        self._system = ctypes.CDLL(None)
        self._selector = selectors.DefaultSelector()
        self._alarm, wakeup = socket.socketpair()
        for end in (self._alarm, wakeup):
            end.setblocking(False)
        self._wakeup = wakeup
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._alarm, selectors.EVENT_READ)

    def serve(self) -> NoReturn:
        """Serve until the caller is gone."""
        self._control.sendall(READY)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._control:
                    self._fork()
                elif key.fileobj is self._alarm:
                    with suppress(BlockingIOError):
                        self._alarm.recv(4096)
                    self._reap()
                else:
                    self._kill(key.data)

    def _fork(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        if not message or len(descriptors) != 2:
            for pid in self._ends:
                _kill_group(pid)
            os._exit(0)
        answers, end = descriptors
        try:
            pid = os.fork()
        except OSError:  # no more processes: the caller sees the end of both sockets
            os.close(answers)
            os.close(end)
            return
        if pid == 0:
            self._become_child(answers, end)
        os.close(answers)
        self._ends[pid] = socket.socket(fileno=end)
        self._selector.register(self._ends[pid], selectors.EVENT_READ, pid)

    def _become_child(self, answers: int, end: int) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            self._system.prctl(_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL)
            if os.getppid() != self._pid:
                os._exit(1)  # it was killed before that
            self._selector.close()
            _close([self._control, self._alarm, self._wakeup, *self._ends.values()])
            os.close(end)
            os.dup2(2, 0)  # standard input was the socket of the server
            child.answer(os.fdopen(answers, "rb"), os.fdopen(os.dup(answers), "wb"))
        finally:
            os._exit(1)

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            end = self._forget(pid)
            with suppress(OSError), end:
                end.sendall(ENDED.pack(status, usage.ru_maxrss))

    def _kill(self, pid: int) -> None:
        """Kill a child that was not reaped, so that its number is its own."""
        if pid in self._ends:
            self._selector.unregister(self._ends[pid])
            _kill_group(pid)

    def _forget(self, pid: int) -> socket.socket:
        end = self._ends.pop(pid)
        with suppress(KeyError):  # it was killed
            self._selector.unregister(end)
        return end


def _kill_group(pid: int) -> None:
    # It leads a group of its own, once it got as far.
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


def _close(sockets: Iterable[socket.socket]) -> None:
    for connection in sockets:
        connection.close()


if __name__ == "__main__":
    main()
