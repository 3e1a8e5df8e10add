#!/usr/bin/env python3
"""Runs llama.cpp's server and redraft on the same edits, taking turns for each task, and compares tokens per second.

    tools/compare_llama_server.py --data TASKS.jsonl [--limit N] [--out R.json] [--modes …] [--decoders …]

The same weights, the same prompts (redraft's own, sent as token ids), greedy, the same limit of new tokens, the same
threads. Every decode pays for its whole prompt. llama.cpp's decoding speed is what the server reports (its clock starts
with the first token, ours before it); wall time includes the prompt and, for the server, the request. Tokens a pass: for
the server, the number of tokens divided by those that were not accepted drafts.

Modes of the server are named KIND[:OPTION=VALUE]… here; each option corresponds to one of the server's:
    plain
    ngram-simple, ngram-map-k, ngram-map-k4v   n (--spec-KIND-size-n), m (size-m), hits (min-hits)
    ngram-mod                                  match, min, max
    ngram-cache
    draft, mtp                                 n (--spec-draft-n-max), p (--spec-draft-p-min)

A mode's server keeps running from task to task if memory allows. Servers listen only on the loopback address and end with
this script, however it ends. Without --llama-cpp, llama.cpp is built once into the cache directory (about 12 minutes on
two cores). It is not needed to use redraft.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

import machine_load
from llama_cpp import BUILD_TIME, LlamaCpp, PAUSE, ROOT, add_folder_option, fail, model_path
from llama_server import Mode, Server, ServerError, Servers, die_with_parent, result_of, room_for_servers

# The server's own presets, and shorter drafts, because a CPU pays for every row.
MODES = ["plain", "ngram-mod", "ngram-mod:match=8:min=4:max=12", "ngram-simple", "ngram-simple:n=4:m=8", "ngram-map-k",
         "ngram-map-k:n=4:m=8", "ngram-map-k4v", "ngram-cache", "draft:n=3", "draft:n=5", "draft:n=8"]
PLAIN = "ar"
DEFAULT = "redraft"
# redraft's speed over the server's without speculation, and over its best speculative mode's.
MARKS = {"plain": 4.5, "best": 2.5}
BUSY = 0.05  # share of the machine used by others above which a timing is doubtful


class Redraft:
    """`redraft bench edits --step-by-step`, which waits for us before each task."""

    def __init__(self, arguments):
        decoders = [name for name in dict.fromkeys([PLAIN, *arguments.decoders])]
        command = [str(arguments.redraft), "bench", "edits", "--step-by-step", "--decoders", ",".join(decoders), "--target",
                   arguments.model, "--draft", arguments.draft, "--threads", str(arguments.threads), "--context",
                   str(arguments.context)]
        for file in arguments.data:
            command += ["--data", str(file)]
        if arguments.limit:
            command += ["--limit", str(arguments.limit)]
        if arguments.max_new_tokens:
            command += ["--max-new-tokens", str(arguments.max_new_tokens)]
        self.decoders = decoders
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True, preexec_fn=die_with_parent)
        self.settings = self._next("settings")

    def _next(self, wanted):
        """The value of the next line; None if there is no further step."""
        line = self.process.stdout.readline()
        value = json.loads(line).get(wanted) if line else None
        if value is None and (line or wanted != "step" or self.process.wait()):
            fail(f"redraft did not answer with a {wanted}" + ("" if line else f"; exit code {self.process.wait()}"))
        return value

    def steps(self):
        while (step := self._next("step")) is not None:
            yield step

    def decode(self):
        """{decoder: result} of the current step."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        results = {}
        for decoder in self.decoders:
            record = self._next("record")
            results[decoder] = {
                "tokens": record["new_tokens"],
                "decode_seconds": record["decode_seconds"],
                "tokens_per_second": record["new_tokens"] / max(record["decode_seconds"], 1e-9),
                "prefill_seconds": record["prefill_seconds"],
                "prompt_tokens": record["prompt_tokens"],
                "wall_seconds": record["prefill_seconds"] + record["decode_seconds"],
                "passes": record["passes"],
                "accepted": sum(record["accepted_by_source"].values()),
                "as_plain": record["identical"],
                "output": record.get("tokens", []),
            }
        return results

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()


class Comparison:
    """Results by task, in the order in which they were run."""

    def __init__(self, redraft, servers, modes, request_seconds):
        self.redraft, self.servers, self.modes = redraft, servers, modes
        self.request_seconds = request_seconds
        self.tasks = []
        self.dropped = {}  # modes that this server cannot run, with the reasons

    def run(self, on_task):
        for number, step in enumerate(self.redraft.steps()):
            on_task(self._task(number, step))

    def _task(self, number, step):
        """Runs all engines on one task, starting with a different one each time."""
        turns = [None, *self.modes]
        first = number % len(turns)
        results = {}
        for mode in turns[first:] + turns[:first]:
            time.sleep(PAUSE)
            if mode is None:
                watch = machine_load.Watch(self.redraft.process.pid)
                ours = self.redraft.decode()
                others = watch.share_of_others()
                results.update({("redraft", name): {**result, "others": others} for name, result in ours.items()})
            elif mode.name not in self.dropped:
                self._complete(mode, step, results)
        plain = results.get(("llama.cpp", "plain"))
        for (engine, _), result in results.items():
            if engine == "llama.cpp":
                result["as_plain"] = plain is not None and result["text"] == plain["text"]
        task = {"id": step["id"], "prompt_tokens": len(step["prompt"]), "results": results,
                "engines_agree": plain is not None and agree(results["redraft", PLAIN]["output"], plain["output"])}
        self.tasks.append(task)
        return task

    def _complete(self, mode, step, results):
        try:
            server = self.servers.get(mode)
        except ServerError as problem:
            self.dropped[mode.name] = str(problem)
            print(f"{mode.name} is left out: {problem}", file=sys.stderr, flush=True)
            return
        watch = machine_load.Watch(server.process.pid)
        result = result_of(*server.complete(step, self.request_seconds))
        results["llama.cpp", mode.name] = {**result, "others": watch.share_of_others()}


def agree(ours, theirs):
    """Whether two outputs are equal up to the closing fence: one engine writes one token more."""
    shared = min(len(ours), len(theirs))
    return shared > 0 and max(len(ours), len(theirs)) - shared <= 2 and ours[:shared] == theirs[:shared]


def summarize(tasks):
    """A row for each mode that ran on all tasks, ours first; `faster` is redraft's rate divided by the mode's."""
    keys = list(dict.fromkeys(key for task in tasks for key in task["results"]))
    keys.sort(key=lambda key: key[0] != "redraft")
    rows = []
    for engine, mode in keys:
        results = [task["results"][engine, mode] for task in tasks if (engine, mode) in task["results"]]
        total = {key: sum(result[key] for result in results)
                 for key in ("tokens", "decode_seconds", "wall_seconds", "passes")}
        rows.append({"engine": engine, "mode": mode, "tasks": len(results), **total,
                     "tokens_per_second": total["tokens"] / max(total["decode_seconds"], 1e-9),
                     "mean_task_tokens_per_second": statistics.mean(result["tokens_per_second"] for result in results),
                     "wall_tokens_per_second": total["tokens"] / max(total["wall_seconds"], 1e-9),
                     "tokens_per_pass": total["tokens"] / max(total["passes"], 1),
                     "as_plain": sum(result["as_plain"] for result in results)})
    best = next((row for row in rows if row["engine"] == "redraft" and row["mode"] == DEFAULT), rows[0])
    for row in rows:
        row["faster"] = best["tokens_per_second"] / max(row["tokens_per_second"], 1e-9)
        row["faster_mean"] = best["mean_task_tokens_per_second"] / max(row["mean_task_tokens_per_second"], 1e-9)
        row["faster_wall"] = best["wall_tokens_per_second"] / max(row["wall_tokens_per_second"], 1e-9)
    return rows


def best_of(rows, wanted):
    """The fastest of the server's modes for which `wanted` is true."""
    chosen = [row for row in rows if row["engine"] == "llama.cpp" and wanted(Mode(row["mode"]))]
    return max(chosen, key=lambda row: row["tokens_per_second"], default=None)


def table(rows):
    """A Markdown table for documents."""
    best = best_of(rows, lambda mode: mode.is_ngram), best_of(rows, lambda mode: mode.uses_draft)
    width = max(len(f"{row['engine']} {row['mode']} *") for row in rows)
    head = ("tasks", "tokens/s", "mean of tasks", "with prompt", "tokens/pass", "redraft is", "as plain")
    lines = [f"| {'':{width}} | " + " | ".join(head) + " |",
             f"|{'-' * (width + 2)}|" + "|".join("-" * (len(word) + 1) + ":" for word in head) + "|"]
    for row in rows:
        name = f"{row['engine']} {row['mode']}" + (" *" if any(row is each for each in best) else "")
        cells = (f"{row['tasks']}", f"{row['tokens_per_second']:.1f}", f"{row['mean_task_tokens_per_second']:.1f}",
                 f"{row['wall_tokens_per_second']:.1f}", f"{row['tokens_per_pass']:.2f}", f"{row['faster']:.2f}x",
                 f"{row['as_plain']}/{row['tasks']}")
        lines.append(f"| {name:{width}} | "
                     + " | ".join(f"{cell:>{len(word)}}" for cell, word in zip(cells, head)) + " |")
    return "\n".join(lines) + "\n\n* the fastest of the n-gram modes, and of those with a draft model"


def verdict(rows):
    words = []
    for what, row, mark in (("its plain mode", best_of(rows, lambda mode: not mode.speculates), MARKS["plain"]),
                            ("its best speculative mode", best_of(rows, lambda mode: mode.speculates), MARKS["best"])):
        if row:
            words.append(f"{row['faster']:.2f} times {what}, {row['mode']} ({row['faster_mean']:.2f} by the mean of tasks; "
                         f"mark {mark})")
    return "redraft's tokens/s: " + "; ".join(words) if words else ""


def doubts(tasks):
    """A line about decodes that shared the machine with other processes; empty if there were none."""
    shares = [result["others"] for task in tasks for result in task["results"].values()]
    busy = sum(share > BUSY for share in shares)
    return (f"{busy} of {len(shares)} decodes had to share the machine (others took up to {max(shares):.0%} of it): "
            "their speeds are in doubt") if busy else ""


def report(comparison, arguments):
    """As JSON: everything but the outputs."""
    tasks = []
    for task in comparison.tasks:
        results = [{"engine": engine, "mode": mode,
                    **{key: value for key, value in result.items() if key not in ("text", "output")}}
                   for (engine, mode), result in task["results"].items()]
        tasks.append({**task, "results": results})
    keys = ("machine", "instructions", "threads", "data", "context", "max_new_tokens", "program")
    return {"model": model_path(arguments.model).name, "draft": model_path(arguments.draft).name,
            "servers_at_once": comparison.servers.at_once,
            **{key: comparison.redraft.settings.get(key) for key in keys}, "dropped": comparison.dropped,
            "summary": summarize(comparison.tasks), "tasks": tasks}


def keep(file, comparison, arguments):
    """Writes the file atomically, because it is read during a long run."""
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(report(comparison, arguments), indent=1) + "\n", encoding="utf-8")
    os.replace(part, file)


def show(task, number):
    figures = [f"{mode} {result['tokens_per_second']:.1f}" for (_, mode), result in task["results"].items()]
    print(f"{number} {task['id']}: {', '.join(figures)} tokens/s", file=sys.stderr, flush=True)


def words_of(text):
    return [word for word in text.split(",") if word]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, action="append", required=True, help="task files, as of redraft bench edits")
    parser.add_argument("--limit", type=int, help="tasks to run, from the first")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--draft", default="qwen2.5-coder-0.5b")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--modes", type=words_of, default=MODES, help="of the server, separated by commas")
    parser.add_argument("--decoders", type=words_of, default=[DEFAULT], help="redraft's, beside ar")
    parser.add_argument("--max-new-tokens", type=int)
    parser.add_argument("--context", type=int, default=8192, help="prompt and output together, of both")
    parser.add_argument("--at-once", type=int, help="servers at once (default: what memory has room for)")
    parser.add_argument("--request-seconds", type=float, default=1800, help="longest wait for one completion")
    parser.add_argument("--out", type=pathlib.Path, help="file for all figures as JSON, written after each task")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--redraft", type=pathlib.Path, default=ROOT / "build" / "redraft")
    add_folder_option(parser)
    parser.add_argument("--if-built", action="store_true", help="succeed with a message if the server is not built")
    parser.add_argument("--server", type=pathlib.Path, help="another llama-server")
    return parser.parse_args()


def server_program(arguments):
    """None if it is missing and optional."""
    if arguments.server:
        return arguments.server
    llama = LlamaCpp(arguments.llama_cpp)
    if not llama.server.exists():
        if arguments.if_built:
            print("llama.cpp's server is not built here, so there is no comparison: tools/compare_llama_server.py builds "
                  f"it ({BUILD_TIME}) and compares")
            return None
        llama.build("llama-server")
    return llama.server


def compare(arguments, program, modes):
    model, draft = model_path(arguments.model), model_path(arguments.draft)
    at_once = arguments.at_once or room_for_servers(model, draft if any(mode.uses_draft for mode in modes) else None)
    servers = Servers(lambda mode: Server(program, mode, model, draft, arguments.threads, arguments.context), at_once)
    redraft = None
    try:
        redraft = Redraft(arguments)
        comparison = Comparison(redraft, servers, modes, arguments.request_seconds)

        def on_task(task):
            show(task, len(comparison.tasks))
            if arguments.out:
                keep(arguments.out, comparison, arguments)

        comparison.run(on_task)
        return comparison
    finally:
        servers.stop()
        if redraft:
            redraft.stop()


def conclude(comparison, arguments):
    if arguments.format == "json":
        print(json.dumps(report(comparison, arguments)))
        return
    settings, rows = comparison.redraft.settings, summarize(comparison.tasks)
    same = sum(task["engines_agree"] for task in comparison.tasks)
    print(f"{model_path(arguments.model).name}, {settings['threads']} threads, {settings['machine']}, "
          f"{settings['instructions']}; decoding alone, in turn task by task\n")
    print(table(rows))
    print(f"\nplain outputs of the two engines that are the same: {same} of {len(comparison.tasks)}")
    print("\n".join(filter(None, (verdict(rows), doubts(comparison.tasks)))))


def main():
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that servers are stopped
    try:
        modes = [Mode(name) for name in dict.fromkeys(arguments.modes)]
    except ValueError as problem:
        fail(problem)
    if not arguments.redraft.exists():
        fail(f"{arguments.redraft} is missing; run `make build`")
    program = server_program(arguments)
    if program is None:
        return
    try:
        comparison = compare(arguments, program, modes)
    except KeyboardInterrupt:
        sys.exit(130)
    except ServerError as problem:
        fail(problem)
    if not comparison.tasks:
        fail("there was no task to run")
    conclude(comparison, arguments)


if __name__ == "__main__":
    main()
