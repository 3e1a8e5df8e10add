#!/usr/bin/env python3
"""Edits by servers of other engines, side by side: how much faster a server writes with drafts, and whether it writes the same.

    bench/remote_bench.py FILE --server plain=http://127.0.0.1:8000 --server drafts=http://127.0.0.1:8001 [--limit 20]
                          [--descriptive] [--scope whole] [--program build/redraft] [--out RESULTS]

Each line of FILE is a task as in CanItEdit: JSON with "id", "before" and "instruction_lazy" or "instruction". Every task is
edited by each server in turn with `redraft edit --remote`. The first server is the one that the others are compared with; it
is asked twice, because a server may not write the same twice. `--out` keeps what each task took, as JSON lines.

Speed-up: of the time from the first to the last token, and of the whole request, summed over all tasks. Steps: events of the
stream, which a server sends one a step. Same: answers that are, byte for byte, the first server's first one.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ("new_tokens", "passes", "prefill_seconds", "decode_seconds", "output_sha256", "finish_reason")
AGAIN = " again"


def tasks_of(path, descriptive, limit):
    tasks = [json.loads(line) for line in path.read_text().splitlines() if line]
    keys = ["instruction_descriptive" if descriptive else "instruction_lazy", "instruction", "subject"]
    for task in tasks[:limit]:
        instruction = next((task[key] for key in keys if task.get(key)), None)
        if instruction is None:
            sys.exit(f"{path}: {task['id']} has no instruction")
        yield task["id"], task["before"], instruction


def edit(program, url, scope, before, instruction):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "edited.py"
        file.write_text(before)
        run = subprocess.run([program, "edit", file, "--instruction", instruction, "--scope", scope, "--format", "json",
                              "--remote", url], capture_output=True, text=True)
    if run.returncode != 0 and not run.stdout:
        raise RuntimeError(run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"exit {run.returncode}")
    result = json.loads(run.stdout)
    return {key: result[key] for key in FIGURES}


def table(first, names, results):
    yield ("| server | tasks | steps | fewer by | seconds of writing | speed-up | of whole requests | same |\n"
           "|---|---:|---:|---:|---:|---:|---:|---:|")
    # A task counts if every server has done it.
    whole = [task for task in results if len(task["servers"]) == len(names)]

    def total(server, *keys):
        return sum(task["servers"][server][key] for task in whole for key in keys)

    for name in names:
        same = sum(task["servers"][name]["output_sha256"] == task["servers"][first]["output_sha256"] for task in whole)
        writing, request = ("decode_seconds",), ("decode_seconds", "prefill_seconds")
        yield (f"| {name} | {len(whole)} | {total(name, 'passes')} | {total(first, 'passes') / total(name, 'passes'):.1f} | "
               f"{total(name, *writing):.1f} | {total(first, *writing) / total(name, *writing):.2f} | "
               f"{total(first, *request) / total(name, *request):.2f} | {same} of {len(whole)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--server", action="append", required=True, metavar="NAME=URL")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--descriptive", action="store_true")
    parser.add_argument("--scope", default="whole")
    parser.add_argument("--program", default=REPOSITORY / "build" / "redraft")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    servers = dict(each.partition("=")[::2] for each in arguments.server)
    first = next(iter(servers))
    servers[first + AGAIN] = servers[first]
    results = []
    for name, before, instruction in tasks_of(arguments.file, arguments.descriptive, arguments.limit):
        results.append({"id": name, "servers": {}})
        for server, url in servers.items():
            try:
                results[-1]["servers"][server] = edit(arguments.program, url, arguments.scope, before, instruction)
            except RuntimeError as error:
                print(f"{name}: {server}: {error}", file=sys.stderr)
        if arguments.out:
            with arguments.out.open("a") as out:
                out.write(json.dumps(results[-1]) + "\n")
        print(f"{len(results)} tasks", end="\r", file=sys.stderr, flush=True)
    print("\n".join(table(first, list(servers), results)))


if __name__ == "__main__":
    main()
