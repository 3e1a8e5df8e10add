"""Surroundings in which something is missing that a server relies on: in each it starts, an edit and a completion work, the
user is told what does not, and `redraft doctor` says it in words. What needs namespaces is skipped, by name, where the
system does not grant them."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from enduring_session import LIMIT, EnduringSession  # noqa: E402

REDRAFT = os.environ["REDRAFT"]
LIBRARY = os.environ.get("REDRAFT_NETWORK_HOME_LIBRARY")
FILES = {f"f{i}.py": f"def area_{i}(width, height):\n    return width * height + {i}\n\n" * 4 for i in range(4)}
NOBODY = 54321  # a user who owns nothing but what a test gives to it
# Root in namespaces of its own, which may mount there; nothing of it is seen outside.
NAMESPACES = ("unshare", "--user", "--map-root-user", "--mount")


def grants(*command):
    try:
        return subprocess.run([*command, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def after(steps):
    """A prefix of a command: in namespaces, and after these steps of a shell."""
    return (*NAMESPACES, "sh", "-c", f'{steps} && exec "$@"', "sh")


class Session(EnduringSession):
    """`index_says`: a pattern of what has to be said of the index before the session goes on."""

    def __init__(self, command, env, workspace, index_says=".*"):
        super().__init__(command, env=env)
        self.workspace, self.index_says = workspace, index_says
        self.end, self.items, self.reasons, self.index = None, None, "", None
        with self:
            self.code = self.run()
            self.said = self.log()
        shown = [params["message"] for params in self.client.all("window/showMessage")]
        self.told = "\n".join([self.said, self.reasons, *shown])
        self.errors = [error for _, error in self.outcomes if error]

    def talk(self):
        self.request("initialize", {"processId": None, "rootUri": self.workspace.as_uri(), "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        self.client.notify("initialized")
        uri = (self.workspace / "f0.py").as_uri()
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "python", "version": 1, "text": FILES["f0.py"]}})
        edit = self.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri}, "instruction": "rename", "scope": "whole", "maxNewTokens": 40}]})
        if edit:
            self.end = self.wait(lambda m: m.get("method") == "$/redraft/edit" and m["params"]["kind"] == "end")["params"]
        self.items = self.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": {"line": 1, "character": 7}, "context": {"triggerKind": 1}})
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            status = self.request("redraft/status")
            self.reasons, self.index = "\n".join(status["reasons"]), status["index"]
            is_there = self.index and self.index["state"] in ("ready", "failed")
            if is_there and re.search(self.index_says, str(self.index["message"])):
                break
            time.sleep(0.1)
        self.reasons += "\n" + str((self.index or {}).get("message"))
        self.request("shutdown")
        self.client.notify("exit")


class Environments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.model = pathlib.Path(folder.name).resolve() / "tiny.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(cls.model), "1", "last"], check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.home, self.run_folder, self.workspace = (self.folder / name for name in ("home", "run", "workspace"))
        for path in (self.home, self.run_folder, self.workspace):
            path.mkdir(mode=0o700)
        for name, text in FILES.items():
            (self.workspace / name).write_text(text)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "REDRAFT_LSP"))}
        self.env.update(HOME=str(self.home), XDG_RUNTIME_DIR=str(self.run_folder))
        self.addCleanup(self.end_servers)

    def processes(self):
        """Servers that were started for this folder and still run, and their environment names it."""
        found = []
        for path in pathlib.Path("/proc").iterdir():
            try:
                if path.name.isdigit() and bytes(self.folder) in (path / "environ").read_bytes():
                    found.append(int(path.name))
            except OSError:
                pass
        return found

    def end_servers(self):
        for pid in self.processes():
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass

    def check(self, told=(), doctor=(), prefix=(), indexed=True, shared=False, index_says=".*"):
        """A session and a doctor; `told` and `doctor` are patterns of what the user has to read, `index_says` of what
        redraft/status says of the index."""
        session = Session([*prefix, REDRAFT, "lsp", "--target", str(self.model), "--idle-seconds", "1"], self.env,
                          self.workspace, index_says)
        self.assertRegex(str(session.index["message"]), index_says)
        self.assertEqual((session.code, session.errors), (0, []), session.told)
        self.assertEqual((session.end["state"], session.end["error"]), ("done", None), session.told)
        self.assertIn("items", session.items)
        if indexed:
            self.assertEqual((session.index["state"], session.index["files"]), ("ready", len(FILES)), session.told)
        for pattern in told:
            self.assertRegex(session.told, pattern)
        self.assertEqual("cannot share" not in session.told, shared, session.told)
        run = subprocess.run([*prefix, REDRAFT, "doctor", "--quick", "--target", str(self.model)], env=self.env,
                             capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for pattern in doctor:
            self.assertRegex(run.stdout, pattern)
        self.assertEqual({path.name: path.read_text() for path in self.workspace.iterdir()}, FILES)
        limit = time.monotonic() + LIMIT
        while self.processes():
            self.assertLess(time.monotonic(), limit, f"left: {self.processes()}")
            time.sleep(0.05)
        return session

    def need(self, prefix):
        """Skips the test where the system does not grant what comes before the command."""
        if not grants(*prefix):
            self.skipTest(f"this system does not grant: {' '.join(prefix)}")

    def test_all_is_there(self):
        self.check(shared=True, doctor=("cache +/.*home/.cache/redraft\n", "state +/.*redraft\n", "sockets +/.*run/redraft\n",
                                        "changes +the system reports", "processes +/proc is available"))

    # The home

    def test_a_home_of_another_user(self):
        self.need(NAMESPACES)
        if os.getuid() != 0:
            self.skipTest("only root can give a folder to another user")
        os.chown(self.home, NOBODY, NOBODY)
        self.addCleanup(os.chown, self.home, 0, 0)
        self.check(("cannot share.*(Permission denied|another user|HOME is not set)",),
                   ("cache +(cannot be written: .*Permission denied|none: .*); indexes",
                    "state +(cannot be written: .*Permission denied|none: .*); no log"), NAMESPACES)

    def test_a_home_that_is_read_only(self):
        prefix = after(f"mount --bind {self.home} {self.home} && mount -o remount,bind,ro {self.home}")
        self.need(prefix)
        self.check(("cannot share.*Read-only file system",), ("cache +cannot be written: .*Read-only",), prefix,
                   index_says="the index is kept in memory only: .*Read-only file system")

    def test_no_home(self):
        del self.env["HOME"], self.env["XDG_RUNTIME_DIR"]
        self.check(("cannot share.*neither XDG_RUNTIME_DIR nor HOME",),
                   ("cache +none: there is no home", "state +none: there is no home", "sockets +none: "))
        shared = pathlib.Path(tempfile.gettempdir()) / ".cache" / "redraft"  # a place that others can prepare
        self.assertEqual(list(shared.rglob("*tiny*")), [])

    def test_a_home_that_is_no_folder(self):
        for home in ("file", "file/below"):
            with self.subTest(home=home):
                (self.folder / "file").write_text("no folder")
                self.env["HOME"] = str(self.folder / home)
                self.check(("cannot share.*Not a directory",), ("cache +cannot be written: .*Not a directory",))

    def test_a_home_on_a_full_disk(self):
        prefix = after(f"mount -t tmpfs -o size=64k none {self.home} && (cat /dev/zero > {self.home}/full 2>/dev/null; true)")
        self.need(prefix)
        self.check((), ("cache +cannot be written: .*No space left",), prefix, shared=True,
                   index_says="the index is kept in memory only: .*No space left")

    # Where sockets are

    def test_no_runtime_folder(self):
        del self.env["XDG_RUNTIME_DIR"]
        self.check(shared=True, doctor=("sockets +/.*home/.cache/redraft/run",))

    def test_a_runtime_folder_that_is_of_no_use(self):
        (self.folder / "file").write_text("no folder")
        (self.folder / "open" / "redraft").mkdir(parents=True)
        (self.folder / "open" / "redraft").chmod(0o777)
        for name in ("file", "open"):
            with self.subTest(folder=name):
                self.env["XDG_RUNTIME_DIR"] = str(self.folder / name)
                self.check(shared=True, doctor=("sockets +/.*home/.cache/redraft/run .XDG_RUNTIME_DIR is not usable",))

    def test_a_runtime_folder_with_too_long_a_name(self):
        self.env["XDG_RUNTIME_DIR"] = str(self.folder / ("x" * 100))
        self.check(shared=True, doctor=("sockets +/.*home/.cache/redraft/run .XDG_RUNTIME_DIR is not usable",))
        self.env["HOME"] = str(self.folder / ("h" * 100))
        self.check(("cannot share.*too long for a folder with sockets",), ("sockets +none: .*too long",))

    # The system

    def test_no_inotify(self):
        prefix = after("echo 0 > /proc/sys/user/max_inotify_instances")
        self.need(prefix)
        self.check(("max_user_instances",), ("changes +the system does not report changed files.*max_user_instances",),
                   prefix, shared=True)

    def test_a_container_without_proc(self):
        namespaces = (*NAMESPACES, "--pid", "--fork")
        prefix = (*namespaces, "sh", "-c", 'mount -t tmpfs none /proc && mount -t tmpfs none /sys && "$@"; exit $?', "sh")
        self.need(prefix)
        self.check((), ("processes +/proc is missing",), prefix, shared=True)

    @unittest.skipUnless(LIBRARY, "REDRAFT_NETWORK_HOME_LIBRARY must name the library")
    def test_a_home_on_a_slow_network(self):
        self.env.update(LD_PRELOAD=LIBRARY, REDRAFT_NETWORK_HOME=str(self.home), REDRAFT_NETWORK_DELAY_MS="50")
        self.check(shared=True)

    @unittest.skipUnless(LIBRARY, "REDRAFT_NETWORK_HOME_LIBRARY must name the library")
    def test_a_home_on_a_network_that_has_forgotten_it(self):
        self.env.update(LD_PRELOAD=LIBRARY, REDRAFT_NETWORK_HOME=str(self.home), REDRAFT_NETWORK_STALE="1")
        self.check(("cannot share.*[Ss]tale",), ("cache +cannot be written: .*[Ss]tale",),
                   index_says="the index is kept in memory only: .*[Ss]tale")

    def test_a_workspace_that_cannot_be_read(self):
        """It is on a file system that has gone, as far as the server can tell."""
        shutil.rmtree(self.workspace)
        self.workspace.mkdir()
        gone = Session([REDRAFT, "lsp", "--target", str(self.model), "--no-share"], self.env, self.workspace / "gone")
        self.assertEqual((gone.code, gone.errors), (0, []), gone.told)
        self.assertEqual(gone.end["state"], "done")

    def test_standard_error_that_nobody_reads(self):
        """An editor that has closed it: what is said there is lost, and nothing else."""
        ours, theirs = socket.socketpair()
        theirs.close()
        command = ["sh", "-c", 'exec "$@" 2>&-', "sh", REDRAFT, "lsp", "--no-share", "--target", str(self.model)]
        with ours:
            session = Session(command, self.env, self.workspace)
        self.assertEqual((session.code, session.errors), (0, []))
        self.assertEqual(session.end["state"], "done")


if __name__ == "__main__":
    unittest.main()
