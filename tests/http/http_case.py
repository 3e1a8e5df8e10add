"""What the tests of the HTTP server as a process share: starting it, and asking it by Python's own client."""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kit"))
from hang_limit import HANG_SECONDS  # noqa: E402

TIME_LIMIT = HANG_SECONDS
ANSWERS = [{"after": "rename", "write": "def fresh(a):\n    return a + 1\n"},
           {"after": "world", "write": "Grüße, 世界 🙂!\nEND of it\n"},
           {"after": "riddle", "write": "<think>\nIs it Grüße?\n</think>\n\nNo: 42.\nEND\n"},
           {"after": "def f(", "write": "a):\n    return a\n\ndef g"}]
FILLS = [{"after": "x = ", "write": "1\ny = 2\n"}, {"after": "    a", "write": " + b\n    c\nd\n"}]


class Answer:
    """A response that was read to its end."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    @property
    def events(self):
        """The data of the events of a stream; the last one of an OpenAI stream is left out."""
        blocks = self.body.decode().split("\n\n")
        assert blocks.pop() == "", "a stream ends with the end of an event"
        data = [block.removeprefix("data: ") for block in blocks]
        return [json.loads(each) for each in data if each != "[DONE]"]


class Server:
    def __init__(self, command, env=None):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://127.0.0.1:"):
            self.process.kill()
            raise AssertionError(f"{line!r}, {self.process.communicate()[1]}")
        self.port = int(line.rsplit(":", 1)[1])
        self.token = ""

    def request(self, method, path, body=None, headers=None, token=None):
        """An Answer. `body`: bytes, or what becomes JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIME_LIMIT)
        headers = dict(headers or {})
        token = self.token if token is None else token
        if token:
            headers.setdefault("Authorization", f"Bearer {token}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body, **more):
        return self.request("POST", path, body, **more)

    def metric(self, name):
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise AssertionError(f"no metric {name}")

    def end(self):
        """The exit code and the log."""
        self.process.terminate()
        _, log = self.process.communicate(timeout=TIME_LIMIT)
        return self.process.returncode, log


class HttpTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *options, answers=tuple(ANSWERS), fills=tuple(FILLS), env=None, **script):
        """The scripted server."""
        file = self.folder / "script.json"
        file.write_text(json.dumps({"answers": list(answers), "fills": list(fills), **script}), encoding="utf-8")
        token = self.folder / "token"
        if "--no-token" not in options and "--token-file" not in options:
            options = (*options, "--token-file", str(token))
        server = Server([os.environ["REDRAFT_SCRIPTED_SERVER"], str(file), "--http", "0", *options], env)
        self.addCleanup(self._end, server)
        if token.exists():
            server.token = token.read_text(encoding="utf-8").strip()
        return server

    def _end(self, server):
        if server.process.returncode is None:
            code, log = server.end()
            self.assertEqual(code, 0, log)
            for word in ("Sanitizer", "runtime error"):
                self.assertNotIn(word, log)
