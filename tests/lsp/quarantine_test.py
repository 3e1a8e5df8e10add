"""A document that crashes the server twice is left alone by the next server, and the user is told which."""

import ctypes
import os
import pathlib
import signal
import stat
import subprocess
import unittest

from lsp_client import ResponseError
from server_case import STREAMING, URI, ServerTest, span

OTHER = "file:///project/other.py"
LONG = "file:///project/long.py"


class Quarantine(ServerTest):
    def setUp(self):
        super().setUp()
        self.state = pathlib.Path(self.folder.name) / "state"
        self.notes = self.state / "redraft" / "crashed-at"

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

    def test_a_report_says_what_it_was_at_and_nothing_of_the_document(self):
        self.end_during_an_edit(signal.SIGSEGV)
        (report,) = (self.notes.parent / "crash-reports").iterdir()
        self.assertEqual(stat.S_IMODE(report.stat().st_mode), 0o600)
        text = report.read_text()
        for line in ("redraft crash report", "signal: SIGSEGV (11), code 0", "work: redraft.edit", "build: redraft "):
            self.assertIn(f"{line}", text)
        self.assertRegex(text, r"(?m)^  \S+\+0x[0-9a-f]+$")
        for secret in ("a = 1", "do it", "a%20b", "a b.py", "other.py", str(self.folder.name)):
            self.assertNotIn(secret, text)
        doctor = subprocess.run([os.environ["REDRAFT"], "doctor", "--quick"], capture_output=True, text=True, check=False,
                                env={**os.environ, "XDG_STATE_HOME": str(self.state)}, timeout=600)
        self.assertIn("crashes   1 reported", doctor.stdout)
        self.assertIn("at work: redraft.edit", doctor.stdout)
        self.assertIn(str(report), doctor.stdout)
        self.assertIn("SECURITY.md", doctor.stdout)

    def test_what_another_thread_does_for_a_document_is_blamed_on_it(self):
        """The changes of a long text are made by a thread of their own. The signal may come between two of them."""
        for _ in range(20):
            self.notes.unlink(missing_ok=True)  # two faults at opening would have the document left alone
            client = self.serve()
            self.open(client, "x = 1\n" * 1000000, uri=LONG)
            client.request("redraft/status")
            (aside,) = [int(task.name) for task in pathlib.Path(f"/proc/{client.process.pid}/task").iterdir()
                        if (task / "comm").read_text().strip() == "redraft-aside"]
            for version in range(2, 60):
                client.notify("textDocument/didChange", {"textDocument": {"uri": LONG, "version": version},
                                                         "contentChanges": [{"range": span(0, 0, 0, 1), "text": "y"}]})
            ctypes.CDLL(None).tgkill(client.process.pid, aside, int(signal.SIGSEGV))
            self.assertEqual(client.exit_code(), -signal.SIGSEGV)
            reports = (self.notes.parent / "crash-reports").iterdir()
            if self.notes.read_text() and any("work: textDocument/didChange\n" in each.read_text() for each in reports):
                return
        self.fail("it was at nothing each time, or at opening")

    def test_not_if_it_was_ended_on_request(self):
        for _ in range(2):
            self.end_during_an_edit(signal.SIGKILL)
        client = self.serve()
        self.assertEqual(self.warnings(client), [])
        self.assert_edited(client)


if __name__ == "__main__":
    unittest.main()
