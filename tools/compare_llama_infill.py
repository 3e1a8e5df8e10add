#!/usr/bin/env python3
"""Completes the same places with redraft's language server and llama.cpp's /infill, in turn, and compares.

    tools/compare_llama_infill.py --data TASKS.jsonl [--data …] [--limit N] [--measure speed|quality] [--out R.json]

speed: the cost of a keystroke. Both engines have the text without the last character in their caches; then the character
is typed, and the time to the whole answer of up to 16 new tokens is measured, as a client sees it. Both get the same
text: up to --prefix-bytes before the place and --suffix-bytes after it. The request to redraft names another document,
so that it cannot carry its earlier answer forward. If the reference is one line, both stop at the end of the line.
quality: answers of up to 128 tokens compared with the reference: exact matches (ignoring blanks at both ends) and
similarity (difflib's ratio), given all of the text that each engine uses. redraft is asked as if by typing and,
once more, by an explicit request, for which it writes longer answers.

The same weights and threads, greedy. Tasks are those of `redraft bench completion`: prefix, suffix (or suffix_head),
reference. Without --llama-cpp, llama.cpp is built once into the cache directory (about 12 minutes on two cores).
"""

import argparse
import difflib
import json
import pathlib
import statistics
import subprocess
import sys
import threading
import time

from llama_cpp import BUILD_TIME, LlamaCpp, ROOT, add_folder_option, fail, model_path
from llama_server import Mode, Server, ServerError, die_with_parent

FEW_TOKENS, MANY_TOKENS = 16, 128
INVOKED, AUTOMATIC = 1, 2  # the protocol's InlineCompletionTriggerKind
MARK = 1.5  # the median of redraft's speed over the server's
ANSWER_SECONDS = 600
EXTENSIONS = {"python": "py", "cpp": "cpp", "javascript": "js", "typescript": "ts", "go": "go", "rust": "rs", "java": "java"}


class Redraft:
    """`redraft lsp` as a source of ghost text."""

    def __init__(self, program, model, threads, max_tokens, context_tokens):
        self.process = subprocess.Popen([str(program), "lsp", "--no-kv-cache", "--no-share", "--no-index", "--target", model, "--threads",
                                         str(threads), "--log-level", "error"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, preexec_fn=die_with_parent)
        self.last_id = 0
        settings = {"completion": {"maxTokens": max_tokens, "contextTokens": context_tokens, "delay": 0,
                                   "alternatives": 1}}
        self.request("initialize", {"processId": None, "initializationOptions": {"redraft": settings},
                                    "capabilities": {"textDocument": {"inlineCompletion": {}},
                                                     "general": {"positionEncodings": ["utf-8"]}}})
        self.notify("initialized", {})
        self.documents = 0

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        watchdog = threading.Timer(ANSWER_SECONDS, self.process.kill)
        watchdog.start()
        try:
            while True:
                message = self.read()
                if message.get("id") == self.last_id and "method" not in message:
                    break
        finally:
            watchdog.cancel()
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def read(self):
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                raise RuntimeError("redraft lsp ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def complete(self, language, before, behind, trigger=AUTOMATIC):
        """The answer for the place between the two texts, and the seconds that the request took."""
        self.documents += 1
        uri = f"file:///completion/{self.documents}.{EXTENSIONS.get(language, 'txt')}"
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1,
                                                              "text": before + behind}})
        place = {"line": before.count("\n"), "character": len(before[before.rfind("\n") + 1:].encode())}
        start = time.monotonic()
        items = self.request("textDocument/inlineCompletion", {"textDocument": {"uri": uri}, "position": place,
                                                               "context": {"triggerKind": trigger}})["items"]
        seconds = time.monotonic() - start
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        statistics_ = items[0]["data"]["statistics"] if items else None
        return {"text": items[0]["insertText"] if items else "", "seconds": seconds,
                "tokens": statistics_["newTokens"] if statistics_ else 0,
                "read": statistics_["prefilledTokens"] if statistics_ else 0}

    def stop(self):
        self.process.kill()
        self.process.wait()


class Llama:
    def __init__(self, program, model, threads, context):
        self.server = Server(program, Mode("plain"), model, None, threads, context)

    def complete(self, before, behind, max_tokens, stop):
        body = {"input_prefix": before, "input_suffix": behind, "n_predict": max_tokens, "temperature": 0, "top_k": 1,
                "cache_prompt": True, "stop": stop}
        start = time.monotonic()
        status, answer = self.server._request("POST", "/infill", json.dumps(body), ANSWER_SECONDS)
        seconds = time.monotonic() - start
        if status != 200:
            raise ServerError(f"llama-server answers {status}: {answer[:300].decode(errors='replace')}")
        answer = json.loads(answer)
        timings = answer.get("timings", {})
        return {"text": answer["content"], "seconds": seconds, "tokens": timings.get("predicted_n", 0),
                "read": timings.get("prompt_n", 0)}

    def stop(self):
        self.server.stop()


def tasks_of(arguments):
    for file in arguments.data:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        step = max(1, len(lines) // arguments.limit) if arguments.limit else 1
        for task in lines[::step][:arguments.limit]:
            suffix = task.get("suffix")
            yield {"file": file.stem, "id": task["id"], "language": task["language"], "prefix": task["prefix"],
                   "suffix": task["suffix_head"] if suffix is None else suffix, "reference": task["reference"]}


def cut(task, prefix_bytes, suffix_bytes):
    """Whole lines, except the line that contains the place."""
    before, behind = task["prefix"].encode(), task["suffix"].encode()
    if len(before) > prefix_bytes:
        before = before[before.find(b"\n", len(before) - prefix_bytes) + 1:]
    if len(behind) > suffix_bytes:
        behind = behind[:behind.rfind(b"\n", 0, suffix_bytes) + 1]
    return before.decode(errors="ignore"), behind.decode(errors="ignore")


def similarity(text, reference):
    return difflib.SequenceMatcher(None, text.strip(), reference.strip(), autojunk=False).ratio()


def measure_speed(redraft, llama, task, arguments):
    before, behind = cut(task, arguments.prefix_bytes, arguments.suffix_bytes)
    stop = ["\n"] if "\n" not in task["reference"].strip("\n") and before.rstrip(" \t")[-1:] != "\n" else []
    redraft.complete(task["language"], before[:-1], behind)
    ours = redraft.complete(task["language"], before, behind)
    llama.complete(before[:-1], behind, 1, [])
    return {"redraft": ours, "llama.cpp": llama.complete(before, behind, FEW_TOKENS, stop)}


def measure_quality(redraft, llama, task, _):
    place = (task["language"], task["prefix"], task["suffix"])
    return {"redraft": redraft.complete(*place), "by hand": redraft.complete(*place, trigger=INVOKED),
            "llama.cpp": llama.complete(task["prefix"], task["suffix"], MANY_TOKENS, [])}


def result_row(task, answers):
    row = {"file": task["file"], "id": task["id"]}
    for name, answer in answers.items():
        row[name] = {**{key: answer[key] for key in ("seconds", "tokens", "read")},
                     "exact": answer["text"].strip() == task["reference"].strip(),
                     "similarity": similarity(answer["text"], task["reference"])}
    return row


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def show(rows, measure):
    files = list(dict.fromkeys(row["file"] for row in rows))
    for file in files:
        chosen = [row for row in rows if row["file"] == file]
        print(f"\n{file}, {len(chosen)} places")
        for engine in list(chosen[0])[2:]:
            results = [row[engine] for row in chosen]
            if measure == "speed":
                seconds = [result["seconds"] for result in results]
                print(f"  {engine:9}  p50 {1000 * statistics.median(seconds):6.0f} ms  p90 "
                      f"{1000 * percentile(seconds, 0.9):6.0f} ms  {statistics.mean(r['read'] for r in results):5.1f} tokens "
                      f"read  {statistics.mean(r['tokens'] for r in results):5.1f} written")
            else:
                print(f"  {engine:9}  exact {statistics.mean(r['exact'] for r in results):.3f}  similarity "
                      f"{statistics.mean(r['similarity'] for r in results):.3f}")
        if measure == "speed":
            ratio = statistics.median(row["llama.cpp"]["seconds"] / row["redraft"]["seconds"] for row in chosen)
            medians = (statistics.median(row["llama.cpp"]["seconds"] for row in chosen)
                       / statistics.median(row["redraft"]["seconds"] for row in chosen))
            print(f"  redraft is {medians:.2f} times as fast by the medians, {ratio:.2f} by the median place (mark {MARK})")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--limit", type=int, help="places of each file, spread over it")
    parser.add_argument("--measure", choices=("speed", "quality"), default="speed")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prefix-bytes", type=int, default=1500)
    parser.add_argument("--suffix-bytes", type=int, default=240, help="about 64 tokens")
    parser.add_argument("--context-tokens", type=int, default=1000, help="of redraft's prompt")
    parser.add_argument("--out", type=pathlib.Path, help="file for all figures as JSON")
    parser.add_argument("--redraft", type=pathlib.Path, default=ROOT / "build" / "redraft")
    parser.add_argument("--server", type=pathlib.Path, help="another llama-server")
    add_folder_option(parser)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    program = arguments.server or LlamaCpp(arguments.llama_cpp).server
    if not program.exists():
        print(f"building llama.cpp's server ({BUILD_TIME})", file=sys.stderr)
        LlamaCpp(arguments.llama_cpp).build("llama-server")
    measure = measure_speed if arguments.measure == "speed" else measure_quality
    few = arguments.measure == "speed"
    redraft = Redraft(arguments.redraft, arguments.model, arguments.threads, FEW_TOKENS if few else MANY_TOKENS,
                      arguments.context_tokens)
    rows = []
    try:
        llama = Llama(program, model_path(arguments.model), arguments.threads, 8192)
        try:
            for task in tasks_of(arguments):
                rows.append(result_row(task, measure(redraft, llama, task, arguments)))
                print(f"{len(rows)} {task['id']}", end="\r", file=sys.stderr, flush=True)
                if arguments.out:
                    arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        finally:
            llama.stop()
    except ServerError as problem:
        fail(str(problem))
    finally:
        redraft.stop()
    print(f"{model_path(arguments.model).name}, {arguments.threads} threads, {arguments.measure}")
    show(rows, arguments.measure)


if __name__ == "__main__":
    main()
