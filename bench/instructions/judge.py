"""Whether an edited text is what its task asked for. One judge, for every program that edits."""

import collections
import dataclasses
import re

from . import sources
from .tree import parsed

PYTHON, JAVASCRIPT, TYPESCRIPT, CPP, GO, RUST = "python", "javascript", "typescript", "cpp", "go", "rust"


@dataclasses.dataclass
class Task:
    """An instruction at a place of a file, and what must hold afterwards."""

    id: str
    language: str
    file: str  # of sources.read
    instruction: str
    at: str  # is in the file once: the cursor is where it begins, or at its "¦"; or the selection's first line begins
    checks: list
    to: str = ""  # the selection's last line, after `at`; empty: the cursor alone
    within: tuple = ()  # the definitions that may change; nothing else may
    adds: str = ""  # a pattern of the names that may be defined besides; "." for any
    lines: str = ""  # a pattern of lines that may change outside of definitions
    inserts: bool = False  # new lines may stand anywhere
    shrinks: bool = False  # less than half of the definition may be left
    uncomments: bool = False  # comments of the definition may go
    test: str = ""  # a program that fails if the file is wrong, in its language (see programs.py)
    units: tuple = ()  # C++: what is linked with it, below the package's folder

    def text(self):
        return sources.read(self.file)


@dataclasses.dataclass
class Verdict:
    faults: list  # what is wrong, in words
    destructive: list  # those that took away what nobody asked to take away
    tested: bool = False

    @property
    def accepted(self):
        return not self.faults


def half_of(task_id):
    """0 or 1, as `redraft bench quality --half`: FNV-1a of the id."""
    digest = 0xCBF29CE484222325
    for byte in task_id.encode():
        digest = (digest ^ byte) * 0x100000001B3 % (1 << 64)
    return (digest ^ digest >> 32) & 1


def place(task, text):
    """The range of the request: ((line, character), (line, character))."""
    before, _, behind = task.at.rpartition("¦")
    n = text.count(before + behind)
    assert n == 1, f"{task.id}: {task.at!r} is there {n} times"
    begin = text.index(before + behind) + len(before)
    line = text.count("\n", 0, begin)
    if not task.to:
        at = (line, begin - (text.rfind("\n", 0, begin) + 1))
        return at, at
    end = text.index(task.to, begin)
    return (line, 0), (text.count("\n", 0, end) + 1, 0)


def judge(task, before, after, run=None):
    """`run(task, text)` carries out the task's test: (whether it could, what is wrong or None). It is only asked about texts that
    have passed the checks; None: no tests are run."""
    if before.split() == after.split():
        return Verdict(["nothing changed"], [])
    old, new = parsed(task.language, before), parsed(task.language, after)
    destructive = _destroyed(task, old, new)
    faults = destructive + _unasked(task, old, new)
    faults += [fault for fault in (check(old, new) for check in task.checks) if fault]
    tested = False
    if run and task.test and not faults:
        tested, fault = run(task, after)
        faults += [fault] if fault else []
    return Verdict(list(dict.fromkeys(faults)), destructive, tested)


def _destroyed(task, old, new):
    """Syntax that was right, definitions, and lines outside of the place that are gone; and what is there twice."""
    found = []
    if new.errors > old.errors:
        found.append("the file does not parse any more")
    had, has = (collections.Counter(each.name for each in tree.definitions) for tree in (old, new))
    found += [f"{name} is gone" for name in had if has[name] < had[name]]
    found += [f"{name} is there twice" for name in had if has[name] > had[name]]
    imported, used = new.imported()  # C++ names files, which is lines like any other
    found += [f"the import of {name} is gone" for name in sorted(old.imported()[0] & used - imported)]
    lost = collections.Counter(_outside(task, old, old, CPP)) - collections.Counter(_outside(task, new, old, CPP))
    found += [f"gone: {line}" for line in lost]
    if not task.uncomments and new.comments() < old.comments():
        found.append("a comment or docstring is gone")
    if not task.shrinks:
        found += [f"most of {name} is gone" for name in task.within if _size(new, name) < _size(old, name) / 2]
    return found


def _unasked(task, old, new):
    had = {each.name for each in old.definitions}
    found = []
    for definition in new.definitions:
        name = definition.name
        if name not in had and not _is_within(name, task.within) and not (task.adds and re.search(task.adds, name)):
            found.append(f"nobody asked for {name}")
    if task.inserts:
        return found
    added = collections.Counter(_outside(task, new, old)) - collections.Counter(_outside(task, old, old))
    return found + [f"outside of the place: {line}" for line in added]


def _is_within(name, definitions):
    return any(name == each or name.startswith(each + ".") for each in definitions)


def _size(tree, name):
    definition = tree.find(name)
    return len(re.sub(r"\s+", "", tree.code(definition.node))) if definition else 0


def _outside(task, tree, old, imports_of=""):
    """The lines, in words, that the task has nothing to do with. Imports may be added by any task; `imports_of` a language they
    are among the lines."""
    had = {each.name for each in old.definitions}
    hidden = set() if task.language == imports_of else tree.import_lines()
    for definition in tree.definitions:
        new = definition.name not in had and task.adds and re.search(task.adds, definition.name)
        if definition.name in task.within or new:
            hidden.update(range(definition.first, definition.last + 1))
    lines = (" ".join(line.split()) for number, line in enumerate(tree.lines) if number not in hidden)
    return [line for line in lines if line and not (task.lines and re.search(task.lines, line))]
