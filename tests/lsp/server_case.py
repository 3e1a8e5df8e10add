"""What the tests of the server as a process share: starting it, editing with it, and its texts."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from lsp_client import TIME_LIMIT, Client, ResponseError

SERVER = os.environ["REDRAFT_SCRIPTED_SERVER"]
URI = "file:///tmp/a%20b.py"
RENAME = [{"instruction": "rename", "find": "old", "replace": "fresh"}]
STREAMING = {"experimental": {"redraft": {"streamedEdits": True}}}
RESOLVING = {"workspace": {"workspaceEdit": {"documentChanges": True}, "applyEdit": True},
             "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
                                             "dataSupport": True, "resolveSupport": {"properties": ["edit"]}}}}
SLOW = [{"instruction": "slow", "find": "line", "replace": "row"}]
LINES = "".join(f"line {i} old\n" if i % 10 == 5 else f"line {i}\n" for i in range(40))


def position(line, character):
    return {"line": line, "character": character}


def span(start_line, start, end_line, end):
    return {"start": position(start_line, start), "end": position(end_line, end)}


def encoded(text, encoding):
    """Character offsets of `text`'s single line, in units of the encoding."""
    width = {"utf-8": lambda c: len(c.encode()), "utf-16": lambda c: len(c.encode("utf-16-le")) // 2,
             "utf-32": lambda c: 1}[encoding]
    return sum(width(c) for c in text)


def apply_edits(text, edits, encoding="utf-16"):
    """LSP TextEdits on a text whose lines end with \\n or \\r\\n."""
    starts = [0]
    for i, character in enumerate(text):
        if character == "\n":
            starts.append(i + 1)

    def index(at):
        i = starts[at["line"]]
        units = 0
        while units < at["character"]:
            units += encoded(text[i], encoding)
            i += 1
        return i

    places = sorted(((index(e["range"]["start"]), index(e["range"]["end"]), e["newText"]) for e in edits), reverse=True)
    for start, end, new in places:
        text = text[:start] + new + text[end:]
    return text


def runs(pid):
    """Whether the process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# Starts a server, has a process of its own hold the server's pipes open, and prints the numbers of both processes.
PARENT = """
import os, sys, time
from lsp_client import Client
client = Client(sys.argv[1:])
client.request("initialize", {"processId": os.getpid(),
                              "capabilities": {"experimental": {"redraft": {"streamedEdits": True}}}})
holder = os.fork()
if holder == 0:
    time.sleep(1000)
    os._exit(0)
client.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///a", "languageId": "python", "version": 1,
                                                        "text": "old\\n" * 500}})
client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
    {"textDocument": {"uri": "file:///a"}, "instruction": "rename"}]})
print(client.process.pid, holder, flush=True)
time.sleep(1000)
"""
# What the index says is said by threads that run only where nothing else wants to.
INDEX_TIME_LIMIT = TIME_LIMIT


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, edits=(), capabilities=None, initialize=True, stdin=subprocess.PIPE, options=(), env=None,
              **script):
        client = Client([SERVER, self.write_script(edits, **script), *options], stdin, env)
        self.addCleanup(self.assert_no_sanitizer_report, client)
        self.addCleanup(client.close)
        if initialize:
            self.initialize(client, capabilities)
        return client

    def write_script(self, edits=(), **script):
        file = pathlib.Path(self.folder.name) / "script.json"
        file.write_text(json.dumps({"edits": list(edits), **script}), encoding="utf-8")
        return str(file)

    # A script may say that the model stops: hold() and hold_fills() are members of it. Until it is released, what the
    # test does is done while the edit runs, however long either takes.

    def hold(self, before=""):
        """An edit's answer stops before the first `before` in it; empty: before all of it."""
        return {"hold": {"before": before, "file": self._hold_file()}}

    def hold_fills(self):
        """Nothing is written where something is completed."""
        return {"hold_fills": self._hold_file()}

    def release(self):
        pathlib.Path(self._hold_file()).unlink()

    def release_when_told(self, client):
        """When the server has read all that was sent."""
        client.request("redraft/status")
        self.release()

    def _hold_file(self):
        file = pathlib.Path(self.folder.name) / "hold"
        file.touch()
        return str(file)

    def until(self, condition, what="it is not so", limit=TIME_LIMIT):
        """Waits for what no message tells of."""
        deadline = time.monotonic() + limit
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def wait_for_index(self, client, files, which="index"):
        """Until the index holds so many files."""
        def holds():
            index = client.request("redraft/status")[which]
            return index and (index["state"], index["files"]) == ("ready", files)
        self.until(holds, f"the index does not get to {files} files", INDEX_TIME_LIMIT)

    def initialize(self, client, capabilities=None, **more):
        self.reply = client.request("initialize", {"processId": None, "capabilities": capabilities or {}, **more})
        client.notify("initialized")

    def assert_no_sanitizer_report(self, client):
        for word in (b"Sanitizer", b"runtime error"):
            self.assertNotIn(word, client.log)

    def open(self, client, text, version=1, uri=URI):
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": version,
                                                                "text": text}})

    def change(self, client, version, *changes):
        client.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": version},
                                                 "contentChanges": list(changes)})

    def edit(self, client, instruction="rename it", version=1, token=None, **more):
        params = {"command": "redraft.edit",
                  "arguments": [{"textDocument": {"uri": URI, "version": version}, "instruction": instruction, **more}]}
        if token is not None:
            params["workDoneToken"] = token
        return client.request("workspace/executeCommand", params)["editId"]

    def edit_slowly(self, client):
        """Begins an edit under SLOW that takes a quarter of an hour where a pass takes 0.1 s: longer than anything waits,
        so what ends did not wait for it."""
        self.open(client, LINES * 30)
        edit = self.edit(client, "slow", decoder="ar", scope="whole")
        client.notification("$/redraft/edit", lambda event: event["editId"] == edit)

    def events(self, client, edit, kind=None):
        return [p for p in client.all("$/redraft/edit") if p["editId"] == edit and kind in (None, p["kind"])]

    def end(self, client, edit):
        return client.notification("$/redraft/edit", lambda p: p["editId"] == edit and p["kind"] == "end")

    def hunk(self, client, edit, number=0):
        return client.notification("$/redraft/edit", lambda p: (p["editId"], p["kind"], p.get("hunkId")) ==
                                   (edit, "hunk", number))

    # "Accept all" takes doubtful hunks, too: most scripted edits are of text that is no program.
    takes_doubtful = True

    def resolve(self, client, edit, hunks=None, action="accept", **more):
        if self.takes_doubtful and hunks is None and action == "accept":
            more.setdefault("doubtful", True)
        return client.request("redraft/resolveEdit", {"editId": edit, "hunkIds": hunks, "action": action, **more})

    def assert_error(self, code, function, *arguments, **more):
        with self.assertRaises(ResponseError) as raised:
            function(*arguments, **more)
        self.assertEqual(raised.exception.code, code, raised.exception)
        return str(raised.exception)

    def actions(self, client, diagnostics=()):
        return client.request("textDocument/codeAction", {
            "textDocument": {"uri": URI}, "range": span(0, 0, 0, 0), "context": {"diagnostics": list(diagnostics)}})
