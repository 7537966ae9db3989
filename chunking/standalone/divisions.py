"""The divisions at change points that a page has in advance.

Each is the result of the strategy at a setting: to divide a document, the script would need the scatter of all its
parts. A short document has one for every α at every fineness; a longer one for every α at the fineness of its setting,
and for every fineness at its α.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from chunking.standalone.controls import ALL_PAIRS, ALPHAS, FINENESSES, controls
from chunking.strategies import Segmentation, run
from chunking.strategies.changepoint import ChangepointParameters
from chunking.workspace import Workspace


def divided(workspace: Workspace, segmentation: Segmentation, *, pairs: bool = True) -> tuple[Segmentation, ...]:
    """Return the divisions that a page can show of a segmentation at change points; none of another one.

    Args:
        workspace: the document.
        segmentation: of it.
        pairs: whether a short document is divided at every α with every fineness.
    """
    params = segmentation.params
    movable = {each.name for each in controls(workspace, segmentation) if not each.reason}
    if not isinstance(params, ChangepointParameters) or not movable:
        return ()
    alphas = {*ALPHAS, params.alpha} if "alpha" in movable else {params.alpha}
    finenesses = {*FINENESSES, params.fineness} if "fineness" in movable else {params.fineness}
    settings = set(product(alphas, finenesses))
    if not pairs or len(workspace.sentences) > ALL_PAIRS:
        settings = {each for each in settings if params.alpha in each[:1] or params.fineness in each[1:]}
    return tuple(
        run("changepoint", workspace, replace(params, alpha=alpha, fineness=fineness))
        for alpha, fineness in sorted(settings)
    )
