"""spaCy's pipelines for other languages: a tiny one is built as a package on a temporary path."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import from_text
from chunking.sentences import (
    KIWI,
    LANGCHAIN,
    RULES,
    SPACY,
    SPLITTERS,
    check_splitter,
    default_splitter,
    is_splitter,
    spacy_models,
    split,
    splitters,
)

INIT = """
from pathlib import Path
from spacy.util import load_model_from_init_py

def load(**overrides):
    return load_model_from_init_py(__file__, **overrides)
"""


def build(folder: Path, package: str, component: str | None) -> None:
    """A pipeline package as ``spacy package`` lays it out, that learnt two German sentences by heart."""
    import spacy
    from spacy.training import Example

    language = package.split("_")[0]
    model = spacy.blank(language)
    model.add_pipe("tagger").add_label("X")  # type: ignore[attr-defined]
    if component:
        pipe = model.add_pipe(component)
        words = ["Das", "geht", "nicht", "Er", "bleibt", "hier"]
        heads, deps = [1, 1, 1, 4, 4, 4], ["sb", "ROOT", "ng", "sb", "ROOT", "mo"]
        annotations = {"words": words, "sent_starts": [1, 0, 0, 1, 0, 0], "tags": ["X"] * 6}
        if component == "parser":
            annotations |= {"heads": heads, "deps": deps}
            for label in deps:
                pipe.add_label(label)  # type: ignore[attr-defined]
        example = Example.from_dict(model.make_doc(" ".join(words)), annotations)
        optimizer = model.initialize(lambda: [example])
        for _ in range(15):
            model.update([example], sgd=optimizer)
    else:
        model.initialize()
    inner = folder / package / f"{package}-1.0.0"
    model.meta.update({"name": package.removeprefix(f"{language}_"), "version": "1.0.0"})
    inner.parent.mkdir()
    model.to_disk(inner)
    (folder / package / "__init__.py").write_text(INIT)
    (folder / package / "meta.json").write_text(json.dumps({**model.meta, "lang": language}))


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    build(folder, "de_core_news_sm", "parser")
    build(folder, "de_core_news_md", "senter")
    build(folder, "fr_core_news_sm", None)
    (folder / "es_core_news_sm").mkdir()
    (folder / "es_core_news_sm" / "__init__.py").write_text("import a_package_that_is_not_there\n")
    (folder / "pt_core_news_sm").mkdir()
    (folder / "pt_core_news_sm" / "__init__.py").write_text(INIT)
    (folder / "de_core_news_lg").mkdir()  # a folder, and no package
    return folder


@pytest.fixture
def installed(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(packages))
    spacy_models.pipelines.cache_clear()
    spacy_models._load_model.cache_clear()
    yield
    spacy_models.pipelines.cache_clear()
    spacy_models._load_model.cache_clear()
    for name in [name for name in sys.modules if name.startswith(("de_core_", "fr_core_", "es_core_", "pt_core_"))]:
        del sys.modules[name]


GERMAN = "Das geht nicht Er bleibt hier"


@pytest.mark.usefixtures("installed")
def test_an_installed_pipeline_is_offered_and_never_the_default() -> None:
    assert splitters("de") == (RULES, "spacy/de_core_news_md", "spacy/de_core_news_sm", LANGCHAIN)
    assert default_splitter("de") == RULES
    assert split(from_text("Eins. Zwei.", language="de")).splitter == RULES


def test_what_makes_sense_without_further_pipelines() -> None:
    spacy_models.pipelines.cache_clear()
    assert splitters("en") == (RULES, SPACY, LANGCHAIN)
    assert splitters("ko") == (KIWI, RULES, LANGCHAIN)
    assert splitters("th") == (RULES, LANGCHAIN)
    assert set(splitters("und")) == set(SPLITTERS)
    assert splitters("../x") == (RULES, LANGCHAIN)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("size", ["sm", "md"])
def test_a_pipeline_splits_its_language(size: str) -> None:
    """One with a parser, and one with a recogniser of sentences alone; a line ends where the second sentence begins."""
    text = GERMAN.replace(" Er", "\nEr")
    found = split(from_text(text, format="text", language="de"), f"spacy/de_core_news_{size}")
    assert found.texts == ("Das geht nicht", "Er bleibt hier")
    assert found.splitter == f"spacy/de_core_news_{size}"
    assert "tagger" not in spacy_models._load_model(found.splitter).component_names


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("package", "says"),
    [
        ("fr_core_news_sm", "does not find sentences"),
        ("es_core_news_sm", "needs a_package_that_is_not_there, which is not installed"),
        ("pt_core_news_sm", "cannot be loaded"),
        ("it_core_news_sm", "is not installed. Install it"),
    ],
)
def test_a_pipeline_that_cannot_be_used(package: str, says: str) -> None:
    with pytest.raises(ChunkscopeError, match=says):
        split(from_text("Un. Deux.", language="fr"), f"spacy/{package}")


@pytest.mark.parametrize(
    "name", ["spacy/de_dep_news_trf", "spacy/os", "spacy/../x", "spacy/", "spacy/xx_core_web_huge", ""]
)
def test_names_that_are_none(name: str) -> None:
    assert not is_splitter(name)
    with pytest.raises(ChunkscopeError, match="Unknown sentence splitter"):
        check_splitter(name)


def test_pipelines_are_found_without_importing_spacy(packages: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(packages)!r})
from chunking.sentences import splitters
print(splitters("de")[1], "spacy" in sys.modules, "de_core_news_md" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "spacy/de_core_news_md False False"
