"""What the README says of the shape of the code, held against the code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

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


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def files_of_the_app(root: Path) -> list[Path]:
    return [*sorted((root / "pages").rglob("*.py")), root / "app.py"]


def check_files(root: Path, paths: list[Path], find: Callable[[Path], Iterator[tuple[int, str]]]) -> None:
    """Fail with what is found in any of the files: path, line and problem of each."""
    assert paths
    violations = [f"{path.relative_to(root)}:{line}: {problem}" for path in paths for line, problem in find(path)]
    assert not violations, "\n".join(violations)


def test_the_engine_imports_no_streamlit_and_nothing_heavy(root: Path) -> None:
    # The adapters are for programs that use those libraries, and import them.
    paths = [path.relative_to(root) for path in sorted((root / "chunking").rglob("*.py"))]
    own = [path for path in paths if path.name != "__main__.py" and path.parent.name != "adapters"]
    names = [str(path.with_suffix("")).replace("/", ".") for path in own]
    code = (
        f"import importlib, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_no_module_of_the_engine_names_streamlit_in_an_import(root: Path) -> None:
    def find(path: Path) -> Iterator[tuple[int, str]]:
        imports = (node for node in ast.walk(parse(path)) if isinstance(node, ast.Import | ast.ImportFrom))
        for node in imports:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                if name.split(".")[0] in ("streamlit", "pages"):
                    yield node.lineno, f"imports {name}"

    check_files(root, sorted((root / "chunking").rglob("*.py")), find)


COMPILES_ITSELF = {
    "chunking/runtime/patterns.py",
}
"""Modules that may call :mod:`re`."""


def test_one_module_compiles_the_patterns(root: Path) -> None:
    """A pattern that is compiled elsewhere is not held to linear time by ``tests/runtime/test_patterns.py``."""
    functions = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}

    def find(path: Path) -> Iterator[tuple[int, str]]:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom) and node.module == "re":
                yield node.lineno, "imports from re"
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {f"re.{name}" for name in functions}:
                yield node.lineno, f"calls {ast.unparse(node.func)} instead of compile_pattern"

    paths = sorted((root / "chunking").rglob("*.py"))
    check_files(root, [path for path in paths if path.relative_to(root).as_posix() not in COMPILES_ITSELF], find)


def test_the_readme_begins_with_the_two_commands(root: Path) -> None:
    lines = [line.strip() for line in (root / "README.md").read_text(encoding="utf-8").splitlines() if line.strip()]
    assert lines[1].startswith("make run")
    assert lines[2].startswith("make test")


def test_every_page_goes_through_the_frame_first(root: Path) -> None:
    def find(path: Path) -> Iterator[tuple[int, str]]:
        calls = [node for node in parse(path).body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
        if not calls:
            yield 1, "calls nothing"
        elif ast.unparse(calls[0]) != f"frame.require_app_frame('pages/{path.name}')":
            yield calls[0].lineno, f"begins with {ast.unparse(calls[0])}"

    check_files(root, sorted((root / "pages").glob("*.py")), find)


def test_markup_is_escaped_in_one_place(root: Path) -> None:
    """Only ``markup.py`` hands HTML to Streamlit, and nothing asks for unsafe HTML or shows text as Markdown."""
    forbidden = {
        "unsafe_allow": "asks for HTML that is not escaped",
        "st.html(": "is markup.py's alone",
        "st.markdown(": "shows text as Markdown",
        "st.write(": "shows text as Markdown",
        "st.toast(": "a toast is Markdown, and its text may come from a link",
    }

    def find(path: Path) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for word, reason in forbidden.items():
                if word in line and (word, path.name) != ("st.html(", "markup.py"):
                    yield number, f"{word} {reason}"

    check_files(root, files_of_the_app(root), find)
    (markup,) = (path for path in files_of_the_app(root) if path.name == "markup.py")
    assert "st.html(" in markup.read_text(encoding="utf-8")


OWNERS = {
    "st.session_state": {"pages/shared/state/session.py"},
    "st.query_params": {"pages/shared/state/address.py"},
    "st.switch_page": {"pages/shared/state/address.py", "pages/shared/frame/frame.py"},
}
"""What Streamlit keeps of a session, and the modules that alone touch it."""


def test_the_state_of_a_session_has_one_owner(root: Path) -> None:
    users: dict[str, set[str]] = {name: set() for name in OWNERS}

    def find(path: Path) -> Iterator[tuple[int, str]]:
        file = path.relative_to(root).as_posix()
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Attribute) and (name := ast.unparse(node)) in OWNERS:
                users[name].add(file)
                if file not in OWNERS[name]:
                    yield node.lineno, f"touches {name}"

    check_files(root, files_of_the_app(root), find)
    assert users == OWNERS


def test_no_control_is_bound_to_the_address_by_streamlit(root: Path) -> None:
    """Streamlit would own that parameter too, and refuse to open a page with another value of it."""

    def find(path: Path) -> Iterator[tuple[int, str]]:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Call) and any(keyword.arg == "bind" for keyword in node.keywords):
                yield node.lineno, "binds a control"

    check_files(root, sorted((root / "pages").rglob("*.py")), find)


def test_every_slot_of_the_session_has_a_key_of_its_own(root: Path) -> None:
    keys = [
        str(call.args[0].value)
        for path in (root / "pages").rglob("*.py")
        for call in ast.walk(parse(path))
        if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "SessionValue"
        if isinstance(call.args[0], ast.Constant)
    ]
    assert len(keys) > 20
    assert sorted(keys) == sorted(set(keys))


def _package(module: str) -> str:
    """Return the package that a module belongs to: ``chunking.signals``, ``pages.shared.review``."""
    parts = module.split(".")
    return ".".join(parts[:3]) if parts[0] == "pages" and len(parts) > 2 else ".".join(parts[:2])


def _imported_packages(root: Path) -> dict[str, set[str]]:
    """Return what each package of the library and of the app imports from others."""
    paths = [*(root / "chunking").rglob("*.py"), *(root / "pages").rglob("*.py")]
    names = [".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    modules = dict(zip(names, paths, strict=True))
    imports: dict[str, set[str]] = {}
    for name, path in modules.items():
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                imported = [module if module in modules else node.module for module in inner]
            else:
                imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            packages = {_package(module) for module in imported if module in modules}
            imports.setdefault(_package(name), set()).update(packages - {"chunking", "pages.shared", _package(name)})
    return imports


def test_no_packages_import_each_other_in_a_circle(root: Path) -> None:
    """A package can be understood with those alone that it imports."""
    imports = _imported_packages(root)
    visited: dict[str, bool] = {}

    def visit(package: str, path: tuple[str, ...]) -> None:
        assert package not in path, " -> ".join((*path[path.index(package) :], package))
        if not visited.get(package):
            for below in sorted(imports.get(package, ())):
                visit(below, (*path, package))
            visited[package] = True

    for package in sorted(imports):
        visit(package, ())
    assert len(visited) > 30


def _layers(root: Path) -> list[list[str]]:
    """Return the packages of each layer as the architecture shows them, from the lowest layer to the highest."""
    layers: list[list[str]] = []
    for line in (root / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r" +│ (\w*) +│ (.*?) *│", line):
            layers += [[]] if match[1] else []
            layers[-1] += match[2].split(" · ")
    return layers[:0:-1]


def test_the_picture_of_the_layers_is_what_the_imports_are(root: Path) -> None:
    """Each package of the library has a layer, and imports nothing from a higher one."""
    layers = _layers(root)
    level = {f"chunking.{name}": number for number, names in enumerate(layers) for name in names}
    children = (path for path in (root / "chunking").iterdir() if not path.name.startswith("_"))
    packages = {f"chunking.{path.stem}" for path in children if path.suffix == ".py" or any(path.glob("*.py"))}
    assert level.keys() == packages
    assert sum(map(len, layers)) == len(level)
    upwards = [
        f"{package} -> {imported}"
        for package, imports in _imported_packages(root).items()
        if package in level
        for imported in imports
        if level.get(imported, 99) > level[package]
    ]
    assert not upwards


def test_no_assert_decides_what_happens(root: Path) -> None:
    """``python -O`` leaves asserts out: those of the app only tell the type checker that something is there."""

    def find(path: Path) -> Iterator[tuple[int, str]]:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Assert) and (node.msg is not None or not is_narrowing(node.test)):
                yield node.lineno, "an assert that guards"

    def is_narrowing(test: ast.expr) -> bool:
        if isinstance(test, ast.BoolOp):
            return all(map(is_narrowing, test.values))
        if isinstance(test, ast.Compare):
            return isinstance(test.ops[0], ast.IsNot) and is_place(test.left)
        return (is_place(test) and not isinstance(test, ast.Name)) or ast.unparse(test) == "stream"

    def is_place(test: ast.expr) -> bool:
        return isinstance(test, ast.Name | ast.Attribute)

    check_files(root, [*sorted((root / "chunking").rglob("*.py")), *files_of_the_app(root)], find)


def test_no_limit_of_time_follows_the_clock(root: Path) -> None:
    """A clock that jumps ends no parser and no job, and lets none run on."""
    of_the_clock = {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today"}

    def find(path: Path) -> Iterator[tuple[int, str]]:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                yield node.lineno, "imports from time"
            if isinstance(node, ast.Attribute) and ast.unparse(node) in of_the_clock:
                yield node.lineno, f"names {ast.unparse(node)} instead of time.monotonic"

    folders = ("chunking/isolation", "chunking/work", "pages/shared/server")
    check_files(root, [path for folder in folders for path in sorted((root / folder).rglob("*.py"))], find)
