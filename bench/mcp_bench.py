#!/usr/bin/env python3
"""How long `redraft mcp` takes from a call of edit_file to its answer: commits of real projects, each as the diff that git
would show, one call for each file.

    bench/mcp_bench.py --data commits_python.jsonl commits_go.jsonl [--limit N] [--dry-run]

Each line of the data is an object with the texts `before` and `after` and the path. Files of more than 2,000 lines are left
out. The time includes reading the file, the confined process, the checks and, without --dry-run, writing to the disk."""

import argparse
import difflib
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/mcp"))
from mcp_case import Client  # noqa: E402

MAX_LINES = 2000
SIZES = (200, 500, 1000, MAX_LINES + 1)


def tasks_of(files, limit):
    for file in files:
        taken = 0
        for line in file.read_text(encoding="utf-8").splitlines():
            task = json.loads(line)
            if taken < limit and task.get("before") and task.get("after") and task["before"].count("\n") <= MAX_LINES:
                taken += 1
                yield task


def diff_of(task):
    texts = (task[name].splitlines(keepends=True) for name in ("before", "after"))
    lines = difflib.unified_diff(*texts, "a/" + task["path"], "b/" + task["path"])
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def line(name, times):
    ordered = sorted(times)
    return (f"{name:>12} {len(times):5} files  median {statistics.median(ordered):6.1f} ms"
            f"  90 % {ordered[len(ordered) * 9 // 10]:6.1f} ms  longest {ordered[-1]:6.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=int, default=1000, help="tasks of each file")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    times, states = {size: [] for size in SIZES}, {}
    with tempfile.TemporaryDirectory() as folder:
        client = Client(folder)
        client.initialize()
        for task in tasks_of(arguments.data, arguments.limit):
            file = pathlib.Path(folder) / task["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(task["before"], encoding="utf-8")
            begin = time.perf_counter()
            result = client.call(path=task["path"], changes=diff_of(task), dry_run=arguments.dry_run)
            took = 1000 * (time.perf_counter() - begin)
            size = next(size for size in SIZES if task["before"].count("\n") < size)
            times[size].append(took)
            state = next((each["status"] for each in result["structuredContent"].get("files", [])), "failed")
            states[state] = states.get(state, 0) + 1
            file.unlink()
        client.close()
    begin = 0
    for size, taken in times.items():
        if taken:
            print(line(f"{begin}-{size - 1} lines", taken))
        begin = size
    print(line("all", sum(times.values(), [])))
    print(", ".join(f"{state}: {count}" for state, count in sorted(states.items())), f"  load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
