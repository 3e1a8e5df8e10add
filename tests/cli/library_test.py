"""The part of the program that needs libtorch is a library, which is opened with the first model."""

import os
import shutil
import subprocess
import unittest

from redraft_process import PROGRAM, InFolder, run


class Library(InFolder):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(self.model), "1"], check=True)

    def generate(self, program):
        return subprocess.run([program, "generate", "--prompt", "x = 1", "--max-new-tokens", "4", "--target", str(self.model)],
                              capture_output=True, timeout=600,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})

    def test_a_model_brings_it(self):
        written = self.generate(PROGRAM)
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertTrue(written.stdout)  # four tokens of any bytes

    def test_nothing_else_does(self):
        for words in (("--version",), ("edit", "--help"), ("models", "list"), ("frobnicate",)):
            shown = run(*words, environment={"LD_DEBUG": "files"}).stderr.decode()
            self.assertIn("libstdc++", shown)  # what is opened is shown
            self.assertNotIn("libtorch", shown)

    def test_where_it_is_missing_that_is_said(self):
        alone = self.folder / "bin" / "redraft"
        alone.parent.mkdir()
        shutil.copy(PROGRAM, alone)
        failed = self.generate(str(alone))
        self.assert_fails(failed, 1, "cannot load a part of redraft", "lib/redraft/libredraft-transformer.so",
                          "install redraft again")


if __name__ == "__main__":
    unittest.main()
