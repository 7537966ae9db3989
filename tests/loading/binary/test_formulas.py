"""Office Math as LaTeX."""

from __future__ import annotations

from importlib import import_module

import pytest

from chunking.loading.binary.formulas import latex

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def r(text: str, properties: str = "") -> str:
    return f"<m:r>{f'<m:rPr>{properties}</m:rPr>' if properties else ''}<m:t>{text}</m:t></m:r>"


def e(inner: str) -> str:
    return f"<m:e>{inner}</m:e>"


def d(inner: str, properties: str = "") -> str:
    return f"<m:d><m:dPr>{properties}</m:dPr>{e(inner)}</m:d>"


FORMULAS = {
    "signs": (r("α≤∞−Ω·𝑥∈ℝ"), r"\alpha\leq\infty-\Omega\cdot x\in\mathbb{R}"),
    "a command before a letter": (r("2πr"), r"2\pi r"),
    "escapes": (r("{5%}"), r"\{5\%\}"),
    "fraction": (f"<m:f><m:num>{r('a+b')}</m:num><m:den>{r('2')}</m:den></m:f>", r"\frac{a+b}{2}"),
    "fraction in a line": (
        f"<m:f><m:fPr><m:type m:val='lin'/></m:fPr><m:num>{r('a')}</m:num><m:den>{r('b')}</m:den></m:f>",
        "{a}/{b}",
    ),
    "powers and indices": (
        f"<m:sSubSup>{e(r('x'))}<m:sub>{r('i')}</m:sub><m:sup>{r('2')}</m:sup></m:sSubSup>",
        "x_{i}^{2}",
    ),
    "scripts before": (f"<m:sPre><m:sub>{r('6')}</m:sub><m:sup>{r('14')}</m:sup>{e(r('C'))}</m:sPre>", "{}_{6}^{14}C"),
    "brackets": (d(r("a")), r"\left( a \right)"),
    "brackets of one side": (
        d(r("x"), "<m:begChr m:val='{'/><m:endChr m:val=''/>"),
        r"\left\{ x \right.",
    ),
    "sum": (
        f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{r('n=1')}</m:sub><m:sup>{r('∞')}</m:sup>{e(r('n'))}"
        "</m:nary>",
        r"\sum_{n=1}^{\infty} n",
    ),
    "roots": (
        f"<m:rad><m:deg>{r('3')}</m:deg>{e(r('8'))}</m:rad><m:rad><m:radPr><m:degHide/></m:radPr><m:deg/>{e(r('2'))}"
        "</m:rad>",
        r"\sqrt[3]{8}\sqrt{2}",
    ),
    "function": (f"<m:func><m:fName>{r('sin')}</m:fName>{e(r('x'))}</m:func>", r"\sin x"),
    "limit": (
        f"<m:func><m:fName><m:limLow>{e(r('lim'))}<m:lim>{r('x→0')}</m:lim></m:limLow></m:fName>{e(r('y'))}</m:func>",
        r"\lim_{x\rightarrow 0} y",
    ),
    "accents": (
        f"<m:acc><m:accPr><m:chr m:val='&#x20d7;'/></m:accPr>{e(r('v'))}</m:acc>"
        f"<m:bar><m:barPr><m:pos m:val='top'/></m:barPr>{e(r('z'))}</m:bar>",
        r"\vec{v}\overline{z}",
    ),
    "matrix": (
        f"<m:m><m:mr>{e(r('1'))}{e(r('0'))}</m:mr><m:mr>{e(r('0'))}{e(r('1'))}</m:mr></m:m>",
        r"\begin{matrix} 1 & 0 \\ 0 & 1 \end{matrix}",
    ),
    "equations": (
        f"<m:eqArr>{e(r('x&amp;=1'))}{e(r('y&amp;=2'))}</m:eqArr>",
        r"\begin{aligned} x&=1 \\ y&=2 \end{aligned}",
    ),
    "words": (r("if x", "<m:nor/>"), r"\text{if x}"),
    "an element that is not known": (f"<m:new>{r('q')}</m:new>", "q"),
}


@pytest.mark.parametrize(("formula", "expected"), FORMULAS.values(), ids=FORMULAS)
def test_formulas_keep_signs_brackets_and_structure(formula: str, expected: str) -> None:
    root = import_module("lxml.etree").fromstring(f'<m:oMath xmlns:m="{M}">{formula}</m:oMath>')
    assert latex(root) == expected
