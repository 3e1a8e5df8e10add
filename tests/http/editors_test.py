"""`redraft serve --editors`: programs and editors share one process, and with it the model."""

import os
import pathlib
import sys
import unittest

from http_case import HttpTest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "lsp"))
from lsp_client import Client  # noqa: E402

URI = "file:///tmp/a.py"


class EditorsTest(HttpTest):
    def test_one_process_serves_both(self):
        (self.folder / "run").mkdir(mode=0o700)
        env = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "run")}
        server = self.start("--editors", "--log-level", "debug", env=env)
        script = str(self.folder / "script.json")
        # As an editor starts it; it hands its client over to the server that it finds.
        editor = Client([os.environ["REDRAFT_SCRIPTED_SERVER"], script, "--share", "--log-level", "debug"], env=env)
        self.addCleanup(editor.close)
        editor.request("initialize", {"processId": None, "capabilities": {"textDocument": {"inlineCompletion": {}}}})
        editor.notify("initialized")
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "python", "version": 1,
                                                                "text": "x = \n"}})
        items = editor.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": {"line": 0, "character": 4}, "context": {"triggerKind": 1}})["items"]
        self.assertEqual(items[0]["insertText"], "1")
        answer = server.post("/infill", {"input_prefix": "x = ", "input_suffix": "\n"}).json
        self.assertEqual(answer["content"], "1\ny = 2\n")
        editor.request("shutdown")
        editor.notify("exit")
        self.assertEqual(editor.exit_code(), 0)
        code, log = server.end()
        self.assertEqual(code, 0)
        self.assertIn("client 1 has come", log)
        self.assertEqual([file.name for file in (self.folder / "run/redraft").iterdir() if file.is_socket()], [])

    def test_there_is_one_such_server(self):
        (self.folder / "run").mkdir(mode=0o700)
        env = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "run")}
        self.start("--editors", env=env)
        with self.assertRaisesRegex(AssertionError, "already serves"):
            self.start("--editors", "--token-file", str(self.folder / "other"), env=env)


if __name__ == "__main__":
    unittest.main()
