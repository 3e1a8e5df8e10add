"""The tools of `redraft mcp` that need a model, over the real server with a scripted one."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from mcp_case import HANG_SECONDS, McpCase

SERVER = os.environ.get("REDRAFT_SCRIPTED_SERVER", str(pathlib.Path(__file__).resolve().parents[2] /
                                                       "build/tests/lsp/redraft_scripted_server"))
CODE = "def load(path):\n    return open(path)\n\n\ndef use():\n    return load('a')\n"
EDITS = [{"instruction": "rename the parameter and", "find": "path", "replace": "name"},
         {"instruction": "break", "find": "return open(path)", "replace": "return missing_name(path)"}]


class ModelCase(McpCase):
    def start(self, index=False, **script):
        """Starts the server, and a client of the tools."""
        run = tempfile.TemporaryDirectory()
        self.addCleanup(run.cleanup)
        folder = pathlib.Path(run.name)
        (folder / "script.json").write_text(json.dumps({"edits": EDITS, **script}))
        socket = str(folder / "socket")
        server = subprocess.Popen([SERVER, str(folder / "script.json"), "--attached-socket", socket,
                                   *(["--index"] if index else [])],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait, HANG_SECONDS)
        self.addCleanup(server.kill)
        self.assertIn(b"listening", server.stdout.readline())
        self.server = server
        self.file.write_text(CODE)
        client = self.client("--server-socket", socket)
        client.initialize()
        return client


class ByInstruction(ModelCase):
    def test_the_tools_are_listed(self):
        names = [tool["name"] for tool in self.start().request("tools/list")["result"]["tools"]]
        self.assertEqual(names, ["edit_file", "rename_symbol", "edit_by_instruction", "find_consequences"])

    def edit(self, client, instruction="rename the parameter and its uses", **more):
        return client.call("edit_by_instruction", path="a.py", instruction=instruction, **more)

    def test_the_model_edits_the_file(self):
        result = self.edit(self.start())
        self.assertEqual(self.status(result), ["written"], result["content"][0]["text"])
        self.assertEqual(self.file.read_text(), CODE.replace("path", "name"))
        self.assertEqual(result["structuredContent"]["files"][0]["changes"][0]["placed_by"], "model")

    def test_it_edits_only_the_given_lines(self):
        client = self.start()
        result = self.edit(client, first_line=2, last_line=2, accept_doubts=True)
        self.assertEqual(self.status(result), ["written"], result["content"][0]["text"])
        self.assertEqual(self.file.read_text(), CODE.replace("open(path)", "open(name)"))

    def test_a_doubt_is_returned_unwritten(self):
        client = self.start()
        result = self.edit(client, "break it", first_line=1)
        self.assertEqual(self.status(result), ["not_written"])
        self.assertIn("missing_name", result["content"][0]["text"])
        self.assertEqual(self.file.read_text(), CODE)
        self.assertEqual(self.status(self.edit(client, "break it", first_line=1, accept_doubts=True)), ["written"])

    def test_what_the_model_does_not_change_is_unchanged(self):
        result = self.edit(self.start(), "do nothing of note")
        self.assertEqual(self.status(result), ["unchanged"])

    def test_it_can_be_cancelled_and_the_next_call_works(self):
        client = self.start(delay_ms_per_pass=20)
        client.send({"id": "e", "method": "tools/call", "params": {"name": "edit_by_instruction", "_meta": {"progressToken": 1},
                     "arguments": {"path": "a.py", "instruction": "rename the parameter and its uses"}}})
        self.assertEqual(client.receive()["method"], "notifications/progress")
        client.send({"method": "notifications/cancelled", "params": {"requestId": "e"}})
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(self.file.read_text(), CODE)
        self.assertEqual(self.status(self.edit(client)), ["written"])

    def test_a_file_that_changes_meanwhile_is_not_written(self):
        client = self.start(delay_ms_per_pass=20)
        client.send({"id": "e", "method": "tools/call", "params": {"name": "edit_by_instruction", "_meta": {"progressToken": 1},
                     "arguments": {"path": "a.py", "instruction": "rename the parameter and its uses"}}})
        client.receive()
        self.file.write_text("x = 1\n")
        self.assertIn("changed on disk", client.answer("e")["result"]["content"][0]["text"])
        self.assertEqual(self.file.read_text(), "x = 1\n")

    def test_the_end_of_the_server_is_said(self):
        client = self.start()
        self.assertEqual(self.status(self.edit(client)), ["written"])
        self.server.send_signal(signal.SIGKILL)
        self.server.wait(HANG_SECONDS)
        self.file.write_text(CODE)
        self.assertIn("Restart this MCP server", self.edit(client)["content"][0]["text"])
        self.assertEqual(self.status(client.call(path="a.py", changes="def use():\n    return load('b')\n")), ["written"])

    def test_wrong_arguments_are_named(self):
        client = self.start()
        for arguments, why in (({"last_line": 3}, "needs a `first_line`"), ({"first_line": 99}, "beyond the end"),
                               ({"instruction": " "}, "instruction is"), ({"path": "../a.py"}, "outside")):
            with self.subTest(arguments):
                result = client.call("edit_by_instruction", **{"path": "a.py", "instruction": "rename", **arguments})
                self.assertTrue(result["isError"])
                self.assertIn(why, result["content"][0]["text"])


class Consequences(ModelCase):
    CALLS = "from a import load\n\n\ndef both():\n    return load('x'), load('y')\n"

    def test_calls_of_a_changed_function_follow_in_other_files(self):
        (self.folder / "b.py").write_text(self.CALLS)
        client = self.start(index=True)
        removed = "def load():\n    return open('a')\n"
        self.assertEqual(self.status(client.call(path="a.py", changes=removed)), ["written"])
        result = client.call("find_consequences", path="a.py")
        self.assertFalse(result["isError"], result["content"][0]["text"])
        self.assertEqual(set(self.status(result)), {"proposed"})
        diffs = {file["path"]: file["diff"] for file in result["structuredContent"]["files"]}
        self.assertIn("+    return load()\n", diffs["a.py"])
        self.assertIn("+    return load(), load()\n", diffs["b.py"])
        self.assertEqual((self.folder / "b.py").read_text(), self.CALLS)
        self.assertEqual(self.status(client.call(path="b.py", changes=diffs["b.py"])), ["written"])

    def test_without_a_change_there_are_none(self):
        client = self.start()
        result = client.call("find_consequences", path="a.py")
        self.assertTrue(result["isError"])
        self.assertIn("no tool of redraft has changed", result["content"][0]["text"])

    def test_a_change_without_consequences_has_none(self):
        client = self.start()
        self.assertEqual(self.status(client.call(path="a.py", changes="def use():\n    return load('b')\n")), ["written"])
        result = client.call("find_consequences", path="a.py")
        self.assertFalse(result["isError"], result["content"][0]["text"])
        self.assertIn("nothing follows", result["content"][0]["text"])


if __name__ == "__main__":
    unittest.main()
