"""Programming languages: their file names, and the roles of the nodes of their syntax trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from chunking.document import Document
from chunking.runtime.patterns import compile_pattern
from chunking.syntax.syntax import Syntax

_WORD = compile_pattern(r"\w+")

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """The roles of the nodes of a language.

    Attributes:
        definitions: node types of functions, classes and the like, with the word for each.
        imports: node types of imports and related statements (a package clause).
        import_text: pattern of the beginning of statements that import by a call or command.
        groups: node types that are transparent: their content counts as if it were outside.
        wrappers: node types that contain a definition with its additions.
        leading: node types that belong to the next node: comments, attributes, decorators.
        keywords: the language's own keyword of a definition, by node type, if it differs from the word above; other
            functions have none.
    """

    definitions: Mapping[str, str]
    imports: frozenset[str] = frozenset()
    import_text: re.Pattern[str] | None = None
    groups: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    keywords: Mapping[str, str] = field(default_factory=dict)


_SCRIPT_DEFINITIONS = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "class_declaration": "class",
    "method_definition": "function",
}
_TYPED_DEFINITIONS = _SCRIPT_DEFINITIONS | {
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "type_alias_declaration": "type",
    "internal_module": "namespace",
    "module": "namespace",
}
_SCRIPT_KEYWORDS = {"function_declaration": "function", "generator_function_declaration": "function"}
_REQUIRE = compile_pattern(r"(?:const|let|var)\s[^=]{0,200}=\s*require\s*\(")
_C_DEFINITIONS = {
    "function_definition": "function",
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "type_definition": "type",
}
_C_GROUPS = frozenset(
    {"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification", "declaration_list"}
)
_JAVASCRIPT = Grammar(
    definitions=_SCRIPT_DEFINITIONS,
    imports=frozenset({"import_statement"}),
    import_text=_REQUIRE,
    wrappers=frozenset({"export_statement"}),
    leading=frozenset({"comment", "decorator", "hash_bang_line"}),
    keywords=_SCRIPT_KEYWORDS,
)
_TYPESCRIPT = Grammar(
    definitions=_TYPED_DEFINITIONS,
    imports=frozenset({"import_statement", "import_alias"}),
    import_text=_REQUIRE,
    wrappers=frozenset({"export_statement", "ambient_declaration"}),
    leading=frozenset({"comment", "decorator", "hash_bang_line", "function_signature"}),
    keywords=_SCRIPT_KEYWORDS,
)

GRAMMARS: dict[str, Grammar] = {
    "python": Grammar(
        definitions={"function_definition": "function", "class_definition": "class"},
        imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
        wrappers=frozenset({"decorated_definition"}),
        keywords={"function_definition": "def"},
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": Grammar(
        definitions={
            "class_declaration": "class",
            "interface_declaration": "interface",
            "annotation_type_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "method_declaration": "function",
            "constructor_declaration": "function",
            "compact_constructor_declaration": "function",
        },
        imports=frozenset({"import_declaration", "package_declaration"}),
        groups=frozenset({"enum_body_declarations"}),
        leading=frozenset({"line_comment", "block_comment"}),
        keywords={"annotation_type_declaration": "@interface"},
    ),
    "go": Grammar(
        definitions={"function_declaration": "function", "method_declaration": "function", "type_declaration": "type"},
        imports=frozenset({"package_clause", "import_declaration"}),
        keywords={"function_declaration": "func", "method_declaration": "func"},
    ),
    "rust": Grammar(
        definitions={
            "function_item": "function",
            "struct_item": "struct",
            "union_item": "union",
            "enum_item": "enum",
            "trait_item": "trait",
            "impl_item": "impl",
            "mod_item": "module",
            "macro_definition": "macro",
        },
        imports=frozenset({"use_declaration", "extern_crate_declaration"}),
        leading=frozenset({"line_comment", "block_comment", "attribute_item", "inner_attribute_item"}),
        keywords={"function_item": "fn", "mod_item": "mod", "macro_definition": "macro_rules!"},
    ),
    "c": Grammar(
        definitions=_C_DEFINITIONS,
        imports=frozenset({"preproc_include"}),
        groups=_C_GROUPS,
        keywords={"type_definition": "typedef"},
    ),
    "cpp": Grammar(
        definitions=_C_DEFINITIONS | {"class_specifier": "class", "concept_definition": "concept"},
        imports=frozenset({"preproc_include", "import_declaration", "module_declaration"}),
        groups=_C_GROUPS | {"namespace_definition"},
        wrappers=frozenset({"template_declaration", "export_declaration"}),
        leading=frozenset({"comment", "access_specifier"}),
        keywords={"type_definition": "typedef"},
    ),
    "csharp": Grammar(
        definitions={
            "class_declaration": "class",
            "struct_declaration": "struct",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "record_struct_declaration": "record",
            "delegate_declaration": "delegate",
            "method_declaration": "function",
            "constructor_declaration": "function",
            "destructor_declaration": "function",
            "operator_declaration": "function",
            "conversion_operator_declaration": "function",
            "local_function_statement": "function",
        },
        imports=frozenset({"using_directive", "extern_alias_directive"}),
        groups=frozenset(
            {"namespace_declaration", "file_scoped_namespace_declaration", "declaration_list", "preproc_if"}
        ),
        wrappers=frozenset({"global_statement"}),
        leading=frozenset({"comment", "attribute_list", "preproc_region"}),
    ),
    "ruby": Grammar(
        definitions={
            "method": "function",
            "singleton_method": "function",
            "class": "class",
            "singleton_class": "class",
            "module": "module",
        },
        import_text=compile_pattern(r"(?:require|require_relative|load|autoload)\b"),
        keywords={"method": "def", "singleton_method": "def"},
    ),
    "php": Grammar(
        definitions={
            "function_definition": "function",
            "method_declaration": "function",
            "class_declaration": "class",
            "interface_declaration": "interface",
            "trait_declaration": "trait",
            "enum_declaration": "enum",
        },
        imports=frozenset({"namespace_use_declaration"}),
        import_text=compile_pattern(r"(?:require|include)(?:_once)?\b|namespace\s[^{]*;"),
        groups=frozenset({"namespace_definition", "compound_statement"}),
        leading=frozenset({"comment", "attribute_list", "php_tag"}),
        keywords={"function_definition": "function", "method_declaration": "function"},
    ),
    "bash": Grammar(
        definitions={"function_definition": "function"},
        import_text=compile_pattern(r"(?:source|\.)\s+\S"),
    ),
}
"""Supported languages, with the roles of their nodes."""

PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "python": (
        "Python",
        (
            ".py",
            ".pyi",
            ".pyw",
        ),
    ),
    "javascript": (
        "JavaScript",
        (
            ".js",
            ".mjs",
            ".cjs",
            ".jsx",
        ),
    ),
    "typescript": (
        "TypeScript",
        (
            ".ts",
            ".mts",
            ".cts",
        ),
    ),
    "tsx": ("TSX", (".tsx",)),
    "java": ("Java", (".java",)),
    "go": ("Go", (".go",)),
    "rust": ("Rust", (".rs",)),
    "c": ("C", (".c",)),
    "cpp": (
        "C++",
        (
            ".cpp",
            ".cc",
            ".cxx",
            ".c++",
            ".h",
            ".hh",
            ".hpp",
            ".hxx",
            ".h++",
            ".ipp",
            ".ino",
        ),
    ),
    "csharp": (
        "C#",
        (
            ".cs",
            ".csx",
        ),
    ),
    "ruby": (
        "Ruby",
        (
            ".rb",
            ".rake",
            ".gemspec",
            ".ru",
        ),
    ),
    "php": (
        "PHP",
        (
            ".php",
            ".phtml",
        ),
    ),
    "bash": (
        "Shell",
        (
            ".sh",
            ".bash",
            ".zsh",
            ".ksh",
            ".bats",
        ),
    ),
}
"""Title of each language, and the suffixes of its files."""

_SUFFIXES = {suffix: language for language, (_, suffixes) in PROGRAMS.items() for suffix in suffixes}
_INTERPRETERS = (
    ("python", "python"),
    ("node", "javascript"),
    ("deno", "typescript"),
    ("ruby", "ruby"),
    ("php", "php"),
    ("bash", "bash"),
    ("zsh", "bash"),
    ("ksh", "bash"),
    ("dash", "bash"),
    ("sh", "bash"),
)
_SHEBANG = compile_pattern(r"#![^\r\n]*")


def language_of(document: Document) -> str | None:
    """Return the language of a program, by its format, file suffix or first line; ``None`` if unknown."""
    if document.format in GRAMMARS:
        return document.format
    found = _SUFFIXES.get(PurePath(document.name).suffix.lower())
    shebang = _SHEBANG.match(document.text)
    if found is None and shebang:
        words = shebang.group().replace("/", " ").split()
        names = [word.rstrip("0123456789.") for word in words]
        found = next((language for name, language in _INTERPRETERS if name in names), None)
    return found


# Syntax trees ------------------------------------------------------------------------------------------------------

_FUNCTION_VALUES = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "class", "lambda"}
)
_MAX_NAME = 60
_MAX_WRAPPERS = 16  # one in the other


def rows_of(node: Node) -> tuple[int, int]:
    """Return the first and last line of a node, from 0."""
    first, last = node.start_point.row, node.end_point.row
    # A node that ends with a line ends at the beginning of the next one.
    return first, max(first, last - (node.end_point.column == 0))


def _is_class(node: Node) -> bool:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value is not None and value.type == "class"


def is_text(node: Node) -> bool:
    """Return whether a node is quoted text, whose parts are not statements."""
    return "string" in node.type or "heredoc" in node.type


@dataclass(frozen=True, eq=False)
class Program:
    """A parsed program with the roles of its nodes.

    Attributes:
        tree: the program.
        grammar: the roles of the nodes in its language.
    """

    tree: Syntax
    grammar: Grammar

    def imports(self, node: Node) -> bool:
        """Return whether a statement is an import."""
        if node.type in self.grammar.imports or (node.type == "mod_item" and not node.child_by_field_name("body")):
            return True
        text = self.tree.source[node.start_byte : node.start_byte + 300].decode("utf-8", "replace")
        return bool(self.grammar.import_text and self.grammar.import_text.match(text))

    def core(self, node: Node) -> tuple[Node | None, str]:
        """Return the definition that a node is or contains, and the word for it."""
        for _ in range(_MAX_WRAPPERS):
            if node.type not in self.grammar.wrappers:
                break
            inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
            inner = inner or next(
                (child for child in node.named_children if self._core_type(child) or self._value(child)), None
            )
            if inner is None:
                return None, ""
            node = inner
        if node.type == "mod_item" and not node.child_by_field_name("body"):
            return None, ""
        if node.type == "expression_statement" and node.named_child_count == 1:
            inner = node.named_children[0]
            if inner.type == "internal_module":
                return inner, "namespace"
        word = self._core_type(node)
        if word:
            return node, word
        value = self._value(node)
        return (value, "class" if _is_class(value) else "function") if value is not None else (None, "")

    def _core_type(self, node: Node) -> str:
        if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
            return ""
        return self.grammar.definitions.get(node.type, "")

    def _value(self, node: Node) -> Node | None:
        """Return the function or class bound to a name: ``const f = () => 1``, ``exports.f = function () {}``."""
        if node.type in ("lexical_declaration", "variable_declaration") and node.named_child_count == 1:
            node = node.named_children[0]
        elif node.type == "expression_statement" and node.named_child_count == 1:
            node = node.named_children[0]
            if node.type != "assignment_expression":
                return None
        elif node.type not in ("public_field_definition", "field_definition"):
            return None
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        return node if value is not None and value.type in _FUNCTION_VALUES else None

    def title(self, node: Node, word: str) -> str:
        """Return a definition in the notation of its language: ``def total``, ``impl Show for Cup``, ``total()``."""
        if node.type == "impl_item":
            body = node.child_by_field_name("body")
            end = body.start_byte if body is not None else node.end_byte
            return short(" ".join(self.tree.source[node.start_byte : end].decode("utf-8", "replace").split()))
        name = self.name(node)
        keyword = self.grammar.keywords.get(node.type, "" if word == "function" else word)
        return f"{keyword} {name}".strip() if keyword or not name else f"{name}()"

    def name(self, node: Node) -> str:
        """Return the name of a definition, with its type where the language writes it so; empty if it has none."""
        named = next(
            (
                found
                for key in ("name", "property", "left", "declarator", "type")
                if (found := node.child_by_field_name(key)) is not None
            ),
            None,
        )
        if named is None and node.type == "type_declaration":  # Go: the names are one level down
            spec = next((child for child in node.named_children if child.child_by_field_name("name")), None)
            named = spec.child_by_field_name("name") if spec is not None else None
        while named is not None and (inner := named.child_by_field_name("declarator")) is not None:
            named = inner
        if node.type == "type_definition":
            named = node.child_by_field_name("declarator")
        receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
        name = " ".join(self.tree.slice(named).split()) if named is not None else ""
        if receiver is not None:
            words = _WORD.findall(self.tree.slice(receiver).split("[")[0])
            name = f"{words[-1]}.{name}" if words else name
        return short(name)


def short(name: str) -> str:
    """Return a name, truncated if it is long."""
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"
