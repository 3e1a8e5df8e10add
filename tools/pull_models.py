#!/usr/bin/env python3
"""`redraft models pull`: puts models of tools/locks/models.lock into the store. Needs only Python 3.9 and its pip."""

import argparse
import signal
import sys

from setup_steps import models
from setup_steps.common import SetupError, exclusive_lock
from setup_steps.pull_report import JsonReport, TextReport


def _interrupt(_signal, _frame):
    raise KeyboardInterrupt


def main(arguments):
    signal.signal(signal.SIGTERM, _interrupt)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args(arguments)
    report = JsonReport() if options.format == "json" else TextReport()
    try:
        with exclusive_lock(report.note):
            for name in options.names:
                models.ensure(name, report)
    except SetupError as error:
        report.note(f"redraft: error: {error}")
        return 1
    except OSError as error:
        report.note(f"redraft: error: {error.filename or 'the model'}: {error.strerror or error}")
        return 1
    except KeyboardInterrupt:
        report.note("redraft: interrupted; the same command goes on from here")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
