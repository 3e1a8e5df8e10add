#!/usr/bin/env python3
"""Runs ctest in a build folder by labels and ends with one line of counts.

Tests that sweep over many cases print lines `sweep NAME: KEY=COUNT …`; these are added up by name and shown as well.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

OUTPUT_BYTES = "65536"  # of a test's output that ctest keeps


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("--exclude", help="regular expression over labels")
    parser.add_argument("--only", help="regular expression over labels")
    parser.add_argument("--leave-out", metavar="FILE", help="names of tests that are left out, a regular expression a line; "
                                                            "what follows # says why")
    return parser.parse_args()


def names_in(file):
    lines = (line.partition("#")[0].strip() for line in pathlib.Path(file).read_text().splitlines())
    return [line for line in lines if line]


def refuse_unknown(names, build, file):
    """Ends the program if one of `names` is not the name of a test (any more)."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, check=True)
    tests = [test["name"] for test in json.loads(listing.stdout)["tests"]]
    unknown = [name for name in names if not any(re.fullmatch(name, test) for test in tests)]
    if unknown:
        sys.exit(f"{file}: no test is called {', '.join(unknown)}")


def run_ctest(arguments, report):
    command = ["ctest", "--test-dir", arguments.build, "--output-on-failure", "--no-tests=error",
               "--parallel", str(os.cpu_count() or 1), "--output-junit", report, "--test-output-size-passed", OUTPUT_BYTES]
    if arguments.exclude:
        command += ["--label-exclude", arguments.exclude]
    if arguments.only:
        command += ["--label-regex", arguments.only]
    if arguments.leave_out:
        names = names_in(arguments.leave_out)
        refuse_unknown(names, arguments.build, arguments.leave_out)
        command += ["--exclude-regex", f"^({'|'.join(names)})$"]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode


def count_results(report):
    """(passed, failed, skipped) in ctest's JUnit report."""
    cases = xml.etree.ElementTree.parse(report).iter("testcase")
    endings = [case.get("status") for case in cases]
    passed = endings.count("run")
    skipped = endings.count("notrun") + endings.count("disabled")
    return passed, len(endings) - passed - skipped, skipped


def sum_sweeps(report):
    """{name: {key: count}} over all tests of a JUnit report."""
    sweeps = {}
    for output in xml.etree.ElementTree.parse(report).iter("system-out"):
        for name, words in re.findall(r"^sweep ([^:\n]*):(.*)$", output.text or "", re.MULTILINE):
            sums = sweeps.setdefault(name, {})
            for key, _, count in (word.rpartition("=") for word in words.split()):
                sums[key] = sums.get(key, 0) + int(count)
    return sweeps


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        report = str(pathlib.Path(folder) / "report.xml")
        status = run_ctest(arguments, report)
        if not os.path.exists(report):
            return status or 1
        passed, failed, skipped = count_results(report)
        sweeps = sum_sweeps(report)
    for name, sums in sweeps.items():
        print(f"{name}: " + ", ".join(f"{key} {count:,}" for key, count in sums.items()))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return status


if __name__ == "__main__":
    sys.exit(main())
