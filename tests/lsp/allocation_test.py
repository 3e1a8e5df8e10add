"""Memory runs out once, at any point of a short session: every request is answered, if only with an error, or the
server ends. It neither hangs nor forgets a request. docs/architecture.md, "When memory runs out", says where it may
end.
    allocation_test.py [N]     at N places of the session (default 200)"""

import os
import signal
import sys
import unittest

from enduring_session import EnduringSession

SERVER = os.environ["REDRAFT_FAILING_SERVER"]
URI = "file:///tmp/a.py"
TEXT = "area = \n" + "old line\n" * 3
places = 200


class Session(EnduringSession):
    def __init__(self, first, count=1):
        super().__init__([SERVER, str(first), str(count)])

    def talk(self):
        self.request("initialize", {"processId": None, "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        self.client.notify("initialized")
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": URI, "languageId": "python", "version": 1, "text": TEXT}})
        place = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}
        self.client.notify("textDocument/didChange", {
            "textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": place, "text": "x = 1\n"}]})
        self.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": {"line": 0, "character": 7}, "context": {"triggerKind": 1}})
        edit = self.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": URI}, "instruction": "rename"}]})
        if edit:
            self.wait(lambda m: m.get("method") == "$/redraft/edit" and m["params"]["kind"] == "end")
            self.request("redraft/resolveEdit", {"editId": edit["editId"], "action": "accept"})
        self.request("redraft/status")
        self.request("shutdown")
        self.client.notify("exit")


class NoMemory(unittest.TestCase):
    def allocations(self):
        with Session(0, 0) as session:
            self.assertEqual(session.run(), 0)
            return int(session.log().split()[-2])

    def test_once_anywhere(self):
        total = self.allocations()
        ends = {}
        for i in range(places):
            first = 1 + i * total // places
            with self.subTest(first=first), Session(first) as session:
                code = session.run()
                end = code, sum(error is not None for _, error in session.outcomes)
                ends[end] = ends.get(end, 0) + 1
                if code not in (0, 1):
                    self.assertEqual(code, -signal.SIGABRT)
                    self.assertIn("bad_alloc", session.log())
        self.assertLess(sum(n for (code, _), n in ends.items() if code < 0), places / 20)
        print(f"{places} of {total} allocations failed, one at a time; (exit code, errors): {ends}")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        places = int(sys.argv.pop(1))
    unittest.main()
