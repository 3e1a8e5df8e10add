#!/usr/bin/env python3
"""Writes task files for `redraft bench papers` from your own copy of data that is not among the public tasks.

    bench/paper_data.py codeif --level 1 L_1_part_1.jsonl L_1_part_2.jsonl --out DATA/edit/codeif_l1.jsonl
    bench/paper_data.py codeif --level 2 L_2_part_1.jsonl L_2_part_2.jsonl --out DATA/edit/codeif_l2.jsonl
    bench/paper_data.py gsm8k test.jsonl --out DATA/dialogue/gsm8k.jsonl
    bench/paper_data.py cnn-dm test.jsonl --out DATA/dialogue/cnn_dm.jsonl

Everything is read as JSON lines in UTF-8; other fields than these are ignored.

codeif (CodeIF-Bench): `task_id` or `namespace`; `code`, the first round's solution; `requirements`, an object of objects
with `requirement` and `unit_test`; `test`, a list. An edit for each requirement: of `code`, or with --answers FILE of the
code that a model wrote in the first round (`task_id` or `namespace`, `completion`), as in EfficientEdit's paper. Tests
are taken where all of them are Python code; those of repositories name tests to be run there and are left out.

gsm8k (GSM8K): `question`. A dialogue of three turns: a program, a critique of it, the program corrected (CopySpec, section
6.2). cnn-dm (CNN/DailyMail): `article`. A dialogue of one turn: the summary. 100 of each, as in CopySpec's paper, or
--limit. The instructions are ours.
"""

import argparse
import json
import pathlib
import sys

PROGRAM = ("Solve this problem with a Python program. Write one function solution() without parameters that computes the "
           "answer step by step and returns it, with a comment for each step.\n\n{question}")
CRITIQUE = ("Look for mistakes in your program. Go through it step by step, quote each step, and say whether it is what the "
            "problem asks for.")
CORRECTION = ("Write the whole program again, with what you found corrected. If nothing was wrong, write it as it was.")
SUMMARY = ("Summarise this article in three or four sentences. Where it says what matters, use its own words.\n\n{article}")
MAX_LINE = 16 << 20  # bytes, as in redraft


class BadInput(Exception):
    pass


def records(file):
    """The objects of a file of JSON lines, each with the place to name in an error."""
    try:
        with open(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{file}:{number}"
                if len(line) > MAX_LINE:
                    raise BadInput(f"{where}: the line is longer than {MAX_LINE >> 20} MiB")
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    raise BadInput(f"{where}: not JSON") from None
                if not isinstance(record, dict):
                    raise BadInput(f"{where}: not an object")
                yield where, record
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file}: not UTF-8") from None


def text(where, record, field):
    value = record.get(field)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{where}: has no text '{field}'")
    return value


def name_of(where, record):
    for field in ("task_id", "namespace"):
        value = record.get(field)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return str(value)
    raise BadInput(f"{where}: has neither 'task_id' nor 'namespace'")


def code_in(answer):
    """The first fenced block of an answer; an answer without one is all code."""
    begin = answer.find("```")
    newline = answer.find("\n", begin)
    if begin < 0 or newline < 0:
        return answer
    end = answer.find("\n```", newline)
    return answer[newline + 1:end + 1 if end >= 0 else len(answer)]


def is_code(test):
    """Whether a test is Python, as opposed to the name of one ("tests/x.py::test_y")."""
    if not isinstance(test, str):
        return False
    try:
        compile(test, "test", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return "assert" in test


def as_list(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def codeif(arguments):
    answers = {}
    for where, record in records(arguments.answers) if arguments.answers else ():
        answers[name_of(where, record)] = code_in(text(where, record, "completion"))
    for file in arguments.files:
        for where, record in records(file):
            name = name_of(where, record)
            if arguments.answers and name not in answers:
                raise BadInput(f"{where}: {arguments.answers} has no answer to {name}")
            before = answers[name] if arguments.answers else text(where, record, "code")
            requirements = record.get("requirements")
            if not isinstance(requirements, dict):
                raise BadInput(f"{where}: has no object 'requirements'")
            for category, requirement in requirements.items():
                if not isinstance(requirement, dict):
                    raise BadInput(f"{where}: requirements.{category} is not an object")
                tests = as_list(record.get("test")) + as_list(requirement.get("unit_test"))
                judged = bool(tests) and all(map(is_code, tests))
                yield {"id": f"codeif-l{arguments.level}/{name}/{category}", "source": "CodeIF-Bench",
                       "language": "python", "category": category,
                       "instruction": text(where, requirement, "requirement"), "before": before,
                       "tests": "\n\n".join(tests) + "\n" if judged else None}


def dialogues(kind, field, turns):
    def convert(arguments):
        number = 0
        for file in arguments.files:
            for where, record in records(file):
                number += 1
                if number > arguments.limit:
                    return
                content = text(where, record, field)
                yield {"id": f"{kind}/{number}", "source": kind, "category": kind,
                       "turns": [turn.replace("{" + field + "}", content) for turn in turns]}
    return convert


def write(tasks, file):
    seen = set()
    lines = []
    for task in tasks:
        if task["id"] in seen:
            raise BadInput(f"'{task['id']}' is there twice")
        seen.add(task["id"])
        lines.append(json.dumps(task, ensure_ascii=False) + "\n")
    if not lines:
        raise BadInput("nothing to convert")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    print(f"{len(lines)} tasks in {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(required=True)
    for kind, convert in (("codeif", codeif),
                          ("gsm8k", dialogues("gsm8k", "question", (PROGRAM, CRITIQUE, CORRECTION))),
                          ("cnn-dm", dialogues("cnn-dm", "article", (SUMMARY,)))):
        one = kinds.add_parser(kind)
        one.add_argument("files", nargs="+", metavar="FILE")
        one.add_argument("--out", required=True, type=pathlib.Path)
        if kind == "codeif":
            one.add_argument("--level", type=int, choices=(1, 2), required=True)
            one.add_argument("--answers", metavar="FILE", help="what a model wrote in the first round")
        else:
            one.add_argument("--limit", type=int, default=100, help="tasks, from the first (default: 100)")
        one.set_defaults(convert=convert)
    arguments = parser.parse_args()
    try:
        write(arguments.convert(arguments), arguments.out)
    except BadInput as error:
        sys.exit(f"paper_data.py: {error}")


if __name__ == "__main__":
    main()
