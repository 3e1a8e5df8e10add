"""A client of `redraft mcp` that can also send what no real client would, and a folder for each test."""

import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kit"))
from hang_limit import HANG_SECONDS  # noqa: E402

PROGRAM = os.environ.get("REDRAFT", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "redraft"))
MODERN = "2026-07-28"
TEXT = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
CHANGE = "def first():\n    return os.getpid()\n"
CHANGED = TEXT.replace("return 1", "return os.getpid()")


def meta(**capabilities):
    """The `_meta` of a request of the newest revision."""
    return {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}


def uri(folder):
    return pathlib.Path(folder).resolve().as_uri()


class Client:
    def __init__(self, folder, *arguments):
        if "--server-socket" not in arguments:
            arguments = ("--no-model", *arguments)
        self.process = subprocess.Popen([PROGRAM, "mcp", *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.messages = queue.Queue()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        self.next_id = 0
        self.notifications = []

    def _read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))
        self.messages.put(None)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages):
        """All in one piece."""
        self.send_bytes(b"".join(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in messages))

    def receive(self):
        """The next message; None at the end."""
        return self.messages.get(timeout=HANG_SECONDS)

    def request(self, method, params=None):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params or {}})
        return self.answer(self.next_id)

    def answer(self, id):
        """The answer to a request; notifications before it are kept."""
        while True:
            message = self.receive()
            if message is None:
                raise AssertionError(f"the server ended: {self.process.stderr.read().decode()}")
            if message.get("id") == id and "method" not in message:
                return message
            self.notifications.append(message)

    def initialize(self, version="2025-11-25", **capabilities):
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": capabilities,
                                             "clientInfo": {"name": "test", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        return answer["result"]

    def name_roots(self, *folders):
        """Answers the server's next request for the client's roots."""
        message = self.receive()
        assert message["method"] == "roots/list", message
        self.send({"id": message["id"], "result": {"roots": [{"uri": uri(each)} for each in folders]}})

    def call(self, tool="edit_file", /, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def close(self):
        """The exit code after the end of input."""
        self.process.stdin.close()
        code = self.process.wait(timeout=HANG_SECONDS)
        self.thread.join(HANG_SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class McpCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.file = self.folder / "a.py"
        self.file.write_text(TEXT)

    def client(self, *arguments, folder=None):
        client = Client(folder or self.folder, *arguments)
        self.addCleanup(lambda: client.process.poll() is None and client.close())
        return client

    def assert_error(self, answer, code, fragment=""):
        self.assertEqual(answer["error"]["code"], code, answer)
        self.assertIn(fragment, answer["error"]["message"])

    def status(self, result):
        return [file["status"] for file in result["structuredContent"].get("files", [])]
