"""A document that crashes the server twice is left alone by the next server, and the user is told which."""

import pathlib
import signal
import unittest

from lsp_client import ResponseError
from server_case import STREAMING, URI, ServerTest

OTHER = "file:///project/other.py"


class Quarantine(ServerTest):
    def setUp(self):
        super().setUp()
        self.notes = pathlib.Path(self.folder.name) / "state" / "crashes"

    def serve(self, **script):
        client = self.start([{"find": "a", "replace": "b"}], STREAMING, options=("--crash-notes", str(self.notes)), **script)
        self.open(client, "a = 1\n")
        self.open(client, "a = 1\n", uri=OTHER)
        return client

    def edit(self, client, uri=URI):
        return client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri}, "instruction": "do it"}]})["editId"]

    def assert_edited(self, client, uri=URI):
        self.assertEqual(self.end(client, self.edit(client, uri))["state"], "done")

    def end_during_an_edit(self, by):
        client = self.serve(**self.hold())
        self.addCleanup(lambda: pathlib.Path(self._hold_file()).unlink(missing_ok=True))
        self.edit(client)
        client.notification("$/redraft/edit")  # so it runs
        client.process.send_signal(by)
        self.assertEqual(client.exit_code(), -by)
        self.release()

    def warnings(self, client):
        client.request("redraft/status")  # so all that came before has been read
        return [shown["message"] for shown in client.all("window/showMessage")]

    def test_a_document_that_crashed_it_twice_is_left_alone(self):
        for _ in range(2):
            self.assert_edited(self.serve())
            self.end_during_an_edit(signal.SIGSEGV)
        client = self.serve()
        (warning,) = self.warnings(client)
        self.assertIn(URI, warning)
        self.assertIn("crashed twice", warning)
        self.assert_edited(client, OTHER)
        with self.assertRaises(ResponseError) as refused:
            self.edit(client)
        self.assertIn(URI, str(refused.exception))

    def test_not_if_it_was_ended_on_request(self):
        for _ in range(2):
            self.end_during_an_edit(signal.SIGKILL)
        client = self.serve()
        self.assertEqual(self.warnings(client), [])
        self.assert_edited(client)


if __name__ == "__main__":
    unittest.main()
