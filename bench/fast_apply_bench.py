#!/usr/bin/env python3
"""Edits in two requests, as FastApply makes them, beside plain edits: the target writes only what changes, and a small model puts
that into the file.

    bench/fast_apply_bench.py --data canitedit.jsonl [--target NAME] [--apply-model NAME] [--pass-at-1] [--limit N] [--out FILE]

Each task (docs/lab/bench.md, of the kind `edits`) is edited twice. "direct" is `redraft edit` with the target. "plan" is `redraft
generate --chat` with the target, asked for the changed parts with a mark for what stays between them, and "apply" is `redraft edit`
with the small model, whose instruction is what the plan says. Seconds are those of the models, reading and writing, without the time
that a program takes to load one. "exact" is the file that the task asks for, but for blanks at the ends of lines; "passed" is by the
task's tests in Python, in the sandbox (`ninja -C build run_sandboxed`)."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

from instructions.programs import Runner  # noqa: E402

MOST_RUN_SECONDS = 3600
MARK = "... existing code ..."
PLAN = """Here is the file {name}:

```
{text}
```

{instruction}

Do not write the whole file. Write each part that changes as it will be, with the line before it and the line after it, and "{mark}" on
a line of its own for what stays between the parts. Write code alone."""
APPLY = """Make this change to the file. "{mark}" stands for lines that stay as they are.

{plan}"""


class Failed(Exception):
    pass


def asked(options, model, arguments):
    """The report of one request."""
    command = [options.program, *arguments, "--target", model, "--format", "json"]
    command += ["--threads", str(options.threads)] if options.threads else []
    command += ["--decoder", options.decoder] if options.decoder else []
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=MOST_RUN_SECONDS, check=False)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1])
    return json.loads(done.stdout)


def cost(report):
    again = report.get("repair") or {}
    return {"seconds": report["prefill_seconds"] + report["decode_seconds"] + again.get("seconds", 0),
            "tokens": report["new_tokens"] + again.get("new_tokens", 0), "read": report["prompt_tokens"]}


def without_fence(text):
    """What stands in the first block of code, if there is one."""
    block = re.search(r"^```[^\n]*\n(.*?)(?:^```|\Z)", text, re.DOTALL | re.MULTILINE)
    return block.group(1) if block else text


def edited(options, model, file, instruction):
    report = asked(options, model, ["edit", str(file), "--instruction", instruction, "--scope", "whole"])
    return report["text"], cost(report)


def directly(options, file, instruction):
    text, direct = edited(options, options.target, file, instruction)
    return text, {"direct": direct}, None


def in_two(options, file, instruction):
    question = PLAN.format(name=file.name, text=file.read_text(), instruction=instruction, mark=MARK)
    prompt = file.with_suffix(".prompt")
    prompt.write_text(question)
    report = asked(options, options.target,
                   ["generate", "--chat", "--prompt-file", str(prompt), "--max-new-tokens", str(options.max_plan_tokens)])
    plan = without_fence(report["text"])
    if not plan.strip():
        raise Failed("the plan is empty")
    text, apply = edited(options, options.apply_model, file, APPLY.format(mark=MARK, plan=plan))
    return text, {"plan": cost(report), "apply": apply}, plan


WAYS = {"direct": directly, "plan and apply": in_two}


def same(one, other):
    return [line.rstrip() for line in one.rstrip().split("\n")] == [line.rstrip() for line in other.rstrip().split("\n")]


def program_of(task, text):
    """The text with its tests; None: the task has none that are Python."""
    tests = task.get("tests")
    if not isinstance(tests, str) or task.get("language") != "python":
        return None
    if re.search(r"^def check\(", tests, re.MULTILINE) and not re.search(r"^check\(", tests, re.MULTILINE):
        tests += f"\ncheck({task.get('entry_point')})"
    return f"{text}\n\n{tests}\n"


def passes(program, runner):
    with tempfile.TemporaryDirectory(prefix="redraft-test-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        file = folder / "program.py"
        file.write_text(program)
        return not runner._run(["/usr/bin/python3", "-I", "-B", str(file)], folder)


def measure(task, way, options, runner):
    record = {"id": task["id"], "way": way, "exact": False, "passed": False if runner and program_of(task, "") else None,
              "failed": None, "parts": {}, "plan": None, "text": None}
    with tempfile.TemporaryDirectory(prefix="redraft-fast-apply-") as folder:
        file = pathlib.Path(folder) / pathlib.PurePath(task.get("path") or "main.py").name
        file.write_text(task["before"], newline="")
        try:
            record["text"], record["parts"], record["plan"] = WAYS[way](options, file, task["instruction"])
        except Failed as failed:
            return record | {"failed": str(failed)}
    for each in ("seconds", "tokens", "read"):
        record[each] = sum(part[each] for part in record["parts"].values())
    record["exact"] = same(record["text"], task["after"])
    if record["passed"] is not None:
        record["passed"] = passes(program_of(task, record["text"]), runner)
    return record


def tasks_of(options):
    for file in options.data:
        left = options.limit
        for line in file.read_text(encoding="utf-8").splitlines():
            task = json.loads(line)
            task["instruction"] = task.get("instruction") or task.get(f"instruction_{options.instruction}")
            if not all(isinstance(task.get(key), str) and task[key] for key in ("before", "after", "instruction")):
                continue
            if left == 0:
                break
            left -= 1
            yield task


def summary(way, records):
    done = [record for record in records if record["way"] == way]
    judged = [record for record in done if record["passed"] is not None]
    finished = [record for record in done if not record["failed"]]
    parts = {}
    for record in finished:
        for name, part in record["parts"].items():
            parts[name] = parts.get(name, 0) + part["seconds"]
    seconds, tokens = (sum(record[key] for record in finished) / max(len(finished), 1) for key in ("seconds", "tokens"))
    line = (f"{way:14} {len(done):5} tasks {len(done) - len(finished):4} failed {seconds:8.2f} s/task {tokens:8.1f} tokens/task "
            f"{sum(record['exact'] for record in done):4} exact")
    line += f" {sum(record['passed'] for record in judged):4} of {len(judged)} passed" if judged else ""
    if len(parts) > 1:
        line += "  (" + ", ".join(f"{name} {total / max(len(finished), 1):.2f} s" for name, total in parts.items()) + ")"
    return line


def ratio(records):
    """By the tasks that both ways finished."""
    seconds = {way: {record["id"]: record["seconds"] for record in records if record["way"] == way and not record["failed"]}
               for way in WAYS}
    both = seconds["direct"].keys() & seconds["plan and apply"].keys()
    direct, two = (sum(seconds[way][task] for task in both) for way in ("direct", "plan and apply"))
    return f"plan and apply takes {two / direct:.2f} times as long, by {len(both)} tasks" if direct else "nothing to compare"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, type=pathlib.Path, help="task files, JSON lines")
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--sandbox", default=str(REPOSITORY / "build" / "bench" / "run_sandboxed"), help="runs the tests")
    parser.add_argument("--target", default="qwen2.5-coder-1.5b", help="the model that edits, or writes the plan")
    parser.add_argument("--apply-model", default="qwen2.5-coder-0.5b", help="the model that carries the plan out")
    parser.add_argument("--decoder", help="of all requests, as for `redraft edit`")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--instruction", choices=["descriptive", "lazy"], default="descriptive", help="which, where a task has two")
    parser.add_argument("--max-plan-tokens", type=int, default=1024)
    parser.add_argument("--limit", type=int, default=-1, help="tasks of each file, from the first")
    parser.add_argument("--pass-at-1", action="store_true", help="run the tests of Python tasks")
    parser.add_argument("--out", type=pathlib.Path, help="file for what came of each, JSON lines")
    options = parser.parse_args()
    for option in ["program"] + (["sandbox"] if options.pass_at_1 else []):
        if not shutil.which(getattr(options, option)):
            parser.error(f"--{option}: {getattr(options, option)} is not an executable")
    runner, records = Runner(options.sandbox) if options.pass_at_1 else None, []
    with open(options.out or os.devnull, "w", encoding="utf-8") as out:
        for task in tasks_of(options):
            for way in WAYS:
                records.append(measure(task, way, options, runner))
                out.write(json.dumps(records[-1]) + "\n")
                out.flush()
                if records[-1]["failed"]:
                    print(f"{task['id']}, {way}: {records[-1]['failed']}", file=sys.stderr)
    if not records:
        parser.error("--data: no task has a text before and after, and an instruction")
    for way in WAYS:
        print(summary(way, records))
    print(ratio(records))


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
