"""One server for many clients, over a unix domain socket or a port: who may connect, and how they are kept apart."""

import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import unittest

from lsp_client import TIME_LIMIT, SocketClient
from server_case import LINES, RENAME, SERVER, SLOW, STREAMING, ServerTest


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


class Service(ServerTest):
    """A server with a scripted model."""

    def serve(self, *options, edits=RENAME, umask=None, **script):
        environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder.name}
        command = [SERVER, self.write_script(edits, **script), *map(str, options)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                                   preexec_fn=None if umask is None else lambda: os.umask(umask))
        self.addCleanup(self.stop, process)
        self.address = re.fullmatch(r"listening on (.*)\n", process.stdout.readline().decode())[1]
        return process

    def stop(self, process):
        """Its log, once it has ended."""
        if process.poll() is None:
            process.kill()
        log = process.stderr.read().decode() if not process.stderr.closed else ""
        process.wait(TIME_LIMIT)
        process.stdout.close()
        process.stderr.close()
        for word in ("Sanitizer", "runtime error"):
            self.assertNotIn(word, log)
        return log

    def connection(self):
        if ":" in self.address:
            return socket.create_connection(("127.0.0.1", int(self.address.split(":")[1])), TIME_LIMIT)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(TIME_LIMIT)
        connection.connect(self.address)
        return connection

    def client(self, capabilities=STREAMING, initialize=True, **more):
        connection = self.connection()
        connection.settimeout(None)
        client = SocketClient(connection)
        self.addCleanup(client.close)
        if initialize:
            self.initialize(client, capabilities, **more)
        return client

    def assert_serves(self, client):
        self.assertIn("state", client.request("redraft/status"))


class Socket(Service):
    def setUp(self):
        super().setUp()
        self.path = pathlib.Path(self.folder.name) / "made" / "for it" / "s"

    def serve_here(self, **script):
        return self.serve("--socket", self.path, **script)

    def test_only_the_user_may_connect(self):
        self.serve_here(umask=0)
        self.assertEqual(self.address, str(self.path))
        self.assertTrue(stat.S_ISSOCK(os.lstat(self.path).st_mode))
        self.assertEqual(mode(self.path), 0o600)
        self.assertEqual(mode(self.path.parent), 0o700)
        self.assertEqual(mode(self.path.parent.parent), 0o700)
        self.assert_serves(self.client())

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_another_user_is_turned_away_even_where_modes_would_let_it_in(self):
        server = self.serve_here()
        for path in (self.path.parent, *self.path.parents):
            if path.stat().st_uid == 0 and str(path).startswith(self.folder.name):
                path.chmod(0o755)
        self.path.chmod(0o666)
        self.assert_serves(self.client())
        ask = f"import os, socket; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect({str(self.path)!r}); " \
              "print('connected', flush=True); print(s.recv(1))"
        run = subprocess.run([sys.executable, "-c", ask], capture_output=True, timeout=TIME_LIMIT, text=True)
        self.assertEqual(run.stdout, "connected\nb''\n", run.stderr)
        self.assertIn("another user", self.stop(server))

    def test_edits_of_two_clients(self):
        self.serve_here(delay_ms_per_pass=2)
        clients = [self.client(), self.client()]
        texts = [LINES, "first\n" + LINES]
        for client, text in zip(clients, texts):
            self.open(client, text)
        edits = [self.edit(client) for client in clients]
        for client, edit, text in zip(clients, edits, texts):
            self.assertEqual(self.end(client, edit)["state"], "done")
            lines = [hunk["range"]["start"]["line"] for hunk in self.events(client, edit, "hunk")]
            self.assertEqual(lines, [i for i, line in enumerate(text.split("\n")) if "old" in line])
            self.assertEqual(len(self.resolve(client, edit, doubtful=True)["hunkIds"]), 4)

    def test_the_model_is_loaded_once_and_all_know(self):
        self.serve_here(load_delay_ms=200)
        first, second = self.client(), self.client()
        waiting = self.client(initialize=False)
        self.open(first, LINES)
        self.end(first, self.edit(first))
        for client in (first, second):
            client.notification("$/redraft/status", lambda status: status["state"] == "ready")
        self.assertEqual(waiting.count(), 0)
        self.initialize(waiting, STREAMING)
        self.assertEqual(waiting.request("redraft/status")["state"], "ready")

    def test_a_file_that_one_client_opens_loads_the_model_for_all(self):
        self.serve_here()
        clients = [self.client(), self.client()]
        for opening in clients:
            self.open(opening, LINES)
            for client in clients:
                client.notification("$/redraft/status", lambda status: status["state"] == "ready")
        self.end(clients[1], self.edit(clients[1]))
        for client in clients:
            self.assert_serves(client)
            self.assertEqual([status["state"] for status in client.all("$/redraft/status")], ["loading", "ready"])

    def test_a_client_that_vanishes_in_mid_edit_leaves_the_model_to_the_others(self):
        self.serve_here(edits=SLOW, delay_ms_per_pass=100)
        first, second = self.client(), self.client()
        self.open(second, "one line\n")
        self.edit_slowly(first)
        edit = self.edit(second, "slow")
        first.close()
        self.assertEqual(self.end(second, edit)["state"], "done")

    def test_exit_ends_one_client(self):
        self.serve_here()
        first, second = self.client(), self.client()
        first.request("shutdown")
        first.notify("exit")
        first.wait_for_end()
        self.assert_serves(second)
        second.notify("exit")
        second.wait_for_end()
        self.assert_serves(self.client())

    def test_malformed_framing_ends_one_client(self):
        self.serve_here()
        first, second = self.client(), self.client()
        first.send_bytes(b"nonsense\n")
        first.wait_for_end()
        self.assertEqual(first.messages[-1]["error"]["code"], -32700)
        self.assert_serves(second)

    def test_a_client_that_does_not_read(self):
        server = self.serve_here()
        other = self.client()
        deaf = self.connection()
        # Each is answered with its own name, so the answers pile up until no more input is read, however often the
        # server has looked.
        content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
        deaf.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        content = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "x" * 1000000}).encode()
        message = memoryview(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        deaf.setblocking(False)
        sent, refused = 0, 0
        while refused < 100:
            self.assertLess(sent, 200 * len(message))
            try:
                sent += deaf.send(message[sent % len(message):])
                refused = 0
            except BlockingIOError:
                refused += 1
            self.assert_serves(other)
        self.open(other, LINES)
        self.assertEqual(self.end(other, self.edit(other))["state"], "done")
        with open(f"/proc/{server.pid}/status", encoding="utf-8") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
        if not os.environ.get("REDRAFT_SANITIZED"):
            self.assertLess(peak, 300000)
        deaf.close()
        self.assert_serves(other)

    def test_clients_that_go_while_their_folders_are_indexed(self):
        folder = pathlib.Path(self.folder.name) / "project"
        folder.mkdir()
        for number in range(300):
            (folder / f"{number}.py").write_text("".join(f"def f_{number}_{i}(): return {i}\n" for i in range(500)))
        self.serve("--socket", self.path, "--index")
        other = self.client()
        for _ in range(5):
            client = self.client(rootUri=folder.as_uri())
            client.request("redraft/status")
            client.close()
            self.assert_serves(other)

    def test_signals_end_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                server = self.serve_here(delay_ms_per_pass=50)
                client = self.client()
                self.open(client, LINES * 10)
                self.edit(client)
                server.send_signal(number)
                self.assertEqual(server.wait(TIME_LIMIT), 0)
                self.assertEqual(os.listdir(self.path.parent), [])
                client.wait_for_end()

    def test_a_signal_while_the_model_is_being_loaded(self):
        server = self.serve_here(load_delay_ms=10 * 1000 * TIME_LIMIT)
        client = self.client()
        self.open(client, LINES)
        self.edit(client)
        client.notification("$/redraft/status")
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(TIME_LIMIT), 0)
        self.assertEqual(os.listdir(self.path.parent), [])

    def test_the_socket_of_a_server_that_was_killed(self):
        self.stop(self.serve_here())
        self.assertTrue(self.path.exists())
        self.serve_here()
        self.assert_serves(self.client())

    def test_the_socket_of_a_server_that_lives(self):
        self.serve_here()
        self.assert_refused("another redraft serves there")
        self.assert_serves(self.client())

    def assert_refused(self, reason):
        run = subprocess.run([SERVER, self.write_script(), "--socket", self.path], capture_output=True, timeout=TIME_LIMIT)
        self.assertEqual(run.returncode, 1)
        self.assertIn(reason, run.stderr.decode())

    def test_what_is_not_its_own_stays(self):
        self.path.parent.mkdir(parents=True)
        self.path.write_text("mine")
        self.assert_refused("is no socket")
        self.assertEqual(self.path.read_text(), "mine")
        self.path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(self.path))
            other.listen()
            self.assert_refused("another program listens there")

    def test_more_clients_than_there_is_room_for(self):
        self.serve_here()
        clients = [self.client() for _ in range(100)]
        turned_away = self.client(initialize=False)
        turned_away.wait_for_end()
        self.assertEqual(turned_away.messages, [])
        clients.pop().close()
        self.until(self.is_let_in, "there is still no room")
        self.assert_serves(clients[0])

    def is_let_in(self):
        client = self.client(initialize=False)
        try:
            self.initialize(client)
        except (AssertionError, OSError):  # turned away
            client.close()
            return False
        self.assert_serves(client)
        return True

    def test_a_name_that_is_too_long(self):
        self.path = pathlib.Path(self.folder.name) / ("x" * 120)
        self.assert_refused("at most 107 bytes")

    def test_it_ends_when_nobody_is_left(self):
        server = self.serve("--socket", self.path, "--idle-seconds", 1)
        first, second = self.client(), self.client()
        first.close()
        time.sleep(1.3)
        self.assert_serves(second)
        second.close()
        self.assertEqual(server.wait(TIME_LIMIT), 0)
        self.assertFalse(self.path.exists())


class Port(Service):
    def serve_here(self, **script):
        server = self.serve("--port", 0, **script)
        line = server.stderr.readline().decode()
        self.token_file = pathlib.Path(re.fullmatch(r"redraft: the token is in (.*)\n", line)[1])
        self.token = self.token_file.read_text().strip()
        return server

    def admitted(self):
        return self.client(initializationOptions={"redraft": {"token": self.token}})

    def test_a_client_with_the_token(self):
        self.serve_here(umask=0)
        self.assertEqual(mode(self.token_file), 0o600)
        self.assertEqual(mode(self.token_file.parent), 0o700)
        self.assertRegex(self.token, "^[0-9a-f]{64}$")
        clients = [self.admitted(), self.admitted()]
        for client in clients:
            self.open(client, LINES)
            self.assertEqual(self.end(client, self.edit(client))["state"], "done")

    def test_the_token_goes_with_the_server_and_is_never_the_same(self):
        server = self.serve_here()
        server.terminate()
        self.assertEqual(server.wait(TIME_LIMIT), 0)
        self.assertFalse(self.token_file.exists())
        before = self.token
        self.serve_here()
        self.assertNotEqual(self.token, before)

    def test_a_token_file_of_ones_own(self):
        file = pathlib.Path(self.folder.name) / "token"
        file.write_text("before")
        file.chmod(0o644)
        self.serve("--port", 0, "--token-file", file)
        self.assertEqual(mode(file), 0o600)
        self.token = file.read_text().strip()
        self.assert_serves(self.admitted())

    def test_who_says_nothing_keeps_nobody_out(self):
        self.serve_here()
        before = self.admitted()
        silent = [self.connection() for _ in range(200)]
        self.assert_serves(before)
        clients = [self.admitted() for _ in range(5)]
        for connection in silent:
            connection.setblocking(False)
        self.until(lambda: sum(map(self.is_open, silent)) <= 16, "too many are waited for")
        for client in (before, *clients):
            self.assert_serves(client)
        for connection in silent:
            connection.close()

    def is_open(self, connection):
        try:
            return connection.recv(1) != b""
        except BlockingIOError:
            return True
        except ConnectionError:
            return False

    def test_there_are_only_so_many_with_the_token(self):
        self.serve_here()
        clients = [self.admitted() for _ in range(100)]
        turned_away = self.client(initialize=False)
        turned_away.start_request("initialize", {"processId": None, "capabilities": {},
                                                 "initializationOptions": {"redraft": {"token": self.token}}})
        turned_away.wait_for_end()
        self.assertEqual(turned_away.messages, [])
        self.assert_serves(clients[0])

    def test_clients_without_it(self):
        self.serve_here()
        good = self.admitted()
        for options in (None, {}, {"redraft": {}}, {"redraft": {"token": self.token[:-1]}}, {"redraft": [self.token]},
                        {"redraft": {"token": self.token[:-1] + "x"}}, {"redraft": {"token": 5}}, [self.token]):
            with self.subTest(options=options):
                client = self.client(initialize=False)
                self.assert_error(-32803, self.initialize, client, initializationOptions=options)
                client.wait_for_end()
        self.assert_serves(good)

    def test_nothing_is_served_before(self):
        self.serve_here()
        client = self.client(initialize=False)
        client.send_bytes(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(content), content) for content in (
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {
                "initializationOptions": {"redraft": {"token": self.token}}}}).encode()
            for number, method in enumerate(["redraft/status", "initialize"]))))
        client.wait_for_end()
        self.assertEqual([(m["id"], m["error"]["code"]) for m in client.messages], [(0, -32803)])

    def test_what_is_no_client_at_all(self):
        self.serve_here()
        for sent in (b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", b"Content-Length: 2000000\r\n\r\n",
                     b"Content-Length: 5\r\n\r\n[[[[[", b"Content-Length: 2\r\n\r\n[]"):
            with self.subTest(sent=sent):
                client = self.client(initialize=False)
                client.send_bytes(sent)
                client.wait_for_end()
                self.assertTrue(all("error" in message for message in client.messages))
        self.assert_serves(self.admitted())

    def test_a_big_message_once_it_is_known(self):
        self.serve_here()
        client = self.admitted()
        self.open(client, "x\n" * 1500000)
        self.assert_serves(client)

    def test_it_listens_on_the_loopback_interface_alone(self):
        self.serve_here()
        port = int(self.address.split(":")[1])
        places = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            if os.path.exists(table):
                with open(table, encoding="utf-8") as file:
                    places += [line.split()[1] for line in file.readlines()[1:] if line.split()[3] == "0A"]
        self.assertEqual([place for place in places if place.endswith(f":{port:04X}")], [f"0100007F:{port:04X}"])

    def test_a_port_that_is_taken(self):
        self.serve_here()
        run = subprocess.run([SERVER, self.write_script(), "--port", self.address.split(":")[1]], capture_output=True,
                             timeout=TIME_LIMIT)
        self.assertEqual(run.returncode, 1)
        self.assertIn("in use", run.stderr.decode())


if __name__ == "__main__":
    unittest.main()
