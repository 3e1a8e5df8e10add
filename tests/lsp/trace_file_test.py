"""The trace of spans that a server writes, as viewers read it."""

import collections
import json
import pathlib
import unittest

from server_case import LINES, RENAME, STREAMING, URI, ServerTest, position

FILLS = [{"after": "area = ", "write": "secret_width\n"}]


def nanoseconds(microseconds):
    return round(microseconds * 1000)


class TraceFile(ServerTest):
    def setUp(self):
        super().setUp()
        file = pathlib.Path(self.folder.name) / "trace.json"
        client = self.start(RENAME, STREAMING, options=["--trace-file", str(file)], fills=FILLS)
        self.open(client, LINES)
        self.end(client, self.edit(client))
        self.change(client, 2, {"text": "area = "})
        client.request("textDocument/completion", {"textDocument": {"uri": URI}, "position": position(0, 7)})
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)
        self.text = file.read_text()
        self.events = json.loads(self.text)
        self.spans = [event for event in self.events if event["ph"] == "X"]

    def rows(self):
        rows = collections.defaultdict(list)
        for span in self.spans:
            begin = nanoseconds(span["ts"])
            rows[span["tid"]].append((begin, begin + nanoseconds(span["dur"]), span))
        return {tid: sorted(row, key=lambda entry: (entry[0], -entry[1])) for tid, row in rows.items()}

    def around(self, inner):
        """Names of the enclosing spans of a span in its thread, the outermost first."""
        begin = nanoseconds(inner["ts"])
        end = begin + nanoseconds(inner["dur"])
        return [span["name"] for first, last, span in self.rows()[inner["tid"]]
                if first <= begin and end <= last and span is not inner]

    def named(self, name):
        found = [span for span in self.spans if span["name"] == name]
        self.assertTrue(found, name)
        return found

    def test_events_are_as_the_format_has_them(self):
        for event in self.events:
            self.assertIn(event["ph"], ("X", "M"))
            self.assertIsInstance(event["pid"], int)
            self.assertIsInstance(event["tid"], int)
            self.assertIsInstance(event["args"], dict)
        for span in self.spans:
            self.assertGreaterEqual(span["ts"], 0)
            self.assertGreaterEqual(span["dur"], 0)
            self.assertTrue(all(isinstance(value, int) for value in span["args"].values()), span)

    def test_spans_of_a_row_are_nested(self):
        for row in self.rows().values():
            ends = []
            for begin, end, span in row:
                while ends and ends[-1] <= begin:
                    ends.pop()
                self.assertTrue(not ends or end <= ends[-1], span)
                ends.append(end)

    def test_every_row_has_a_name(self):
        names = {event["tid"]: event["args"]["name"] for event in self.events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        used = {span["tid"] for span in self.spans}
        self.assertEqual(used - set(names), set())
        self.assertLessEqual({"main", "redraft-decode", "waiting"}, set(names.values()))
        self.assertEqual({names[span["tid"]] for span in self.named("verify")}, {"redraft-decode"})
        self.assertEqual({names[span["tid"]] for span in self.named("message")}, {"main"})
        self.assertEqual({names[span["tid"]] for span in self.named("queue")}, {"waiting"})

    def test_a_request_is_seen_from_queue_to_diff(self):
        self.assertEqual(self.around(self.named("load")[0])[0], "job")
        self.assertEqual(self.around(self.named("read")[0])[:3], ["job", "edit", "decode"])
        for name in ("draft", "verify", "diff"):
            self.assertIn(self.around(self.named(name)[0])[:3], (["job", "edit", "decode"], ["job", "completion", "decode"]))
        self.assertGreater(sum(span["args"]["accepted"] for span in self.named("verify")), 100)
        jobs = {span["args"]["job"]: span for span in self.named("job")}
        for wait in self.named("queue"):  # the job begins when its wait ends
            end = nanoseconds(wait["ts"]) + nanoseconds(wait["dur"])
            self.assertGreaterEqual(nanoseconds(jobs[wait["args"]["job"]]["ts"]), end)

    def test_no_text_is_in_it(self):
        for word in ("old", "fresh", "secret", "area", "line ", "rename it", "a%20b", "a b.py"):
            self.assertNotIn(word, self.text)


if __name__ == "__main__":
    unittest.main()
