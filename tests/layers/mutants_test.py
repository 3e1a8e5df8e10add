"""tests/mutants.json still fits the tree, and tools/mutants.py tells what it finds. Nothing is compiled here."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutants  # noqa: E402

# Prints nothing and writes the report that gtest would.
PROGRAM = """#!{python}
import json, os, signal, sys, time
number = os.environ["REDRAFT_MUTANT"]
if number == "3": os.kill(os.getpid(), signal.SIGSEGV)
if number == "4": time.sleep(60)
wanted = sys.argv[1].partition("=")[2].split(":")
failing = {{"1": ["Sum.Adds"], "2": ["Sum.Adds", "Sum.Subtracts"]}}.get(number, [])
tests = [name for name in ("Adds", "Subtracts", "Is") if wanted == ["*"] or "Sum." + name in wanted]
report = sys.argv[2].partition(":")[2]
json.dump({{"testsuites": [{{"name": "Sum", "testsuite": [
    {{"name": name, **({{"failures": [1]}} if "Sum." + name in failing else {{}})}} for name in tests]}}]}}, open(report, "w"))
sys.exit(1 if failing else 0)
"""


def mutation(text, replacement="0", within="", number=1, tests=None):
    return mutants.Mutation(number, f"number {number}", "a.cpp", within, text, replacement, tests or {"t": ["Sum.Adds"]})


def is_balanced(text):
    waiting = []
    for character in re.sub(r"'(\\.|[^\\'])'|\"(\\.|[^\\\"])*\"", "", text):
        if character in "([{":
            waiting.append(")]}"["([{".index(character)])
        elif character in ")]}" and (not waiting or waiting.pop() != character):
            return False
    return not waiting


class TheList(unittest.TestCase):
    def setUp(self):
        self.mutations = mutants.read_list(mutants.LIST)

    def test_every_text_is_found_in_its_file_once(self):
        for file, group in mutants.by_file(self.mutations).items():
            with self.subTest(file=file):
                mutants.apply(group, (ROOT / file).read_text(encoding="utf-8"))

    def test_each_replaces_an_expression_or_statements(self):
        for row in self.mutations:
            with self.subTest(mutation=row.name):
                self.assertTrue(is_balanced(row.text) and is_balanced(row.replacement))
                is_statement = row.text.endswith((";", "}"))
                self.assertEqual(is_statement, not row.replacement or row.replacement.endswith((";", "}")))
                first = row.text.split()[0]
                self.assertTrue(is_statement or first not in ("return", "if", "for"))
                self.assertNotIn(first, ("const", "auto"))  # a declaration would end with its block
                # An operator without its operands, or one of several initialisers.
                self.assertNotRegex(row.text.strip(), r"(&&|\|\||[-+*=,])$|^[.,]")

    def test_every_named_test_exists(self):
        sources = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("*_test.cpp"))
        with_values, others = ({".".join(found) for found in re.findall(form, sources, re.MULTILINE)}
                               for form in (r"^TEST_P\((\w+), (\w+)\)", r"^TEST(?:_F)?\((\w+), (\w+)\)"))
        programs = set()
        for file in (ROOT / "tests").rglob("CMakeLists.txt"):
            programs |= set(re.findall(r"redraft_test\((\w+)", file.read_text(encoding="utf-8")))
        for row in self.mutations:
            named = {test for several in row.tests.values() for test in several}
            # "Suites/Suite.Test/value": one value of a test with parameters.
            valued = {re.sub(r"^\w+/|/\w+$", "", test) for test in named if re.search(r"/\w+$", test)}
            plain = {test for test in named if not re.search(r"/\w+$", test)}
            with self.subTest(mutation=row.name):
                self.assertEqual(set(row.tests) - programs, set())
                self.assertEqual((plain - others, valued - with_values), (set(), set()))


class Switches(unittest.TestCase):
    def applied(self, source, *rows):
        header, line, text = mutants.apply(rows, source).split("\n", 2)
        self.assertEqual((header, line), ('#include "mutant_switch.h"', "#line 1"))
        return text

    def test_an_expression_and_a_statement(self):
        self.assertEqual(self.applied("int a = b + 1;", mutation("b + 1", "b")),
                         "int a = (redraft_mutant(1) ? (b) : (b + 1));")
        self.assertEqual(self.applied("f(); g();", mutation("f();", "")), "{ if (redraft_mutant(1)) {  } else { f(); } } g();")

    def test_line_breaks_are_spaces(self):
        self.assertEqual(self.applied("a =\n    b;", mutation("a = b;", "c;")),
                         "{ if (redraft_mutant(1)) { c; } else { a =\n    b; } }")

    def test_within_says_which_of_several(self):
        self.assertEqual(self.applied("f(7); g(7); h(77);", mutation("7", "6", within="g(7)")),
                         "f(7); g((redraft_mutant(1) ? (6) : (7))); h(77);")

    def test_one_within_another(self):
        self.assertEqual(self.applied("x = a && b;", mutation("a && b", "true"), mutation("b", "true", number=2)),
                         "x = (redraft_mutant(1) ? (true) : (a && (redraft_mutant(2) ? (true) : (b))));")

    def test_what_does_not_fit_is_a_problem(self):
        for source, rows, problem in [
                ("int a = 1;", [mutation("int b")], "not found: int b"),
                ("int a = 17;", [mutation("7")], "not found: 7"),
                ("f(7); f(7);", [mutation("f(7)")], "found 2 times"),
                ("f(7);", [mutation("7", within="g(7)")], "not found: g"),
                ("a + b + c", [mutation("a + b"), mutation("b + c", number=2)], "a part of what another"),
                ("a", [mutation(" ")], "replaces nothing")]:
            with self.subTest(source=source), self.assertRaisesRegex(mutants.Problem, re.escape(problem)):
                mutants.apply(rows, source)


class Reading(unittest.TestCase):
    def read(self, *rows):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "list.json"
            file.write_text(json.dumps(rows))
            return mutants.read_list(file)

    def test_numbers_begin_with_one(self):
        row = {"name": "n", "file": "f", "text": "t", "with": "", "tests": {"p": ["S.T"]}}
        self.assertEqual([read.number for read in self.read(row, {**row, "name": "m"})], [1, 2])

    def test_what_is_no_list_is_a_problem(self):
        row = {"name": "n", "file": "f", "text": "t", "with": "", "tests": {"p": ["S.T"]}}
        for wrong, problem in [({**row, "text": None}, "'text'"), ({**row, "tests": {}}, "no test"),
                               ({**row, "tests": {"p": []}}, "no test"), ({**row, "wiht": ""}, "wiht")]:
            with self.subTest(problem=problem), self.assertRaisesRegex(mutants.Problem, problem):
                self.read(wrong)
        with self.assertRaisesRegex(mutants.Problem, "two mutations are called n"):
            self.read(row, row)


class Verdicts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "program"
        self.program.write_text(PROGRAM.format(python=sys.executable))
        self.program.chmod(0o755)

    def verdict(self, number, *tests, whole=False, seconds=50):
        return mutants.verdict(mutation("x", number=number, tests={"t": list(tests)}), {"t": self.program}, whole, seconds)

    def test_every_named_test_has_to_fail(self):
        self.assertEqual(self.verdict(1, "Sum.Adds"), ("killed", ["Sum.Adds"]))
        self.assertEqual(self.verdict(1, "Sum.Adds", "Sum.Subtracts"), ("survived", ["Sum.Subtracts"]))
        self.assertEqual(self.verdict(1, "Sum.Gone"), ("survived", ["Sum.Gone"]))
        self.assertEqual(self.verdict(5, "Sum.Adds"), ("survived", ["Sum.Adds"]))

    def test_the_whole_program_says_which_tests_fail(self):
        self.assertEqual(self.verdict(2, "Sum.Adds", whole=True), ("killed", ["Sum.Adds", "Sum.Subtracts"]))

    def test_no_verdict_is_no_kill(self):
        self.assertEqual(self.verdict(3, "Sum.Adds"), ("crashed", ["t"]))
        self.assertEqual(self.verdict(4, "Sum.Adds", seconds=1), ("hung", ["t"]))

    def test_a_test_that_fails_anyway_kills_nothing(self):
        row = mutation("x", tests={"t": ["Sum.Adds", "Sum.Gone"]})
        with self.assertRaisesRegex(SystemExit, "without a mutation: .*Sum.Gone"):
            mutants.check_unchanged([row], {"t": self.program}, 50)
        mutants.check_unchanged([mutation("x")], {"t": self.program}, 50)


if __name__ == "__main__":
    unittest.main()
