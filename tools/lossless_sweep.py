#!/usr/bin/env python3
"""Edits real tasks with every strict decoder and compares each output with that of plain greedy decoding.

    tools/lossless_sweep.py --data FOLDER [--redraft build/redraft] [--tasks 20] [--json FILE]

FOLDER contains edit/canitedit.jsonl and the like: task files in the format of docs/lab/bench.md, which also
says where such tasks are published. The tasks come in a fixed order from several sets and languages.
Exit code 0: every output is identical; 1: one is not, or a run failed; 77: there are no task files.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLAIN = "ar"
STRICT = [
    "redraft", "sd", "ouroboros", "pld", "llma", "lookahead", "fastfixer", "copyspec", "copyspec+sd", "rest", "fastcoder",
    "efficientedit",
    "efficientedit:keep-correction",
    "efficientedit:reuse-only",
    "efficientedit:reuse-only:keep-correction",
]
SETS = [
    "canitedit", "commits_python", "commits_cpp", "commits_go", "commits_javascript",
    "commits_typescript", "commits_rust", "commits_java", "editeval", "humanevalfix",
]
SUFFIXES = {
    "python": ".py", "cpp": ".cpp", "go": ".go", "javascript": ".js", "js": ".js",
    "typescript": ".ts", "rust": ".rs", "java": ".java",
}


def instruction_of(task):
    for key in ("instruction", "instruction_descriptive", "instruction_lazy"):
        if task.get(key):
            return task[key].strip()
    return "Fix the bug."


def usable(task, max_chars):
    text = task.get("before")
    return isinstance(text, str) and 200 <= len(text) <= max_chars


def read_tasks(data, count, max_chars):
    """One task of each set in turn, so that even few tasks cover many languages."""
    sets = []
    for name in SETS:
        file = data / "edit" / f"{name}.jsonl"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        sets.append([task for task in map(json.loads, lines) if usable(task, max_chars)])
    tasks = []
    for rank in range(max(map(len, sets), default=0)):
        tasks += [tasks_of_set[rank] for tasks_of_set in sets if rank < len(tasks_of_set)]
    return tasks[:count]


def run_edit(arguments, file, task, decoder):
    command = [
        str(arguments.redraft), "edit", str(file), "--instruction", instruction_of(task),
        "--scope", "whole", "--decoder", decoder, "--format", "json",
        "--target", arguments.target, "--draft", arguments.draft,
        "--max-new-tokens", str(arguments.max_new_tokens),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
    if done.returncode != 0:
        raise RuntimeError(f"{decoder}: exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def sweep_task(arguments, folder, task):
    """One row for each decoder; a failed run is a row that is not identical."""
    file = folder / ("text" + SUFFIXES.get(task.get("language", ""), ".txt"))
    file.write_bytes(task["before"].encode("utf-8"))
    plain = run_edit(arguments, file, task, PLAIN)
    rows = [{"id": task["id"], "decoder": PLAIN, "identical": True, **figures(plain, plain)}]
    for decoder in arguments.decoders:
        row = {"id": task["id"], "decoder": decoder, "identical": False}
        try:
            result = run_edit(arguments, file, task, decoder)
            row["identical"] = all(
                result[key] == plain[key]
                for key in ("output_sha256", "text", "new_tokens", "finish_reason"))
            row.update(figures(result, plain))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            row["error"] = str(error)
        rows.append(row)
    return rows


def figures(result, plain):
    keys = ("new_tokens", "passes", "rows", "tokens_per_pass", "decode_seconds", "output_sha256")
    row = {key: result[key] for key in keys}
    row["speedup"] = plain["decode_seconds"] / max(result["decode_seconds"], 1e-9)
    return row


def report(rows, decoders):
    print(f"{'decoder':44} {'identical':>10} {'tokens/pass':>12} {'rows/pass':>10} {'speed-up':>9}")
    for decoder in [PLAIN, *decoders]:
        of_decoder = [row for row in rows if row["decoder"] == decoder]
        done = [row for row in of_decoder if "passes" in row]
        total = {key: sum(row[key] for row in done)
                 for key in ("new_tokens", "passes", "rows", "decode_seconds")}
        ids = {row["id"] for row in done}
        plain = sum(row["decode_seconds"] for row in rows
                    if row["decoder"] == PLAIN and row["id"] in ids)
        identical = sum(row["identical"] for row in of_decoder)
        print(f"{decoder:44} {identical:>6}/{len(of_decoder):<3} "
              f"{total['new_tokens'] / max(total['passes'], 1):>12.2f} "
              f"{total['rows'] / max(total['passes'], 1):>10.2f} "
              f"{plain / max(total['decode_seconds'], 1e-9):>8.2f}x")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--redraft", type=pathlib.Path, default=ROOT / "build" / "redraft")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder of task files")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--skip", type=int, default=0, help="tasks to leave out at the beginning")
    parser.add_argument("--decoders", type=lambda names: names.split(","), default=STRICT,
                        help="comma-separated; all strict ones by default")
    parser.add_argument("--max-chars", type=int, default=3000, help="longest text before")
    parser.add_argument("--max-new-tokens", type=int, default=1200)
    parser.add_argument("--target", default="qwen2.5-coder-1.5b")
    parser.add_argument("--draft", default="qwen2.5-coder-0.5b")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one edit")
    parser.add_argument("--json", type=pathlib.Path, help="write every run there")
    arguments = parser.parse_args()
    tasks = read_tasks(arguments.data, arguments.skip + arguments.tasks, arguments.max_chars)[arguments.skip:]
    if not tasks:
        print(f"skipped: no edit tasks under {arguments.data}/edit")
        return 77
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, task in enumerate(tasks, 1):
            try:
                of_task = sweep_task(arguments, pathlib.Path(folder), task)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                of_task = [{"id": task["id"], "decoder": PLAIN, "identical": False, "error": str(error)}]
            rows += of_task
            wrong = [row for row in of_task if not row["identical"]]
            print(f"{number}/{len(tasks)} {task['id']}: {'identical' if not wrong else 'DIFFERENT'}", flush=True)
            for row in wrong:
                print(f"  {row['decoder']}: {row.get('error', 'another output')}", flush=True)
    report(rows, arguments.decoders)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["identical"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
