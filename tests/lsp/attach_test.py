"""Many `redraft lsp` over standard input and output that share one server: what each editor sees, and what remains."""

import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import unittest

from lsp_client import TIME_LIMIT, Client
from server_case import LINES, PARENT, RENAME, SERVER, SLOW, STREAMING, ServerTest, runs

REDRAFT = os.environ.get("REDRAFT")
IDLE_SECONDS = 3


class AttachTest(ServerTest):
    """Everything that is shared is in a folder of the test's own; no server outlives the test."""

    def setUp(self):
        super().setUp()
        folder = pathlib.Path(self.folder.name)
        self.runtime, self.state = folder / "run", folder / "state"
        self.runtime.mkdir(mode=0o700)
        self.env = {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime), "XDG_STATE_HOME": str(self.state),
                    "XDG_CACHE_HOME": str(folder / "cache"), "REDRAFT_LSP_IDLE_SECONDS": str(IDLE_SECONDS)}
        self.env.pop("REDRAFT_LSP_NO_SHARE", None)
        self.addCleanup(self.end_servers)

    def end_servers(self):
        for server in self.servers():
            os.kill(server, signal.SIGKILL)
            self.await_end(server)
        log = self.log()
        for word in ("Sanitizer", "runtime error"):
            self.assertNotIn(word, log)

    def log(self):
        file = self.state / "redraft" / "lsp.log"
        return file.read_text() if file.exists() else ""

    def sockets(self):
        found = [path for folder in (self.runtime / "redraft", pathlib.Path(self.env["XDG_CACHE_HOME"]) / "redraft/run")
                 if folder.exists() for path in folder.iterdir()]
        return [path for path in found if stat.S_ISSOCK(path.lstat().st_mode)]

    def servers(self):
        """The processes that listen."""
        ids = []
        for path in self.sockets():
            with socket.socket(socket.AF_UNIX) as connection:
                try:
                    connection.connect(str(path))
                except ConnectionRefusedError:  # it was killed
                    continue
                ids.append(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
        return ids

    def await_end(self, process):
        self.until(lambda: not runs(process), "it still runs")

    def attach(self, edits=RENAME, capabilities=STREAMING, options=(), **more):
        return self.start(edits, capabilities, options=["--share", "--idle-seconds", str(IDLE_SECONDS), *options],
                          env=self.env, **more)


class Attached(AttachTest):
    def test_edits_of_two_clients_of_one_server(self):
        clients = [self.attach(delay_ms_per_pass=2) for _ in range(2)]
        server, = self.servers()
        self.assertNotIn(server, [client.process.pid for client in clients])
        for client in clients:
            self.open(client, LINES)
        edits = [self.edit(client) for client in clients]
        for client, edit in zip(clients, edits):
            self.assertEqual(self.end(client, edit)["state"], "done")
            self.assertEqual(len(self.events(client, edit, "hunk")), 4)

    def test_only_the_user_may_look(self):
        os.umask(os.umask(0))
        self.attach()
        path, = self.sockets()
        self.assertEqual(stat.S_IMODE(path.lstat().st_mode), 0o600)
        for folder in (path.parent, self.state / "redraft"):
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((self.state / "redraft" / "lsp.log").stat().st_mode), 0o600)

    def test_a_folder_that_others_may_look_into_is_not_used(self):
        (self.runtime / "redraft").mkdir()
        (self.runtime / "redraft").chmod(0o755)
        self.attach()
        path, = self.sockets()
        self.assertIn("cache/redraft/run", str(path))

    def test_the_log_does_not_grow_without_bound(self):
        file = self.state / "redraft" / "lsp.log"
        file.parent.mkdir(parents=True, mode=0o700)
        file.write_bytes(b"before\n" * 800000)
        client = self.attach()
        old = file.with_name("lsp.log.old")
        self.assertEqual(old.stat().st_size, 7 * 800000)
        self.assertIn("listening", self.log())
        with open(file, "ab") as log:  # whoever wrote that
            log.write(b"now\n" * 1400000)
        client.send_bytes(b"nonsense\n")
        client.exit_code()
        self.until(lambda: file.stat().st_size < 100000, "the log goes on")
        self.assertIn("Content-Length", self.log())
        self.assertEqual(old.read_bytes()[-4:], b"now\n")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)

    def test_exit_codes(self):
        other = self.attach()
        for shut_down, code in ((True, 0), (False, 1)):
            client = self.attach()
            if shut_down:
                self.assertIsNone(client.request("shutdown"))
            client.notify("exit")
            self.assertEqual(client.exit_code(), code)
            client.wait_for_end()
        client = self.attach()
        client.request("shutdown")
        client.process.stdin.close()
        self.assertEqual(client.exit_code(), 0)
        client = self.attach()
        client.send_bytes(b"nonsense\n")
        self.assertEqual(client.exit_code(), 1)
        self.assertEqual(client.wait(lambda m: "error" in m)["error"]["code"], -32700)
        self.assertEqual(other.request("redraft/status")["state"], "unloaded")

    def test_input_from_a_file(self):
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
                    {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
        file = pathlib.Path(self.folder.name) / "input"
        file.write_bytes(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(content), content)
                                  for content in (json.dumps(message).encode() for message in messages)))
        with open(file, "rb") as stdin:
            client = self.attach(initialize=False, stdin=stdin)
            self.assertEqual(client.exit_code(), 0)
        self.assertIsNone(client.response(2))

    def test_the_pipes_are_left_as_they_were(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            before = fcntl.fcntl(theirs, fcntl.F_GETFL)
            client = self.attach(initialize=False, stdin=theirs)
            client.writer = ours.makefile("wb")
            self.initialize(client)
            self.assertNotEqual(fcntl.fcntl(theirs, fcntl.F_GETFL), before)
            client.notify("exit")
            client.exit_code()
            self.assertEqual(fcntl.fcntl(theirs, fcntl.F_GETFL), before)

    def test_many_that_start_at_once(self):
        clients = []

        def start():
            clients.append(self.attach(initialize=False))

        script = self.write_script(RENAME)
        self.write_script = lambda *_, **__: script  # they share it
        threads = [threading.Thread(target=start) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for client in clients:
            self.initialize(client)
        self.assertEqual(len(self.servers()), 1)
        self.assertEqual(self.log().count("listening on"), 1)
        self.until(lambda: sorted(path.suffix for path in (self.runtime / "redraft").iterdir()) == ["", ".lock"],
                   "the lock of a start is still there")

    def test_the_server_ends_after_its_last_client(self):
        first, second = self.attach(), self.attach()
        server, = self.servers()
        first.close()
        second.notify("exit")
        second.exit_code()
        self.await_end(server)
        self.assertEqual(list((self.runtime / "redraft").iterdir()), [])

    def test_big_messages_in_little_memory(self):
        client = self.attach()
        name = "x" * (30 << 20)
        with self.assertRaises(Exception) as raised:
            client.request(name)
        self.assertIn(name, str(raised.exception))
        content = b'{"jsonrpc": "2.0", "method": "$/x", "params": ["%s"]}' % (b"y" * ((64 << 20) - 100))
        client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")
        if not os.environ.get("REDRAFT_SANITIZED"):
            with open(f"/proc/{client.process.pid}/status", encoding="utf-8") as file:
                self.assertLess(int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]), 30000)


class Lost(AttachTest):
    """A process dies."""

    def test_a_client_that_is_killed_in_mid_edit(self):
        first, second = (self.attach(SLOW, delay_ms_per_pass=100) for _ in range(2))
        self.open(second, "one line\n")
        self.edit_slowly(first)
        edit = self.edit(second, "slow")
        first.process.kill()
        first.wait_for_end()
        self.assertEqual(self.end(second, edit)["state"], "done")

    def test_input_closes_in_mid_edit(self):
        client = self.attach(SLOW, delay_ms_per_pass=100)
        self.edit_slowly(client)
        client.process.stdin.close()
        self.assertEqual(client.exit_code(), 1)

    def test_the_editor_dies_while_another_holds_the_pipe(self):
        script = self.write_script(RENAME, **self.hold())
        parent = subprocess.Popen([sys.executable, "-B", "-c", PARENT, SERVER, script, "--share"], env=self.env,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parent)
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.stdin.close)
        attached, holder = map(int, parent.stdout.readline().split())
        self.addCleanup(os.kill, holder, signal.SIGKILL)
        self.assertEqual(len(self.servers()), 1)
        parent.kill()  # and is not waited for yet
        self.await_end(attached)
        parent.wait(TIME_LIMIT)

    def test_the_server_is_killed(self):
        client = self.attach()
        server, = self.servers()
        os.kill(server, signal.SIGKILL)
        self.assertEqual(client.exit_code(), 1)
        client.threads[1].join(TIME_LIMIT)
        client.wait_for_log(b"has ended")
        self.assertEqual(self.attach().request("redraft/status")["state"], "unloaded")

    def test_the_server_is_told_to_end(self):
        client = self.attach()
        server, = self.servers()
        os.kill(server, signal.SIGTERM)
        self.assertEqual(client.exit_code(), 1)
        self.await_end(server)
        self.assertEqual(self.sockets(), [])

    def test_the_server_hangs(self):
        client = self.attach()
        server, = self.servers()
        os.kill(server, signal.SIGSTOP)
        try:
            client.process.stdin.close()
            self.assertEqual(client.exit_code(), 1)
            other = self.attach(initialize=False)  # works without the shared server
            self.initialize(other)
        finally:
            self.end_servers()  # it holds their pipes
        self.assertEqual(other.request("redraft/status")["state"], "unloaded")
        other.wait_for_log(b"cannot share the model")

    def test_no_server_can_be_started(self):
        self.state.write_text("no folder")
        client = self.attach()
        self.open(client, LINES)
        self.assertEqual(self.end(client, self.edit(client))["state"], "done")
        client.wait_for_log(b"cannot share the model")
        self.assertEqual(self.sockets(), [])

    def test_a_server_that_dies_at_its_start(self):
        (self.runtime / "redraft").mkdir(mode=0o700)
        client = self.attach()
        path, = self.sockets()
        self.end_servers()
        client.exit_code()
        path.unlink()
        path.write_text("in the way")
        client = self.attach()
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")
        client.wait_for_log(b"does not start")


@unittest.skipUnless(REDRAFT, "REDRAFT must name the program")
class Program(AttachTest):
    """The real command, which needs no weights until the first edit."""

    def lsp(self, *options):
        client = Client([REDRAFT, "lsp", "--no-index", *options], env=self.env)
        self.addCleanup(client.close)
        self.initialize(client)
        return client

    def await_name(self, client, name):
        self.until(lambda: pathlib.Path(f"/proc/{client.process.pid}/comm").read_text().strip() == name)

    def test_the_same_options_share_a_server(self):
        clients = [self.lsp("--threads", "1") for _ in range(3)]
        self.assertEqual(len(self.servers()), 1)
        for client in clients:
            self.await_name(client, "redraft-attache")
        for options in (("--threads", "2"), ("--threads", "1", "--cache-memory", "7"), ("--target", "smollm2-135m")):
            before = len(self.servers())
            clients.append(self.lsp(*options))
            self.assertEqual(len(self.servers()), before + 1)
        for client in clients:
            client.request("shutdown")
            client.notify("exit")
            self.assertEqual(client.exit_code(), 0)

    def test_who_sees_other_mounts_or_users_has_a_server_of_its_own(self):
        # Of a container, a toolbox: paths and process ids mean something else there.
        elsewhere = ["unshare", "--user", "--map-root-user", "--mount"]
        if not shutil.which("unshare") or subprocess.run([*elsewhere, "true"], capture_output=True, check=False).returncode:
            self.skipTest("this system lets users make no namespaces")
        self.lsp()
        self.lsp()
        self.assertEqual(len(self.servers()), 1)
        client = Client([*elsewhere, REDRAFT, "lsp", "--no-index"], env=self.env)
        self.addCleanup(client.close)
        self.initialize(client)
        self.assertEqual(len(self.sockets()), 2)
        self.assertIn("state", client.request("redraft/status"))
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)

    def test_the_server_is_nobodys_child(self):
        client = self.lsp()
        server, = self.servers()
        self.assertNotEqual(os.getsid(server), os.getsid(client.process.pid))
        status = pathlib.Path(f"/proc/{server}/status").read_text()
        self.assertNotIn(int(re.search(r"PPid:\s+(\d+)", status)[1]), (os.getpid(), client.process.pid))
        self.assertEqual(os.readlink(f"/proc/{server}/cwd"), "/")

    def test_no_share(self):
        self.await_name(self.lsp("--no-share"), "redraft")
        self.assertEqual(self.servers(), [])

    def test_wrong_usage(self):
        for options in (["--stdio", "--socket", "s"], ["--socket", "s", "--port", "0"], ["--stdio", "--port", "0"],
                        ["--token-file", "t"], ["--port", "-1"], ["--port", "70000"], ["--idle-seconds", "-1"]):
            with self.subTest(options=options):
                run = subprocess.run([REDRAFT, "lsp", *options], capture_output=True, timeout=TIME_LIMIT, env=self.env)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertTrue(run.stderr.startswith(b"redraft: error: "))


if __name__ == "__main__":
    unittest.main()
