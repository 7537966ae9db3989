"""What the README says of the shape of the code, held against the code."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = sorted(
    path.relative_to(Path(__file__).parent.parent) for path in (Path(__file__).parent.parent / "chunking").rglob("*.py")
)


HEAVY = [
    "streamlit",
    "torch",
    "spacy",
    "sentence_transformers",
    "pandas",
    "plotly",
    "pyarrow",
    "tree_sitter",
    "rapidfuzz",
    "langchain_core",
    "langchain_text_splitters",
    "langchain_experimental",
    "llama_index.core",
    "chonkie",
    "semchunk",
]


def test_the_engine_imports_no_streamlit_and_nothing_heavy(root: Path) -> None:
    # The adapters are for programs that use those libraries, and import them.
    own = [path for path in MODULES if path.name != "__main__.py" and path.parent.name != "adapters"]
    names = [str(path.with_suffix("")).replace("/", ".") for path in own]
    code = (
        f"import importlib, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_no_module_of_the_engine_names_streamlit_in_an_import(root: Path, path: Path) -> None:
    for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not [name for name in names if name.split(".")[0] in ("streamlit", "pages")]


def test_the_readme_begins_with_the_two_commands(root: Path) -> None:
    lines = [line.strip() for line in (root / "README.md").read_text(encoding="utf-8").splitlines() if line.strip()]
    assert lines[1].startswith("make run")
    assert lines[2].startswith("make test")


def test_every_page_goes_through_the_frame_first(root: Path) -> None:
    for path in (root / "pages").glob("*.py"):
        calls = [
            ast.unparse(node.value)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        ]
        assert calls[0] == f"frame.routed('pages/{path.name}')"


def test_markup_is_escaped_in_one_place(root: Path) -> None:
    """Only ``markup.py`` hands HTML to Streamlit, and nothing asks for unsafe HTML or shows text as Markdown."""
    for path in [*(root / "pages").rglob("*.py"), root / "app.py"]:
        source = path.read_text(encoding="utf-8")
        assert "unsafe_allow" not in source
        assert ("st.html(" in source) == (path.name == "markup.py"), path
        assert "st.markdown(" not in source
        assert "st.write(" not in source
        assert "st.toast(" not in source, "a toast is Markdown, and what it tells may come from a link"


OWNERS = {
    "st.session_state": {"pages/shared/state/session.py"},
    "st.query_params": {"pages/shared/state/address.py"},
    "st.switch_page": {"pages/shared/state/address.py", "pages/shared/frame/frame.py"},
}
"""What Streamlit keeps of a session, and the modules that alone touch it."""


@pytest.mark.parametrize("name", OWNERS)
def test_the_state_of_a_session_has_one_owner(root: Path, name: str) -> None:
    app = [path.relative_to(root) for path in [*(root / "pages").rglob("*.py"), root / "app.py"]]
    found = {path.as_posix() for path in app if name in {ast.unparse(node) for node in attributes(root / path)}}
    assert found == OWNERS[name]


def test_no_control_is_bound_to_the_address_by_streamlit(root: Path) -> None:
    """Streamlit would own that parameter too, and refuse to open a page with another value of it."""
    for path in (root / "pages").rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        assert not [call for call in calls if any(keyword.arg == "bind" for keyword in call.keywords)], path


def test_every_slot_of_the_session_has_a_key_of_its_own(root: Path) -> None:
    keys = [
        str(call.args[0].value)
        for path in (root / "pages").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "Slot"
        if isinstance(call.args[0], ast.Constant)
    ]
    assert len(keys) > 20
    assert sorted(keys) == sorted(set(keys))


def attributes(path: Path) -> list[ast.Attribute]:
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)]


def _room(module: str) -> str:
    """Return the folder that a module lies in, as far as rooms go: ``chunking.curves``, ``pages.shared.review``."""
    parts = module.split(".")
    return ".".join(parts[:3]) if parts[0] == "pages" and len(parts) > 2 else ".".join(parts[:2])


def test_no_room_imports_from_a_room_above_it(root: Path) -> None:
    """Arrows between rooms form no circle: a folder can be understood with what lies below it alone."""
    paths = [*(root / "chunking").rglob("*.py"), *(root / "pages").rglob("*.py")]
    names = [".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    modules = dict(zip(names, paths, strict=True))
    arrows: dict[str, set[str]] = {}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                found = [each if each in modules else node.module for each in inner]
            else:
                found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            rooms = {_room(each) for each in found if each in modules} - {"chunking", "pages.shared", _room(name)}
            arrows.setdefault(_room(name), set()).update(rooms)
    order: dict[str, bool] = {}

    def visit(room: str, way: tuple[str, ...]) -> None:
        assert room not in way, " -> ".join((*way[way.index(room) :], room))
        if not order.get(room):
            for below in sorted(arrows.get(room, ())):
                visit(below, (*way, room))
            order[room] = True

    for room in sorted(arrows):
        visit(room, ())
    assert len(order) > 30
