"""HAProxy in front of two servers, as docs/remote.md has it: what one editor asks goes to one of them, and to the other when that
one is gone. Exit code 77: there is no HAProxy."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import unittest

from remote_case import AFTER, RemoteEditor, Server, event

HAPROXY = shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "remote.md"
EDITORS = 30  # that all of them go to one of two servers has a chance of one in half a billion


class Replica(Server):
    """A server that can end as a machine does: with all its connections."""

    def __init__(self):
        self.open = []
        super().__init__()

    def process_request(self, request, client_address):
        self.open.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request, client_address):
        pass  # HAProxy resets the connections of its checks

    def die(self):
        self.shutdown()
        self.server_close()
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # closed already

    @property
    def sessions(self):
        """Of those that asked something; HAProxy itself asks whether the server is there."""
        return [{name.lower(): value for name, value in headers.items()}["x-session-id"] for path, headers, _ in list(self.seen) if path != "/health"]


class FrontTest(RemoteEditor):
    def setUp(self):
        super().setUp()
        self.replicas = [Replica(), Replica()]
        for replica in self.replicas:
            self.addCleanup(replica.die)
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        configuration = re.search(r"^```haproxy\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL).group(1)
        configuration, bound = re.subn(r"\bbind \S+", f"bind fd@{listener.fileno()}", configuration)
        self.assertEqual(bound, 1)
        for name, replica in zip(("gpu1.example:8000", "gpu2.example:8000"), self.replicas):
            self.assertEqual(configuration.count(name), 1)
            configuration = configuration.replace(name, f"127.0.0.1:{replica.server_port}")
        file = self.folder / "haproxy.cfg"
        file.write_text(configuration, encoding="utf-8")
        front = subprocess.Popen([HAPROXY, "-db", "-f", str(file)], pass_fds=[listener.fileno()])
        self.addCleanup(front.wait)
        self.addCleanup(front.kill)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def asked(self, replica):
        return len(replica.requests)

    def test_what_an_editor_asks_goes_to_one_replica(self):
        sessions = set()
        for number in range(1, EDITORS + 1):
            client = self.client(self.url)
            for _ in range(3 if number == 1 else 1):
                end, hunks = self.edit(client)
                self.assertEqual((end["state"], hunks[0]["newText"]), ("done", AFTER.splitlines(keepends=True)[1]))
            client.close()
            first, second = (set(replica.sessions) for replica in self.replicas)
            self.assertEqual(first & second, set(), "no session goes to both")
            self.assertEqual(len(first | second), number, "each editor has a session of its own")
            sessions = (first, second)
            if first and second:
                break
        self.assertTrue(all(sessions), "two editors can go to two replicas")

    def test_when_a_replica_dies_the_next_edit_goes_to_the_other(self):
        client = self.client(self.url)
        self.assertEqual(self.edit(client)[0]["state"], "done")
        used, other = sorted(self.replicas, key=self.asked, reverse=True)
        self.assertEqual((self.asked(used), self.asked(other)), (1, 0))
        going, gone = threading.Event(), threading.Event()
        used.pieces = [event("def area(width, height):\n"), going.set, lambda: gone.wait(120)]
        edit = client.request("workspace/executeCommand", self.command())["editId"]
        self.assertTrue(going.wait(120))
        used.die()
        end = client.notification("$/redraft/edit", lambda told: told["editId"] == edit and told["kind"] == "end")
        gone.set()
        self.assertEqual(end["state"], "failed")
        self.assertIn("broke off", str(end))
        end, (hunk,) = self.edit(client)
        self.assertEqual((end["state"], hunk["newText"]), ("done", AFTER.splitlines(keepends=True)[1]), end)
        self.assertEqual((self.asked(used), self.asked(other)), (2, 1))
        self.assertEqual(len(set(used.sessions) | set(other.sessions)), 1)


if __name__ == "__main__":
    if HAPROXY is None:
        print("SKIPPED: there is no haproxy; tools/setup.py tests installs it, as root on Debian")
        sys.exit(77)
    unittest.main()
