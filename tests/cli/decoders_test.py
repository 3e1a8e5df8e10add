"""The list of decoders is the table that parses their names, and the document explains each of them."""

import pathlib
import re
import subprocess
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, RedraftCase, run

NAMES = [
    "ar", "sd", "head", "ouroboros", "selfspec", "pld", "llma", "lookahead", "fastfixer", "copyspec", "copyspec+sd", "rest", "fastcoder",
    "efficientedit", "redraft",
]
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lab" / "decoding-methods.md"


class Decoders(RedraftCase):
    def setUp(self):
        laboratory = pathlib.Path(PROGRAM).with_name("redraft-lab")
        self.listed = self.assert_succeeds(subprocess.run([laboratory, "decoders"], capture_output=True, timeout=TIME_LIMIT))

    def test_lists_every_name(self):
        self.assertEqual(re.findall(r"^([a-z+]+)$", self.listed, re.MULTILINE), NAMES)

    def test_every_option_is_explained(self):
        explained = DOCUMENT.read_text()
        for option in re.findall(r"^    :([a-z-]+)", self.listed, re.MULTILINE):
            if option != "max-nodes":  # of the default decoder only
                self.assertRegex(explained, rf"[`:]{option}[`:=]", option)

    def test_an_option_that_is_not_there_is_named(self):
        for name in NAMES:
            unknown = run("generate", "--prompt", "x", "--decoder", f"{name}:nonsense")
            self.assert_fails(unknown, 2, "unknown option 'nonsense'")


if __name__ == "__main__":
    unittest.main()
