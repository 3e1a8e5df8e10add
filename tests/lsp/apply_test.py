"""redraft.apply: what another assistant wrote is put into the document, without the model where that is certain."""

import unittest

from server_case import STREAMING, URI, ServerTest, apply_edits, position

CODE = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
FIRST = "```python\ndef first():\n    return os.getpid()\n```\n"


class Apply(ServerTest):
    def apply(self, client, change, version=1, **more):
        arguments = {"textDocument": {"uri": URI, "version": version}, "change": change, **more}
        return client.request("workspace/executeCommand", {"command": "redraft.apply", "arguments": [arguments]})["editId"]

    def open_code(self, client):
        self.open(client, CODE)

    def test_what_is_certain_needs_no_model(self):
        client = self.start([], STREAMING, **self.hold())  # the model would never answer
        self.open_code(client)
        edit = self.apply(client, FIRST)
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["placed"], end["statistics"]["passes"]), ("done", True, 0))
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(CODE, reply["edit"]["changes"][URI]), CODE.replace("return 1", "return os.getpid()"))

    def test_what_is_there_already_says_so(self):
        client = self.start([], STREAMING)
        self.open_code(client)
        edit = self.apply(client, "def second():\n    return 2\n")
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["placed"]), ("done", True))
        self.assertEqual(self.events(client, edit, "hunk"), [])

    def test_else_the_model_is_shown_the_change(self):
        client = self.start([{"instruction": "yield 7", "find": "return 2", "replace": "yield 7"}], STREAMING)
        self.open_code(client)
        edit = self.apply(client, "def second():\n    # ... existing code ...\n    yield 7\n")
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["placed"], end["otherTries"]), ("done", False, False))
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(CODE, reply["edit"]["changes"][URI]), CODE.replace("return 2", "yield 7"))

    def test_a_plain_client_gets_one_edit(self):
        client = self.start([], {"workspace": {"applyEdit": True}})
        self.open_code(client)
        self.apply(client, FIRST)
        params = client.wait(lambda m: m.get("method") == "workspace/applyEdit")["params"]
        self.assertEqual(apply_edits(CODE, params["edit"]["changes"][URI]), CODE.replace("return 1", "return os.getpid()"))

    def test_a_plain_client_is_told_that_it_is_there_already(self):
        client = self.start([], {"workspace": {"applyEdit": True}})
        self.open_code(client)
        self.apply(client, "def second():\n    return 2\n")
        said = client.notification("window/showMessage")
        self.assertIn("the file already contains this code", said["message"])

    def test_typing_meanwhile_moves_it(self):
        client = self.start([], STREAMING)
        self.open_code(client)
        edit = self.apply(client, FIRST)
        self.end(client, edit)
        self.change(client, 2, {"range": {"start": position(0, 0), "end": position(0, 0)}, "text": "# new\n"})
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits("# new\n" + CODE, reply["edit"]["changes"][URI]),
                         "# new\n" + CODE.replace("return 1", "return os.getpid()"))

    def test_what_is_no_change_is_refused(self):
        client = self.start([], STREAMING)
        self.open_code(client)
        self.assert_error(-32602, self.apply, client, " \n")
        self.assert_error(-32803, self.apply, client, "```\n```\n")
        self.assert_error(-32801, self.apply, client, FIRST, version=2)


if __name__ == "__main__":
    unittest.main()
