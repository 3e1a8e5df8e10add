#!/usr/bin/env python3
"""Writes the table of folders in docs/architecture.md: each library's purpose, from the comment at the top of its
CMakeLists.txt, and the external headers that only it and few others may include, from tests/layers/layers.py.

--check writes nothing and fails if the table differs from what would be written; hygiene_test runs it.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/layers"))
from layers import OWNED_HEADERS, Layers  # noqa: E402

DOCUMENT = "docs/architecture.md"
BEGIN = "<!-- The folders, written by tools/folder_table.py -->\n"
END = "<!-- to here -->\n"


def purpose(cmake_text):
    """The first block of comment lines, as one line of Markdown."""
    block = []
    for line in cmake_text.splitlines():
        if line.startswith("#"):
            block.append(line.lstrip("#").strip())
        elif block:
            break
    return " ".join(block).rstrip(".").replace("|", r"\|")


def prefixes(pattern):
    """The beginnings of header names that a pattern of OWNED_HEADERS stands for: "(torch|ATen)/" is torch/ and ATen/."""
    alternatives = re.match(r"\(([^)]*)\)(.*)", pattern)
    return [name + alternatives[2] for name in alternatives[1].split("|")] if alternatives else [pattern]


def table(root):
    layers = Layers(root)
    rows = ["| Folder | Purpose | May include |", "|---|---|---|"]
    for folder in sorted(layers.name_of_folder):
        headers = [f"`{prefix}`" for pattern, owners in OWNED_HEADERS.items() if folder in owners for prefix in prefixes(pattern)]
        text = purpose((root / folder / "CMakeLists.txt").read_text(encoding="utf-8"))
        if not text:
            raise SystemExit(f"folder_table: {folder}/CMakeLists.txt has no comment that says what the folder is for")
        rows.append(f"| `{folder}/` | {text} | {', '.join(headers)} |".replace("|  |", "| |"))
    return "\n".join(rows) + "\n"


def document(root):
    """docs/architecture.md as it should be."""
    text = (root / DOCUMENT).read_text(encoding="utf-8")
    start = text.index(BEGIN) + len(BEGIN)
    return text[:start] + table(root) + text[text.index(END, start):]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the source tree")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    file = arguments.root / DOCUMENT
    wanted = document(arguments.root)
    if file.read_text(encoding="utf-8") == wanted:
        return 0
    if arguments.check:
        print(f"folder_table: {DOCUMENT} is outdated; run tools/folder_table.py")
        return 1
    file.write_text(wanted, encoding="utf-8")
    print(f"folder_table: wrote {DOCUMENT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
