"""redraft apply: a change that another assistant wrote. No model is there: what is tested needs none, or says so."""

import json
import unittest

from redraft_process import InFolder, run

CODE = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
FIRST = "Change it so:\n```python\ndef first():\n    return os.getpid()\n```\n"
APPLIED = CODE.replace("return 1", "return os.getpid()")


class Apply(InFolder):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "a.py"
        self.file.write_text(CODE)

    def apply(self, change, *arguments, file=None):
        return self.run_alone("apply", file or str(self.file), "--change", "-", *arguments, input=change)

    def test_a_function_is_replaced_and_the_diff_shown(self):
        done = self.apply(FIRST)
        self.assertIn("-    return 1\n+    return os.getpid()\n", self.assert_succeeds(done))
        self.assertIn(b"without the model", done.stderr)
        self.assertEqual(self.file.read_text(), CODE)

    def test_it_is_written_on_request(self):
        self.assert_succeeds(self.apply(FIRST, "--write"))
        self.assertEqual(self.file.read_text(), APPLIED)
        again = self.apply(FIRST, "--write")
        self.assert_succeeds(again)
        self.assertIn(b"already contains this code", again.stderr)
        self.assertEqual(self.file.read_text(), APPLIED)

    def test_the_figures_say_that_no_model_ran(self):
        report = json.loads(self.assert_succeeds(self.apply(FIRST, "--format", "json")))
        self.assertEqual(report["text"], APPLIED)
        self.assertEqual((report["placed"], report["passes"], report["target"]), (True, 0, None))

    def test_a_change_in_a_file_for_standard_input(self):
        change = self.folder / "change.diff"
        change.write_text("@@ -1 +1 @@\n def second():\n-    return 2\n+    return 3\n")
        done = run("apply", "-", "--language", "python", "--change", str(change), "--format", "text", input=CODE)
        self.assertEqual(self.assert_succeeds(done), CODE.replace("return 2", "return 3"))

    def test_without_a_model_what_is_uncertain_names_the_model(self):
        done = self.apply("def first():\n    # ... existing code ...\n    yield 7\n")
        self.assert_fails(done, 1, "qwen2.5-coder-1.5b")
        self.assertEqual(self.file.read_text(), CODE)

    def test_what_does_not_match_names_the_closest_lines(self):
        block = "<<<<<<< SEARCH\n    return 1\n=======\n    return 3\n>>>>>>> REPLACE\n"
        self.file.write_text(CODE.replace("return 2", "return 1"))
        done = self.apply(block, "--format", "json")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"they fit line 5; line 9", done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["placed"], False)
        self.assertEqual([(one["kind"], one["regions"]) for one in report["mismatches"]],
                         [("several places", [{"first": 5, "last": 5}, {"first": 9, "last": 9}])])

    def test_a_stale_line_is_a_doubt(self):
        block = ("<<<<<<< SEARCH\ndef second():\n    return 2  # two\n=======\n"
                 "def second():\n    return 3\n>>>>>>> REPLACE\n")
        done = self.apply(block, "--write")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"not written: line 9: line 9 and the change differ in the same words", done.stderr)
        self.assertEqual(self.file.read_text(), CODE)
        self.assert_succeeds(self.apply(block, "--write", "--yes"))
        self.assertEqual(self.file.read_text(), CODE.replace("return 2", "return 3"))

    def test_bad_changes(self):
        self.assert_fails(self.apply(" \n"), 1, "the change is empty")
        self.assert_fails(self.apply("--- a/x.c\n+++ b/x.c\n@@ @@\n-a\n+b\n--- a/y.c\n+++ b/y.c\n@@ @@\n-a\n+b\n"), 1,
                          "for x.c and y.c, not for a.py")
        self.assert_fails(self.apply(FIRST, file="-"), 2, "standard input")
        self.assert_fails(self.apply(FIRST, file=str(self.folder / "none.py")), 1, "none.py")
        self.assert_fails(run("apply", str(self.file), "--change", str(self.folder / "none")), 1, "none")
        self.assert_fails(run("apply", str(self.file), "--change", ""), 2, "--change is empty")
        self.assert_fails(run("apply", str(self.file)), 2, "--change")


if __name__ == "__main__":
    unittest.main()
