"""A small client of a language server over pipes or a socket, which can also send what no real client would."""

import json
import pathlib
import socket
import subprocess
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kit"))
from hang_limit import HANG_SECONDS  # noqa: E402

TIME_LIMIT = HANG_SECONDS


class ResponseError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """Starts `command`; a thread reads its messages, waits have a time limit. Use as a context manager, or close() it."""

    def __init__(self, command, stdin=subprocess.PIPE, env=None):
        self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.log = b""
        self._begin(self.process.stdout, self.process.stdin, [self._read, self._read_log])

    def _begin(self, reader, writer, threads):
        self.reader, self.writer = reader, writer
        self.messages = []  # everything received, in order
        self.ended = False
        self.changed = threading.Condition()
        self.next_id = 0
        self.answer_requests = True  # answer the server's requests, with null or:
        self.answers = {"workspace/applyEdit": {"applied": True}}
        self.threads = [threading.Thread(target=thread, daemon=True) for thread in threads]
        for thread in self.threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join(TIME_LIMIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass

    # Sending

    def send_bytes(self, data):
        self.writer.write(data)
        self.writer.flush()

    def send(self, message):
        content = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def start_request(self, method, params=None):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}})
        return self.next_id

    def request(self, method, params=None):
        return self.response(self.start_request(method, params))

    # Receiving

    def response(self, request_id):
        """The result of a request; raises ResponseError."""
        message = self.wait(lambda m: "method" not in m and m.get("id") == request_id)
        if "error" in message:
            raise ResponseError(message["error"])
        return message["result"]

    def wait(self, wanted, start=0, limit=None):
        """The first message from index `start` on that `wanted` accepts."""
        deadline = time.monotonic() + (limit or TIME_LIMIT)
        with self.changed:
            while True:
                for message in self.messages[start:]:
                    if wanted(message):
                        return message
                if self.ended or time.monotonic() > deadline:
                    raise AssertionError(f"no such message among {json.dumps(self.messages)[:4000]}; "
                                         f"log: {self.log.decode(errors='replace')[-2000:]}")
                self.changed.wait(deadline - time.monotonic())

    def notification(self, method, wanted=lambda params: True, start=0):
        return self.wait(lambda m: m.get("method") == method and wanted(m["params"]), start)["params"]

    def all(self, method):
        with self.changed:
            return [m["params"] for m in self.messages if m.get("method") == method]

    def place_of(self, wanted):
        """How many messages came before the first that is `wanted`."""
        message = self.wait(wanted)
        with self.changed:
            return self.messages.index(message)

    def count(self):
        with self.changed:
            return len(self.messages)

    def wait_for_log(self, text, limit=TIME_LIMIT):
        """A separate thread reads standard error, so the server's log may arrive after its answers."""
        with self.changed:
            assert self.changed.wait_for(lambda: text in self.log, limit), f"{text} is not in {self.log[-2000:]}"

    def wait_for_end(self, limit=TIME_LIMIT):
        """Waits until the server has closed its side."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.ended, limit), "the server has not closed its side"

    def exit_code(self, limit=TIME_LIMIT):
        return self.process.wait(limit)

    def _read(self):
        stream = self.reader
        while True:
            length = None
            while (line := self._line(stream)) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                break
            self._receive(json.loads(stream.read(length)))
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    @staticmethod
    def _line(stream):
        try:
            return stream.readline()
        except ConnectionError:  # the server closed a socket before it had read everything
            return b""

    def _receive(self, message):
        if self.answer_requests and "method" in message and "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.answers.get(message["method"])})
        with self.changed:
            self.messages.append(message)
            self.changed.notify_all()

    def _read_log(self):
        for line in self.process.stderr:
            with self.changed:
                self.log += line
                self.changed.notify_all()


class SocketClient(Client):
    """A client of a running server, over a connected socket."""

    def __init__(self, connection):
        self.connection = connection
        self.log = b""
        self._begin(connection.makefile("rb"), connection.makefile("wb"), [self._read])

    def close(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        for thread in self.threads:
            thread.join(TIME_LIMIT)
        for stream in (self.reader, self.writer, self.connection):
            try:
                stream.close()
            except OSError:
                pass
