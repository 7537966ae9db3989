"""A setting as code: Python programs and lines for the command line that make the same chunks."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.document import Document
from chunking.embedding import MiniLM
from chunking.export.origin import setting_text
from chunking.loading import TEXT_FORMATS
from chunking.strategies.base import Segmentation
from chunking.strategies.setting import Setting
from chunking.workspace import Models

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only where code is shown

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["repr"] = repr
    return environment


def _render(template: str, **values: object) -> str:
    return _environment().get_template(f"{template}.py.jinja").render(values)


def python_code(segmentation: Segmentation, tools: Models, path: str) -> str:
    """Return a program that makes the same chunks from the file at ``path``."""
    return _program("python", "", segmentation, tools, path)


def _program(template: str, library: str, segmentation: Segmentation, tools: Models, path: str) -> str:
    """Return a program of a template for a document that is loaded as it was loaded, with its setting."""
    document = segmentation.document
    # Of a document whose text is not its file, the layout that loading found is in no text; edits are of one document.
    names = (f"{template}_rows", template) if document.origin or segmentation.edits else (template,)
    options = ", ".join(f"{name}={value!r}" for name, value in document.load_options)
    params = f", params=LoadParameters({options})" if options else ""
    adapter = {"setting": setting_text(segmentation), **_model_options(tools), "language": document.language}
    adapter |= {"format": document.format} if document.format in TEXT_FORMATS else {}
    return _render(
        next(name for name in names if (TEMPLATES / f"{name}.py.jinja").exists()),
        library=library,
        path=path,
        load_import="from chunking.loading import LoadParameters\n" if options else "",
        load_call=f"load(path.read_bytes(), path.name, language={document.language!r}{params})",
        strategy=segmentation.strategy,
        setting=setting_text(segmentation),
        params=type(segmentation.params),
        changed=segmentation.params.changed(),
        tools=_tools_arguments(tools),
        edits=segmentation.edits,
        adapter=adapter,
    )


CODE: dict[str, Callable[[Segmentation, Models, str], str]] = {
    "Python": python_code,
    "LangChain": partial(_program, "langchain", "LangChain"),
    "LlamaIndex": partial(_program, "llama_index", "LlamaIndex"),
    "Haystack": partial(_program, "haystack", "Haystack"),
    "Hugging Face": partial(_program, "hugging_face", "Hugging Face Datasets"),
}
"""What makes the program that a setting can be copied as, by what it is written for."""


def _tools_arguments(tools: Models) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _model_options(tools).items())


def _model_options(tools: Models) -> dict[str, Any]:
    """Return the tools that are not the usual ones."""
    usual = vars(Models()) | {"tokenizer": Models(tools.encoder).tokenizer}
    return {name: value for name, value in vars(tools).items() if value != usual[name]}


def retrieval_code(
    setting: Setting,
    tools: Models,
    method: str,
    folder: str = "documents",
    reranker: tuple[str, int] | None = None,
) -> str:
    """Return a program that searches the files of a folder as an evaluation of retrieval does.

    Args:
        setting: the strategy, with what is embedded for a chunk and returned for it.
        tools: encoder, tokenizer and sentence splitter.
        method: the way to search.
        folder: of the files.
        reranker: name of the cross-encoder that reads the first passages, and their number; ``None`` for none.
    """
    has_models = tools.retrieval_encoder == MiniLM.name or reranker is not None
    needs = ",".join(["models"] * has_models + ["evaluation"])
    needs += ",peers" * (setting.strategy.family == "peers")
    arguments = _tools_arguments(tools)
    return _render(
        "search", needs=needs, folder=folder, setting=setting.text, tools=arguments, method=method, reranker=reranker
    )


def command_line(segmentation: Segmentation, tools: Models, path: str) -> str:
    """Return the command that prints the same chunks from the file at ``path``.

    Edits by hand are in a settings file, so that the command names one.
    """
    if segmentation.edits:
        return settings_line("split", path)
    before, after = command_parts("split", segmentation, tools, path)
    return " ".join((before, *(f"-p {shlex.quote(pair)}" for pair in segmentation.params.pairs()), after))


def settings_line(command: str, path: str, *options: str) -> str:
    """Return the line of a command for the file at ``path`` with its settings file, which has its edits by hand too."""
    return shlex.join(["python", "-m", "chunking", command, _as_file(path), "--config", settings_name(path), *options])


def settings_name(path: str) -> str:
    """Return the name of the settings file of the document at ``path``."""
    return f"{Path(path).stem}-settings.toml"


def _as_file(path: str) -> str:
    """Return a path that is not taken for an option."""
    return f"./{path}" if path.startswith("-") else path


def command_parts(command: str, segmentation: Segmentation, tools: Models, path: str) -> tuple[str, str]:
    """Return what stands before and after the parameters of a strategy in the line of a command."""
    before = ["python", "-m", "chunking", command, _as_file(path), "--strategy", segmentation.strategy]
    options = [word for name, value in _model_options(tools).items() for word in (f"--{name}", value)]
    return shlex.join(before), shlex.join([*options, *_loading_words(segmentation.document)])


def _loading_words(document: Document) -> list[str]:
    """Return the options that load the document again as it was loaded."""
    return [
        "--language",
        document.language,
        *(word for name, value in document.load_options for word in (f"--{name}", value)),
    ]


def compare_line(
    settings: Sequence[str],
    tools: Models,
    path: str,
    document: Document,
    command: Sequence[str] = ("compare",),
    options: Sequence[str] = (),
) -> str:
    """Return the command that compares settings, each in one line, on the file at ``path``.

    Args:
        settings: each in one line.
        tools: the models.
        path: of the document.
        document: the document.
        command: the words of the command.
        options: further options.
    """
    words = ["python", "-m", "chunking", *command, _as_file(path), "--strategies", ",".join(settings)]
    for name, value in _model_options(tools).items():
        words += [f"--{name}", value]
    return shlex.join([*words, *_loading_words(document), *options])
