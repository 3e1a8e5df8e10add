#!/usr/bin/env python3
"""How many of 16 faults "Fix this" mends, with the definitions of other files and without them.

    bench/faults_bench.py [--program build/redraft] [--target NAME] [--out faults.jsonl]

Each is a program of two files with one fault, of which a language server says something like "too few arguments", while what is
right stands in the other file. The message is requested as an editor does, with no instruction; all hunks are accepted; the
result is compiled, and its test is run in the sandbox (`ninja -C build run_sandboxed`). With the index the model is shown the
definitions of the names on those lines (workspace/edit/edit_problems.h), without it nothing of the other file. Run it with
tests/python.sh."""

import argparse
import contextlib
import difflib
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

from faults.tasks import FAULTS  # noqa: E402
from instructions.editor import Editor  # noqa: E402
from instructions.programs import Runner  # noqa: E402
from instructions.sources import programs  # noqa: E402

COMPILE_SECONDS = 300


def language_of(fault):
    return fault.id.partition("/")[0]


def compiled(command, folder):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=COMPILE_SECONDS, check=False)


def build(fault, folder):
    """(what the compiler says or None, the command of the test)"""
    language = language_of(fault)
    if language == "python":
        (folder / "run.py").write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\n" + fault.test)
        return None, ["/usr/bin/python3", "-I", "-B", str(folder / "run.py")]
    program = str(folder / "program")
    if language == "go":
        (folder / "it_test.go").write_text(fault.test)
        (folder / "go.mod").write_text("module shop\n\ngo 1.20\n")
        command = [programs.find("go"), "test", "-c", "-vet=off", "-o", program, "."]
    elif language == "cpp":
        (folder / "main.cc").write_text(fault.test)
        command = ["g++", "-std=c++17", "-w", "-o", program, "main.cc"]
    else:
        (folder / "main.rs").write_text(fault.test)
        command = [programs.find("rustc"), "--edition", "2021", "-A", "warnings", "-o", program, "main.rs"]
    run = compiled(command, folder)
    return (run.stdout if run.returncode else None), [program]


def message_of(fault, folder):
    if fault.message:
        return fault.message
    said, _ = build(fault, folder)
    pattern = {"go": r"^\S+?:\d+:\d+: (.*)", "cpp": r"error: (.*)", "rust": r"^error(?:\[E\d+\])?: (.*)"}[language_of(fault)]
    return re.search(pattern, said, re.MULTILINE).group(1)


@contextlib.contextmanager
def written(fault, text=None):
    """A folder with the two files."""
    with tempfile.TemporaryDirectory(prefix="redraft-fault-") as name:
        folder = pathlib.Path(name).resolve()
        folder.chmod(0o755)
        for file, content in (fault.other, (fault.file[0], text or fault.file[1])):
            (folder / file).write_text(content)
        yield folder


def judged(fault, text, runner):
    """None, or what is wrong."""
    with written(fault, text) as folder:
        said, command = build(fault, folder)
        return said or runner._run(command, folder)


def measure(fault, with_definitions, options, runner):
    with written(fault) as folder:
        message = message_of(fault, folder)
    with written(fault) as folder, Editor(options.program, options.target, options.threads,
                                          root=folder if with_definitions else None) as editor:
        editor.warm_up()
        name, text = fault.file
        before, _, behind = text.partition(fault.at)
        line = before.count("\n")
        begin, end = len(before) - before.rfind("\n") - 1, len(before) - before.rfind("\n") - 1 + len(fault.at.partition("\n")[0])
        problem = {"message": message, "range": {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}}}
        outcome = editor.edit(name, language_of(fault), text, ((line, begin), (line, begin)), "", diagnostics=[problem],
                              uri=(folder / name).as_uri())
    wrong = outcome.error if outcome.state == "failed" else judged(fault, outcome.text, runner)
    return {"id": fault.id, "definitions": with_definitions, "message": message, "mended": not wrong,
            "wrong": (wrong or "").strip()[:300], "doubts": outcome.doubts, "seconds": round(outcome.seconds, 2),
            "read": outcome.statistics["promptTokens"] - outcome.statistics["cachedPromptTokens"],
            "change": "".join(difflib.unified_diff(text.splitlines(True), outcome.text.splitlines(True), n=0))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--sandbox", default=str(REPOSITORY / "build" / "bench" / "run_sandboxed"), help="runs the tests")
    parser.add_argument("--target", help="the model, as for redraft lsp")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--fault", action="append", default=[], metavar="ID", help="this one alone; several times for several")
    parser.add_argument("--out", type=pathlib.Path, help="file for what came of each, JSON lines")
    options = parser.parse_args()
    for option in ("program", "sandbox"):
        if not shutil.which(getattr(options, option)):
            parser.error(f"--{option}: {getattr(options, option)} is not an executable")
    faults = [fault for fault in FAULTS if not options.fault or fault.id in options.fault]
    if not faults:
        parser.error("--fault: there are " + ", ".join(fault.id for fault in FAULTS))
    runner, records = Runner(options.sandbox), []
    for fault in faults:
        for with_definitions in (False, True):
            record = measure(fault, with_definitions, options, runner)
            records.append(record)
            print(f"{'mended' if record['mended'] else 'wrong':7} {record['seconds']:6.1f} s  "
                  f"{'with' if with_definitions else 'without':7}  {fault.id}", flush=True)
            if options.out:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
    for with_definitions in (False, True):
        chosen = [record for record in records if record["definitions"] == with_definitions]
        print(f"{'with' if with_definitions else 'without'} definitions: {sum(r['mended'] for r in chosen)} of {len(chosen)} mended, "
              f"median {statistics.median(r['seconds'] for r in chosen):.1f} s, {statistics.mean(r['read'] for r in chosen):.0f} tokens read")


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
