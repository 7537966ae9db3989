"""Agreement of two segmentations of the same units, and of random cuts.

A segmentation of *n* units (sentences) is an ascending int64 array of gap numbers in ``[0, n − 1)``: gap *g* lies
between unit *g* and unit *g + 1*. A segmentation without a boundary is an empty array.

| measure | kind | best | symmetric |
|---|---|---|---|
| :func:`boundary_f1` | similarity, 0 to 1 | 1 | yes (precision and recall change places) |
| boundary similarity, of Fournier (2013), as segeval with ``n_t`` 2 | similarity, 0 to 1 | 1 | yes |
| WindowDiff, of Pevzner and Hearst (2002), as segeval | error, 0 to 1 | 0 | no: the window is of the reference |
| Pk, of Beeferman, Berger and Lafferty (1999), as segeval | error, 0 to 1 | 0 | no: the window is of the reference |

Two segmentations without any boundary agree perfectly (similarity 1, error 0); where only one has boundaries, both
similarities are 0. Fewer than two units have no gap, so there is nothing to disagree on. Of two units, where segeval
finds no window, the one gap is the window. No measure is ever NaN.

None of these alone shows whether two strategies agree: with many cuts, many coincide by chance.
So :func:`agreement_matrix` also gives each value for random cuts of the same sizes, and the
chance-corrected agreement.
"""

from chunking.comparison.agreement.chance import (
    AgreementMatrix,
    Chance,
    agreement_matrix,
    chance,
    corrected,
    random_cuts,
)
from chunking.comparison.agreement.measures import NEAR, boundary_f1, dense_rows, match_boundaries, window_size
from chunking.comparison.agreement.metrics import METRICS, Metric, get_metric

__all__ = [
    "METRICS",
    "NEAR",
    "AgreementMatrix",
    "Chance",
    "Metric",
    "agreement_matrix",
    "boundary_f1",
    "chance",
    "corrected",
    "dense_rows",
    "get_metric",
    "match_boundaries",
    "random_cuts",
    "window_size",
]
