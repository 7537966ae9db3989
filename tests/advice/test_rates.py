"""The shown statement says what the table of measured rates says, and no more."""

from __future__ import annotations

import csv
from collections import defaultdict

import pytest

from chunking.advice import profile, rates
from chunking.advice.profile import Kind
from chunking.advice.rates import wilson

MEASURED = [kind for kind in profile.KINDS if kind not in profile.UNMEASURED]


def table(kind: Kind) -> list[dict[str, str]]:
    with rates.FILE.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["kind"] == kind]


def mean(rows: list[dict[str, str]], column: str) -> float:
    """The mean over sets of ten documents or more of the share of documents, in %."""
    errors, documents = defaultdict[str, float](float), defaultdict[str, int](int)
    for row in rows:
        errors[row["set"]] += float(row[column])
        documents[row["set"]] += int(row["documents"])
    counted = [name for name in errors if documents[name] >= 10] or list(errors)
    return 100 * (sum(errors[name] / documents[name] for name in counted) / len(counted))


@pytest.mark.parametrize("kind", MEASURED)
def test_the_statement_is_that_of_the_table(kind: Kind) -> None:
    rows, claim = table(kind), rates.claim(kind)
    assert rows, "a kind without a row is not measured"
    assert f"Error rate {mean(rows, 'advised'):.0f} %" in claim.text
    assert f"{sum(int(row['documents']) for row in rows):,} development documents" in claim.text
    for name, words in (("changepoint", "Always changepoint"), ("recursive", "recursive"), ("random", "candidate")):
        assert f"{words}: {mean(rows, name):.0f} %" in claim.text
    assert claim.error_rate == pytest.approx(mean(rows, "advised") / 100)
    assert len(claim.rates) == len(rows)


@pytest.mark.parametrize("kind", sorted(profile.UNMEASURED))
def test_a_kind_without_gold_claims_nothing(kind: Kind) -> None:
    assert rates.claim(kind).text.startswith("Not measured")
    assert not table(kind)


def test_the_maximum_that_was_measured_is_named() -> None:
    assert f"a maximum of {rates.MAXIMUM} tokens" in rates.claim("prose").text


def test_no_count_exceeds_the_documents() -> None:
    assert rates.read()
    for rate in rates.read():
        assert rate.documents > 0
        assert all(0 <= n <= rate.documents for n in (rate.advised, rate.changepoint, rate.recursive, rate.random))
        assert 0 <= rate.f1 <= 1 and 0 <= rate.second_f1 <= 1


def test_every_kind_has_a_ranking_and_a_title() -> None:
    assert set(profile.RANKINGS) == set(profile.TITLES) == set(profile.KINDS)


def test_wilson_gives_the_published_interval() -> None:
    low, high = wilson(5, 10)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10)[0] == 0.0 and wilson(10, 10)[1] == pytest.approx(1.0)


def test_the_table_is_read_as_it_is_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rates") / "rates.csv"
    rates.write(rates.read(), path)
    assert rates.read(path) == rates.read()
    assert path.read_bytes() == rates.FILE.read_bytes()
