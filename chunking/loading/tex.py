"""Characters of formulas as LaTeX, for the formulas of all formats.

Letters with a style of their own (``𝑥``, ``ℝ``) become plain letters with a command; Greek letters, signs and function
names become commands. What has no equivalent keeps its characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

FUNCTIONS = word_set(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min Pr sec sin sinh sup tan tanh"
)
_SIGNS = dict(
    pair.split("=", 1)
    for pair in word_set(
        r"±=\pm ∓=\mp ×=\times ÷=\div ⋅=\cdot ·=\cdot ∗=* ∘=\circ •=\bullet ≤=\leq ≥=\geq ≠=\neq ≈=\approx ≡=\equiv "
        r"∼=\sim ≃=\simeq ≅=\cong ∝=\propto ≪=\ll ≫=\gg ∞=\infty ∂=\partial ∇=\nabla √=\surd ∑=\sum ∏=\prod ∐=\coprod "
        r"∫=\int ∬=\iint ∭=\iiint ∮=\oint ⋃=\bigcup ⋂=\bigcap ⋁=\bigvee ⋀=\bigwedge ∈=\in ∉=\notin ∋=\ni ⊂=\subset "
        r"⊃=\supset ⊆=\subseteq ⊇=\supseteq ∪=\cup ∩=\cap ∖=\setminus ∅=\emptyset ∀=\forall ∃=\exists ¬=\neg ∧=\wedge "
        r"∨=\vee ⊕=\oplus ⊗=\otimes ⊥=\perp ∥=\parallel ∠=\angle →=\rightarrow ←=\leftarrow ↔=\leftrightarrow "
        r"⇒=\Rightarrow ⇐=\Leftarrow ⇔=\Leftrightarrow ↦=\mapsto ↑=\uparrow ↓=\downarrow …=\ldots ⋯=\cdots ⋮=\vdots "
        r"⋱=\ddots ℏ=\hbar ℓ=\ell ′=' ″='' ‴=''' −=- ∣=| ‖=\| ⟨=\langle ⟩=\rangle 〈=\langle 〉=\rangle ⌊=\lfloor "
        r"⌋=\rfloor ⌈=\lceil ⌉=\rceil ϵ=\epsilon ε=\varepsilon ϕ=\phi φ=\varphi ϑ=\vartheta ϱ=\varrho ς=\varsigma "
        r"ϖ=\varpi \=\backslash {=\{ }=\} #=\# $=\$ %=\% &=\& _=\_"
    )
)
"""LaTeX of a sign."""

ACCENTS = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline",
    "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot", "\u030c": "check", "\u20d6": "overleftarrow",
    "\u20d7": "vec", "\u20db": "dddot", "^": "hat", "~": "tilde", "¯": "bar", "→": "vec",
}  # fmt: skip
FONTS = {"double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak", "black-letter": "mathfrak"}
_COMMAND_END = compile_pattern(r"\\[A-Za-z]++\Z")
_GREEK = compile_pattern("GREEK (SMALL|CAPITAL) LETTER ([A-Z]{2,8})")
_LATIN_CAPITALS = frozenset(("alpha", "beta", "epsilon", "zeta", "eta", "iota", "kappa", "mu", "nu", "omicron", "rho",
                             "tau", "chi"))  # fmt: skip
"""Greek letters whose capitals LaTeX has no command for, since they look like Latin ones."""


def join(parts: Iterable[str]) -> str:
    """Join parts; a command that ends before a letter is followed by a space."""
    pieces: list[str] = []
    for part in parts:
        if part and pieces and part[0].isalnum() and _COMMAND_END.search(pieces[-1][-40:]):
            pieces.append(" ")
        if part:
            pieces.append(part)
    return "".join(pieces)


def signs(text: str) -> str:
    """Return the LaTeX of characters."""
    return join(map(sign, text))


@lru_cache(maxsize=4_096)
def sign(char: str) -> str:
    """Return the LaTeX of a character."""
    if char in _SIGNS:
        return _SIGNS[char]
    name = unicodedata.name(char, "").lower()
    plain = unicodedata.normalize("NFKC", char) if "mathematical" in name or "double-struck" in name else char
    font = next((command for word, command in FONTS.items() if word in name), "")
    if plain != char and len(plain) == 1:
        return f"\\{font}{{{plain}}}" if font else sign(plain)
    greek = _GREEK.fullmatch(name.upper())
    if not greek:
        return char
    size, letter = greek[1], greek[2].lower().replace("lamda", "lambda")
    if letter == "omicron" or (size == "CAPITAL" and letter in _LATIN_CAPITALS):
        return char
    return f"\\{letter if size == 'SMALL' else letter.capitalize()}"
