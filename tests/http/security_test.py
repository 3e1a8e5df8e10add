"""What programs and web pages that are not served do to the HTTP server, and what clients do that do not behave."""

import json
import pathlib
import random
import re
import socket
import stat
import time
import unittest

from http_case import TIME_LIMIT, HttpTest

PROMPT = json.dumps({"prompt": "world"})
MAX_UNADMITTED = 16
# As in tests/lsp/confinement_test.py.
ALLOWED = {"workspace-read": {"ok"}, "await": {"ok"}, "look": {"ok", "EPERM"}}


def head(server, *lines, path="/v1/completions", body=PROMPT, method="POST"):
    """A request; lines replace the usual ones of the same name."""
    usual = [f"Host: 127.0.0.1:{server.port}", f"Authorization: Bearer {server.token}", f"Content-Length: {len(body)}"]
    names = {line.partition(":")[0] for line in lines}
    kept = [line for line in usual if line.partition(":")[0] not in names]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *kept, *(line for line in lines if line.partition(":")[2]), "",
                        ""]).encode()


class HttpSecurityTest(HttpTest):
    def connect(self, server):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=TIME_LIMIT)
        self.addCleanup(client.close)
        return client

    def all_of(self, client):
        """What comes until the other side closes."""
        received = b""
        try:
            while part := client.recv(1 << 16):
                received += part
        except ConnectionResetError:
            pass
        return received

    def status(self, server, request):
        client = self.connect(server)
        client.sendall(request)
        answer = self.all_of(client)
        self.assertNotIn(b"access-control", answer.lower())
        return int(answer.split()[1])

    def test_listens_on_the_loopback_interface_alone(self):
        server = self.start()
        rows = [line.split() for line in pathlib.Path(f"/proc/{server.process.pid}/net/tcp").read_text().splitlines()[1:]]
        listening = {row[1] for row in rows if row[3] == "0A"}
        self.assertIn(f"0100007F:{server.port:04X}", listening)
        self.assertNotIn(f"00000000:{server.port:04X}", listening)

    def test_its_token_is_for_the_user_alone(self):
        server = self.start()
        file = self.folder / "token"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertRegex(server.token, r"^[0-9a-f]{64}$")
        _, log = server.end()
        self.assertNotIn(server.token, log)
        self.assertEqual(file.read_bytes(), b"", "emptied: the process may not remove files beside it")

    def test_refuses_who_does_not_show_the_token(self):
        server = self.start()
        wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
        for line in ("Authorization:", f"Authorization: Bearer {wrong}", f"Authorization: Basic {server.token}",
                     "Authorization: Bearer"):
            self.assertEqual(self.status(server, head(server, line)), 401, line)
        for path in ("/metrics", "/v1/models"):
            self.assertEqual(server.get(path, token="").status, 401)
        self.assertEqual(server.metric("redraft_prompt_tokens_total"), 0)

    def test_refuses_names_of_other_hosts(self):
        """A page whose name leads to 127.0.0.1 since a moment ago: to the browser this server is where it comes from."""
        server = self.start("--no-token")
        for host in ("rebound.example", f"rebound.example:{server.port}", "127.0.0.1.rebound.example", ""):
            self.assertEqual(self.status(server, head(server, f"Host: {host}")), 403, host)
        self.assertEqual(server.get("/health", headers={"Host": "rebound.example"}).status, 403)
        self.assertEqual(server.post("/v1/completions", {"prompt": "a"}, headers={"Host": "localhost:1"}).status, 200)

    def test_refuses_web_pages(self):
        server = self.start("--no-token")
        for origin in ("https://page.example", "null", f"http://127.0.0.1:{server.port}"):
            self.assertEqual(self.status(server, head(server, f"Origin: {origin}")), 403)
            asked_first = head(server, f"Origin: {origin}", "Access-Control-Request-Method: POST", method="OPTIONS", body="")
            self.assertEqual(self.status(server, asked_first), 403)

    def test_refuses_bodies_and_heads_that_are_too_long(self):
        server = self.start()
        self.assertEqual(self.status(server, head(server, f"Content-Length: {(16 << 20) + 1}")), 413)
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        chunked = head(server, "Content-Length:", "Transfer-Encoding: chunked") + chunk * 17 + b"0\r\n\r\n"
        self.assertEqual(self.status(server, chunked), 413)
        self.assertEqual(self.status(server, head(server, "X-Long: " + "x" * (17 << 10))), 431)
        self.assertEqual(self.status(server, b"GET /" + b"a" * (17 << 10) + b" HTTP/1.1\r\n\r\n"), 431)
        self.assertEqual(self.status(server, head(server, "Content-Length: 5", "Transfer-Encoding: chunked")), 400)
        self.assertEqual(server.post("/v1/completions", {"prompt": "world"}).status, 200)

    def test_refuses_json_that_would_take_all_memory(self):
        server = self.start()
        for body in (b'{"a":' + b"[" * 100000, b'{"a":[' + b"1," * (1 << 20) + b"1]}", b'{"prompt": "\xff"}', b"{"):
            self.assertEqual(server.post("/v1/completions", body).status, 400, body[:20])

    def test_ends_connections_that_take_too_long(self):
        server = self.start("--http-milliseconds", "300")
        slow = []
        for part in (b"", b"POST /v1/comp", head(server), head(server) + b'{"pro'):
            slow.append(self.connect(server))
            slow[-1].sendall(part)
        for client in slow:
            self.assertEqual(self.all_of(client), b"")

    def test_ends_a_connection_that_sends_a_byte_now_and_then(self):
        server = self.start("--http-milliseconds", "300")
        client = self.connect(server)
        deadline = time.monotonic() + TIME_LIMIT
        with self.assertRaises(OSError):
            while time.monotonic() < deadline:
                client.sendall(b"G")
                time.sleep(0.05)

    def test_ends_a_client_that_does_not_read_its_answer(self):
        # What no draft guesses: each of its bytes is an event, and all of them are more than a socket holds.
        text = "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyz", k=30000))
        server = self.start("--http-milliseconds", "300", answers=[{"after": "a", "write": text}])
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", server.port))
        body = json.dumps({"messages": [{"role": "user", "content": "a"}], "stream": True})
        client.sendall(head(server, path="/v1/chat/completions", body=body) + body.encode())
        deadline = time.monotonic() + TIME_LIMIT
        while not server.metric("redraft_generations_cancelled_total"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertEqual(server.metric("redraft_generations"), 0)

    def test_those_who_say_nothing_keep_nobody_away(self):
        server = self.start()
        silent = [self.connect(server) for _ in range(100)]
        self.assertEqual(server.post("/v1/completions", {"prompt": "world"}).status, 200)
        self.assertLessEqual(server.metric("redraft_http_unadmitted_connections"), MAX_UNADMITTED)
        self.assertGreaterEqual(server.metric("redraft_http_turned_away_total"), 100 - MAX_UNADMITTED)
        self.assertEqual(self.all_of(silent[0]), b"")  # the oldest went first

    def test_those_who_have_the_token_are_not_without_limit(self):
        server = self.start("--http-milliseconds", "1000000")
        clients = []
        for _ in range(100):
            clients.append(self.connect(server))
            clients[-1].sendall(head(server, path="/v1/models", method="GET", body=""))
            self.assertIn(b"scripted", clients[-1].recv(1 << 16))
        self.assertEqual(server.get("/v1/models").status, 503)
        clients[0].close()
        deadline = time.monotonic() + TIME_LIMIT
        while server.get("/v1/models").status != 200:
            self.assertLess(time.monotonic(), deadline)

    def test_is_confined_as_the_language_server_is(self):
        workspace, home = self.folder / "workspace", self.folder / "home"
        for place in (workspace, home):
            place.mkdir()
        (workspace / "a.py").write_text("a = 1\n")
        server = self.start(attempts={"workspace": str(workspace), "home": str(home)})
        self.assertEqual(server.post("/v1/completions", {"prompt": "world"}).status, 200)
        _, log = server.end()
        if found := re.search(r"confined: this process (.*(?:may write wherever|may start programs).*)", log):
            self.skipTest(found[1])
        outcomes = dict(re.findall(r"attempt (\S+): (\S+)", log))
        self.assertGreater(len(outcomes), 15)
        for name, outcome in outcomes.items():
            self.assertIn(outcome, ALLOWED.get(name, {"EPERM", "EACCES"}), name)

    def test_the_log_has_no_text(self):
        server = self.start("--log-level", "debug")
        secret = "correct horse battery staple"
        server.post("/v1/completions", {"prompt": secret})
        server.post("/v1/completions", {"prompt": secret, secret: 1})
        server.get("/" + secret.replace(" ", "-"))
        _, log = server.end()
        self.assertNotIn("horse", log)
        self.assertIsNotNone(re.search(r"/v1/completions 400", log))


if __name__ == "__main__":
    unittest.main()
