"""The faults of bench/faults, without a model: each is a fault, and its correction mends it. A fault is skipped if its language's
compiler is missing or does not work."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))

from faults.tasks import FAULTS  # noqa: E402
from faults_bench import judged, language_of, message_of, written  # noqa: E402
from instructions.programs import Runner  # noqa: E402
from instructions.sources import programs  # noqa: E402

COMPILERS = {"python": "python3", "go": "go", "cpp": "g++", "rust": "rustc"}


class Faults(unittest.TestCase):
    def test_each_is_one_and_can_be_mended(self):
        runner = Runner(None)
        for fault in FAULTS:
            with self.subTest(fault.id):
                compiler = COMPILERS[language_of(fault)]
                if not programs.find(compiler):
                    self.skipTest(programs.why_missing(compiler))
                name, text = fault.file
                self.assertEqual(text.count(fault.at), 1)
                self.assertIsNotNone(judged(fault, text, runner))
                self.assertIsNone(judged(fault, text.replace(fault.at, fault.right), runner))
                with written(fault) as folder:
                    self.assertTrue(message_of(fault, folder))

    def test_what_is_right_stands_in_the_other_file_alone(self):
        self.assertEqual(len({fault.id for fault in FAULTS}), 16)
        for fault in FAULTS:
            self.assertNotIn(fault.right, fault.file[1], fault.id)


if __name__ == "__main__":
    unittest.main()
