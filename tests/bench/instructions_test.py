"""The 60 instructions of bench/instructions without a model: a right answer to each passes its checks; the file as it was, and
answers that destroy something, do not, and are counted as what they are. With REDRAFT_RUN_SANDBOXED set, tests of right answers
run too.

Exits with 77 (skipped) if tree-sitter is not installed (requirements.lock). Instructions on files that
`tools/setup.py instructions` could not fetch are skipped."""

import collections
import dataclasses
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))

from instruction_answers import ALSO_RIGHT, ANSWERS, WRONG, right  # noqa: E402

try:
    import tree_sitter  # noqa: F401
except ImportError:
    print("SKIPPED: tree-sitter is not installed; tools/setup.py tests installs it")
    sys.exit(77)

from instructions import checks, sources  # noqa: E402
from instructions.judge import Task, half_of, judge, place  # noqa: E402
from instructions.programs import Runner  # noqa: E402
from instructions.tasks import TASKS  # noqa: E402
from instructions.tree import parsed  # noqa: E402

SANDBOX = os.environ.get("REDRAFT_RUN_SANDBOXED")
COMPILERS = ("go", "rustc")


def why_missing(task):
    """Why the file of `task` is missing; None: it is there."""
    client = task.file.partition("/")[0]
    return None if client == "own" else sources.why_missing().get(client)


def target(tree, task):
    """The definition that the task is about; for one about lines between definitions the file's last."""
    return tree.find(task.within[0]) if task.within else tree.definitions[-1]


class Instructions(unittest.TestCase):
    def each(self, check):
        for task in TASKS:
            with self.subTest(task.id):
                reason = why_missing(task)
                if reason:
                    self.skipTest(reason)
                check(task, task.text())

    def test_sixty_in_five_languages(self):
        languages = collections.Counter(task.id.partition("/")[0].replace("typescript", "javascript") for task in TASKS)
        self.assertEqual(languages, {name: 12 for name in ("python", "javascript", "cpp", "go", "rust")})
        self.assertEqual({task.id for task in TASKS}, set(ANSWERS))
        self.assertEqual(len(ANSWERS), 60)
        self.assertLessEqual(sum(task.file.startswith("own/") for task in TASKS), 20)

    def test_a_half_is_that_of_the_program(self):
        # The same as in tests/bench/quality/half_test.cpp.
        self.assertEqual([half_of(name) for name in ("python/add-docstring", "rust/derive", "cpp/make-const")], [1, 0, 1])
        self.assertEqual(collections.Counter(half_of(task.id) for task in TASKS), {0: 30, 1: 30})

    def test_the_cursor_is_where_the_change_belongs(self):
        def check(task, text):
            (line, character), (end, _) = place(task, text)
            lines = text.split("\n")
            self.assertLessEqual(character, len(lines[line]))
            self.assertEqual(bool(task.to), end > line)
            names = collections.Counter(each.name for each in parsed(task.language, text).definitions)
            for name in task.within:
                self.assertIn(name, names)
        self.each(check)

    def test_a_right_answer_passes(self):
        run = Runner(SANDBOX) if SANDBOX else None
        tested = []

        def check(task, text):
            verdict = judge(task, text, right(task, text), run)
            self.assertEqual(verdict.faults, [])
            if verdict.tested:
                tested.append(task.id)
        self.each(check)
        if SANDBOX:
            for name in sorted(run.missing):
                print(f"SKIPPED: the tests of answers that need {name}: it is missing or does not work")
            self.assertGreater(len(tested), 0)

    def test_other_right_answers_pass(self):
        run = Runner(SANDBOX) if SANDBOX else None

        def check(task, text):
            if task.id in ALSO_RIGHT:
                self.assertEqual(judge(task, text, right(task, text, ALSO_RIGHT[task.id]), run).faults, [])
        self.each(check)

    @unittest.skipUnless(SANDBOX, "REDRAFT_RUN_SANDBOXED is not set")
    def test_wrong_answers_do_not(self):
        def check(task, text):
            if task.id in WRONG:
                self.assertTrue(judge(task, text, right(task, text, WRONG[task.id]), Runner(SANDBOX)).faults)
        self.each(check)

    @unittest.skipUnless(SANDBOX, "REDRAFT_RUN_SANDBOXED is not set")
    def test_a_test_that_fails_in_the_sandbox(self):
        task = next(task for task in TASKS if task.id == "python/handle-empty")
        self.assertEqual(Runner(SANDBOX)(task, task.text()), (True, "the test fails: ended with exit code 1"))
        outside = pathlib.Path(__file__).resolve().parent / "written by a test"
        writes = dataclasses.replace(task, test=f"open({str(outside)!r}, 'w')")
        self.assertEqual(Runner(SANDBOX)(writes, task.text()), (True, "the test fails: ended with exit code 1"))
        self.assertFalse(outside.exists())

    def test_the_file_as_it_was_does_not(self):
        def check(task, text):
            for same in (text, text + "\n", text.replace("\n\n", "\n\n\n")):
                verdict = judge(task, text, same)
                self.assertEqual((verdict.faults, verdict.destructive), (["nothing changed"], []))
            more = text + ("\n# " if task.language == "python" else "\n// ") + "done\n"
            verdict = judge(task, text, more)
            self.assertFalse(verdict.accepted)
            self.assertEqual(verdict.destructive, [])
        self.each(check)

    def test_each_check_says_no_to_something(self):
        def check(task, text):
            old, new, empty = (parsed(task.language, each) for each in (text, right(task, text), ""))
            self.assertTrue([each for each in task.checks if each(old, old)], "the checks accept the file as it was")
            for number, each in enumerate(task.checks):
                self.assertIsNone(each(old, new))
                self.assertTrue(each(old, old) or each(old, empty), f"check {number} accepts anything")
        self.each(check)

    def test_the_line_of_the_definition_is_lost(self):
        def check(task, text):
            definition = target(parsed(task.language, text), task)
            lines = right(task, text).split("\n")
            lost = target(parsed(task.language, "\n".join(lines)), task).node.start_point[0]
            del lines[lost]
            self.assertTrue(judge(task, text, "\n".join(lines)).destructive, definition.name)
        self.each(check)

    def test_the_definition_is_replaced_by_a_comment(self):
        def check(task, text):
            definition = target(parsed(task.language, text), task)
            lines = text.split("\n")
            lines[definition.first:definition.last + 1] = ["# gone" if task.language == "python" else "// gone"]
            self.assertTrue(judge(task, text, "\n".join(lines)).destructive, definition.name)
        self.each(check)

    def test_something_else_is_lost(self):
        def check(task, text):
            lines = right(task, text).split("\n")
            tree = parsed(task.language, "\n".join(lines))
            mine = target(tree, task)
            # What comes before the place, so that no line of the change moves with it.
            others = [each for each in tree.definitions if each.last < mine.first and "." not in each.name]
            if not others:
                return
            other = others[0]
            del lines[other.first:other.last + 1]
            self.assertTrue(judge(task, text, "\n".join(lines)).destructive, other.name)
        self.each(check)

    def test_the_definition_is_there_twice(self):
        def check(task, text):
            if not task.within or task.inserts:
                return
            answer = right(task, text).split("\n")
            definition = target(parsed(task.language, "\n".join(answer)), task)
            copy = answer[definition.first:definition.last + 1]
            answer[definition.last + 1:definition.last + 1] = copy
            self.assertIn(f"{definition.name} is there twice", judge(task, text, "\n".join(answer)).destructive)
        self.each(check)


class Checks(unittest.TestCase):
    OLD = "def f(a, b=1):\n    # twice\n    x = a\n    return x\n"

    def said(self, check, new, language="python", old=None):
        return check(parsed(language, old or self.OLD), parsed(language, new))

    def assert_tells(self, check, good, *bad, language="python", old=None):
        self.assertIsNone(self.said(check, good, language, old))
        for each in bad:
            self.assertIsNotNone(self.said(check, each, language, old), each)

    def test_body(self):
        self.assert_tells(checks.body("f", has=r"\bx\b", lacks="twice"), self.OLD, self.OLD.replace("x", "y"),
                          self.OLD.replace("# twice", "twice"), self.OLD.replace("f(", "g("))

    def test_signature(self):
        self.assert_tells(checks.signature("f", has=r"b=1\)", lacks=r"\bc\b"), self.OLD + "c = 1\n", self.OLD.replace("b=1", "b=2"),
                          self.OLD.replace("b=1", "b=1, c=(1)"))

    def test_file_and_text(self):
        self.assert_tells(checks.file(has="return", lacks="twice"), self.OLD, "", self.OLD + "twice = 2\n")
        self.assert_tells(checks.text(has="twice", lacks="print"), self.OLD, "", self.OLD + "# print\n")

    def test_count(self):
        self.assert_tells(checks.count(r"\bx\b", 2, 2), self.OLD + "# x\n", self.OLD + "x = 1\n", "x = 1\n")

    def test_nodes(self):
        self.assert_tells(checks.nodes("f", "return_statement", 1, 1), self.OLD, self.OLD.replace("return x", "pass"),
                          self.OLD + "    return 1\n", "")

    def test_renamed(self):
        self.assert_tells(checks.renamed("f", "x", "y"), self.OLD.replace("x", "y"), self.OLD, self.OLD.replace("x = a", "y = a"),
                          self.OLD.replace("x", "z"), self.OLD.replace("x", "y") + "    y = 1\n", "")

    def test_docstring(self):
        written = self.OLD.replace("    # twice", '    """Returns what it is given."""')
        self.assert_tells(checks.docstring("f"), written, self.OLD, written.replace("Returns what it is given.", ""),
                          self.OLD.replace("x = a", 'x = a\n    """Returns what it is given."""'), "")

    def test_documented(self):
        rust = "fn f() -> u8 {\n    1\n}\n"
        self.assert_tells(checks.documented("f", has="^///"), "/// Returns one of it.\n#[inline]\n" + rust, rust,
                          "// Returns one of it.\n" + rust, "///\n" + rust, "/// Returns one of it.\n\n" + rust, "",
                          language="rust", old=rust)

    def test_annotated(self):
        typed = "class C:\n    def f(self, a: int, b: int = 1, *c: int) -> int:\n        return a\n"
        self.assert_tells(checks.annotated("C.f"), typed, typed.replace("a: int", "a"), typed.replace("b: int = 1", "b=1"),
                          typed.replace("*c: int", "*c"), typed.replace(" -> int", ""), "")


class Judge(unittest.TestCase):
    TEXT = "import os\n\n\ndef f(x):\n    y = os.sep\n    return x + y\n\n\ndef g():\n    return 1\n"

    def verdict(self, after, **options):
        task = Task(id="t", language="python", file="", instruction="i", at="def f", checks=[], **{"within": ("f",), **options})
        return judge(task, self.TEXT, after)

    def test_a_change_within_passes(self):
        self.assertTrue(self.verdict(self.TEXT.replace("x + y", "y + x")).accepted)

    def test_a_change_elsewhere_does_not(self):
        verdict = self.verdict(self.TEXT.replace("return 1", "return 2"))
        self.assertEqual((verdict.destructive, verdict.accepted), (["gone: return 1"], False))

    def test_an_added_line_elsewhere_is_wrong_but_destroys_nothing(self):
        verdict = self.verdict(self.TEXT.replace("    return 1", "    print()\n    return 1"))
        self.assertEqual((verdict.destructive, verdict.faults), ([], ["outside of the place: print()"]))
        self.assertTrue(self.verdict(self.TEXT + "h = 1\n", inserts=True).accepted)

    def test_a_definition_that_nobody_asked_for(self):
        helper = self.TEXT.replace("def g", "def h():\n    return 2\n\n\ndef g")
        self.assertIn("nobody asked for h", self.verdict(helper).faults)
        self.assertTrue(self.verdict(helper, adds="^h$").accepted)

    def test_what_does_not_parse(self):
        self.assertIn("the file does not parse any more", self.verdict(self.TEXT.replace("return x +", "return (x +")).destructive)

    def test_a_comment_within_is_gone(self):
        for comment in ("# half of it", '"""Adds them."""'):
            commented = self.TEXT.replace("    y = os", f"    {comment}\n    y = os")
            task = Task(id="t", language="python", file="", instruction="i", at="def f", checks=[], within=("f",))
            lost = self.TEXT.replace("x + y", "y + x")
            self.assertEqual(judge(task, commented, lost).destructive, ["a comment or docstring is gone"])
            self.assertTrue(judge(dataclasses.replace(task, uncomments=True), commented, lost).accepted)
            self.assertTrue(judge(task, commented, commented.replace("x + y", "y + x")).accepted)

    def test_most_of_it_is_gone(self):
        after = self.TEXT.replace("    y = os.sep\n    return x + y", "    pass")
        self.assertEqual(self.verdict(after).destructive, ["most of f is gone"])
        self.assertTrue(self.verdict(after, shrinks=True).accepted)

    def test_an_import_that_is_still_used_is_gone(self):
        self.assertEqual(self.verdict(self.TEXT.replace("import os\n", "import re\n")).destructive, ["the import of os is gone"])

    def test_an_include_is_gone(self):
        before = "#include <cmath>\n#include <string>\n\nint f() {\n  return 1;\n}\n"
        task = Task(id="t", language="cpp", file="", instruction="i", at="int f", checks=[], within=("f",))
        self.assertEqual(judge(task, before, before.replace("#include <string>\n", "")).destructive, ["gone: #include <string>"])
        self.assertTrue(judge(task, before, before.replace("<string>", "<string>\n#include <vector>")).accepted)

    def test_imports_may_be_added(self):
        self.assertTrue(self.verdict(self.TEXT.replace("import os", "import os\nimport re")).accepted)

    def test_a_test_runs_only_on_what_passed_the_checks(self):
        asked = []

        def run(_, text):
            asked.append(text)
            return True, "the test fails"
        task = Task(id="t", language="python", file="", instruction="i", at="def f", checks=[], within=("f",), test="pass")
        wrong, good = self.TEXT.replace("return 1", "return 2"), self.TEXT.replace("x + y", "y + x")
        self.assertFalse(judge(task, self.TEXT, wrong, run).tested)
        verdict = judge(task, self.TEXT, good, run)
        self.assertEqual((asked, verdict.faults, verdict.destructive, verdict.tested), ([good], ["the test fails"], [], True))


if __name__ == "__main__":
    os.environ["PATH"] = sources.programs.working_path(COMPILERS)
    unittest.main()
