"""Programming languages: their file names, and the roles of the nodes of their syntax trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from chunking.document import Document
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import shorten, word_set
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


def _definitions(types: Mapping[str, str]) -> dict[str, str]:
    """Return the word for each node type, given the node types of each word."""
    return {type_: word for word, node_types in types.items() for type_ in node_types.split()}


_C_DEFINITIONS = _definitions(
    {
        "function": "function_definition",
        "struct": "struct_specifier",
        "union": "union_specifier",
        "enum": "enum_specifier",
        "type": "type_definition",
    }
)
_C_GROUPS = word_set("preproc_if preproc_ifdef preproc_else preproc_elif linkage_specification declaration_list")
_JAVASCRIPT = Grammar(
    definitions=_definitions(
        {
            "function": "function_declaration generator_function_declaration method_definition",
            "class": "class_declaration",
        }
    ),
    imports=word_set("import_statement"),
    import_text=compile_pattern(r"(?:const|let|var)\s[^=]{0,200}=\s*require\s*\("),
    wrappers=word_set("export_statement"),
    leading=word_set("comment decorator hash_bang_line"),
    keywords={"function_declaration": "function", "generator_function_declaration": "function"},
)
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    definitions={
        **_JAVASCRIPT.definitions,
        **_definitions(
            {
                "interface": "interface_declaration",
                "enum": "enum_declaration",
                "type": "type_alias_declaration",
                "namespace": "internal_module module",
                "class": "abstract_class_declaration",
            }
        ),
    },
    imports=word_set("import_statement import_alias"),
    wrappers=word_set("export_statement ambient_declaration"),
    leading=word_set("comment decorator hash_bang_line function_signature"),
)

GRAMMARS: dict[str, Grammar] = {
    "python": Grammar(
        definitions={"function_definition": "function", "class_definition": "class"},
        imports=word_set("import_statement import_from_statement future_import_statement"),
        wrappers=word_set("decorated_definition"),
        keywords={"function_definition": "def"},
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": Grammar(
        definitions=_definitions(
            {
                "interface": "interface_declaration annotation_type_declaration",
                "enum": "enum_declaration",
                "record": "record_declaration",
                "class": "class_declaration",
                "function": "method_declaration constructor_declaration compact_constructor_declaration",
            }
        ),
        imports=word_set("import_declaration package_declaration"),
        groups=word_set("enum_body_declarations"),
        leading=word_set("line_comment block_comment"),
        keywords={"annotation_type_declaration": "@interface"},
    ),
    "go": Grammar(
        definitions=_definitions({"function": "function_declaration method_declaration", "type": "type_declaration"}),
        imports=word_set("package_clause import_declaration"),
        keywords={"function_declaration": "func", "method_declaration": "func"},
    ),
    "rust": Grammar(
        definitions=_definitions(
            {
                "function": "function_item",
                "struct": "struct_item",
                "union": "union_item",
                "enum": "enum_item",
                "trait": "trait_item",
                "impl": "impl_item",
                "module": "mod_item",
                "macro": "macro_definition",
            }
        ),
        imports=word_set("use_declaration extern_crate_declaration"),
        leading=word_set("line_comment block_comment attribute_item inner_attribute_item"),
        keywords={"function_item": "fn", "mod_item": "mod", "macro_definition": "macro_rules!"},
    ),
    "c": Grammar(
        definitions=_C_DEFINITIONS,
        imports=word_set("preproc_include"),
        groups=_C_GROUPS,
        keywords={"type_definition": "typedef"},
    ),
    "cpp": Grammar(
        definitions=_C_DEFINITIONS | {"class_specifier": "class", "concept_definition": "concept"},
        imports=word_set("preproc_include import_declaration module_declaration"),
        groups=_C_GROUPS | {"namespace_definition"},
        wrappers=word_set("template_declaration export_declaration"),
        leading=word_set("comment access_specifier"),
        keywords={"type_definition": "typedef"},
    ),
    "csharp": Grammar(
        definitions=_definitions(
            {
                "struct": "struct_declaration",
                "interface": "interface_declaration",
                "enum": "enum_declaration",
                "record": "record_declaration record_struct_declaration",
                "delegate": "delegate_declaration",
                "function": "method_declaration constructor_declaration destructor_declaration operator_declaration "
                "conversion_operator_declaration local_function_statement",
                "class": "class_declaration",
            }
        ),
        imports=word_set("using_directive extern_alias_directive"),
        groups=word_set("namespace_declaration file_scoped_namespace_declaration declaration_list preproc_if"),
        wrappers=word_set("global_statement"),
        leading=word_set("comment attribute_list preproc_region"),
    ),
    "ruby": Grammar(
        definitions=_definitions(
            {"function": "method singleton_method", "module": "module", "class": "class singleton_class"}
        ),
        import_text=compile_pattern(r"(?:require|require_relative|load|autoload)\b"),
        keywords={"method": "def", "singleton_method": "def"},
    ),
    "php": Grammar(
        definitions=_definitions(
            {
                "function": "function_definition method_declaration",
                "interface": "interface_declaration",
                "trait": "trait_declaration",
                "enum": "enum_declaration",
                "class": "class_declaration",
            }
        ),
        imports=word_set("namespace_use_declaration"),
        import_text=compile_pattern(r"(?:require|include)(?:_once)?\b|namespace\s[^{]*;"),
        groups=word_set("namespace_definition compound_statement"),
        leading=word_set("comment attribute_list php_tag"),
        keywords={"function_definition": "function", "method_declaration": "function"},
    ),
    "bash": Grammar(
        definitions={"function_definition": "function"},
        import_text=compile_pattern(r"(?:source|\.)\s+\S"),
    ),
}
"""Supported languages, with the roles of their nodes."""

PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    language: (title, tuple(suffixes.split()))
    for language, title, suffixes in (
        ("python", "Python", ".py .pyi .pyw"),
        ("javascript", "JavaScript", ".js .mjs .cjs .jsx"),
        ("typescript", "TypeScript", ".ts .mts .cts"),
        ("tsx", "TSX", ".tsx"),
        ("java", "Java", ".java"),
        ("go", "Go", ".go"),
        ("rust", "Rust", ".rs"),
        ("c", "C", ".c"),
        ("cpp", "C++", ".cpp .cc .cxx .c++ .h .hh .hpp .hxx .h++ .ipp .ino"),
        ("csharp", "C#", ".cs .csx"),
        ("ruby", "Ruby", ".rb .rake .gemspec .ru"),
        ("php", "PHP", ".php .phtml"),
        ("bash", "Shell", ".sh .bash .zsh .ksh .bats"),
    )
}
"""Title of each language, and the suffixes of its files."""

_SUFFIXES = {suffix: language for language, (_, suffixes) in PROGRAMS.items() for suffix in suffixes}
_INTERPRETERS = {
    "python": "python", "node": "javascript", "deno": "typescript", "ruby": "ruby", "php": "php",
    **dict.fromkeys(("bash", "zsh", "ksh", "dash", "sh"), "bash"),
}  # fmt: skip
_SHEBANG = compile_pattern(r"#![^\r\n]*")


def language_of(document: Document) -> str | None:
    """Return the language of a program, by its format, file suffix or first line; ``None`` if unknown."""
    if document.format in GRAMMARS:
        return document.format
    language = _SUFFIXES.get(PurePath(document.name).suffix.lower())
    shebang = _SHEBANG.match(document.text)
    if language is None and shebang:
        names = [word.rstrip("0123456789.") for word in shebang.group().replace("/", " ").split()]
        language = next((language for name, language in _INTERPRETERS.items() if name in names), None)
    return language


# Syntax trees ------------------------------------------------------------------------------------------------------

_FUNCTION_VALUES = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "class", "lambda"}
)
_MAX_WRAPPERS = 16  # one in the other


def rows_of(node: Node) -> tuple[int, int]:
    """Return the first and last line of a node, from 0."""
    first, last = node.start_point.row, node.end_point.row
    # A node that ends with a line ends at the beginning of the next one.
    return first, max(first, last - (node.end_point.column == 0))


def first_field(node: Node, *names: str) -> Node | None:
    """Return the first of some fields that a node has."""
    return next((child for name in names if (child := node.child_by_field_name(name)) is not None), None)


def is_text(node: Node) -> bool:
    """Return whether a node is quoted text, whose parts are not statements."""
    return "string" in node.type or "heredoc" in node.type


def is_docstring(node: Node) -> bool:
    """Return whether a statement is only a string, like a documentation string in Python."""
    return (
        node.type == "expression_statement"
        and node.named_child_count == 1
        and node.named_children[0].type in ("string", "concatenated_string")
    )


def lines_between(left: Node, right: Node) -> int:
    """Return the lines from the end of a node to the start of another."""
    return right.start_point.row - rows_of(left)[1]


def body_of(core: Node) -> Node | None:
    """Return the body of a definition: its own, or that of the value or type that it names."""
    for key in ("body", "value", "right", "type"):
        inner = core.child_by_field_name(key)
        if inner is not None and key != "body":
            inner = inner.child_by_field_name("body")
        if inner is not None:
            return inner
    if core.type == "type_declaration":  # Go: one level down, and its body has no name
        spec = next((child for child in core.named_children if child.child_by_field_name("type")), None)
        kind = spec.child_by_field_name("type") if spec is not None else None
        return kind.named_children[-1] if kind is not None and kind.named_children else None
    return None


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
        owner = self._value(node)
        value = first_field(owner, "value", "right") if owner is not None else None
        return (owner, "class" if value is not None and value.type == "class" else "function") if owner else (None, "")

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
        value = first_field(node, "value", "right")
        return node if value is not None and value.type in _FUNCTION_VALUES else None

    def title(self, node: Node, word: str) -> str:
        """Return a definition in the notation of its language: ``def total``, ``impl Show for Cup``, ``total()``."""
        if node.type == "impl_item":
            body = node.child_by_field_name("body")
            end = body.start_byte if body is not None else node.end_byte
            return shorten(" ".join(self.tree.source[node.start_byte : end].decode("utf-8", "replace").split()))
        name = self.name(node)
        keyword = self.grammar.keywords.get(node.type, "" if word == "function" else word)
        return f"{keyword} {name}".strip() if keyword or not name else f"{name}()"

    def name(self, node: Node) -> str:
        """Return the name of a definition, with its type where the language writes it so; empty if it has none."""
        name_node = first_field(node, "name", "property", "left", "declarator", "type")
        if name_node is None and node.type == "type_declaration":  # Go: the names are one level down
            spec = next((child for child in node.named_children if child.child_by_field_name("name")), None)
            name_node = spec.child_by_field_name("name") if spec is not None else None
        while name_node is not None and (inner := name_node.child_by_field_name("declarator")) is not None:
            name_node = inner
        if node.type == "type_definition":
            name_node = node.child_by_field_name("declarator")
        receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
        name = " ".join(self.tree.slice(name_node).split()) if name_node is not None else ""
        if receiver is not None:
            words = _WORD.findall(self.tree.slice(receiver).split("[")[0])
            name = f"{words[-1]}.{name}" if words else name
        return shorten(name)
