#!/usr/bin/env python3
"""Measures the decoders on this machine: one real edit, each decoder in a process of its own, best of some runs."""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEMO = ROOT / "tests" / "cases" / "demo"
DECODERS = ["ar", "efficientedit", "efficientedit:reuse-only", "redraft"]


def edit(redraft, target, decoder):
    run = subprocess.run([redraft, "edit", str(DEMO / "inventory.py"), "--instruction",
                          (DEMO / "instruction.txt").read_text().strip(), "--target", target, "--decoder", decoder,
                          "--format", "json"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{decoder}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--redraft", default=str(ROOT / "build" / "redraft"))
    parser.add_argument("--target", default="qwen2.5-coder-1.5b")
    parser.add_argument("--runs", type=int, default=2)
    arguments = parser.parse_args()
    print(f"{'decoder':26}{'tokens':>7}{'passes':>8}{'tokens/pass':>13}{'tokens/s':>10}{'speed-up':>10}  as plain")
    plain = None
    for decoder in DECODERS:
        runs = [edit(arguments.redraft, arguments.target, decoder) for _ in range(arguments.runs)]
        best = max(runs, key=lambda result: result["tokens_per_second"])
        plain = plain or best
        print(f"{decoder:26}{best['new_tokens']:7}{best['passes']:8}{best['tokens_per_pass']:13.2f}"
              f"{best['tokens_per_second']:10.1f}{best['tokens_per_second'] / plain['tokens_per_second']:9.2f}x"
              f"  {'yes' if best['output_sha256'] == plain['output_sha256'] else 'no'}", flush=True)


if __name__ == "__main__":
    main()
