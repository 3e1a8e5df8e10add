"""The ways to a server: each starts one with a scripted model, lets clients in, can kill it, and looks at what is left when it
has ended."""

import fcntl
import json
import os
import pathlib
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lsp_client import Client, SocketClient  # noqa: E402

SERVER = os.environ["REDRAFT_SCRIPTED_SERVER"]
HALT = "HALT"  # while the hold is there, an edit stops before this word
SCRIPT = {
    "edits": [{"instruction": "rename", "find": "old", "replace": "fresh"},
              {"instruction": "grow", "find": "area", "replace": "area\nmore"},
              {"instruction": "reveal", "find": "\n", "replace": "~\n"}],
    "fills": [{"after": "area = ", "write": "width * height"}, {"after": "", "write": "pass\n"}],
}


def until(condition, what, limit):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def has_ended(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return status.rsplit(")", 1)[1].split()[0] in "ZX"


def is_free(path):
    """Whether it is the lock of a start that nobody holds: left by a process that was killed before it removed it."""
    if path.suffix != ".start":
        return False
    with open(path, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def log_of(client):
    return client.log.decode(errors="replace")


class Door:
    """Everything is in `folder`."""

    def __init__(self, folder, limit):
        self.folder, self.limit = folder, limit
        self.run = folder / "run"
        self.run.mkdir(mode=0o700)
        self.hold = folder / "hold"
        self.script = folder / "script.json"
        self.script.write_text(json.dumps({**SCRIPT, "hold": {"before": HALT, "file": str(self.hold)}}))
        self.env = {**os.environ, "XDG_RUNTIME_DIR": str(self.run), "XDG_STATE_HOME": str(folder / "state"),
                    "XDG_CACHE_HOME": str(folder / "cache")}
        self.env.pop("REDRAFT_LSP_NO_SHARE", None)
        self.logs = []

    def command(self, *options):
        return [SERVER, str(self.script), "--usage-file", str(self.folder / "usage.json"),
                "--crash-notes", str(self.folder / "crashed-at"), *map(str, options)]

    def processes(self):
        """Those that were started with this folder's script and have not ended."""
        found = []
        for path in pathlib.Path("/proc").iterdir():
            try:
                if path.name.isdigit() and bytes(self.script) in (path / "cmdline").read_bytes():
                    found.append(int(path.name))
            except OSError:
                pass
        return [pid for pid in found if not has_ended(pid)]

    def close(self):
        """Whatever happened."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def check_nothing_is_left(self):
        until(lambda: not self.processes(), f"left: {self.processes()}", self.limit)
        left = [path for path in self.run.rglob("*") if not path.is_dir() and not is_free(path)]
        assert not left, f"left: {left}"
        usage = self.folder / "usage.json"
        if usage.exists():
            json.loads(usage.read_text())
        for log in self.logs:
            assert "Sanitizer" not in log and "runtime error" not in log, log

    def leave(self, client, wire_code):
        """After the client's `exit`, or its end of any kind (None)."""
        client.wait_for_end(self.limit)


class SocketDoor(Door):
    """A server that listens, at a path or a port."""

    server = None

    def options(self):
        return "--socket", self.run / "s"

    def start(self):
        self.server = subprocess.Popen(self.command(*self.options()), stdout=subprocess.PIPE,
                                       stderr=open(self.folder / "log", "ab"), env=self.env)
        line = self.server.stdout.readline().decode()
        self.address = re.fullmatch(r"listening on (.*)\n", line)[1]
        self.first_descriptors = self.descriptors()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.server.pid}/fd"))

    def attach(self):
        if self.server is None:
            self.start()
        connection = self.connect()
        connection.settimeout(None)
        return SocketClient(connection)

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.address)
        return connection

    def initialization(self):
        return {}

    def cut(self, client):
        client.connection.shutdown(socket.SHUT_RDWR)
        client.wait_for_end(self.limit)

    def kill(self):
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server.stdout.close()
            self.server = None

    def end(self):
        """All clients are gone."""
        if self.server:
            until(lambda: self.descriptors() <= self.first_descriptors + 1,  # the thread aside may have one
                  f"{self.descriptors()} descriptors, at first {self.first_descriptors}", self.limit)
            self.server.terminate()
            assert self.server.wait(self.limit) == 0
            self.server.stdout.close()
            self.server = None
            self.logs.append((self.folder / "log").read_text())
            self.check_nothing_is_left()

    def close(self):
        self.kill()
        super().close()


class PortDoor(SocketDoor):
    def options(self):
        return "--port", 0, "--token-file", self.folder / "token"

    def connect(self):
        return socket.create_connection(("127.0.0.1", int(self.address.split(":")[1])))

    def initialization(self):
        return {"redraft": {"token": (self.folder / "token").read_text().strip()}}


class ProcessDoor(Door):
    """Each client is a process with a server of its own."""

    def attach(self):
        return Client(self.command(), env=self.env)

    def initialization(self):
        return {}

    def cut(self, client):
        client.process.kill()
        client.wait_for_end(self.limit)

    def leave(self, client, wire_code):
        super().leave(client, wire_code)
        code = client.exit_code(self.limit)
        assert wire_code in (None, code), f"exit code {code}, not {wire_code}: {log_of(client)}"

    def kill(self):
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)

    def end(self):
        self.check_nothing_is_left()


class SharingDoor(ProcessDoor):
    """Processes that share a server, which the first of them starts."""

    def attach(self):
        return Client(self.command("--share", "--idle-seconds", 1), env=self.env)

    def servers(self):
        found = []
        for path in (self.run / "redraft").glob("*"):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                continue
            with socket.socket(socket.AF_UNIX) as connection:
                try:
                    connection.connect(str(path))
                except OSError:
                    continue
                found.append(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
        return found

    def kill(self):
        """The clients' processes end when they see it."""
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: has_ended(pid), "it still runs", self.limit)

    def end(self):
        # A socket of a server that was killed stays until the next one comes.
        last = self.attach()
        try:
            last.response(last.start_request("initialize", {"processId": None, "capabilities": {}}))
            last.response(last.start_request("shutdown"))
            last.notify("exit")
            assert last.exit_code(self.limit) == 0
        finally:
            last.close()
        log = self.folder / "state" / "redraft" / "lsp.log"
        if log.exists():
            self.logs.append(log.read_text())
        self.check_nothing_is_left()


DOORS = {"socket": SocketDoor, "port": PortDoor, "process": ProcessDoor, "sharing": SharingDoor}
