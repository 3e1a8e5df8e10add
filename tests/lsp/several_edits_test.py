"""Several live edits in one document, and how they respond to each other and to typing."""

import random
import unittest

from lsp_client import ResponseError
from server_case import LINES, STREAMING, URI, ServerTest, apply_edits, span

SCRIPT = [{"instruction": "rename", "find": "old", "replace": "fresh"},
          {"instruction": "shout", "find": "line", "replace": "LINE"}]


class SeveralEdits(ServerTest):
    def dropped(self, client, edit):
        return {p["hunkId"]: p["reason"] for p in self.events(client, edit, "dropped")}

    def apply(self, client, version, text, reply):
        """Applies an accepted change as a client does; returns the client's new text."""
        edits = reply["edit"]["changes"][URI]
        from_the_end = sorted(edits, key=lambda e: -e["range"]["start"]["line"])
        self.change(client, version, *[{"range": e["range"], "text": e["newText"]} for e in from_the_end])
        return apply_edits(text, edits)

    def test_edits_of_other_lines_stay_and_each_is_against_its_own_version(self):
        client = self.start(SCRIPT, STREAMING, **self.hold())
        self.open(client, LINES)
        first = self.edit(client, range=span(0, 0, 10, 0))
        self.change(client, 2, {"range": span(0, 0, 0, 0), "text": "new\n"})
        second = self.edit(client, version=2, range=span(11, 0, 21, 0))
        self.change(client, 3, {"range": span(0, 0, 0, 0), "text": "newer\n"})
        third = self.edit(client, version=3, range=span(22, 0, 32, 0))
        self.release()
        for edit in (first, second, third):
            self.assertEqual(self.end(client, edit)["state"], "done")
        text, version = "newer\nnew\n" + LINES, 3
        for edit in (second, first, third):
            reply = self.resolve(client, edit)
            self.assertEqual(reply["version"], version)
            version += 1
            text = self.apply(client, version, text, reply)
        self.assertEqual(text, "newer\nnew\n" + LINES.replace("old", "fresh", 3))

    def test_accepting_one_moves_or_drops_what_others_have(self):
        client = self.start(SCRIPT, STREAMING)
        self.open(client, LINES)
        renamed = self.edit(client, range=span(0, 0, 20, 0))
        self.end(client, renamed)
        shouted = self.edit(client, "shout", range=span(15, 0, 25, 0))
        self.end(client, shouted)
        # Both have a hunk for line 15: the later request wins.
        self.assertEqual(list(self.dropped(client, renamed)), [1])
        self.assertIn("newer edit", self.dropped(client, renamed)[1])
        self.assertEqual(self.resolve(client, renamed)["hunkIds"], [0])
        reply = self.resolve(client, shouted)
        text = self.apply(client, 2, LINES, reply)
        lines = LINES.splitlines(keepends=True)
        lines[15:25] = [line.replace("line", "LINE") for line in lines[15:25]]
        self.assertEqual(text, "".join(lines))

    def test_the_same_lines_asked_for_anew_are_replaced(self):
        client = self.start(SCRIPT, STREAMING)
        self.open(client, LINES)
        ended = self.edit(client, range=span(0, 0, 20, 0))
        self.end(client, ended)
        other = self.edit(client, range=span(20, 0, 40, 0))
        self.end(client, other)
        anew = self.edit(client, "shout", range=span(0, 0, 20, 0))
        self.assertEqual(self.end(client, anew)["state"], "done")
        self.assertEqual(list(self.dropped(client, ended)), [0, 1])
        self.assert_error(-32602, self.resolve, client, ended)
        self.assertEqual(self.resolve(client, other)["hunkIds"], [0, 1])

    def test_there_is_no_room_for_any_number(self):
        client = self.start(SCRIPT, STREAMING, **self.hold())
        self.open(client, LINES)
        edits = [self.edit(client, range=span(line, 0, line, 3)) for line in range(16)]
        self.assert_error(-32803, self.edit, client, range=span(30, 0, 30, 3))
        client.request("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": edits[-1]}]})
        self.end(client, edits[-1])
        self.edit(client, range=span(30, 0, 30, 3))

    def test_a_client_that_applies_edits_as_a_whole(self):
        client = self.start(SCRIPT, {"workspace": {"applyEdit": True}}, **self.hold())
        self.open(client, LINES)
        self.edit(client, range=span(0, 0, 10, 0))
        self.edit(client, range=span(10, 0, 40, 0))
        self.release()
        text, version, start = LINES, 1, 0
        for _ in range(2):
            params = client.wait(lambda m: m.get("method") == "workspace/applyEdit", start)["params"]
            start = client.count()
            version += 1
            text = self.apply(client, version, text, params)
        self.assertEqual(text, LINES.replace("old", "fresh"))

    def test_any_order_of_asking_deciding_and_typing(self):
        """What is accepted is what was shown, and everything else is what was typed."""
        client = self.start([{"instruction": "rename", "find": "word", "replace": "term"}], STREAMING)
        chance = random.Random(5)
        lines = [f"{i} word" for i in range(60)]
        self.open(client, "\n".join(lines) + "\n")
        version, alive = 1, []

        def replace(first, last, new):
            nonlocal version
            version += 1
            lines[first:last] = new
            self.change(client, version, {"range": span(first, 0, last, 0), "text": "".join(f"{s}\n" for s in new)})

        for number in range(120):
            kind = chance.randrange(4)
            at = chance.randrange(len(lines) - 12)
            if kind == 0 and len(alive) < 10:
                alive.append(self.edit(client, version=version, range=span(at, 0, at + chance.randint(1, 10), 0)))
            elif kind == 1:
                replace(at, at + chance.randrange(2), [f"typed {number} word"] * chance.randrange(2))
            elif kind == 2 and alive:
                edit = alive.pop(chance.randrange(len(alive)))
                self.end(client, edit)
                try:
                    reply = self.resolve(client, edit)
                except ResponseError:  # none of its hunks waits any more
                    continue
                self.assertEqual(reply["version"], version)
                changes = reply["edit"]["changes"][URI] if reply["edit"] else []
                for change in sorted(changes, key=lambda c: -c["range"]["start"]["line"]):
                    first, last = change["range"]["start"]["line"], change["range"]["end"]["line"]
                    new = change["newText"].splitlines()
                    self.assertEqual(new, [line.replace("word", "term") for line in lines[first:last]])
                    replace(first, last, new)


if __name__ == "__main__":
    unittest.main()
