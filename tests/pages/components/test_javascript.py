"""The scripts of the components, held against Python and run by Node.js, which only the tests need."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.reference.events import ACTIONS, Event
from chunking.reference.state import review
from pages.shared.components import messages
from pages.shared.components.base import modules, pack
from tests.examples import examples
from tests.pages.conftest import Ask

COMPONENTS = Path(messages.__file__).parent
ENTRIES = sorted(path for path in COMPONENTS.glob("**/*.js") if "\nexport default " in path.read_text(encoding="utf-8"))


def test_the_modules_do_what_their_tests_say(node: str, root: Path) -> None:
    """All in one process: `npm test`, which starts one for each file, takes three times as long."""
    modules = sorted((root / "tests" / "js").glob("*.test.js"))
    assert modules
    program = "".join(f"await import({path.as_uri()!r});" for path in modules)
    command = [node, "--input-type=module", "--eval", program]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


def test_every_module_links_in_the_tree_that_browsers_get(node: str, tmp_path: Path) -> None:
    """An import of a name that a module does not export would end a component."""
    scripts = [path for path in modules.tree().files if path.endswith(".js")]
    for path in scripts:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(modules.tree().files[path].content)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    media = "{ matches: false, addEventListener() {} }"
    program = f"globalThis.window = globalThis; globalThis.matchMedia = () => ({media});" + "".join(
        f"await import('./{path}');" for path in scripts
    )
    command = [node, "--input-type=module", "--eval", program]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]


def test_every_component_has_a_script() -> None:
    assert len(ENTRIES) == 12


def test_the_types_of_messages_are_those_of_python() -> None:
    """The scripts are checked against this file, and the wrappers against the types that it is made from."""
    written = messages.FILE.read_text(encoding="utf-8")
    assert written == messages.declarations(), "run: python -m pages.shared.components.messages"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.text(max_size=20),
    whole=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9),
    floats=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=9),
    small=st.binary(max_size=9),
)
def test_a_message_is_read_as_it_was_packed(
    ask: Ask, words: str, whole: list[int], floats: list[float], small: bytes
) -> None:
    body = {
        "words": words,
        "deep": [{"whole": np.array(whole, dtype=np.int64)}],
        "floats": np.array(floats, dtype=np.float64),
        "bytes": np.frombuffer(small, dtype=np.uint8),
    }
    message = base64.b64encode(pack({"document": words}, body)).decode()
    read = ask("unpack", bytes=message)
    assert read["head"]["document"] == words
    assert read["body"]["words"] == words
    assert read["body"]["deep"] == [{"whole": ["Int32Array", *whole]}]
    kind, *numbers = read["body"]["floats"]
    assert (kind, [float(number) for number in numbers]) == ("Float32Array", floats)
    assert read["body"]["bytes"] == ["Uint8Array", *small]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Event], int]:
    """The events of a reviewer as a desk makes them, where undo names the last that counts, and how many are stored."""
    events: list[Event] = []
    live: list[str] = []
    places = st.integers(1, 6)
    for number in range(draw(st.integers(0, 25))):
        action = draw(st.sampled_from(ACTIONS))
        token = f"{number:032x}"
        if action == "undo":
            if not live:
                continue
            events.append(Event(token, "text", "Ada", "undo", 0, undoes=live.pop()))
            continue
        target = draw(places) if action == "move" else None
        note = draw(st.sampled_from(["", "why"])) if action != "complete" else ""
        offset = 0 if action == "complete" else draw(places)
        events.append(Event(token, "text", "Ada", action, offset, target=target, note=note))
        live.append(token)
    return events, draw(st.integers(0, len(events)))


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories())
def test_the_desk_counts_events_as_the_database_does(ask: Ask, history: tuple[list[Event], int]) -> None:
    """What is stored comes as what counts of it, then what is not confirmed, as the desk sees them."""
    events, stored = history
    known = review(events)
    seen = [*review(events[:stored]).history, *events[stored:]]
    rows = [[event.token, event.action, event.offset, event.target, event.note, event.undoes] for event in seen]
    state = ask("reduced", rows=rows)
    assert dict(map(tuple, state["votes"])) == known.votes
    assert [offset for offset, _ in state["verdicts"]] == list(known.judgements)
    assert {offset: note for offset, note in state["notes"] if note} == dict(known.notes)
    assert state["complete"] == known.complete
    assert state["last"] == known.undoable
