"""Next edits as a client sees them, over a scripted model."""

import unittest

from lsp_client import ResponseError
from server_case import STREAMING, URI, ServerTest, position, span

FOLLOW = [{"find": "old(", "replace": "fresh("}]
CALLS = "".join(f"def f{i}(x):\n    a = {i}\n    b = a * {i}\n    return old(x) + b + {i}\n\n\n" for i in range(10))
METHODS = ("redraft/nextEdit", "textDocument/copilotInlineEdit")


class NextEdits(ServerTest):
    def start(self, edits=FOLLOW, **more):
        return super().start(edits=edits, **more)

    def ask(self, client, method=METHODS[0], version=None, **more):
        document = {"uri": URI} if version is None else {"uri": URI, "version": version}
        return client.request(method, {"textDocument": document, "position": position(0, 0), **more})

    def change_a_call(self, client):
        self.open(client, CALLS)
        self.change(client, 2, {"range": span(3, 11, 3, 14), "text": "fresh"})

    def test_both_methods_answer_alike(self):
        for method in METHODS:
            client = self.start()
            self.change_a_call(client)
            answer = self.ask(client, method, 2)
            edit = answer["edits"][0]
            self.assertEqual(edit["text"], "    return fresh(x) + b + 1\n")
            self.assertEqual(edit["range"], span(9, 0, 10, 0))
            self.assertEqual(edit["textDocument"], {"uri": URI, "version": 2})
            self.assertEqual(edit["command"]["command"], "redraft.nextEditAccepted")
            self.assertGreater(answer["statistics"]["passes"], 0)
            self.assertIsNone(answer["whyNone"])

    def test_without_a_change_there_is_none_and_it_says_why(self):
        client = self.start()
        self.open(client, CALLS)
        answer = self.ask(client)
        self.assertEqual((answer["edits"], answer["whyNone"]), ([], "there are no recent changes"))

    def test_what_is_left_comes_without_the_model(self):
        client = self.start()
        self.change_a_call(client)
        edits = self.ask(client)["edits"]
        self.assertGreater(len(edits), 1)
        self.change(client, 3, {"range": edits[0]["range"], "text": edits[0]["text"]})
        client.request("workspace/executeCommand", {"command": edits[0]["command"]["command"],
                                                    "arguments": edits[0]["command"]["arguments"]})
        answer = self.ask(client)
        self.assertTrue(answer["carried"])
        self.assertEqual([edit["range"] for edit in answer["edits"]], [edit["range"] for edit in edits[1:]])
        self.assertEqual(answer["edits"][0]["textDocument"]["version"], 3)
        self.assertEqual(client.request("redraft/status")["nextEdit"]["accepted"], 1)

    def test_what_was_rejected_is_not_proposed_again(self):
        client = self.start(edits=[{"find": "f1(x):\n    a = 1\n    b = a * 1\n    return old(", "replace":
                                    "f1(x):\n    a = 1\n    b = a * 1\n    return fresh("}])
        self.change_a_call(client)
        (edit,) = self.ask(client)["edits"]
        client.request("workspace/executeCommand", {"command": "redraft.nextEditRejected",
                                                    "arguments": edit["command"]["arguments"]})
        answer = self.ask(client, invoked=True)
        self.assertEqual((answer["edits"], answer["whyNone"]), ([], "all next edits were rejected before"))
        self.assertEqual(client.request("redraft/status")["nextEdit"]["rejected"], 1)

    def test_the_newest_request_wins_and_a_change_ends_it(self):
        client = self.start(**self.hold())
        self.change_a_call(client)
        first = client.start_request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        second = client.start_request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        self.assertEqual(client.response(first)["whyNone"], "a newer request took its place")
        self.change(client, 3, {"range": span(0, 0, 0, 0), "text": "#\n"})
        self.release_when_told(client)
        self.assertEqual(client.response(second)["whyNone"], "the text was changed meanwhile")

    def test_the_same_lines_are_changed_alike_one_place_after_the_other_without_the_model(self):
        client = self.start(**self.hold())  # the model would write nothing
        text = "".join(f"def f{i}(x):\n    a = {i}\n    b = a * {i}\n    return old(x) + b\n\n\n" for i in range(4))
        self.open(client, text)
        self.change(client, 2, {"range": span(3, 11, 3, 14), "text": "fresh"})
        for version, line in ((3, 9), (4, 15), (5, 21)):
            answer = self.ask(client)
            self.assertEqual([(edit["range"], edit["text"]) for edit in answer["edits"]],
                             [(span(line, 0, line + 1, 0), "    return fresh(x) + b\n")])
            self.assertEqual((answer["statistics"], answer["byTree"]), (None, False))
            self.assertIn("without the model", answer["note"])
            self.change(client, version, {"range": answer["edits"][0]["range"], "text": answer["edits"][0]["text"]})
        self.release()

    # What the tree knows of names, and values that are equal by chance.

    TWO = ("def f(xs):\n    count = 0\n    for x in xs:\n        count += x\n    return count\n\n\n"
           "def g(xs):\n    count = 0\n    return count\n")

    def walk(self, client, edits=20):
        """What is proposed, one edit after the other, each accepted, until nothing is: the lines from 0, and the text."""
        lines, version = [], 2
        for _ in range(edits):
            answer = self.ask(client)
            if not answer["edits"]:
                return lines, answer
            edit = answer["edits"][0]
            lines += range(edit["range"]["start"]["line"], edit["range"]["end"]["line"])
            version += 1
            self.change(client, version, {"range": edit["range"], "text": edit["text"]})
        return lines, None

    def test_a_renamed_variable_is_renamed_where_it_is_used_and_nowhere_else(self):
        client = self.start(edits=[{"find": "count", "replace": "total"}])  # the model would do it everywhere
        self.open(client, self.TWO)
        self.change(client, 2, {"range": span(1, 4, 1, 9), "text": "total"})
        answer = self.ask(client)
        self.assertEqual((answer["byTree"], answer["statistics"]), (True, None))
        self.assertEqual([edit["text"] for edit in answer["edits"]], ["        total += x\n    return total\n"])
        self.assertEqual(answer["note"], "the other uses of what you renamed")
        self.assertEqual(self.walk(client)[0], [3, 4])

    def test_another_functions_variable_stays_whoever_proposes_to_rename_it(self):
        client = self.start(edits=[{"find": "count", "replace": "total"}])
        self.open(client, self.TWO)
        self.change(client, 2, {"range": span(1, 4, 1, 9), "text": "total"},
                    {"range": span(3, 8, 3, 13), "text": "total"}, {"range": span(4, 11, 4, 16), "text": "total"})
        answer = self.ask(client)
        self.assertEqual(answer["edits"], [])
        self.assertIn("no other code looks like", answer["whyNone"])

    def test_a_value_that_is_equal_follows_once_two_were_changed_alike(self):
        filler = "\n" * 12
        text = filler.join(f"def f{i}(x):\n    return wait(x, 10)\n" for i in range(4))
        client = self.start(edits=[{"find": "10", "replace": "30"}])
        self.open(client, text)
        self.change(client, 2, {"range": span(1, 19, 1, 21), "text": "30"})
        self.assertEqual(self.ask(client)["edits"], [])
        self.change(client, 3, {"range": span(15, 19, 15, 21), "text": "30"})
        self.assertEqual([edit["text"] for edit in self.ask(client)["edits"]], ["    return wait(x, 30)\n"])

    def test_a_value_that_nobody_wrote_is_not_derived(self):
        client = self.start(edits=[{"find": '"y": "1.0.0"', "replace": '"y": "1.0.1"'}])
        text = '{\n  "version": "1.0.0",\n  "dependencies": {\n    "y": "1.0.0"\n  }\n}\n'
        uri = "file:///tmp/package.json"
        self.open(client, text, uri=uri)
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
            {"range": span(1, 14, 1, 19), "text": "1.1.0"}]})
        self.assertEqual(client.request("redraft/nextEdit", {"textDocument": {"uri": uri}})["edits"], [])

    def test_a_document_that_can_no_longer_be_edited_is_proposed_nothing_for(self):
        client = self.start()
        other = "file:///tmp/other.py"
        self.open(client, "x = 1\n", uri=other)
        self.change_a_call(client)
        self.assertGreater(len(self.ask(client)["edits"]), 0)
        self.change(client, 3, {"text": "no text: \0"})
        answer = client.request("redraft/nextEdit", {"textDocument": {"uri": other}})
        self.assertEqual((answer["edits"], answer["whyNone"]), ([], "there are no recent changes"))

    def test_an_edit_and_a_completion_go_first(self):
        client = self.start(capabilities=STREAMING, fills=[{"after": "x", "write": " = 1"}], **self.hold())
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"completion": {"delay": 0}}}})
        self.change_a_call(client)
        request = client.start_request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        client.wait_for_log(b"model ready")  # it has begun
        edit = self.edit(client, version=2)
        items = client.start_request("textDocument/completion", {"textDocument": {"uri": URI}, "position": position(0, 8)})
        self.release_when_told(client)
        self.assertGreater(len(client.response(request)["edits"]), 0)
        self.assertEqual(len(client.response(items)["items"]), 1)
        answer = lambda number: client.place_of(lambda m: m.get("id") == number and "method" not in m)
        end = client.place_of(lambda m: m.get("method") == "$/redraft/edit" and (m["params"]["editId"], m["params"]["kind"]) ==
                              (edit, "end"))
        self.assertLess(answer(items), end)
        self.assertLess(end, answer(request))

    def test_cancel(self):
        client = self.start(**self.hold())
        self.change_a_call(client)
        request = client.start_request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        client.notify("$/cancelRequest", {"id": request})
        with self.assertRaises(ResponseError) as raised:
            client.response(request)  # while the model hangs
        self.assertEqual(raised.exception.code, -32800)
        self.release()

    def test_an_older_version_and_a_closed_file_are_refused(self):
        client = self.start()
        self.change_a_call(client)
        with self.assertRaises(ResponseError) as raised:
            self.ask(client, version=1)
        self.assertEqual(raised.exception.code, -32801)
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        with self.assertRaises(ResponseError) as raised:
            self.ask(client)
        self.assertEqual(raised.exception.code, -32602)

    def test_the_setting_turns_it_off(self):
        client = self.start(initialize=False)
        self.initialize(client, initializationOptions={"redraft": {"nextEdit": {"enabled": False}}})
        self.change_a_call(client)
        answer = self.ask(client)
        self.assertEqual(answer["edits"], [])
        self.assertIn("redraft.nextEdit.enabled", answer["whyNone"])
        self.assertIn("Next edits are off (redraft.nextEdit.enabled).", client.request("redraft/status")["reasons"])

    # Functions whose parameters change.

    def test_what_the_model_is_not_sure_of_is_a_setting(self):
        client = self.start(certainty=0.9)  # of each byte
        self.change_a_call(client)
        self.assertEqual(self.ask(client)["edits"], [])
        self.assertIn("redraft.nextEdit.minProbability", client.request("redraft/status")["nextEdit"]["whyNone"])
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"nextEdit": {"minProbability": 0}}}})
        self.assertNotEqual(self.ask(client)["edits"], [])

    def change_parameters(self, client, parameters, calls, other=None):
        """`load(path, mode)` gets other parameters."""
        if other:
            self.open(client, other, uri="file:///tmp/other.py")
        self.open(client, "def load(path, mode):\n    return path\n\n\n" + calls)
        self.change(client, 2, {"range": span(0, 9, 0, 19), "text": parameters})

    def test_swapped_parameters_are_swapped_in_calls_without_the_model(self):
        client = self.start(**self.hold())  # it never answers
        self.change_parameters(client, "mode, path", 'load("a", "r")\n\n\ndef f(load):\n    return load(1, 2)\n',
                               "from b import load\nload(1, 2)\nfrom m import load\n")
        answer = self.ask(client)
        self.assertEqual([edit["text"] for edit in answer["edits"]], ['load("r", "a")\n'])
        self.assertEqual((answer["byTree"], answer["statistics"], answer["whyNone"]), (True, None, None))
        self.assertEqual(answer["note"], "the parameters of 'load' changed: 1 call found in the open files, 1 to change")
        self.change(client, 3, {"range": answer["edits"][0]["range"], "text": answer["edits"][0]["text"]})
        request = client.start_request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        self.release_when_told(client)
        answer = client.response(request)
        self.assertEqual((answer["edits"], answer["byTree"]), ([], False), "it is not swapped back")
        self.assertIn("1 call found in the open files, none of which has to change", answer["whyNone"])
        self.assertEqual(client.request("redraft/status")["nextEdit"]["whyNone"], answer["whyNone"])

    def test_a_removed_parameter_goes_from_calls_in_other_open_files(self):
        client = self.start(**self.hold())
        self.open(client, "import b_c\n\nprint(b_c.load(1, 2))\nprint(b_c.load(1, f()))\n", uri="file:///tmp/other.py")
        uri = "file:///tmp/b_c.py"
        self.open(client, "def load(path, mode):\n    return path\n", uri=uri)
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2},
                                                 "contentChanges": [{"range": span(0, 13, 0, 19), "text": ""}]})
        edits = client.request("redraft/nextEdit", {"textDocument": {"uri": uri}})["edits"]
        self.assertEqual([edit["text"] for edit in edits], ["print(b_c.load(1))\n"])
        self.assertEqual(edits[0]["textDocument"], {"uri": "file:///tmp/other.py", "version": 1})
        self.release()

    def test_what_a_new_parameter_is_given_the_model_writes(self):
        shadow = "\n" * 12 + "def f(load):\n    return load(path, mode)\n"
        script = [{"find": "load(path, mode)", "replace": "load(path, mode, True)"}]
        client = self.start(script)
        self.change_parameters(client, "path, mode, strict", "def g(path, mode):\n    return load(path, mode)\n" + shadow)
        answer = self.ask(client)
        self.assertEqual([edit["text"] for edit in answer["edits"]], ["    return load(path, mode, True)\n"])
        self.assertEqual(answer["edits"][0]["range"], span(5, 0, 6, 0), "not the one that is another's")
        self.assertFalse(answer["byTree"])
        self.assertGreater(answer["statistics"]["passes"], 0)
        self.change(client, 3, {"range": answer["edits"][0]["range"], "text": answer["edits"][0]["text"]})
        self.assertEqual(self.ask(client)["edits"], [])

    def test_what_is_no_sound_change_of_a_call_is_not_shown(self):
        for wrong in ("load(mode, path, True)", "load(path, mode)\n    strict = 1", "load(path, True)",
                      "load(path, mode, strict)"):  # which is no name there
            client = self.start([{"find": "load(path, mode)", "replace": wrong}])
            self.change_parameters(client, "path, mode, strict", "def g(path, mode):\n    return load(path, mode)\n")
            answer = self.ask(client)
            self.assertEqual(answer["edits"], [], wrong)
            self.assertIn("1 call found in the open files, 1 to change; the model", answer["whyNone"])

    def test_what_was_searched_is_said_of_changes_of_calls_only(self):
        follow = [{"find": "old(", "replace": "fresh("}]
        client = self.start(follow)
        self.change_parameters(client, "mode, path", CALLS)
        self.change(client, 3, {"range": span(7, 11, 7, 14), "text": "fresh"})
        answer = self.ask(client)
        self.assertIn("fresh(x)", answer["edits"][0]["text"])
        self.assertIsNone(answer["note"], "that is no call of 'load'")

    def test_what_is_left_keeps_its_note(self):
        client = self.start(**self.hold())
        self.change_parameters(client, "mode, path", 'load("a", "r")\nx = 1\nload("b", "w")\n')
        first = self.ask(client)
        self.assertEqual(len(first["edits"]), 2)
        edit = first["edits"][0]
        self.change(client, 3, {"range": edit["range"], "text": edit["text"]})
        answer = self.ask(client)
        self.assertEqual((answer["carried"], answer["byTree"], answer["note"]), (True, True, first["note"]))
        self.release()

    def test_that_no_call_was_found_is_said(self):
        client = self.start()
        self.change_parameters(client, "mode, path", "print(1)\n")
        answer = self.ask(client)
        self.assertEqual(answer["edits"], [])
        self.assertEqual(answer["note"], "the parameters of 'load' changed: no call found in the open files")
        self.assertTrue(answer["whyNone"].startswith(answer["note"] + "; "))

    def test_a_swap_that_was_turned_down_is_not_proposed_again(self):
        client = self.start()
        self.change_parameters(client, "mode, path", "load(1, 2)\n")
        (edit,) = self.ask(client)["edits"]
        client.request("workspace/executeCommand", {"command": "redraft.nextEditRejected",
                                                    "arguments": edit["command"]["arguments"]})
        self.assertEqual(self.ask(client)["edits"], [])


if __name__ == "__main__":
    unittest.main()
