"""Other libraries as strategies: each runs unchanged, and its chunks are aligned with the document."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from chunking.peers import PEERS, Peer, installed, version
from chunking.strategies import foreign
from chunking.strategies.base import Segmentation, Strategy
from chunking.workspace import Workspace


def _strategy(peer: Peer) -> Strategy:
    def run(workspace: Workspace, params: Any) -> Segmentation:
        pieces = peer.split(workspace, params)
        made = foreign.segment(workspace, peer.name, params, pieces, reason="library", nests=peer.nests)
        if made.chunks or not workspace.document.text.strip():
            return made
        return replace(made, warnings=(f"{peer.title} returned no chunk for this document.",))

    return Strategy(
        name=peer.name,
        title=peer.title,
        family="peers",
        summary=peer.summary,
        origin=f"{peer.library}, {peer.licence}",
        params=peer.params,
        cut=run,
        tiles=False,
        installed=partial(installed, peer),
        version=partial(version, peer),
    )


STRATEGIES: tuple[Strategy, ...] = tuple(_strategy(peer) for peer in PEERS)
