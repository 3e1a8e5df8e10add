"""Next edits by models that were trained for them, asked in their formats, over a scripted model."""

import pathlib
import unittest

from server_case import URI, ServerTest, span

TEXT = "use(old(x))\nreturn x\n\n\nprint(old(1))\n"
CHANGED = "use(fresh(x))\nreturn x\n\n\nprint(old(1))\n"
FOLLOWED = "use(fresh(x))\nreturn x\n\n\nprint(fresh(1))\n"
SWEEP = {"title": "Sweep Next Edit 0.5B", "answers": [{"after": "updated/a b.py\n", "write": FOLLOWED}]}


class FormatTest(ServerTest):
    def start(self, edits=(), **more):
        self.record = pathlib.Path(self.folder.name) / "record"
        return super().start(edits=edits, record=str(self.record), **more)

    def shown(self):
        return self.record.read_text(encoding="utf-8") if self.record.exists() else ""

    def change_a_name(self, client, text=TEXT):
        self.open(client, text)
        self.change(client, 2, {"range": span(0, 4, 0, 7), "text": "fresh"})

    def ask(self, client):
        return client.request("redraft/nextEdit", {"textDocument": {"uri": URI, "version": 2}})


class NextEditFormats(FormatTest):
    def test_a_model_of_that_name_is_asked_in_its_format(self):
        client = self.start(**SWEEP)
        self.change_a_name(client)
        answer = self.ask(client)
        (edit,) = answer["edits"]
        self.assertEqual((edit["text"], edit["range"]), ("print(fresh(1))\n", span(4, 0, 5, 0)))
        self.assertGreater(answer["statistics"]["passes"], 0)
        shown = self.shown()
        self.assertIn("a b.py.diff\noriginal:\nuse(old(x))\nupdated:\nuse(fresh(x))\n", shown)
        self.assertIn(f"original/a b.py\n{TEXT}current/a b.py\n{CHANGED}updated/a b.py\n", shown)

    def test_what_was_rejected_is_not_proposed_again(self):
        client = self.start(**SWEEP)
        self.change_a_name(client)
        (edit,) = self.ask(client)["edits"]
        client.request("workspace/executeCommand", {"command": "redraft.nextEditRejected",
                                                    "arguments": edit["command"]["arguments"]})
        answer = self.ask(client)
        self.assertEqual((answer["edits"], answer["whyNone"]), ([], "you rejected a suggestion a moment ago"))

    def test_what_does_not_follow_from_the_change_is_not_proposed(self):
        for written in (CHANGED, CHANGED.replace("return x", "return x + 1"), TEXT, "", "NO_EDITS\n"):
            client = self.start(title=SWEEP["title"], answers=[{"after": "updated/a b.py\n", "write": written}])
            self.change_a_name(client)
            answer = self.ask(client)
            self.assertEqual((answer["edits"], answer["whyNone"]), ([], "the model found no follow-up change"),
                             written)

    def test_it_ends_once_it_has_rejoined_the_window(self):
        calls = "".join(f"value_{i} = old({i})\n" for i in range(8))
        lines = CHANGED.replace("print(old(1))\n", calls)
        client = self.start(title=SWEEP["title"],
                            answers=[{"after": "updated/a b.py\n", "write": lines.replace("old(2)", "fresh(2)").replace(
                                "old(7)", "fresh(7)")}])
        self.change_a_name(client, TEXT.replace("print(old(1))\n", calls))
        (edit,) = self.ask(client)["edits"]
        self.assertEqual(edit["text"], "value_2 = fresh(2)\n")

    def test_text_that_the_format_reserves_is_not_shown(self):
        client = self.start(**SWEEP)
        self.change_a_name(client, TEXT + "# <|file_sep|>\n")
        answer = self.ask(client)
        self.assertEqual(answer["edits"], [])
        self.assertIn("format (sweep)", answer["whyNone"])
        self.assertEqual(self.shown(), "")

    def test_line_ends_stay_as_they_are(self):
        client = self.start(**SWEEP)
        self.change_a_name(client, TEXT.replace("\n", "\r\n"))
        (edit,) = self.ask(client)["edits"]
        self.assertEqual(edit["text"], "print(fresh(1))\r\n")
        self.assertNotIn("\r", self.shown())

    def test_a_setting_says_otherwise(self):
        client = self.start(edits=[{"find": "old(", "replace": "fresh("}], title=SWEEP["title"])
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"nextEdit": {"format": "none"}}}})
        self.change_a_name(client)
        (edit,) = self.ask(client)["edits"]
        self.assertEqual(edit["text"], "print(fresh(1))\n")
        self.assertNotIn("updated/", self.shown())
        client = self.start(answers=SWEEP["answers"], title="fine-tuned")
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"nextEdit": {"format": "sweep"}}}})
        self.change_a_name(client)
        self.assertEqual(self.ask(client)["edits"][0]["text"], "print(fresh(1))\n")

    def test_a_format_whose_tokens_the_model_lacks_is_refused_by_name(self):
        client = self.start(**SWEEP)
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"nextEdit": {"format": "zeta-2"}}}})
        self.change_a_name(client)
        with self.assertRaisesRegex(Exception, "the format zeta-2 needs the token <\\[fim-suffix\\]>"):
            self.ask(client)


class ModelsOfTheirOwn(FormatTest):
    """A second, small model for next edits, and one for completions."""

    def model(self, client):
        return client.request("redraft/status")["beside"]

    def start(self, **more):
        return super().start(capabilities={"textDocument": {"inlineCompletion": {}}}, **more)

    def complete(self, client):
        params = {"textDocument": {"uri": URI}, "position": {"line": 4, "character": 13}, "context": {"triggerKind": 2}}
        return [item["insertText"] for item in client.request("textDocument/inlineCompletion", params)["items"]]

    def test_each_is_loaded_when_it_is_needed(self):
        client = self.start(edits=[{"find": "old(", "replace": "wrong("}], fills=[{"after": "print(old(1))", "write": " # target"}],
                            next_edit_model=SWEEP | {"memory": 3 << 20},
                            completion_model={"fills": [{"after": "print(old(1))", "write": " # small"}]})
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"loadEarly": False}}})
        states = lambda: {each["for"]: each["state"] for each in self.model(client)}
        self.assertEqual(states(), {"completions": "unloaded", "next edits": "unloaded"})
        self.change_a_name(client)
        self.assertEqual(self.ask(client)["edits"][0]["text"], "print(fresh(1))\n")
        self.assertEqual(states(), {"completions": "unloaded", "next edits": "ready"})
        (next_edits,) = [each for each in self.model(client) if each["for"] == "next edits"]
        self.assertEqual((next_edits["model"], next_edits["memoryBytes"]), ("scripted", 3 << 20))
        self.assertEqual(self.complete(client), [" # small"])
        self.assertEqual(states(), {"completions": "ready", "next edits": "ready"})
        self.assertEqual(client.request("redraft/status")["state"], "unloaded", "nothing was asked of the target")
        client.wait_for_log(b"The model for next edits is being loaded; it takes about 3 MB of memory.")

    def test_one_that_cannot_be_loaded_is_told_of_and_the_others_go_on(self):
        client = self.start(edits=[{"find": "old(", "replace": "wrong("}], fills=[{"after": "print(old(1))", "write": " # target"}],
                            next_edit_model={"load_error": "no such file"})
        self.change_a_name(client)
        with self.assertRaisesRegex(Exception, "no such file"):
            self.ask(client)
        status = client.request("redraft/status")
        self.assertEqual(status["beside"][0]["error"], "no such file")
        self.assertIn("redraft cannot load the model for next edits: no such file", status["reasons"])
        self.assertEqual(self.complete(client), [" # target"])


if __name__ == "__main__":
    unittest.main()
