#!/usr/bin/env python3
"""Holds C++ sources to .clang-format and .clang-tidy: those that differ from main, or all of them."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SUFFIXES = (".h", ".cpp")


def git(*arguments):
    run = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return run.stdout.splitlines() if run.returncode == 0 else None


def changed_files():
    """Against the branch's start on main; on main itself against the commit before, and what is not committed."""
    base = git("merge-base", "HEAD", "main")
    head = git("rev-parse", "HEAD")
    if not base or base == head:
        base = git("rev-parse", "HEAD~1")
    if not base:
        return None
    return sorted(set(git("diff", "--name-only", "--diff-filter=d", base[0]) or []))


def source_files(everything):
    files = None if everything else changed_files()
    if files is None:
        files = git("ls-files") or []
    return [file for file in files if file.endswith(SUFFIXES) and os.path.exists(file)]


def run_format(files):
    return subprocess.run(["clang-format", "--dry-run", "-Werror", *files]).returncode


def commands_for_clang(build):
    """The build's compile commands less GCC's precompiled headers, which mean nothing to clang."""
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    for entry in commands:
        entry["command"] = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
    return commands


def run_tidy(build, files):
    """Headers are checked through the sources that include them."""
    commands = commands_for_clang(build)
    compiled = {os.path.relpath(entry["file"]) for entry in commands}
    sources = [file for file in files if file in compiled]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps(commands))
        for index, source in enumerate(sources):
            print(f"clang-tidy {index + 1}/{len(sources)} {source}", flush=True)
            failed |= subprocess.run(["clang-tidy", "--quiet", "-p", folder, "--extra-arg=-Wno-unknown-warning-option",
                                      "--extra-arg=-Wno-ignored-optimization-argument", source]).returncode
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    files = source_files(arguments.all)
    if not files:
        print("lint: no C++ source changed")
        return 0
    print(f"lint: {len(files)} files")
    failed = run_format(files)
    failed |= run_tidy(arguments.build, files)
    print("lint: there is something to fix" if failed else "lint: clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
