"""Random sessions, many requests: each is answered once, the server's text equals ours, and memory does not grow.
    soak_test.py [REQUESTS [SEED]]      100,000 by default
Changes, completions, code actions, streamed edits, next edits, cancels, renames, settings and nonsense come in random order
over documents with surrogates and mixed line endings. From time to time the test awaits all answers and edits the whole
document: the edits, applied to the test's text, must give the result of a plain replacement.
"""

import json
import os
import pathlib
import queue
import random
import re
import subprocess
import sys
import tempfile
import threading
import time


SERVER = os.environ["REDRAFT_SCRIPTED_SERVER"]
ANSWER_SECONDS = 60
MAX_WAITING = 24
SETTLED = 0.2  # after this share of the requests memory must not grow any more
MAY_GROW = 24 << 20
ENOUGH = 20_000  # how many requests allow a conclusion about memory
WORDS = ["old", "fresh", "x = 1", "def f():\n    ", "naïve", "🙂", "日本", "\n", "\r\n", "\t", "area = ", "(", ")", "\"", "# "]
SCRIPT = {"edits": [{"find": "old", "replace": "fresh"}], "fills": [{"after": "area = ", "write": "width * height"},
                                                                    {"after": "", "write": "pass\n"}]}
CAPABILITIES = {"textDocument": {"inlineCompletion": {}, "codeAction": {
    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}, "dataSupport": True,
    "resolveSupport": {"properties": ["edit"]}}}, "workspace": {"workspaceEdit": {"documentChanges": True}, "applyEdit": True}}


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


def place(text, index):
    """The LSP position of text[index]; \\r\\n, \\n and \\r end lines."""
    starts = [match.end() for match in re.finditer(r"\r\n|\n|\r", text[:index])]
    if index < len(text) and index > 0 and text[index - 1] == "\r" and text[index] == "\n":
        return place(text, index - 1)
    line_start = starts[-1] if starts else 0
    return {"line": len(starts), "character": utf16(text[line_start:index])}


class Server:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        script = pathlib.Path(self.folder.name) / "script.json"
        script.write_text(json.dumps(SCRIPT), encoding="utf-8")
        self.process = subprocess.Popen([SERVER, str(script), "--log-level", "off"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.answers = {}
        self.answered = set()
        self.events = queue.SimpleQueue()
        self.changed = threading.Condition()
        self.last_id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def answer(self, request):
        with self.changed:
            if not self.changed.wait_for(lambda: request in self.answers or self.process.poll() is not None, ANSWER_SECONDS):
                raise AssertionError(f"request {request} was not answered")
            return self.answers.pop(request)

    def _read(self):
        stream = self.process.stdout
        while line := stream.readline():
            length = int(line.split(b":")[1])
            stream.readline()
            message = json.loads(stream.read(length))
            if "method" not in message:
                with self.changed:
                    if message["id"] in self.answered:
                        message = {"twice": message}
                        self.answers[-1] = message
                    else:
                        self.answered.add(message["id"])
                        self.answers[message["id"]] = message
                    self.changed.notify_all()
            elif "id" in message:
                self.send({"id": message["id"], "result": {"applied": True}})
            else:
                self.events.put(message)

    def anonymous_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) << 10


class Session:
    def __init__(self, server, seed):
        self.server, self.random = server, random.Random(seed)
        self.texts, self.versions, self.waiting = {}, {}, []
        self.sent = self.names = 0
        self.actions = [(self.change, 40), (self.complete, 25), (self.act, 6), (self.edit, 4), (self.cancel, 6), (self.rename, 1),
                        (self.replace_all, 2), (self.next_edit, 5), (self.decide, 2), (self.status, 2),
                        (self.nonsense, 3), (self.settings, 1)]
        for _ in range(3):
            self.open()

    def open(self):
        self.names += 1
        uri = f"file:///tmp/soak/{self.names}.py"
        self.texts[uri] = "".join(self.random.choice(WORDS) for _ in range(self.random.randrange(40)))
        self.versions[uri] = 1
        self.server.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                     "text": self.texts[uri]}})

    def any(self):
        return self.random.choice(list(self.texts))

    def index(self, text):
        index = self.random.randrange(len(text) + 1)
        inside = 0 < index < len(text) and text[index - 1] == "\r" and text[index] == "\n"
        return index - 1 if inside else index

    def ask(self, method, params):
        self.waiting.append(self.server.ask(method, params))
        self.sent += 1

    def change(self):
        uri = self.any()
        text, changes = self.texts[uri], []
        for _ in range(self.random.choice((1, 1, 1, 3))):
            first = self.index(text)
            last = first if len(text) < 400 and self.random.random() < 0.7 else self.index(text)
            first, last = min(first, last), max(first, last)
            new = self.random.choice(WORDS) if len(text) < 3000 else ""
            changes.append({"range": {"start": place(text, first), "end": place(text, last)}, "text": new})
            text = text[:first] + new + text[last:]
        self.texts[uri] = text
        self.versions[uri] += 1
        self.server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]},
                                                      "contentChanges": changes})

    def replace_all(self):
        uri = self.any()
        self.texts[uri] = "".join(self.random.choice(WORDS) for _ in range(self.random.randrange(60)))
        self.versions[uri] += 1
        self.server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]},
                                                      "contentChanges": [{"text": self.texts[uri]}]})

    def complete(self):
        uri = self.any()
        at = place(self.texts[uri], self.index(self.texts[uri]))
        method = self.random.choice(("textDocument/inlineCompletion", "textDocument/completion"))
        self.ask(method, {"textDocument": {"uri": uri}, "position": at,
                          "context": {"triggerKind": self.random.choice((1, 2, 2, 2))}})

    def action_of(self, uri):
        request = self.server.ask("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": {"start": place("", 0), "end": place("", 0)},
            "context": {"diagnostics": [], "only": ["refactor.rewrite"]}})
        actions = self.server.answer(request)["result"]
        return next(action for action in actions if "data" in action)  # others make what an earlier edit left out

    def act(self):
        uri = self.any()
        action = self.action_of(uri)
        action["data"]["scope"] = "whole"
        self.ask("codeAction/resolve", action)

    def edit(self):
        self.ask("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": self.any()}, "instruction": "make it new"}]})

    def next_edit(self):
        self.ask("redraft/nextEdit", {"textDocument": {"uri": self.any()}})

    def decide(self):
        """For a next edit that may exist, or for one that never did."""
        command = self.random.choice(("redraft.nextEditAccepted", "redraft.nextEditRejected"))
        self.ask("workspace/executeCommand", {"command": command, "arguments": [
            {"id": self.random.randrange(-1, 40), "index": self.random.randrange(3)}]})

    def cancel(self):
        if self.waiting:
            self.server.notify("$/cancelRequest", {"id": self.random.choice(self.waiting)})

    def rename(self):
        uri = self.any()
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        del self.texts[uri], self.versions[uri]
        self.open()

    def status(self):
        self.ask("redraft/status", {})

    def nonsense(self):
        self.ask(self.random.choice(("no/such/method", "textDocument/completion", "codeAction/resolve")),
                 self.random.choice(({}, [], {"textDocument": 1}, {"position": {"line": -1}})))

    def settings(self):
        self.server.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"completion": {
            "delay": self.random.choice((0, 1, 20)), "alternatives": self.random.randrange(1, 4)}}}})

    def settle(self):
        for request in self.waiting:
            self.server.answer(request)
        self.waiting = []
        assert -1 not in self.server.answers, f"answered twice: {self.server.answers[-1]}"
        while not self.server.events.empty():
            self.server.events.get()

    def check_text(self):
        uri = self.any()
        action = self.action_of(uri)
        action["data"].update(scope="whole", doubtful=True)  # random text is never certain
        answer = self.server.answer(self.server.ask("codeAction/resolve", action))
        if "error" in answer:
            raise AssertionError(f"{answer['error']} for {self.texts[uri]!r}")
        edits = answer["result"]["edit"]["documentChanges"][0]["edits"]
        changed = apply_lsp(self.texts[uri], edits)
        expected = self.texts[uri].replace("old", "fresh")
        assert changed == expected, f"{self.texts[uri]!r} became {changed!r}"

    def step(self):
        action = self.random.choices([a for a, _ in self.actions], [w for _, w in self.actions])[0]
        action()
        if len(self.waiting) > MAX_WAITING:
            self.settle()
            if self.random.random() < 0.2:
                self.check_text()


def apply_lsp(text, edits):
    """Like apply_edits(), for a text in which a lone \\r ends lines too."""
    starts = [0] + [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]

    def index(at):
        if at["line"] >= len(starts):
            return len(text)
        i, units = starts[at["line"]], 0
        while units < at["character"]:
            units += utf16(text[i])
            i += 1
        return i

    for start, end, new in sorted(((index(e["range"]["start"]), index(e["range"]["end"]), e["newText"]) for e in edits),
                                  reverse=True):
        text = text[:start] + new + text[end:]
    return text


def main():
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f"seed {seed}", flush=True)
    server = Server()
    settled, began = None, time.monotonic()
    try:
        server.answer(server.ask("initialize", {"processId": None, "capabilities": CAPABILITIES}))
        server.notify("initialized", {})
        session = Session(server, seed)
        while session.sent < requests:
            session.step()
            if settled is None and session.sent > SETTLED * requests:
                session.settle()
                settled = server.anonymous_bytes()
        session.settle()
        session.check_text()
        grown = server.anonymous_bytes() - settled
        print(f"{session.sent} requests in {time.monotonic() - began:.0f} s, all answered once; anonymous memory "
              f"{server.anonymous_bytes() >> 20} MB, {grown / (1 << 20):+.1f} MB since {SETTLED:.0%} of them", flush=True)
        assert requests < ENOUGH or grown < MAY_GROW, "memory grows"
        server.answer(server.ask("shutdown", None))
        server.notify("exit", None)
        assert server.process.wait(120) == 0
    finally:
        server.process.kill()
        server.process.wait()


if __name__ == "__main__":
    main()
