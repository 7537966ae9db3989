"""What the commands share."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from chunking import ChunkscopeError, strategies
from chunking.commands import options, several
from chunking.settings import SettingsFile


def test_every_option_is_declared_once(root: Path) -> None:
    """Two measures have a tolerance, each with a default of its own."""
    names = Counter([*options._OPTIONS])
    for path in (root / "chunking").rglob("*.py"):
        names.update(re.findall(r'add_argument\(\s*"([^"]+)"', path.read_text(encoding="utf-8")))
    assert names["-p"] == names["--top-k"] == 1
    assert {name for name, count in names.items() if count > 1} == {"--tolerance"}


def test_parameters_of_several_strategies_are_read_once() -> None:
    found = several.settings("sentence:overlap=2,structural", SettingsFile(), ["overlap=1", " max_tokens =64"])
    assert [setting.text for setting in found.values()] == [
        "sentence:overlap=2;max_tokens=64",
        "structural:overlap=1;max_tokens=64",
    ]
    with pytest.raises(ChunkscopeError, match="For sentence, e.g"):
        several.settings("sentence,structural", SettingsFile(), ["overlap"])


def test_shared_parameters_win_over_those_of_a_file() -> None:
    file = SettingsFile(strategies.parse_named("fine=structural:percentile=70;overlap=2,heading:level=1"))
    found = several.settings(None, file, ["overlap=1", "percentile=80"])
    assert {name: setting.text for name, setting in found.items()} == {
        "fine": "structural:percentile=80.0;overlap=1",
        "heading:level=1": "heading:level=1;overlap=1",
    }
    preset = several.settings(None, file, ["preset=reference"])
    assert preset["fine"].params == strategies.preset(strategies.get("structural"), "reference")
    assert preset["heading:level=1"].text == "heading:level=1"
    context = several.settings(None, file, ["embed=headings"], retrieval=True)
    assert [setting.context.embed for setting in context.values()] == ["headings"] * 2
    for params, said in ((["colour=red"], "None of the strategies"), (["embed=title"], "choice of retrieval")):
        with pytest.raises(ChunkscopeError, match=said):
            several.settings(None, file, params)
    with pytest.raises(ChunkscopeError, match="Give --method A,B"):
        several.settings(None, SettingsFile(), option="--method")
