"""A model that fails during its work: that request is answered with the error, hunks that were final remain, and the
next request is answered as usual."""

import unittest

from server_case import RENAME, STREAMING, URI, ServerTest, apply_edits, position

TEXT = "".join(f"line {i} old\n" if i % 4 == 1 else f"line {i}\n" for i in range(12))
FRESH = TEXT.replace("old", "fresh")
FILLS = [{"after": "area = ", "write": "width * height"}]


class ModelThatFails(ServerTest):
    def edit_of(self, client):
        """The end of an edit, and the text with all its hunks."""
        edit = self.edit(client)
        end = self.end(client, edit)
        accepted = self.resolve(client, edit)["edit"] if self.events(client, edit, "hunk") else None
        (edits,) = accepted["changes"].values() if accepted else ([],)
        return end, apply_edits(TEXT, edits)

    def test_in_any_pass_of_an_edit(self):
        failures, kept = 0, 0
        for failing_pass in range(1, 200):
            client = self.start(RENAME, STREAMING, failing_pass=failing_pass)
            self.open(client, TEXT)
            end, text = self.edit_of(client)
            if end["state"] == "done":
                break
            failures += 1
            kept += text != TEXT
            self.assertEqual((end["state"], end["error"]), ("failed", "the edit failed: the device is gone"))
            lines = zip(text.splitlines(), TEXT.splitlines(), FRESH.splitlines())
            self.assertTrue(all(line in before_and_after for line, *before_and_after in lines), text)
            end, text = self.edit_of(client)
            self.assertEqual((end["state"], text), ("done", FRESH), f"the edit after pass {failing_pass} failed")
            client.close()
        self.assertGreater(failures, 3)
        self.assertGreater(kept, 0)

    def test_in_any_pass_of_a_completion(self):
        request = "textDocument/inlineCompletion", {"textDocument": {"uri": URI}, "position": position(0, 7),
                                                    "context": {"triggerKind": 2}}
        failures = 0
        for failing_pass in range(1, 200):
            client = self.start(capabilities={"textDocument": {"inlineCompletion": {}}}, fills=FILLS,
                                failing_pass=failing_pass)
            self.open(client, "area = \n")
            number = client.start_request(*request)
            answer = client.wait(lambda m, number=number: m.get("id") == number and "method" not in m)
            if "result" in answer:
                break
            failures += 1
            self.assertEqual(answer["error"], {"code": -32803, "message": "the completion failed: the device is gone"})
            (item,) = client.request(*request)["items"]
            self.assertEqual(item["insertText"], "width * height")
            client.close()
        self.assertGreater(failures, 1)


if __name__ == "__main__":
    unittest.main()
