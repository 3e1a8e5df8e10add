"""The files generated from the table of settings are up to date, and the check notices when they are not."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = ["docs/settings.md", "editors/vscode/package.json", "editors/neovim/doc/redraft.txt",
         "editors/neovim/lua/redraft/settings.lua"]


class SettingsFiles(unittest.TestCase):
    def run_tool(self, root, *options):
        return subprocess.run([sys.executable, "-B", ROOT / "tools" / "settings.py", "--root", root, "--program",
                               os.environ["REDRAFT_PRINT_SETTINGS"], *options], capture_output=True, text=True)

    def test_they_are_up_to_date(self):
        run = self.run_tool(ROOT, "--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_one_that_is_not_is_found_and_written(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in FILES:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, root / name)
            for name in FILES:
                with self.subTest(name):
                    was = (root / name).read_text(encoding="utf-8")
                    self.assertIn("cacheOnDisk", was)
                    (root / name).write_text(was.replace("cacheOnDisk", "otherOnDisk"), encoding="utf-8")
                    run = self.run_tool(root, "--check")
                    self.assertEqual(run.returncode, 1)
                    self.assertIn(name, run.stderr)
                    self.assertEqual(self.run_tool(root).returncode, 0)
                    self.assertEqual((root / name).read_text(encoding="utf-8"), was)
                    self.assertEqual(self.run_tool(root, "--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
