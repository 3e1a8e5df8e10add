"""A working day in little: several editors share one real server while a program changes the workspace, clients are killed,
and so is the server. What it takes of memory, descriptors and disk stays within bounds, and all is answered.
    model_soak_test.py [SECONDS [SEED]]      an hour by default
The model is SmolLM2 135M where it is installed, otherwise a tiny one that is written for this; besides the clients here
Neovim edits a file, where tests/editors has installed it."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from lsp_client import Client, ResponseError

REDRAFT = os.environ["REDRAFT"]
HERE = pathlib.Path(__file__).resolve().parent
MODEL = "smollm2-135m"
CLIENTS, FILES, MAX_FILES = 3, 200, 400
CACHE_MEMORY = "64"  # MiB of what was read; it is full soon, and must not grow any more then
SAMPLE = 2  # seconds
LIMIT = 1800  # seconds for an answer; the machine may be busy with the others
MIB = 1 << 20
# Above what a server took once it had served for a third of its life.
MEMORY_GROWS, DESCRIPTORS_GROW = 96 * MIB, 24
DISK = 512 * MIB  # caches of an index of MAX_FILES small files, and of what was read
LOG = 3 * MIB
ALLOWED = {-32800, -32801, -32802, -32803}  # cancelled, changed meanwhile, refused: each says why
WORDS = ("value", "total", "width * height", "return ", "if ", "\n    ", "def area(width, height):\n    ", "# note\n", "naïve")


def log(*words):
    print(*words, flush=True)


class Gone(Exception):
    """The server, or this client's process, was killed."""


def some_code(chosen, number):
    return "".join(f"def area_{number}_{i}(width, height):\n    return width * height + {chosen.randrange(1000)}\n\n\n"
                   for i in range(chosen.randrange(1, 30)))


class Typist(threading.Thread):
    """One editor after another. `problems` are what must not happen."""

    def __init__(self, soak, number):
        super().__init__(daemon=True)
        self.soak, self.number = soak, number
        self.chosen = random.Random(soak.seed + number)
        self.answers, self.problems, self.client, self.most_files = {}, [], None, 0

    def run(self):
        while not self.soak.over.is_set():
            try:
                self.edit_for_a_while()
            except (Gone, BrokenPipeError):
                self.count("ended by a kill")
            except Exception as problem:  # whoever waits for this thread says so
                self.problems.append(f"client {self.number}: {type(problem).__name__}: {problem}"[:2000])
                return
            finally:
                if self.client:
                    self.client.close()

    def count(self, what):
        self.answers[what] = self.answers.get(what, 0) + 1

    def wait(self, what, wanted):
        try:
            return self.client.wait(wanted, limit=LIMIT)
        except AssertionError:
            if self.client.ended:
                raise Gone from None
            with self.client.changed:
                last = [json.dumps(message)[:300] for message in self.client.messages[-5:]]
            raise AssertionError("\n".join([f"waited {LIMIT} s for {what}; the last messages:", *last])) from None

    def ask(self, method, params):
        number = self.client.start_request(method, params)
        message = self.wait(f"the answer to {method}", lambda m: "method" not in m and m.get("id") == number)
        with self.client.changed:  # an hour's messages need not stay
            del self.client.messages[:-200]
        error = message.get("error")
        self.count(method if not error else f"{method}: {error['code']}")
        if error and error["code"] not in ALLOWED:
            raise ResponseError(error)
        return message.get("result")

    def edit_for_a_while(self):
        self.client = Client([REDRAFT, "lsp", *self.soak.options], env=self.soak.env)
        self.ask("initialize", {"processId": None, "rootUri": self.soak.workspace.as_uri(), "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        self.client.notify("initialized")
        self.names = 0
        for _ in range(self.chosen.randrange(5, 60)):
            if self.soak.over.is_set():
                break
            self.work_on_a_document()
            self.soak.over.wait(self.chosen.uniform(0, 2))  # the index works when nobody else does
        if self.chosen.random() < 0.5:
            self.client.process.kill()
            return
        self.ask("shutdown", None)
        self.client.notify("exit")
        code = self.client.exit_code(LIMIT)
        assert code == 0, f"exit code {code}"

    def work_on_a_document(self):
        self.names += 1
        uri = (self.soak.workspace / f"open_{self.number}_{self.names}.py").as_uri()
        text, version = some_code(self.chosen, self.names), 1
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        for _ in range(self.chosen.randrange(1, 12)):
            line = self.chosen.randrange(text.count("\n"))
            at = {"line": line, "character": 0}
            version += 1
            self.client.notify("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": at, "end": at}, "text": self.chosen.choice(WORDS)}]})
            what = self.chosen.random()
            if what < 0.5:
                self.ask("textDocument/inlineCompletion", {"textDocument": {"uri": uri}, "position": at,
                                                           "context": {"triggerKind": 2}})
            elif what < 0.65:
                self.ask("redraft/nextEdit", {"textDocument": {"uri": uri}})
            elif what < 0.85:
                self.edit(uri, version, line)
        index = self.ask("redraft/status", {})["index"] or {"state": "not begun", "files": 0}
        self.count(f"index {index['state']}")
        self.most_files = max(self.most_files, index["files"])
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def edit(self, uri, version, line):
        edit = self.ask("workspace/executeCommand", {"command": "redraft.edit", "arguments": [{
            "textDocument": {"uri": uri, "version": version}, "instruction": self.chosen.choice(("use area", "add a note")),
            "range": {"start": {"line": line, "character": 0}, "end": {"line": line + 2, "character": 0}},
            "maxNewTokens": 64}]})
        if not edit:
            return
        if self.chosen.random() < 0.3:
            self.ask("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [edit]})
        end = self.wait("the end of an edit", lambda m: m.get("method") == "$/redraft/edit" and m["params"]["kind"] == "end"
                        and m["params"]["editId"] == edit["editId"])["params"]
        assert end["state"] in ("done", "cancelled"), end
        self.count(f"edit {end['state']}")


class Soak:
    def __init__(self, folder, seconds, seed):
        self.folder, self.seconds, self.seed = folder, seconds, seed
        self.random, self.over = random.Random(seed), threading.Event()
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(("REDRAFT_LSP", "XDG_")) or name == "XDG_DATA_HOME"}
        models = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
        self.env.update(XDG_DATA_HOME=str(models), REDRAFT_LSP_IDLE_SECONDS="20", XDG_RUNTIME_DIR=str(folder / "run"))
        for name in ("CACHE", "STATE", "CONFIG"):
            self.env[f"XDG_{name}_HOME"] = str(folder / name.lower())
        (folder / "run").mkdir(mode=0o700)
        self.model = MODEL if any((models / "redraft/models").glob(f"{MODEL}*.gguf")) else self.tiny_model()
        self.options = ["--target", self.model, "--cache-memory", CACHE_MEMORY]
        self.samples, self.kills = {}, 0  # of each server: [(bytes, descriptors)]

    def tiny_model(self):
        file = self.folder / "tiny.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(file), "1", "last"], check=True)
        return str(file)

    def churn(self):
        """Another program writes, renames and removes files, sometimes many at once as a checkout does."""
        chosen, number = random.Random(self.seed - 1), 0
        while not self.over.wait(0.05):
            for _ in range(50 if chosen.random() < 0.02 else 1):
                files = list(self.workspace.glob("file_*.py"))
                number += 1
                if len(files) < FILES or (len(files) < MAX_FILES and chosen.random() < 0.4):
                    (self.workspace / f"file_{number}.py").write_text(some_code(chosen, number))
                elif chosen.random() < 0.6:
                    chosen.choice(files).write_text(some_code(chosen, number))
                elif chosen.random() < 0.5:
                    chosen.choice(files).rename(self.workspace / f"file_{number}_moved.py")
                else:
                    chosen.choice(files).unlink()

    def servers(self):
        """Of this folder: the processes that hold a model."""
        found = []
        for path in pathlib.Path("/proc").iterdir():
            try:
                if path.name.isdigit() and b"--attached-socket" in (path / "cmdline").read_bytes() \
                        and bytes(self.folder) in (path / "environ").read_bytes():
                    found.append(int(path.name))
            except OSError:
                pass
        return found

    def sample(self):
        for pid in self.servers():
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
                taken = int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) << 10, len(os.listdir(f"/proc/{pid}/fd"))
            except (OSError, TypeError):
                continue
            self.samples.setdefault(pid, []).append(taken)

    def disk(self):
        total = 0
        for name in ("cache", "state"):
            for path in (self.folder / name).rglob("*"):
                try:
                    total += path.stat().st_blocks * 512
                except OSError:  # it was just removed
                    pass
        return total

    def run(self):
        typists = [Typist(self, i) for i in range(CLIENTS)]
        churn = threading.Thread(target=self.churn, daemon=True)
        for thread in (churn, *typists):
            thread.start()
        neovim = self.start_neovim()
        began, next_kill, most = time.monotonic(), self.seconds / 3, 0
        while (passed := time.monotonic() - began) < self.seconds and not any(typist.problems for typist in typists):
            time.sleep(SAMPLE)
            self.sample()
            most = max(most, self.disk())
            if passed > next_kill and next_kill < self.seconds * 0.7:
                next_kill += self.seconds / 3
                for pid in self.servers():
                    os.kill(pid, 9)
                    self.kills += 1
        self.over.set()
        for thread in typists:
            thread.join(LIMIT)
        assert not any(thread.is_alive() for thread in typists), "a client never ends"
        self.report(typists, most)
        self.check(typists, most)
        self.end_neovim(neovim)

    def report(self, typists, most):
        answers = {}
        for typist in typists:
            for what, count in typist.answers.items():
                answers[what] = answers.get(what, 0) + count
        log(json.dumps({"model": self.model, "seconds": self.seconds, "servers killed": self.kills, "answers": answers,
                        "files in the index": max(typist.most_files for typist in typists), "disk KiB": most >> 10,
                        "servers (MiB, descriptors)": [
                            {"first": (few[0][0] // MIB, few[0][1]), "most": (max(b for b, _ in few) // MIB, max(d for _, d in few)),
                             "last": (few[-1][0] // MIB, few[-1][1])} for few in self.samples.values()]}, indent=1))

    def check(self, typists, most):
        problems = [problem for typist in typists for problem in typist.problems]
        assert not problems, "\n".join(problems)
        assert self.samples, "no server was seen"
        for taken in self.samples.values():
            third = len(taken) // 3
            if third < 5:  # it was not there for long
                continue
            before, after = taken[:third], taken[third:]
            for index, grows, what in ((0, MEMORY_GROWS, "memory"), (1, DESCRIPTORS_GROW, "descriptors")):
                first, later = max(one[index] for one in before), max(one[index] for one in after)
                assert later <= first + grows, f"{what} grows: {first}, later {later}"
        assert most < DISK, f"{most} bytes on disk"
        logs = self.folder / "state/redraft/lsp.log"
        assert logs.stat().st_size < LOG, "the log grows"
        text = logs.read_text(errors="replace")
        assert "Sanitizer" not in text and "runtime error" not in text, text[-3000:]

    # Neovim, if it is there

    def start_neovim(self):
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        if not (cache / "redraft/editors/bin/nvim").exists():
            log("Neovim is not installed: tests/editors/setup.sh neovim does it")
            return None
        folders = "\n".join(f"{name}={value}" for name, value in self.env.items()
                            if name.startswith("XDG_") or name == "REDRAFT_LSP_IDLE_SECONDS")
        env = {**os.environ, "REDRAFT_SOAK_SECONDS": str(self.seconds * 0.8), "REDRAFT_SOAK_FOLDERS": folders,
               "REDRAFT_SOAK_OPTIONS": "\n".join(self.options)}
        return subprocess.Popen([HERE.parent / "editors/run.sh", "neovim", "soak_test.lua"], env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    @staticmethod
    def end_neovim(process):
        if process:
            said, _ = process.communicate(timeout=LIMIT)
            log(said.decode(errors="replace"))
            assert process.returncode in (0, 77), "Neovim's part failed"

    def close(self):
        self.over.set()
        for pid in self.servers():
            os.kill(pid, 9)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    log(f"seed {seed}")
    folder = pathlib.Path(tempfile.mkdtemp()).resolve()
    soak = Soak(folder, seconds, seed)
    try:
        soak.run()
    finally:
        soak.close()
        shutil.rmtree(folder, ignore_errors=True)  # a server that was just killed may still write


if __name__ == "__main__":
    main()
