"""tools/run_tests.py, which tests are left out by name, on a folder with two tests."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "run_tests.py"
TIME_LIMIT = 60


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "CTestTestfile.cmake").write_text('add_test(good "true")\nadd_test(Bad.Test/1 "false")\n')

    def run_leaving_out(self, text):
        names = self.folder / "names"
        names.write_text(text)
        return subprocess.run([sys.executable, "-B", PROGRAM, "--build", self.folder, "--leave-out", names],
                              capture_output=True, text=True, timeout=TIME_LIMIT)

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


if __name__ == "__main__":
    unittest.main()
