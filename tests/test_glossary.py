"""The glossary: which heading names which term, and that no two terms have one name."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from chunking import glossary, strategies
from chunking.report import html

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("heading", "term"),
    [
        ("Boundaries", "boundary"),
        ("chunks", "chunk"),
        ("F1", "boundary F1"),
        ("F1 ±1", "boundary F1 with tolerance"),
        ("B", "boundary similarity"),
        ("(none)", "none"),
        ("cuts/ref.", "cuts per reference boundary"),
        ("nDCG@10", "nDCG"),
        ("R@10", "recall"),
        ("recall@1000", "recall within a budget"),
        ("recall within 1,000 tokens", "recall within a budget"),
        ("κ", "kappa"),
        ("Stable boundaries", "stable boundary"),
    ],
)
def test_a_heading_names_its_term(heading: str, term: str) -> None:
    found = glossary.find(heading)
    assert found is not None
    assert found.name == term


@pytest.mark.parametrize("words", ["", "structural", "line", "cl100k_base", "Community garden", "@10"])
def test_other_words_name_none(words: str) -> None:
    assert glossary.find(words) is None


def test_the_weight_of_the_distances_has_one_definition() -> None:
    assert strategies.get("structural").params.lookup("alpha").help == glossary.define("α")


def test_no_two_terms_share_a_name() -> None:
    names = [words.casefold() for term in glossary.TERMS.values() for words in (term.name, *term.also)]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_every_term_that_a_script_marks_is_defined() -> None:
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.js"))
    marked = re.findall(r"termed\((?:.*\)|\w+), \"([^\"]+)\"\)", scripts)
    tables = re.findall(r"const TERM\w* = \{(.*?)\}", scripts, re.DOTALL)
    marked += [term for table in tables for term in re.findall(r": \"([^\"]+)\"", table)]
    assert len(marked) >= 11
    assert set(marked) <= set(glossary.TERMS)


def test_words_are_explained_as_text_and_only_where_a_term_is_meant() -> None:
    assert html.explained("<b>") == "&lt;b&gt;"
    explained = html.explained("Pk")
    assert 'data-term="Pk"' in explained
    assert html.text(glossary.define("Pk")) in explained
    assert 'data-term="reference"' in html.explained("true & false", "reference")
    with pytest.raises(KeyError):
        html.explained("Pk", "no such term")


@pytest.mark.parametrize("term", glossary.TERMS.values(), ids=lambda term: term.name)
def test_a_definition_is_one_sentence_and_its_formula_stands_apart(term: glossary.Term) -> None:
    assert term.meaning.endswith(".")
    assert not re.search(r"[.:] [A-ZΑ]", term.meaning.replace("Cohen's", "cohen's"))
    assert not re.search(r"[÷·=Σ]", term.meaning)
    assert not term.formula.endswith(".")
    assert term.definition.startswith(term.meaning) and term.formula in term.definition
