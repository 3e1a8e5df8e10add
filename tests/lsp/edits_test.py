"""Edits over the protocol: streamed hunks, plain clients, and texts that must survive. The model is a script."""

import json
import unittest

from server_case import LINES, RENAME, RESOLVING, STREAMING, URI, ServerTest, apply_edits, encoded, span


class StreamedEdits(ServerTest):
    def test_hunks_come_in_order_and_make_the_new_text(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        edit = self.edit(client)
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["finishReason"], end["error"]), ("done", "stop", None))
        self.assertGreater(end["statistics"]["passes"], 0)
        self.assertGreater(end["statistics"]["acceptedBySource"]["reuse"], 0)
        self.assertEqual([p["seq"] for p in self.events(client, edit)], list(range(len(self.events(client, edit)))))
        hunks = self.events(client, edit, "hunk")
        self.assertEqual([h["hunkId"] for h in hunks], [0, 1, 2, 3])
        self.assertEqual([h["range"]["start"]["line"] for h in hunks], [5, 15, 25, 35])
        self.assertTrue(all("old" in h["oldText"] and h["version"] == 1 and h["uri"] == URI for h in hunks))
        reply = self.resolve(client, edit)
        self.assertEqual((reply["version"], reply["hunkIds"]), (1, [0, 1, 2, 3]))
        self.assertEqual(apply_edits(LINES, reply["edit"]["changes"][URI]), LINES.replace("old", "fresh"))
        self.assert_error(-32602, self.resolve, client, edit)

    def test_hunks_come_while_the_edit_runs(self):
        client = self.start(RENAME, STREAMING, **self.hold("line 10"))
        self.open(client, LINES)
        edit = self.edit(client)
        self.hunk(client, edit)
        self.assertEqual(self.events(client, edit, "end"), [])
        reply = self.resolve(client, edit, [0])
        self.assertEqual(len(reply["edit"]["changes"][URI]), 1)
        self.change(client, 2, {"range": span(5, 0, 6, 0), "text": "line 5 fresh\n"})
        self.release()
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertGreater(len(self.events(client, edit, "progress")), 0)
        self.assertEqual([h["hunkId"] for h in self.events(client, edit, "hunk")], [0, 1, 2, 3])
        self.assertEqual(self.events(client, edit, "dropped"), [])
        rest = self.resolve(client, edit)
        self.assertEqual((rest["version"], rest["hunkIds"]), (2, [1, 2, 3]))

    def test_a_second_instruction_reads_only_itself_and_two_documents_stay_warm(self):
        client = self.start(RENAME, STREAMING)
        texts = {URI: LINES * 4, "file:///tmp/other.py": LINES.replace("line", "row") * 4}
        for uri, text in texts.items():
            self.open(client, text, uri=uri)

        def statistics(uri, instruction):
            edit = self.edit(client, instruction, textDocument={"uri": uri, "version": 1})
            return self.end(client, edit)["statistics"]

        for uri, text in texts.items():
            self.assertLess(statistics(uri, "rename it")["cachedPromptTokens"], len(text) // 2)
        for instruction in ("rename them", "rename all"):
            for uri, text in texts.items():
                second = statistics(uri, instruction)
                self.assertGreater(second["cachedPromptTokens"], len(text))
                self.assertEqual(second["cachedPromptTokens"] + second["prefilledTokens"] + 1, second["promptTokens"])
                self.assertLess(second["prefilledTokens"], 200)

    def test_reading_a_long_text_is_reported_and_cancelled(self):
        client = self.start(RENAME, STREAMING, delay_ms_per_pass=100)
        self.open(client, LINES * 20)
        edit = self.edit(client, token="reading", scope="whole")
        progress = client.notification("$/progress", lambda p: p["token"] == "reading" and
                                       p["value"].get("message", "").startswith("reading"))
        self.assertRegex(progress["value"]["message"], r"^reading, \d+ of \d+ tokens$")
        client.notify("window/workDoneProgress/cancel", {"token": "reading"})
        end = self.end(client, edit)
        self.assertEqual(end["state"], "cancelled")
        self.assertEqual(end["statistics"]["newTokens"], 0)
        self.assertLess(end["statistics"]["prefilledTokens"], end["statistics"]["promptTokens"] - 1)
        fractions = [p["fraction"] for p in self.events(client, edit, "progress")]
        self.assertEqual(fractions, sorted(fractions))

    def test_a_file_beyond_the_context_is_edited_in_parts(self):
        client = self.start(RENAME, STREAMING, context_length=8192)
        text = "".join(f"def function_{i}(x):\n    y = x + {'old' if i % 25 == 7 else i}\n    return y\n\n"
                       for i in range(200))
        self.open(client, text)
        edit = self.edit(client, scope="whole")
        end = self.end(client, edit)
        self.assertEqual((end["state"], end["finishReason"], end["error"]), ("done", "stop", None))
        self.assertEqual([h["hunkId"] for h in self.events(client, edit, "hunk")], list(range(8)))
        progress = self.events(client, edit, "progress")
        fractions = [p["fraction"] for p in progress]
        self.assertEqual(fractions, sorted(fractions))
        self.assertEqual({p["lines"]["of"] for p in progress}, {800})
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(text, reply["edit"]["changes"][URI]), text.replace("old", "fresh"))

    def test_one_accepted_one_rejected_the_rest_accepted(self):
        client = self.start(RENAME, {**STREAMING, "workspace": {"workspaceEdit": {"documentChanges": True}}})
        self.open(client, LINES)
        edit = self.edit(client)
        self.end(client, edit)
        first = self.resolve(client, edit, [1])["edit"]["documentChanges"][0]
        self.assertEqual(first["textDocument"], {"uri": URI, "version": 1})
        text = apply_edits(LINES, first["edits"])
        self.change(client, 2, {"range": first["edits"][0]["range"], "text": first["edits"][0]["newText"]})
        self.assertEqual(self.resolve(client, edit, [0], "reject"), {"edit": None, "version": 2, "hunkIds": [0], "left": []})
        self.assertEqual(self.resolve(client, edit, [0])["edit"], None)
        rest = self.resolve(client, edit)
        self.assertEqual(rest["hunkIds"], [2, 3])
        text = apply_edits(text, rest["edit"]["documentChanges"][0]["edits"])
        self.assertEqual(text, LINES.replace("old", "fresh").replace("line 5 fresh", "line 5 old"))

    def test_typing_elsewhere_moves_hunks_and_typing_there_drops_them(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        edit = self.edit(client)
        self.end(client, edit)
        self.change(client, 2, {"range": span(10, 0, 10, 0), "text": "new line\nanother\n"},
                    {"range": span(5, 2, 5, 3), "text": "X"})
        dropped = client.notification("$/redraft/edit", lambda p: p["kind"] == "dropped")
        self.assertEqual(dropped["hunkId"], 0)
        self.assertNotEqual(dropped["reason"], "")
        moved = client.notification("$/redraft/edit", lambda p: p["kind"] == "moved")
        self.assertEqual(moved["version"], 2)
        self.assertEqual({h["hunkId"]: h["range"]["start"]["line"] for h in moved["hunks"]}, {1: 17, 2: 27, 3: 37})
        reply = self.resolve(client, edit)
        self.assertEqual((reply["version"], reply["hunkIds"]), (2, [1, 2, 3]))
        text = LINES.replace("line 5 old", "liXe 5 old").replace("line 10\n", "new line\nanother\nline 10\n")
        expected = text.replace("old", "fresh").replace("liXe 5 fresh", "liXe 5 old")
        self.assertEqual(apply_edits(text, reply["edit"]["changes"][URI]), expected)

    def test_a_hunk_whose_bytes_stay_moves_to_other_lines(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, "abcdef\nold\nlast old\n")
        edit = self.edit(client, scope="whole")
        self.end(client, edit)
        self.change(client, 2, {"range": span(0, 0, 0, 6), "text": "a\nbb\nc"})
        self.change(client, 3, {"range": span(0, 0, 0, 1), "text": "x"})  # no hunk is elsewhere now
        client.request("redraft/status")
        moved, = self.events(client, edit, "moved")
        self.assertEqual((moved["version"], [hunk["range"]["start"]["line"] for hunk in moved["hunks"]]), (2, [3]))

    def test_typing_while_the_edit_runs(self):
        client = self.start(RENAME, STREAMING, **self.hold("line 10"))
        self.open(client, LINES)
        edit = self.edit(client)
        self.hunk(client, edit)
        self.change(client, 2, {"range": span(0, 0, 0, 0), "text": "first\n"}, {"range": span(36, 0, 36, 4), "text": "row"})
        self.release_when_told(client)
        self.end(client, edit)
        ranges = {h["hunkId"]: h for h in self.events(client, edit, "hunk")}
        self.assertEqual((ranges[2]["version"], ranges[2]["range"]["start"]["line"]), (2, 26))
        self.assertEqual([p["hunkId"] for p in self.events(client, edit, "dropped")], [3])
        text = "first\n" + LINES.replace("line 35", "row 35")
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(text, reply["edit"]["changes"][URI]),
                         text.replace("old", "fresh").replace("row 35 fresh", "row 35 old"))

    def test_a_selection(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        edit = self.edit(client, range=span(14, 0, 16, 0))
        self.end(client, edit)
        self.assertEqual([h["range"]["start"]["line"] for h in self.events(client, edit, "hunk")], [15])

    def test_cancel_command_takes_effect_within_a_pass(self):
        client = self.start(RENAME, STREAMING, **self.hold("line 10"))
        self.open(client, LINES)
        edit = self.edit(client)
        self.hunk(client, edit)
        # The model is in a pass, or comes to one that does not end.
        self.assertEqual(client.request("workspace/executeCommand", {
            "command": "redraft.cancel", "arguments": [{"editId": edit}]}), {"cancelled": True})
        self.release()
        end = self.end(client, edit)
        self.assertEqual(end["state"], "cancelled")
        self.assertLess(end["statistics"]["newTokens"], LINES.index("line 30"))
        self.assertEqual(client.request("workspace/executeCommand", {
            "command": "redraft.cancel", "arguments": [{"editId": edit}]}), {"cancelled": False})

    def test_a_second_edit_takes_the_place_of_the_first(self):
        client = self.start(RENAME, STREAMING, **self.hold())
        self.open(client, LINES)
        first = self.edit(client)
        second = self.edit(client)
        self.release()
        end = self.end(client, first)
        self.assertEqual(end["state"], "cancelled")
        self.assertNotEqual(end["error"], None)
        self.assertEqual(self.end(client, second)["state"], "done")

    def test_progress_and_its_cancellation(self):
        client = self.start(RENAME, STREAMING, **self.hold("line 30"))
        self.open(client, LINES)
        edit = self.edit(client, token="mine")
        kinds = lambda: [p["value"]["kind"] for p in client.all("$/progress") if p["token"] == "mine"]
        client.notification("$/progress", lambda p: p["token"] == "mine" and p["value"]["kind"] == "report")
        client.notify("window/workDoneProgress/cancel", {"token": "mine"})
        self.release_when_told(client)
        self.assertEqual(self.end(client, edit)["state"], "cancelled")
        self.assertEqual((kinds()[0], kinds()[-1], kinds().count("end")), ("begin", "end", 1))

    def test_closing_the_document_ends_its_edits(self):
        client = self.start(RENAME, STREAMING, **self.hold())
        self.open(client, LINES)
        edit = self.edit(client)
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        self.release_when_told(client)
        self.assertEqual(self.end(client, edit)["state"], "cancelled")
        self.assert_error(-32602, self.resolve, client, edit)

    def test_a_change_that_ends_editing_drops_what_waits(self):
        client = self.start(RENAME, STREAMING)
        changes = {"a text that is none": [2, {"range": span(0, 0, 0, 0), "text": "\0"}],
                   "no position": [2, {"range": span(0, -1, 0, 0), "text": "x"}]}
        for name, change in changes.items():
            with self.subTest(change=name):
                self.open(client, LINES)
                edit = self.edit(client)
                self.end(client, edit)
                self.resolve(client, edit, [1], "reject")
                start = client.count()
                self.change(client, *change)
                client.notification("window/showMessage", start=start)
                dropped = self.events(client, edit, "dropped")
                self.assertEqual([d["hunkId"] for d in dropped], [0, 2, 3])
                self.assertTrue(all(d["reason"] for d in dropped))
                self.assert_error(-32602, self.resolve, client, edit)

    def test_a_change_that_ends_editing_ends_the_running_edit(self):
        client = self.start(RENAME, STREAMING, **self.hold("line 30"))
        self.open(client, LINES)
        edit = self.edit(client)
        self.hunk(client, edit)
        self.change(client, 2, {"range": span(0, 0, 0, 0), "text": "\0"})
        self.release_when_told(client)
        self.assertEqual(self.end(client, edit)["state"], "cancelled")
        shown = [h["hunkId"] for h in self.events(client, edit, "hunk")]
        self.assertEqual([d["hunkId"] for d in self.events(client, edit, "dropped")], shown)

    def test_every_decoder_writes_the_same(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        for decoder in ("ar", "redraft", "efficientedit:reuse-only"):
            edit = self.edit(client, decoder=decoder)
            self.assertEqual(self.end(client, edit)["state"], "done", decoder)
            reply = self.resolve(client, edit)
            self.assertEqual(apply_edits(LINES, reply["edit"]["changes"][URI]), LINES.replace("old", "fresh"), decoder)

    def test_a_token_limit_is_told(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        edit = self.edit(client, maxNewTokens=70)
        self.assertEqual(self.end(client, edit)["finishReason"], "length")

    def test_stale_version(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        self.change(client, 2, {"text": "old\n"})
        self.assert_error(-32801, self.edit, client, version=1)
        self.assertGreater(self.edit(client, version=2), 0)
        self.assertGreater(self.edit(client, version=None), 0)


class Texts(ServerTest):
    """The file's text must survive, in whatever units positions are counted."""

    TEXT = "# 😀é€ header\r\nx = '😀' + old  # é\r\nlast"

    def test_encodings(self):
        for encoding in ("utf-8", "utf-16", "utf-32"):
            with self.subTest(encoding=encoding):
                client = self.start(RENAME, {**STREAMING, "general": {"positionEncodings": [encoding]}})
                self.assertEqual(self.reply["capabilities"]["positionEncoding"], encoding)
                self.open(client, self.TEXT)
                column = encoded("x = '😀' + ", encoding)
                self.change(client, 2, {"range": span(1, column, 1, column), "text": "😀old"})
                text = self.TEXT.replace("+ old", "+ 😀oldold")
                edit = self.edit(client, version=2)
                self.end(client, edit)
                edits = self.resolve(client, edit)["edit"]["changes"][URI]
                self.assertEqual(apply_edits(text, edits, encoding), text.replace("old", "fresh"))

    def test_line_endings_and_a_missing_final_newline_stay(self):
        texts = ["\ufeffold 1\r\nold 2\r\n\r\nkeep\t\r\nold 3", "old\nmixed\r\nold\r\n", "old", "\told\r\n\r\n\r\n"]
        client = self.start(RENAME, STREAMING)
        for version, text in enumerate(texts):
            with self.subTest(text=text):
                self.open(client, text, version)
                edit = self.edit(client, version=version)
                self.end(client, edit)
                edits = self.resolve(client, edit)["edit"]["changes"][URI]
                self.assertEqual(apply_edits(text, edits), text.replace("old", "fresh"))

    def test_an_empty_file_can_be_edited(self):
        client = self.start([{"instruction": "hello", "find": "", "replace": "print('hello')\n"}], STREAMING)
        self.open(client, "")
        edit = self.edit(client, "say hello")
        self.assertEqual(self.end(client, edit)["state"], "done")
        edits = self.resolve(client, edit)["edit"]["changes"][URI]
        self.assertEqual(apply_edits("", edits).strip(), "print('hello')")

    def test_half_an_emoji_does_not_break_the_document(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, "a old\n")
        content = json.dumps({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": URI, "version": 2},
            "contentChanges": [{"range": span(0, 0, 0, 0), "text": "HALF"}]}}).replace("HALF", "\\ud83d").encode()
        client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        edit = self.edit(client, version=2)
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual(self.events(client, edit, "hunk")[0]["oldText"], "\ufffda old\n")


class PlainClients(ServerTest):
    def test_a_code_action_is_resolved_to_an_edit(self):
        client = self.start([{"instruction": "undefined name", "find": "old", "replace": "fresh"}], RESOLVING)
        self.open(client, LINES)
        diagnostic = {"range": span(5, 7, 5, 10), "message": "undefined name 'old'", "source": "checker"}
        fix = self.actions(client, [diagnostic])[0]
        self.assertEqual((fix["kind"], fix["diagnostics"]), ("quickfix", [diagnostic]))
        resolved = client.request("codeAction/resolve", fix)
        self.assertEqual(resolved["title"], fix["title"])
        change = resolved["edit"]["documentChanges"][0]
        self.assertEqual(change["textDocument"], {"uri": URI, "version": 1})
        self.assertEqual(apply_edits(LINES, change["edits"]), LINES.replace("old", "fresh"))
        self.assertEqual(client.all("$/redraft/edit"), [])

    def test_an_edit_may_be_about_diagnostics(self):
        client = self.start([{"find": "old", "replace": "fresh"}], STREAMING)
        self.open(client, LINES)
        problems = [{"range": span(line, 7, line, 10), "message": "undefined name 'old'"} for line in (5, 15)]
        for more, count in (({"diagnostics": problems[:1]}, 4), ({"instruction": " ", "diagnostics": problems}, 4),
                            ({"instruction": "mend it", "diagnostics": problems, "scope": "whole"}, 4)):
            more = {"instruction": "", **more}
            edit = self.edit(client, **more)
            self.assertEqual(self.end(client, edit)["state"], "done")
            self.assertEqual(len(self.events(client, edit, "hunk")), count, more)
        self.assert_error(-32602, self.edit, client, instruction=" ", diagnostics=[])
        self.assert_error(-32602, self.edit, client, diagnostics=[{"message": "nowhere"}])

    def test_another_try_of_an_edit_that_changed_nothing(self):
        client = self.start([], STREAMING)
        self.open(client, LINES)
        edit = self.edit(client)
        end = self.end(client, edit)
        self.assertEqual(end["hint"], "the model changed nothing. Rephrase the instruction, or request another try")
        self.assertTrue(end["otherTries"])
        edit = self.edit(client, range=span(2, 0, 4, 0))
        self.assertIn("widen the region", self.end(client, edit)["hint"], "more than these lines is there")
        tries = []
        for more in ({"another": 1}, {"another": 2}, {"another": 1, "decoder": "ar"}):
            edit = self.edit(client, scope="whole", **more)
            end = self.end(client, edit)
            self.assertEqual((end["state"], end["hint"]), ("done", None))
            tries.append([hunk["newText"] for hunk in self.events(client, edit, "hunk")])
        self.assertEqual(tries[0], tries[2], "the decoder is no matter")
        self.assertNotEqual(tries[0], tries[1])
        self.assert_error(-32803, self.edit, client, another=1, ranges=[span(0, 0, 1, 0)])
        self.assert_error(-32602, self.edit, client, another=-1)

    def test_an_outdated_code_action(self):
        client = self.start(RENAME, RESOLVING)
        self.open(client, LINES)
        action = self.actions(client)[0]
        self.change(client, 2, {"text": "other"})
        self.assert_error(-32801, client.request, "codeAction/resolve", action)

    def test_a_resolve_is_cancelled_within_a_pass(self):
        client = self.start([{"find": "old", "replace": "fresh"}],
                            {"textDocument": RESOLVING["textDocument"], "window": {"workDoneProgress": True}},
                            **self.hold("line 10"))
        self.open(client, LINES)
        request = client.start_request("codeAction/resolve", self.actions(client)[0])
        progress = client.notification("$/progress", lambda p: "editing" in p["value"].get("title", ""))
        client.notify("$/cancelRequest", {"id": request})
        self.release_when_told(client)
        self.assert_error(-32800, client.response, request)
        client.notification("$/progress", lambda p: (p["token"], p["value"]["kind"]) == (progress["token"], "end"))
        answers = [m for m in client.messages if "method" not in m and m["id"] == request]
        self.assertEqual(len(answers), 1)

    def test_an_edit_of_the_place_typed_in_is_outdated(self):
        client = self.start([{"find": "old", "replace": "fresh"}], RESOLVING, **self.hold("line 10"))
        self.open(client, LINES)
        request = client.start_request("codeAction/resolve", self.actions(client)[0])
        self.change(client, 2, {"range": span(35, 0, 35, 4), "text": "row"})
        self.release_when_told(client)
        self.assert_error(-32801, client.response, request)

    def test_the_command_applies_one_edit_in_the_end(self):
        client = self.start(RENAME, {"workspace": {"applyEdit": True}, "window": {"workDoneProgress": True}})
        self.open(client, LINES)
        self.edit(client)
        params = client.wait(lambda m: m.get("method") == "workspace/applyEdit")["params"]
        self.assertEqual(apply_edits(LINES, params["edit"]["changes"][URI]), LINES.replace("old", "fresh"))
        self.assertEqual(client.all("$/redraft/edit"), [])
        created = [p["token"] for p in client.all("window/workDoneProgress/create")]
        self.assertEqual(len(created), 2, "one for the model, one for the edit")

    def test_an_answer_that_makes_no_sense_counts_as_not_applied(self):
        client = self.start(RENAME, {"workspace": {"applyEdit": True}})
        client.answer_requests = False
        self.open(client, LINES)
        for result in ({"applied": None}, {"applied": "yes"}, {}, [True], None):
            with self.subTest(result=result):
                start = client.count()
                self.edit(client)
                request = client.wait(lambda m: m.get("method") == "workspace/applyEdit", start)
                client.send({"jsonrpc": "2.0", "id": request["id"], "result": result})
                self.assertEqual(client.notification("window/showMessage", start=start)["type"], 2)
        self.assertIn("state", client.request("redraft/status"))

    def test_nothing_to_change_is_said(self):
        client = self.start(RENAME, {"workspace": {"applyEdit": True}})
        self.open(client, LINES)
        self.edit(client, "do nothing")
        self.assertEqual(client.notification("window/showMessage")["type"], 3)


if __name__ == "__main__":
    unittest.main()
