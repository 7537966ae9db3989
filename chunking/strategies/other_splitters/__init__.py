"""The splitters of other libraries as strategies: each runs unchanged if installed, and its chunks are aligned.

Each is a :class:`Peer`, which returns texts with, at best, a hint at their position; :mod:`chunking.alignment.align`
finds their true spans.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.strategies import foreign
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.other_splitters import chonkie, langchain, llama_index, others
from chunking.strategies.other_splitters.base import INSTALL, Peer, installed, version
from chunking.workspace import DocumentAnalysis

PEERS: tuple[Peer, ...] = (*langchain.PEERS, *llama_index.PEERS, *chonkie.PEERS, *others.PEERS)
"""Every splitter, installed or not."""


def get(name: str) -> Peer:
    """Return the splitter of that name; raise :class:`ChunkscopeError` if there is none."""
    for peer in PEERS:
        if peer.name == name:
            return peer
    raise ChunkscopeError(f"Unknown peer {name!r:.60}.", f"Choose one of: {', '.join(peer.name for peer in PEERS)}.")


def _cut(peer: Peer, workspace: DocumentAnalysis, params: Any) -> Segmentation:
    pieces = peer.split(workspace, params)
    segmentation = foreign.segment(workspace, peer.name, params, pieces, reason="library", nests=peer.nests)
    if segmentation.chunks or not workspace.document.text.strip():
        return segmentation
    return replace(segmentation, warnings=(f"{peer.title} returned no chunk for this document.",))


STRATEGIES: tuple[Strategy, ...] = tuple(
    Strategy(
        name=peer.name,
        title=peer.title,
        family="peers",
        summary=peer.summary,
        origin=f"{peer.library}, {peer.licence}",
        params=peer.params,
        cut=partial(_cut, peer),
        tiles=False,
        installed=partial(installed, peer),
        version=partial(version, peer),
    )
    for peer in PEERS
)

__all__ = ["INSTALL", "PEERS", "STRATEGIES", "Peer", "get", "installed", "version"]
