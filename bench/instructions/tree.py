"""What the checks ask of a text: its definitions, imports, comments and syntax errors, by tree-sitter's own grammars."""

import dataclasses
import functools
import importlib
import re

import tree_sitter

# Node types by language: what defines a name, what only qualifies the names within, what wraps a definition, what imports.
_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "cpp": ("tree_sitter_cpp", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
}
_JAVASCRIPT = {"function_declaration", "generator_function_declaration", "class_declaration", "method_definition"}
_DEFINITIONS = {
    "python": {"function_definition", "class_definition"},
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT | {"abstract_class_declaration", "interface_declaration", "type_alias_declaration",
                                 "enum_declaration"},
    "cpp": {"function_definition", "class_specifier", "struct_specifier", "enum_specifier"},
    "go": {"function_declaration", "method_declaration", "type_spec"},
    "rust": {"function_item", "struct_item", "enum_item", "trait_item", "mod_item", "type_item", "macro_definition"},
}
_WRAPPERS = {"decorated_definition", "export_statement", "template_declaration", "type_declaration", "lexical_declaration",
             "variable_declaration"}
_IMPORTS = {"import_statement", "import_from_statement", "preproc_include", "import_declaration", "use_declaration"}
_ATTRIBUTES = {"attribute_item", "inner_attribute_item"}
_FUNCTION_VALUES = {"arrow_function", "function_expression"}


@functools.lru_cache(maxsize=None)
def _parser(language):
    module, name = _GRAMMARS[language]
    grammar = getattr(importlib.import_module(module), name)()
    return tree_sitter.Parser(tree_sitter.Language(grammar))


@dataclasses.dataclass
class Definition:
    name: str  # qualified: "Retrying.call"
    node: tree_sitter.Node
    first: int  # lines, with the comments, decorators and attributes directly above
    last: int


@functools.lru_cache(maxsize=4)
def parsed(language, text):
    return Tree(language, text)


def is_comment(node):
    return "comment" in node.type


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


class Tree:
    def __init__(self, language, text):
        self.language, self.text = language, text
        self.root = _parser(language).parse(text.encode()).root_node
        self.lines = text.split("\n")
        self.definitions = list(self._definitions(self.root, ""))
        self.errors = sum(node.is_error or node.is_missing for node in walk(self.root))

    def find(self, name):
        """The definition of that qualified name, or None. With an overloaded name: the last."""
        found = [each for each in self.definitions if each.name == name]
        return found[-1] if found else None

    def text_of(self, node):
        return node.text.decode()

    def code(self, node):
        """Its text without comments."""
        pieces, at = [], node.start_byte
        source = self.root.text
        for each in walk(node):
            if is_comment(each) and each.start_byte >= at:
                pieces.append(source[at:each.start_byte])
                at = each.end_byte
        return b"".join([*pieces, source[at:node.end_byte]]).decode()

    def comments(self):
        """How many there are, and docstrings."""
        return sum(is_comment(node) or node.type == "expression_statement" and node.children[0].type == "string"
                   for node in walk(self.root))

    def body(self, definition):
        node = definition.node
        if node.type == "variable_declarator":
            node = node.child_by_field_name("value")
        return node.child_by_field_name("body")

    def signature(self, definition):
        """Everything of a definition but its body, on one line."""
        body = self.body(definition)
        end = body.start_byte if body else definition.node.end_byte
        return re.sub(r"\s+", " ", self.root.text[definition.node.start_byte:end].decode())

    def import_lines(self):
        lines = set()
        for node in walk(self.root):
            if node.type in _IMPORTS or self._requires(node):
                lines.update(range(node.start_point[0], node.end_point[0] + 1))
        return lines

    def imported(self):
        """The identifiers of imports, and those of everything else."""
        lines = self.import_lines()
        within, elsewhere = set(), set()
        for node in walk(self.root):
            if node.type.endswith("identifier") and not node.children:
                (within if node.start_point[0] in lines else elsewhere).add(self.text_of(node))
        return within, elsewhere

    def _requires(self, node):
        return (self.language == "javascript" and node.type in {"lexical_declaration", "variable_declaration"}
                and node.parent.type == "program" and "= require(" in self.text_of(node))

    def _definitions(self, node, scope):
        for child in node.children:
            name = self._name(child)
            if name is None:
                yield from self._definitions(child, scope)
            else:
                qualified = f"{scope}.{name}" if scope else name
                if child.type != "impl_item":
                    yield self._definition(qualified, child)
                yield from self._definitions(child, qualified)

    def _definition(self, name, node):
        outer = node
        while outer.parent is not None and outer.parent.type in _WRAPPERS and outer.parent.start_point[0] <= outer.start_point[0]:
            outer = outer.parent
        first = outer.start_point[0]
        above = outer.prev_sibling
        while above is not None and (is_comment(above) or above.type in _ATTRIBUTES) and _last_line(above) == first - 1:
            if above.prev_sibling is not None and _last_line(above.prev_sibling) == above.start_point[0]:
                break  # a comment behind something else
            first = above.start_point[0]
            above = above.prev_sibling
        return Definition(name, node, first, outer.end_point[0])

    def _name(self, node):
        if node.type == "variable_declarator":
            value = node.child_by_field_name("value")
            return self._field(node, "name") if value is not None and value.type in _FUNCTION_VALUES else None
        if self.language == "rust" and node.type == "impl_item":
            return re.sub(r"<.*", "", self._field(node, "type") or "", flags=re.DOTALL)
        if node.type not in _DEFINITIONS[self.language]:
            return None
        if self.language == "cpp" and node.type == "function_definition":
            return self._cpp_function(node)
        if self.language == "cpp" and node.child_by_field_name("body") is None:
            return None  # mentioned only
        name = self._field(node, "name")
        receiver = re.search(r"(\w+)\s*\)$", self._field(node, "receiver") or "")
        return f"{receiver.group(1)}.{name}" if receiver else name

    def _cpp_function(self, node):
        inner = node.child_by_field_name("declarator")
        while inner is not None and inner.type != "function_declarator":
            inner = next((each for each in inner.children if each.type.endswith("_declarator")), None)
        return self._field(inner, "declarator") if inner is not None else None

    def _field(self, node, field):
        child = node.child_by_field_name(field)
        return None if child is None else self.text_of(child)


def _last_line(node):
    """Of a comment that includes its line feed (Rust's `///`) the line before."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row
