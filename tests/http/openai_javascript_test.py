"""OpenAI's own client for JavaScript, in openai/client_test.mjs. Exit code 77: it is not installed, or there is no Node."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from http_case import TIME_LIMIT, HttpTest

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "redraft"
MODULES = pathlib.Path(os.environ.get("REDRAFT_NODE_TESTS") or CACHE / "node-tests") / "node_modules"
# The editors' tests install one, too.
NODE = shutil.which("node") or shutil.which(CACHE / "editors/wheels/commands/node")
TEST = pathlib.Path(__file__).parent / "openai/client_test.mjs"

if not NODE or not (MODULES / "openai").is_dir():
    print(f"SKIPPED: {'openai is not in ' + str(MODULES) if NODE else 'there is no Node'}; tools/setup.py tests installs it")
    sys.exit(77)


class OpenAiJavaScriptTest(HttpTest):
    def test_client(self):
        server = self.start()
        # Node looks for packages beside the file that imports them.
        place = self.folder / TEST.name
        shutil.copyfile(TEST, place)
        (self.folder / "node_modules").symlink_to(MODULES)
        run = subprocess.run([NODE, str(place)], capture_output=True, text=True, timeout=2 * TIME_LIMIT, cwd=self.folder,
                             env={**os.environ, "BASE_URL": f"http://127.0.0.1:{server.port}/v1", "API_KEY": server.token})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("5 steps", run.stdout)


if __name__ == "__main__":
    unittest.main()
