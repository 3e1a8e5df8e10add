"""Completion as a client sees it: ghost text and the menu, over a scripted model."""

import os
import time
import unittest

from server_case import URI, ServerTest, encoded, position, span

FILLS = [{"after": "area = ", "write": "width * height"},
         {"after": "f(", "write": "one, two)"},
         {"after": "def f():\n    ", "write": "x = 1\n    return x\n"},
         {"after": "import os\n\n", "write": "a()\nb()\n\nc()\n\nd()\n"},
         {"after": 'say("', "write": "it's me (again)\")\n"},
         {"after": "naïve🙂 = ", "write": "\"日本語\""}]
GHOST = {"textDocument": {"inlineCompletion": {}}}
INVOKED, AUTOMATIC = 1, 2


class CompletionTest(ServerTest):
    def start(self, capabilities=GHOST, **more):
        return super().start(capabilities=capabilities, fills=FILLS, **more)

    def ghost(self, client, line, character, kind=AUTOMATIC, **context):
        return client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": position(line, character),
            "context": {"triggerKind": kind, **context}})["items"]

    def type(self, client, version, line, character, text):
        self.change(client, version, {"range": span(line, character, line, character), "text": text})


class GhostText(CompletionTest):
    def test_a_completion_is_offered_where_the_client_shows_ghost_text(self):
        client = self.start()
        self.assertEqual(self.reply["capabilities"]["inlineCompletionProvider"], {})
        self.assertNotIn("completionProvider", self.reply["capabilities"])
        self.open(client, "area = \n")
        (item,) = self.ghost(client, 0, 7)
        self.assertEqual(item["insertText"], "width * height")
        self.assertEqual(item["range"], span(0, 7, 0, 7))
        self.assertEqual(item["data"]["statistics"]["newTokens"], 14)
        self.assertFalse(item["data"]["carried"])

    def test_who_asks_by_hand_is_shown_more(self):
        client = self.start()
        client.notify("workspace/didChangeConfiguration",
                      {"settings": {"redraft": {"completion": {"alternatives": 1}}}})
        self.open(client, "import os\n\n\n")
        (item,) = self.ghost(client, 2, 0)
        self.assertEqual(item["insertText"], "a()\nb()")
        (item,) = self.ghost(client, 2, 0, INVOKED)
        self.assertEqual(item["insertText"], "a()\nb()\n\nc()")
        self.assertFalse(item["data"]["carried"])
        (item,) = self.ghost(client, 2, 0, INVOKED)
        self.assertTrue(item["data"]["carried"])

    def test_it_is_carried_forward_without_the_model(self):
        client = self.start(delay_ms_per_pass=20)
        self.open(client, "area = \n")
        self.ghost(client, 0, 7)
        rest = "width * height"
        for i, typed in enumerate(rest[:8]):
            self.type(client, 2 + i, 0, 7 + i, typed)
            (item,) = self.ghost(client, 0, 8 + i)
            self.assertEqual(item["insertText"], rest[i + 1:])
            self.assertTrue(item["data"]["carried"])
            self.assertIsNone(item["data"]["statistics"])

    def test_positions_count_in_the_clients_units(self):
        for encoding in ("utf-8", "utf-16", "utf-32"):
            client = self.start({**GHOST, "general": {"positionEncodings": [encoding]}})
            self.open(client, "naïve🙂 = \n")
            at = encoded("naïve🙂 = ", encoding)
            (item,) = self.ghost(client, 0, at)
            self.assertEqual(item["insertText"], '"日本語"')
            self.assertEqual(item["range"], span(0, at, 0, at))

    def test_lines_end_as_they_do_in_the_file(self):
        # The model reads and writes "\n".
        client = self.start()
        self.open(client, "def f():\r\n    \r\n")
        (item,) = self.ghost(client, 1, 4)
        self.assertEqual(item["insertText"], "x = 1\r\n    return x")

    def test_brackets_behind_the_place_are_not_doubled(self):
        client = self.start()
        self.open(client, "f()\n")
        self.assertEqual(self.ghost(client, 0, 2)[0]["insertText"], "one, two")

    def test_brackets_that_the_editor_closed_are_not_doubled_beside_its_menu(self):
        client = self.start()
        self.open(client, 'f()\nsay("")\n')
        (item,) = self.ghost(client, 0, 2, selectedCompletionInfo={"range": span(0, 2, 0, 2), "text": "one"})
        self.assertEqual(item["insertText"], "one, two")
        (item,) = self.ghost(client, 1, 5, selectedCompletionInfo={"range": span(1, 5, 1, 5), "text": "it's"})
        self.assertEqual(item["insertText"], "it's me (again)")
        (item,) = self.ghost(client, 1, 5)
        self.assertEqual(item["insertText"], "it's me (again)")

    def test_what_the_editor_closed_is_what_the_model_is_told_follows(self):
        record = os.path.join(self.folder.name, "shown")
        client = self.start(record=record)
        self.open(client, 'say("")\n')
        self.ghost(client, 0, 5)
        with open(record, encoding="utf-8") as file:
            self.assertIn('say("', file.read().replace('")', "<closed>"))
        with open(record, encoding="utf-8") as file:
            self.assertIn('")\n', file.read())

    def test_what_follows_on_the_line_is_not_repeated(self):
        fills = [{"after": "<p>", "write": "{text}</p>\n"}, {"after": "fmt.Pri", "write": "ntln(\"hi\")\n"},
                 {"after": "dirs(\"out\", ", "write": "0o755, exist_ok=True)\n"}, {"after": "len", "write": "(set(items))\n"},
                 {"after": "```sh\n", "write": "make\n```\n\nOr:\n"}]
        places = [("tsx", "typescriptreact", "return <p></p>;\n", (0, 10), "{text}"),
                  ("go", "go", "\tfmt.Println(\"hi\")\n", (0, 8), None),
                  ("py", "python", "os.makedirs(\"out\", , exist_ok=True)\n", (0, 19), "0o755"),
                  ("py", "python", "return len(items)\n", (0, 10), None),
                  ("md", "markdown", "```sh\n\n```\n\nThat is all.\n", (1, 0), "make")]
        for kind in (AUTOMATIC, INVOKED):
            client = ServerTest.start(self, capabilities=GHOST, fills=fills)
            client.notify("workspace/didChangeConfiguration",
                          {"settings": {"redraft": {"completion": {"alternatives": 1}}}})
            for number, (ending, language, text, at, shown) in enumerate(places):
                uri = f"file:///tmp/{number}.{ending}"
                client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1,
                                                                        "text": text}})
                items = client.request("textDocument/inlineCompletion", {
                    "textDocument": {"uri": uri}, "position": position(*at), "context": {"triggerKind": kind}})["items"]
                self.assertEqual([item["insertText"] for item in items], [shown] if shown else [], (text, kind))
                if not shown:
                    self.assertIn("already has what the model wrote",
                                  client.request("redraft/status")["completion"]["whyNone"])

    def test_a_keyword_alone_is_shown_on_request_only(self):
        client = ServerTest.start(self, capabilities=GHOST, fills=[{"after": "def f():\n    ", "write": "return 1\n"}],
                                  doubts=[{"after": "return", "probability": 0.2}])
        self.open(client, "def f():\n    \n")
        self.assertEqual(self.ghost(client, 1, 4), [])
        self.assertEqual(self.ghost(client, 1, 4, INVOKED)[0]["insertText"], "return 1")

    # While the user types, a suggestion ends where the model is not sure of it.

    DOUBTS = [{"after": "width ", "probability": 0.4}]

    def set_least(self, client, least):
        client.notify("workspace/didChangeConfiguration",
                      {"settings": {"redraft": {"completion": {"minProbability": least}}}})

    def test_a_suggestion_ends_where_the_model_is_not_sure(self):
        client = self.start(doubts=self.DOUBTS)
        self.open(client, "area = \n")
        self.set_least(client, 0.5)
        (item,) = self.ghost(client, 0, 7)
        self.assertEqual(item["insertText"], "width")
        self.assertLess(item["data"]["statistics"]["newTokens"], 14)
        # Who types on gets the rest of it, and behind it a new one.
        self.type(client, 2, 0, 7, "wid")
        (item,) = self.ghost(client, 0, 10)
        self.assertEqual((item["insertText"], item["data"]["carried"]), ("th", True))
        self.type(client, 3, 0, 10, "th *")
        (item,) = self.ghost(client, 0, 14)
        self.assertEqual((item["insertText"], item["data"]["carried"]), (" height", False))

    def test_who_asks_is_shown_what_the_model_is_not_sure_of(self):
        client = self.start(doubts=self.DOUBTS)
        self.open(client, "area = \n")
        self.set_least(client, 0.5)
        self.assertEqual(self.ghost(client, 0, 7)[0]["insertText"], "width")
        self.assertEqual(self.ghost(client, 0, 7, INVOKED)[0]["insertText"], "width * height")
        self.set_least(client, 0)
        self.type(client, 2, 0, 0, "\n")
        self.assertEqual(self.ghost(client, 1, 7)[0]["insertText"], "width * height")

    def test_what_the_model_is_not_sure_of_at_all_is_not_shown_and_status_says_so(self):
        client = self.start(doubts=[{"after": "area = ", "probability": 0.05}])
        self.open(client, "area = \n")
        self.set_least(client, 0.1)
        self.assertEqual(self.ghost(client, 0, 7), [])
        self.assertIn("redraft.completion.minProbability", client.request("redraft/status")["completion"]["whyNone"])

    def test_settings_count_at_once(self):
        client = self.start()
        self.open(client, "area = \n")
        set_completion = lambda **settings: client.notify("workspace/didChangeConfiguration", {
            "settings": {"redraft": {"completion": settings}}})
        for off in ({"enabled": False}, {"languages": {"python": False}}, {"languages": {"*": False}}):
            set_completion(**off)
            self.assertEqual(self.ghost(client, 0, 7), [])
            set_completion(languages={"c": False})
            self.assertEqual(len(self.ghost(client, 0, 7)), 1)
        set_completion(delay=400)
        start = time.monotonic()
        self.type(client, 2, 0, 0, "x")
        self.ghost(client, 0, 8)
        self.assertGreater(time.monotonic() - start, 0.4)
        set_completion(maxTokens=3)
        self.type(client, 3, 0, 0, "y")
        (item,) = self.ghost(client, 0, 9)
        self.assertLessEqual(item["data"]["statistics"]["newTokens"], 3)

    def test_several_where_the_user_asks_one_where_not(self):
        client = self.start()
        self.open(client, "area = \n")
        self.assertEqual(len(self.ghost(client, 0, 7)), 1)
        several = self.ghost(client, 0, 7, INVOKED)
        self.assertGreater(len(several), 1)
        self.assertEqual(several[0]["insertText"], "width * height")

    def test_what_the_menu_has_selected_is_gone_on_from(self):
        client = self.start()
        self.open(client, "are\n")
        (item,) = self.ghost(client, 0, 3, selectedCompletionInfo={"range": span(0, 0, 0, 3), "text": "area = "})
        self.assertEqual(item["insertText"], "area = width * height")
        self.assertEqual(item["range"], span(0, 0, 0, 3))

    def test_a_cancelled_request_is_answered_at_once_and_the_next_is_served(self):
        client = self.start(**self.hold_fills())
        self.open(client, "area = \nf(\n")
        first = client.start_request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": position(0, 7), "context": {"triggerKind": INVOKED}})
        client.wait_for_log(b"model ready")  # its run has begun
        client.notify("$/cancelRequest", {"id": first})
        self.assert_error(-32800, client.response, first)  # while the model hangs
        self.release()
        self.assertEqual(self.ghost(client, 1, 2)[0]["insertText"], "one, two)")

    def test_an_older_request_is_answered_with_nothing(self):
        client = self.start(**self.hold_fills())
        self.open(client, "area = \nf(\n")
        first, second = (client.start_request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": place, "context": {"triggerKind": AUTOMATIC}})
            for place in (position(0, 7), position(1, 2)))
        self.assertEqual(client.response(first)["items"], [])
        self.release()
        self.assertEqual(client.response(second)["items"][0]["insertText"], "one, two)")

    def test_a_completion_goes_in_between_an_edit(self):
        client = super().start(capabilities={**GHOST, "experimental": {"redraft": {"streamedEdits": True}}},
                               edits=[{"instruction": "", "find": "old", "replace": "fresh"}],
                               **self.hold())
        self.open(client, "area = \n" + "old line\n" * 200)
        edit = self.edit(client)
        client.notification("$/redraft/edit", lambda p: p["kind"] == "progress")
        ghost = client.start_request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": position(0, 7), "context": {"triggerKind": INVOKED}})
        self.release_when_told(client)
        self.assertEqual(client.response(ghost)["items"][0]["insertText"], "width * height")
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertLess(client.place_of(lambda m: m.get("id") == ghost and "method" not in m),
                        client.place_of(lambda m: m.get("method") == "$/redraft/edit" and m["params"]["kind"] == "end"))
        self.assertEqual(len(self.events(client, edit, "hunk")), 1)

    def test_nothing_is_no_error_and_has_a_reason(self):
        client = self.start()
        self.open(client, "nobody knows what\n")
        self.assertEqual(self.ghost(client, 0, 0), [])
        self.assertIn("nothing to add", client.request("redraft/status")["completion"]["whyNone"])
        other = client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": "file:///elsewhere"}, "position": position(0, 0), "context": {"triggerKind": 2}})
        self.assertEqual(other["items"], [])
        self.assertIn("not open", client.request("redraft/status")["completion"]["whyNone"])

    def test_a_model_that_cannot_be_loaded_is_an_error_that_says_why(self):
        client = self.start(load_error="no such model")
        self.open(client, "area = \n")
        self.assert_error(-32803, self.ghost, client, 0, 7)

    def test_why_there_is_no_model_is_shown_once_and_for_every_edit(self):
        client = self.start({**GHOST, "workspace": {"applyEdit": True}}, load_error="no such model")
        self.open(client, "area = \n")
        for _ in range(3):
            self.assert_error(-32803, self.ghost, client, 0, 7)
        self.assertEqual(len(client.all("window/showMessage")), 1)
        for edits in (1, 2):
            self.edit(client)
            client.wait(lambda _, said=1 + edits: len(client.all("window/showMessage")) == said)
        self.assertIn("no such model", client.all("window/showMessage")[-1]["message"])

    def test_what_becomes_of_suggestions_is_counted(self):
        client = self.start()
        self.open(client, "area = \n")
        (item,) = self.ghost(client, 0, 7)
        client.notify("textDocument/didShowCompletion", {"item": item})
        client.notify("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": 5})
        client.notify("textDocument/didFocus", {"textDocument": {"uri": URI}})
        client.request("workspace/executeCommand", item["command"])
        counts = client.request("redraft/status")["completion"]
        self.assertEqual({key: counts[key] for key in ("suggested", "shown", "accepted", "acceptedPartially")},
                         {"suggested": 1, "shown": 1, "accepted": 1, "acceptedPartially": 1})

    def test_places_beyond_the_text_are_its_end(self):
        client = self.start()
        self.open(client, "area = ")
        self.assertEqual(self.ghost(client, 70, 700)[0]["insertText"], "width * height")


class Menu(CompletionTest):
    def start(self, capabilities=None, **more):
        return super().start(capabilities=capabilities or {}, **more)

    def items(self, client, line, character):
        return client.request("textDocument/completion", {"textDocument": {"uri": URI},
                                                          "position": position(line, character)})

    def test_a_client_without_ghost_text_gets_one_item_below_the_others(self):
        client = self.start()
        self.assertEqual(self.reply["capabilities"]["completionProvider"], {"resolveProvider": True})
        self.open(client, "area = wid\n")
        result = self.items(client, 0, 10)
        self.assertTrue(result["isIncomplete"])
        (item,) = result["items"]
        self.assertEqual(item["textEdit"], {"range": span(0, 7, 0, 10), "newText": "width * height"})
        self.assertEqual(item["filterText"], "width * height")
        self.assertGreater(item["sortText"], "zzzz")
        resolved = client.request("completionItem/resolve", item)
        self.assertEqual(resolved["documentation"], "width * height")
        self.assertEqual({**resolved, "documentation": None}, {**item, "documentation": None})

    def test_the_documentation_is_markdown_for_those_who_read_it(self):
        client = self.start({"textDocument": {"completion": {"completionItem": {"documentationFormat": ["markdown"]}}}})
        self.open(client, "area = \n")
        (item,) = self.items(client, 0, 7)["items"]
        self.assertEqual(client.request("completionItem/resolve", item)["documentation"],
                         {"kind": "markdown", "value": "```\nwidth * height\n```"})

    def test_a_setting_decides_whether_a_client_with_ghost_text_has_a_menu_too(self):
        client = self.start({**GHOST, "textDocument": {**GHOST["textDocument"], "completion": {"dynamicRegistration": True}}})
        self.assertNotIn("completionProvider", self.reply["capabilities"])
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"completion": {"menu": "always"}}}})
        registered = client.wait(lambda m: m.get("method") == "client/registerCapability" and
                                 m["params"]["registrations"][0]["method"] == "textDocument/completion")
        self.assertEqual(registered["params"]["registrations"][0]["registerOptions"], {"resolveProvider": True})
        self.open(client, "area = wid\n")
        self.assertEqual(len(self.items(client, 0, 10)["items"]), 1)
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"completion": {"menu": "never"}}}})
        self.assertEqual(self.items(client, 0, 10)["items"], [])
        self.assertIn("completion.menu", client.request("redraft/status")["completion"]["whyNone"])

    def test_settings_say_where_there_is_none(self):
        client = self.start()
        self.open(client, "# area = \narea = \n")
        for settings, reason in (({"enabled": False}, "is off"), ({"languages": {"python": False}}, "off for python"),
                                 ({"languages": {"*": False}}, "off for python")):
            client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"completion": settings}}})
            self.assertEqual(self.items(client, 1, 7)["items"], [])
            self.assertIn(reason, client.request("redraft/status")["completion"]["whyNone"])
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"completion": {"inComments": False}}}})
        self.assertEqual(self.items(client, 0, 9)["items"], [])
        self.assertIn("comments", client.request("redraft/status")["completion"]["whyNone"])
        self.assertEqual(len(self.items(client, 1, 7)["items"]), 1)

    def test_nothing_is_an_empty_list(self):
        client = self.start()
        self.open(client, "nobody\n")
        self.assertEqual(self.items(client, 0, 0), {"isIncomplete": True, "items": []})


if __name__ == "__main__":
    unittest.main()
