#!/usr/bin/env python3
"""Measures renames by the syntax tree: `redraft edit FILE "rename a to b"` at random names of files, beside the same rename by
a language server that knows the whole language.

    bench/rename_bench.py --server "clangd --compile-commands-dir=build" --language cpp --names 500 FILE…
    bench/rename_bench.py --server jedi-language-server --language python --names 500 FILE…
    bench/rename_bench.py --server rust-analyzer --language rust --root CRATE --wait 60 CRATE/src/*.rs
    bench/rename_bench.py --server "typescript-language-server --stdio" --language typescript --names 500 FILE…

Only names that the server renames count. No model is loaded: what the tree does not know counts as "to the model", also what
is refused. Compared are the names of the file outside of comments and strings. Where redraft shows no doubt, every difference
is printed, to be judged by a person, and so is "others": the file is the same, but the server also changes other files.
--doubted prints the differences with a doubt, too, and --doubts the doubts where nothing differs. --seed S takes other names."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

NEW = "fresh_name_of_it"
NAME = re.compile(r"[A-Za-z_]\w*")
C_TEXT = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
TEXT = {"python": re.compile(r"#[^\n]*|'''.*?'''|\"\"\".*?\"\"\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)}
OTHER_TEXT = re.compile(C_TEXT, re.S)
PREFERENCES = {"preferences": {"providePrefixAndSuffixTextForRename": True}}


class Server:
    """A language server, asked one thing at a time."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.number = 0
        root = folder.resolve().as_uri()
        capabilities = {"textDocument": {"rename": {}}, "workspace": {"workspaceFolders": False}}
        self.request("initialize", {"processId": os.getpid(), "rootUri": root, "capabilities": capabilities,
                                    "initializationOptions": PREFERENCES})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        if length == 0:
            sys.exit("rename_bench: the language server ended")
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message and "id" in message:  # it asks for settings
                items = (message.get("params") or {}).get("items", [])
                self.send({"id": message["id"], "result": [None] * len(items)})
            elif message.get("id") == self.number:
                return message.get("result")

    def renamed(self, uri, text, line, character):
        """The text with the new name, and which other files get it; None if the server renames nothing there."""
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, "newName": NEW}
        result = self.request("textDocument/rename", place) or {}
        changes = dict(result.get("changes") or {})
        for change in result.get("documentChanges") or []:
            if "textDocument" in change:
                changes.setdefault(change["textDocument"]["uri"], []).extend(change["edits"])
        edits = changes.pop(uri, [])
        starts = [0] + [match.end() for match in re.finditer("\n", text)]

        def offset(position):
            return starts[position["line"]] + position["character"]

        for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
            text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
        return (text, sorted(changes)) if edits else None


def without_texts(text, language):
    return TEXT.get(language, OTHER_TEXT).sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def names_of(text, language):
    return NAME.findall(without_texts(text, language))


def by_tree(redraft, environment, file, name, line, character):
    place = f"{line + 1}:{character + 1}-{line + 1}:{character + 1}"
    command = [redraft, "edit", str(file), f"rename {name} to {NEW}", "--range", place, "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def difference(ours, theirs):
    """The first lines that differ; a rename moves none."""
    pairs = zip(ours.split("\n"), theirs.split("\n"))
    lines = [f"\n    {number} {pair[0].strip()[:100]}\n    {' ' * len(str(number))} {pair[1].strip()[:100]}"
             for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]]
    return f"{len(lines)} lines" + "".join(lines[:3])


class Comparison:
    """What redraft renames, beside what the server does."""

    def __init__(self, language, shown):
        self.language = language
        self.shown = shown  # the verdicts that are printed
        self.counts = collections.Counter()

    def add(self, place, ours, theirs):
        if ours is None:
            return self.count("to the model", place, "")
        text, others = theirs
        what = ""
        verdict = "the same"
        if names_of(ours["text"], self.language) != names_of(text, self.language):
            verdict, what = "different", difference(without_texts(ours["text"], self.language),
                                                    without_texts(text, self.language))
        elif others and not ours["doubts"]:
            verdict, what = "others", f"{len(others)} other files, as {others[0]}"
        if ours["doubts"]:
            verdict += ", doubted"
            what += "".join(f"\n    {doubt}" for doubt in ours["doubts"])
        return self.count(verdict, place, what)

    def count(self, verdict, place, what):
        self.counts[verdict] += 1
        if verdict in self.shown:
            print(f"{verdict}: {place}: {what}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--language", required=True, help="LSP's id")
    parser.add_argument("--names", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", type=pathlib.Path, help="the server's workspace (default: what the files have in common)")
    parser.add_argument("--wait", type=float, default=0, help="seconds until the server has read the workspace")
    parser.add_argument("--doubted", action="store_true", help="print differences with a doubt, too")
    parser.add_argument("--doubts", action="store_true", help="print the doubts where nothing differs")
    parser.add_argument("--redraft", default=str(pathlib.Path(__file__).resolve().parent.parent / "build" / "redraft"))
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    random.seed(options.seed)
    texts = {file.resolve(): file.read_text() for file in options.files}
    texts = {file: text for file, text in texts.items() if text.isascii() and names_of(text, options.language)}
    common = pathlib.Path(os.path.commonpath([file.parent for file in texts]))
    server = Server(options.server, options.root or common)
    time.sleep(options.wait)
    shown = ["different", "others"] + ["different, doubted"] * options.doubted + ["the same, doubted"] * options.doubts
    comparison = Comparison(options.language, shown)
    opened = set()
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "XDG_DATA_HOME": empty}  # where no model is
        for _ in range(options.names):
            file, text = random.choice(list(texts.items()))
            match = random.choice(list(NAME.finditer(without_texts(text, options.language))))
            line = text.count("\n", 0, match.start())
            character = match.start() - (text.rfind("\n", 0, match.start()) + 1)
            if file not in opened:
                opened.add(file)
                server.send({"method": "textDocument/didOpen", "params": {"textDocument": {
                    "uri": file.as_uri(), "languageId": options.language, "version": 1, "text": text}}})
            theirs = server.renamed(file.as_uri(), text, line, character)
            if theirs is None:  # a keyword, a name of a library
                continue
            ours = by_tree(options.redraft, environment, file, match.group(), line, character)
            comparison.add(f"{file}:{line + 1}:{character + 1} {match.group()}", ours, theirs)
    server.process.kill()
    for verdict, count in comparison.counts.most_common():
        print(f"{count:6} {verdict}")


if __name__ == "__main__":
    main()
