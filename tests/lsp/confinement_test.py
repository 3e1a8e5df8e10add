"""The server has given up what it does not need: it starts nothing, connects to nothing and writes in its own folders
alone, and does everything all the same. What somebody would try who had taken it over is in tests/kit/outside_attempts."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import unittest

from lsp_client import TIME_LIMIT, Client, SocketClient
from server_case import INDEX_TIME_LIMIT, RENAME, SERVER, STREAMING, ServerTest, position

REDRAFT = os.environ.get("REDRAFT")
WRITE_MODEL = os.environ.get("REDRAFT_WRITE_MODEL")
CAPABILITIES = {**STREAMING, "textDocument": {"inlineCompletion": {}}}
REFUSED = {"EPERM", "EACCES"}
ALLOWED = {"workspace-read": {"ok"}, "await": {"ok"}, "look": {"ok", "EPERM"}}  # the last by the kernel's version
CODE = "".join(f"def area_{i}(width, height):\n    return width * height + {i}\n\n\n" for i in range(4))
# Seconds of a pass by its rows: so slow that what was read is worth keeping on disk.
COST = "1:0.02,8:0.08,64:2"


class Confined(ServerTest):
    def setUp(self):
        super().setUp()
        self.base = pathlib.Path(self.folder.name).resolve()
        for name in ("home", "workspace", "run"):
            (self.base / name).mkdir(mode=0o700)
        self.workspace, self.file = self.base / "workspace", self.base / "workspace" / "a.py"
        self.file.write_text(CODE)
        folders = {f"XDG_{name.upper()}_HOME": str(self.base / name) for name in ("cache", "state", "config", "data")}
        self.env = {**os.environ, **folders, "HOME": str(self.base / "home"), "XDG_RUNTIME_DIR": str(self.base / "run"),
                    "REDRAFT_PINNED_COST": COST}
        self.env.pop("REDRAFT_LSP_NO_CONFINEMENT", None)

    def attempts(self):
        return {"attempts": {"workspace": str(self.workspace), "home": str(self.base / "home")}}

    def serve(self, *options, edits=({"find": "width", "replace": "wide"},), **script):
        client = self.start(edits, initialize=False, options=options, env=self.env, **self.attempts(), **script)
        self.begin(client)
        return client

    def begin(self, client):
        self.skip_where_it_cannot_be(client.log.decode())
        self.initialize(client, CAPABILITIES, workspaceFolders=[{"uri": self.workspace.as_uri(), "name": "w"}])
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.file.as_uri(), "languageId": "python", "version": 1, "text": CODE}})

    def skip_where_it_cannot_be(self, log):
        found = re.search(r"confined: this process (.*(?:may write wherever|may start programs).*)", log)
        if found:
            self.skipTest(found[1])

    def complete(self, client, line, character):
        return client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": self.file.as_uri()}, "position": position(line, character),
            "context": {"triggerKind": 1}})["items"]

    def edit_all(self, client, **more):
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": self.file.as_uri()}, "instruction": "rename", "scope": "whole", **more}]})["editId"]
        self.assertEqual(self.end(client, edit)["state"], "done")
        return edit

    def outcomes(self, log):
        return dict(re.findall(r"attempt (\S+): (\S+)", log))

    def outcomes_of(self, client):
        client.wait_for_log(b"attempts: all made")
        self.skip_where_it_cannot_be(client.log.decode())
        return self.outcomes(client.log.decode())

    def assert_refused(self, outcomes):
        self.assertGreater(len(outcomes), 15)
        for name, outcome in outcomes.items():
            self.assertIn(outcome, ALLOWED.get(name, REFUSED), name)
        self.assertEqual(self.file.read_text(), CODE)
        self.assertEqual(list((self.base / "home").iterdir()), [])

    def leave(self, client):
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)


class WhatIsRefused(Confined):
    def test_everything_that_only_an_attacker_would_do(self):
        usage = self.base / "state" / "counts" / "usage.json"
        client = self.serve("--index", "--usage-file", str(usage), fills=[{"after": "", "write": "completed\n"}])
        self.assert_refused(self.outcomes_of(client))
        self.assertIn(b"confined: this process writes only below its own folders", client.log)
        edit = self.edit_all(client)
        self.assertGreater(len(self.events(client, edit, "hunk")), 3)
        client.request("redraft/resolveEdit", {"editId": edit, "hunkIds": None, "action": "accept"})
        self.assertIn("completed", self.complete(client, 1, 0)[0]["insertText"])
        self.wait_for_index(client, 1)
        (self.workspace / "b.py").write_text("b = 1\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": (self.workspace / "b.py").as_uri()}})
        self.wait_for_index(client, 2)
        self.leave(client)
        self.assertGreater(json.loads(usage.read_text())["hunksAccepted"], 0)

    def test_nothing_without_confinement(self):
        client = self.serve("--no-confinement")
        outcomes = self.outcomes_of(client)
        for name in ("run", "inet", "unix", "signal", "workspace-make", "workspace-change", "home-make"):
            self.assertEqual(outcomes[name], "ok", name)
        self.assertIn(b"this process is not confined", client.log)

    def test_of_a_server_that_clients_share(self):
        client = self.serve("--share", "--idle-seconds", "3")
        log = self.base / "state" / "redraft" / "lsp.log"
        self.until(lambda: log.exists() and "attempts: all made" in log.read_text(), "nothing was attempted")
        self.skip_where_it_cannot_be(log.read_text())
        self.assert_refused(self.outcomes(log.read_text()))
        self.edit_all(client)
        self.leave(client)

    def test_of_a_server_that_listens_on_a_port(self):
        command = [SERVER, self.write_script(RENAME, **self.attempts()), "--port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        token = pathlib.Path(process.stderr.readline().split(" is in ")[1].strip())
        client = SocketClient(socket.create_connection(("127.0.0.1", port)))
        self.addCleanup(client.close)
        self.initialize(client, CAPABILITIES, initializationOptions={"redraft": {"token": token.read_text().strip()}})
        self.open(client, CODE)
        log = ""
        while "attempts: all made" not in log:
            log += process.stderr.readline()
        self.skip_where_it_cannot_be(log)
        self.assert_refused(self.outcomes(log))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIME_LIMIT), 0)
        self.assertFalse(token.exists())

    def test_a_recording_and_a_trace_in_the_workspace_do_not_open_it(self):
        recording, trace = self.workspace / "recording", self.workspace / "trace"
        client = self.serve("--record", str(recording), "--trace-file", str(trace))
        self.assert_refused(self.outcomes_of(client))
        self.leave(client)
        self.assertIn("area_0", recording.read_text())
        self.assertTrue(json.loads(trace.read_text()))

    def test_a_crash_is_noted(self):
        notes = self.base / "state" / "elsewhere" / "crashes"
        client = self.serve("--crash-notes", str(notes), **self.hold())
        self.outcomes_of(client)
        client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": self.file.as_uri()}, "instruction": "rename", "scope": "whole"}]})
        client.notification("$/redraft/edit")
        client.process.send_signal(signal.SIGSEGV)
        self.assertEqual(client.exit_code(), -signal.SIGSEGV)
        self.assertEqual(len(notes.read_text().splitlines()), 1)


@unittest.skipUnless(REDRAFT and WRITE_MODEL, "REDRAFT and REDRAFT_WRITE_MODEL must name programs")
class Program(Confined):
    """The real server, with a tiny model that is written for this."""

    def setUp(self):
        super().setUp()
        self.model = self.base / "tiny.gguf"
        subprocess.run([WRITE_MODEL, str(self.model), "1", "last"], check=True)
        self.kept = self.base / "cache" / "redraft"

    def use(self, *options):
        client = Client([REDRAFT, "lsp", "--log-level", "info", "--target", str(self.model), *options], env=self.env)
        self.addCleanup(client.close)
        self.begin(client)
        self.edit_all(client)
        self.complete(client, 1, 7)
        index = client.request("redraft/status")["index"]
        end = time.monotonic() + INDEX_TIME_LIMIT
        while not (any(self.kept.glob("kv/*.kv")) and any(self.kept.glob("index/*/manifest")) and
                   index["state"] == "ready"):
            self.assertLess(time.monotonic(), end, f"{index}, {list(self.kept.rglob('*'))}")
            time.sleep(0.1)
            index = client.request("redraft/status")["index"]
        self.leave(client)
        return client

    def assert_kept(self):
        self.assertTrue((self.base / "state" / "redraft" / "usage.json").exists())
        self.assertEqual(sorted(self.workspace.iterdir()), [self.file])
        self.assertEqual(list((self.base / "home").iterdir()), [])

    def test_it_keeps_what_it_keeps(self):
        client = self.use("--no-share")
        client.wait_for_log(b"confined: this process")
        self.skip_where_it_cannot_be(client.log.decode())
        self.assert_kept()
        self.assertNotIn(b"ot kept", client.log)

    def test_and_where_it_is_shared(self):
        self.env["REDRAFT_LSP_IDLE_SECONDS"] = "1"
        self.use()
        self.until(lambda: not list((self.base / "run" / "redraft").iterdir()), "the shared server does not end")
        log = (self.base / "state" / "redraft" / "lsp.log").read_text()
        self.assertIn("confined: this process", log)
        self.assertNotIn("ot kept", log)
        self.assert_kept()

    def test_its_folders_may_be_links(self):
        (self.base / "disk" / "index").mkdir(parents=True, mode=0o700)
        self.kept.mkdir(parents=True, mode=0o700)
        (self.kept / "index").symlink_to(self.base / "disk" / "index")
        self.use("--no-share")
        self.assertTrue(any((self.base / "disk" / "index").iterdir()))

    def test_doctor_says_what_there_is(self):
        run = subprocess.run([REDRAFT, "doctor", "--quick", "--target", str(self.model)], env=self.env,
                             capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        (row,) = re.findall(r"^confined +(.*)$", run.stdout, re.MULTILINE)
        self.assertRegex(row, "Landlock|wherever its user may")
        self.assertRegex(row, "seccomp|may start programs")


if __name__ == "__main__":
    unittest.main()
