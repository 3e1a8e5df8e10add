"""Puts llama.cpp's Jinja engine, pinned by tools/locks/jinja, where the build finds it.

An npm package contains llama.cpp's sources; only those of the engine are kept. As with the grammars, the folder is named
after the lock file's hash (cmake/Jinja.cmake does the same), so a folder that exists is complete.
"""

import hashlib
import os
import pathlib
import shutil
import tempfile

from . import npm
from .common import LOCKS, SetupError, data_directory, say

_LOCK = LOCKS / "jinja"
_PACKAGE = "llama.rn"
_SOURCES = ["common/jinja/lexer", "common/jinja/parser", "common/jinja/runtime", "common/jinja/value", "common/unicode"]
FILES = [*(source + suffix for source in _SOURCES for suffix in (".cpp", ".h")), "common/jinja/string.cpp",
         "common/jinja/jinja-string.h", "common/jinja/utils.h", "LICENSE"]


def directory():
    return data_directory() / f"jinja-{hashlib.sha256((_LOCK / 'package-lock.json').read_bytes()).hexdigest()[:16]}"


def ensure():
    if not directory().is_dir():
        with npm.unpacked(_LOCK, "llama.cpp's Jinja engine (6 MB)") as modules:
            _take(modules / _PACKAGE / "cpp")
    say("llama.cpp's Jinja engine: ready")


def _take(package):
    missing = [name for name in FILES if not (package / name).is_file()]
    if missing:
        raise SetupError(f"the package {_PACKAGE} does not contain {', '.join(missing)}")
    data_directory().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_directory(), prefix="jinja-partial-") as partial:
        place = pathlib.Path(partial) / "tree"
        for name in FILES:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(package / name, place / name)
        os.replace(place, directory())
