"""The splitters of other libraries, if installed, run unchanged.

Each is a :class:`Peer`. A peer returns texts with, at best, a hint at their position; :mod:`chunking.alignment.align`
finds their true spans.
"""

from __future__ import annotations

from chunking.errors import ChunkscopeError
from chunking.peers import chonkie, langchain, llama_index, others
from chunking.peers.base import INSTALL, Peer, installed, version

PEERS: tuple[Peer, ...] = (*langchain.PEERS, *llama_index.PEERS, *chonkie.PEERS, *others.PEERS)
"""Every peer, installed or not."""


def get(name: str) -> Peer:
    """Return the peer of that name; raise :class:`ChunkscopeError` if there is none."""
    for peer in PEERS:
        if peer.name == name:
            return peer
    raise ChunkscopeError(f"Unknown peer {name!r:.60}.", f"Choose one of: {', '.join(peer.name for peer in PEERS)}.")


__all__ = ["INSTALL", "PEERS", "Peer", "get", "installed", "version"]
