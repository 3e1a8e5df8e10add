"""Edits in which the syntax tree finds a fault: the model is asked once more, and the client is told what is left."""

import unittest

from server_case import RESOLVING, STREAMING, URI, ServerTest, apply_edits, span

TEXT = """class Client:
    def send(self, line):
        self.sock.send(line)

    def put(self, line):
        self.send(line + CRLF)

    def close(self):
        self.sock.close()
"""
HEAD = "    def put(self, line):\n"
LOST = {"instruction": "docstring", "find": HEAD, "replace": '        """Send a line."""\n'}
KEPT = {"instruction": "That is wrong", "find": HEAD, "replace": HEAD + '        """Send a line."""\n'}
FIRST = TEXT.replace(LOST["find"], LOST["replace"])
SECOND = TEXT.replace(KEPT["find"], KEPT["replace"])
GONE = "the definition of 'Client.put' is gone"
# Two hunks: one loses the method, the other one has no doubt.
REST = HEAD + TEXT.split(HEAD)[1]
BOTH = {**LOST, "find": REST,
        "replace": REST.replace(HEAD, LOST["replace"]).replace("sock.close()", "sock.shutdown()")}
CERTAIN = TEXT.replace("sock.close()", "sock.shutdown()")
PLAIN = {"workspace": {"applyEdit": True}, "textDocument": {"codeAction": {"codeActionLiteralSupport": {
    "codeActionKind": {"valueSet": []}}}}}
ALL = span(0, 0, TEXT.count("\n"), 0)


class Doubts(ServerTest):
    takes_doubtful = False

    def run_edit(self, script, capabilities=STREAMING, instruction="add a docstring"):
        client = self.start(script, capabilities)
        self.open(client, TEXT)
        return client, self.edit(client, instruction)

    def accept_all(self, client, edit):
        """Also what is doubtful."""
        return apply_edits(TEXT, self.resolve(client, edit, doubtful=True)["edit"]["changes"][URI])

    def test_what_stays_doubtful_is_told_with_its_hunks(self):
        client, edit = self.run_edit([LOST])
        end = self.end(client, edit)
        self.assertEqual(end["doubts"], [{"reason": GONE, "hunkIds": [0]}])
        hunks = self.events(client, edit, "hunk")
        self.assertEqual([h["doubt"] for h in hunks], [GONE])
        self.assertEqual(self.events(client, edit, "dropped"), [])
        self.assertEqual(self.accept_all(client, edit), FIRST)

    def test_a_better_second_answer_takes_the_place_of_the_first(self):
        client, edit = self.run_edit([LOST, KEPT])
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["doubts"]), ("done", []))
        kinds = [e["kind"] for e in self.events(client, edit) if e["kind"] in ("hunk", "dropped")]
        self.assertEqual(kinds, ["hunk", "dropped", "hunk"])
        self.assertTrue(self.events(client, edit, "dropped")[0]["replaced"])
        self.assertEqual([h["doubt"] for h in self.events(client, edit, "hunk")], [GONE, None])
        self.assertEqual(self.accept_all(client, edit), SECOND)

    def test_what_the_user_has_accepted_stays(self):
        """The second answer is held until the doubtful hunk is accepted."""
        client = self.start([LOST, KEPT], STREAMING, **self.hold("def put(self, line):\n        \"\"\""))
        self.open(client, TEXT)
        edit = self.edit(client, "add a docstring")
        self.hunk(client, edit)
        self.assertEqual(self.accept_all(client, edit), FIRST)
        self.release_when_told(client)
        end = self.end(client, edit)
        self.assertEqual(end["doubts"], [{"reason": GONE, "hunkIds": [0]}])
        self.assertEqual(len(self.events(client, edit, "hunk")), 1)
        self.assert_error(-32602, self.resolve, client, edit)

    def test_all_are_accepted_but_for_what_is_doubtful(self):
        client, edit = self.run_edit([BOTH])
        self.end(client, edit)
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(TEXT, reply["edit"]["changes"][URI]), CERTAIN)
        self.assertEqual((reply["hunkIds"], reply["left"]), ([1], [{"hunkId": 0, "reason": GONE}]))
        again = self.resolve(client, edit)
        self.assertEqual((again["edit"], again["hunkIds"], len(again["left"])), (None, [], 1))
        rest = self.resolve(client, edit, doubtful=True)
        self.assertEqual((rest["hunkIds"], rest["left"]), ([0], []))
        self.assert_error(-32602, self.resolve, client, edit)

    def test_a_doubtful_hunk_that_is_named_is_accepted(self):
        client, edit = self.run_edit([BOTH])
        self.end(client, edit)
        reply = self.resolve(client, edit, [0])
        self.assertEqual((reply["hunkIds"], reply["left"]), ([0], []))

    def test_all_are_rejected(self):
        client, edit = self.run_edit([BOTH])
        self.end(client, edit)
        reply = self.resolve(client, edit, action="reject")
        self.assertEqual((reply["hunkIds"], reply["left"]), ([0, 1], []))

    def test_what_goes_with_a_doubtful_hunk_says_so(self):
        needs = REST.replace(HEAD, "    LINES = 1\n").replace("sock.close()", "sock.close(self.LINES)")
        client, edit = self.run_edit([{**LOST, "find": REST, "replace": needs}])
        end = self.end(client, edit)
        first, last = end["doubts"][0], end["doubts"][-1]
        self.assertEqual((first["hunkIds"], first["reason"]), ([0], GONE))
        self.assertEqual((last["hunkIds"], last["reason"].partition(GONE)[0]), ([1], "goes with a doubtful change: "))
        self.assertEqual(self.resolve(client, edit)["edit"], None)

    def test_who_decided_is_told_with_each_hunk(self):
        client, edit = self.run_edit([BOTH])
        self.end(client, edit)
        self.assertEqual([hunk["decidedBy"] for hunk in self.events(client, edit, "hunk")], ["model", "model"])

    def test_a_client_without_streamed_edits_gets_what_is_certain(self):
        client, _ = self.run_edit([BOTH], PLAIN)
        applied = client.notification("workspace/applyEdit")
        self.assertEqual(apply_edits(TEXT, applied["edit"]["changes"][URI]), CERTAIN)
        shown = client.notification("window/showMessage", lambda p: "1 change not made" in p["message"])
        self.assertIn(GONE, shown["message"])

    def left_out(self, client):
        return [action for action in self.actions(client) if "left out" in action["title"]]

    def test_and_finds_the_rest_among_the_code_actions(self):
        client, _ = self.run_edit([BOTH], PLAIN)
        client.notification("workspace/applyEdit")
        self.change(client, 2, {"text": "# new\n", "range": span(0, 0, 0, 0)})
        [offered] = self.left_out(client)
        self.assertEqual(offered["title"], f"Redraft: make what was left out ({GONE})")
        now = "# new\n" + TEXT
        made = apply_edits(now, offered["edit"]["changes"][URI])
        self.assertEqual(made, now.replace(HEAD, LOST["replace"]))
        self.change(client, 3, {"text": made, "range": span(0, 0, now.count("\n"), 0)})
        self.assertEqual(self.left_out(client), [])

    def test_the_next_edit_replaces_what_is_offered(self):
        client, _ = self.run_edit([BOTH], PLAIN)
        client.notification("workspace/applyEdit")
        for _ in range(20):  # more than may wait
            start = client.count()
            self.edit(client, "add a docstring", range=span(4, 0, 9, 0))
            client.notification("window/showMessage", lambda p: "not made" in p["message"], start)
        self.assertEqual(len(self.left_out(client)), 1)

    def test_or_gets_all_on_request(self):
        client = self.start([BOTH], PLAIN)
        self.open(client, TEXT)
        self.edit(client, "add a docstring", doubtful=True)
        applied = client.notification("workspace/applyEdit")
        self.assertEqual(apply_edits(TEXT, applied["edit"]["changes"][URI]), FIRST.replace("sock.close()", "sock.shutdown()"))
        shown = client.notification("window/showMessage", lambda p: "check this edit" in p["message"])
        self.assertIn(GONE, shown["message"])

    def test_a_resolved_action_has_what_is_certain(self):
        client = self.start([{**BOTH, "instruction": "fix"}], RESOLVING)
        self.open(client, TEXT)
        action = next(a for a in self.actions(client) if a["title"] == "Redraft: fix problems")
        action["data"]["range"] = ALL
        del action["data"]["scope"]
        resolved = client.request("codeAction/resolve", action)
        [change] = resolved["edit"]["documentChanges"]
        self.assertEqual(apply_edits(TEXT, change["edits"]), CERTAIN)

    def test_and_gets_the_better_answer_alone(self):
        client, _ = self.run_edit([LOST, KEPT], {"workspace": {"applyEdit": True}})
        applied = client.notification("workspace/applyEdit")
        self.assertEqual(apply_edits(TEXT, applied["edit"]["changes"][URI]), SECOND)
        self.assertEqual([p for p in client.all("window/showMessage") if "look at" in p["message"]], [])

    def test_what_the_instruction_asks_for_is_not_doubtful(self):
        client, edit = self.run_edit([{**LOST, "instruction": "remove"}], instruction="remove the method put")
        self.assertEqual(self.end(client, edit)["doubts"], [])


if __name__ == "__main__":
    unittest.main()
