#!/usr/bin/env python3
"""Measures how well redraft places what agents write: the hunks of real commits with one fault each.

    bench/agent_edit_bench.py --data commits_*.jsonl [--seed 1] [--show 10] [--rules] [--out FILE]

Faults and forms are those of agent_edit_faults.py; the same seed gives the same inputs. A case counts as

  placed     the file is what the commit made of it, byte for byte; "in doubt" of these: redraft shows a doubt, so an agent gets
             it back unless it accepts doubts
  refused +  rightly: the old lines fit several places, and all of these are named
  refused    the rest; "named" of these: the report names the lines that were meant
  wrong ?    another text, with a doubt
  wrong !    another text, without a doubt, or the changes without a doubt alone make another text

"right" is the share of "placed" and "refused +". Milliseconds are those of one request in a process that serves many. --rules shows
beside it the matching rules of two open agents on the inputs that have an old text (agent_edit_rules.py). --show prints what is
wrong, or with --of KIND other kinds: "wrong !", "wrong ?", "refused"."""

import argparse
import collections
import difflib
import json
import pathlib
import re
import subprocess

import agent_edit_faults
import agent_edit_rules

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = ["placed", "in doubt", "refused +", "refused", "named", "wrong ?", "wrong !"]


def names_all(case, mismatches):
    """Whether all places of an ambiguous case are named."""
    regions = [region for one in mismatches for region in one["regions"]]
    return len(regions) > 1 and all(any(first <= place + 1 <= last for first, last in regions) for place in case.places)


def names_place(case, mismatches):
    begin, end = case.place
    return any(first <= end and begin + 1 <= last for one in mismatches for first, last in one["regions"][:1])


def verdict(case, answer):
    """The kinds that count it."""
    if "text" not in answer:
        mismatches = answer.get("mismatches", [])
        is_several = case.must != "place" and any(one["kind"] == "several places" for one in mismatches)
        if is_several and names_all(case, mismatches):
            return ["refused +"]
        return ["refused", "named"] if names_place(case, mismatches) else ["refused"]
    is_exact = answer["text"] == case.expected and case.must != "refuse"
    if is_exact:
        return ["placed", "in doubt"] if answer["doubts"] else ["placed"]
    keeps_file = answer["doubts"] and answer["certain_text"] == case.text
    return ["wrong ?"] if keeps_file else ["wrong !"]


def of_rule(case, rule):
    text = agent_edit_rules.applied(rule, case.text, case.pairs)
    if text is None:
        return "refused +" if case.must == "refuse" else "refused"
    return "placed" if text == case.expected and case.must != "refuse" else "wrong !"


class Placer:
    """The program that places, which stays."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, case):
        request = {"path": case.path, "text": case.text, "change": case.change}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def show(case, answer, kinds):
    print(f"=== {kinds[0]}: {case.fault}, {case.kind}, {case.form}, {case.must}: {case.id} {case.path}")
    print(case.change.rstrip("\n"))
    for one in answer.get("mismatches", []):
        print("---", one["kind"], one["described"])
    print("---", answer.get("error", ""), answer.get("doubts", ""))
    if "text" in answer:
        print("\n".join(difflib.unified_diff(case.expected.split("\n"), answer["text"].split("\n"), "expected", "got", lineterm="",
                                             n=2)))
    print()


def print_table(rows, key):
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        for name in (row[key], "all"):
            counts[name].update(["cases", *row["kinds"]])
    print(f"{'':28}{'cases':>6}{'right':>9}" + "".join(f"{kind:>11}" for kind in KINDS))
    for name in [*dict.fromkeys(row[key] for row in rows), "all"]:
        one = counts[name]
        right = one["placed"] + one["refused +"]
        print(f"{name:28}{one['cases']:6}{100 * right / one['cases']:8.1f}%" + "".join(f"{one[kind]:11}" for kind in KINDS))


def print_rules(rows):
    """Right of the inputs that have an old text, and wrong without a doubt."""
    with_old = [row for row in rows if row["rules"]]
    names = ["redraft", *agent_edit_rules.RULES]
    print(f"\n{'with an old text':28}{'cases':>6}" + "".join(f"{name + ' right':>16}{'wrong':>7}" for name in names))
    for fault in [*dict.fromkeys(row["fault"] for row in with_old), "all"]:
        some = [row for row in with_old if fault in (row["fault"], "all")]
        line = f"{fault:28}{len(some):6}"
        for name in names:
            kinds = [row["kinds"][0] if name == "redraft" else row["rules"][name] for row in some]
            right = sum(kind in ("placed", "refused +") for kind in kinds)
            line += f"{100 * right / len(some):15.1f}%{kinds.count('wrong !'):7}"
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help="JSON lines with commits of one file each")
    parser.add_argument("--program", default=str(ROOT / "build" / "bench" / "place_bench"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--by", choices=["fault", "form", "language", "kind"], default="fault")
    parser.add_argument("--only", default="", help="regular expression over fault, kind and form")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--of", default="wrong !")
    parser.add_argument("--out", type=argparse.FileType("w", encoding="utf-8"))
    options = parser.parse_args()
    placer, rows, n_shown = Placer(options.program), [], 0
    for case in agent_edit_faults.all_cases(sorted(options.data), options.seed):
        if not re.search(options.only, f"{case.fault}, {case.kind}, {case.form}"):
            continue
        answer = placer.ask(case)
        kinds = verdict(case, answer)
        rules = {name: of_rule(case, name) for name in agent_edit_rules.RULES} if options.rules and case.pairs else {}
        rows.append({"id": case.id, "fault": case.fault, "form": case.form, "kind": f"{case.fault}, {case.kind}",
                     "language": case.language, "must": case.must, "kinds": kinds, "ms": answer["ms"], "rules": rules})
        if options.of == kinds[0] and n_shown < options.show:
            n_shown += 1
            show(case, answer, kinds)
        if options.out:
            options.out.write(json.dumps(rows[-1]) + "\n")
    placer.close()
    print_table(rows, options.by)
    times = sorted(row["ms"] for row in rows)
    print(f"\n{times[len(times) // 2]:.1f} ms median, {times[int(len(times) * 0.95)]:.1f} ms for 95 %, {times[-1]:.1f} ms at most")
    if options.rules:
        print_rules(rows)


if __name__ == "__main__":
    main()
