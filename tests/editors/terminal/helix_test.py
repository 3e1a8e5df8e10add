#!/usr/bin/env python3
"""redraft in Helix, as a person has it who pasted the lines of docs/editors.md."""

import os
import re
import unittest

from terminal import EditorTest, lines_of

TOTAL = [{"find": "count", "replace": "total"}]
COUNT = "def f(a):\n    count = a\n    return count\n"


class HelixTest(EditorTest):
    def open(self, text, **script):
        configuration = self.home / ".config" / "helix" / "languages.toml"
        configuration.parent.mkdir(parents=True)
        configuration.write_text(lines_of("Helix", "toml"), encoding="utf-8")
        self.start([os.environ["REDRAFT_EDITOR"]], text, **script)
        self.until_shown("NOR", text.split("\n", 1)[0])

    def save(self):
        if "INS" in self.screen():
            self.keys("Escape")  # by itself: with what follows it would be another key
            self.until_shown("NOR")
        self.keys(":w", "Enter")
        self.until_shown("written")  # before that, Helix takes the buffer to be unsaved

    def choose(self, title):
        """Opens the menu of actions, as often as it takes until the server is ready, and takes one."""
        def opens():
            self.keys(" a")
            self.until("the menu, or why there is none", lambda: re.search(
                f"{re.escape(title)}|[Nn]o code actions|[Nn]o configured language server", self.screen()))
            return title in self.screen()
        self.until(f"the menu offers {title}", opens)
        menu = [line for line in self.screen().splitlines() if "Redraft: " in line]
        place = next(i for i, line in enumerate(menu) if title in line)
        self.keys(*["Down"] * place, "Enter")  # the first is selected

    def test_completes_a_line(self):
        self.open("x = 1\n", fills=[{"after": "area = ", "write": "width * height"}])
        self.keys("o", "area = ", "C-x")
        self.until_shown("width * height")
        self.keys("Tab", "Enter")
        self.until_saved("x = 1\narea = width * height\n")
        self.quit(":q!", "Enter")

    def test_edits_what_is_at_the_cursor(self):
        self.open(COUNT, edits=TOTAL)
        self.choose("Redraft: simplify")
        self.until_saved(COUNT.replace("count", "total"))
        self.keys("u")  # all of it is one step
        self.until_saved(COUNT)
        self.quit(":q!", "Enter")

    def test_carries_out_an_instruction_in_a_comment(self):
        self.open(COUNT.replace(":\n", ":\n    # redraft: use another name\n"),
                  edits=[{"instruction": "use another name", "find": "count", "replace": "total"}])
        self.keys("j")
        self.choose("Redraft: use another name")
        self.until_saved(COUNT.replace("count", "total"))
        self.quit(":q!", "Enter")


if __name__ == "__main__":
    unittest.main(verbosity=2)
