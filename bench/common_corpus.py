#!/usr/bin/env python3
"""Fetches the pinned Python packages that serve as common code (FastCoder's Dc) and prints the folder they are in.

    bench/common_corpus.py            # then: redraft bench completion --common "$(bench/common_corpus.py)" …

The packages of bench/common_corpus.lock are identified by exact version and hash; only their Python sources are kept. The
repositories of the benchmark tasks are not among them. Nothing is installed or run.
"""

import hashlib
import os
import pathlib
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

from setup_steps import wheels  # noqa: E402
from setup_steps.common import SetupError, cache_directory  # noqa: E402

LOCK = pathlib.Path(__file__).resolve().parent / "common_corpus.lock"
MAX_BYTES = 1 << 20  # per file; redraft skips larger ones


def extract(wheel, folder):
    """The wheel's Python files, at the paths they have in it."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            path = pathlib.PurePosixPath(member.filename)
            if path.suffix != ".py" or path.is_absolute() or ".." in path.parts or member.file_size > MAX_BYTES:
                continue
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(member))


def corpus():
    """The folder of the corpus, which is created if it does not exist."""
    name = "common-corpus-" + hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    place = cache_directory() / name
    if place.is_dir():
        return place
    with tempfile.TemporaryDirectory(dir=cache_directory(), prefix="partial-") as partial:
        made = pathlib.Path(partial) / name
        made.mkdir()
        entries = wheels.read_lock(LOCK)
        for number, (requirement, sha256) in enumerate(entries, 1):
            print(f"\r{number} of {len(entries)} packages", end="", file=sys.stderr, flush=True)
            wheel = wheels.download(requirement, sha256, title=None)
            extract(wheel, made / requirement.split("==")[0])
            wheels.remove(wheel)
        print(file=sys.stderr)
        os.replace(made, place)
    return place


def main():
    cache_directory().mkdir(parents=True, exist_ok=True)
    try:
        print(corpus())
    except SetupError as error:
        sys.exit(f"common_corpus: {error}")


if __name__ == "__main__":
    main()
