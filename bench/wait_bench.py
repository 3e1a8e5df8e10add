#!/usr/bin/env python3
"""How long a person waits for an edit, and how much the model reads for it, through the language server.

    bench/wait_bench.py FILE … [--program build/redraft] [--baseline OTHER] [--target NAME] [--limit 20] [--whole]

Each line of FILE is an edit that somebody made: JSON with "id", "before", "after" and "instruction" (or "subject"). The file
is opened as it was before, the cursor stands where the change begins, and the first line of the instruction is requested:

  cold       in a file that the server has not seen
  again      another instruction at the same place
  another    the instruction at another place of the same file
  announced  in a file that a new server has not seen, but the place was announced (redraft/prepare) and 5 s have passed,
             or all is read
  restarted  the first place again, with another instruction, after a restart of the server

For each the tokens that were read before the answer (exact with REDRAFT_PINNED_COST set), and the seconds to the first hunk,
from the end of reading to the first hunk, and to the end. An edit is cancelled at its first hunk unless --whole is given.
With --baseline both programs take turns, edit by edit, and the seconds to the first hunk are given as ratios too, in all and
after reading.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

lsp_client.TIME_LIMIT = 1200
ANNOUNCED_SECONDS = 5
IDLE_SECONDS = 1
ANOTHER_INSTRUCTION = "Add a comment that says what this is for."
SITUATIONS = ("cold", "again", "another", "announced", "restarted")
LANGUAGES = {"py": "python", "cc": "cpp", "h": "cpp", "js": "javascript", "ts": "typescript", "go": "go", "rs": "rust",
             "java": "java"}


def first_change(before, after):
    """The line where they begin to differ, and the column of its text."""
    old, new = before.split("\n"), after.split("\n")
    line = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)) - 1)
    return line, len(old[line]) - len(old[line].lstrip())


def other_place(before, line):
    """The middle of the file, or what is as far from `line`, where a text stands."""
    lines = before.split("\n")
    middle = (line + len(lines) // 2) % len(lines)
    order = sorted(range(len(lines)), key=lambda i: abs(i - middle))
    at = next((i for i in order if lines[i].startswith((" ", "\t")) and lines[i].strip()), middle)
    return at, len(lines[at]) - len(lines[at].lstrip())


class Server:
    """Runs of `redraft lsp`, one after the other, with a cache folder of their own."""

    def __init__(self, program, options):
        self.command = [program, "lsp", "--no-share", "--no-index", "--log-level", "error",
                        *(["--target", options.target] if options.target else []),
                        *(["--threads", str(options.threads)] if options.threads else [])]
        self.whole = options.whole
        self.n_files = 0
        self.folder = tempfile.TemporaryDirectory()
        self.start()

    def start(self):
        self.client = lsp_client.Client(self.command, env={**os.environ, "XDG_CACHE_HOME": self.folder.name})
        self.client.request("initialize", {"processId": None, "capabilities": {
            "general": {"positionEncodings": ["utf-32"]},
            "experimental": {"redraft": {"streamedEdits": True, "prepare": True}}}})
        self.client.notify("initialized", {})
        # Loads the model, and what every prompt begins with.
        self.edit(self.open("a = 1\nb = 2\n", "py"), (0, 0), "Rename a to c.", whole=True)

    def restart(self, remembering=False):
        """What was read is forgotten; `remembering`: but for what the server keeps on disk once it is idle."""
        kept = pathlib.Path(self.folder.name) / "redraft" / "kv"
        if remembering:
            while kept.exists() and time.time() - max(each.stat().st_mtime for each in (kept, *kept.iterdir())) < IDLE_SECONDS:
                time.sleep(0.1)
        self.stop()
        if not remembering:
            shutil.rmtree(kept, ignore_errors=True)
        self.start()

    def stop(self):
        self.client.request("shutdown")
        self.client.notify("exit")
        self.client.exit_code()
        self.client.close()

    def open(self, text, suffix, uri=None):
        self.n_files += 1
        uri = uri or f"file:///{self.n_files}/file.{suffix}"
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "version": 1, "languageId": LANGUAGES.get(suffix, suffix), "text": text}})
        return uri

    @staticmethod
    def place(uri, position):
        at = {"line": position[0], "character": position[1]}
        return {"textDocument": {"uri": uri, "version": 1}, "range": {"start": at, "end": at}}

    def announce(self, uri, position):
        """False if the server knows no such thing."""
        try:
            self.client.request("redraft/prepare", self.place(uri, position))
        except lsp_client.ResponseError:
            return False
        deadline = time.monotonic() + ANNOUNCED_SECONDS
        while time.monotonic() < deadline:
            if any(news["fraction"] >= 1 and news["uri"] == uri for news in self.client.all("$/redraft/prepare")):
                break
            time.sleep(0.02)
        return True

    def edit(self, uri, position, instruction, whole=None):
        began = time.monotonic()
        start = self.client.count()
        request = dict(self.place(uri, position), instruction=instruction)
        edit = self.client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [request]})["editId"]

        def mine(kinds):
            return lambda params: params["editId"] == edit and params["kind"] in kinds

        self.client.notification("$/redraft/edit", mine({"hunk", "end"}), start)
        first = time.monotonic() - began
        if not (self.whole if whole is None else whole):
            self.client.request("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": edit}]})
        end = self.client.notification("$/redraft/edit", mine({"end"}), start)
        if end["statistics"] is None:
            print(f"\nleft out: {end.get('error') or 'the edit failed'}", file=sys.stderr)
            return None
        told = end["statistics"]
        return {"read": told["promptTokens"] - told["cachedPromptTokens"], "prompt": told["promptTokens"], "first": first,
                "after": max(first - told["prefillSeconds"], 0.001), "all": time.monotonic() - began, "hunks": sum(1 for event in self.client.all("$/redraft/edit")
                                                              if mine({"hunk"})(event))}


def measure(server, task):
    before, suffix = task["before"], task["suffix"]
    place, instruction = first_change(before, task["after"]), task["instruction"]
    uri = server.open(before, suffix)
    found = {"cold": server.edit(uri, place, instruction),
             "again": server.edit(uri, place, ANOTHER_INSTRUCTION),
             "another": server.edit(uri, other_place(before, place[0]), instruction)}
    server.restart()
    uri = server.open(before, suffix)
    if server.announce(uri, place):
        found["announced"] = server.edit(uri, place, instruction)
    return {situation: edit for situation, edit in found.items() if edit}


def measure_restarted(server, tasks):
    """Edits the files, restarts, and edits them again; at the first place each."""
    places = [(f"file:///again/{i}/file.{task['suffix']}", task) for i, task in enumerate(tasks)]

    def edit_all(instruct):
        for uri, task in places:
            server.open(task["before"], task["suffix"], uri)
            yield server.edit(uri, first_change(task["before"], task["after"]), instruct(task))
    list(edit_all(lambda task: task["instruction"]))
    server.restart(remembering=True)
    return list(edit_all(lambda _: ANOTHER_INSTRUCTION))


def read_tasks(options):
    tasks = []
    for name in options.files:
        for line in pathlib.Path(name).read_text("utf-8").splitlines():
            task = json.loads(line)
            instruction = (task.get("subject") or task.get("instruction") or "").split("\n")[0].strip()
            n_lines = task["before"].count("\n") if task.get("before") else 0
            if not instruction or not task.get("after") or not options.min_lines <= n_lines <= options.max_lines:
                continue
            task["instruction"] = instruction
            task["suffix"] = pathlib.Path(task.get("path") or "file.py").suffix.lstrip(".")
            tasks.append(task)
    step = max(1, len(tasks) // options.limit)
    return tasks[::step][:options.limit]


def median(values):
    return statistics.median(values) if values else float("nan")


def print_table(results):
    names = list(results)
    print(f"{'':10}" + "".join(f" | {name[-28:]:^41}" for name in names))
    print(f"{'':10}" + f" | {'read':>6} {'(10 %':>6} {'90 %)':>6} {'first':>6} {'after':>6} {'all':>6}" * len(names))
    for situation in SITUATIONS:
        row = f"{situation:10}"
        for name in names:
            found = [each[situation] for each in results[name] if situation in each]
            read = sorted(each["read"] for each in found)
            if not read:
                row += f" | {'-':>6}" + " " * 35
                continue
            row += (f" | {median(read):6.0f} {read[len(read) // 10]:6} {read[-1 - len(read) // 10]:6} "
                    + " ".join(f"{median([each[time] for each in found]):6.2f}" for time in ("first", "after", "all")))
        if len(names) == 2:
            for time in ("first", "after"):
                ratios = [a[situation][time] / b[situation][time] for a, b in zip(*results.values())
                          if situation in a and situation in b]
                row += f" | {median(ratios):5.2f} x" if ratios else ""
        print(row)
    print("tokens read before the answer, seconds to the first hunk (or the end, if there is none) and to the end: medians")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--baseline", help="another redraft program to compare with")
    parser.add_argument("--target", help="a model; by default redraft's choice")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--limit", type=int, default=20, help="edits, evenly from the files")
    parser.add_argument("--min-lines", type=int, default=150)
    parser.add_argument("--max-lines", type=int, default=1500)
    parser.add_argument("--whole", action="store_true", help="edit to the end, not to the first hunk")
    parser.add_argument("--no-restart", action="store_true", help="leave the last row out")
    options = parser.parse_args()
    tasks = read_tasks(options)
    if not tasks:
        parser.error(f"no edit of a file of {options.min_lines} to {options.max_lines} lines in {', '.join(options.files)}")
    programs = [options.program] + ([options.baseline] if options.baseline else [])
    servers = {program: Server(program, options) for program in programs}
    results = {program: [] for program in programs}
    for i, task in enumerate(tasks):
        print(f"\r{i + 1} of {len(tasks)}: {task['id'][:60]:60}", end="", file=sys.stderr, flush=True)
        for program in programs:
            results[program].append(measure(servers[program], task))
    for program in [] if options.no_restart else programs:
        for found, restarted in zip(results[program], measure_restarted(servers[program], tasks)):
            if restarted:
                found["restarted"] = restarted
    print("\r" + " " * 80 + "\r", end="", file=sys.stderr)
    for server in servers.values():
        server.stop()
    print_table(results)


if __name__ == "__main__":
    main()
