"""MathML as LaTeX."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.loading import mathml


def mi(text: str) -> str:
    return f"<mi>{text}</mi>"


def mo(text: str) -> str:
    return f"<mo>{text}</mo>"


def mn(text: str) -> str:
    return f"<mn>{text}</mn>"


def row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


FORMULAS = {
    "quadratic": (
        row(mi("x"), mo("="))
        + f"<mfrac>{row(mo('−'), mi('b'), mo('±'))[:-7]}<msqrt><msup>{mi('b')}{mn('2')}</msup>{mo('−')}{mn('4')}"
        f"{mo('⁢')}{mi('a')}{mi('c')}</msqrt></mrow>{row(mn('2'), mi('a'))}</mfrac>",
        r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}",
    ),
    "sum": (
        f"<munderover>{mo('∑')}{row(mi('n'), mo('='), mn('1'))}{mi('∞')}</munderover>{mi('n')}",
        r"\sum_{n=1}^{\infty}n",
    ),
    "power of a group": (f"<msup>{row(mi('a'), mi('b'))}{mn('2')}</msup>", "{ab}^{2}"),
    "power of brackets": (f"<msup>{row(mo('('), mi('a'), mo(')'))}{mn('2')}</msup>", "(a)^{2}"),
    "both scripts": (f"<msubsup>{mi('x')}{mi('i')}{mn('2')}</msubsup>", "x_{i}^{2}"),
    "scripts before": (
        f"<mmultiscripts>{mi('C')}{mn('1')}<none/><mprescripts/>{mn('6')}{mn('14')}</mmultiscripts>",
        "{}_{6}^{14}C_{1}",
    ),
    "root": (f"<mroot>{mn('8')}{mn('3')}</mroot>", r"\sqrt[3]{8}"),
    "accents": (f"<mover>{mi('x')}{mo('¯')}</mover><munder>{mi('y')}{mo('¯')}</munder>", r"\bar{x}\underline{y}"),
    "limit": (f"<munder>{mo('lim')}{row(mi('x'), mo('→'), mn('0'))}</munder>{mi('y')}", r"\lim_{x\rightarrow 0}y"),
    "above a word": (f"<mover>{mo('=')}{mi('def')}</mover>", r"\overset{\mathrm{def}}{=}"),
    "fences": (f"<mfenced open='[' separators=';'>{mi('a')}{mi('b')}</mfenced>", r"\left[ a;b \right)"),
    "matrix": (
        f"<mtable><mtr><mtd>{mn('1')}</mtd><mtd>{mn('0')}</mtd></mtr><mtr><mtd>{mi('a')}</mtd></mtr></mtable>",
        r"\begin{matrix} 1 & 0 \\ a \end{matrix}",
    ),
    "words and fonts": (
        f"<mtext>if </mtext><mi mathvariant='double-struck'>R</mi>{mi('Re')}{mi('sin')}{mi('x')}",
        r"\text{if}\mathbb{R}\mathrm{Re}\sin x",
    ),
    "signs": (row(mn("2"), mi("π"), mi("r"), mo("&lt;"), mi("ℝ")), r"2\pi r<\mathbb{R}"),
    "what is not shown": (f"<semantics>{mi('x')}<annotation>y</annotation></semantics><mphantom>z</mphantom>", "x"),
    "binomial": (f"<mfrac linethickness='0'>{mi('n')}{mi('k')}</mfrac>", r"\genfrac{}{}{0pt}{}{n}{k}"),
    "broken": (f"<mfrac>{mn('1')}</mfrac><msup/><mmultiscripts/>", r"\frac{1}{}"),
}


@pytest.mark.parametrize(("markup", "expected"), FORMULAS.values(), ids=FORMULAS)
def test_formulas_keep_signs_and_structure(markup: str, expected: str) -> None:
    root = mathml.parse(f"<math xmlns='http://www.w3.org/1998/Math/MathML'>{markup}</math>")
    assert mathml.latex(root) == expected


def test_a_formula_without_end_is_not_followed() -> None:
    assert mathml.parse("<math>" + "<mrow>" * 100_000) is None


TAGS = ("mi", "mo", "mn", "mrow", "mfrac", "msqrt", "mroot", "msup", "msubsup", "munder", "munderover", "mmultiscripts",
        "mprescripts", "mtable", "mtr", "mtd", "mfenced", "menclose", "mspace", "span", "semantics")  # fmt: skip


@given(st.lists(st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "x", "∑", "&lt;"])))
def test_whatever_the_markup_it_is_read(parts: list[str]) -> None:
    root = mathml.parse(f"<math>{''.join(parts)}</math>")
    assert root is None or isinstance(mathml.latex(root), str)


@pytest.mark.parametrize(
    "name", ["msup", "msub", "msubsup", "mmultiscripts", "munder", "mover", "munderover", "mfrac", "mroot", "menclose"]
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_part_is_read_once_however_deep_it_is(monkeypatch: pytest.MonkeyPatch, name: str, place: int) -> None:
    read: list[str] = []
    identifier = mathml._READERS["mi"]

    def counted(element: Any) -> str:
        read.append(element.text)
        return identifier(element)

    monkeypatch.setitem(mathml._READERS, "mi", counted)
    inner = mi("x")
    for _ in range(10):
        children = [inner, mn("2")] if place == 0 else [mn("2"), inner]
        inner = f"<{name}>{''.join(children)}</{name}>"
    root = mathml.parse(f"<math>{inner}</math>")
    assert root is not None
    assert "x" in mathml.latex(root)
    assert read == ["x"]
