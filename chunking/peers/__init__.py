"""The splitters of other libraries, where they are installed, run as they are.

Each is a :class:`Peer`. What a peer returns are texts with, at best, a hint at their place;
``chunking.alignment.align`` finds
where they really stand.
"""

from __future__ import annotations

from chunking.errors import ChunkscopeError
from chunking.peers import chonkie, langchain, llama_index, others
from chunking.peers.base import INSTALL, Peer, installed, version

PEERS: tuple[Peer, ...] = (*langchain.PEERS, *llama_index.PEERS, *chonkie.PEERS, *others.PEERS)
"""Every peer, installed or not."""


def get(name: str) -> Peer:
    """The peer of that name; :class:`ChunkscopeError` where there is none."""
    for peer in PEERS:
        if peer.name == name:
            return peer
    raise ChunkscopeError(f"There is no peer {name!r:.60}.", f"There are: {', '.join(peer.name for peer in PEERS)}.")


__all__ = ["INSTALL", "PEERS", "Peer", "get", "installed", "version"]
