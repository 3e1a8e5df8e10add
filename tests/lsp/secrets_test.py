"""The text of an open file that holds secrets stays there: everything that the model is shown is recorded."""

import pathlib
import tempfile
import unittest

from server_case import STREAMING, ServerTest, position, span

SECRET = "qzx7-0451-swordfish-and-nobody-else-7xzq"
# With a long name before it: the longer the common text, the more is drafted after it.
NAME = "THE_TOKEN_THAT_OPENS_EVERY_DOOR_OF_THIS_HOUSE_AND_OF_THE_NEXT="
KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{NAME}{SECRET}\n-----END OPENSSH PRIVATE KEY-----\n"
ENV = "file:///project/.env"
CODE = "file:///project/a.py"
NOTES = "file:///project/notes.txt"
# Enough for text of other files in the prompt of a completion.
SETTINGS = {"redraft": {"completion": {"contextTokens": 4000, "delay": 0}}}
GHOST = {**STREAMING, "textDocument": {"inlineCompletion": {}}}
INVOKED, AUTOMATIC = 1, 2
CALLS = "".join(f"value_{i} = old_name({i})  # a line that calls what was renamed\n\n\n\n\n\n\n\n\n" for i in range(4))


class SecretsTest(ServerTest):
    def start(self, edits=(), initialize=True, **more):
        self.record = pathlib.Path(self.folder.name) / "record"
        client = super().start(edits, initialize=False, record=str(self.record), **more)
        if initialize:
            self.initialize(client, GHOST, initializationOptions=SETTINGS)
        return client

    def shown(self):
        """Everything that the model has been shown so far."""
        return self.record.read_text(encoding="utf-8") if self.record.exists() else ""

    def drafted(self):
        return "\n".join(line for line in self.shown().splitlines() if line.startswith("[draft] "))

    def type(self, client, uri, version, place, text):
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                                 "contentChanges": [{"range": place, "text": text}]})

    def complete(self, client, uri, line, character, kind=AUTOMATIC):
        return client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": position(line, character),
            "context": {"triggerKind": kind}})["items"]

    def next_edit(self, client, uri):
        return client.request("redraft/nextEdit", {"textDocument": {"uri": uri}, "position": position(0, 0)})

    def edit_to_end(self, client, uri, instruction="do it", **more):
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri}, "instruction": instruction, **more}]})["editId"]
        end = self.end(client, edit)
        self.assertEqual(end["state"], "done", end)
        return "".join(event["newText"] for event in self.events(client, edit, "hunk"))

    def assert_kept(self, text=SECRET, start=0):
        """The model was used, and was not shown any of this."""
        shown = self.shown()[start:]
        self.assertIn("[sequence]", shown)
        for part in (text[:3], text[-3:]) if text == SECRET else (text,):  # a part of it would be bad enough
            self.assertNotIn(part, shown)


class WhatIsTypedIntoAnEnvironmentFile(SecretsTest):
    def open_both(self, client, env="FIRST=1\nSECOND=2\n", code="import os\nx = 1\n"):
        self.open(client, env, uri=ENV)
        self.open(client, code, uri=CODE)

    def test_is_not_shown_where_something_else_is_completed(self):
        client = self.start(fills=[{"after": "", "write": "y = 2"}])
        self.open_both(client)
        self.type(client, ENV, 2, span(2, 0, 2, 0), f"TOKEN={SECRET}\n")
        self.open(client, "def helper():\n    return 1\n", uri=NOTES)
        self.type(client, NOTES, 2, span(2, 0, 2, 0), "helper()  # typed lately\n")
        (item,) = self.complete(client, CODE, 2, 0)
        self.assertEqual(item["insertText"], "y = 2")
        self.assertIn("typed lately", self.shown(), "places in other files are shown, so this tests something")
        self.assert_kept()
        self.assert_kept("SECOND=2")

    def test_is_drafted_into_no_edit(self):
        client = self.start([{"find": "None", "replace": f"{NAME}ask()\n{NAME.lower()}ask()"}])
        self.open_both(client, env=f"{NAME}{SECRET}\n", code="None\n")
        self.open(client, f"{NAME.lower()}0123456789\n", uri=NOTES)
        self.assertIn("ask()", self.edit_to_end(client, CODE))
        self.assertIn("01234567", self.drafted(), "other open files are drafted from, so this tests something")
        self.assert_kept()

    def test_is_drafted_into_no_completion(self):
        client = self.start(fills=[{"after": "x = 1\n", "write": f"{NAME}ask()"}])
        self.open_both(client, env=f"{NAME}{SECRET}\n")
        (item,) = self.complete(client, CODE, 2, 0)
        self.assertEqual(item["insertText"], f"{NAME}ask()")
        self.assert_kept()

    def test_is_not_drafted_when_it_was_removed(self):
        client = self.start([{"find": "None", "replace": f"{NAME}ask()"}])
        self.open_both(client, env=f"FIRST=1\n{NAME}{SECRET}\n", code="None\n")
        self.type(client, ENV, 2, span(1, 0, 2, 0), "")
        self.edit_to_end(client, CODE)
        self.assert_kept()

    def test_is_no_change_that_others_follow(self):
        client = self.start([{"find": "old_name", "replace": "new_name"}])
        self.open_both(client, env=f"A=old_name\nTOKEN={SECRET}\n", code=CALLS)
        self.type(client, ENV, 2, span(0, 2, 0, 10), "new_name")
        answer = self.next_edit(client, CODE)
        self.assertEqual((answer["edits"], answer["whyNone"]), ([], "there are no recent changes"))
        # The model is asked about another change, and sees only that one.
        self.type(client, CODE, 2, span(0, 10, 0, 18), "new_name")
        self.assertGreater(len(self.next_edit(client, CODE)["edits"]), 0)
        self.assert_kept()
        self.assert_kept("A=old_name")

    def test_does_not_follow_changes_elsewhere(self):
        client = self.start([{"find": "old_name", "replace": "new_name"}])
        lines = "".join(f"VALUE_{i} = old_name({i})  # a line that calls {SECRET}\n" for i in range(3))
        self.open_both(client, env=lines, code="value = old_name(0)\n")
        self.type(client, CODE, 2, span(0, 8, 0, 16), "new_name")
        answer = self.next_edit(client, CODE)
        self.assertEqual(answer["edits"], [])
        self.assertEqual(self.shown(), "")
        self.open(client, CALLS, uri=NOTES)
        self.assertEqual({edit["textDocument"]["uri"] for edit in self.next_edit(client, CODE)["edits"]}, {NOTES})
        self.assert_kept()

    def test_is_not_remembered_from_an_edit_there(self):
        secret_edit = {"instruction": "fill in", "find": "HERE", "replace": NAME + SECRET}
        client = self.start([secret_edit, {"instruction": "ask", "find": "None", "replace": f"{NAME}ask()"}])
        self.open_both(client, env="FIRST=1\nHERE\n", code="None\n")
        self.assertIn(SECRET, self.edit_to_end(client, ENV, "fill in"), "an edit that is asked for works")
        before = len(self.shown())
        self.assertIn("ask()", self.edit_to_end(client, CODE, "ask"))
        self.assert_kept(start=before)


class InAnEnvironmentFile(SecretsTest):
    def test_nothing_is_suggested_unasked(self):
        client = self.start([{"find": "old", "replace": "fresh"}], fills=[{"after": "", "write": "x"}])
        for uri in (ENV, "file:///home/somebody/.ssh/config", "untitled:/project/.env",
                    "git:/project/.env?%7B%22ref%22%7D"):
            self.open(client, "A=old(1)\n" * 30, uri=uri)
            for kind in (AUTOMATIC, INVOKED):
                self.assertEqual(self.complete(client, uri, 1, 0, kind), [])
            self.assertIn("secret", client.request("redraft/status")["completion"]["whyNone"])
            self.type(client, uri, 2, span(0, 2, 0, 5), "fresh")
            answer = self.next_edit(client, uri)
            self.assertEqual(answer["edits"], [])
            self.assertIn("secret", answer["whyNone"])
        self.assertEqual(self.shown(), "")

    def test_an_edit_is_made_on_request(self):
        client = self.start([{"find": "old", "replace": "fresh"}])
        self.open(client, "A=old\n", uri=ENV)
        self.assertEqual(self.edit_to_end(client, ENV), "A=fresh\n")
        self.assertIn("A=old", self.shown())


class AKeyThatIsPasted(SecretsTest):
    """The name is harmless: the content decides."""

    def paste(self, client, uri=NOTES, version=2):
        self.type(client, uri, version, span(0, 0, 0, 0), KEY)

    def test_is_shown_and_drafted_nowhere(self):
        client = self.start([{"find": "None", "replace": f"{NAME}ask()"}],
                            fills=[{"after": "", "write": "y = 2"}])
        self.open(client, "some notes\n", uri=NOTES)
        self.open(client, "token = None\n", uri=CODE)
        self.paste(client)
        self.assertEqual(self.complete(client, NOTES, 0, 0), [])
        self.assertEqual(len(self.complete(client, CODE, 1, 0)), 1)
        self.edit_to_end(client, CODE)
        self.assert_kept()

    def test_leaves_nothing_behind_when_it_is_removed(self):
        for typed in (True, False):
            with self.subTest(typed=typed):
                client = self.start([{"find": "None", "replace": f"{NAME}ask()"},
                                     {"find": "old_name", "replace": "new_name"}],
                                    fills=[{"after": "", "write": "y = 2"}])
                begin = len(self.shown())
                notes = "some notes, by old_name\n"
                self.open(client, notes if typed else KEY + notes, uri=NOTES)
                self.open(client, "None\n" + CALLS, uri=CODE)
                if typed:
                    self.paste(client)
                self.type(client, NOTES, 3, span(0, 0, 3, 0), "")
                self.type(client, NOTES, 4, span(0, 15, 0, 23), "new_name")
                self.assertEqual(len(self.complete(client, CODE, 1, 0)), 1)
                self.edit_to_end(client, CODE)
                self.assertGreater(len(self.next_edit(client, CODE)["edits"]), 0, "the notes are told again")
                self.assert_kept(start=begin)

    def test_is_not_looked_up_in_the_index(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name).resolve()
            file = root / "notes.py"
            file.write_text("import nothing\n")
            client = self.start([{"find": "None", "replace": NAME + SECRET}],
                                initialize=False, options=("--index",))
            self.initialize(client, GHOST, rootUri=root.as_uri(), initializationOptions=SETTINGS)
            self.wait_for_index(client, 1)
            self.open(client, "import nothing\n", uri=file.as_uri())
            self.open(client, "token = None\n", uri=CODE)
            self.paste(client, file.as_uri())
            # Open documents are in the index a moment later; a harmless one shows when.
            (root / "other.py").write_text("x = 1\n")
            client.notify("textDocument/didSave", {"textDocument": {"uri": (root / "other.py").as_uri()}})
            self.wait_for_index(client, 2)
            edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
                {"textDocument": {"uri": CODE}, "instruction": "write it", "decoder": "rest"}]})["editId"]
            found = self.end(client, edit)["statistics"]["acceptedBySource"].get("retrieval", 0)
            self.assertLess(found, len(SECRET) // 2)


if __name__ == "__main__":
    unittest.main()
