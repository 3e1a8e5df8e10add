"""How much the model is shown: by the setting `promptSize`, or a size that is chosen once, over a scripted model."""

import time
import unittest

from lsp_client import HANG_SECONDS
from server_case import STREAMING, ServerTest, span

# Larger than any region, with a function around line 300 that is one with prompts of any size but the smallest.
FUNCTION = "def area(width):\n" + "".join(f"    if width > {i}:\n        old = width + {i}\n" for i in range(50)) + "    return old\n"
TEXT = "".join(f"def other_{i}():\n    return {i}\n\n\n" for i in range(500)).replace(
    "def other_70():\n    return 70\n", FUNCTION)
CURSOR = span(310, 8, 310, 8)
EDITS = [{"find": "old", "replace": "fresh"}]


class PromptSize(ServerTest):
    def lines_of_region(self, client, version=1):
        """The number of lines of an edit's region, and the size of its prompts."""
        edit = self.edit(client, range=CURSOR, scope="auto", version=version)
        region = client.notification("$/redraft/edit", lambda p: p["editId"] == edit and p["kind"] == "region")["range"]
        end = self.end(client, edit)
        self.assertEqual(end["state"], "done", end)
        self.resolve(client, edit, action="reject")
        return region["end"]["line"] - region["start"]["line"], end["promptSize"]

    def configure(self, client, size):
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"promptSize": size}}})

    def size(self, client):
        return client.request("redraft/status")["promptSize"]

    def test_a_setting_names_it(self):
        client = self.start(EDITS, STREAMING, initialize=False)
        self.initialize(client, STREAMING, initializationOptions={"redraft": {"loadEarly": False}})
        self.open(client, TEXT)
        self.assertIsNone(self.size(client), "no model was loaded yet")
        self.configure(client, "small")
        self.assertEqual(self.size(client), "small")
        lines, size = self.lines_of_region(client)
        self.assertEqual(size, "small")
        self.assertLess(lines, 100)
        self.configure(client, "huge")
        self.assertEqual(self.lines_of_region(client), (len(FUNCTION.splitlines()), "huge"))

    def test_otherwise_the_machine_has_one(self):
        for pass_cost, expected in ((1, "large"), (100, "small")):
            client = self.start(EDITS, STREAMING, pass_cost=pass_cost)
            self.open(client, TEXT)
            _, size = self.lines_of_region(client)
            self.assertEqual(size, expected)
            end = time.monotonic() + HANG_SECONDS
            while self.size(client) != expected:  # told once the edit is over
                self.assertLess(time.monotonic(), end, "the status never names the size")
                time.sleep(0.02)

    def test_a_name_has_the_same_regions_on_any_machine(self):
        regions = []
        for pass_cost in (0.1, 1, 10):
            client = self.start(EDITS, STREAMING, initialize=False, pass_cost=pass_cost)
            self.initialize(client, STREAMING, initializationOptions={"redraft": {"promptSize": "medium"}})
            self.open(client, TEXT)
            regions.append(self.lines_of_region(client))
        self.assertEqual(regions, [(len(FUNCTION.splitlines()), "medium")] * 3)

    def test_another_word_is_no_size(self):
        client = self.start(EDITS, STREAMING)
        self.configure(client, "gigantic")
        warning = client.notification("window/showMessage")["message"]
        self.assertIn("redraft.promptSize", warning)
        self.assertIn('"huge"', warning)


if __name__ == "__main__":
    unittest.main()
