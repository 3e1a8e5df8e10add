#!/usr/bin/env python3
"""What indexing costs a user who works meanwhile: decoding speed, latency of keystrokes, memory and processor time.

    bench/serving_bench.py FOLDER [--program build/redraft] [--rounds 4]

Starts two language servers on the same machine, one without an index and one that indexes FOLDER into an empty cache, and
lets them edit in turn; the other one is stopped meanwhile. Indexing FOLDER should take a minute or more (100 MB of source
text).
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

lsp_client.TIME_LIMIT = 600
TEXT = "".join(f"def price_{i}(count, rate):\n    total = count * rate * {i}\n    return round(total, 2)\n\n\n" for i in range(12))
KEYSTROKES = 400


class Server:
    def __init__(self, program, folder, cache, *options):
        os.environ["XDG_CACHE_HOME"] = cache
        self.client = lsp_client.Client([program, "lsp", "--no-kv-cache", "--no-share", *options])
        self.client.request("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {
            "experimental": {"redraft": {"streamedEdits": True}}}})
        self.client.notify("initialized")
        self.version = 1
        self.uri = (folder / "serving bench.py").as_uri()
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "python", "version": 1, "text": TEXT}})

    def pause(self):
        self.client.process.send_signal(19)

    def go_on(self):
        self.client.process.send_signal(18)

    def indexing(self):
        index = self.client.request("redraft/status")["index"]
        return index is None or index["state"] != "ready"

    def edit(self, decoder):
        """Decoded tokens per second, and processor seconds per second."""
        busy, start = self.processor_seconds(), time.monotonic()
        edit = self.client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [{
            "textDocument": {"uri": self.uri, "version": self.version}, "decoder": decoder, "maxNewTokens": 160,
            "instruction": "round to three digits", "scope": "whole"}]})["editId"]
        end = self.client.wait(lambda m: m.get("method") == "$/redraft/edit" and m["params"]["editId"] == edit and
                               m["params"]["kind"] == "end", limit=600)["params"]
        spent = (self.processor_seconds() - busy) / (time.monotonic() - start)
        return end["statistics"]["tokensPerSecond"], spent

    def keystroke(self):
        """Milliseconds from a typed character to the answer of a request sent after it."""
        self.version += 1
        start = time.perf_counter()
        self.client.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"text": "#", "range": {"start": {"line": 0, "character": 0},
                                                       "end": {"line": 0, "character": 0}}}]})
        self.client.request("redraft/status")
        return 1e3 * (time.perf_counter() - start)

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.client.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_idle(self):
        before = -1
        while self.processor_seconds() - before > 0.05:
            before = self.processor_seconds()
            time.sleep(6)

    def own_megabytes(self):
        for line in pathlib.Path(f"/proc/{self.client.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1e3


def keystrokes(server):
    times = sorted(server.keystroke() for _ in range(KEYSTROKES))
    return f"median {times[len(times) // 2]:.2f} ms, 99 % {times[int(0.99 * len(times))]:.2f} ms"


def in_turn(rounds, one, other, measure):
    """Each server's measurements while the other one is stopped."""
    results = {one: [], other: []}
    for _ in range(rounds):
        for server, idle in ((one, other), (other, one)):
            idle.pause()
            results[server].append(measure(server))
            idle.go_on()
    return results[one], results[other]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    folder = options.folder.resolve()
    kept = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
    with tempfile.TemporaryDirectory() as empty:
        plain = Server(options.program, folder, kept, "--no-index")
        plain.edit("ar")  # loads the model
        indexed = Server(options.program, folder, empty)
        indexed.edit("ar")
        time.sleep(5)  # the files are found, and reading has started
        without, during = in_turn(options.rounds, plain, indexed, lambda server: server.edit("ar"))
        ratios = [b[0] / a[0] for a, b in zip(without, during)]
        print(f"still indexing: {indexed.indexing()}")
        print(f"plain decoding: {statistics.median(a[0] for a in without):.1f} tokens/s without an index, "
              f"{statistics.median(b[0] for b in during):.1f} while indexing: "
              f"{statistics.median(ratios):.3f} times (rounds {', '.join(f'{r:.3f}' for r in ratios)})")
        plain.pause()
        print(f"keystrokes while indexing: {keystrokes(indexed)}; still indexing: {indexed.indexing()}")
        print(f"memory of its own while indexing: {indexed.own_megabytes():.0f} MB")
        while indexed.indexing():
            time.sleep(1)
        indexed.wait_until_idle()  # it has merged and saved
        plain.go_on()
        print(f"memory of its own: {plain.own_megabytes():.0f} MB without an index, {indexed.own_megabytes():.0f} with")
        without, fast = in_turn(options.rounds, plain, indexed,
                                lambda server: server.edit("ar" if server is plain else "fastcoder"))
        print(f"processors busy: {statistics.median(a[1] for a in without):.2f} in plain decoding without an index, "
              f"{statistics.median(b[1] for b in fast):.2f} with fastcoder on the index")
        print(f"memory of its own: {plain.own_megabytes():.0f} MB without an index, {indexed.own_megabytes():.0f} with")
        for server in (plain, indexed):
            server.client.close()


if __name__ == "__main__":
    main()
