#!/usr/bin/env python3
"""Measures redraft on this machine: what passes cost, compared with llama.cpp, and the decoders on one real edit.

    tools/bench.py [--target NAME] [--threads 2] [--quick] [--llama-cpp FOLDER]

The comparison needs llama.cpp's build in the cache directory (tools/compare_llama_cpp.py makes it) or in --llama-cpp.
Comparing whole edits with llama.cpp's server (n-gram modes and draft model) takes hours: tools/compare_llama_server.py.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEMO = ROOT / "tests" / "cases" / "demo"
DECODERS = ["ar", "efficientedit", "efficientedit:reuse-only", "redraft"]


def heading(text):
    print(f"\n== {text}", flush=True)


def run(command):
    """Runs the command with its output in ours; an interrupt of the command ends this script the same way."""
    try:
        status = subprocess.run(command).returncode
    except KeyboardInterrupt:
        sys.exit(130)
    if status:
        sys.exit(status)


def measure_cost(arguments):
    heading("What a pass costs by its rows and context (redraft bench cost)")
    quick = ["--rows", "1,4,8,16,64", "--context", "0", "--samples", "3", "--time-limit", "30"] if arguments.quick else []
    run([arguments.redraft, "bench", "cost", "--target", arguments.target, "--threads", str(arguments.threads), *quick])


def compare(arguments):
    heading("Beside llama.cpp on the same file (tools/compare_llama_cpp.py)")
    quick = ["--rows", "1,4,8,16", "--prompts", "", "--rounds", "3", "--time-limit", "60"] if arguments.quick else []
    folder = ["--llama-cpp", arguments.llama_cpp] if arguments.llama_cpp else []
    run([sys.executable, str(ROOT / "tools" / "compare_llama_cpp.py"), "--model", arguments.target, "--threads",
         str(arguments.threads), "--if-built", *quick, *folder])


def edit(arguments, decoder):
    done = subprocess.run([arguments.redraft, "edit", str(DEMO / "inventory.py"), "--instruction",
                           (DEMO / "instruction.txt").read_text().strip(), "--target", arguments.target, "--threads",
                           str(arguments.threads), "--decoder", decoder, "--format", "json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{decoder}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure_decoders(arguments):
    heading(f"One edit (tests/cases/demo), best of {arguments.runs} runs of each decoder")
    print(f"{'decoder':26}{'tokens':>7}{'passes':>8}{'tokens/pass':>13}{'tokens/s':>10}{'speed-up':>10}  as plain")
    plain = None
    for decoder in DECODERS:
        runs = [edit(arguments, decoder) for _ in range(arguments.runs)]
        best = max(runs, key=lambda result: result["tokens_per_second"])
        plain = plain or best
        print(f"{decoder:26}{best['new_tokens']:7}{best['passes']:8}{best['tokens_per_pass']:13.2f}"
              f"{best['tokens_per_second']:10.1f}{best['tokens_per_second'] / plain['tokens_per_second']:9.2f}x"
              f"  {'yes' if best['output_sha256'] == plain['output_sha256'] else 'no'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--redraft", default=str(ROOT / "build" / "redraft"))
    parser.add_argument("--target", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="fewer points, in about two minutes")
    parser.add_argument("--llama-cpp", help="folder with llama.cpp's source and build")
    arguments = parser.parse_args()
    measure_cost(arguments)
    compare(arguments)
    measure_decoders(arguments)


if __name__ == "__main__":
    main()
