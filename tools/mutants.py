#!/usr/bin/env python3
"""Breaks the code in ways that tests must notice, one at a time, and runs those tests.

    tools/mutants.py [--only REGEX] [--whole] [--json FILE]
    tools/mutants.py --list

tests/mutants.json lists the mutations: a file, the text that is replaced (any white space is like any other), what takes
its place, and the tests that must fail then. All of them are compiled into one copy of the tree, build-mutants/, each
behind a switch that the environment variable REDRAFT_MUTANT turns on by its number: one build, and later ones compile only
what changed. The tree itself is never touched.

A mutation is "killed" if every test that is named for it fails. "survived": one of them passes. "crashed" and "hung": the
program ended without a verdict, which tells nobody what is wrong; mend the test. Exit code 0: all were killed.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutants.json"
COPY = ROOT / "build-mutants"
SWITCH = "mutant_switch.h"
HEADER = """#pragma once
// Written by tools/mutants.py.
#include <cstdlib>
inline bool redraft_mutant(int number) {
  static const int kOn = [] {
    const char* on = std::getenv("REDRAFT_MUTANT");
    return on ? std::atoi(on) : 0;
  }();
  return kOn == number;
}
"""
FIELDS = {"name": str, "file": str, "within": str, "text": str, "with": str, "tests": dict}
OPTIONAL = {"within"}

Mutation = collections.namedtuple("Mutation", "number name file within text replacement tests")


class Problem(Exception):
    """An error in the list, with a message for users."""


def read_list(file):
    """The mutations of a list, numbered from 1."""
    mutations = []
    for number, row in enumerate(json.loads(pathlib.Path(file).read_text(encoding="utf-8")), 1):
        name = row.get("name", f"mutation {number}")
        for field, kind in FIELDS.items():
            if not isinstance(row.get(field, "" if field in OPTIONAL else None), kind):
                raise Problem(f"{name}: it needs {field!r}")
        if set(row) - set(FIELDS):
            raise Problem(f"{name}: unknown: {', '.join(sorted(set(row) - set(FIELDS)))}")
        if not row["tests"] or not all(row["tests"].values()):
            raise Problem(f"{name}: no test is named that must fail")
        mutations.append(Mutation(number, name, row["file"], row.get("within", ""), row["text"], row["with"], row["tests"]))
    twice = [name for name, count in collections.Counter(mutation.name for mutation in mutations).items() if count > 1]
    if twice:
        raise Problem(f"two mutations are called {', '.join(twice)}")
    return mutations


def find_once(text, source, name, begin=0, end=None):
    """(begin, end) of the only occurrence of that text in source[begin:end], ignoring white space."""
    pieces = text.split()
    if not pieces:
        raise Problem(f"{name}: it replaces nothing")
    pattern = re.compile(r"\s+".join(re.escape(piece) for piece in pieces))
    # Does not find a number or a name within a longer one.
    places = [(m.start(), m.end()) for m in pattern.finditer(source, begin, len(source) if end is None else end)
              if not (is_word(source[m.start() - 1:m.start()]) and is_word(pieces[0][0]))
              and not (is_word(pieces[-1][-1]) and is_word(source[m.end():m.end() + 1]))]
    if len(places) != 1:
        raise Problem(f"{name}: {'not found' if not places else f'found {len(places)} times'}: {text}")
    return places[0]


def is_word(character):
    return character.isalnum() or character == "_"


def find(mutation, source):
    """(begin, end) of the text that the mutation replaces."""
    if not mutation.within:
        return find_once(mutation.text, source, mutation.name)
    return find_once(mutation.text, source, mutation.name, *find_once(mutation.within, source, mutation.name))


def switched(mutation, text):
    """C++ that is equivalent to `text` unless the mutation is on. A text that ends like a statement consists of statements."""
    on = f"redraft_mutant({mutation.number})"
    if text.rstrip().endswith((";", "}")):
        return f"{{ if ({on}) {{ {mutation.replacement} }} else {{ {text} }} }}"
    return f"({on} ? ({mutation.replacement}) : ({text}))"


def apply(mutations, source):
    """A file's content with these mutations, all off. They may be nested."""
    # Outer ones first.
    places = sorted(((*find(mutation, source), mutation) for mutation in mutations), key=lambda place: (place[0], -place[1]))

    def rendered(begin, end):
        """source[begin:end] with the mutations that begin there, which are removed from `places`."""
        text, at = "", begin
        while places and places[0][0] < end:
            first, last, mutation = places.pop(0)
            if last > end:
                raise Problem(f"{mutation.name}: replaces a part of what another mutation replaces, and more")
            text += source[at:first] + switched(mutation, rendered(first, last))
            at = last
        return text + source[at:end]

    return f'#include "{SWITCH}"\n#line 1\n{rendered(0, len(source))}'


def by_file(mutations):
    files = collections.defaultdict(list)
    for mutation in mutations:
        files[mutation.file].append(mutation)
    return files


def write_if_new(file, content, mode=0o644):
    """Keeps the time of an unchanged file, so that nothing is compiled again."""
    if not file.exists() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    file.chmod(mode)


def copy_tree(mutations):
    """Brings the copy up to date."""
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             stdout=subprocess.PIPE, check=True).stdout.decode()
    names = {name for name in listing.split("\0") if name and (ROOT / name).is_file()}
    mutated = by_file(mutations)
    for name in names:
        content = (ROOT / name).read_bytes()
        if name in mutated:
            content = apply(mutated[name], content.decode()).encode()
        write_if_new(COPY / name, content, (ROOT / name).stat().st_mode & 0o777)
    write_if_new(COPY / SWITCH, HEADER.encode())
    for file in list(COPY.rglob("*")):
        name = file.relative_to(COPY)
        if file.is_file() and name.parts[0] != "build" and str(name) not in names | {SWITCH}:
            file.unlink()


def build(programs):
    """Paths of the test programs, built with all mutations in them."""
    folder = COPY / "build"
    # With the options of the tree's own build, ccache has most of the files already.
    cache = ROOT / "build" / "CMakeCache.txt"
    options = re.findall(r"^(REDRAFT_WERROR:BOOL=\w+)$", cache.read_text() if cache.exists() else "", re.MULTILINE)
    run_quietly(["cmake", "--preset", "release", *(f"-D{option}" for option in options)])
    run_quietly(["ninja", "-C", str(folder), *programs])
    return {program: next(file for file in folder.rglob(program) if file.is_file()) for program in programs}


def run_quietly(command):
    done = subprocess.run(command, cwd=COPY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(done.stdout.decode(errors="replace")[-8000:] + f"\n{' '.join(command)}: failed")


def run_tests(program, tests, number, seconds):
    """({test: whether it passed}, "" or how the program ended without a verdict) with that mutation on; 0: none."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [program, f"--gtest_filter={':'.join(tests)}", f"--gtest_output=json:{report}", "--gtest_color=no"]
        try:
            subprocess.run(command, env={**os.environ, "REDRAFT_MUTANT": str(number)}, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds)
        except subprocess.TimeoutExpired:
            return {}, "hung"
        if not report.exists():
            return {}, "crashed"
        suites = json.loads(report.read_text())["testsuites"]
        return {f"{suite['name']}.{test['name']}": not test.get("failures")
                for suite in suites for test in suite["testsuite"]}, ""


def verdict(mutation, programs, whole, seconds):
    """("killed", "survived", "crashed" or "hung", the tests that decided this)."""
    passed, failed = [], []
    for program, tests in mutation.tests.items():
        results, ending = run_tests(programs[program], ["*"] if whole else tests, mutation.number, seconds)
        if ending:
            return ending, [program]
        passed += [test for test in tests if results.get(test, True)]  # a missing test does not fail
        failed += [test for test, well in results.items() if not well]
    return ("survived", passed) if passed else ("killed", failed)


def check_unchanged(mutations, programs, seconds):
    """Ends the program if a named test is missing or fails without a mutation, because its failure would mean nothing."""
    named = collections.defaultdict(set)
    for mutation in mutations:
        for program, tests in mutation.tests.items():
            named[program].update(tests)
    for program, tests in named.items():
        results, ending = run_tests(programs[program], sorted(tests), 0, seconds)
        wrong = [test for test in sorted(tests) if not results.get(test, False)]
        if ending or wrong:
            sys.exit(f"{program}: without a mutation: {ending or 'missing or failing: ' + ', '.join(wrong)}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="show the mutations and run nothing")
    parser.add_argument("--only", default="", metavar="REGEX", help="mutations whose name or file matches")
    parser.add_argument("--whole", action="store_true", help="run all tests of the programs, and say which of them fail")
    parser.add_argument("--json", metavar="FILE", help="write the results there")
    parser.add_argument("--seconds", type=int, default=600, metavar="N", help="for a run of tests; it hangs after that")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        mutations = read_list(LIST)
        for file, group in by_file(mutations).items():
            if not (ROOT / file).is_file():
                raise Problem(f"{group[0].name}: there is no file {file}")
            apply(group, (ROOT / file).read_text(encoding="utf-8"))
        chosen = [m for m in mutations if re.search(arguments.only, m.name) or re.search(arguments.only, m.file)]
        if not chosen:
            raise Problem("--only leaves no mutation")
        if arguments.list:
            print("\n".join(f"{m.number:3}  {m.file}: {m.name}" for m in chosen))
            return 0
        copy_tree(mutations)
    except Problem as problem:
        sys.exit(f"{LIST.name}: {problem}")
    begin = time.monotonic()
    programs = build(sorted({program for mutation in chosen for program in mutation.tests}))
    print(f"built in {time.monotonic() - begin:.0f} s", flush=True)
    check_unchanged(chosen, programs, arguments.seconds)
    rows = []
    for mutation in chosen:
        begin = time.monotonic()
        result, tests = verdict(mutation, programs, arguments.whole, arguments.seconds)
        rows.append({"name": mutation.name, "file": mutation.file, "result": result, "tests": tests,
                     "seconds": round(time.monotonic() - begin, 1)})
        print(f"{result:8}  {mutation.file}: {mutation.name}", flush=True)
        if arguments.whole or result != "killed":
            print("".join(f"            {test}\n" for test in tests), end="", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    counts = collections.Counter(row["result"] for row in rows)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 0 if counts["killed"] == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
