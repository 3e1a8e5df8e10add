"""Runs clang-tidy on translation units, a few at a time. A clean unit is not checked again until it changes.

A unit is a source as the build compiles it. Headers are checked through the units that include them, kernels (.cu)
through the unit that compiles them as C++ for the emulated device. A kernel source that has no such unit is read as
plain C++ with CUDA's headers: clang-tidy 14 does not know CUDA 13 itself. So only nvcc sees the parts of cuda/device.h
that are for real devices alone.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time

from setup_steps.common import cache_directory

from .sources import CPP, Includes, with_suffix

ARGUMENTS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-ignored-optimization-argument"]
COROUTINES = "remote/http_fetch.h"  # clang before 16 cannot read the standard library's coroutines
KEPT_SECONDS = 60 * 24 * 3600  # how long a clean unit is remembered


class Units:
    """The build's translation units: which source with which commands, and which files of the project each includes."""

    def __init__(self, build):
        self._root = os.getcwd()
        self._includes = Includes()
        self._closures = {}
        self.commands = collections.defaultdict(list)  # file -> entries of compile_commands.json
        kernels = {}
        for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
            file = os.path.relpath(entry["file"])
            if file.startswith(("..", os.path.relpath(build) + os.sep)):
                continue  # from a dependency, or generated
            if file.endswith(".cu"):
                kernels[file] = entry
            elif file.endswith(CPP):
                self.commands[file].append({**entry, "command": _for_clang(entry["command"])})
        seen = {each for file in self.commands for each in self.closure(file)}
        for file in kernels.keys() - seen:
            self.commands[file] = [{**kernels[file], "command": _as_plain_cpp(kernels[file], self._root)}]

    def closure(self, unit):
        """The unit and the project files that it includes, also through a name that its command defines."""
        if unit not in self._closures:
            commands = " ".join(entry["command"] for entry in self.commands[unit])
            named = filter(os.path.isfile, re.findall(r"-D\w+=\W*([\w./]+\.h)\b", commands))
            self._closures[unit] = set().union(*(self._includes.closure(each) for each in [unit, *named]))
        return self._closures[unit]

    def covering(self, files):
        """(units that check `files`, those of `files` that no unit checks)."""
        units = {file for file in files if file in self.commands}
        covered = set().union(*(self.closure(unit) for unit in units))
        left_out = []
        for file in with_suffix(files, *CPP):
            if file in covered:
                continue
            takers = [unit for unit in self.commands if file in self.closure(unit)]
            if not takers:
                left_out.append(file)
                continue
            own = os.path.splitext(file)[0]
            unit = min(takers, key=lambda each: (os.path.splitext(each)[0] != own, len(self.closure(each)), each))
            units.add(unit)
            covered |= self.closure(unit)
        return sorted(units), left_out

    def key(self, unit, version):
        """A key of clang-tidy's input from the project, independent of the checkout's path."""
        digest = hashlib.sha256(repr((version, ARGUMENTS)).encode())
        for entry in self.commands[unit]:
            digest.update(entry["command"].replace(self._root, ".").encode())
        rules = {(folder / ".clang-tidy").as_posix() for folder in pathlib.PurePath(unit).parents}
        for file in sorted({*filter(os.path.isfile, rules), *self.closure(unit)}):
            digest.update(f"\0{file}\0".encode() + pathlib.Path(file).read_bytes())
        return digest.hexdigest()


def _for_clang(command):
    """The command without GCC's precompiled headers, which clang cannot read, and without the options that only CI adds."""
    return re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx| -Werror(?=\s)", "", command)


def _as_plain_cpp(entry, root):
    headers = pathlib.Path(shlex.split(entry["command"])[0]).resolve().parent.parent / "include"
    return shlex.join(["clang++", "-x", "c++", "-std=c++20", f"-I{root}", "-isystem", str(headers),
                       "-isystem", str(headers / "cccl"), "-c", entry["file"]])


class CleanUnits:
    """Keys of units that were found clean, shared by all checkouts of this user."""

    def __init__(self, folder=None):
        self._folder = folder or cache_directory() / "lint"
        self._folder.mkdir(parents=True, exist_ok=True)
        for entry in self._folder.iterdir():
            if time.time() - entry.stat().st_mtime > KEPT_SECONDS:
                entry.unlink(missing_ok=True)

    def __contains__(self, key):
        try:
            os.utime(self._folder / key)
            return True
        except FileNotFoundError:
            return False

    def add(self, key):
        (self._folder / key).touch()


def _version():
    text = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True).stdout
    return re.search(r"version (\S+)", text).group(1)


def _tidy(unit, folder):
    run = subprocess.run(["clang-tidy", *ARGUMENTS, "-p", folder, unit], capture_output=True, text=True)
    said = re.sub(r"^\d+ warnings? generated\.\n", "", run.stdout + run.stderr, flags=re.MULTILINE)
    return run.returncode == 0, said.strip()


def newest_first(units, names, ranks):
    """Sorts units so that those changed by the newest commits, directly or through an include, come first."""
    return sorted(names, key=lambda name: (min(ranks.get(file, 0) for file in units.closure(name)),
                                           ranks.get(name, 0), name))


def check(units, names, seconds=None):
    """Checks `names` within the time limit: whether all checked units are clean. Prints the others, and how many were not checked."""
    version = _version()
    clean = CleanUnits()
    if int(version.partition(".")[0]) < 16:
        unread = [name for name in names if COROUTINES in units.closure(name)]
        if unread:
            print(f"clang-tidy: version {version} cannot read the coroutines of {', '.join(unread)}")
        names = [name for name in names if name not in unread]
    keys = {name: units.key(name, version) for name in names}
    todo = [name for name in names if keys[name] not in clean]
    deadline = None if seconds is None else time.monotonic() + seconds
    failed, skipped = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        entries = [entry for name in todo for entry in units.commands[name]]
        (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps(entries))

        def run(name):
            if deadline is not None and time.monotonic() > deadline:
                return name, None, ""
            return (name, *_tidy(name, folder))

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for name, is_clean, output in pool.map(run, todo):
                if is_clean is None:
                    skipped += 1
                elif is_clean:
                    if units.key(name, version) == keys[name]:  # unless it changed meanwhile
                        clean.add(keys[name])
                else:
                    failed += 1
                    print(f"clang-tidy: {name}\n{output}", flush=True)
    print(f"clang-tidy: {len(names)} units: {len(names) - len(todo)} known to be clean, "
          f"{len(todo) - failed - skipped} found clean, {failed} not" +
          (f"; no time for the {skipped} that changed longest ago" if skipped else ""))
    return failed == 0
