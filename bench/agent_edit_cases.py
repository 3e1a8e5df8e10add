"""Commits as the calls of an agent's edit tool: hunks, the forms in which they are written, and what must come of them.

The faults are in agent_edit_faults.py. All of it is data: the same commits and the same seed give the same cases."""

import dataclasses
import difflib
import json
import random
import re

JOINED = 2  # changes with at most so many lines between them are one hunk
COMMENT = {"python": "#", "ruby": "#", "shellscript": "#"}


@dataclasses.dataclass
class Hunk:
    """Adjacent changes of a file. `lines` are (mark, text), the context too; `begin` is the first one's line, from 0."""

    begin: int
    lines: list

    def side(self, without):
        return [text for mark, text in self.lines if mark != without]

    @property
    def old(self):
        return self.side("+")

    @property
    def new(self):
        return self.side("-")

    @property
    def end(self):
        return self.begin + len(self.old)


@dataclasses.dataclass
class Case:
    id: str
    language: str
    path: str
    fault: str
    form: str
    kind: str  # of the fault: "typographic", say
    text: str  # the file
    change: str
    expected: str
    must: str  # "place", "refuse" (it fits several places), "either" (it may fit several)
    places: list  # of "refuse": the lines, from 0, where the old lines begin
    place: tuple  # the lines [begin, end) that are meant
    pairs: list  # (old text, new text), for tools that take these; empty: it has no old text


def commits(files):
    for file in files:
        for line in open(file, encoding="utf-8"):
            record = json.loads(line)
            texts = record.get("before"), record.get("after")
            if all(texts) and not any("\r" in one or not one.endswith("\n") for one in texts):
                yield record


def groups(before, after):
    """The changes (i1, i2, j1, j2), each with those that are close to it."""
    found = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "equal":
            continue
        if found and i1 - found[-1][1] <= JOINED:
            found[-1] = (found[-1][0], i2, found[-1][2], j2)
        else:
            found.append((i1, i2, j1, j2))
    return found


def hunk_of(before, after, group, context):
    i1, i2, j1, j2 = group
    above, below = before[max(i1 - context, 0):i1], before[i2:i2 + context]
    lines = [(" ", text) for text in above]
    old, new = before[i1:i2], after[j1:j2]
    for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "equal":
            lines += [(" ", text) for text in old[a1:a2]]
        else:
            lines += [("-", text) for text in old[a1:a2]] + [("+", text) for text in new[b1:b2]]
    lines += [(" ", text) for text in below]
    return Hunk(i1 - len(above), lines)


def applied(before, hunks):
    """The file with these hunks, which are apart from each other."""
    lines = list(before)
    for hunk in sorted(hunks, key=lambda one: -one.begin):
        lines[hunk.begin:hunk.end] = hunk.new
    return lines


def says_something(lines):
    return any(len(re.findall(r"[^\W_]", line)) >= 3 for line in lines)


# Where lines are

def exact_places(lines, wanted):
    n = len(wanted)
    return [i for i in range(len(lines) - n + 1) if lines[i:i + n] == wanted]


def loose_places(lines, wanted, wild=frozenset()):
    """Where the lines are but for blanks around them. A line of `wild` may be any."""
    there, keys = [line.strip() for line in lines], [line.strip() for line in wanted]
    return [i for i in range(len(there) - len(keys) + 1)
            if all(k in wild or there[i + k] == key for k, key in enumerate(keys))]


# The forms

def search_form(path, hunks):
    return "".join(f"{path}\n<<<<<<< SEARCH\n{text(hunk.old)}=======\n{text(hunk.new)}>>>>>>> REPLACE\n\n" for hunk in hunks)


def text(lines):
    return "".join(line + "\n" for line in lines)


def marked(hunk):
    return text([mark + line for mark, line in hunk.lines])


def numbers_of(hunks):
    """The numbers of each hunk of one diff, whatever the order in which it has them."""
    heads, moved = {}, 0
    for hunk in sorted(hunks, key=lambda one: one.begin):
        n_old, n_new = len(hunk.old), len(hunk.new)
        heads[id(hunk)] = f"@@ -{hunk.begin + 1},{n_old} +{hunk.begin + 1 + moved},{n_new} @@"
        moved += n_new - n_old
    return [heads[id(hunk)] for hunk in hunks]


def diff_form(path, hunks):
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(f"{head}\n{marked(hunk)}" for head, hunk in zip(numbers_of(hunks), hunks))


def bare_diff_form(path, hunks):
    return f"```diff\n--- {path}\n+++ {path}\n" + "".join(f"@@ ... @@\n{marked(hunk)}" for hunk in hunks) + "```\n"


def wrong_diff_form(path, hunks):
    return f"--- a/{path}\n+++ b/{path}\n" + "".join("@@ -{0},9 +{0},9 @@\n{1}".format(5 * i + 2, marked(hunk))
                                                     for i, hunk in enumerate(hunks))


def codex_form(path, hunks):
    return f"*** Begin Patch\n*** Update File: {path}\n" + "".join(f"@@\n{marked(hunk)}" for hunk in hunks) + "*** End Patch\n"


FORMS = {"search": search_form, "diff": diff_form, "diff without numbers": bare_diff_form,
         "diff with wrong numbers": wrong_diff_form, "codex": codex_form}


class Source:
    """One commit, from which cases are drawn."""

    def __init__(self, record, seed):
        self.record = record
        self.before, self.after = record["before"].split("\n")[:-1], record["after"].split("\n")[:-1]
        self.groups = groups(self.before, self.after)
        self.seed = f"{seed}:{record['id']}"

    def random(self, *what):
        return random.Random(":".join([self.seed, *map(str, what)]))

    def hunk(self, number, context):
        """None: its old lines say nothing of where they are."""
        hunk = hunk_of(self.before, self.after, self.groups[number], context)
        return hunk if says_something(hunk.old) else None

    def case(self, fault, form, kind, lines, hunk, change, expected, must="place", places=(), name="", pairs=None):
        return Case(f"{self.record['id']}#{name}", self.record["language"], self.record["path"], fault, form, kind,
                    text(lines), change, text(expected), must, list(places), (hunk.begin, hunk.end),
                    [(text(hunk.old), text(hunk.new))] if pairs is None else pairs)


def demand(lines, old, tells_place=False, wild=frozenset()):
    """What must come of old lines as they are written: "place", or "refuse" with the places that they fit."""
    if tells_place:
        return "place", []
    exact = exact_places(lines, old) if not wild else []
    if len(exact) == 1:
        return "place", []
    if len(exact) > 1:
        return "refuse", exact
    loose = loose_places(lines, old, wild)
    return ("either", loose) if len(loose) > 1 else ("place", [])
