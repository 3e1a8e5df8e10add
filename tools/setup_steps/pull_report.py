"""Reports the download of a model: to a person or, as lines of JSON, to a program."""

import json
import sys
import time

_MIN_INTERVAL = 0.1  # seconds


def _megabytes(count):
    return f"{count / 1e6:.0f}"


class PullReport:
    """Common to both: at most ten reports a second, but each phase is reported at once."""

    def __init__(self):
        self._told = (None, 0.0)

    def progress(self, model, phase, count):
        now = time.monotonic()
        if self._told[0] == phase and now - self._told[1] < _MIN_INTERVAL:
            return
        self._told = (phase, now)
        self.tell(model, phase, count)


class JsonReport(PullReport):
    """Writes one JSON object per line to standard output."""

    def begin(self, model, count, directory):
        self.progress(model, "downloading", count)

    def note(self, text):
        print(text, file=sys.stderr, flush=True)

    def about(self, text):
        pass

    def tell(self, model, phase, count):
        told = model.get("told", {}) if phase == "done" else {}
        print(json.dumps({"model": model["name"], "bytes": count, "total": model["bytes"], "phase": phase,
                          "licence": model["licence"], **told}), flush=True)

    def end(self, model):
        self.progress(model, "done", model["bytes"])


class TextReport(PullReport):
    """Sentences on standard output; on a terminal also a line on standard error that is rewritten."""

    def __init__(self):
        super().__init__()
        self._watched = sys.stderr.isatty()
        self._begun = None

    def begin(self, model, count, directory):
        print(f"{model['name']}: {model['title']}, {_megabytes(model['bytes'])} MB, licence {model['licence']}\n"
              f"into {directory}", flush=True)
        if count:
            print(f"{_megabytes(count)} MB of it are here already", flush=True)
        self._begun = (count, time.monotonic())

    def note(self, text):
        self._clear()
        print(text, file=sys.stderr, flush=True)

    def about(self, text):
        """Shows what redraft says about a model that it did not know before."""
        self._clear()
        print(text, flush=True)

    def tell(self, model, phase, count):
        if not self._watched:
            return
        shown = f"{_megabytes(count)} of {_megabytes(model['bytes'])} MB, {100 * count // max(1, model['bytes'])} %"
        if phase == "checking":
            shown = f"checking the SHA-256: {shown}"
        elif self._begun and time.monotonic() - self._begun[1] > 1:
            shown += f", {(count - self._begun[0]) / 1e6 / (time.monotonic() - self._begun[1]):.1f} MB/s"
        print(f"\r\033[K{shown}", end="", file=sys.stderr, flush=True)

    def _clear(self):
        if self._watched:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def end(self, model):
        self._clear()
        print(f"{model['name']}: ready", flush=True)
