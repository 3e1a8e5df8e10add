#!/usr/bin/env python3
"""Checks the form of the sources: format, guards and the scripts' linters for all files, clang-tidy for C++ units.

clang-tidy checks what differs from main, or everything (--all). A unit that it found clean is not checked again until
it, or something that it includes, changes.
"""

import argparse
import os
import pathlib
import sys

from lint_steps import clang_tidy, sources, style


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="the build folder, configured at least")
    parser.add_argument("--all", action="store_true", help="clang-tidy for everything, what changed last first")
    parser.add_argument("--commits", type=int, help="clang-tidy for what the last N commits changed, for a main that grows by several")
    parser.add_argument("--minutes", type=float, help="after which clang-tidy starts on nothing more")
    parser.add_argument("--quick", action="store_true", help="without clang-tidy")
    return parser.parse_args()


def check_style(files):
    failed = [name for name, check in style.CHECKS.items() if not check(files)]
    print(f"style: {len(files)} files: " + (f"not clean: {', '.join(failed)}" if failed else ", ".join(style.CHECKS)),
          flush=True)
    return not failed


def check_units(arguments):
    units = clang_tidy.Units(arguments.build)
    files = sources.all_files() if arguments.all else sources.changed_files(arguments.commits)
    names, left_out = units.covering(files)
    if left_out:
        print(f"clang-tidy: this build compiles nothing of {', '.join(left_out)}")
    names = clang_tidy.newest_first(units, names, sources.commit_ages())
    return clang_tidy.check(units, names, None if arguments.minutes is None else 60 * arguments.minutes)


def main():
    arguments = parse_arguments()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    clean = check_style(sources.all_files())
    if not arguments.quick:
        clean &= check_units(arguments)
    print("lint: clean" if clean else "lint: there is something to fix")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
