#!/usr/bin/env python3
"""What one small change costs in files of 300, 1,000 and 3,000 lines, as an edit of its definition and of the whole file.

    bench/edit_sizes_bench.py [--program build/redraft] [--target NAME] [--lines 300 1000 3000] [--scopes symbol whole]
                              [--minutes 15]

The files are made of this repository's own Python. `redraft lsp` renames a variable in the definition in the middle: once
in a file that the server has not seen (cold), and then once more, to another name (warm).
"""

import argparse
import pathlib
import re
import shutil
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

SOURCES = ("tools/*.py", "bench/*.py", "tests/lsp/*.py", "tests/cli/*.py", "tests/*/*.py")


def all_lines():
    paths = dict.fromkeys(path for pattern in SOURCES for path in sorted(REPOSITORY.glob(pattern)))
    return [line for path in paths for line in path.read_text("utf-8").splitlines()]


def file_of(lines, count):
    """The first `count` lines, without cutting a function in two, and (line of a definition in the middle, a variable in it)."""
    end = next((i for i in range(count, len(lines)) if lines[i].startswith(("def ", "class "))), len(lines))
    text = lines[:end]
    for start in sorted(range(end), key=lambda i: abs(i - end // 2)):
        if not re.match(r"def \w+\(", text[start]):
            continue
        stop = next((i for i in range(start + 1, end) if text[i] and not text[i][0].isspace()), end)
        body = "\n".join(text[start:stop])
        for name in re.findall(r"^    ([a-z_]{4,}) = ", body, re.M):
            if 10 <= stop - start <= 30 and len(re.findall(rf"\b{name}\b", body)) >= 3:
                return "\n".join(text) + "\n", start, name
    raise ValueError(f"there is no function to edit in the first {count} lines")


class Server:
    def __init__(self, options):
        lsp_client.TIME_LIMIT = 60 * options.minutes
        self.client = lsp_client.Client([options.program, "lsp", "--no-kv-cache", "--no-share", "--no-index", "--log-level", "error",
                                         *(["--target", options.target] if options.target else [])])
        self.client.request("initialize", {"processId": None, "capabilities": {
            "experimental": {"redraft": {"streamedEdits": True}}}})
        self.client.notify("initialized", {})
        self.documents = 0

    def open(self, text):
        self.documents += 1
        uri = f"file:///{self.documents}/all.py"
        self.client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                     "text": text}})
        return uri

    def edit(self, uri, line, scope, instruction):
        """Seconds to the first hunk and to the end, hunks, and the statistics."""
        start = time.monotonic()
        place = {"line": line, "character": 5}
        edit = self.client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [{
            "textDocument": {"uri": uri, "version": 1}, "range": {"start": place, "end": place}, "scope": scope,
            "instruction": instruction}]})["editId"]

        def of(kind):
            return lambda m: (m.get("method") == "$/redraft/edit" and m["params"]["editId"] == edit
                              and m["params"]["kind"] in kind)
        limit = lsp_client.TIME_LIMIT
        self.client.wait(of(("hunk", "end")), limit=limit)
        first = time.monotonic() - start
        end = self.client.wait(of(("end",)), limit=limit)["params"]
        whole = time.monotonic() - start
        hunks = sum(1 for event in self.client.all("$/redraft/edit") if event["editId"] == edit and event["kind"] == "hunk")
        if hunks:
            self.client.request("redraft/resolveEdit", {"editId": edit, "hunkIds": None, "action": "reject"})
        return first, whole, hunks, end["statistics"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--target")
    parser.add_argument("--lines", type=int, nargs="+", default=[300, 1000, 3000])
    parser.add_argument("--scopes", nargs="+", choices=("symbol", "file", "whole"), default=["symbol", "whole"])
    parser.add_argument("--minutes", type=int, default=15, help="that one edit may take")
    options = parser.parse_args()
    if not shutil.which(options.program):
        parser.error(f"--program: {options.program} is not an executable; `make build` makes it")
    lines = all_lines()
    print(f"{'lines':>6} {'scope':7} {'':5} {'first hunk s':>13} {'all s':>7} {'hunks':>6} {'read':>6} {'written':>8} "
          f"{'passes':>7} {'tokens/s':>9}")
    for count in options.lines:
        try:
            text, line, name = file_of(lines, count)
        except ValueError as problem:
            parser.error(str(problem))
        for scope in options.scopes:
            server = Server(options)
            server.edit(server.open("def f(x):\n    y = x\n    return y\n"), 0, "file", "return y + 1")  # loads the model
            uri = server.open(text)
            for state, new_name in (("cold", f"new_{name}"), ("warm", f"{name}_here")):
                instruction = f"Rename the variable `{name}` to `{new_name}` in the function in line {line + 1}."
                first, whole, hunks, run = server.edit(uri, line, scope, instruction)
                print(f"{text.count(chr(10)):6} {scope:7} {state:5} {first:13.2f} {whole:7.2f} {hunks:6} "
                      f"{run['prefilledTokens']:6} {run['newTokens']:8} {run['passes']:7} "
                      f"{run['newTokens'] / max(run['decodeSeconds'], 1e-9):9.0f}", flush=True)
            server.client.close()


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
