"""What a server may take: memory, descriptors, disk and wake-ups, as bounds that do not depend on how fast the machine is.
Of a server with a scripted model, so without the weights: what the server itself needs. Each number is stated once, below;
the first figure of its comment was measured when it was set. How long other clients may wait is in neighbours_test.py."""

import os
import pathlib
import re
import subprocess
import time
import unittest

from lsp_client import Client
from server_case import INDEX_TIME_LIMIT, LINES, STREAMING, TIME_LIMIT, ServerTest, span
from service_test import Service

REDRAFT, WRITE_MODEL = os.environ.get("REDRAFT"), os.environ.get("REDRAFT_WRITE_MODEL")

MIB = 1 << 20
IDLE_MEMORY = 12 * MIB  # anonymous, of a server that has a client and has loaded its model
DOCUMENTS, DOCUMENT_BYTES = 50, 100_000
DOCUMENTS_MEMORY = 4 * DOCUMENTS * DOCUMENT_BYTES  # the text and its lines
TREES_MEMORY = 40 * DOCUMENTS * DOCUMENT_BYTES  # where a syntax tree of each was asked for
CLOSED_MEMORY = 24 * MIB  # what is left when they are closed
TYPED = 2_000  # changes of one of them
TYPING_MEMORY = 24 * MIB  # for what was removed, changed and may be taken back
EDITS = 200
ATTACHED = 50
FEW_DESCRIPTORS = 4  # more than before: a file that is being written, the reading end of something
WRITTEN_PER_EDIT = 16 << 10  # bytes, the messages to the client among them
FILES, SAVES = 1000, 100
# Of an index of FILES files, of which one has changed: 600 bytes with the messages; its manifest alone has 70 KB.
WRITTEN_PER_SAVE = 8 << 10
WAKE_UPS = 0  # within IDLE_SECONDS
IDLE_SECONDS = 5


def anonymous(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) << 10


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def written(pid):
    """Bytes that it wrote, to files, pipes and sockets."""
    return int(re.search(r"^wchar: (\d+)", pathlib.Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)[1])


def wake_ups(pid):
    counts = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        counts += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.MULTILINE)[1])
    return counts


@unittest.skipIf(os.environ.get("REDRAFT_SANITIZED"), "a sanitizer has memory of its own")
class Memory(ServerTest):
    def test_of_an_idle_server(self):
        client = self.start([{"instruction": "rename", "find": "old", "replace": "fresh"}], STREAMING)
        self.open(client, LINES)
        self.end(client, self.edit(client))
        taken = anonymous(client.process.pid)
        print(f"an idle server: {taken / MIB:.1f} MiB")
        self.assertLess(taken, IDLE_MEMORY)

    def test_of_many_documents_and_much_typing(self):
        client = self.start([{"instruction": "rename", "find": "old", "replace": "fresh"}], STREAMING)
        line = "value = compute(old_name, other)  # as long as lines are\n"
        text = line * (DOCUMENT_BYTES // len(line))
        client.request("redraft/status")
        before = anonymous(client.process.pid)
        uris = [f"file:///tmp/{i}.py" for i in range(DOCUMENTS)]
        for uri in uris:
            self.open(client, text, uri=uri)
        client.request("redraft/status")
        opened = anonymous(client.process.pid)
        for uri in uris:
            client.request("redraft/region", {"textDocument": {"uri": uri, "version": 1}, "range": span(9, 0, 9, 0)})
        parsed = anonymous(client.process.pid)
        for i in range(TYPED):
            client.notify("textDocument/didChange", {
                "textDocument": {"uri": uris[0], "version": i + 2},
                "contentChanges": [{"range": span(i % 900, 3, i % 900, 3), "text": "typed "}]})
        client.request("redraft/status")
        typed = anonymous(client.process.pid)
        for uri in uris:
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        client.request("redraft/status")
        self.until(lambda: anonymous(client.process.pid) < before + CLOSED_MEMORY, "what was closed still takes memory")
        closed = anonymous(client.process.pid)
        print(f"{DOCUMENTS} documents of {DOCUMENT_BYTES} bytes: {(opened - before) / MIB:.1f} MiB, with trees "
              f"{(parsed - before) / MIB:.1f} MiB; {TYPED} changes: {(typed - parsed) / MIB:.1f} MiB; all closed: "
              f"{(closed - before) / MIB:.1f} MiB")
        self.assertLess(opened - before, DOCUMENTS_MEMORY)
        self.assertLess(parsed - before, TREES_MEMORY)
        self.assertLess(typed - parsed, TYPING_MEMORY)


class Descriptors(Service):
    def setUp(self):
        super().setUp()
        self.server = self.serve("--socket", pathlib.Path(self.folder.name) / "s")

    def test_do_not_grow_with_edits(self):
        client = self.client()
        self.open(client, LINES)
        self.end(client, self.edit(client))
        before = descriptors(self.server.pid)
        for _ in range(EDITS):
            edit = self.edit(client)
            self.end(client, edit)
            self.resolve(client, edit, action="reject")
        self.assertLessEqual(descriptors(self.server.pid), before + FEW_DESCRIPTORS)

    def test_do_not_grow_with_clients_that_come_and_go(self):
        self.client().request("redraft/status")
        first = self.client()
        before = descriptors(self.server.pid)
        for i in range(ATTACHED):
            client = self.client()
            self.open(client, LINES)
            edit = self.edit(client)
            if i % 2:
                self.end(client, edit)
            client.close()
        self.until(lambda: descriptors(self.server.pid) <= before, f"{descriptors(self.server.pid)}, before {before}")
        self.assert_serves(first)


class Disk(ServerTest):
    def test_of_an_edit(self):
        client = self.start([{"instruction": "rename", "find": "old", "replace": "fresh"}], STREAMING,
                            options=("--usage-file", str(pathlib.Path(self.folder.name) / "usage.json")))
        self.open(client, LINES)
        self.end(client, self.edit(client))
        before = written(client.process.pid)
        for _ in range(EDITS):
            edit = self.edit(client)
            self.end(client, edit)
            self.resolve(client, edit, action="reject")
        each = (written(client.process.pid) - before) / EDITS
        print(f"an edit: {each:.0f} bytes written")
        self.assertLess(each, WRITTEN_PER_EDIT)


@unittest.skipUnless(REDRAFT and WRITE_MODEL, "REDRAFT and REDRAFT_WRITE_MODEL must name the programs")
class DiskOfAnIndex(ServerTest):
    """With the real program: the scripted server's index is in memory."""

    def test_of_a_save(self):
        folder = pathlib.Path(self.folder.name).resolve()
        workspace, model = folder / "workspace", folder / "tiny.gguf"
        workspace.mkdir()
        for i in range(FILES):
            (workspace / f"file_{i:04}.py").write_text(f"def area_{i}(width, height):\n    return width * height + {i}\n")
        subprocess.run([WRITE_MODEL, str(model), "1", "last"], check=True)
        env = {**os.environ, "HOME": str(folder / "home")}
        for name in ("CACHE", "STATE", "CONFIG", "DATA"):
            env.pop(f"XDG_{name}_HOME", None)
        client = Client([REDRAFT, "lsp", "--no-share", "--target", str(model)], env=env)
        self.addCleanup(client.close)
        self.initialize(client, STREAMING, rootUri=workspace.as_uri())
        self.wait_for_index(client, FILES)
        manifests = folder / "home/.cache/redraft/index"
        self.until(lambda: any(manifests.glob("*/manifest")), "the index is not saved", INDEX_TIME_LIMIT)
        before = written(client.process.pid)
        for i in range(SAVES):
            file = workspace / f"file_{i:04}.py"
            file.write_text(f"def volume_{i}(width, height, depth):\n    return width * height * depth + {i}\n")
            client.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
            client.request("redraft/status")
        client.request("shutdown")  # what is not saved yet is now
        each = (written(client.process.pid) - before) / SAVES
        print(f"a save with {FILES} files in the index: {each:.0f} bytes written")
        self.assertLess(each, WRITTEN_PER_SAVE)


class WakeUps(ServerTest):
    def test_of_an_idle_server_with_documents(self):
        """What it is still at ends some time; then there are windows in which nothing wakes."""
        client = self.start([{"instruction": "rename", "find": "old", "replace": "fresh"}], STREAMING)
        for i in range(10):
            self.open(client, LINES, uri=f"file:///tmp/{i}.py")
        self.end(client, self.start_edit(client))
        end = time.monotonic() + TIME_LIMIT
        while True:
            before = wake_ups(client.process.pid)
            time.sleep(IDLE_SECONDS)
            woken = wake_ups(client.process.pid) - before
            if woken <= WAKE_UPS:
                break
            self.assertLess(time.monotonic(), end, f"{woken} wake-ups in {IDLE_SECONDS} s")

    @staticmethod
    def start_edit(client):
        return client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": "file:///tmp/1.py"}, "instruction": "rename"}]})["editId"]


if __name__ == "__main__":
    unittest.main()
