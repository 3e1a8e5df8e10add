#!/usr/bin/env python3
"""Counts what redraft calls certain without a model, and how much of it is wrong.

    bench/certain_bench.py [--cases tests/cases] [--data commits_python.jsonl ...] [--program build/redraft] [--list]

A case has an input, what is asked for, and the text that should come of it. Three sources:

  renames      CASES/renames: instructions that only rename
  apply        CASES/apply: what assistants answered, a folder each: the file, `change.txt` and `expected`
  commits      --data: commits of one file, written the ways in which assistants write them (apply_bench.py)

A case is called certain if all of its changes are made without a model and without a doubt. A change that is called
certain is wrong if the text that comes of all certain changes differs from the expected one there. A case without
`expected`, or whose renames are the model's, cannot be derived from its input; nor can a commit that only removes lines
somewhere, in the forms with ellipses, which do not show that. --list prints what is wrong."""

import argparse
import collections
import dataclasses
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing

import apply_bench

LIMIT = 120  # seconds for a case
ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass
class Case:
    source: str
    name: str
    before: str
    expected: typing.Optional[str]  # None: it cannot be derived
    command: list  # of the program; "FILE" stands for the file's name
    uncertain: frozenset = frozenset()  # lines of `expected` that nobody knows, from 0

    @property
    def is_derivable(self):
        return self.expected is not None and not self.uncertain


@dataclasses.dataclass
class Outcome:
    certain_changes: int = 0
    wrong_changes: int = 0
    is_certain: bool = False  # the whole case
    is_right: bool = False


def rename_cases(folder):
    """The files that tests/kit/case_files.h reads: "=== INSTRUCTION: WHY", the text with "^" for the cursor, "--->", and
    the changed lines, "3| text", with "?| reason" below those that are doubtful."""
    for file in sorted(folder.glob("*.renames")):
        for number, block in enumerate(("\n" + file.read_text(encoding="utf-8")).split("\n=== ")[1:]):
            title, rest = block.split("\n", 1)
            given, result = (rest + "\n").split("--->\n", 1)
            before, _, after = given.partition("^")
            text = before + after
            command = ["edit", "FILE", "--instruction", title.split(":")[0]]
            if "^" in given:
                place = f"{before.count(chr(10)) + 1}:{len(before.rsplit(chr(10), 1)[-1].encode()) + 1}"
                command += ["--range", f"{place}-{place}"]
            expected, uncertain = renamed(text, result)
            yield Case("renames", f"{file.stem} {number + 1}: {title}", text, expected,
                       [*command, "--language", file.stem], uncertain)


def renamed(text, result):
    """The text with the lines of `result`, and the numbers of doubtful ones; None if the model is asked or all is
    doubtful."""
    shown = result.strip("\n").split("\n")
    if shown[0].startswith("the model") or any(line.startswith("?| all:") for line in shown):
        return None, frozenset()
    lines, uncertain = text.split("\n"), set()
    for line, following in zip(shown, [*shown[1:], ""]):
        number, _, new = line.partition("| ")
        if number != "?":
            lines[int(number) - 1] = new
        if number != "?" and following.startswith("?|"):
            uncertain.add(int(number) - 1)
    return "\n".join(lines), frozenset(uncertain)


def apply_cases(folder):
    for change in sorted(folder.glob("*/change.txt")):
        others = [path for path in sorted(change.parent.rglob("*"))
                  if path.is_file() and path.name not in ("change.txt", "expected", "expected.txt")]
        if len(others) != 1:
            print(f"left out: {change.parent.name}: it has {len(others)} files", file=sys.stderr)
            continue
        expected = change.parent / "expected"
        yield Case("apply", change.parent.name, read(others[0]), read(expected) if expected.exists() else None,
                   ["apply", others[0].relative_to(change.parent).as_posix(), "--change", str(change)])


def commit_cases(files):
    for record in apply_bench.records_of(files, None):
        with tempfile.TemporaryDirectory() as name:
            change = apply_bench.Change(pathlib.Path(name), record)
            removes = change.only_removes()
            for form, text in apply_bench.forms(change):
                is_hidden = removes and form in apply_bench.FORMS_WITH_ELLIPSES
                yield Case(f"commits: {form}", record["id"], record["before"], None if is_hidden else record["after"],
                           ["apply", pathlib.PurePath(record["path"]).name, "--change", text])


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def run(program, case):
    """The report of the program; None if it leaves the case to a model, or refuses it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = list(case.command)
        if "--language" in command:
            at = command.index("--language")
            command[command.index("FILE")] = "-"
            standard_input = case.before
        else:
            file = folder / command[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "w", encoding="utf-8", newline="") as out:
                out.write(case.before)
            command[1] = str(file)
            at = command.index("--change") + 1
            if case.source != "apply":
                note = folder / "change.txt"
                note.write_text(command[at], encoding="utf-8", newline="")
                command[at] = str(note)
            standard_input = ""
        done = subprocess.run([program, *command, "--format", "json"], input=standard_input.encode(), capture_output=True,
                              timeout=LIMIT, check=False, env={**os.environ, "XDG_DATA_HOME": name})  # has no models
        return json.loads(done.stdout) if done.returncode == 0 else None


def offset_of(text, place):
    line, column = map(int, place.split(":"))
    starts = [0]
    for i, byte in enumerate(text):
        if byte == ord("\n"):
            starts.append(i + 1)
    return starts[line - 1] + column - 1


def applied(before, changes):
    """The text with these changes, and the lines of each in it."""
    old, new, lines, at = before.encode(), b"", [], 0
    for change in changes:
        begin, end = (offset_of(old, place) for place in change["range"].split("-"))
        new += old[at:begin]
        first = new.count(b"\n")
        new += change["new_text"].encode()
        lines.append((first, max(first + 1, new.count(b"\n") + (not new.endswith(b"\n")))))
        at = end
    return (new + old[at:]).decode(), lines


def without_blanks_at_ends(text):
    return [line.rstrip() for line in text.rstrip().split("\n")]


def judge(case, report):
    outcome = Outcome()
    if report is None:
        return outcome
    certain = [change for change in report["changes"] if change["doubt"] is None]
    outcome.certain_changes = len(certain)
    outcome.is_certain = len(certain) == len(report["changes"]) and not report["doubts"]
    if case.expected is None:
        return outcome
    text, places = applied(case.before, certain)
    got, wanted = without_blanks_at_ends(text), without_blanks_at_ends(case.expected)
    if len(got) == len(wanted):
        wanted = [got[i] if i in case.uncertain else line for i, line in enumerate(wanted)]
    outcome.is_right = got == wanted
    different = [(first, last) for tag, first, last, *_ in difflib.SequenceMatcher(None, got, wanted, False).get_opcodes()
                 if tag in ("replace", "delete")]
    outcome.wrong_changes = sum(any(begin < last and first < end for first, last in different) for begin, end in places)
    if outcome.is_certain and not outcome.is_right:  # nothing says that something is missing
        outcome.wrong_changes = max(outcome.wrong_changes, 1)
        outcome.certain_changes = max(outcome.certain_changes, 1)
    return outcome


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT / "tests" / "cases")
    parser.add_argument("--data", nargs="*", default=[])
    parser.add_argument("--program", default=os.environ.get("REDRAFT", str(ROOT / "build" / "redraft")))
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    totals = collections.defaultdict(collections.Counter)
    cases = [*rename_cases(arguments.cases / "renames"), *apply_cases(arguments.cases / "apply"),
             *commit_cases(arguments.data)]
    for case in cases:
        outcome = judge(case, run(arguments.program, case))
        figures = {"cases": 1, "changes": outcome.certain_changes, "wrong": outcome.wrong_changes,
                   "derivable": case.is_derivable,
                   "right": case.is_derivable and outcome.is_right and outcome.is_certain}
        for name in (case.source, "all"):
            totals[name].update(figures)
        if arguments.list and outcome.wrong_changes:
            print(f"wrong: {case.source}, {case.name}")
    print(f"{'':32}{'cases':>6}  {'called certain, wrong':>24}  {'derivable, certain and right':>30}")
    for name, counts in sorted(totals.items(), key=lambda item: item[0] == "all"):
        print(f"{name:32}{counts['cases']:6}  {share(counts['wrong'], counts['changes']):>24}  "
              f"{share(counts['right'], counts['derivable']):>30}")


if __name__ == "__main__":
    main()
