"""Programs of different versions in the same folders at the same time: servers that run, clients that look for one, and
notes of crashes. What they keep on disk otherwise is in tests/cli/kept."""

import array
import os
import pathlib
import shutil
import socket
import threading
import time
import unittest

from attach_test import REDRAFT, AttachTest
from lsp_client import TIME_LIMIT, Client
from server_case import LINES, STREAMING, URI, ServerTest

TAKEN = b"R"  # what a server answers that takes a client over


class OtherServer:
    """Listens where a server would, and does what `answer` does with each connection."""

    def __init__(self, path, answer):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        os.chmod(path, 0o600)
        self.socket.listen()
        self.answer, self.connections = answer, []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections.append(connection)
            try:
                self.answer(connection)
            except OSError:  # whoever asked has gone
                pass

    def close(self):
        """Nobody must take this process for a server afterwards."""
        os.unlink(self.socket.getsockname())
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.connections:
            connection.close()


def handed_over(connection):
    """The byte, and the descriptors."""
    byte, control, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(8 * 4))
    descriptors = array.array("i")
    for _, _, data in control:
        descriptors.frombytes(data[:len(data) - len(data) % 4])
    return byte, list(descriptors)


class Servers(AttachTest):
    def place(self):
        """Where a server of this script listens."""
        client = self.attach()
        path, = self.sockets()
        self.end_servers()
        client.exit_code()
        path.unlink()
        return path

    def check_alone(self, answer, reason):
        """A client that finds such a server works without it, and says why; the other server stays as it is."""
        path = self.place()
        other = OtherServer(path, answer)
        self.addCleanup(other.close)
        client = self.attach()
        self.open(client, LINES)
        self.assertEqual(self.end(client, self.edit(client))["state"], "done")
        client.wait_for_log(b"cannot share the model")
        self.assertIn(reason, client.log)
        self.assertTrue(path.exists())
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)

    def test_a_server_that_answers_otherwise(self):
        def answer(connection):
            _, descriptors = handed_over(connection)
            for descriptor in descriptors:
                os.close(descriptor)
            connection.sendall(b"S")
        self.check_alone(answer, b"does not start")

    def test_a_server_that_hangs_up(self):
        self.check_alone(lambda connection: connection.close(), b"does not start")

    def test_a_server_that_says_more_than_one_byte(self):
        def answer(connection):
            connection.recv(1)
            connection.sendall(b"version 2: speak up\n")
        self.check_alone(answer, b"does not start")

    def hand_over(self, path, byte, count):
        """As a client of another version would."""
        ends = [os.pipe() for _ in range(count)]
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIME_LIMIT)
            connection.connect(str(path))
            given = [end[i % 2] for i, end in enumerate(ends)]
            control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", given))] if given else []
            connection.sendmsg([byte], control)
            try:
                answer = connection.recv(64)
            except ConnectionResetError:  # not all of it was read
                answer = b""
        for pair in ends:
            for descriptor in pair:
                os.close(descriptor)
        return answer

    def test_clients_that_speak_otherwise(self):
        client = self.attach()
        server, = self.servers()
        path, = self.sockets()
        self.open(client, LINES)
        self.end(client, self.edit(client))
        before = len(os.listdir(f"/proc/{server}/fd"))
        for byte, count in ((b"Q", 2), (b"R", 0), (b"R", 1), (b"R", 3), (b"R", 8), (b"\0", 2), (b"S version", 2)):
            with self.subTest(byte=byte, descriptors=count):
                self.assertEqual(self.hand_over(path, byte, count), b"", "it was taken over")
        self.until(lambda: len(os.listdir(f"/proc/{server}/fd")) <= before, "it keeps what it was given")
        self.assertEqual(self.end(client, self.edit(client))["state"], "done")

    @unittest.skipUnless(REDRAFT, "REDRAFT must name the program")
    def test_another_build_has_a_server_of_its_own(self):
        folder = pathlib.Path(self.folder.name) / "other"
        folder.mkdir()
        for file in pathlib.Path(REDRAFT).parent.glob("redraft*"):
            if file.is_file():
                shutil.copy(file, folder / file.name)
        (folder / "libredraft-transformer.so").symlink_to(pathlib.Path(REDRAFT).parent / "libredraft-transformer.so")
        with open(folder / "redraft", "ab") as program:
            program.write(b"\0")  # of another size: another build
        clients = [self.program(REDRAFT), self.program(folder / "redraft"), self.program(REDRAFT)]
        self.assertEqual(len(self.servers()), 2)
        names = {os.readlink(f"/proc/{server}/exe") for server in self.servers()}
        self.assertEqual(names, {str(pathlib.Path(REDRAFT).resolve()), str(folder / "redraft")})
        for client in clients:
            self.assertEqual(client.request("redraft/status")["state"], "unloaded")

    def program(self, path):
        client = Client([str(path), "lsp", "--no-index"], env=self.env)
        self.addCleanup(client.close)
        self.initialize(client, STREAMING)
        return client


def key_of(text):
    """FNV-1a, as in support/system/crash_notes.cpp."""
    key = 0xcbf29ce484222325
    for byte in text.encode():
        key = (key ^ byte) * 0x100000001b3 % (1 << 64)
    return key or 1


class CrashNotes(ServerTest):
    def setUp(self):
        super().setUp()
        self.notes = pathlib.Path(self.folder.name) / "crashed-at"

    def warnings(self, notes):
        self.notes.write_bytes(notes)
        client = self.start([{"find": "old", "replace": "fresh"}], STREAMING, options=("--crash-notes", str(self.notes)))
        self.open(client, LINES)
        client.request("redraft/status")
        shown = [params["message"] for params in client.all("window/showMessage")]
        self.open(client, LINES, uri="file:///tmp/other.py")
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": "file:///tmp/other.py"}, "instruction": "rename"}]})["editId"]
        self.assertEqual(self.end(client, edit)["state"], "done")
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)
        return shown

    @staticmethod
    def note(uri=URI, build="", ago=60):
        return b"%016x %016x %016x\n" % (key_of(uri), key_of(build), int(time.time()) - ago)

    def test_what_this_version_notes_counts(self):
        self.assertEqual(len(self.warnings(2 * self.note())), 1)

    def test_what_others_note_does_not(self):
        newer = self.note().replace(b"\n", b" 000000000000000b\n")  # one thing more in each line
        for notes in (2 * self.note(build="another"), 2 * newer, b"redraft notes 2\n" + 2 * newer, 2 * self.note(ago=90_000),
                      2 * self.note()[:-9] + b"\n"):
            with self.subTest(notes=notes):
                self.assertEqual(self.warnings(notes), [])

    def test_damage_does_no_harm(self):
        whole = 3 * self.note() + 2 * self.note(build="another")
        for at in range(0, len(whole), 23):
            with self.subTest(at=at):
                damaged = bytearray(whole)
                damaged[at] ^= 1 << at % 8
                self.warnings(bytes(damaged))
        for notes in (b"", b"\0" * 5000, os.urandom(3000), b"\n" * 5000):
            self.warnings(notes)


if __name__ == "__main__":
    unittest.main()
