"""Finds programs that work. A program that is in PATH need not work: the `cargo` and `rustc` that rustup installs are
proxies, and they fail until a toolchain is installed.
"""

import os
import pathlib
import re
import subprocess

# The options that print the version of a program; --version for all others.
VERSION_OPTIONS = {"cargo": "--version", "go": "version", "haproxy": "-v", "rustc": "--version"}


def _answer(program):
    """What `program` prints about its version; None if it does not work."""
    option = VERSION_OPTIONS.get(pathlib.Path(program).name, "--version")
    try:
        run = subprocess.run([program, option], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return run.stdout if run.returncode == 0 else None


def _candidates(name, path):
    for folder in (path or os.environ.get("PATH", os.defpath)).split(os.pathsep):
        program = os.path.join(folder, name)
        if os.path.isfile(program) and os.access(program, os.X_OK):
            yield program


def find(name, path=None):
    """The first program `name` in `path` (None: PATH) that works, or None."""
    return next((program for program in _candidates(name, path) if _answer(program) is not None), None)


def working_path(names):
    """PATH without the folders in which one of the programs `names` does not work, for code that takes the first in PATH."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders
                           if all(_answer(program) is not None for name in names for program in _candidates(name, folder)))


def version_of(name):
    """The version of the program that `find` finds, or None."""
    program = find(name)
    found = re.search(r"(\d+(\.\d+)+)", _answer(program)) if program else None
    return found.group(1) if found else None


def why_missing(name):
    """Why `find` finds no program `name`, for a message."""
    candidates = list(_candidates(name, None))
    return f"{candidates[0]} does not work" if candidates else f"there is no {name}"
