"""What the wheel holds, and what a user who has installed it can do, far from the repository."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking import __version__
from tests.package.conftest import Environment

Make = Callable[[str], Environment]

NOTE = "# Tea\n\nBoil the water. Wait a little. Pour it.\n\n# Bread\n\nKnead the dough. Let it rest. Bake it.\n"


@pytest.fixture
def library(environment: Make) -> Environment:
    """The library alone."""
    made = environment("")
    (made.work / "note.md").write_text(NOTE, encoding="utf-8")
    return made


@pytest.fixture
def everything(environment: Make) -> Environment:
    """The library with the app, the models and the libraries to compare with."""
    made = environment("app,models,peers")
    (made.work / "note.md").write_text(NOTE, encoding="utf-8")
    return made


def test_the_wheel_holds_two_folders(wheel: Path, root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"chunking", "chunkscope", f"chunkscope-{__version__}.dist-info"}
    assert {"chunking/py.typed", "chunkscope/app.py", "chunkscope/.streamlit/config.toml"} <= set(names)
    assert f"chunkscope-{__version__}.dist-info/licenses/LICENSE" in names
    assert not [name for name in names if "__pycache__" in name or "secrets" in name]
    listed = subprocess.run(["git", "ls-files", "pages", "sample_docs"], cwd=root, capture_output=True, text=True)
    if listed.returncode == 0:
        assert {f"chunkscope/{name}" for name in listed.stdout.split()} <= set(names)


def test_the_library_alone_has_neither_streamlit_nor_torch(library: Environment) -> None:
    code = "from importlib.util import find_spec as f; print(f('streamlit'), f('torch'), f('spacy'), f('plotly'))"
    assert library.python(code) == "None None None None"
    code = "import sys, chunking; print(chunking.__file__, 'numpy' in sys.modules)"
    file, numpy = library.python(code).rsplit(" ", 1)
    assert Path(file).is_relative_to(library.folder)
    assert numpy == "False"


def test_the_command_splits_a_file(library: Environment) -> None:
    split = ("split", "note.md", "--strategy", "structural", "-p", "preset=unlimited")
    done = library.run("chunkscope", *split)
    assert done.returncode == 0, done.stderr
    chunks = [json.loads(line) for line in done.stdout.splitlines()]
    assert "".join(chunk["text"] for chunk in chunks) == NOTE
    assert len(chunks) > 1
    again = library.run("python", "-m", "chunking", *split)
    assert again.stdout == done.stdout


@pytest.mark.extended
def test_every_own_strategy_runs_with_the_library_alone(library: Environment) -> None:
    code = f"""
from chunking import REGISTRY, Models, DocumentAnalysis, from_text
workspace = DocumentAnalysis(from_text({NOTE!r}, "note.md"), Models("static"))
for strategy in REGISTRY.values():
    if strategy.installed():
        print(strategy.name, len(strategy.run(workspace, strategy.params()).chunks))
"""
    counts = dict(line.split() for line in library.python(code).splitlines())
    assert {"structural", "changepoint", "recursive", "section", "markdown"} <= counts.keys()
    assert all(int(count) > 0 for count in counts.values())


@pytest.mark.extended
def test_a_page_is_made_with_the_library_alone(library: Environment) -> None:
    done = library.run("chunkscope", "inspect", "note.md", "--output", "page.html")
    assert done.returncode == 0, done.stderr
    page = (library.work / "page.html").read_text(encoding="utf-8")
    assert "class Workbench " in page and ".wb-pane" in page


@pytest.mark.extended
def test_every_format_is_read_with_the_library_alone(library: Environment) -> None:
    files = {
        "a.md": NOTE,
        "a.html": "<h1>Tea</h1><p>Boil the water.</p>",
        "a.py": "def brew():\n    return 1\n",
        "a.json": '{"tea": "Boil the water."}',
        "a.yaml": "tea: Boil the water.\n",
        "a.csv": "tea,minutes\ngreen,2\n",
    }
    code = f"from chunking import load\nfor n, t in {files!r}.items(): print(load(t.encode(), n).format)"
    assert library.python(code).split() == ["markdown", "html", "python", "json", "yaml", "csv"]


@pytest.mark.extended
def test_the_samples_are_found(library: Environment) -> None:
    code = (
        "from chunking import Models, DocumentAnalysis, samples, split\n"
        "one = samples.load('harbour-report')\n"
        "assert one.sentences is not None\n"
        "vectors = DocumentAnalysis(one.document).vectors()\n"
        "print(samples.FOLDER, len(samples.names()), len(vectors))"
    )
    folder, samples, sentences = library.python(code).rsplit(" ", 2)
    assert Path(folder).is_relative_to(library.folder)
    assert int(samples) == 9
    assert int(sentences) > 50


@pytest.mark.extended
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ((), "app"),
        (("split", "note.md", "--strategy", "structural", "--encoder", "all-MiniLM-L6-v2"), "models"),
        (("split", "note.md", "--strategy", "structural", "--splitter", "kiwi"), "models"),
        (("split", "note.md", "--strategy", "whole", "--tokenizer", "all-MiniLM-L6-v2"), "models"),
        (("split", "note.md", "--strategy", "structural", "--splitter", "rules", "--encoder", "./model"), "models"),
        (("split", "note.md", "--strategy", "langchain_recursive"), "peers"),
        (("push", "note.md", "--to", "qdrant:store", "--collection", "notes"), "qdrant"),
        (("push", "note.md", "--to", "chroma:store", "--collection", "notes"), "chroma"),
        (("audit-store", "note.md", "--from", "postgresql://a@localhost/a", "--collection", "notes"), "pgvector"),
        (("split", "note.md", "--strategy", "whole", "--format", "parquet", "--output", "note.parquet"), "evaluation"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value) or "no command",
)
def test_what_the_library_alone_cannot_do_names_the_extra(
    library: Environment, words: tuple[str, ...], extra: str
) -> None:
    (library.work / "model").mkdir(exist_ok=True)
    (library.work / "model" / "modules.json").write_text("[]", encoding="utf-8")
    (library.work / "model" / "config.json").write_text("{}", encoding="utf-8")
    (library.work / "model" / "model.safetensors").write_bytes(b"")
    done = library.run("chunkscope", *words)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert f'pip install "chunkscope[{extra}]"' in done.stderr


@pytest.mark.extended
def test_the_library_alone_evaluates_a_search_by_words(library: Environment) -> None:
    questions = library.work / "questions"
    questions.mkdir(exist_ok=True)
    (questions / "docs.jsonl").write_text(json.dumps({"_id": "note", "text": NOTE}) + "\n", encoding="utf-8")
    question = {"_id": "q", "text": "How is tea made?", "doc_id": "note", "spans": [[7, 22]]}
    (questions / "queries.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    done = library.run(
        "chunkscope", "evaluate", "retrieval", "questions", "--strategies", "whole", "--retriever", "bm25"
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert json.loads(done.stdout)["strategies"]


_TYPED = """
from chunking import REGISTRY, Chunk, Document, Segmentation, Models, DocumentAnalysis, from_text, parse, split

document: Document = from_text("# Tea")
chunks: tuple[Chunk, ...] = split(document, "structural:alpha=0.3;max_tokens=512", Models(splitter="rules"))
result: Segmentation = parse("heading").run(DocumentAnalysis(document))
names: list[str] = [strategy.name for strategy in REGISTRY.values()]
print(chunks[0].start + 1, result.strategy.upper(), names)
"""


@pytest.mark.extended
def test_a_user_of_the_library_gets_its_types(library: Environment) -> None:
    script = library.work / "script.py"
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-executable",
        str(library.bin / "python"),
        str(script),
    ]
    # The types of packages that the library uses are not what is tried here.
    command += ["--follow-imports=silent", "--cache-dir", str(library.work / "mypy")]
    script.write_text(_TYPED, encoding="utf-8")
    good = subprocess.run(command, cwd=library.work, capture_output=True, text=True)
    assert good.returncode == 0, good.stdout + good.stderr
    script.write_text(_TYPED + "split(3)\nfrom chunking import splitt\n", encoding="utf-8")
    bad = subprocess.run(command, cwd=library.work, capture_output=True, text=True)
    assert "arg-type" in bad.stdout and "attr-defined" in bad.stdout, bad.stdout + bad.stderr


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["Python", "LangChain", "LlamaIndex"])
def test_exported_code_runs_from_the_installed_package(everything: Environment, kind: str) -> None:
    from chunking import DocumentAnalysis, Models, export, load, parse

    document = load(NOTE.encode(), "note.md")
    tools = Models("char-ngrams", splitter="rules")
    result = parse("structural:alpha=0.3;overlap=1").run(DocumentAnalysis(document, tools))
    script = everything.work / f"{kind}.py"
    script.write_text(export.CODE[kind](result, tools, "note.md"), encoding="utf-8")
    done = everything.run("python", script)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(result.chunks)


@pytest.mark.extended
@pytest.mark.browser
def test_the_command_opens_the_app(environment: Make) -> None:
    """Without models every page is drawn."""
    from tests.browser import server

    made = environment("app")
    assert made.python("from importlib.util import find_spec as f; print(f('torch'), f('spacy'))") == "None None"
    command = [str(made.bin / "chunkscope"), "app"]
    with server.serve_command(command, made.work, made.work, made.variables) as running, server.chromium() as browser:
        page = browser.new_page()
        page.goto(running.address)
        server.drawn(page)
        assert page.locator("[data-testid='stException']").count() == 0
        page.get_by_role("button", name="Add your own").click()
        (made.work / "note.md").write_text(NOTE, encoding="utf-8")
        page.locator("input[type=file]").first.set_input_files(made.work / "note.md")
        page.get_by_text("encoder: static").first.wait_for()
        page.keyboard.press("Escape")
        for name in ("Compare", "Tune", "Evaluate", "Review", "Collection", "Library"):
            page.get_by_role("link", name=name, exact=True).click()
            page.wait_for_url(f"**/{name.lower()}*")
            server.settled(page)
            assert page.locator("[data-testid='stException']").count() == 0, name
            assert not any(page.locator(".cs-problem").all_inner_texts()), name  # the desk has an empty one
