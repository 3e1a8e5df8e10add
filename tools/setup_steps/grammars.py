"""Puts the sources of tree-sitter and its grammars, pinned by tools/locks/grammars, where the build finds them.

The folder is named after the lock file's hash (cmake/TreeSitter.cmake does the same), so a new lock file means a new
folder, and a folder that exists is complete: its files come from archives whose SHA-512 npm has checked.
"""

import hashlib
import os
import pathlib
import re
import shutil
import tempfile

from . import npm
from .common import LOCKS, SetupError, data_directory, say

_LOCK = LOCKS / "grammars"
_LIST = pathlib.Path(__file__).resolve().parents[2] / "languages" / "languages.inc"


def _folders():
    """Package -> the folders to take. A grammar's folder has its parser's C sources in src/."""
    folders = {"tree-sitter": ["vendor/tree-sitter/lib"]}
    for folder in re.findall(r"^REDRAFT_LANGUAGE\(\w+, \w+, ([^)]+)\)", _LIST.read_text(), re.MULTILINE):
        package, _, below = folder.partition("/")
        # Grammars that share a package share the sources in common/.
        folders.setdefault(package, ["common"] if below else []).append(below or "src")
    return folders


def directory():
    return data_directory() / f"grammars-{hashlib.sha256((_LOCK / 'package-lock.json').read_bytes()).hexdigest()[:16]}"


def _package(modules, name):
    for place in (modules / name, *modules.glob(f"@*/{name}")):
        if place.is_dir():
            return place
    raise SetupError(f"the lock file names no package {name}")


def _copy(package, folders, target):
    """C and C++ sources, and headers, of `folders`, and the licence."""
    files = [file for folder in folders for file in (package / folder).rglob("*") if file.suffix in {".c", ".cc", ".h"}]
    if not files:
        raise SetupError(f"{package.name} has no sources in {', '.join(folders)}")
    for file in [*files, *package.glob("LICEN[CS]E*")]:
        if file.is_symlink() or not file.is_file():
            continue
        destination = target / file.relative_to(package)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, destination)


def ensure():
    if not directory().is_dir():
        with npm.unpacked(_LOCK, "tree-sitter and its grammars (45 MB)") as modules:
            _take(modules)
    say("tree-sitter and its grammars: ready")


def _take(modules):
    data_directory().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_directory(), prefix="grammars-partial-") as partial:
        place = pathlib.Path(partial) / "tree"
        for name, folders in _folders().items():
            _copy(_package(modules, name), folders, place / name)
        os.replace(place, directory())
