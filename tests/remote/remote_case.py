"""What the tests of `--remote` share: a server on the loopback interface that says what a test wants, faults included, and
ways to have it edit."""

import http.server
import json
import os
import pathlib
import socket
import ssl
import sys
import threading

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "lsp")]
from lsp_client import Client  # noqa: E402
from redraft_process import InFolder, run  # noqa: E402

BEFORE = "def area(width, height):\n    return width * height\n"
AFTER = "def area(width, height):\n    return abs(width * height)\n"
KEY = "sk-of-a-test-0123456789"


def event(text):
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}, "text": text}]}).encode() + b"\n\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers), None))
        if self.server.key and self.headers["Authorization"] != f"Bearer {self.server.key}":
            return self.answer(401, b'{"error": {"message": "no key"}}')
        length = {} if self.server.context is None else {"max_model_len": self.server.context}
        models = [{"id": name, "owned_by": "vllm", **length} for name in self.server.models]
        self.answer(200, json.dumps({"data": models}).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        if self.server.key and self.headers["Authorization"] != f"Bearer {self.server.key}":
            return self.answer(401, b'{"error": {"message": "no key"}}')
        for fault in self.server.faults[:1]:
            self.server.faults.pop(0)
            return self.answer(fault, b'{"error": {"message": "not now"}}', Retry_After="0")
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in self.server.pieces:
                if piece is None:  # cut, in the middle of a chunk
                    self.wfile.write(b"ff\r\ndata")
                    return self.connection.shutdown(socket.SHUT_RDWR)
                if callable(piece):
                    piece()
                    continue
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.server.closed_early.set()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer=AFTER + "```\n", certificate=None, models=("coder",), key=None, context=8192):
        super().__init__(("127.0.0.1", 0), Handler)
        self.models, self.key, self.context = models, key, context
        self.pieces = [event(line) for line in answer.splitlines(keepends=True)] + [b"data: [DONE]\n\n"]
        self.faults, self.seen, self.closed_early = [], [], threading.Event()
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def requests(self):
        return [body for path, _, body in self.seen if body is not None]


class Remote(InFolder):
    def serve(self, *arguments, **options):
        server = Server(*arguments, **options)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def edit(self, url, *more, **environment):
        file = self.write("a.py", BEFORE.encode())
        home = {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
                "XDG_DATA_HOME": str(self.folder / "data"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        return run("edit", file, "--instruction", "never negative", "--format", "text", "--remote", url, *more,
                   environment={**home, "REDRAFT_REMOTE_KEY": "", **environment})


URI = "file:///a.py"


class RemoteEditor(Remote):
    """A language server with a server behind it, which is confined: only the process beside it opens connections."""

    def client(self, url, *options):
        home = {f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        client = Client([os.environ["REDRAFT"], "lsp", "--no-share", "--device", "cpu", "--remote", url, *options],
                        env={**os.environ, **home, "REDRAFT_REMOTE_KEY": ""})
        self.addCleanup(client.close)
        client.request("initialize", {"processId": None, "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        client.notify("initialized")
        self.open(client, URI, BEFORE)
        return client

    def open(self, client, uri, text):
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                "text": text}})

    def command(self):
        return {"command": "redraft.edit", "arguments": [{"textDocument": {"uri": URI, "version": 1},
                                                          "instruction": "never negative"}]}

    def edit(self, client):
        edit = client.request("workspace/executeCommand", self.command())["editId"]
        end = client.notification("$/redraft/edit", lambda event: event["editId"] == edit and event["kind"] == "end")
        hunks = [event for event in client.all("$/redraft/edit") if event["editId"] == edit and event["kind"] == "hunk"]
        return end, hunks
