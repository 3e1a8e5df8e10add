"""When nothing is suggested unasked: after a rejection, in the line just left, and while suggestions are snoozed. The
server's clock is the test's."""

import pathlib
import unittest

from lsp_client import ResponseError
from server_case import STREAMING, URI, ServerTest, position, span

OTHER = "file:///tmp/other.c"
INVOKED, AUTOMATIC = 1, 2
CALLS = "".join(f"def f{i}(x):\n    a = {i}\n    b = a * {i}\n    return old(x) + b\n\n\n" for i in range(10))


class QuietTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.clock = pathlib.Path(self.folder.name) / "clock"
        self.time(1000)

    def time(self, seconds):
        self.clock.write_text(str(seconds), encoding="utf-8")

    def start_quiet(self, **script):
        return self.start([{"find": "old(", "replace": "fresh("}],
                          {**STREAMING, "textDocument": {"inlineCompletion": {}}}, options=["--clock", str(self.clock)],
                          fills=[{"after": "area = ", "write": "width * height"}, {"after": "f(", "write": "one, two)"}],
                          **script)

    def run_command(self, client, command, *arguments):
        return client.request("workspace/executeCommand", {"command": f"redraft.{command}", "arguments": list(arguments)})

    def ghost(self, client, line, character, kind=AUTOMATIC, uri=URI):
        return client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": position(line, character),
            "context": {"triggerKind": kind}})["items"]

    def next_edit(self, client, line=0, **more):
        return client.request("redraft/nextEdit", {"textDocument": {"uri": URI}, "position": position(line, 0), **more})

    def change_a_call(self, client):
        self.open(client, CALLS)
        self.change(client, 2, {"range": span(3, 11, 3, 14), "text": "fresh"})

    def why_none(self, client):
        return client.request("redraft/status")["completion"]["whyNone"]

    # Rejections.

    def reject_ghost(self, client, item):
        self.run_command(client, "completionRejected", *item["command"]["arguments"])

    def test_for_five_seconds_after_a_rejection_there_is_nothing(self):
        client = self.start_quiet()
        self.open(client, "area = \nf(\n")
        self.reject_ghost(client, self.ghost(client, 0, 7)[0])
        self.time(1004.9)
        self.assertEqual(self.ghost(client, 1, 2), [])
        self.assertIn("rejected a suggestion a moment ago", self.why_none(client))
        self.assertEqual(self.ghost(client, 1, 2, INVOKED)[0]["insertText"], "one, two)", "who asks gets it")
        self.time(1005)
        self.assertEqual(self.ghost(client, 1, 2)[0]["insertText"], "one, two)")
        self.assertEqual(client.request("redraft/status")["completion"]["rejected"], 1)

    def test_the_same_text_does_not_come_again(self):
        client = self.start_quiet()
        self.open(client, "import os\narea = \n")
        self.reject_ghost(client, self.ghost(client, 1, 7)[0])
        self.time(2000)
        self.assertEqual(self.ghost(client, 1, 7), [])
        self.assertIn("rejected the same suggestion before", self.why_none(client))
        self.change(client, 2, {"range": span(1, 7, 1, 7), "text": "wi"})
        self.assertEqual(self.ghost(client, 1, 9), [], "nor its rest")
        self.change(client, 3, {"range": span(0, 0, 0, 0), "text": "import re\n"})
        self.assertEqual(self.ghost(client, 2, 9), [], "wherever the line is by now")
        self.assertEqual(self.ghost(client, 2, 9, INVOKED)[0]["insertText"], "dth * height", "unless it is asked for")
        self.change(client, 4, {"range": span(2, 0, 2, 9), "text": "x = 1\narea = "})
        self.assertEqual(self.ghost(client, 3, 7)[0]["insertText"], "width * height", "another place")

    def test_next_edits_wait_as_long(self):
        client = self.start_quiet()
        self.change_a_call(client)
        edits = self.next_edit(client)["edits"]
        self.run_command(client, "nextEditRejected", *edits[0]["command"]["arguments"])
        answer = self.next_edit(client)
        self.assertEqual((answer["edits"], answer["whyNone"]), ([], "you rejected a suggestion a moment ago"))
        looked = "all next edits were rejected before"  # which is alike in all places
        self.assertEqual(self.next_edit(client, invoked=True)["whyNone"], looked, "who asks is answered")
        self.time(1005)
        self.assertEqual(self.next_edit(client)["whyNone"], looked)

    def test_a_rejection_of_what_was_never_offered_means_nothing(self):
        client = self.start_quiet()
        self.open(client, "area = \n")
        for argument in ({"id": 7}, {"id": "x"}, {}, None, [1]):
            self.run_command(client, "completionRejected", argument)
        self.assertEqual(self.ghost(client, 0, 7)[0]["insertText"], "width * height")

    # The line just left.

    def test_the_line_just_left_is_left_alone(self):
        client = self.start_quiet()
        self.open(client, CALLS)
        self.change(client, 2, {"range": span(3, 11, 3, 14), "text": "fresh"})
        self.change(client, 3, {"range": span(9, 18, 9, 19), "text": "-"})
        lines = [edit["range"]["start"]["line"] for edit in self.next_edit(client, line=12)["edits"]]
        self.assertNotIn(9, lines)
        self.assertGreater(len(lines), 0, "others are proposed")

    # Snoozing.

    def test_ten_minutes_unless_it_is_ended_before(self):
        client = self.start_quiet()
        self.open(client, "area = \n")
        self.assertIsNone(client.request("redraft/status")["snooze"])
        self.assertEqual(self.run_command(client, "snoozeSuggestions"),
                         {"secondsLeft": 600, "untilRestart": False, "files": [], "languages": []})
        self.assertEqual(self.ghost(client, 0, 7), [])
        self.assertIn("snoozed", self.why_none(client))
        self.assertEqual(self.ghost(client, 0, 7, INVOKED)[0]["insertText"], "width * height")
        client.notification("$/redraft/status", lambda status: any("snoozed until " in each for each in status["reasons"]))
        self.time(1599.5)
        self.assertEqual(self.ghost(client, 0, 7), [])
        self.assertEqual(client.request("redraft/status")["snooze"]["secondsLeft"], 1)
        self.time(1600)
        self.assertEqual(len(self.ghost(client, 0, 7)), 1)
        self.assertIsNone(client.request("redraft/status")["snooze"])
        self.run_command(client, "snoozeSuggestions", {"minutes": 1})
        self.assertEqual(self.ghost(client, 0, 7), [])
        self.assertIsNone(self.run_command(client, "resumeSuggestions"))
        self.assertEqual(len(self.ghost(client, 0, 7)), 1)

    def test_a_file_a_language_or_until_the_server_starts_again(self):
        client = self.start_quiet()
        self.open(client, "area = \n")
        client.notify("textDocument/didOpen", {"textDocument": {"uri": OTHER, "languageId": "c", "version": 1,
                                                                "text": "area = \n"}})
        for wish, here, there in (({"uri": URI}, 0, 1), ({"language": "c"}, 1, 0), ({"until": "restart"}, 0, 0)):
            self.run_command(client, "snoozeSuggestions", wish)
            self.time(100000)
            self.assertEqual((len(self.ghost(client, 0, 7)), len(self.ghost(client, 0, 7, uri=OTHER))), (here, there), wish)
            self.assertTrue(any("snoozed" in each for each in client.request("redraft/status")["reasons"]))
            self.run_command(client, "resumeSuggestions")
        self.assertFalse(any("snoozed" in each for each in client.request("redraft/status")["reasons"]))

    def test_next_edits_are_snoozed_too(self):
        client = self.start_quiet()
        self.change_a_call(client)
        self.run_command(client, "snoozeSuggestions", {"uri": URI})
        answer = self.next_edit(client)
        self.assertEqual(answer["edits"], [])
        self.assertIn("snoozed", answer["whyNone"])
        self.assertGreater(len(self.next_edit(client, invoked=True)["edits"]), 0)

    def test_what_cannot_be_snoozed_is_refused(self):
        client = self.start_quiet()
        for wish in ({"minutes": 0}, {"minutes": 1441}, {"minutes": "ten"}, {"until": "noon"}, {"minute": 5}):
            with self.assertRaises(ResponseError) as raised:
                self.run_command(client, "snoozeSuggestions", wish)
            self.assertEqual(raised.exception.code, -32602)
        self.assertIsNone(client.request("redraft/status")["snooze"])


if __name__ == "__main__":
    unittest.main()
