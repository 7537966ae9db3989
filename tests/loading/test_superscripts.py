"""Superscripts and subscripts in plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.loading.superscripts import MAX_LENGTH, Script, convert_scripts, fold_scripts, join_scripts


def written(text: str) -> str:
    """A text in which ``^{…}``, ``_{…}`` and ``@{…}`` are superscripts, subscripts and references to notes."""
    runs: list[tuple[str, Script]] = []
    signs: dict[str, Script] = {"^": "super", "_": "sub", "@": "note"}
    first, *others = text.split("{")
    script, before = signs.get(first[-1:], ""), first
    runs.append((before[:-1] if script else before, ""))
    for part in others:
        words, _, rest = part.partition("}")
        runs.append((words, script))
        script = signs.get(rest[-1:], "")
        runs.append((rest[:-1] if script else rest, ""))
    return join_scripts(runs)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10^{-3} m, 10^{−3} m, s^{–1}", "10⁻³ m, 10⁻³ m, s⁻¹"),
        ("x^{2}, E=mc^{2}, 5 cm^{2}, sin^{2} y, (a+b)^{2}, χ^{2}", "x², E=mc², 5 cm², sin² y, (a+b)², χ²"),
        ("H_{2}O, x_{i}, x_{ij}, log_{10} y", "H₂O, xᵢ, xᵢⱼ, log₁₀ y"),
        ("Ca^{2+}, Na^{+}, SO_{4}^{2−}, ^{14}C", "Ca²⁺, Na⁺, SO₄²⁻, ¹⁴C"),
        ("x^{i+1}, 2^{n}, e^{ix}, A^{T}", "xⁱ⁺¹, 2ⁿ, eⁱˣ, Aᵀ"),
        ("R^{1} or OR^{9}, M_{v}M^{b}_{w}", "R¹ or OR⁹, MᵥMᵇ_w"),
        ("x^{1/2}, x_{i,j}, V_{max}, x_{q}", "x^(1/2), x_(i,j), V_max, x_q"),
    ],
)
def test_numbers_and_formulas_have_characters_of_their_own_where_all_of_theirs_do(text: str, expected: str) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the method^{12} is", "the method[12] is"),
        ("the method.^{1,2} It", "the method.[1,2] It"),
        ("it was^{12} so^{1}^{–}^{3}", "it was[12] so[1–3]"),
        ("the x@{2} of a word @{3}.", "the x[2] of a word [3]."),
        ("Ada^{a,b,*}, Total^{a}, Grace^{†}", "Ada[a,b,*], Total[a], Grace†"),
        ("as known^{[4]}, paid ^{(1)}_{(2)}", "as known[4], paid (1)(2)"),
        ("方法^{2}", "方法[2]"),
        ("known@{citation needed}", "knowncitation needed"),
    ],
)
def test_a_reference_to_a_note_does_not_run_into_its_word(text: str, expected: str) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1^{st}, 19^{e}, XIX^{e}, M^{me}, n^{o} 1^{a}", "1st, 19e, XIXe, Mme, nº 1ª"),
        ("Teapot^{TM} and Prices^{New}", "Teapot™ and Prices New"),
        ("^{1}Department of Tea", "1 Department of Tea"),
        ("^{1} Department", "1 Department"),
        ("@{1} See there", "1 See there"),
        ("^{All of it}", "All of it"),
        (f"x^{{{'2' * (MAX_LENGTH + 1)}}}", "x" + "2" * (MAX_LENGTH + 1)),
    ],
)
def test_letters_and_labels_above_the_line_stay_plain(text: str, expected: str) -> None:
    assert written(text) == expected


@given(st.lists(st.tuples(st.text("a1 2,[x-–²", max_size=4), st.sampled_from(["", "super", "sub", "note"]))))
def test_no_character_is_lost(runs: list[tuple[str, Script]]) -> None:
    added = str.maketrans({**dict.fromkeys("[]()^_ ", ""), "–": "-"})
    before = fold_scripts("".join(text for text, _ in runs)).translate(added)
    assert fold_scripts(join_scripts(runs)).translate(added) == before
    assert len(convert_scripts(runs)) == len(runs)
