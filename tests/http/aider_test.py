"""aider edits a file of a repository with redraft as its model, started by the lines of docs/http.md. Exit code 77: it is not
installed; `tools/setup.py aider` installs it."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from http_case import HttpTest

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
AIDER = CACHE / "redraft" / "venv-aider" / "bin" / "aider"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "http.md"
CHATS = 'redraft_http_answers_total{path="/v1/chat/completions",status="200"}'
PATIENCE = 600  # seconds: it imports hundreds of modules

BEFORE = "def area(width, height):\n    return width * height\n"
AFTER = BEFORE.replace("width * height\n", "abs(width * height)\n")
WHOLE = f"I take the absolute value.\n\nshapes.py\n```\n{AFTER}```\n"
BLOCK = ("I take the absolute value.\n\nshapes.py\n```python\n<<<<<<< SEARCH\n    return width * height\n=======\n"
         "    return abs(width * height)\n>>>>>>> REPLACE\n```\n")
# What aider asks of a model to name a commit has the instruction in it, too, so it comes first.
COMMIT = {"after": "Git commit messages", "write": "fix: no area is negative"}


def command_of_the_page():
    section = PAGE.read_text(encoding="utf-8").split("\n**aider**", 1)[1]
    return re.search(r"^```sh\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL).group(1)


class AiderTest(HttpTest):
    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        (self.repository / "shapes.py").write_text(BEFORE, encoding="utf-8")
        # Prices of others' models, which aider fetches where it has none.
        prices = self.folder / ".aider" / "caches" / "model_prices_and_context_window.json"
        prices.parent.mkdir(parents=True)
        prices.write_text('{"sample_spec": {}}', encoding="utf-8")
        self.git("init", "-q", ".")
        self.git("config", "user.name", "A Person")
        self.git("config", "user.email", "person@example.com")
        self.git("add", "shapes.py")
        self.git("commit", "-q", "-m", "first")

    def environment(self, **more):
        # Whatever does not go to this machine ends at a port that nobody listens at.
        return {"HOME": str(self.folder), "PATH": f"{AIDER.parent}:{os.environ['PATH']}", "LANG": "C.UTF-8", "TERM": "dumb",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True", "https_proxy": "http://127.0.0.1:9", **more}

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.repository, env=self.environment(), check=True,
                              capture_output=True, text=True).stdout

    def aider(self, answer, *options, form="whole"):
        """The server, after aider has carried out an instruction on the file."""
        server = self.start(answers=[COMMIT, {"after": "never negative", "write": answer}])
        command = command_of_the_page().replace(":8012/", f":{server.port}/").replace("qwen2.5-coder-1.5b", "scripted")
        command = command.replace("--edit-format whole", f"--edit-format {form}")
        run = subprocess.run(["sh", "-c", f'{command} "$@"', "sh", "--message", "make it never negative", "--yes-always",
                              "--no-analytics", "--no-check-update", "--no-pretty", "--no-gitignore", *options, "shapes.py"],
                             cwd=self.repository, env=self.environment(token=server.token), capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual((self.repository / "shapes.py").read_text(encoding="utf-8"), AFTER, run.stdout + run.stderr)
        return server

    def test_writes_a_file_as_a_stream(self):
        server = self.aider(WHOLE, "--stream", "--no-auto-commits")
        self.assertEqual(server.metric(CHATS), 1)
        self.assertEqual(self.git("diff", "--stat", "--", "shapes.py").count("shapes.py"), 1)

    def test_writes_a_file_at_once(self):
        self.aider(WHOLE, "--no-stream", "--no-auto-commits")

    def test_changes_a_block(self):
        for way in ("--stream", "--no-stream"):
            self.git("checkout", "-q", "shapes.py")
            self.aider(BLOCK, way, "--no-auto-commits", form="diff")

    def test_names_the_commit(self):
        self.aider(WHOLE)
        self.assertEqual(self.git("log", "-1", "--format=%s").strip(), COMMIT["write"])
        self.assertEqual(self.git("status", "--short", "--untracked-files=no"), "")


if __name__ == "__main__":
    if not AIDER.exists():
        print(f"SKIPPED: there is no {AIDER}; tools/setup.py aider installs it")
        sys.exit(77)
    unittest.main(verbosity=2)
