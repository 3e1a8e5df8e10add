"""Models in several GGUF files: NAME-00001-of-00003.gguf and so on. The first part names the model."""

import re

MAX_PARTS = 1000
_NAME = re.compile(r"(.+)-([0-9]{5})-of-([0-9]{5})(\.gguf)", re.IGNORECASE)


def numbers(name):
    """The number of a part, from 1, and the number of all parts; None: the name is not that of a part."""
    found = _NAME.fullmatch(name)
    return (int(found.group(2)), int(found.group(3))) if found else None


def is_possible(name):
    """False for the name of a part whose numbers cannot be right."""
    number, count = numbers(name) or (1, 1)
    return 1 <= number <= count <= MAX_PARTS


def other(name, number):
    """The name, or path, of another part."""
    stem, _, count, end = _NAME.fullmatch(name).groups()
    return f"{stem}-{number:05d}-of-{count}{end}"


def whole(name):
    """The name, or path, without the numbers."""
    found = _NAME.fullmatch(name)
    return found.group(1) + found.group(4) if found else name


def all_of(name):
    """The names, or paths, of all parts of the model with this first part; of another file its name alone."""
    number, count = numbers(name) or (1, 1)
    return [name] if count == 1 else [other(name, each) for each in range(1, count + 1)]
