"""The region around a cursor: its name, its lines, wider and narrower ones, and that an edit of it changes those lines."""

import unittest

from lsp_client import ResponseError
from server_case import RENAME, STREAMING, URI, ServerTest, span

TEXT = """import os
import sys


class Store:
    old = 1
    limit = 2

    # What is on top.
    @property
    def top(self):
        return self.old

    def __repr__(self):
        return str(self.old)
"""
REGION = ["redraft/region"]


class Region(ServerTest):
    def regions(self, client, line, end=None, **document):
        place = {"textDocument": {"uri": URI, "version": 1, **document},
                 "range": span(line, 0, line if end is None else end, 0)}
        return client.request("redraft/region", place)

    def chosen(self, client, line):
        found = self.regions(client, line)
        return found["regions"][found["index"]]

    def begin(self, text=TEXT, script=RENAME):
        client = self.start(script, STREAMING)
        self.open(client, text)
        return client

    def test_it_is_named(self):
        client = self.begin()
        titles = {line: self.chosen(client, line)["title"] for line in (0, 2, 5, 8, 11, 12, 13)}
        self.assertEqual(titles, {
            0: "edit imports, 2 lines", 2: "insert at line 3", 5: "edit members of class Store, 2 lines",
            8: "edit method top, 4 lines", 11: "edit method top, 4 lines", 12: "insert at line 13",
            13: "edit method __repr__, 2 lines"})

    def test_it_is_one_of_a_chain(self):
        found = self.regions(self.begin(), 11)
        self.assertEqual((found["version"], found["index"]), (1, 1))
        self.assertEqual(
            [(each["name"], each["range"], each["lines"], each["scope"]) for each in found["regions"]],
            [("part of method top", span(11, 0, 12, 0), 1, "selection"), ("method top", span(8, 0, 12, 0), 4, "selection"),
             ("class Store", span(4, 0, 15, 0), 11, "selection"), ("file", span(0, 0, 15, 0), 15, "whole")])

    def test_no_model_is_loaded_for_it(self):
        client = self.start(RENAME, initialize=False)
        self.initialize(client, STREAMING, initializationOptions={"redraft": {"loadEarly": False}})
        self.open(client, TEXT)
        self.regions(client, 3)
        self.assertEqual(client.request("redraft/status", {})["state"], "unloaded")

    def test_each_of_a_chain_can_be_edited(self):
        client = self.begin()
        for region in self.regions(client, 11)["regions"]:
            edit = self.edit(client, range=region["range"], scope=region["scope"])
            self.assertEqual(self.end(client, edit)["state"], "done", region["title"])
            first, end = region["range"]["start"]["line"], region["range"]["end"]["line"]
            n_old = sum("old" in line for line in TEXT.splitlines()[first:end])
            self.assertEqual(len(self.events(client, edit, "hunk")), n_old, region["title"])

    def test_an_edit_of_the_cursor_is_of_the_chosen_one(self):
        client = self.begin()
        edit = self.edit(client, range=span(13, 8, 13, 8), scope="auto")
        self.end(client, edit)
        self.assertEqual([event["range"] for event in self.events(client, edit, "region")], [span(13, 0, 15, 0)])
        self.assertEqual([event["range"]["start"]["line"] for event in self.events(client, edit, "hunk")], [14])

    def test_lines_are_inserted_where_there_are_none(self):
        client = self.begin(script=[{"instruction": "a constant", "find": "", "replace": "LIMIT = 1\n"}])
        region = self.chosen(client, 3)
        self.assertEqual((region["range"], region["scope"], region["lines"]), (span(3, 0, 3, 0), "auto", 0))
        edit = self.edit(client, "a constant", range=region["range"], scope=region["scope"])
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual([(event["range"], event["newText"]) for event in self.events(client, edit, "hunk")],
                         [(span(3, 0, 3, 0), "LIMIT = 1\n")])

    def test_a_selection_is_the_first_of_its_chain(self):
        found = self.regions(self.begin(), 5, 7)
        self.assertEqual([each["title"] for each in found["regions"]],
                         ["edit selection, 2 lines", "edit class Store, 11 lines", "edit file, 15 lines"])
        self.assertEqual(found["index"], 0)

    def test_nothing_else_has_one(self):
        client = self.begin()
        for document in ({"version": 7}, {"uri": "file:///none.py"}):
            with self.assertRaises(ResponseError):
                self.regions(client, 1, **document)
        with self.assertRaises(ResponseError) as refused:
            client.request("redraft/region", {"textDocument": {"uri": URI}})
        self.assertIn("requires a range", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
