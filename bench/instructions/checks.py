"""What must hold after an edit. A check is a function of the trees before and after; it returns what is wrong, or None."""

import re

from .tree import is_comment, walk


def _of(name, look):
    """A check of one definition: `look(tree, definition)` says what is wrong."""
    def check(_, after):
        definition = after.find(name)
        return f"{name} is gone" if definition is None else look(after, definition)
    return check


def body(name, has=(), lacks=()):
    """The definition's code, without comments, has and lacks what the patterns match."""
    def look(tree, definition):
        return _compare(f"{name}", tree.code(definition.node), has, lacks)
    return _of(name, look)


def signature(name, has=(), lacks=()):
    def look(tree, definition):
        return _compare(f"the signature of {name}", tree.signature(definition), has, lacks)
    return _of(name, look)


def file(has=(), lacks=()):
    """The same of the whole text, without comments."""
    def check(_, after):
        return _compare("the file", after.code(after.root), has, lacks)
    return check


def text(has=(), lacks=()):
    """The same, comments included."""
    def check(_, after):
        return _compare("the text", after.text, has, lacks)
    return check


def _compare(what, found, has, lacks):
    for pattern in [has] if isinstance(has, str) else has:
        if not re.search(pattern, found, re.MULTILINE):
            return f"{what} lacks {pattern}"
    for pattern in [lacks] if isinstance(lacks, str) else lacks:
        if re.search(pattern, found, re.MULTILINE):
            return f"{what} has {pattern}"
    return None


def count(pattern, at_least=0, at_most=1 << 20):
    """How often the file's code has what the pattern matches."""
    def check(_, after):
        n = len(re.findall(pattern, after.code(after.root), re.MULTILINE))
        return None if at_least <= n <= at_most else f"{pattern} is there {n} times"
    return check


def nodes(name, kind, at_least=0, at_most=1 << 20):
    """How many nodes of a type the definition has."""
    def look(tree, definition):
        n = sum(node.type == kind for node in walk(definition.node))
        return None if at_least <= n <= at_most else f"{name} has {n} nodes of type {kind}"
    return _of(name, look)


def renamed(name, old, new):
    """Within the definition the name `old` is `new` everywhere, as often as it was there."""
    def check(before, after):
        was, now = before.find(name), after.find(name)
        if now is None:
            return f"{name} is gone"
        if _names(after, now.node).count(old):
            return f"{name} still has {old}"
        n, wanted = _names(after, now.node).count(new), _names(before, was.node).count(old)
        return None if n == wanted else f"{name} has {new} {n} times, not {wanted}"
    return check


def _names(tree, node):
    return [tree.text_of(each) for each in walk(node) if each.type.endswith("identifier") and not each.children]


def docstring(name):
    """Python: the first statement of the body is a text that says something."""
    def look(tree, definition):
        first = next((each for each in tree.body(definition).children if not is_comment(each)), None)
        if first is None or first.type != "expression_statement" or first.children[0].type != "string":
            return f"{name} has no docstring"
        return None if len(tree.text_of(first).strip("\"' \n")) >= 10 else f"the docstring of {name} says nothing"
    return _of(name, look)


def documented(name, has=()):
    """A comment of at least 10 letters stands directly above the definition, with what the patterns match."""
    def look(tree, definition):
        above = "\n".join(tree.lines[definition.first:definition.node.start_point[0]])
        if len(re.findall(r"\w", above)) < 10:
            return f"no comment above {name}"
        return _compare(f"the comment above {name}", above, has, ())
    return _of(name, look)


def annotated(name):
    """Python: every parameter but self has a type, and the definition a result type."""
    def look(tree, definition):
        for parameter in definition.node.child_by_field_name("parameters").named_children:
            plain = parameter.type in {"identifier", "default_parameter", "list_splat_pattern", "dictionary_splat_pattern"}
            if plain and tree.text_of(parameter) not in {"self", "cls"}:
                return f"{tree.text_of(parameter)} of {name} has no type"
        return None if definition.node.child_by_field_name("return_type") else f"{name} has no result type"
    return _of(name, look)
