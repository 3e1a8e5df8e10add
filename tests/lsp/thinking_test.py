"""A model that thinks before it writes: what clients see of an edit. The model is a script."""

import unittest

from server_case import LINES, RENAME, RESOLVING, STREAMING, URI, ServerTest, apply_edits

THOUGHT = "<think>\nI rename old.\nline 5 fresh\n</think>\n\n"


class Thinking(ServerTest):
    def assert_renamed(self, client, edit, text=LINES):
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["finishReason"], end["error"]), ("done", "stop", None))
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(text, reply["edit"]["changes"][URI]), text.replace("old", "fresh"))

    def test_a_thought_is_no_part_of_the_edit(self):
        for more in ({"thoughts": THOUGHT}, {"thoughts": THOUGHT + "```python\n"},
                     {"thoughts": "I rename old.\n</think>\n\n", "opens_thought": True}):
            with self.subTest(**more):
                client = self.start(RENAME, STREAMING, **more)
                self.open(client, LINES)
                for decoder in ("ar", "redraft"):
                    self.assert_renamed(client, self.edit(client, decoder=decoder))

    def test_no_hunk_comes_and_the_progress_says_so_while_the_model_thinks(self):
        text = "old = 1\n"
        # Each of the thought's tokens takes a pass, and several passes take longer than the pause between two reports.
        client = self.start(RENAME, STREAMING, thoughts=THOUGHT, delay_ms_per_pass=20, **self.hold("</think>"))
        self.open(client, text)
        edit = self.edit(client, token="mine", decoder="ar")
        self.until(lambda: any(event["thinking"] for event in self.events(client, edit, "progress")))
        self.until(lambda: any(p["token"] == "mine" and p["value"].get("message", "").startswith("thinking, ")
                               for p in client.all("$/progress")))
        self.assertEqual(self.events(client, edit, "hunk"), [])
        self.release()
        self.assert_renamed(client, edit, text)
        first = self.events(client, edit, "hunk")[0]
        self.assertFalse(any(event["thinking"] for event in self.events(client, edit, "progress")
                             if event["seq"] > first["seq"]))

    def test_an_edit_fails_if_thinking_uses_up_its_tokens(self):
        client = self.start(RENAME, STREAMING, thoughts=THOUGHT)
        self.open(client, LINES)
        edit = self.edit(client, maxNewTokens=20)
        end = self.end(client, edit)
        self.assertEqual(end["state"], "failed")
        self.assertIn("still thinking after 20 tokens", end["error"])
        self.assertIn("edit.maxTokens", end["error"])
        self.assertEqual(self.events(client, edit, "hunk"), [])
        self.assert_renamed(client, self.edit(client))

    def test_a_plain_client_is_told_that_an_edit_only_thought(self):
        client = self.start(RENAME, RESOLVING, thoughts="<think>\nI rename old.\n")
        self.open(client, LINES)
        self.assert_error(-32803, client.request, "codeAction/resolve", self.actions(client)[0])


if __name__ == "__main__":
    unittest.main()
