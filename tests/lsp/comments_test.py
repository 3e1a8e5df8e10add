#!/usr/bin/env python3
"""What editors get that cannot ask their user for an instruction: code actions that need no answer, and instructions in
comments."""

import unittest

from server_case import RESOLVING, URI, ServerTest, apply_edits, position, span

ALL = {"instruction": "use another name", "find": "count", "replace": "total"}
COMMENT = "    # redraft: use another name\n"
HIDDEN = " " * (len(COMMENT) - 1) + "\n"  # what the model sees of it
FUNCTION = "def f(a):\n    count = a\n    return count\n"
COMMENTED = FUNCTION.replace(":\n", ":\n" + COMMENT)
TOTAL = FUNCTION.replace("count", "total")
# Editors that show progress and take edits at any time, though they could resolve actions as well.
WAITING = {**RESOLVING, "window": {"workDoneProgress": True}}


class CommentsTest(ServerTest):
    def offered(self, client, at):
        return client.request("textDocument/codeAction", {
            "textDocument": {"uri": URI}, "range": at, "context": {"diagnostics": []}})

    def carry_out(self, text, at, *edits, capabilities=WAITING):
        """The text after the first action there."""
        client = self.start(edits, capabilities)
        self.open(client, text)
        action = self.offered(client, at)[0]
        if "data" in action:
            edit = client.request("codeAction/resolve", action)["edit"]
        else:
            client.request("workspace/executeCommand", {key: action["command"][key] for key in ("command", "arguments")})
            edit = client.wait(lambda m: m.get("method") == "workspace/applyEdit")["params"]["edit"]
        return apply_edits(text, edit["documentChanges"][0]["edits"])


class Comments(CommentsTest):
    def test_it_is_carried_out_below_and_removed(self):
        for capabilities in (WAITING, RESOLVING):
            after = self.carry_out(COMMENTED + "\n\ncount = 2\n", span(1, 6, 1, 6), ALL, capabilities=capabilities)
            self.assertEqual(after, TOTAL + "\n\ncount = 2\n")

    def test_it_is_carried_out_in_the_selection_that_it_is_in(self):
        after = self.carry_out("count = 1\n# redraft: use another name\ncount = 2\ncount = 3\n", span(0, 0, 3, 0), ALL)
        self.assertEqual(after, "total = 1\ntotal = 2\ncount = 3\n")

    def test_the_nearest_of_several_goes(self):
        text = COMMENTED + "\n\n" + COMMENTED.replace("f(a)", "g(a)")
        after = self.carry_out(text, span(7, 6, 7, 6), ALL)
        self.assertEqual(after, COMMENTED + "\n\n" + TOTAL.replace("f(a)", "g(a)"))

    def test_the_model_does_not_see_it(self):
        edits = [{"find": "# redraft", "replace": "seen"}, {"find": "count", "replace": "total"}]
        self.assertEqual(self.carry_out(COMMENTED, span(1, 6, 1, 6), *edits), TOTAL)

    def test_it_goes_if_the_model_removes_what_it_sees_of_it(self):
        for replacement in ("", "\n"):
            edits = [{"find": HIDDEN, "replace": replacement}, {"find": "count", "replace": "total"}]
            self.assertIn(self.carry_out(COMMENTED, span(1, 6, 1, 6), *edits), (TOTAL, TOTAL.replace(":\n", ":\n\n")))

    def test_what_is_written_in_its_place_stays(self):
        edits = [{"find": HIDDEN, "replace": "    a = a + 1\n"}, {"find": "count", "replace": "total"}]
        self.assertEqual(self.carry_out(COMMENTED, span(1, 6, 1, 6), *edits),
                         TOTAL.replace(":\n", ":\n    a = a + 1\n"))

    def test_it_goes_if_the_lines_around_it_are_written_anew(self):
        edits = [{"find": "def f(a):\n" + HIDDEN, "replace": "def g(b):\n" + HIDDEN + "    a = b\n"}]
        self.assertEqual(self.carry_out(COMMENTED, span(1, 6, 1, 6), *edits),
                         FUNCTION.replace("f(a):\n", "g(b):\n    a = b\n"))

    def test_it_stays_where_nothing_is_changed(self):
        client = self.start([], WAITING)
        self.open(client, COMMENTED)
        command = self.offered(client, span(1, 6, 1, 6))[0]["command"]
        client.request("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
        client.wait(lambda m: m.get("method") == "window/showMessage" and "changed nothing" in m["params"]["message"])
        self.assertFalse([m for m in client.messages if m.get("method") == "workspace/applyEdit"])

    def test_the_end_of_a_file_and_carriage_returns(self):
        text = "count = 1\r\n# redraft: use another name\r\ncount = 2"
        self.assertEqual(self.carry_out(text, span(1, 0, 1, 0), ALL), "count = 1\r\ntotal = 2")

    def test_what_is_such_a_comment(self):
        client = self.start([], WAITING)
        comments = ["# redraft: do it", "  // Redraft:  do it  ", "/* redraft: do it */", "<!-- redraft: do it -->",
                    "-- redraft: do it", ";; redraft: do it", "(* redraft: do it *)", '" redraft: do it', "\t#redraft:do it"]
        others = ["redraft: do it", "x = 1  # redraft: do it", "# redraft:", "# redraft do it", "# do it", "#",
                  "########## redraft: do it", "# redraft: " + "x" * 2001, ""]
        self.open(client, "\n".join([*comments, *others]))
        for line, text in enumerate(comments + others):
            title = self.offered(client, {"start": position(line, 0), "end": position(line, 0)})[0]["title"]
            self.assertEqual(title, "Redraft: do it" if text in comments else "Redraft: fix problems", text)

    def test_clients_with_a_prompt_of_their_own_have_no_need_of_it(self):
        client = self.start([], {"experimental": {"redraft": {"streamedEdits": True, "prompt": True}}})
        self.open(client, COMMENTED)
        titles = [action["title"] for action in self.offered(client, span(1, 6, 1, 6))]
        self.assertNotIn("Redraft: use another name", titles)


class Actions(CommentsTest):
    def test_clients_that_show_progress_need_not_wait(self):
        client = self.start([], WAITING)
        self.open(client, FUNCTION)
        for action in self.offered(client, span(1, 0, 1, 0)):
            self.assertEqual(action["command"]["command"], "redraft.edit", action)
            self.assertNotIn("data", action)
            self.assertEqual(client.request("codeAction/resolve", action), action)

    def test_a_range_within_a_word_is_a_cursor(self):
        client = self.start([], WAITING)
        self.open(client, "def f(a):\n    större = a\n    return större\n")
        for at, is_cursor in ((span(1, 4, 1, 4), True), (span(1, 4, 1, 5), True), (span(1, 4, 1, 10), True),
                              (span(1, 4, 1, 11), True), (span(1, 14, 2, 0), True), (span(1, 4, 1, 14), False),
                              (span(1, 0, 2, 0), False), (span(1, 4, 2, 5), False)):
            argument = self.offered(client, at)[0]["command"]["arguments"][0]
            self.assertEqual((argument.get("scope"), argument["range"]["end"]),
                             ("auto", at["start"]) if is_cursor else (None, at["end"]), at)

    def test_a_client_may_say_in_its_options_that_it_takes_edits(self):
        client = self.start([ALL], initialize=False)
        self.initialize(client, {}, initializationOptions={"redraft": {"applyEdit": True}})
        self.open(client, FUNCTION)
        command = self.offered(client, span(1, 0, 1, 0))[0]
        self.assertEqual(command["command"], "redraft.edit")
        command["arguments"][0]["instruction"] = "use another name"
        client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": command["arguments"]})
        edit = client.wait(lambda m: m.get("method") == "workspace/applyEdit")["params"]["edit"]
        self.assertEqual(apply_edits(FUNCTION, edit["changes"][URI]), TOTAL)
        self.assertEqual(client.all("window/showMessage"), [], "the option is known")


if __name__ == "__main__":
    unittest.main()
