"""An instruction that asks for another name and nothing else is carried out by the syntax tree."""

import unittest

from server_case import STREAMING, URI, ServerTest, apply_edits, position, span

CODE = """import os


def load(count, other):
    total = count + other.count
    return total


class Store:
    count = 0

    def add(self, other):
        self.count += other.count


load(count=1)
"""
LOADED = CODE.replace("def load(count", "def load(n").replace("= count +", "= n +").replace("load(count=", "load(n=")
SCRIPT = [{"instruction": "rename", "find": "total", "replace": "by_the_model"}]


class Rename(ServerTest):
    def begin(self, capabilities=STREAMING, held=True):
        # A model that is held never answers.
        client = self.start(SCRIPT, capabilities, **(self.hold() if held else {}))
        self.open(client, CODE)
        return client

    def at(self, line, character):
        return span(line, character, line, character)

    def result(self, client, edit):
        """With all hunks, also the doubtful ones."""
        return apply_edits(CODE, self.resolve(client, edit, doubtful=True)["edit"]["changes"][URI])

    def test_it_needs_no_model_and_follows_the_name(self):
        client = self.begin()
        edit = self.edit(client, "rename count to n", range=self.at(4, 14), scope="auto")
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["renamed"], end["doubts"], end["statistics"]["passes"]), ("done", True, [], 0))
        self.assertEqual(self.result(client, edit), LOADED)

    def test_the_region_around_the_cursor_is_no_selection(self):
        client = self.begin()
        region = client.request("redraft/region", {"textDocument": {"uri": URI, "version": 1}, "range": self.at(4, 14)})
        chosen = region["regions"][region["index"]]
        edit = self.edit(client, "rename count to n", range=chosen["range"], scope=chosen["scope"], cursor=position(4, 14))
        self.end(client, edit)
        self.assertEqual(self.result(client, edit), LOADED)

    def test_of_selected_lines_no_others_change(self):
        client = self.begin()
        edit = self.edit(client, "rename count to n", range=span(3, 0, 6, 0))
        end = self.end(client, edit)
        self.assertIn("stands once more outside the selected lines", end["doubts"][0]["reason"])
        self.assertEqual(self.result(client, edit), LOADED.replace("load(n=1)", "load(count=1)"))

    def test_what_is_uncertain_is_a_doubtful_hunk(self):
        client = self.begin()
        edit = self.edit(client, "rename self.count to size", range=self.at(12, 14), scope="auto")
        end = self.end(client, edit)
        [doubt] = end["doubts"]
        self.assertIn("'count' of 'other'", doubt["reason"])
        hunks = self.events(client, edit, "hunk")
        uncertain = [hunk["newText"] for hunk in hunks if hunk["hunkId"] in doubt["hunkIds"]]
        self.assertEqual(uncertain, ["    total = count + other.size\n", "size"])  # in the line of self.count
        reply = self.resolve(client, edit, doubtful=False)
        certain = CODE.replace("    count = 0", "    size = 0").replace("self.count", "self.size")
        self.assertEqual(apply_edits(CODE, reply["edit"]["changes"][URI]), certain)

    def test_what_the_tree_does_not_know_the_model_decides(self):
        client = self.begin(held=False)
        for instruction in ("rename total to t and add a comment", "rename the value to t"):
            edit = self.edit(client, instruction, range=span(3, 0, 6, 0))
            end = self.end(client, edit)
            self.assertEqual((end["state"], end["renamed"]), ("done", False), instruction)
            self.assertIn("by_the_model", self.events(client, edit, "hunk")[0]["newText"])
            client.request("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": edit}]})

    def test_a_name_that_is_not_there_is_an_error(self):
        client = self.begin()
        error = self.assert_error(-32803, self.edit, client, "rename Load to read")
        self.assertIn("there is no 'Load' in this file; did you mean 'load'?", error)
        self.assert_error(-32803, self.edit, client, "rename load to class")

    def test_a_plain_client_gets_one_edit(self):
        client = self.begin({"workspace": {"applyEdit": True}})
        self.edit(client, "rename count to n", range=self.at(3, 9))
        params = client.wait(lambda m: m.get("method") == "workspace/applyEdit")["params"]
        self.assertEqual(apply_edits(CODE, params["edit"]["changes"][URI]), LOADED)

    def test_the_model_answers_another_try(self):
        client = self.begin(held=False)
        edit = self.edit(client, "rename total to t", range=span(3, 0, 6, 0), another=1)
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["renamed"], end["otherTries"]), ("done", False, True), end["error"])
        self.assertGreater(end["statistics"]["passes"], 0)

    def test_a_cursor_beyond_the_text(self):
        client = self.begin()
        edit = self.edit(client, "rename load to read", range=self.at(9000, 5), scope="auto")
        self.assertTrue(self.end(client, edit)["renamed"])
        self.assertEqual(self.result(client, edit), CODE.replace("load", "read"))


if __name__ == "__main__":
    unittest.main()
