#!/usr/bin/env python3
"""Makes tasks for `redraft bench edits`: one word is renamed everywhere in a file of about 300 lines.

    bench/rename_tasks.py REPOSITORY.jsonl… > rename.jsonl

From each repository (JSON lines with `path` and `content`) it takes the first Python file of 285 to 320 lines that contains
a word with an underscore 8 to 25 times; the most frequent such word gets its parts in the reverse order.
"""

import collections
import json
import re
import sys


def task_of(source):
    text = source["content"]
    if not source["path"].endswith(".py") or not 285 <= text.count("\n") <= 320 or len(text) > 12000:
        return None
    counts = collections.Counter(re.findall(r"\b[a-z_][a-z_0-9]{3,}\b", text))
    words = [(count, word) for word, count in counts.items() if 8 <= count <= 25 and "_" in word]
    if not words:
        return None
    word = max(words, key=lambda each: each[0])[1]
    renamed = "_".join(reversed([part for part in word.split("_") if part]))
    if renamed == word:
        return None
    return {
        "id": "rename/" + source["path"],
        "language": "python",
        "path": source["path"],
        "instruction": f"Rename `{word}` to `{renamed}` everywhere in this file. Change nothing else.",
        "before": text,
        "after": re.sub(rf"\b{re.escape(word)}\b", renamed, text),
    }


def main(files):
    if not files:
        sys.exit(__doc__)
    for file in files:
        with open(file, encoding="utf-8") as lines:
            task = next(filter(None, (task_of(json.loads(line)) for line in lines)), None)
        if task:
            print(json.dumps(task))


if __name__ == "__main__":
    main(sys.argv[1:])
