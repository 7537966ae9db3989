"""No text that a user reads uses a word that the glossary has retired."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from chunking import glossary
from tools import documentation

RETIRED = glossary.retired()
PATTERN = re.compile(
    "|".join(
        r"\b" + r"\s+".join(map(re.escape, word.split())) + r"\b" for word in sorted(RETIRED, key=len, reverse=True)
    ),
    re.IGNORECASE,
)
ROOT = Path(__file__).parent.parent

OLD_LINK = "# in old links"

COMMENT_OR_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""", re.DOTALL
)


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and value of every string literal, without docstrings; the parts of an f-string come as one."""
    tree, lines = ast.parse(source), source.splitlines()
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            skipped.update(map(id, parts))
            yield node.lineno, "".join(str(part.value) if part in parts else "{}" for part in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            if lines[node.lineno - 1].endswith(OLD_LINK):
                continue  # a title as former versions wrote it into links
            yield node.lineno, node.value


def javascript_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and content of every string and template literal outside comments."""
    for match in COMMENT_OR_STRING.finditer(source):
        if match["text"]:
            yield source.count("\n", 0, match.start()) + 1, match["text"][1:-1]


def is_prose(text: str) -> bool:
    """Return whether a string is text for people: several words, or one with a capital; keys and names are neither."""
    return " " in text.strip() or text[:1].isupper()


def find_retired(texts: Iterator[tuple[int, str]]) -> list[str]:
    """Return a line for each retired word in the prose among some texts."""
    return [
        f"line {line}: write {RETIRED[' '.join(match[0].lower().split())]!r} instead of {match[0]!r} in {text[:60]!r}"
        for line, text in texts
        if is_prose(text)
        for match in PATTERN.finditer(text)
    ]


def check_files(suffix: str, read_texts: Callable[[str], Iterator[tuple[int, str]]]) -> None:
    """Fail with every retired word in the files of the app, by file and line."""
    paths = sorted(path for folder in ("chunking", "pages") for path in (ROOT / folder).rglob(f"*{suffix}"))
    assert len(paths) > 20
    violations = [
        f"{path.relative_to(ROOT)}, {violation}"
        for path in paths
        for violation in find_retired(read_texts(path.read_text(encoding="utf-8")))
    ]
    assert not violations, "\n".join(violations)


def test_no_retired_word_in_python() -> None:
    check_files(".py", python_texts)


def test_no_retired_word_in_javascript() -> None:
    check_files(".js", javascript_texts)


def test_each_retired_word_would_be_found() -> None:
    missed = [
        (word, text)
        for word in RETIRED
        for read_texts, text in (
            (python_texts, f"note = 'Here {word} comes back.'"),
            (python_texts, f"note = f'{{count}} {word} {{count}}'"),
            (javascript_texts, f'const note = "Here {word} comes back.";'),
            (javascript_texts, f"const note = `${{count}} {word}, again`;"),
        )
        if not find_retired(read_texts(text))
    ]
    assert not missed


def test_what_nobody_reads_is_free() -> None:
    source = '"""It is told."""\n\ndef f():\n    """Less is better."""\n    return x["doubled"]  # what was asked\n'
    assert find_retired(python_texts(source)) == []
    assert find_retired(javascript_texts("// less is better\n/* drowned */ row.doubled = kinds['drowned'];")) == []


def test_a_phrase_that_is_split_over_lines_is_found() -> None:
    assert find_retired(python_texts('note = (\n    "an error: less "\n    "is better"\n)'))


def test_terms_are_sorted_defined_and_used_once() -> None:
    names = [name.lower().replace("α", "alpha") for name in glossary.TERMS if not name.startswith("(")]
    assert names == sorted(names)
    assert all(term.meaning.endswith(".") for term in glossary.TERMS.values())
    assert len(RETIRED) == sum(len(term.retired) for term in glossary.TERMS.values())


def test_no_definition_uses_a_retired_word() -> None:
    assert [name for name, term in glossary.TERMS.items() if PATTERN.search(term.meaning)] == []


def test_the_glossary_of_the_documentation_is_up_to_date() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert page == documentation.glossary_page(), "run: python -m tools.documentation"
