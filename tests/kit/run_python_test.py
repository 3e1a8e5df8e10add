"""Runs a file of unittest cases and makes what it skips visible.

    run_python_test.py FILE [ARGUMENT…]

Prints a line `SKIPPED: CASE: REASON` for every case and sub-test that is skipped; tools/run_tests.py collects these lines.
Exit code 77, which ctest counts as skipped, if every case is skipped.
"""

import os
import pathlib
import runpy
import sys
import unittest

SKIPPED = 77


class _TellingResult(unittest.TextTestResult):
    """Also counts the cases that were skipped as a whole, over all runs of this process."""

    cases, skipped_cases, skipped_classes = 0, 0, 0

    def startTest(self, test):
        _TellingResult.cases += 1
        super().startTest(test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if not isinstance(test, unittest.TestCase):
            _TellingResult.skipped_classes += 1  # by setUpClass, before any case is started
        elif not hasattr(test, "test_case"):  # a sub-test has the case that it belongs to
            _TellingResult.skipped_cases += 1
        self.told.append(f"SKIPPED: {test.id().removeprefix('__main__.')}: {' '.join(reason.split())}")

    def startTestRun(self):
        self.told = []
        super().startTestRun()

    def stopTestRun(self):
        super().stopTestRun()
        self.stream.flush()
        print("", *self.told, sep="\n", flush=True)

    @classmethod
    def nothing_ran(cls):
        return cls.skipped_cases + cls.skipped_classes > 0 and cls.skipped_cases == cls.cases


def main(file, arguments):
    unittest.TextTestRunner.resultclass = _TellingResult
    sys.argv = [file, *arguments]
    sys.path[0] = str(pathlib.Path(file).resolve().parent)
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as end:
        failed = end.code not in (None, 0)
        sys.stdout.flush()
        if failed or not _TellingResult.nothing_ran():
            raise
    else:
        if not _TellingResult.nothing_ran():
            return 0
    return SKIPPED


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
