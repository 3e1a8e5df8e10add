#!/usr/bin/env python3
"""Runs ctest in a build folder by labels and ends with one line of counts.

Tests that sweep over many cases print lines `sweep NAME: KEY=COUNT …`; these are added up by name and shown as well.

Every test that is skipped is shown with the reason, also a test of which only some cases are skipped. Tests with a label
`needs_STEP` are skipped if that step of tools/setup.py failed. How the output of a failed test ends is shown once more at the end,
since a long log may be kept in part only. The slowest tests are shown with their seconds, and the whole run
with its seconds and CPU-seconds, so that a test that got slower is noticed.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from setup_steps import optional

NEEDS = "needs_"  # a label's prefix, before the name of a step of set-up
NAMES_SHOWN = 8  # of tests that are skipped for the same reason
SLOWEST_SHOWN = 10
FAILED_LINES_SHOWN = 16  # of a failed test's output
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


def listed(filters, build):
    """[(name, labels)] of the tests that ctest would run with `filters`."""
    listing = subprocess.run(["ctest", "--test-dir", build, *filters, "--show-only=json-v1"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, check=True)
    return [(test["name"], next((each["value"] for each in test.get("properties", []) if each["name"] == "LABELS"), []))
            for test in json.loads(listing.stdout)["tests"]]


def refuse_unknown(names, build, file):
    """Ends the program if one of `names` is not the name of a test."""
    tests = [test for test, _ in listed([], build)]
    unknown = [name for name in names if not any(re.fullmatch(name, test) for test in tests)]
    if unknown:
        sys.exit(f"{file}: no test is called {', '.join(unknown)}")


def filters_of(arguments, unmet=()):
    """ctest's options for the tests to run, without those that have one of the labels `unmet`."""
    filters = []
    exclude = "|".join([*filter(None, [arguments.exclude]), *(f"^{label}$" for label in unmet)])
    if exclude:
        filters += ["--label-exclude", exclude]
    if arguments.only:
        filters += ["--label-regex", arguments.only]
    if arguments.leave_out:
        names = names_in(arguments.leave_out)
        refuse_unknown(names, arguments.build, arguments.leave_out)
        filters += ["--exclude-regex", f"^({'|'.join(names)})$"]
    return filters


def without_set_up(filters, build, unmet):
    """[(name, reason)] of the tests that have a label of `unmet`, {label: why the step failed}."""
    tests = listed(filters, build) if unmet else []
    return [(name, reason) for name, labels in tests for reason in [unmet[label] for label in labels if label in unmet][:1]]


def run_ctest(build, filters, report):
    command = ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error",
               "--parallel", str(os.cpu_count() or 1), "--output-junit", report, "--test-output-size-passed", OUTPUT_BYTES]
    return subprocess.run([*command, *filters], stdin=subprocess.DEVNULL).returncode


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


def skipped_in(report):
    """[(name, reason)] of what the tests of a JUnit report skipped, as a whole or in part."""
    found = []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        output = case.findtext("system-out") or ""
        told = re.findall(r"^SKIPPED: (?:(\w[^ ]*(?: \[[^\]]*\])?): )?(.+)$", output, re.MULTILINE)  # run_python_test.py
        told = told or [("", reason) for reason in re.findall(r": Skipped\n(.+)$", output, re.MULTILINE)]  # GoogleTest
        if not told and case.get("status") in {"notrun", "disabled"}:
            told = [("", (output.strip().splitlines() or ["no reason given"])[-1])]
        found += [(f"{case.get('name')}:{part}" if part else case.get("name"), reason) for part, reason in told]
    return found


def show_skipped(skipped):
    by_reason = {}
    for name, reason in skipped:
        by_reason.setdefault(" ".join(reason.split()), []).append(name)
    for reason, names in by_reason.items():
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        print(f"skipped: {', '.join(names[:NAMES_SHOWN])}{more}: {reason}")


def show_failed(report):
    """How the output of each failed test of a JUnit report ends."""
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        if case.get("status") == "fail":
            lines = [line for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
            print(f"failed: {case.get('name')}", *(line[:240] for line in lines[-FAILED_LINES_SHOWN:]), sep="\n    ")


def slowest_in(report):
    """[(seconds, name)] of the slowest tests of a JUnit report, the slowest first."""
    cases = xml.etree.ElementTree.parse(report).iter("testcase")
    return sorted(((float(case.get("time", 0)), case.get("name")) for case in cases), reverse=True)[:SLOWEST_SHOWN]


def cpu_seconds():
    """User and system time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    arguments = parse_arguments()
    began = time.monotonic()
    unmet = {NEEDS + step: f"the set-up of {step} failed: {reason}" for step, reason in optional.failed_steps().items()}
    not_set_up = without_set_up(filters_of(arguments), arguments.build, unmet)
    with tempfile.TemporaryDirectory() as folder:
        report = str(pathlib.Path(folder) / "report.xml")
        status = run_ctest(arguments.build, filters_of(arguments, unmet), report)
        if not os.path.exists(report):
            return status or 1
        passed, failed, skipped = count_results(report)
        sweeps = sum_sweeps(report)
        print("slowest: " + ", ".join(f"{name} {seconds:.0f} s" for seconds, name in slowest_in(report)))
        show_failed(report)
        show_skipped([*not_set_up, *skipped_in(report)])
    skipped += len(not_set_up)
    for name, sums in sweeps.items():
        print(f"{name}: " + ", ".join(f"{key} {count:,}" for key, count in sums.items()))
    print(f"{time.monotonic() - began:,.0f} s, {cpu_seconds():,.0f} CPU-seconds")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return status


if __name__ == "__main__":
    sys.exit(main())
