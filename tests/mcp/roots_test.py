"""Where an agent may edit: the roots that a client names, changes or keeps to itself."""

import pathlib
import tempfile
import unittest

from mcp_case import CHANGE, CHANGED, TEXT, McpCase, meta, uri

CALL = {"method": "tools/call", "params": {"name": "edit_file", "arguments": {"path": "a.py", "changes": CHANGE}}}


class Roots(McpCase):
    def setUp(self):
        super().setUp()
        other = tempfile.TemporaryDirectory()
        self.addCleanup(other.cleanup)
        self.other = pathlib.Path(other.name).resolve()
        (self.other / "a.py").write_text(TEXT)

    def texts(self):
        return [(folder / "a.py").read_text() for folder in (self.folder, self.other)]

    def edit(self, path):
        return {"id": "e", "method": "tools/call", "params": {"name": "edit_file", "arguments": {
            "path": str(path), "changes": CHANGE}}}

    def test_a_client_without_roots_gets_the_working_directory(self):
        client = self.client()
        client.initialize()
        self.assertIn("outside of the folders", client.call(path=str(self.other / "a.py"), changes=CHANGE)["content"][0]["text"])
        self.assertEqual(self.status(client.call(path="a.py", changes=CHANGE)), ["written"])
        self.assertEqual(self.texts(), [CHANGED, TEXT])

    def test_neither_the_disk_nor_the_home_folder_is_a_project(self):
        for folder in ("/", pathlib.Path.home()):
            client = self.client(folder=folder)
            client.initialize()
            self.assertIn("--root", client.call(path=str(self.file), changes=CHANGE)["content"][0]["text"])
        self.assertEqual(self.texts(), [TEXT, TEXT])

    def test_the_roots_that_a_client_names_replace_it(self):
        client = self.client()
        client.initialize(roots={"listChanged": True})
        client.name_roots(self.other)
        self.assertIn("outside of the folders", client.call(path=str(self.file), changes=CHANGE)["content"][0]["text"])
        self.assertEqual(self.status(client.call(path="a.py", changes=CHANGE)), ["written"])
        self.assertEqual(self.texts(), [TEXT, CHANGED])

    def test_roots_change_during_a_call(self):
        client = self.client()
        client.initialize(roots={"listChanged": True})
        client.name_roots(self.folder)
        client.send(self.edit(self.file), {"method": "notifications/roots/list_changed"})
        client.name_roots(self.other)
        self.assertIn("outside of the folders", client.answer("e")["result"]["content"][0]["text"])
        self.assertEqual(self.texts(), [TEXT, TEXT])

    def test_an_answer_to_an_earlier_request_does_not_count(self):
        client = self.client()
        client.initialize(roots={"listChanged": True})
        first = client.receive()
        client.send({"method": "notifications/roots/list_changed"})
        second = client.receive()
        client.send(self.edit(self.file), {"id": first["id"], "result": {"roots": [{"uri": uri(self.folder)}]}},
                    {"id": second["id"], "result": {"roots": [{"uri": uri(self.other)}]}})
        self.assertIn("outside of the folders", client.answer("e")["result"]["content"][0]["text"])

    def test_a_call_that_waits_for_the_roots_can_be_cancelled(self):
        client = self.client()
        client.initialize(roots={})
        asked = client.receive()
        client.send(self.edit(self.file))
        self.assertEqual(client.request("ping")["result"], {})  # the call waits, the session does not
        client.send({"method": "notifications/cancelled", "params": {"requestId": "e"}})
        client.send({"id": asked["id"], "result": {"roots": [{"uri": uri(self.folder)}]}})
        self.assertEqual(self.status(client.call(path="a.py", changes=CHANGE, dry_run=True)), ["would_write"])
        self.assertEqual(client.notifications, [])
        self.assertEqual(self.texts(), [TEXT, TEXT])

    def test_closing_all_folders_allows_none(self):
        client = self.client()
        client.initialize(roots={"listChanged": True})
        client.name_roots(self.folder)
        client.send({"method": "notifications/roots/list_changed"})
        client.name_roots()
        self.assertIn("closed all", client.call(path="a.py", changes=CHANGE)["content"][0]["text"])
        self.assertEqual(self.texts(), [TEXT, TEXT])

    def test_roots_that_cannot_be_used_are_named(self):
        client = self.client()
        client.initialize(roots={})
        asked = client.receive()
        client.send({"id": asked["id"], "result": {"roots": [{"uri": "https://host/"}, {"uri": "file:///none/x"}, 7]}})
        said = client.call(path="a.py", changes=CHANGE)["content"][0]["text"]
        self.assertIn("https://host/", said)
        self.assertIn("/none/x", said)

    def test_a_client_that_cannot_list_its_roots_names_none(self):
        client = self.client()
        client.initialize(roots={})
        asked = client.receive()
        client.send({"id": asked["id"], "error": {"code": -32601, "message": "no"}})
        self.assertEqual(self.status(client.call(path="a.py", changes=CHANGE)), ["written"])

    def test_folders_of_the_command_line_are_the_only_ones(self):
        client = self.client("--root", str(self.other))
        client.initialize(roots={})
        self.assertIn("outside of the folders", client.call(path=str(self.file), changes=CHANGE)["content"][0]["text"])
        self.assertEqual(self.status(client.call(path="a.py", changes=CHANGE)), ["written"])
        self.assertEqual(client.notifications, [])
        self.assertEqual(self.texts(), [TEXT, CHANGED])

    def test_without_a_handshake_roots_come_with_the_call(self):
        client = self.client()
        params = {**CALL["params"], "_meta": meta(roots={})}
        asked = client.request("tools/call", params)["result"]
        self.assertEqual((asked["resultType"], asked["inputRequests"]), ("input_required", {"roots": {"method": "roots/list"}}))
        self.assertEqual(self.texts(), [TEXT, TEXT])
        done = client.request("tools/call", {**params, "inputResponses": {"roots": {"roots": [{"uri": uri(self.other)}]}}})
        self.assertEqual(self.status(done["result"]), ["written"])
        self.assertEqual(self.texts(), [TEXT, CHANGED])


if __name__ == "__main__":
    unittest.main()
