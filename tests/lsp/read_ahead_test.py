"""Reading ahead: a client announces an edit, is told its lines, and finds the prompt read when it requests the edit."""

import pathlib
import time
import unittest

from lsp_client import ResponseError
from server_case import RENAME, SLOW, STREAMING, URI, ServerTest, position, span

ANNOUNCING = {"experimental": {"redraft": {"streamedEdits": True, "prepare": True}}}
TEXT = "import os\n\n\n" + "".join(f"def f{i}(old):\n    return old + {i}\n\n\n" for i in range(100))


class ReadAhead(ServerTest):
    def prepare(self, client, at=None, **more):
        place = at or span(20, 4, 20, 4)
        return client.request("redraft/prepare", {"textDocument": {"uri": URI, "version": 1}, "range": place, **more})

    def read(self, client):
        return client.notification("$/redraft/prepare", lambda news: news["fraction"] >= 1)

    def edit_there(self, client, at=None):
        edit = self.edit(client, range=at or span(20, 4, 20, 4))
        return edit, self.end(client, edit)["statistics"]

    def unread(self, statistics):
        return statistics["promptTokens"] - statistics["cachedPromptTokens"]

    def test_an_announced_edit_reads_its_instruction_alone(self):
        client = self.start(RENAME, ANNOUNCING)
        self.open(client, TEXT)
        prepared = self.prepare(client)
        self.assertEqual(prepared, {"version": 1, "range": span(19, 0, 21, 0), "reads": True})
        news = self.read(client)
        self.assertEqual((news["uri"], news["version"], news["range"]), (URI, 1, prepared["range"]))
        edit, statistics = self.edit_there(client)
        self.assertLess(self.unread(statistics), 60)  # bytes are tokens here
        region = self.events(client, edit, "region")
        self.assertEqual([event["range"] for event in region], [prepared["range"]])

    def test_on_an_attribute_of_a_large_class_the_attributes_are_edited(self):
        client = self.start([{"instruction": "rename", "find": "limit", "replace": "most"}], ANNOUNCING)
        methods = "".join(f"    def method_{i}(self):\n        return {i}\n\n" for i in range(1000))
        self.open(client, f"class Large:\n    limit = 1\n    size = 2\n\n{methods}")
        self.assertEqual(self.prepare(client, span(1, 4, 1, 4))["range"], span(1, 0, 3, 0))
        edit, statistics = self.edit_there(client, span(1, 4, 1, 4))
        self.assertEqual([event["range"] for event in self.events(client, edit, "region")], [span(1, 0, 3, 0)])
        self.assertLess(statistics["newTokens"], 100)

    def test_an_edit_that_was_not_announced_reads_its_prompt(self):
        client = self.start(RENAME, ANNOUNCING)
        self.open(client, TEXT)
        _, statistics = self.edit_there(client)
        self.assertEqual(statistics["cachedPromptTokens"], 0)
        self.assertEqual(client.all("$/redraft/prepare"), [])

    def test_a_second_instruction_at_the_same_place_reads_little(self):
        client = self.start(RENAME, ANNOUNCING)
        self.open(client, TEXT)
        self.edit_there(client)
        _, again = self.edit_there(client)
        self.assertLess(self.unread(again), 60)

    def test_another_place_of_the_file_shares_its_beginning(self):
        client = self.start(RENAME, ANNOUNCING)
        self.open(client, TEXT)
        self.edit_there(client)
        _, other = self.edit_there(client, span(120, 4, 120, 4))
        self.assertGreater(other["cachedPromptTokens"], 300)

    def test_the_last_news_of_a_place_says_so(self):
        client = self.start(RENAME, ANNOUNCING)
        self.open(client, TEXT)
        self.prepare(client)
        last = client.notification("$/redraft/prepare", lambda news: news.get("end"))
        self.assertEqual((last["fraction"], last["range"], last.get("why")), (1, span(19, 0, 21, 0), None))
        self.assertEqual(client.all("$/redraft/prepare")[-1], last)

    def test_reading_that_ends_early_says_so(self):
        client = self.start(SLOW, ANNOUNCING, delay_ms_per_pass=100)
        self.edit_slowly(client)  # nothing is read before it is over
        prepared = self.prepare(client, span(20, 0, 20, 0))
        client.notify("redraft/stopPreparing")
        last = client.notification("$/redraft/prepare", lambda news: news.get("end"))
        self.assertEqual((last["fraction"], last["range"]), (0, prepared["range"]))
        self.assertIn("before it", last["why"])

    def test_it_can_be_turned_off(self):
        client = self.start(RENAME, initialize=False)
        self.initialize(client, ANNOUNCING, initializationOptions={"redraft": {"readAhead": "off"}})
        self.open(client, TEXT)
        self.assertEqual(self.prepare(client)["reads"], False)
        _, statistics = self.edit_there(client)
        self.assertEqual(statistics["cachedPromptTokens"], 0)

    def test_a_place_that_cannot_be_edited_is_refused(self):
        client = self.start(RENAME, ANNOUNCING)
        self.open(client, TEXT)
        with self.assertRaisesRegex(ResponseError, "version 1"):
            client.request("redraft/prepare", {"textDocument": {"uri": URI, "version": 7}, "range": span(0, 0, 0, 0)})
        with self.assertRaisesRegex(ResponseError, "not open"):
            client.request("redraft/prepare", {"textDocument": {"uri": "file:///none.py"}, "range": span(0, 0, 0, 0)})
        with self.assertRaisesRegex(ResponseError, "scope"):
            self.prepare(client, scope="galaxy")

    def test_stopping_is_harmless_at_any_time(self):
        client = self.start(RENAME, ANNOUNCING)
        client.notify("redraft/stopPreparing")
        self.open(client, TEXT)
        self.prepare(client)
        client.notify("redraft/stopPreparing")
        client.notify("redraft/stopPreparing")
        edit, _ = self.edit_there(client)
        self.assertEqual(self.events(client, edit, "end")[0]["state"], "done")

    def invoke_code_actions(self, client, at, kind):
        client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": at,
                                                   "context": {"diagnostics": [], "triggerKind": kind}})

    def test_code_actions_on_request_announce_for_clients_that_do_not(self):
        client = self.start(RENAME, {"experimental": {"redraft": {"streamedEdits": True}}})
        self.open(client, TEXT)
        self.invoke_code_actions(client, span(20, 4, 20, 4), 1)
        client.wait_for_log(b"read ahead the prompt of an edit at the cursor")
        edit = self.edit(client, "rename", range=span(20, 4, 20, 4), scope="auto")
        self.assertLess(self.unread(self.end(client, edit)["statistics"]), 60)

    def test_code_actions_of_a_cursor_that_rests_do_not(self):
        for capabilities, kind in ((STREAMING, 2), (STREAMING, None), (ANNOUNCING, 1)):
            client = self.start(RENAME, capabilities)
            self.open(client, TEXT)
            self.invoke_code_actions(client, span(20, 4, 20, 4), kind)
            _, statistics = self.edit_there(client)
            self.assertEqual(statistics["cachedPromptTokens"], 0)


class ExpectedRequests(ServerTest):
    """Completions where the user is about to type, and next edits after a change."""

    def start_with(self, settings):
        self.record = pathlib.Path(self.folder.name) / "record"
        client = self.start([{"find": "f7(old)", "replace": "f7(fresh)"}], initialize=False, record=str(self.record),
                            fills=[{"after": "x = ", "write": "1"}])
        self.initialize(client, {"textDocument": {"inlineCompletion": {}}}, initializationOptions={"redraft": settings})
        self.open(client, "x = \n", uri="file:///tmp/first.py")
        self.complete(client, "file:///tmp/first.py", position(0, 4))  # loads the model
        self.open(client, "x = \n" + TEXT)
        return client

    def complete(self, client, uri, place):
        (item,) = client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": place, "context": {"triggerKind": 2}})["items"]
        return item["data"]["statistics"]

    def shown(self):
        return self.record.read_text(encoding="utf-8")

    def unread(self, statistics):
        return statistics["promptTokens"] - statistics["cachedPromptTokens"]

    def expect(self, client, place):
        client.notify("redraft/expectCompletion", {"textDocument": {"uri": URI}, "position": place})

    def test_where_the_user_is_about_to_type_is_read(self):
        client = self.start_with({})
        self.assertTrue(self.reply["capabilities"]["experimental"]["redraft"]["expectCompletion"])
        before = TEXT + "x = "
        end = position(before.count("\n") + 1, 4)
        self.change(client, 2, {"text": "x = \n" + before + "\n"})
        self.expect(client, end)
        self.until(lambda: "return old + 99" in self.shown(), "it is not read")
        statistics = self.complete(client, URI, end)
        self.assertGreater(statistics["cachedPromptTokens"], 0.9 * statistics["promptTokens"])

    def test_after_a_change_what_a_next_edit_needs_is_read(self):
        client = self.start_with({})
        ask = lambda: client.request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        self.assertEqual(ask()["edits"], [])  # now the server knows that the client asks
        # No tree decides whether the other lines change alike, so the model is asked.
        self.change(client, 2, {"range": span(5, 11, 5, 14), "text": "fresh"})
        self.until(lambda: "return fresh + 0" in self.shown(), "it is not read")
        self.assertGreater(ask()["statistics"]["cachedPromptTokens"], 0)

    def test_with_the_setting_off_nothing_is(self):
        client = self.start_with({"readAhead": "off"})
        client.request("redraft/nextEdit", {"textDocument": {"uri": URI}})
        self.change(client, 2, {"range": span(5, 11, 5, 14), "text": "fresh"})
        self.expect(client, position(300, 0))
        time.sleep(0.5)  # it would be read by now
        for text in ("return fresh + 0", "return old + 70"):
            self.assertFalse(text in self.shown(), f"{text} is read")

    def test_a_place_that_is_none_is_no_error(self):
        client = self.start_with({})
        client.notify("redraft/expectCompletion", {"textDocument": {"uri": "file:///none.py"}, "position": position(0, 0)})
        self.expect(client, position(10**6, 7))
        self.expect(client, position(0, 4))
        self.complete(client, URI, position(0, 4))


if __name__ == "__main__":
    unittest.main()
