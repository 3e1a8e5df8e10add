#!/usr/bin/env python3
"""How many of 60 everyday instructions get a result that is accepted as it is, in five languages.

    bench/instructions_bench.py --half dev --out new.jsonl [--program build/redraft] [--target NAME] [--task python/…]

Each is requested as an editor does: through the language server of a program of this or an earlier commit, with the cursor or
the selection that the task says. All hunks are accepted, and the file is judged by the task's checks: by its syntax tree, and
by a test, which runs in the sandbox (`ninja -C build run_sandboxed`; --no-tests: none). Needs the Python environment of the
tests (`tools/setup.py tests instructions`, then tests/python.sh bench/instructions_bench.py …).

  accepted     all checks hold
  destructive  something is gone that nobody asked to remove: a definition, lines elsewhere, a comment, a used import; or the file
               does not parse any more, or a definition is there twice. Silent: without a doubt shown beside it
  doubted      a doubt was shown

Instructions and checks are frozen. The digest that is printed is that of both, of the edited files' lock and of the judge: only
tables with the same digest can be compared."""

import argparse
import difflib
import hashlib
import json
import pathlib
import shutil
import statistics
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
HERE = REPOSITORY / "bench" / "instructions"
try:
    import tree_sitter  # noqa: F401
except ImportError:
    sys.exit("instructions_bench.py: tree-sitter is not installed in this Python: run `tools/setup.py tests instructions`, then "
             "`tests/python.sh bench/instructions_bench.py …`")

from instructions import sources  # noqa: E402
from instructions.editor import PROMPT_SIZES, Editor  # noqa: E402
from instructions.judge import half_of, judge, place  # noqa: E402
from instructions.programs import Runner  # noqa: E402
from instructions.tasks import TASKS  # noqa: E402

HALVES = ("dev", "test")
COLUMNS = ("tasks", "accepted", "destructive", "silent", "doubted", "tested")


def digest():
    """Of everything that decides whether an answer is right."""
    files = [HERE / "sources.lock", *(HERE / name for name in ("checks.py", "judge.py", "programs.py", "tree.py")),
             *(each for folder in ("tasks", "files") for each in sorted((HERE / folder).rglob("*"))
               if each.is_file() and "__pycache__" not in each.parts)]
    total = hashlib.sha256()
    for file in files:
        total.update(file.relative_to(HERE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()[:12]


def language_of(task):
    return task.id.partition("/")[0]


def measure(editor, task, run):
    before = task.text()
    outcome = editor.edit(pathlib.PurePath(task.file).name, task.language, before, place(task, before), task.instruction)
    verdict = judge(task, before, outcome.text, run)
    if outcome.state == "failed":
        verdict.faults.insert(0, f"the edit failed: {outcome.error}")
    change = "".join(difflib.unified_diff(before.splitlines(True), outcome.text.splitlines(True), n=1))
    return {"id": task.id, "language": language_of(task), "half": half_of(task.id), "instruction": task.instruction,
            "accepted": verdict.accepted, "destructive": verdict.destructive, "faults": verdict.faults, "doubts": outcome.doubts,
            "tested": verdict.tested, "region": outcome.region, "seconds": round(outcome.seconds, 2), **outcome.statistics,
            "change": change}


def counts(records):
    return {"tasks": len(records), "accepted": sum(r["accepted"] for r in records),
            "destructive": sum(bool(r["destructive"]) for r in records),
            "silent": sum(bool(r["destructive"]) and not r["doubts"] for r in records),
            "doubted": sum(bool(r["doubts"]) for r in records), "tested": sum(r["tested"] for r in records)}


def table(records):
    def row(name, half, chosen):
        numbers = counts(chosen)
        return (f"{name:12} {HALVES[half]:>5}" + "".join(f"{numbers[column]:>12}" for column in COLUMNS)
                + f"{statistics.median(r['seconds'] for r in chosen):10.1f}"
                + f"{statistics.mean(r['promptTokens'] - r['cachedPromptTokens'] for r in chosen):8.0f}"
                + f"{statistics.mean(r['newTokens'] for r in chosen):9.0f}")

    lines = [f"{'language':12} {'half':>5}" + "".join(f"{column:>12}" for column in COLUMNS)
             + f"{'median s':>10}{'read':>8}{'written':>9}"]
    names = list(dict.fromkeys(r["language"] for r in records))
    for half in sorted({r["half"] for r in records}):
        of_half = [r for r in records if r["half"] == half]
        lines += [row(name, half, chosen) for name in names if (chosen := [r for r in of_half if r["language"] == name])]
        lines.append(row("all", half, of_half))
    return "\n".join(lines)


def chosen_tasks(parser, options):
    unknown = set(options.task) - {task.id for task in TASKS}
    if unknown:
        parser.error(f"--task: there is no task {', '.join(sorted(unknown))}; there are {', '.join(task.id for task in TASKS)}")
    tasks = [task for task in TASKS if (not options.task or task.id in options.task)
             and (not options.language or language_of(task) in options.language)
             and (options.half is None or HALVES[half_of(task.id)] == options.half)]
    left_out = [task.id for task in tasks if not sources.is_there(task.file)]
    if left_out:
        print(f"left out, as their files were not fetched (tools/setup.py instructions): {', '.join(left_out)}", file=sys.stderr)
    tasks = [task for task in tasks if task.id not in left_out]
    if not tasks:
        parser.error("there is no such task")
    return tasks


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"), help="of this commit or an earlier one")
    parser.add_argument("--sandbox", default=str(REPOSITORY / "build" / "bench" / "run_sandboxed"), help="runs the tests")
    parser.add_argument("--no-tests", action="store_true", help="judge by the syntax tree alone")
    parser.add_argument("--half", choices=HALVES, help="of the tasks, by a hash of their ids: tune on dev, report on test")
    parser.add_argument("--language", action="append", help="of the tasks; several times for several")
    parser.add_argument("--task", action="append", default=[], metavar="ID", help="this one alone; several times for several")
    parser.add_argument("--target", help="the model, as for redraft lsp")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--prompt-size", choices=PROMPT_SIZES, help="none: as the server chooses")
    parser.add_argument("--out", type=pathlib.Path, help="file for what came of each task, JSON lines")
    options = parser.parse_args()
    if not shutil.which(options.program):
        parser.error(f"--program: {options.program} is not an executable; `make program` makes it")
    if not options.no_tests and not shutil.which(options.sandbox):
        parser.error(f"--sandbox: {options.sandbox} is not an executable; `ninja -C build run_sandboxed` makes it, or --no-tests")
    if options.out and options.out.exists():
        parser.error(f"{options.out}: is there already; choose another name for --out")
    return options, chosen_tasks(parser, options)


def main():
    options, tasks = read_options()
    run = None if options.no_tests else Runner(options.sandbox)
    records = []
    with Editor(options.program, options.target, options.threads, prompt_size=options.prompt_size) as editor:
        editor.warm_up()
        print(f"{len(tasks)} tasks · digest {digest()} · {editor.model()} · {options.program}", flush=True)
        for task in tasks:
            record = measure(editor, task, run)
            records.append(record)
            verdict = "accepted" if record["accepted"] else "DESTRUCTIVE" if record["destructive"] else "wrong"
            doubts = " · doubted" if record["doubts"] else ""
            print(f"{verdict:11} {record['seconds']:7.1f} s  {task.id}{doubts}  {'; '.join(record['faults'])[:160]}", flush=True)
            if options.out:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
    print(table(records))
    if run and run.missing:
        print(f"tests that were not run need {', '.join(sorted(run.missing))}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
