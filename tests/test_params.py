from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, strategies
from chunking.params import Parameter, Parameters, Value, parameter
from chunking.strategies import REGISTRY, Strategy


@dataclass(frozen=True, kw_only=True)
class Tea(Parameters):
    heat: float = parameter(0.5, "Heat", "How hot.", minimum=0.0, maximum=1.0, step=0.1)
    leaves: int = parameter(3, "Leaves", "How many.", minimum=0, maximum=9, step=1)
    kind: str = parameter("green", "Kind", "Which.", choices=("green", "black"))
    extras: tuple[str, ...] = parameter((), "Extras", "What else.", choices=("milk", "honey"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("heat", 1.1),
        ("heat", float("nan")),
        ("heat", "warm"),
        ("heat", True),
        ("leaves", 2.5),
        ("leaves", -1),
        ("kind", "red"),
        ("kind", 3),
        ("extras", ("salt",)),
        ("extras", "milk"),
    ],
)
def test_values_out_of_bounds_are_refused_with_what_is_allowed(name: str, value: Value) -> None:
    with pytest.raises(ChunkscopeError) as caught:
        Tea(**{name: value})  # type: ignore[arg-type]
    assert name in caught.value.problem
    assert caught.value.remedy == f"Use {Tea.lookup(name).allowed}."


def test_texts_are_parsed_into_types() -> None:
    made = Tea.parse({"heat": "0.25", "leaves": "4", "kind": "black", "extras": "honey+milk"})
    assert made == Tea(heat=0.25, leaves=4, kind="black", extras=("milk", "honey"))
    assert isinstance(made.leaves, int)


@pytest.mark.parametrize("texts", [{"heat": "hot"}, {"leaves": "1e400"}, {"leaves": "nan"}, {"sugar": "1"}])
def test_bad_texts_are_refused(texts: dict[str, str]) -> None:
    with pytest.raises(ChunkscopeError):
        Tea.parse(texts)


def test_changed_names_only_what_is_not_default() -> None:
    assert Tea(leaves=3, kind="black").changed() == {"kind": "black"}


def valid(known: Parameter) -> st.SearchStrategy[Value]:
    if known.type == "choice":
        return st.sampled_from(known.choices)
    if known.type == "choices":
        return st.sets(st.sampled_from(known.choices)).map(lambda chosen: known.check(tuple(chosen)))
    assert known.minimum is not None
    assert known.maximum is not None
    if known.type == "integer":
        return st.integers(int(known.minimum), int(known.maximum))
    return st.floats(known.minimum, known.maximum)


@pytest.mark.parametrize("strategy", REGISTRY.values(), ids=lambda strategy: strategy.name)
@given(data=st.data())
def test_every_value_of_every_strategy_survives_being_written(strategy: Strategy, data: st.DataObject) -> None:
    for known in strategy.params.describe():
        value = data.draw(valid(known))
        assert known.parse(known.format(value)) == value


@pytest.mark.parametrize("strategy", REGISTRY.values(), ids=lambda strategy: strategy.name)
def test_every_strategy_is_documented(strategy: Strategy) -> None:
    row = strategies.describe(strategy)
    assert all(row[name] for name in ("name", "title", "family", "summary", "origin"))
    for name, known in row["params"].items():
        assert known["help"], name
        if known["type"] in ("number", "integer"):
            assert known["min"] <= known["default"] <= known["max"]
        else:
            assert set(known["choices"]) >= ({known["default"]} if isinstance(known["default"], str) else set())
    for preset in strategy.presets:
        assert strategies.parameters(strategy, {"preset": preset})


def test_a_preset_is_a_base_that_other_parameters_change() -> None:
    made = strategies.parameters(strategies.get("structural"), {"preset": "reference", "percentile": "90"})
    assert made.values() | {"alpha": 0.05, "percentile": 90.0, "structure": "reference", "block": 1} == made.values()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ChunkscopeError, match="Unknown strategy"):
        strategies.get("telepathy")
    with pytest.raises(ChunkscopeError, match="preset"):
        strategies.parameters(strategies.get("structural"), {"preset": "magic"})
    with pytest.raises(ChunkscopeError, match="preset"):
        strategies.parameters(strategies.get("whole"), {"preset": "default"})
