"""Learned weights, made by ``make boundaries``: mean, spread, and log-odds of one spread."""

from __future__ import annotations

from chunking.evidence.terms import LearnedTerm, NumberTerms

WORDING: dict[str, LearnedTerm] = {
    "shared_words": LearnedTerm(0.0902545, 0.118813, -0.096),
    "shared_words_3": LearnedTerm(0.148316, 0.0897676, -0.106),
    "shared_words_6": LearnedTerm(0.168027, 0.0706761, -0.204),
    "new_words": LearnedTerm(-0.023697, 0.256679, 0.092),
    "left_length": LearnedTerm(4.69866, 0.977624, 0.286),
    "next_length": LearnedTerm(4.67635, 0.978619, 0.071),
    "question": LearnedTerm(0.157857, 0.262064, 0.0),
    "answer": LearnedTerm(0.151751, 0.261107, 0.0),
    "introduced": LearnedTerm(0.0464701, 0.181147, -0.322),
    "introduced_before": LearnedTerm(0.0458826, 0.18074, -0.11),
    "connective": LearnedTerm(0.0864621, 0.28391, -0.153),
    "marker": LearnedTerm(0.0225428, 0.236264, 0.107),
    "markup": LearnedTerm(0.0593264, 0.237309, -0.215),
    "after_markup": LearnedTerm(0.0594307, 0.23725, 0.022),
    "list_item": LearnedTerm(0.0955379, 0.222335, -0.055),
    "list_goes_on": LearnedTerm(0.0697755, 0.165065, 0.021),
    "container": LearnedTerm(0.000168637, 0.00912855, -0.022),
    "symbols": LearnedTerm(0.0436078, 0.113753, 0.154),
    "digits": LearnedTerm(0.0102999, 0.0416289, -0.153),
    "capitals": LearnedTerm(0.0410437, 0.0704068, -0.037),
    "lines": LearnedTerm(0.342317, 0.494136, -0.015),
    "short_right": LearnedTerm(0.0880178, 0.306025, -0.378),
    "short_left": LearnedTerm(0.0861033, 0.305368, 0.168),
}
"""By the name of a measurement of :mod:`chunking.structure.wording`."""

HABITS: dict[str, LearnedTerm] = {
    "question": LearnedTerm(0.157857, 0.262064, 0.285),
    "answer": LearnedTerm(0.151751, 0.261107, -0.229),
}
"""Of texts in which questions open a part: the measurements that have no weight above."""

SCALES: dict[str, LearnedTerm] = {
    "rise_2": LearnedTerm(0.00185143, 0.889074, 0.107),
    "rise_3": LearnedTerm(0.00418592, 0.894226, 0.04),
    "rise_5": LearnedTerm(0.0066093, 0.900171, 0.049),
    "rise_8": LearnedTerm(0.00496841, 0.913155, 0.141),
    "rise_12": LearnedTerm(0.00287744, 0.920299, 0.15),
    "peak_1": LearnedTerm(-0.510653, 1.11688, 0.274),
    "peak_2": LearnedTerm(-0.916815, 1.05318, 0.15),
    "peak_3": LearnedTerm(-1.10658, 1.01694, 0.164),
    "peak_5": LearnedTerm(-1.2961, 0.990406, 0.093),
}
"""By the name of a measurement of :mod:`chunking.curves.scales`."""

NUMBER = NumberTerms(-1.642, 0.82, -0.826, 0.637)
