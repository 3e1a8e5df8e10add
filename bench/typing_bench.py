#!/usr/bin/env python3
"""What a user who types sees of completion: how soon ghost text appears, and how much of it is right.

    bench/typing_bench.py [FILE …] [--program build/redraft] [--target NAME] [--places 6] [--characters 120] [--interval 180]

In each FILE (by default this repository's own Python), at places spread over it, the text that follows is removed and typed
again, a character every --interval milliseconds. After each character ghost text is requested, as editors do; if the next
character comes before the answer, the newer request wins.

  carried   answers that are the rest of an earlier answer: no forward pass
  model     answers that the model wrote
  late      no answer before the next character
  none      answers without text
"""

import argparse
import collections
import pathlib
import shutil
import sys
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

lsp_client.TIME_LIMIT = 120
KINDS = ("carried", "model", "none", "late")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".js": "javascript", ".ts": "typescript", ".go": "go", ".rs": "rust"}


class TimedClient(lsp_client.Client):
    """Records when each response came."""

    def __init__(self, command):
        self.times = {}
        self.arrived = threading.Condition()
        super().__init__(command)

    def _receive(self, message):
        with self.arrived:
            if "id" in message and "method" not in message:
                self.times[message["id"]] = time.monotonic()
                self.arrived.notify_all()
        super()._receive(message)

    def await_answer(self, request, until):
        """Whether it came."""
        with self.arrived:
            return self.arrived.wait_for(lambda: request in self.times, max(0, until - time.monotonic()))


class Typist:
    def __init__(self, options):
        self.options = options
        self.client = TimedClient([options.program, "lsp", "--no-kv-cache", "--no-share", "--no-index", "--log-level", "error",
                                   *(["--target", options.target] if options.target else [])])
        self.client.request("initialize", {"processId": None, "capabilities": {
            "general": {"positionEncodings": ["utf-32"]}, "textDocument": {"inlineCompletion": {}}},
            "initializationOptions": {"redraft": {"completion": {"delay": 0}}}})
        self.client.notify("initialized", {})
        self.documents = 0
        self.seconds = collections.defaultdict(list)  # by kind
        self.right = self.offered = 0  # characters

    def ask(self, uri, line, character):
        return self.client.start_request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": {"line": line, "character": character},
            "context": {"triggerKind": 2}})

    def type_at(self, path, offset):
        """Types the text after `offset`, up to the end of a line."""
        text = path.read_text("utf-8")
        end = text.find("\n", min(offset + self.options.characters, len(text) - 1))
        typed, rest = text[offset:end], text[end:]
        self.documents += 1
        uri = f"file:///{self.documents}/{path.name}"
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": LANGUAGES.get(path.suffix, "plaintext"), "version": 1, "text": text[:offset] + rest}})
        line = text.count("\n", 0, offset)
        character = offset - (text.rfind("\n", 0, offset) + 1)
        self.client.response(self.ask(uri, line, character))  # the file is read and the model loaded
        for i, key in enumerate(typed):
            start = time.monotonic()
            here = {"line": line, "character": character}
            self.client.notify("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": 2 + i},
                "contentChanges": [{"range": {"start": here, "end": here}, "text": key}]})
            line, character = (line + 1, 0) if key == "\n" else (line, character + 1)
            self.take(self.ask(uri, line, character), start, typed[i + 1:] + rest)
            time.sleep(max(0, start + self.options.interval / 1000 - time.monotonic()))
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def take(self, request, start, behind):
        if not self.client.await_answer(request, start + self.options.interval / 1000):
            self.seconds["late"].append(self.options.interval / 1000)
            return
        items = self.client.response(request)["items"]
        seconds = self.client.times[request] - start
        if not items:
            self.seconds["none"].append(seconds)
            return
        self.seconds["carried" if items[0]["data"]["carried"] else "model"].append(seconds)
        text = items[0]["insertText"]
        self.offered += len(text)
        self.right += next((i for i, (a, b) in enumerate(zip(text, behind)) if a != b), min(len(text), len(behind)))


def show(typist):
    count = sum(map(len, typist.seconds.values()))
    print(f"{count} characters typed, one every {typist.options.interval} ms; of the characters offered "
          f"{typist.right / max(typist.offered, 1):.0%} were typed next")
    for kind in KINDS:
        values = sorted(typist.seconds[kind])
        if not values:
            continue
        figures = "" if kind == "late" else "   ".join(
            f"p{share} {1000 * values[min(len(values) - 1, len(values) * share // 100)]:7.2f} ms" for share in (50, 90, 99))
        print(f"  {kind:8} {len(values):5} ({len(values) / count:4.0%})   {figures}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", type=pathlib.Path, nargs="*")
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--target")
    parser.add_argument("--places", type=int, default=6, help="in all")
    parser.add_argument("--characters", type=int, default=120, help="typed at each place, then to the end of the line")
    parser.add_argument("--interval", type=int, default=180, help="milliseconds from one character to the next")
    options = parser.parse_args()
    if not shutil.which(options.program):
        parser.error(f"--program: {options.program} is not an executable; `make build` makes it")
    files = options.files or [REPOSITORY / "tools" / "settings.py", REPOSITORY / "tools" / "run_tests.py"]
    for file in files:
        if not file.is_file() or file.stat().st_size < 2000:
            parser.error(f"{file} is no file of 2,000 bytes or more")
    typist = Typist(options)
    try:
        for place in range(options.places):
            path = files[place % len(files)]
            size = len(path.read_text("utf-8")) - options.characters
            typist.type_at(path, size * (place // len(files) + 1) // (options.places // len(files) + 2))
        show(typist)
    finally:
        typist.client.close()


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
