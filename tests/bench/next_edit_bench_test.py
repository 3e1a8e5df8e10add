"""bench/next_edit_bench.py asks what `redraft bench quality` asks: the questions of quality/next_edit_cases.jsonl."""

import json
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "bench"))

import next_edit_bench  # noqa: E402

NAMES = {"done": "after the commit", "recorded": "after the commit before"}


class Questions(unittest.TestCase):
    def test_are_those_of_the_quality_bench(self):
        for line in (FOLDER / "quality" / "next_edit_cases.jsonl").read_text().splitlines():
            case = json.loads(line)
            within = iter(("after 1 hunk", "after 2 hunks", "after 3 hunks"))
            asked = [(NAMES.get(kind) or next(within), ["\n".join(step) for step in steps])
                     for kind, steps in next_edit_bench.questions(case)]
            self.assertEqual(asked, [(question["name"], question["steps"]) for question in case["questions"]])


if __name__ == "__main__":
    unittest.main()
