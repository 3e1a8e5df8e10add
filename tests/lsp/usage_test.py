"""What becomes of suggestions is counted over all servers of a user, in a file that `redraft doctor` reads."""

import json
import os
import pathlib
import subprocess
import unittest

from lsp_client import TIME_LIMIT, Client
from server_case import LINES, RENAME, STREAMING, URI, ServerTest, position, span

REDRAFT = os.environ["REDRAFT"]
CAPABILITIES = {**STREAMING, "textDocument": {"inlineCompletion": {}}}
COMPLETION = {"textDocument": {"uri": URI}, "position": position(0, 7), "context": {"triggerKind": 2}}


class UsageTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.state = pathlib.Path(self.folder.name) / "state"
        self.file = self.state / "redraft" / "usage.json"
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.state)}

    def start_counting(self, *options):
        return self.start(RENAME, CAPABILITIES, options=["--usage-file", str(self.file), *options],
                          fills=[{"after": "area = ", "write": "width * height"}])

    def end(self, client):
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.process.wait(20), 0)
        return json.loads(self.file.read_text())

    def accept_completion(self, client):
        self.open(client, "area = \n")
        (item,) = client.request("textDocument/inlineCompletion", COMPLETION)["items"]
        client.request("workspace/executeCommand", item["command"])

    def doctor(self):
        process = subprocess.run([REDRAFT, "doctor", "--quick"], env=self.environment, capture_output=True, text=True,
                                 timeout=TIME_LIMIT, check=False)
        return process.stdout

    def test_servers_add_up_and_doctor_tells(self):
        first = self.start_counting()
        self.accept_completion(first)
        self.end(first)
        second = self.start_counting()
        self.accept_completion(second)
        self.open(second, LINES, version=2)
        edit = self.edit(second, version=2)
        super().end(second, edit)
        self.resolve(second, edit, hunks=[0])
        self.resolve(second, edit, action="reject")
        counts = self.end(second)
        self.assertEqual({key: value for key, value in counts.items() if value},
                         {"completionsSuggested": 2, "completionsAccepted": 2, "hunksShown": 4, "hunksAccepted": 1,
                          "hunksRejected": 3})
        self.assertIn("; 0 tokens read ahead in 0 s", " ".join(self.doctor().split()))
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertIn("2 of 2 completions accepted, 1 of 4 hunks, 0 of 0 next edits", self.doctor())

    # What was accepted and changed back within ten seconds was wrong.

    def start_with_clock(self):
        self.clock = pathlib.Path(self.folder.name) / "clock"
        self.time(1000)
        client = self.start_counting("--clock", str(self.clock))
        self.open(client, "area = \nb\n")
        return client

    def time(self, seconds):
        self.clock.write_text(str(seconds), encoding="utf-8")

    def taken_back(self, client):
        return client.request("redraft/status")["completion"]["takenBack"]

    def accept_and_insert(self, client, version, before=False):
        (item,) = client.request("textDocument/inlineCompletion", COMPLETION)["items"]
        steps = [lambda: self.change(client, version, {"range": item["range"], "text": item["insertText"]}),
                 lambda: client.request("workspace/executeCommand", item["command"])]
        for step in reversed(steps) if before else steps:
            step()
        self.taken_back(client)  # the server has read all of it before the clock goes on

    def test_what_is_changed_back_at_once_counts_as_wrong(self):
        client = self.start_with_clock()
        for n, before in enumerate((False, True)):  # a client may tell before or after it has put the text in
            self.accept_and_insert(client, 10 * n + 2, before)
            self.time(1009.9 + 100 * n)
            self.change(client, 10 * n + 3, {"range": span(0, 21, 0, 21), "text": " + 1"})
            self.assertEqual(self.taken_back(client), n)
            self.change(client, 10 * n + 4, {"range": span(0, 7, 0, 25), "text": ""})
            self.assertEqual(self.taken_back(client), n + 1)
            self.time(1100)
        self.accept_and_insert(client, 30)
        counts = self.end(client)
        self.assertEqual((counts["completionsAccepted"], counts["completionsTakenBack"]), (3, 2))
        self.assertIn("1 of 3 completions accepted", self.doctor())
        self.assertIn("2 more were changed back within ten seconds", self.doctor())

    def test_what_is_changed_back_later_or_elsewhere_does_not(self):
        client = self.start_with_clock()
        self.accept_and_insert(client, 2)
        self.change(client, 3, {"range": span(1, 0, 1, 1), "text": ""})
        self.change(client, 4, {"range": span(1, 0, 1, 0), "text": "b"})
        self.time(1010)
        self.change(client, 5, {"range": span(0, 7, 0, 21), "text": ""})
        self.assertEqual(self.taken_back(client), 0)

    def test_hunks_that_are_undone_at_once_count_as_wrong(self):
        client = self.start_with_clock()
        self.open(client, LINES, version=2)
        edit = self.edit(client, version=2)
        super().end(client, edit)
        answer = self.resolve(client, edit, hunks=[0, 1])
        (changes,) = answer["edit"]["changes"].values()
        for version, change in enumerate(reversed(changes), start=3):
            self.change(client, version, {"range": change["range"], "text": change["newText"]})
        self.time(1005)
        self.change(client, 9, {"text": LINES})
        self.resolve(client, edit, action="reject")
        counts = self.end(client)
        self.assertEqual((counts["hunksAccepted"], counts["hunksTakenBack"]), (2, 2))

    def test_what_is_read_ahead_is_counted(self):
        client = self.start_counting()
        self.open(client, LINES)
        client.request("redraft/prepare", {"textDocument": {"uri": URI}, "range": span(3, 0, 3, 0)})
        client.notification("$/redraft/prepare", lambda news: news.get("end"))
        counts = self.end(client)
        self.assertGreater(counts["readAheadTokens"], len(LINES) // 2)
        self.assertIn(f"{counts['readAheadTokens']} tokens read ahead in ", self.doctor())

    def test_a_file_that_cannot_be_written_disturbs_nobody(self):
        self.file.parent.mkdir(parents=True)
        self.file.mkdir()
        client = self.start_counting()
        self.accept_completion(client)
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.process.wait(20), 0)
        self.assertRegex(self.doctor(), "usage +unknown")

    def test_the_real_server_keeps_why_there_was_no_suggestion(self):
        client = Client([REDRAFT, "lsp", "--no-share", "--no-index"], env=self.environment)
        self.addCleanup(client.close)
        self.initialize(client, CAPABILITIES, initializationOptions={"redraft": {"completion": {"enabled": False}}})
        self.open(client, "secret = \n")
        self.assertEqual(client.request("textDocument/inlineCompletion", COMPLETION)["items"], [])
        counts = self.end(client)
        self.assertIn("redraft.completion.enabled", counts["lastWhyNone"])
        self.assertNotIn("secret", self.file.read_text())
        self.assertIn("within the hour: completion is off (redraft.completion.enabled)", self.doctor())


if __name__ == "__main__":
    unittest.main()
