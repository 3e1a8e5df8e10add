#!/usr/bin/env python3
"""36 instructions on files that nobody tuned on, for two versions of redraft, judged blind by a reader.

    bench/blind_bench.py run --program old/redraft --target qwen2.5-coder-1.5b --out old.jsonl
    bench/blind_bench.py run --program build/redraft --target qwen2.5-coder-1.5b --out new.jsonl
    bench/blind_bench.py sheet old.jsonl new.jsonl --out sheet.md --key key.json
    bench/blind_bench.py table --key key.json --verdicts verdicts.json

`run` requests each instruction as an editor does and accepts all, which leaves what has a doubt if the program knows
doubts. `sheet` writes both versions' changes under letters, in an order that only the key knows. A reader who has seen
neither version writes for each letter one of the verdicts of bench/blind/rules.md into a JSON object
{"python/round-up": {"A": "small", "B": "wrong"}, ...}. `table` says whose they were. Needs the Python environment of the
tests (`tools/setup.py tests`, then tests/python.sh bench/blind_bench.py ...)."""

import argparse
import collections
import difflib
import hashlib
import json
import pathlib
import random
import shutil
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
BLIND = REPOSITORY / "bench" / "blind"

from instructions import sources  # noqa: E402
from instructions.editor import PROMPT_SIZES, Editor  # noqa: E402

LOCK = BLIND / "sources.lock"
VERDICTS = ("asis", "small", "wrong", "nothing", "destructive")


def tasks():
    return json.loads((BLIND / "instructions.json").read_text(encoding="utf-8"))


def digest():
    files = [BLIND / name for name in ("instructions.json", "rules.md", "sources.lock")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def text_of(task):
    return (sources.directory(LOCK) / task["file"]).read_bytes().decode("utf-8")


def place(task, text):
    """The range of the request, ((line, character), (line, character)); None: the whole file."""
    if task.get("whole"):
        return None
    before, _, behind = task["at"].rpartition("¦")
    found = text.count(before + behind)
    assert found == 1, f"{task['id']}: the place is there {found} times"
    begin = text.index(before + behind) + len(before)
    line = text.count("\n", 0, begin)
    if "to" not in task:
        at = (line, begin - (text.rfind("\n", 0, begin) + 1))
        return at, at
    end = text.index(task["to"], begin)
    return (line, 0), (text.count("\n", 0, end) + 1, 0)


def run(options):
    sources.ensure(LOCK)
    if not shutil.which(options.program):
        sys.exit(f"blind_bench.py: {options.program} is not an executable; `make program` makes it")
    if options.out.exists():
        sys.exit(f"blind_bench.py: {options.out} is there already; choose another name for --out")
    with Editor(options.program, options.target, takes_doubtful=False, prompt_size=options.prompt_size) as editor:
        editor.warm_up()
        print(f"{len(tasks())} instructions · digest {digest()} · {editor.model()} · {options.program}", flush=True)
        for task in tasks():
            before = text_of(task)
            outcome = editor.edit(pathlib.PurePath(task["file"]).name, task["language"], before, place(task, before),
                                  task["instruction"])
            change = "".join(difflib.unified_diff(before.splitlines(True), outcome.text.splitlines(True), n=8))
            record = {"id": task["id"], "digest": digest(), "state": outcome.state, "error": outcome.error, "doubts": outcome.doubts,
                      "seconds": round(outcome.seconds, 2), "change": change, "region": outcome.region, **outcome.statistics}
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{outcome.seconds:7.1f} s  {task['id']}  {'; '.join(outcome.doubts)[:120]}", flush=True)


def records_of(path):
    return {record["id"]: record for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def sheet(options):
    versions = [records_of(path) for path in (options.first, options.second)]
    order, key, lines = random.Random(options.seed), {}, [(BLIND / "rules.md").read_text(encoding="utf-8")]
    for task in tasks():
        mixed = list(enumerate(versions))
        order.shuffle(mixed)
        place_of = "the whole file" if task.get("whole") else f"at `{task['at'].replace('¦', '').splitlines()[0].strip()}`"
        lines.append(f"\n## {task['id']}\n\n{task['file']}, {place_of}: **{task['instruction']}**\n")
        key[task["id"]] = {}
        for letter, (version, records) in zip("AB", mixed):
            record = records[task["id"]]
            key[task["id"]][letter] = str((options.first, options.second)[version])
            doubts = "; ".join(record["doubts"]) or "none"
            lines.append(f"### {task['id']} {letter}\n\nShown doubts: {doubts}\n\n````diff\n{record['change'] or record['error']}\n````\n")
    options.out.write_text("\n".join(lines), encoding="utf-8")
    options.key.write_text(json.dumps(key, indent=1), encoding="utf-8")


def table(options):
    key, verdicts = (json.loads(path.read_text(encoding="utf-8")) for path in (options.key, options.verdicts))
    counts = collections.defaultdict(collections.Counter)
    print(f"{'instruction':34}" + "".join(f"{pathlib.Path(name).stem:>14}" for name in sorted(set(key[tasks()[0]['id']].values()))))
    for task in tasks():
        by_version = {version: verdicts[task["id"]][letter] for letter, version in key[task["id"]].items()}
        for version, verdict in by_version.items():
            if verdict not in VERDICTS:
                sys.exit(f"blind_bench.py: {task['id']}: there is no verdict {verdict!r}; there are {', '.join(VERDICTS)}")
            counts[version][verdict] += 1
        print(f"{task['id']:34}" + "".join(f"{by_version[version]:>14}" for version in sorted(by_version)))
    for verdict in VERDICTS:
        print(f"{verdict:34}" + "".join(f"{counts[version][verdict]:>14}" for version in sorted(counts)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    running.add_argument("--target", help="the model, as for redraft lsp")
    running.add_argument("--prompt-size", choices=PROMPT_SIZES, help="none: as the server chooses")
    running.add_argument("--out", type=pathlib.Path, required=True)
    running.set_defaults(act=run)
    mixing = commands.add_parser("sheet")
    mixing.add_argument("first", type=pathlib.Path)
    mixing.add_argument("second", type=pathlib.Path)
    mixing.add_argument("--out", type=pathlib.Path, required=True)
    mixing.add_argument("--key", type=pathlib.Path, required=True)
    mixing.add_argument("--seed", type=int, default=None, help="of the order; none: a different one each time")
    mixing.set_defaults(act=sheet)
    judged = commands.add_parser("table")
    judged.add_argument("--key", type=pathlib.Path, required=True)
    judged.add_argument("--verdicts", type=pathlib.Path, required=True)
    judged.set_defaults(act=table)
    options = parser.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()
