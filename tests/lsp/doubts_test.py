"""Edits in which the syntax tree finds a fault: the model is asked once more, and the client is told what is left."""

import unittest

from server_case import STREAMING, URI, ServerTest, apply_edits

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


class Doubts(ServerTest):
    def run_edit(self, script, capabilities=STREAMING, instruction="add a docstring"):
        client = self.start(script, capabilities)
        self.open(client, TEXT)
        return client, self.edit(client, instruction)

    def accept_all(self, client, edit):
        return apply_edits(TEXT, self.resolve(client, edit)["edit"]["changes"][URI])

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

    def test_a_client_without_streamed_edits_is_warned(self):
        client, _ = self.run_edit([LOST], {"workspace": {"applyEdit": True}})
        shown = client.notification("window/showMessage", lambda p: "check this edit" in p["message"])
        self.assertIn(GONE, shown["message"])

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
