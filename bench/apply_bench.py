#!/usr/bin/env python3
"""Measures `redraft apply` on real commits: their changes are written the ways in which assistants write them, applied to
the file as it was, and compared with the file as it became.

    bench/apply_bench.py --data commits_python.jsonl [commits_go.jsonl ...] [--model NAME [--compare]] [--limit N] [--out FILE]

Without --model only what needs none is counted; the rest is told apart by "to the model". With one, those changes are
decoded too, with --compare beside plain decoding. A line of the data is an object with "id", "path", "language", "before", "after".
What a form leaves out cannot be applied: a function that a commit deletes is not in the new text of any function, so not
all can be exact."""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COMMENT = {"python": "#", "ruby": "#", "shellscript": "#"}
MOST_RUN_SECONDS = 1800
DRIVERS = {".go": "golang", ".py": "python", ".rs": "rust", ".java": "java", ".c": "cpp", ".cc": "cpp", ".cpp": "cpp",
           ".h": "cpp", ".js": "javascript", ".ts": "javascript"}
CONTEXT = 3  # lines around a change, in forms that show some
SHORT_RUN = 1  # lines that stay are left out where there are more


class Change:
    """A commit of one file, as hunks with some lines or with the functions around them."""

    def __init__(self, folder, record):
        suffix = pathlib.PurePath(record["path"]).suffix
        self.old, self.new = folder / f"old{suffix}", folder / f"new{suffix}"
        self.old.write_text(record["before"], newline="")
        self.new.write_text(record["after"], newline="")
        (folder / ".gitattributes").write_text("".join(f"*{ext} diff={name}\n" for ext, name in DRIVERS.items()))
        self.folder, self.language = folder, record["language"]

    def hunks(self, *context):
        diff = subprocess.run(["git", "diff", "--no-index", *context, self.old.name, self.new.name], cwd=self.folder,
                              capture_output=True, text=True, check=False).stdout
        hunks = []
        for line in diff.split("\n")[4:]:
            if line.startswith("@@"):
                hunks.append([])
            elif hunks and line[:1] in (" ", "+", "-") and line:
                hunks[-1].append(line)
        return hunks


    def only_removes(self):
        """Whether lines are removed somewhere without new ones in their place: a form with ellipses does not show that."""
        return any(all(line[0] == "-" for line in hunk) and any(line[1:].strip() for line in hunk) for hunk in self.hunks("-U0"))


def after(hunk):
    return [line[1:] for line in hunk if line[0] != "-"]


def before(hunk):
    return [line[1:] for line in hunk if line[0] != "+"]


def with_ellipses(parts, ellipsis):
    return "\n".join([ellipsis, f"\n{ellipsis}\n".join("\n".join(part) for part in parts), ellipsis, ""])


def shortened(hunk, ellipsis):
    """The function's new lines, where more than SHORT_RUN stay left out but for two at each change."""
    new = [line for line in hunk if line[0] != "-"]
    changed, at = set(), 0
    for line in hunk:
        if line[0] == "-":
            changed |= {max(at - 1, 0), min(at, len(new) - 1)}
        else:
            changed |= {at} if line[0] == "+" else set()
            at += 1
    shown = {0, len(new) - 1} | {i for place in changed for i in range(place - 2, place + 3)}
    lines, run = [], []
    for i, line in enumerate(new):
        if i not in shown:
            run.append(line[1:])
            continue
        indentation = re.match(r"\s*", run[0]).group() if run else ""
        lines += run if len(run) <= SHORT_RUN else [indentation + ellipsis]
        lines.append(line[1:])
        run = []
    return lines


FORMS_WITH_ELLIPSES = ("whole functions", "shortened functions", "changed lines")


def forms(change):
    ellipsis = COMMENT.get(change.language, "//") + " ... existing code ..."
    fence = f"```{change.language}\n{{}}```\n"
    some, functions = change.hunks(f"-U{CONTEXT}"), change.hunks("-W")
    yield "diff, wrong numbers", "".join("@@ -{0},9 +{0},9 @@\n{1}\n".format(7 * i + 1, "\n".join(hunk))
                                         for i, hunk in enumerate(some))
    yield "search and replace", "".join(
        "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n".format("\n".join(before(hunk)), "\n".join(after(hunk)))
        for hunk in some)
    yield "whole functions", "Change it so:\n\n" + fence.format(with_ellipses(map(after, functions), ellipsis))
    yield "shortened functions", fence.format(with_ellipses([shortened(hunk, ellipsis) for hunk in functions], ellipsis))
    yield "changed lines", fence.format(with_ellipses(map(after, some), ellipsis))


def same(one, other):
    """But for blanks at the ends of lines, which a chat loses."""
    return [line.rstrip() for line in one.rstrip().split("\n")] == [line.rstrip() for line in other.rstrip().split("\n")]


def apply(program, change, text, model, compares):
    note = change.folder / "change.txt"
    note.write_text(text, newline="")
    command = [program, "apply", str(change.old), "--change", str(note), "--format", "json"]
    command += ["--compare"] if model and compares else []
    command += ["--target", model] if model else ["--target", str(change.folder / "no model.gguf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_RUN_SECONDS, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def verdict(report, record):
    if report is None:
        return "to the model"
    if not report["placed"]:
        return "model, exact" if same(report["text"], record["after"]) else "model, other"
    return "exact" if same(report["text"], record["after"]) else "other"


def row(record, form, report):
    figures = {key: report[key] for key in ("placed", "passes", "new_tokens", "tokens_per_pass", "prefill_seconds",
                                            "decode_seconds", "plain", "doubts") if key in report} if report else {}
    return {"id": record["id"], "form": form, "verdict": verdict(report, record), **figures}


def records_of(files, limit):
    for file in files:
        records = [json.loads(line) for line in open(file, encoding="utf-8")]
        yield from [record for record in records if record.get("before") and record.get("after")][:limit]


def print_table(rows):
    columns = ["exact", "other", "to the model", "model, exact", "model, other"]
    counts = collections.Counter((row["form"], row["verdict"]) for row in rows)
    print(f"{'form':22}" + "".join(f"{column:>14}" for column in columns))
    for form in dict.fromkeys(row["form"] for row in rows):
        print(f"{form:22}" + "".join(f"{counts[form, column]:14}" for column in columns))
    decoded = [row for row in rows if row.get("plain")]
    if decoded:
        tokens, passes = (sum(row[key] for row in decoded) for key in ("new_tokens", "passes"))
        seconds, plain = sum(row["decode_seconds"] for row in decoded), sum(row["plain"]["decode_seconds"] for row in decoded)
        print(f"by the model: {len(decoded)} changes, {tokens / max(passes, 1):.1f} tokens a pass, {seconds:.1f} s of decoding, "
              f"{plain:.1f} s plainly ({plain / max(seconds, 1e-9):.1f} times), "
              f"{sum(row['plain']['identical'] for row in decoded)} identical to plain decoding")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help="JSON lines with commits of one file each")
    parser.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parents[1] / "build" / "redraft"))
    parser.add_argument("--model", help="decode what is not certain too, with this target")
    parser.add_argument("--compare", action="store_true", help="decode plainly too")
    parser.add_argument("--only", help="regular expression over forms")
    parser.add_argument("--limit", type=int, help="commits of each file")
    parser.add_argument("--out", help="a line of JSON for each change goes there")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder, open(options.out or os.devnull, "w", encoding="utf-8") as out:
        for record in records_of(options.data, options.limit):
            change = Change(pathlib.Path(folder), record)
            for form, text in forms(change):
                if options.only and not re.search(options.only, form):
                    continue
                rows.append(row(record, form, apply(options.program, change, text, options.model, options.compare)))
                out.write(json.dumps(rows[-1]) + "\n")
                out.flush()
                if sys.stderr.isatty():
                    print(f"\r{len(rows)} changes ", end="", file=sys.stderr)
    print_table(rows)


if __name__ == "__main__":
    main()
