"""A system call of the server fails once: a full disk, a network folder that is lost, no descriptors left, a signal, a
write that is done in part. Whichever call it is, every request is answered or the server ends and says why; the files of
the user stay as they are; and the next server in the same folders does everything as if nothing had been.
    failing_calls_test.py [PART/OF]     a part of the calls, as 2/7 (default: all)

The server is the real one, with a tiny model that is written for this. Which calls there are is found by a run in which
none fails: each is named by its callers in the program, so it is found again whatever the threads do."""

import errno
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from enduring_session import EnduringSession  # noqa: E402

LIBRARY = os.environ["REDRAFT_FAILING_CALLS"]
SAVED = 15  # seconds after which what is not saved is not waited for
FILES = {f"f{i}.py": f"def area_{i}(width, height):\n    return width * height + {i}\n\n" * 4 for i in range(4)}
# So slow that what was read is worth keeping on disk.
COST = "1:0.02,8:0.08,64:2"
SHORT = 0  # done for one byte only
FAULTS = {
    "read": (errno.EIO, errno.EINTR, SHORT), "pread": (errno.EIO, errno.EINTR, SHORT),
    "write": (errno.ENOSPC, errno.EINTR, SHORT), "pwrite": (errno.ENOSPC, errno.EINTR, SHORT),
    "open": (errno.EMFILE, errno.EINTR), "openat": (errno.EMFILE, errno.ESTALE), "fopen": (errno.EMFILE,),
    "fsync": (errno.EIO,), "fdatasync": (errno.EIO,), "ftruncate": (errno.ENOSPC,), "rename": (errno.ESTALE,),
    "flock": (errno.ENOLCK, errno.EINTR), "mkdir": (errno.ENOSPC,), "unlink": (errno.EIO,), "mmap": (errno.ENOMEM,),
    "accept4": (errno.EMFILE,),
}
part, parts = 1, 1


def faults_of(call):
    return FAULTS[call.split()[0].removesuffix("64")]


class Place:
    """Folders of a user, with a workspace."""

    def __init__(self, path):
        self.path = path
        self.workspace = path / "workspace"

    def make(self):
        for name in ("home", "run", "workspace"):
            (self.path / name).mkdir(parents=True, mode=0o700)
        for name, text in FILES.items():
            (self.workspace / name).write_text(text)
        return self

    def copied_to(self, path):
        shutil.copytree(self.path, path)
        return Place(path)

    def environment(self, **more):
        folders = {f"XDG_{name.upper()}_HOME": str(self.path / name) for name in ("cache", "state", "config", "data")}
        return {**os.environ, **folders, "HOME": str(self.path / "home"), "XDG_RUNTIME_DIR": str(self.path / "run"),
                "REDRAFT_PINNED_COST": COST, **more}

    def has_saved(self):
        cache = self.path / "cache" / "redraft"
        return any(cache.glob("kv/*.kv")) and any(cache.glob("index/*/manifest"))

    def files(self):
        return {path.name: path.read_text() for path in self.workspace.iterdir()}


class Session(EnduringSession):
    """An editor that opens a file, edits it, saves another and leaves. `errors` are those of its requests, `written` what
    the model wrote."""

    def __init__(self, place, model, failed=None, **environment):
        super().__init__([os.environ["REDRAFT"], "lsp", "--no-share", "--target", str(model)],
                         env=place.environment(**environment))
        self.place, self.failed = place, failed
        self.written, self.index, self.ended = [], None, None
        with self:
            self.code = self.run()
            self.said = self.log()
        self.errors = [(method, error["message"]) for method, error in self.outcomes if error]

    def talk(self):
        self.request("initialize", {"processId": None, "rootUri": self.place.workspace.as_uri(), "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        self.client.notify("initialized")
        uri = (self.place.workspace / "f0.py").as_uri()
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "python", "version": 1, "text": FILES["f0.py"]}})
        self.client.notify("textDocument/didSave", {"textDocument": {
            "uri": (self.place.workspace / "f1.py").as_uri()}})
        edit = self.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri}, "instruction": "rename", "scope": "whole"}]})
        if edit:
            end = self.wait(lambda m: m.get("method") == "$/redraft/edit" and m["params"]["kind"] == "end")["params"]
            self.ended = end["state"], end["error"]
            self.written.append((end["statistics"] or {}).get("newTokens"))
            self.written += [p["newText"] for p in self.client.all("$/redraft/edit") if p["kind"] == "hunk"]
        answer = self.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": {"line": 1, "character": 29}, "context": {"triggerKind": 1}})
        self.written += [item["insertText"] for item in (answer or {}).get("items", [])]
        self.until_saved()
        self.request("shutdown")
        self.client.notify("exit")

    def until_saved(self):
        """What is kept on disk is written when nothing else is to be done."""
        end = time.monotonic() + SAVED
        while time.monotonic() < end:
            status = self.request("redraft/status")
            self.index = status and status["index"]
            ready = self.index and self.index["state"] == "ready"
            if ready and self.place.has_saved():
                break
            if self.failed and self.failed.exists():  # it may never be
                end = min(end, self.failed.stat().st_mtime - time.time() + time.monotonic() + 5)
            time.sleep(0.1)


class FailingCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        cls.model = cls.folder / "tiny.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(cls.model), "1", "last"], check=True)
        cls.count = itertools.count()

    def place(self, of=None):
        path = self.folder / f"place{next(self.count)}"
        return of.copied_to(path) if of else Place(path).make()

    def check_whole(self, session, reference=None):
        """A session in which nothing fails."""
        self.assertEqual((session.code, session.errors, session.ended), (0, [], ("done", None)), session.said)
        self.assertEqual((session.index["state"], session.index["files"]), ("ready", len(FILES)), session.said)
        if reference:
            self.assertEqual(session.written, reference.written)

    def calls(self, place):
        """The session, and the names of its calls."""
        names = self.folder / f"calls{next(self.count)}"
        session = Session(place, self.model, LD_PRELOAD=LIBRARY, REDRAFT_CALLS=str(names))
        self.check_whole(session)
        return session, sorted(set(names.read_text().splitlines()))

    def check_failing(self, place, call, fault, reference):
        failed = self.folder / f"failed{next(self.count)}"
        session = Session(place, self.model, failed, LD_PRELOAD=LIBRARY, REDRAFT_FAILING_CALL=call,
                          REDRAFT_FAILING_WITH=str(fault), REDRAFT_FAILED=str(failed))
        self.assertIn(session.code, (0, 1), f"ended by a signal: {session.said}")
        if session.code == 1:
            self.assertRegex(session.said, "(?i)error|fail|cannot", "it does not say why it ended")
        elif fault in (errno.EINTR, SHORT):  # no fault at all: whoever calls goes on
            self.check_whole(session, reference)
        elif session.ended == ("done", None) and not session.errors:
            self.assertEqual(session.written, reference.written)
        self.assertEqual(place.files(), FILES)
        self.check_whole(Session(place, self.model), reference)
        return (session.code, len(session.errors)) if failed.exists() else "not reached"

    def test_once_anywhere(self):
        first = self.place()
        reference, calls = self.calls(first)
        self.assertTrue(first.has_saved())
        again, later = self.calls(self.place(first))
        self.assertEqual(again.written, reference.written)
        self.assertEqual(len(reference.written), 2, "an edit and a completion")
        cases = [(None, call, fault) for call in calls for fault in faults_of(call)]
        cases += [(first, call, fault) for call in later if call not in calls for fault in faults_of(call)]
        ends = {}
        for of, call, fault in cases[part - 1::parts]:
            what = errno.errorcode.get(fault, "one byte only")
            with self.subTest(call=call, fault=what):
                place = self.place(of)
                end = self.check_failing(place, call, fault, reference)
                ends[end] = ends.get(end, 0) + 1
                shutil.rmtree(place.path)
        print(json.dumps({"calls": len(calls), "with what was saved": len(later), "cases": len(cases),
                          "(exit code, errors)": {str(end): n for end, n in ends.items()}}))
        self.assertLess(ends.get("not reached", 0), 1 + sum(ends.values()) / 5)


if __name__ == "__main__":
    if len(sys.argv) > 1 and "/" in sys.argv[1]:
        part, parts = (int(number) for number in sys.argv.pop(1).split("/"))
    unittest.main()
