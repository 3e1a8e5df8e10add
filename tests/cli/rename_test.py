"""redraft edit: renames by the syntax tree. No model is there: what needs one says so."""

import json
import unittest

from redraft_process import InFolder, run

CODE = "def load(count):\n    total = count + 1\n    return total\n\n\nload(count=2)\n"
RENAMED = CODE.replace("count", "n")


class Rename(InFolder):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "a.py"
        self.file.write_text(CODE)

    def edit(self, instruction, *arguments):
        return self.run_alone("edit", str(self.file), "--instruction", instruction, *arguments)

    def test_the_diff_is_shown(self):
        done = self.edit("rename count to n")
        self.assertIn("-load(count=2)\n+load(n=2)\n", self.assert_succeeds(done))
        self.assertIn(b"renamed by the syntax tree, without the model", done.stderr)
        self.assertEqual(self.file.read_text(), CODE)

    def test_it_is_written_on_request(self):
        self.assert_succeeds(self.edit("rename count to n", "--write", "--range", "2:13-2:13"))
        self.assertEqual(self.file.read_text(), RENAMED)

    def test_the_figures_say_that_no_model_ran(self):
        report = json.loads(self.assert_succeeds(self.edit("rename count to n and total to t", "--format", "json")))
        self.assertEqual(report["text"], RENAMED.replace("total", "t"))
        self.assertEqual((report["renamed"], report["passes"], report["target"]), (True, 0, None))

    def test_of_standard_input(self):
        done = run("edit", "-", "--language", "python", "rename count to n", "--format", "text", input=CODE)
        self.assertEqual(self.assert_succeeds(done), RENAMED)

    def test_who_names_a_model_or_a_decoder_gets_it(self):
        for arguments in (("--target", "qwen2.5-coder-1.5b"), ("--decoder", "ar"), ("--compare",)):
            self.assert_fails(self.edit("rename count to n", *arguments), 1, "qwen2.5-coder-1.5b")

    def test_what_else_is_asked_for_needs_the_model(self):
        for instruction in ("rename count to n and add a comment", "rename"):
            self.assert_fails(self.edit(instruction), 1, "qwen2.5-coder-1.5b")
        self.assert_fails(self.edit("rename missing to n"), 1, "there is no 'missing' in this file")
        self.assertEqual(self.file.read_text(), CODE)


if __name__ == "__main__":
    unittest.main()
