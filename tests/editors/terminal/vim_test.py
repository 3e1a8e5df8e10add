#!/usr/bin/env python3
"""redraft in Vim with ALE, as a person has it who pasted the lines of docs/editors.md."""

import os
import re
import unittest

from terminal import EditorTest, lines_of

COUNT = "def f(a):\n    count = a\n    return count\n"
TOTAL = {"find": "count", "replace": "total"}


class VimTest(EditorTest):
    def open(self, text, **script):
        (self.home / ".vimrc").write_text(lines_of("Vim, with ALE", "vim"), encoding="utf-8")
        self.start([os.environ["REDRAFT_EDITOR"]], text, **script)
        self.until_shown(text.split("\n", 1)[0])

    def save(self):
        self.keys("Escape", ":w", "Enter")

    def choose(self, title):
        """Takes an action of the menu, which comes once the server has answered."""
        self.keys(":ALECodeAction", "Enter")
        self.until_shown("Type number", title)
        self.keys(re.search(rf"(\d+)\) {re.escape(title)}", self.screen()).group(1), "Enter")

    def test_completes_a_line(self):
        self.open("x = 1\n", fills=[{"after": "area = ", "write": "width * height"}])
        self.keys("o", "area = ", "C-x", "C-o")
        self.until_shown("area = width * height")
        self.until_saved("x = 1\narea = width * height\n")
        self.quit(":q!", "Enter")

    def test_edits_what_is_at_the_cursor(self):
        self.open(COUNT, edits=[TOTAL])
        self.choose("Redraft: simplify")
        self.until_saved(COUNT.replace("count", "total"))
        self.keys("u")  # all of it is one step
        self.until_saved(COUNT)
        self.quit(":q!", "Enter")

    def test_carries_out_an_instruction(self):
        self.open(COUNT + "count = 2\ncount = 3\n", edits=[{**TOTAL, "instruction": "use another name"}])
        self.keys(":Redraft use another name", "Enter")
        self.until_saved(COUNT.replace("count", "total") + "count = 2\ncount = 3\n")
        self.keys("4GV", ":Redraft use another name", "Enter")
        self.until_saved(COUNT.replace("count", "total") + "total = 2\ncount = 3\n")
        self.quit(":q!", "Enter")

    def test_says_that_nothing_was_changed(self):
        self.open(COUNT)
        self.keys(":Redraft use another name", "Enter")
        self.until_shown("the model changed nothing")
        self.quit(":q!", "Enter")

    def test_carries_out_an_instruction_in_a_comment(self):
        self.open(COUNT.replace(":\n", ":\n    # redraft: use another name\n"),
                  edits=[{**TOTAL, "instruction": "use another name"}])
        self.keys("j")
        self.choose("Redraft: use another name")
        self.until_saved(COUNT.replace("count", "total"))
        self.quit(":q!", "Enter")


if __name__ == "__main__":
    unittest.main(verbosity=2)
