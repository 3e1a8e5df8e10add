"""tools/run_tests.py, on a folder with a few tests: which are left out by name, and what is said about those that are skipped."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "run_tests.py"
RUNNER = PROGRAM.parents[1] / "tests" / "kit" / "run_python_test.py"
TIME_LIMIT = 60


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.set_up = self.folder / "cache/redraft/failed-steps"
        (self.folder / "CTestTestfile.cmake").write_text('add_test(good "true")\nadd_test(Bad.Test/1 "false")\n')

    def run_leaving_out(self, text):
        names = self.folder / "names"
        names.write_text(text)
        return self.run_tests("--leave-out", names)

    def run_tests(self, *options):
        return subprocess.run([sys.executable, "-B", PROGRAM, "--build", self.folder, *options], capture_output=True, text=True,
                              timeout=TIME_LIMIT, env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})

    def add_test(self, name, command, **properties):
        words = " ".join(f"{key} {value}" for key, value in properties.items())
        with open(self.folder / "CTestTestfile.cmake", "w") as file:
            file.write(f'add_test(good "true")\nadd_test({name} {command})\nset_tests_properties({name} PROPERTIES {words})\n')

    def assert_said(self, run, *lines):
        """These lines, the last of them at the end."""
        self.assertLessEqual(set(lines), set(run.stdout.splitlines()))
        self.assertEqual(run.stdout.splitlines()[-1], lines[-1])

    def fail_step(self, step, reason):
        self.set_up.mkdir(parents=True)
        (self.set_up / step).write_text(reason)

    def test_all_are_run(self):
        run = self.run_leaving_out("# nothing\n\n")
        self.assertEqual(run.stdout.splitlines()[-1], "1 passed, 1 failed")
        self.assertNotEqual(run.returncode, 0)

    def test_those_that_are_named_are_left_out(self):
        run = self.run_leaving_out(r"# a reason for all" "\n" r"Bad\..*  # a reason" "\n")
        self.assertEqual(run.stdout.splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(run.returncode, 0)

    def test_part_of_a_name_is_not_enough_and_none_is_passed_over(self):
        run = self.run_leaving_out("Bad\ngood\n")
        self.assertIn("no test is called Bad", run.stderr)
        self.assertNotIn("good", run.stderr)
        self.assertNotEqual(run.returncode, 0)

    def test_the_slowest_and_the_whole_run_are_timed(self):
        self.add_test("slow", '"sh" "-c" "sleep 1"')
        lines = self.run_tests().stdout.splitlines()
        self.assertRegex("\n".join(lines), r"(?m)^slowest: slow [1-9]\d* s, good 0 s$")
        self.assertRegex(lines[-2], r"^[1-9][\d,]* s, [\d,]+ CPU-seconds$")

    def test_a_test_whose_set_up_failed_is_skipped_with_the_reason(self):
        self.add_test("weights", '"false"', LABELS='"model;needs_models"')
        self.fail_step("models", "there is no\nroom\n")
        run = self.run_tests("--exclude", "long")
        self.assert_said(run, "skipped: weights: the set-up of models failed: there is no room", "1 passed, 0 failed, 1 skipped")
        self.assertEqual(run.returncode, 0)

    def test_a_test_that_is_not_asked_for_is_not_reported(self):
        self.add_test("weights", '"false"', LABELS='"model;needs_models"')
        self.fail_step("models", "there is no room")
        self.assertEqual(self.run_tests("--exclude", "model").stdout.splitlines()[-1], "1 passed, 0 failed")

    def test_a_failed_step_skips_only_the_tests_that_need_it(self):
        self.add_test("weights", '"false"', LABELS='"needs_models_of_another"')
        self.fail_step("models", "there is no room")
        self.assertEqual(self.run_tests().stdout.splitlines()[-1], "1 passed, 1 failed")

    def test_a_test_that_skips_itself_is_shown_with_its_reason(self):
        self.add_test("client", '"sh" "-c" "echo SKIPPED: no client here; exit 77"', SKIP_RETURN_CODE=77)
        self.assert_said(self.run_tests(), "skipped: client: no client here", "1 passed, 0 failed, 1 skipped")

    def test_cases_that_are_skipped_are_shown_though_the_test_passes(self):
        case = self.folder / "case.py"
        case.write_text("import unittest\nclass C(unittest.TestCase):\n    def test_a(self): pass\n"
                        "    def test_b(self):\n        for n in (1, 2):\n            with self.subTest(n):\n"
                        "                self.skipTest('no cargo')\nunittest.main()\n")
        self.add_test("python", f'"{sys.executable}" "{RUNNER}" "{case}"', SKIP_RETURN_CODE=77)
        self.assert_said(self.run_tests(), "skipped: python:C.test_b [1], python:C.test_b [2]: no cargo", "2 passed, 0 failed")

    def test_a_python_test_of_which_nothing_runs_is_skipped(self):
        case = self.folder / "case.py"
        for skipped in ("@unittest.skip('no key')\nclass C(unittest.TestCase):\n    def test_a(self): pass\n",
                        "class C(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): raise unittest.SkipTest('no key')\n"
                        "    def test_a(self): pass\n"):
            case.write_text(f"import unittest\n{skipped}unittest.main()\n")
            self.add_test("python", f'"{sys.executable}" "{RUNNER}" "{case}"', SKIP_RETURN_CODE=77)
            run = self.run_tests()
            self.assertRegex(run.stdout, r"(?m)^skipped: python:.*: no key$")
            self.assertEqual(run.stdout.splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_how_a_failed_test_ends_is_shown_at_the_end(self):
        self.add_test("wrong", '"sh" "-c" "seq 100 130; echo; exit 3"')
        lines = self.run_tests().stdout.splitlines()
        shown = lines[lines.index("failed: wrong"):][1:]
        self.assertEqual(shown[:16], [f"    {n}" for n in range(115, 131)])
        self.assertNotIn("failed: good", lines)

    def test_a_python_test_that_fails_is_not_counted_as_skipped(self):
        case = self.folder / "case.py"
        case.write_text("import unittest\nclass C(unittest.TestCase):\n    def test_a(self): self.fail()\n"
                        "    @unittest.skip('no key')\n    def test_b(self): pass\nunittest.main()\n")
        self.add_test("python", f'"{sys.executable}" "{RUNNER}" "{case}"', SKIP_RETURN_CODE=77)
        self.assertEqual(self.run_tests().stdout.splitlines()[-1], "1 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
