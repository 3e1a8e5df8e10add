"""Fetches wheels as mere archives: by exact version and hash, never installed, never run."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile

from .common import SetupError, cache_directory, machine, say

# The tags that pip must accept, each for one architecture; the newest first.
_PLATFORMS = ["manylinux_2_28", "manylinux_2_25", "manylinux_2_17", "manylinux2014", "manylinux_2_12"]


def accepted(architecture):
    """pip's options for wheels of a machine; torch's is built for CPython 3.11, whichever Python runs this."""
    options = ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--abi", "none"]
    for platform in [*(f"{name}_{architecture}" for name in _PLATFORMS), "any"]:
        options += ["--platform", platform]
    return options


def downloads_directory():
    path = cache_directory() / "downloads"
    path.mkdir(parents=True, exist_ok=True)
    return path


def pip_command():
    """A working pip: this Python's own, or one in a virtual environment made for it."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return [sys.executable, "-m", "pip"]
    place = cache_directory() / "venv-setup"
    python = place / "bin" / "python"
    if subprocess.run(["env", str(python), "-m", "pip", "--version"], capture_output=True).returncode != 0:
        say("this Python has no pip; making a virtual environment that has")
        try:
            venv.create(place, with_pip=True, clear=True)
        except (subprocess.CalledProcessError, OSError, ImportError, SystemExit) as error:  # Debian's venv exits without ensurepip
            raise SetupError("Python has neither pip nor a working venv module; "
                             "install python3-pip or python3-venv") from error
    return [str(python), "-m", "pip"]


def place_of(requirement, sha256):
    """The folder in which one wheel is kept until it is unpacked."""
    return downloads_directory() / f"{requirement.replace('==', '-')}-{sha256[:16]}"


def download(requirement, sha256, title, architecture=None):
    """The path of the wheel `name==version` in the downloads directory, whose SHA-256 pip has checked.

    `title` is shown to the user; None: nothing is shown. `architecture` None: this machine's."""
    place = place_of(requirement, sha256)
    wheels = list(place.glob("*.whl"))
    if wheels:
        return wheels[0]
    if title:
        say(f"downloading {title}")
    with tempfile.TemporaryDirectory(dir=downloads_directory(), prefix="partial-") as partial:
        _pip_download(requirement, sha256, partial, architecture or machine())
        place.mkdir(exist_ok=True)
        wheel = next(entry for entry in os.listdir(partial) if entry.endswith(".whl"))
        # The rename comes last, so a wheel in its final place is complete.
        os.replace(os.path.join(partial, wheel), place / wheel)
    return place / wheel


def _pip_download(requirement, sha256, directory, architecture):
    lock = os.path.join(directory, "requirement.txt")
    with open(lock, "w") as file:
        file.write(f"{requirement} --hash=sha256:{sha256}\n")
    command = [*pip_command(), "download", "--disable-pip-version-check", "--no-cache-dir", "--no-deps",
               "--only-binary=:all:", *accepted(architecture), "--require-hashes", "-r", lock, "-d", directory]
    watched = sys.stdout.isatty()  # then show pip's own progress bar
    run = subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                         stdout=None if watched else subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        raise SetupError(f"could not download {requirement}:\n{(run.stdout or '').strip()[-2000:]}")


def remove(wheel):
    wheel.unlink()
    wheel.parent.rmdir()


def unpack(lock, directory, needed, place_of, title, mode_of=lambda path: None, note="", architecture=None):
    """Unpacks the wheels of a lock file for an architecture (None: this machine's) into `directory`, completely or not at
    all, and removes them.

    `place_of(member)` is a member's place in the directory, or None, and `mode_of(path)` its mode, or None. `needed` must
    exist in the end. `note` is shown with the first wheel."""
    entries = read_lock(lock, architecture)
    fetched = [download(requirement, sha256, requirement + (note if requirement == entries[0][0] else ""), architecture)
               for requirement, sha256 in entries]
    say(f"unpacking {title}")
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=f"{directory.name}-partial-") as partial:
        tree = pathlib.Path(partial) / "tree"
        for wheel in fetched:
            _extract(wheel, tree, place_of, mode_of)
        missing = [name for name in needed if not (tree / name).exists()]
        if missing:
            raise SetupError(f"the wheels do not contain {', '.join(missing)}")
        if directory.exists():
            shutil.rmtree(directory)
        os.replace(tree, directory)
    for wheel in fetched:
        remove(wheel)


def _extract(wheel, tree, place_of, mode_of):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            path = None if member.endswith("/") else place_of(member)
            if path is None:
                continue
            if ".." in pathlib.PurePosixPath(path).parts:
                raise SetupError(f"{wheel.name}: member {member} leaves its folder")
            destination = tree / path
            destination.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(destination, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 22)
            if mode_of(path):
                destination.chmod(mode_of(path))


def read_lock(path, architecture=None):
    """[(name==version, sha256)] of a pip requirements file with one hash per line, for an architecture (None: this
    machine's). A line is for every architecture unless a marker names its own."""
    wanted = architecture or machine()
    entries = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        requirement, only, sha256 = re.fullmatch(
            r'(\S+)(?: ; platform_machine == "(\w+)")? --hash=sha256:(\w+)', line).groups()
        if only in {None, wanted}:
            entries.append((requirement, sha256))
    if not entries:
        raise SetupError(f"{path.name} names no wheel for {wanted} (only x86-64 and AArch64 Linux are supported)")
    return entries
