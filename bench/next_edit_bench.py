#!/usr/bin/env python3
"""How long next edits take in an editor, on commits of several hunks.

    bench/next_edit_bench.py --data COMMITS.jsonl [--data …] [--program build/redraft] [--target NAME] [--limit N] [--seed S]
                             [--typed]

How good they are is measured by `redraft bench quality` (docs/lab/quality.md), which asks the same questions. Here they are put
to `redraft lsp` as an editor would, with the file as it was at the time:

within    after the first hunk, the first two, the first three
done      after the whole commit
recorded  after the file's previous commit (recent_edits)

With --typed the changes come as from a person: the last one is typed, five characters a second (of a longer one the last 40
characters, the rest is pasted), and each is followed by the pause after which editors ask. What the server does meanwhile is
not counted: the times and tokens are those of the request.
"""

import argparse
import difflib
import json
import pathlib
import random
import re
import shutil
import statistics
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

lsp_client.TIME_LIMIT = 300
KINDS = ("within", "done", "recorded")
PAUSE = 0.6  # seconds without a change, after which an editor asks
PER_CHARACTER = 0.2
MAX_TYPED = 40


def changes(before, after):
    """[(first line, lines removed, lines added)], ascending."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [(i, before[i:j], after[k:n]) for tag, i, j, k, n in matcher.get_opcodes() if tag != "equal"]


def steps_of(task):
    """The file's lines before the first hunk, after it, after two…"""
    before, after = task["before"].split("\n"), task["after"].split("\n")
    steps, shift = [before], 0
    for at, old, new in changes(before, after):
        lines = steps[-1]
        steps.append(lines[:at + shift] + new + lines[at + shift + len(old):])
        shift += len(new) - len(old)
    return steps


def without(lines, diff):
    """The text before a unified diff was applied; None if the diff does not fit."""
    lines = list(lines)
    for header, *_ in reversed([m.groups() for m in re.finditer(r"^@@ -\S+ \+(\d+)(,\d+)? @@", diff, re.M)]):
        body = diff[re.search(rf"^@@ -\S+ \+{header}(,\d+)? @@.*\n", diff, re.M).end():]
        old, new = [], []
        for line in body.splitlines():
            if line.startswith("@@"):
                break
            if line[:1] in ("-", " "):
                old.append(line[1:])
            if line[:1] in ("+", " "):
                new.append(line[1:])
        begin = int(header) - 1
        if lines[begin:begin + len(new)] != new:
            return None
        lines[begin:begin + len(new)] = old
    return lines


def common(old, new):
    """How many characters two texts begin with in common, and end with."""
    limit = min(len(old), len(new))
    begin = next((i for i in range(limit) if old[i] != new[i]), limit)
    end = next((i for i in range(limit - begin) if old[-1 - i] != new[-1 - i]), limit - begin)
    return begin, end


def position(text, offset):
    """In UTF-8, as agreed."""
    line = text.count("\n", 0, offset)
    return {"line": line, "character": len(text[text.rfind("\n", 0, offset) + 1:offset].encode())}


def span(text, begin, end):
    return {"start": position(text, begin), "end": position(text, end)}


class Editor:
    def __init__(self, options):
        self.typed = options.typed
        self.client = lsp_client.Client([options.program, "lsp", "--no-kv-cache", "--no-share", "--no-index", "--log-level", "error",
                                         *(["--target", options.target] if options.target else [])])
        self.client.request("initialize", {"processId": None, "capabilities": {
            "general": {"positionEncodings": ["utf-8"]}}})
        self.client.notify("initialized", {})
        self.documents = 0

    def typing(self, old, new, is_last):
        """The texts from `old` to `new`, each with the one before it, as they come into being."""
        if not self.typed or not is_last:
            yield new, old
            return
        begin, end = common(old, new)
        written = new[begin:len(new) - end]
        before = old
        for size in range(max(0, len(written) - MAX_TYPED), len(written) + 1):
            text = new[:begin] + written[:size] + new[len(new) - end:]
            if text != before:
                yield text, before
                time.sleep(PER_CHARACTER)
            before = text

    def ask(self, task, steps):
        """Changes the document from one text to the next, then asks. (whether there is a proposal, seconds, statistics or None)."""
        self.documents += 1
        uri = f"file:///{self.documents}/{pathlib.PurePath(task['path']).name}"
        self.client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": task["language"], "version": 1,
                                                                     "text": "\n".join(steps[0])}})
        texts = ["\n".join(lines) for lines in steps]
        version = 1
        for number, (old, new) in enumerate(zip(texts, texts[1:]), 2):
            for text, before in self.typing(old, new, is_last=number == len(texts)):
                version += 1
                begin, end = common(before, text)
                self.client.notify("textDocument/didChange", {
                    "textDocument": {"uri": uri, "version": version},
                    "contentChanges": [{"range": span(before, begin, len(before) - end), "text": text[begin:len(text) - end]}]})
            if self.typed:
                time.sleep(PAUSE)
        start = time.monotonic()
        answer = self.client.request("redraft/nextEdit", {"textDocument": {"uri": uri}})
        seconds = time.monotonic() - start
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return bool(answer["edits"]), seconds, answer["statistics"]


def questions(task):
    steps = steps_of(task)
    for n in range(1, min(4, len(steps) - 1)):
        yield "within", steps[:n + 1]
    yield "done", steps
    if task.get("recent_edits"):
        earlier = without(steps[0], task["recent_edits"][0]["diff"])
        if earlier and earlier != steps[0]:
            yield "recorded", [earlier, steps[0]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", action="append", required=True)
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--target")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--limit", type=int, default=40, help="questions of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--typed", action="store_true", help="the changes come at the pace of a person")
    options = parser.parse_args()
    try:
        tasks = [json.loads(line) for file in options.data for line in pathlib.Path(file).read_text("utf-8").splitlines()]
        tasks = [task for task in tasks if task["before"] and task["after"]]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        parser.error(f"--data: these are no commits, one JSON object a line with before and after: {problem}")
    if not shutil.which(options.program):
        parser.error(f"--program: {options.program} is not an executable; `make build` makes it")
    asked = {kind: [] for kind in options.kinds}
    for task in tasks:
        for kind, steps in questions(task):
            if kind in asked:
                asked[kind].append((task, kind, steps))
    editor = Editor(options)
    print(f"{'':10} {'asked':>6} {'proposed':>8} {'p50 s':>7} {'p90 s':>7} {'read':>6} {'rows':>6}")
    for kind in options.kinds:
        random.Random(options.seed).shuffle(asked[kind])
        proposed = 0
        times, read, rows = [], [], []
        for task, _, steps in asked[kind][:options.limit]:
            is_proposed, seconds, run = editor.ask(task, steps)
            proposed += is_proposed
            if run:
                times.append(seconds)
                read.append(run["promptTokens"] - run["cachedPromptTokens"])
                rows.append(run["rows"])
        slow = sorted(times) or [0]
        print(f"{kind:10} {len(asked[kind][:options.limit]):6} {proposed:8} {statistics.median(slow):7.2f} "
              f"{slow[int(0.9 * (len(slow) - 1))]:7.2f} {statistics.median(read or [0]):6.0f} {statistics.median(rows or [0]):6.0f}",
              flush=True)
    editor.client.close()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
