"""A message that is too long to be read affects its own document only: the session of all others continues."""

import json
import os
import re
import unittest

from server_case import RENAME, STREAMING, URI, ServerTest, span

LARGE = "file:///tmp/large.json"
LIMIT = 64 << 20
TEXT = "old = 1\n"


class LargeMessages(ServerTest):
    def setUp(self):
        super().setUp()
        self.large = "x" * (LIMIT + (2 << 20))

    def send_open(self, client, text, uri=LARGE, text_first=False):
        document = {"uri": uri, "languageId": "json", "version": 1, "text": text}
        if text_first:  # like an editor whose language does not order the members of a table
            document = dict(reversed(document.items()))
        client.notify("textDocument/didOpen", {"textDocument": document})

    def told(self, client):
        return [params["message"] for params in client.all("window/showMessage")]

    def edits(self, client, version=1):
        edit = self.edit(client, version=version)
        self.assertEqual(self.end(client, edit)["state"], "done")
        return [event["newText"] for event in self.events(client, edit, "hunk")]

    def test_another_document_is_edited_before_and_after(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, TEXT)
        self.assertEqual(len(self.edits(client)), 1)
        for text_first in (False, True):
            self.send_open(client, self.large, text_first=text_first)
        self.assertEqual(len(self.edits(client)), 1)
        (told,) = self.told(client)
        self.assertIn(LARGE, told)
        self.assertIn("67 MB", told)
        self.assertIn("64 MB", told)
        self.assertEqual(client.process.poll(), None)

    def test_what_follows_for_the_refused_document_ends_and_floods_nothing(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, TEXT)
        self.send_open(client, self.large)
        for version in range(2, 200):
            client.notify("textDocument/didChange", {"textDocument": {"uri": LARGE, "version": version},
                                                     "contentChanges": [{"range": span(0, 0, 0, 1), "text": "y"}]})
        client.notify("textDocument/didChange", {"textDocument": {"uri": LARGE, "version": 200},
                                                 "contentChanges": [{"text": self.large}]})
        client.notify("textDocument/didSave", {"textDocument": {"uri": LARGE}})
        client.notify("textDocument/didClose", {"textDocument": {"uri": LARGE}})
        self.assertEqual(len(self.edits(client)), 1)
        self.assertEqual(len(self.told(client)), 1)
        self.assertLess(client.log.count(b"\n"), 50)
        self.send_open(client, TEXT)  # the text is small now
        self.change(client, 2, {"text": TEXT * 2})
        self.assertEqual(len(self.edits(client, version=2)), 1)
        self.assertEqual(len(self.told(client)), 1)

    def test_a_document_that_grows_beyond_the_limit_is_given_up(self):
        client = self.start(RENAME, STREAMING)
        other = "file:///tmp/b.py"
        self.open(client, TEXT)
        self.open(client, TEXT, uri=other)
        self.change(client, 2, {"text": self.large})
        self.assert_error(-32602, self.edit, client, version=2)
        (told,) = self.told(client)
        self.assertIn(URI, told)
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": other}, "instruction": "rename it"}]})["editId"]
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.open(client, TEXT, version=3)
        self.assertEqual(len(self.edits(client, version=3)), 1)

    def test_a_request_gets_an_error(self):
        client = self.start(RENAME, STREAMING)
        self.assert_error(-32803, client.request, "workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": URI}, "instruction": self.large}]})
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")
        self.assertEqual(self.told(client), [])

    def test_what_is_no_message_at_all(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, TEXT)
        for byte in (b"{", b"\\", b"\"", b"\x00", b"\xff"):
            client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (LIMIT + 1, byte * (LIMIT + 1)))
        self.assertEqual(len(self.edits(client)), 1)
        self.assertEqual(len(self.told(client)), 1)

    def send_values(self, client, n, **message):
        """A message with n values of a few bytes each, in a member that nobody reads."""
        content = json.dumps({"jsonrpc": "2.0", **message})
        content = content.replace('"values"', "[" + "{}," * (n - 1) + "{}]").encode()
        client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))

    def test_a_message_of_too_many_values(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, TEXT)
        self.open(client, TEXT, uri=LARGE)
        self.edits(client)
        before = self.peak(client)
        document = {"uri": LARGE, "version": 2}
        self.send_values(client, 17_000_000, method="textDocument/didChange",
                         params={"textDocument": document, "contentChanges": "values"})
        self.send_values(client, 17_000_000, id="many", method="redraft/status", params="values")
        self.until(lambda: any(message.get("id") == "many" for message in client.messages), "there is no answer")
        (answer,) = (message for message in client.messages if message.get("id") == "many")
        self.assertEqual(answer["error"]["code"], -32803)
        self.assertIn("1048576 values", answer["error"]["message"])
        (told,) = self.told(client)
        self.assertIn(LARGE, told)
        self.assertIn("1048576 values", told)
        self.assertEqual(len(self.edits(client)), 1, "the session goes on")
        self.open(client, TEXT, uri=LARGE)
        if not os.environ.get("REDRAFT_SANITIZED"):
            # The bytes twice, while they are taken from the stream, but not the values.
            self.assertLess(self.peak(client) - before, 300 << 10)

    def test_as_many_values_as_are_allowed(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, TEXT)
        self.send_values(client, 1_000_000, method="textDocument/didSave",
                         params={"textDocument": {"uri": URI}, "more": "values"})
        self.assertEqual(len(self.edits(client)), 1)
        self.assertEqual(self.told(client), [])

    def test_it_takes_no_memory(self):
        if os.environ.get("REDRAFT_SANITIZED"):
            self.skipTest("a sanitizer has its own idea of memory")
        client = self.start(RENAME, STREAMING)
        self.open(client, TEXT)
        self.edits(client)
        before = self.peak(client)
        content = json.dumps({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": LARGE, "languageId": "json", "version": 1, "text": self.large}}}).encode()
        for _ in range(3):
            client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.edits(client)
        self.assertLess(self.peak(client) - before, 16 << 10)

    def peak(self, client):
        """The server's peak memory in KB."""
        with open(f"/proc/{client.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])


if __name__ == "__main__":
    unittest.main()
