"""Whatever one client of a server sends, the others are answered meanwhile.

No test here knows how fast the machine is: each compares what the neighbour waits with how long the server works on the
message, in the same run. A server that works on the message in its event loop lets the neighbour wait that long.
"""

import json
import pathlib
import threading
import time
import unittest

from server_case import LINES, URI, span
from service_test import Service

LINE = "value = compute(old_name, other) + something_else(1, 2, 3)  # and a comment, as lines of real files are long, too\n"
N = 20_000


def framed(method, params):
    content = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(content), content)


def changes_of(changes, version):
    return {"textDocument": {"uri": URI, "version": version}, "contentChanges": changes}


class Neighbours(Service):
    def setUp(self):
        super().setUp()
        self.serve("--socket", pathlib.Path(self.folder.name) / "s")
        self.busy, self.neighbour = self.client(), self.client()

    def assert_not_in_the_way(self, data, tries=1):
        """While the server takes these bytes and works on them, the neighbour is answered many times. Where the work is
        short, a pause of the machine may be half of it: then it counts if it is not in one of a few `tries`, since what
        keeps the neighbour waiting does so each time."""
        longest = [self.longest_wait(data) for _ in range(tries)]
        self.assertLess(min(longest), 0.5, "the longest wait as a part of the work")

    def longest_wait(self, data):
        self.assert_serves(self.busy)
        waits, over = [], threading.Event()

        def ask():
            while not over.is_set():
                start = time.monotonic()
                self.assert_serves(self.neighbour)
                waits.append(time.monotonic() - start)

        asking = threading.Thread(target=ask)
        asking.start()
        start = time.monotonic()
        self.busy.send_bytes(data)
        self.assert_serves(self.busy)  # behind the message
        took = time.monotonic() - start
        over.set()
        asking.join()
        self.assertGreater(len(waits), 3)
        return max(waits) / took

    def send_changes(self, changes, version=2):
        self.busy.notify("textDocument/didChange", changes_of(changes, version))

    def test_replacing_everywhere(self):
        self.open(self.busy, LINE * N)
        at = LINE.index("old_name")
        for version, lines in enumerate((range(N), reversed(range(N))), 2):
            name = "old_name" if version == 2 else "new"
            changes = [{"range": span(line, at, line, at + len(name)), "text": "new"} for line in lines]
            self.assert_not_in_the_way(framed("textDocument/didChange", changes_of(changes, version)))

    def test_many_changes_leave_the_text_that_was_meant(self):
        """Long enough to be applied away from the loop; the request behind it finds its result."""
        n = 4_000
        self.open(self.busy, LINE * n + "old\n")
        at = LINE.index("old_name")
        self.send_changes([{"range": span(line, at, line, at + 8), "text": "new"} for line in range(n)])
        edit = self.busy.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": URI, "version": 2}, "instruction": "rename",
             "range": span(n - 1, 0, n + 1, 0)}]})["editId"]
        self.assertEqual(self.end(self.busy, edit)["state"], "done")
        (hunk,) = self.events(self.busy, edit, "hunk")
        self.assertEqual((hunk["range"]["start"]["line"], hunk["newText"]), (n, "fresh\n"))

    def test_a_change_that_cannot_be_read_gives_up_the_document(self):
        self.open(self.busy, LINE * N)
        self.send_changes([{"range": span(0, 0, 0, 1), "text": "x" * 300_000}, {"range": 3, "text": ""}])
        self.assert_error(-32602, self.edit, self.busy, version=2)
        self.open(self.busy, LINES, version=3)
        self.edit(self.busy, version=3)

    def test_a_text_that_is_opened(self):
        document = {"uri": URI, "languageId": "python", "version": 1, "text": "x = 1\n" * 2_500_000}
        self.assert_not_in_the_way(framed("textDocument/didOpen", {"textDocument": document}))

    def test_typing_in_a_long_text(self):
        self.open(self.busy, "x = 1\n" * 2_500_000)

        self.assert_not_in_the_way(b"".join(
            framed("textDocument/didChange", changes_of([{"range": span(i, 0, i, 0), "text": "y"}], i))
            for i in range(2, 12)))

    def test_as_many_values_as_are_allowed(self):
        self.assert_not_in_the_way(framed("none/such", [[1]] * 520_000), tries=3)

    def test_small_messages_without_end(self):
        self.assert_not_in_the_way(framed("textDocument/didSave", {"textDocument": {"uri": URI}}) * 50_000)

    def test_a_client_that_goes_while_its_message_is_read(self):
        self.open(self.busy, LINE * N)
        self.send_changes([{"range": span(line, 0, line, 1), "text": "V"} for line in range(N)])
        self.busy.close()
        self.assert_serves(self.neighbour)
        late = self.client()
        self.open(late, LINES)
        self.edit(late)


if __name__ == "__main__":
    unittest.main()
