"""The cases for next edits: what each asks is what it says."""

import collections
import difflib
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))

import next_edit_cases  # noqa: E402


def hunks(task):
    before, after = task["before"].split("\n"), task["after"].split("\n")
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [(before[i:j], after[k:n]) for tag, i, j, k, n in matcher.get_opcodes() if tag != "equal"]


class NextEditCasesTest(unittest.TestCase):
    def test_every_kind_is_there_in_every_language(self):
        found = collections.Counter((kind, language) for kind, _, language, *_ in next_edit_cases.CASES)
        self.assertEqual(set(found.values()), {1})
        self.assertEqual(len(found), 16)

    def test_every_case_goes_on_after_its_first_change(self):
        for case in next_edit_cases.CASES:
            with self.subTest(case[1]):
                task = next_edit_cases.task_of(*case)
                self.assertGreaterEqual(len(hunks(task)), len(case[-1]))
                self.assertGreaterEqual(len(case[-1]), 3)

    def test_no_lines_change_twice_alike(self):
        for case in next_edit_cases.CASES:
            with self.subTest(case[1]):
                changed = [tuple(line.strip() for line in before) for before, _ in hunks(next_edit_cases.task_of(*case))]
                self.assertEqual(len(set(changed)), len(changed))


if __name__ == "__main__":
    unittest.main()
